#ifndef KERNELS_H
#define KERNELS_H

#include "lattice.h"

void initialise(const DeviceLattice &lattice, const Domain &domain);
void streamAndCollide(const DeviceLattice &lattice, const Domain &domain);
void measure(const DeviceLattice &lattice, const Domain &domain);
double totalMass(const DeviceLattice &lattice);
void setDomain(const Domain &domain);

#endif
