#ifndef REPORT_H
#define REPORT_H

#include "simulation.h"

#include <ostream>

void sortEvents(std::vector<InfectionEvent> &events);
void printDays(std::ostream &out, const Results &results);
void printSummary(std::ostream &out, const Results &results);
bool sameResults(const Results &a, const Results &b, std::ostream &log);

#endif
