// People and places, and what both the CPU and the GPU do with them.
#ifndef AGENTS_H
#define AGENTS_H

#include "parameters.h"

#include <cuda_runtime.h>

#include <cstdint>

enum class Health : std::uint8_t { Susceptible, Exposed, Infectious, Hospitalised, Recovered, Dead };
constexpr int HEALTH_STATES = 6;

enum class Phase { Night, Work, Leisure };

struct Person {
  int home;
  int work;
  int place; // where the person is in the current phase
  Health health;
  std::uint8_t age;
  bool masked;
  bool vaccinated;
  short daysInState;
  float susceptibility;
  std::uint32_t random;
  int infectedAt; // a place, or -1
};

struct Place {
  float area;
  float ventilation;
  int occupants;
  int infectious;
  int unmasked;
  int infections;
  bool open;
};

// Who caught it where; the order in which the GPU writes them is not defined.
struct InfectionEvent {
  int day;
  int person;
  int place;
  float risk;
};

struct DayStatistics {
  int byHealth[HEALTH_STATES];
  int newInfections;
  int vaccinated;
  int atHome;
};

__host__ __device__ inline float randomUniform(std::uint32_t &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return static_cast<float>(state >> 8) * (1.0f / 16777216.0f);
}

__host__ __device__ inline bool canMove(const Person &person) {
  return person.health != Health::Hospitalised && person.health != Health::Dead;
}

__host__ __device__ inline int choosePlace(Person &person, const Place *places, const Parameters &parameters,
                                           Phase phase) {
  if (!canMove(person)) return -1;
  if (phase == Phase::Night) return person.home;
  if (phase == Phase::Work) {
    if (person.work >= 0 && places[person.work].open) return person.work;
    return person.home;
  }
  if (parameters.venues == 0 || randomUniform(person.random) < 0.4f) return person.home;
  const int venue = static_cast<int>(randomUniform(person.random) * static_cast<float>(parameters.venues));
  const int chosen = parameters.homes + parameters.workplaces + venue;
  return places[chosen].open ? chosen : person.home;
}

// The probability that this person catches it in a phase that is spent here.
__host__ __device__ inline float infectionRisk(const Person &person, const Place &place,
                                               const Parameters &parameters) {
  if (person.health != Health::Susceptible || place.infectious == 0) return 0.0f;
  float risk = parameters.transmissionRate * static_cast<float>(place.infectious);
  risk /= place.area * place.ventilation;
  risk *= person.susceptibility;
  if (person.masked) risk *= parameters.maskEfficiency;
  if (person.vaccinated) risk *= 0.25f;
  return risk < 0.9f ? risk : 0.9f;
}

__host__ __device__ inline void setHealth(Person *person, Health health) {
  person->health = health;
  person->daysInState = 0;
}

// One day of the course of the disease.
__host__ __device__ inline void progress(Person *person, const Parameters &parameters) {
  person->daysInState++;
  switch (person->health) {
  case Health::Exposed:
    if (person->daysInState >= parameters.incubationDays) setHealth(person, Health::Infectious);
    break;
  case Health::Infectious:
    if (person->age > 60 && !person->vaccinated && randomUniform(person->random) < 0.05f) {
      setHealth(person, Health::Hospitalised);
    } else if (person->daysInState >= parameters.infectiousDays) {
      setHealth(person, Health::Recovered);
    }
    break;
  case Health::Hospitalised:
    if (randomUniform(person->random) < 0.02f) {
      setHealth(person, Health::Dead);
    } else if (person->daysInState >= parameters.hospitalDays) {
      setHealth(person, Health::Recovered);
    }
    break;
  case Health::Recovered:
    if (person->daysInState >= parameters.immunityDays) setHealth(person, Health::Susceptible);
    break;
  default:
    break;
  }
}

#endif
