#ifndef FORCES_H
#define FORCES_H

#include "../lavamd.h"

void compute_forces(settings_t settings, const box_t *box_cpu, particle_t *par_cpu, long par_count);

#endif
