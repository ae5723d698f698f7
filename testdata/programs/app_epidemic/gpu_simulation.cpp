#include "cuda_utils.h"
#include "kernels.h"
#include "population.h"
#include "simulation.h"

#include <algorithm>

namespace {

class GpuSimulation : public Simulation {
public:
  explicit GpuSimulation(const Parameters &parameters);
  ~GpuSimulation() override;

  std::string name() const override { return "GPU"; }
  Results run() override;

private:
  void allocate();
  void upload();
  void simulateDay(int day);
  void fetchStatistics(int day);
  Results download();

  const Parameters parameters;
  std::vector<Person> people;
  std::vector<Place> places;
  std::vector<int> order;
  std::vector<DayStatistics> statistics;
  bool lockdown = false;
  int lockdownDays = 0;
  int vaccinatedUpTo = 0;
  cudaStream_t stream = nullptr;

  Person *d_people = nullptr;
  Place *d_places = nullptr;
  InfectionEvent *d_events = nullptr;
  DayStatistics *d_statistics = nullptr;
  int *d_eventCount = nullptr;
  int *d_order = nullptr;
};

GpuSimulation::GpuSimulation(const Parameters &p)
    : parameters(p), people(makePeople(p)), places(makePlaces(p)), order(vaccinationOrder(people)),
      statistics(p.days) {
  CHECK_CUDA(cudaStreamCreate(&stream));
  allocate();
  upload();
}

GpuSimulation::~GpuSimulation() {
  cudaFree(d_people);
  cudaFree(d_places);
  cudaFree(d_events);
  cudaFree(d_statistics);
  cudaFree(d_eventCount);
  cudaFree(d_order);
  if (stream) cudaStreamDestroy(stream);
}

void GpuSimulation::allocate() {
  const size_t n = std::max<size_t>(people.size(), 1);
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&d_people), n * sizeof(Person)));
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&d_places), std::max<size_t>(places.size(), 1) * sizeof(Place)));
  // Nobody falls ill again before immunity ends.
  const size_t times = 1 + parameters.days / parameters.immunityDays;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&d_events), n * times * sizeof(InfectionEvent)));
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&d_statistics), (parameters.days + 1) * sizeof(DayStatistics)));
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&d_eventCount), sizeof(int)));
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void **>(&d_order), n * sizeof(int)));
}

void GpuSimulation::upload() {
  CHECK_CUDA(cudaMemcpyAsync(d_people, people.data(), people.size() * sizeof(Person), cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaMemcpyAsync(d_places, places.data(), places.size() * sizeof(Place), cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaMemcpyAsync(d_order, order.data(), order.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaMemsetAsync(d_statistics, 0, (parameters.days + 1) * sizeof(DayStatistics), stream));
  CHECK_CUDA(cudaMemsetAsync(d_eventCount, 0, sizeof(int), stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}

void GpuSimulation::simulateDay(int day) {
  const int placeCount = static_cast<int>(places.size());
  for (Phase phase : {Phase::Night, Phase::Work, Phase::Leisure}) {
    launchResetPlaces(d_places, placeCount, lockdown, parameters, stream);
    launchVisit(d_people, d_places, parameters, phase, stream);
    launchExpose(d_people, d_places, d_events, d_eventCount, day, parameters, stream);
  }
  launchProgress(d_people, parameters, stream);
  const int doses = std::min(parameters.vaccinesPerDay, parameters.population - vaccinatedUpTo);
  if (doses > 0) {
    launchVaccinate(d_people, d_order, vaccinatedUpTo, doses, stream);
    vaccinatedUpTo += doses;
  }
  launchCount(d_people, d_statistics + day, parameters, stream);
}

void GpuSimulation::fetchStatistics(int day) {
  CHECK_CUDA(cudaMemcpyAsync(&statistics[day], d_statistics + day, sizeof(DayStatistics), cudaMemcpyDeviceToHost,
                             stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}

Results GpuSimulation::run() {
  if (people.empty()) return {statistics, {}, {}, {}, 0};
  for (int day = 0; day < parameters.days; day++) {
    simulateDay(day);
    fetchStatistics(day);
    const int ill = statistics[day].byHealth[static_cast<int>(Health::Infectious)];
    lockdown = ill * 1000 > parameters.lockdownThreshold * parameters.population;
    if (lockdown) lockdownDays++;
  }
  return download();
}

Results GpuSimulation::download() {
  Results results;
  results.days = statistics;
  results.lockdownDays = lockdownDays;
  int count = 0;
  CHECK_CUDA(cudaMemcpy(&count, d_eventCount, sizeof count, cudaMemcpyDeviceToHost));
  results.events.resize(count);
  CHECK_CUDA(cudaMemcpy(results.events.data(), d_events, count * sizeof(InfectionEvent), cudaMemcpyDeviceToHost));
  results.people.resize(people.size());
  CHECK_CUDA(cudaMemcpy(results.people.data(), d_people, people.size() * sizeof(Person), cudaMemcpyDeviceToHost));
  results.places.resize(places.size());
  CHECK_CUDA(cudaMemcpy(results.places.data(), d_places, places.size() * sizeof(Place), cudaMemcpyDeviceToHost));
  return results;
}

} // namespace

std::unique_ptr<Simulation> makeGpuSimulation(const Parameters &parameters) {
  return std::make_unique<GpuSimulation>(parameters);
}
