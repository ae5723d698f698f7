#ifndef POPULATION_H
#define POPULATION_H

#include "agents.h"

#include <vector>

std::vector<Person> makePeople(const Parameters &parameters);
std::vector<Place> makePlaces(const Parameters &parameters);

// People in the order in which they are offered a vaccine: the old first.
std::vector<int> vaccinationOrder(const std::vector<Person> &people);

#endif
