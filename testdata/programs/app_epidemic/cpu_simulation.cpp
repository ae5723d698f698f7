#include "population.h"
#include "simulation.h"

#include <algorithm>

namespace {

class CpuSimulation : public Simulation {
public:
  explicit CpuSimulation(const Parameters &p)
      : parameters(p), people(makePeople(p)), places(makePlaces(p)), order(vaccinationOrder(people)) {}

  std::string name() const override { return "CPU"; }

  Results run() override {
    Results results;
    results.days.resize(parameters.days);
    if (people.empty()) return results;
    for (int day = 0; day < parameters.days; day++) {
      for (Phase phase : {Phase::Night, Phase::Work, Phase::Leisure}) {
        resetPlaces();
        visit(phase);
        expose(day, results.events);
      }
      for (Person &person : people) progress(&person, parameters);
      vaccinate();
      results.days[day] = count();
      const int ill = results.days[day].byHealth[static_cast<int>(Health::Infectious)];
      lockdown = ill * 1000 > parameters.lockdownThreshold * parameters.population;
      if (lockdown) results.lockdownDays++;
    }
    results.people = people;
    results.places = places;
    return results;
  }

private:
  void resetPlaces() {
    for (std::size_t i = 0; i < places.size(); i++) {
      Place &place = places[i];
      place.occupants = place.infectious = place.unmasked = 0;
      place.open = !lockdown || static_cast<int>(i) < parameters.homes || i % 4 == 0;
    }
  }

  void visit(Phase phase) {
    for (Person &person : people) {
      person.place = choosePlace(person, places.data(), parameters, phase);
      if (person.place < 0) continue;
      Place &place = places[person.place];
      place.occupants++;
      if (person.health == Health::Infectious) place.infectious++;
      if (!person.masked) place.unmasked++;
    }
  }

  void expose(int day, std::vector<InfectionEvent> &events) {
    for (std::size_t i = 0; i < people.size(); i++) {
      Person &person = people[i];
      if (person.place < 0) continue;
      const float risk = infectionRisk(person, places[person.place], parameters);
      if (risk == 0.0f || randomUniform(person.random) >= risk) continue;
      setHealth(&person, Health::Exposed);
      person.infectedAt = person.place;
      places[person.place].infections++;
      events.push_back({day, static_cast<int>(i), person.place, risk});
    }
  }

  void vaccinate() {
    const int doses = std::min(parameters.vaccinesPerDay, parameters.population - vaccinatedUpTo);
    for (int i = 0; i < doses; i++) {
      Person &person = people[order[vaccinatedUpTo++]];
      if (person.health == Health::Susceptible || person.health == Health::Recovered) person.vaccinated = true;
    }
  }

  DayStatistics count() const {
    DayStatistics today = {};
    for (const Person &person : people) {
      today.byHealth[static_cast<int>(person.health)]++;
      if (person.vaccinated) today.vaccinated++;
      if (person.place == person.home) today.atHome++;
      if (person.health == Health::Exposed && person.daysInState == 1) today.newInfections++;
    }
    return today;
  }

  const Parameters parameters;
  std::vector<Person> people;
  std::vector<Place> places;
  std::vector<int> order;
  bool lockdown = false;
  int vaccinatedUpTo = 0;
};

} // namespace

std::unique_ptr<Simulation> makeCpuSimulation(const Parameters &parameters) {
  return std::make_unique<CpuSimulation>(parameters);
}
