#include "kernels.h"

#include "cuda_utils.h"

static const int THREADS = 128;

static int blocks(int count) {
  return (count + THREADS - 1) / THREADS;
}

__global__ void resetPlaces(Place *places, int count, bool lockdown, Parameters parameters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Place &place = places[i];
  place.occupants = 0;
  place.infectious = 0;
  place.unmasked = 0;
  place.open = !lockdown || i < parameters.homes || i % 4 == 0;
}

__global__ void visit(Person *people, Place *places, Parameters parameters, Phase phase) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= parameters.population) return;
  people[i].place = choosePlace(people[i], places, parameters, phase);
  int place = people[i].place;
  if (place < 0) return;
  atomicAdd(&places[place].occupants, 1);
  if (people[i].health == Health::Infectious) atomicAdd(&places[place].infectious, 1);
  if (!people[i].masked) atomicAdd(&places[place].unmasked, 1);
}

__global__ void expose(Person *people, Place *places, InfectionEvent *events, int *eventCount, int day,
                       Parameters parameters) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < parameters.population; i += gridDim.x * blockDim.x) {
    Person person = people[i];
    if (person.place < 0) continue;
    const float risk = infectionRisk(person, places[person.place], parameters);
    if (risk == 0.0f) continue;
    if (randomUniform(person.random) < risk) {
      setHealth(&person, Health::Exposed);
      person.infectedAt = person.place;
      atomicAdd(&places[person.place].infections, 1);
      const int slot = atomicAdd(eventCount, 1);
      events[slot] = {day, i, person.place, risk};
    }
    people[i] = person;
  }
}

__global__ void progressAll(Person *people, Parameters parameters) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < parameters.population) progress(people + i, parameters);
}

__global__ void vaccinate(Person *people, const int *order, int first, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Person *person = &people[order[first + i]];
  if (person->health == Health::Susceptible || person->health == Health::Recovered) person->vaccinated = true;
}

__global__ void countHealth(const Person *people, DayStatistics *today, Parameters parameters) {
  __shared__ int byHealth[HEALTH_STATES];
  __shared__ int vaccinated, atHome, fresh;
  if (threadIdx.x < HEALTH_STATES) byHealth[threadIdx.x] = 0;
  if (threadIdx.x == 0) vaccinated = atHome = fresh = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < parameters.population) {
    const Person &person = people[i];
    atomicAdd(&byHealth[static_cast<int>(person.health)], 1);
    if (person.vaccinated) atomicAdd(&vaccinated, 1);
    if (person.place == person.home) atomicAdd(&atHome, 1);
    if (person.health == Health::Exposed && person.daysInState == 1) atomicAdd(&fresh, 1);
  }
  __syncthreads();
  if (threadIdx.x < HEALTH_STATES) atomicAdd(&today->byHealth[threadIdx.x], byHealth[threadIdx.x]);
  if (threadIdx.x == 0) {
    atomicAdd(&today->vaccinated, vaccinated);
    atomicAdd(&today->atHome, atHome);
    atomicAdd(&today->newInfections, fresh);
  }
}

void launchResetPlaces(Place *places, int count, bool lockdown, const Parameters &parameters, cudaStream_t stream) {
  resetPlaces<<<blocks(count), THREADS, 0, stream>>>(places, count, lockdown, parameters);
  CHECK_CUDA(cudaGetLastError());
}

void launchVisit(Person *people, Place *places, const Parameters &parameters, Phase phase, cudaStream_t stream) {
  visit<<<blocks(parameters.population), THREADS, 0, stream>>>(people, places, parameters, phase);
  CHECK_CUDA(cudaGetLastError());
}

void launchExpose(Person *people, Place *places, InfectionEvent *events, int *eventCount, int day,
                  const Parameters &parameters, cudaStream_t stream) {
  const int grid = blocks(parameters.population) < 4 ? blocks(parameters.population) : 4;
  expose<<<grid, THREADS, 0, stream>>>(people, places, events, eventCount, day, parameters);
  CHECK_CUDA(cudaGetLastError());
}

void launchProgress(Person *people, const Parameters &parameters, cudaStream_t stream) {
  progressAll<<<blocks(parameters.population), THREADS, 0, stream>>>(people, parameters);
  CHECK_CUDA(cudaGetLastError());
}

void launchVaccinate(Person *people, const int *order, int first, int count, cudaStream_t stream) {
  vaccinate<<<blocks(count), THREADS, 0, stream>>>(people, order, first, count);
  CHECK_CUDA(cudaGetLastError());
}

void launchCount(const Person *people, DayStatistics *today, const Parameters &parameters, cudaStream_t stream) {
  countHealth<<<blocks(parameters.population), THREADS, 0, stream>>>(people, today, parameters);
  CHECK_CUDA(cudaGetLastError());
}
