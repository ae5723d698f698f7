// An epidemic in a town, person by person, on the GPU and on the CPU.
//
// usage: epidemic [--seed N] [--vaccines PER_DAY] [--lockdown PER_THOUSAND] [people] [days]
#include "report.h"

#include <exception>
#include <iostream>

int main(int argc, char **argv) {
  try {
    const Parameters parameters = parseArguments(argc, argv);
    std::cout << parameters.population << " people, " << parameters.places() << " places, " << parameters.days
              << " days\n";
    Results gpu = makeGpuSimulation(parameters)->run();
    Results cpu = makeCpuSimulation(parameters)->run();
    sortEvents(gpu.events);
    sortEvents(cpu.events);
    printDays(std::cout, gpu);
    printSummary(std::cout, gpu);
    const bool same = sameResults(gpu, cpu, std::cout);
    std::cout << (same ? "PASSED" : "FAILED") << std::endl;
    return same ? 0 : 1;
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
