#include "lavamd.h"

/* adds what particle b does to particle a, which is at `here` */
void interact(__global particle_t *a, const elem_t here, __local const particle_t *b, fp a2)
{
	fp r2 = here.v + b->place.v - DOT(here, b->place);
	fp vij = exp(-a2 * r2);
	fp fs = 2 * vij * b->charge;
	a->force.v += b->charge * vij;
	a->force.x += fs * (here.x - b->place.x);
	a->force.y += fs * (here.y - b->place.y);
	a->force.z += fs * (here.z - b->place.z);
}

__kernel void md_kernel(const settings_t settings, __global const box_t *boxes, __global particle_t *particles)
{
	__local elem_t home[PAR_PER_BOX];
	__local particle_t others[PAR_PER_BOX];
	const int bx = get_group_id(0);
	const int tx = get_local_id(0);
	const fp a2 = 2.0f * settings.alpha * settings.alpha;

	if (bx >= settings.boxes)
		return;
	__global particle_t *mine = &particles[boxes[bx].first];
	for (int i = tx; i < PAR_PER_BOX; i += THREADS)
		home[i] = mine[i].place;
	barrier(CLK_LOCAL_MEM_FENCE);

	/* the home box first, then those around it */
	for (int k = -1; k < boxes[bx].count; k++)
	{
		const int from = k < 0 ? bx : boxes[bx].near_boxes[k].number;
		const int first = boxes[from].first;
		for (int i = tx; i < PAR_PER_BOX; i += THREADS)
		{
			/* without the forces: others write them */
			others[i].place = particles[first + i].place;
			others[i].charge = particles[first + i].charge;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = tx; i < PAR_PER_BOX; i += THREADS)
			for (int j = 0; j < PAR_PER_BOX; j++)
				interact(&mine[i], home[i], &others[j], a2);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
