#ifndef SIMULATION_H
#define SIMULATION_H

#include "agents.h"

#include <memory>
#include <string>
#include <vector>

struct Results {
  std::vector<DayStatistics> days;
  std::vector<InfectionEvent> events;
  std::vector<Person> people;
  std::vector<Place> places;
  int lockdownDays = 0;
};

class Simulation {
public:
  virtual ~Simulation() = default;
  virtual std::string name() const = 0;
  virtual Results run() = 0;
};

std::unique_ptr<Simulation> makeGpuSimulation(const Parameters &parameters);
std::unique_ptr<Simulation> makeCpuSimulation(const Parameters &parameters);

#endif
