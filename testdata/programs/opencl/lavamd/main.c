/*
 * Particle potential and relocation within a cut-off: space is divided into boxes, and each particle
 * meets the particles of its own box and of the (at most 26) boxes around it. One work-group works on one box.
 *
 * usage: lavamd [boxes along one edge]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "./kernel/forces.h"
#include "lavamd.h"

static unsigned long long lcg_state = 7ull;

static fp next_tenth(void)
{
	lcg_state = lcg_state * 6364136223846793005ull + 1442695040888963407ull;
	return (fp)((1 + (lcg_state >> 33) % 10) / 10.0);
}

static void fill_boxes(box_t *box, int edge)
{
	int nh = 0;
	for (int i = 0; i < edge; i++)
		for (int j = 0; j < edge; j++)
			for (int k = 0; k < edge; k++)
			{
				memset(&box[nh], 0, sizeof(box_t));
				box[nh].x = k;
				box[nh].y = j;
				box[nh].z = i;
				box[nh].number = nh;
				box[nh].first = nh * PAR_PER_BOX;
				box[nh].count = 0;
				for (int l = -1; l < 2; l++)
					for (int m = -1; m < 2; m++)
						for (int n = -1; n < 2; n++)
						{
							int z = i + l, y = j + m, x = k + n;
							if (z < 0 || y < 0 || x < 0 || z >= edge || y >= edge || x >= edge)
								continue;
							if (l == 0 && m == 0 && n == 0)
								continue;
							near_t *nb = &box[nh].near_boxes[box[nh].count];
							nb->number = (z * edge + y) * edge + x;
							nb->first = nb->number * PAR_PER_BOX;
							box[nh].count++;
						}
				nh++;
			}
}

static void reference(fp alpha, int boxes, const box_t *box, const particle_t *p, double (*f)[4])
{
	double a2 = 2.0 * alpha * alpha;
	for (int b = 0; b < boxes; b++)
		for (int k = 0; k <= box[b].count; k++)
		{
			long first = k == 0 ? box[b].first : box[b].near_boxes[k - 1].first;
			for (int i = 0; i < PAR_PER_BOX; i++)
				for (int j = 0; j < PAR_PER_BOX; j++)
				{
					const particle_t *a = &p[box[b].first + i];
					const particle_t *c = &p[first + j];
					double *sum = f[box[b].first + i];
					double dx = a->place.x - c->place.x, dy = a->place.y - c->place.y, dz = a->place.z - c->place.z;
					double vij = exp(-a2 * (a->place.v + c->place.v - (double)DOT(a->place, c->place)));
					double fs = 2 * vij * c->charge;
					sum[0] += c->charge * vij;
					sum[1] += fs * dx;
					sum[2] += fs * dy;
					sum[3] += fs * dz;
				}
		}
}

static int far_apart(double a, double b)
{
	return !(fabs(a - b) <= 1e-3 * (1.0 + fabs(b)));
}

int main(int argc, char *argv[])
{
	int edge = 2;
	if (argc > 1)
		edge = atoi(argv[1]);
	if (edge < 1)
	{
		printf("no boxes\nPASSED\n");
		return 0;
	}

	settings_t settings;
	settings.alpha = 0.5;
	settings.boxes = edge * edge * edge;
	long space_elem = settings.boxes * PAR_PER_BOX;

	box_t *box_cpu = (box_t *)malloc(settings.boxes * sizeof(box_t));
	particle_t *particles = (particle_t *)malloc(space_elem * sizeof(particle_t));
	double (*expected)[4] = calloc(space_elem, sizeof *expected);

	fill_boxes(box_cpu, edge);
	for (long i = 0; i < space_elem; i++)
	{
		particles[i].place.v = next_tenth();
		particles[i].place.x = next_tenth();
		particles[i].place.y = next_tenth();
		particles[i].place.z = next_tenth();
		particles[i].charge = next_tenth();
		particles[i].force.v = particles[i].force.x = particles[i].force.y = particles[i].force.z = 0;
	}

	compute_forces(settings, box_cpu, particles, space_elem);

	reference(settings.alpha, settings.boxes, box_cpu, particles, expected);
	int wrong = 0;
	double sum_v = 0, sum_f = 0, sum_r = 0;
	for (long i = 0; i < space_elem; i++)
	{
		const particle_t *p = &particles[i];
		if (far_apart(p->force.v, expected[i][0]) || far_apart(p->force.x, expected[i][1]) ||
		    far_apart(p->force.y, expected[i][2]) || far_apart(p->force.z, expected[i][3]))
			wrong++;
		sum_v += (i % 3 + 1) * p->force.v;
		sum_f += (i % 11 + 1) * (p->force.x + 2.0 * p->force.y + 3.0 * p->force.z);
		sum_r += (i % 5 + 1) * (p->place.v + 2.0 * p->place.x + 3.0 * p->place.y + 4.0 * p->place.z + 5.0 * p->charge);
	}
	printf("boxes %d particles %ld\n", settings.boxes, space_elem);
	printf("potential %.14e\nforce %.14e\ninput %.14e\n", sum_v, sum_f, sum_r);
	for (long i = 0; i < space_elem; i += space_elem / 5 + 1)
		printf("%ld: %.7e, %.7e, %.7e, %.7e\n", i, particles[i].force.v, particles[i].force.x, particles[i].force.y,
		       particles[i].force.z);
	printf(wrong ? "FAILED\n" : "PASSED\n");

	free(expected);
	free(particles);
	free(box_cpu);
	return wrong ? 1 : 0;
}
