#include "parameters.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

Parameters parseArguments(int argc, char **argv) {
  Parameters parameters;
  int position = 0;
  for (int i = 1; i < argc; i++) {
    const std::string argument = argv[i];
    const auto value = [&]() -> int {
      if (i + 1 >= argc) throw std::runtime_error("no value for " + argument);
      return std::atoi(argv[++i]);
    };
    if (argument == "--seed") {
      parameters.seed = static_cast<unsigned>(value());
    } else if (argument == "--vaccines") {
      parameters.vaccinesPerDay = value();
    } else if (argument == "--lockdown") {
      parameters.lockdownThreshold = value();
    } else if (position == 0) {
      parameters.population = std::atoi(argument.c_str());
      position++;
    } else {
      parameters.days = std::atoi(argument.c_str());
    }
  }
  parameters.homes = (parameters.population + 2) / 3;
  parameters.workplaces = (parameters.population + 11) / 12;
  parameters.venues = (parameters.population + 39) / 40;
  return parameters;
}
