// Launch wrappers, for host code that a plain C++ compiler takes.
#ifndef KERNELS_H
#define KERNELS_H

#include "agents.h"

void launchResetPlaces(Place *places, int count, bool lockdown, const Parameters &parameters, cudaStream_t stream);
void launchVisit(Person *people, Place *places, const Parameters &parameters, Phase phase, cudaStream_t stream);
void launchExpose(Person *people, Place *places, InfectionEvent *events, int *eventCount, int day,
                  const Parameters &parameters, cudaStream_t stream);
void launchProgress(Person *people, const Parameters &parameters, cudaStream_t stream);
void launchVaccinate(Person *people, const int *order, int first, int count, cudaStream_t stream);
void launchCount(const Person *people, DayStatistics *today, const Parameters &parameters, cudaStream_t stream);

#endif
