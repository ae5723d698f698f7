// An agent-based model of a mosquito population: every agent is a record of twelve fields, and one day of
// the simulation is a sequence of small kernels over all agents.
//
// usage: sampo [agents] [days]

#include "OpenCL_helper.h"
#include "agents.h"

#include <cstring>

static unsigned int next_random(unsigned int r)
{
	return r * 1664525u + 1013904223u;
}

static int draw(unsigned int r, int sides)
{
	return (int)((r >> 10) % (unsigned int)sides);
}

static int wrap(int c)
{
	return (c + SIDE) % SIDE;
}

// ---- the model on the host ----------------------------------------------------------------------

struct Landscape {
	int males[PATCHES], ill[PATCHES], eggs[PATCHES], infections[PATCHES];
};

static void host_init(Mosquito *m, int i)
{
	memset(m, 0, sizeof *m);
	m->rng = next_random(next_random(2654435761u * (i + 1)));
	m->stage = 1 + draw(m->rng, 3);
	m->sex = (m->rng >> 5) & 1;
	m->age = draw(m->rng, 4);
	m->x = i % SIDE;
	m->y = i / SIDE % SIDE;
	m->energy = 20 + draw(m->rng, 10);
	m->infected = i % 10 == 0;
}

static void host_day(Mosquito *a, int n, Landscape *land, int *laid)
{
	memset(land->males, 0, sizeof land->males);
	memset(land->eggs, 0, sizeof land->eggs);
	for (int i = 0; i < n; i++) {
		if (a[i].stage == DEAD) continue;
		a[i].age++;
		a[i].energy--;
		if (a[i].stage == EGG && a[i].age > 2) { a[i].stage = LARVA; a[i].age = 0; }
		else if (a[i].stage == LARVA && a[i].age > 5) { a[i].stage = ADULT; a[i].age = 0; a[i].energy += 10; }
		a[i].rng = next_random(a[i].rng);
		int risk = a[i].stage == ADULT ? 4 + a[i].age : 6;
		if (a[i].energy <= 0 || draw(a[i].rng, 100) < risk) { a[i].stage = DEAD; continue; }
		if (a[i].stage != ADULT) continue;
		a[i].rng = next_random(a[i].rng);
		int way = draw(a[i].rng, 5);
		if (way == 0) a[i].x = wrap(a[i].x + 1);
		if (way == 1) a[i].x = wrap(a[i].x - 1);
		if (way == 2) a[i].y = wrap(a[i].y + 1);
		if (way == 3) a[i].y = wrap(a[i].y - 1);
		if (a[i].sex == MALE) land->males[a[i].y * SIDE + a[i].x]++;
	}
	for (int i = 0; i < n; i++) {
		if (a[i].stage != ADULT) continue;
		int patch = a[i].y * SIDE + a[i].x;
		if (a[i].sex == FEMALE) {
			if (land->males[patch] > 0) a[i].mated = 1;
			a[i].rng = next_random(a[i].rng);
			if (draw(a[i].rng, 3) != 0) {
				a[i].bites++;
				a[i].energy += 3;
				if (a[i].mated) a[i].eggs += 2;
				if (a[i].infected && a[i].incubation > 3) land->infections[patch]++;
				if (!a[i].infected && land->ill[patch] > draw(a[i].rng, 20)) { a[i].infected = 1; a[i].incubation = 0; }
			}
			if (a[i].infected) a[i].incubation++;
		}
		if (a[i].eggs >= 4) {
			land->eggs[patch] += a[i].eggs;
			*laid += a[i].eggs;
			a[i].eggs = 0;
			a[i].energy -= 2;
		}
	}
	for (int i = 0; i < n; i++) {
		if (a[i].stage != DEAD || land->eggs[a[i].y * SIDE + a[i].x] == 0) continue;
		Mosquito egg = { EGG, 0, 0, a[i].x, a[i].y, 15, 0, 0, 0, 0, 0, next_random(a[i].rng ^ 0x9e3779b9u) };
		egg.sex = (egg.rng >> 7) & 1;
		a[i] = egg;
	}
}

static unsigned int mix(unsigned int h, unsigned int v)
{
	return (h ^ v) * 16777619u;
}

// ---- the model on the device --------------------------------------------------------------------

static void one_day(cl_mem d_agents, int n, cl_mem d_males, cl_mem d_ill, cl_mem d_eggs, cl_mem d_infections,
		    cl_mem d_census)
{
	const size_t group = 192;
	int arg_idx;

	clZero(d_males, sizeof(int) * PATCHES);
	clZero(d_eggs, sizeof(int) * PATCHES);

	arg_idx = 0;
	clSetArgs(OLDER, arg_idx++, d_agents);
	clSetArgs(OLDER, arg_idx++, &n, sizeof(int));
	clInvoke(OLDER, n, group);

	arg_idx = 0;
	clSetArgs(DIE, arg_idx++, d_agents);
	clSetArgs(DIE, arg_idx++, &n, sizeof(int));
	clInvoke(DIE, n, group);

	arg_idx = 0;
	clSetArgs(FLY, arg_idx++, d_agents);
	clSetArgs(FLY, arg_idx++, &n, sizeof(int));
	clSetArgs(FLY, arg_idx++, d_males);
	clInvoke(FLY, n, group);

	arg_idx = 0;
	clSetArgs(MATE, arg_idx++, d_agents);
	clSetArgs(MATE, arg_idx++, &n, sizeof(int));
	clSetArgs(MATE, arg_idx++, d_males);
	clInvoke(MATE, n, group);

	arg_idx = 0;
	clSetArgs(BITE, arg_idx++, d_agents);
	clSetArgs(BITE, arg_idx++, &n, sizeof(int));
	clSetArgs(BITE, arg_idx++, d_ill);
	clSetArgs(BITE, arg_idx++, d_infections);
	clInvoke(BITE, n, group);

	arg_idx = 0;
	clSetArgs(LAY, arg_idx++, d_agents);
	clSetArgs(LAY, arg_idx++, &n, sizeof(int));
	clSetArgs(LAY, arg_idx++, d_eggs);
	clSetArgs(LAY, arg_idx++, d_census);
	clInvoke(LAY, n, group);

	arg_idx = 0;
	clSetArgs(HATCH, arg_idx++, d_agents);
	clSetArgs(HATCH, arg_idx++, &n, sizeof(int));
	clSetArgs(HATCH, arg_idx++, d_eggs);
	clInvoke(HATCH, n, group);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	int days = argc > 2 ? atoi(argv[2]) : 12;
	if (n < 1) {
		printf("nobody lives here\nPASSED\n");
		return 0;
	}

	Landscape land;
	memset(&land, 0, sizeof land);
	for (int p = 0; p < PATCHES; p++) land.ill[p] = p * 7 % 11;

	clStart();
	const size_t patches_size = sizeof(int) * PATCHES;
	cl_mem d_agents = clMalloc(sizeof(Mosquito) * n);
	cl_mem d_census = clMalloc(sizeof(Census));
	cl_mem d_males = clMalloc(patches_size);
	cl_mem d_eggs = clMalloc(patches_size);
	cl_mem d_ill = clMallocFrom(patches_size, land.ill);
	cl_mem d_infections = clMallocFrom(patches_size, land.infections);
	clZero(d_census, sizeof(Census));

	int arg_idx = 0;
	clSetArgs(INIT, arg_idx++, d_agents);
	clSetArgs(INIT, arg_idx++, &n, sizeof(int));
	clInvoke(INIT, n, 192);
	for (int day = 0; day < days; day++) one_day(d_agents, n, d_males, d_ill, d_eggs, d_infections, d_census);
	arg_idx = 0;
	clSetArgs(COUNT, arg_idx++, d_agents);
	clSetArgs(COUNT, arg_idx++, &n, sizeof(int));
	clSetArgs(COUNT, arg_idx++, d_census);
	clInvoke(COUNT, n, 192);

	// in two parts
	std::vector<Mosquito> agents(n);
	const int front = n / 3;
	if (front > 0) clFetch(agents.data(), d_agents, front * sizeof(Mosquito));
	clFetch(agents.data() + front, d_agents, (n - front) * sizeof(Mosquito), front * sizeof(Mosquito));
	Census census;
	int infections[PATCHES];
	clFetch(&census, d_census, sizeof(Census));
	clFetch(infections, d_infections, patches_size);

	std::vector<Mosquito> expected(n);
	int expected_laid = 0;
	for (int i = 0; i < n; i++) host_init(&expected[i], i);
	for (int day = 0; day < days; day++) host_day(expected.data(), n, &land, &expected_laid);

	int wrong = census.eggs_laid != expected_laid;
	for (int p = 0; p < PATCHES; p++) wrong += infections[p] != land.infections[p];
	int alive = 0, adults = 0, infected = 0, oldest = 0, bites = 0;
	unsigned int hash = 2166136261u;
	for (int i = 0; i < n; i++) {
		const Mosquito *g = &agents[i], *w = &expected[i];
		wrong += g->stage != w->stage || g->sex != w->sex || g->age != w->age || g->x != w->x || g->y != w->y ||
			 g->energy != w->energy || g->mated != w->mated || g->eggs != w->eggs || g->infected != w->infected ||
			 g->incubation != w->incubation || g->bites != w->bites || g->rng != w->rng;
		hash = mix(mix(mix(mix(hash, g->stage), g->sex), g->age), g->x);
		hash = mix(mix(mix(mix(hash, g->y), g->energy), g->mated), g->eggs);
		hash = mix(mix(mix(mix(hash, g->infected), g->incubation), g->bites), g->rng);
		if (w->stage == DEAD) continue;
		alive++;
		adults += w->stage == ADULT;
		if (w->stage == ADULT && w->age > oldest) oldest = w->age;
		infected += w->infected != 0;
		bites += w->bites;
	}
	wrong += census.alive != alive || census.adults != adults || census.infected != infected ||
		 census.oldest != oldest || census.bites != bites;

	printf("%d agents, %d days: %d alive, %d adults, %d infected, oldest %d, %d bites, %d eggs laid\n", n, days,
	       census.alive, census.adults, census.infected, census.oldest, census.bites, census.eggs_laid);
	printf("state %08x\n%s\n", hash, wrong ? "FAILED" : "PASSED");

	clReleaseMemObject(d_agents);
	clReleaseMemObject(d_census);
	clReleaseMemObject(d_males);
	clReleaseMemObject(d_eggs);
	clReleaseMemObject(d_ill);
	clReleaseMemObject(d_infections);
	clStop();
	return wrong != 0;
}
