// An agent-based model of a mosquito population: every agent is a record of twelve fields, and one day of
// the simulation is a sequence of small kernels over all agents. Rules use integers only, so that the
// result does not depend on the order in which threads run.
//
// usage: sampo [agents] [days]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUERR {                                                                   \
	cudaError_t cuerr = cudaGetLastError();                                   \
	if (cuerr != cudaSuccess) {                                               \
		fprintf(stderr, "CUDA error: %s (%s, line %d)\n",                 \
			cudaGetErrorString(cuerr), __FILE__, __LINE__);           \
		exit(1);                                                          \
	}                                                                         \
}

#define SIDE 8                  // the landscape has SIDE x SIDE patches
#define PATCHES (SIDE * SIDE)
#define MALE 0
#define FEMALE 1

enum Stage { DEAD, EGG, LARVA, ADULT };

struct Mosquito {
	int stage;
	int sex;
	int age;            // days in this stage
	int x, y;           // patch
	int energy;
	int mated;
	int eggs;           // carried
	int infected;
	int incubation;     // days since the infection
	int bites;
	unsigned int rng;
};

struct Census {
	int alive, adults, infected, eggs_laid, oldest, bites;
};

__host__ __device__ inline unsigned int advance(unsigned int r)
{
	return r * 1664525u + 1013904223u;
}

__host__ __device__ inline int draw(unsigned int r, int sides)
{
	return (int)((r >> 10) % (unsigned int)sides);
}

__host__ __device__ inline int wrap(int c)
{
	return (c + SIDE) % SIDE;
}

// 1
__global__ void init_agents(Mosquito *agents, int n)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n) return;
	unsigned int r = advance(advance(2654435761u * (tid + 1)));
	agents[tid].rng = r;
	agents[tid].stage = 1 + draw(r, 3);
	agents[tid].sex = (r >> 5) & 1;
	agents[tid].age = draw(r, 4);
	agents[tid].x = tid % SIDE;
	agents[tid].y = tid / SIDE % SIDE;
	agents[tid].energy = 20 + draw(r, 10);
	agents[tid].mated = 0;
	agents[tid].eggs = 0;
	agents[tid].infected = tid % 10 == 0;
	agents[tid].incubation = 0;
	agents[tid].bites = 0;
}

// 2
__global__ void grow_older(Mosquito *agents, int n)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n) return;
	if (agents[tid].stage == DEAD) return;
	agents[tid].age++;
	agents[tid].energy--;
	if (agents[tid].stage == EGG && agents[tid].age > 2) {
		agents[tid].stage = LARVA;
		agents[tid].age = 0;
	} else if (agents[tid].stage == LARVA && agents[tid].age > 5) {
		agents[tid].stage = ADULT;
		agents[tid].age = 0;
		agents[tid].energy += 10;
	}
}

// 3
__global__ void die(Mosquito *agents, int n)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n || agents[tid].stage == DEAD) return;
	unsigned int r = advance(agents[tid].rng);
	agents[tid].rng = r;
	int risk = agents[tid].stage == ADULT ? 4 + agents[tid].age : 6;
	if (agents[tid].energy <= 0 || draw(r, 100) < risk) agents[tid].stage = DEAD;
}

// 4
__global__ void fly(Mosquito *agents, int n, int *males_in_patch)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n || agents[tid].stage != ADULT) return;
	unsigned int r = advance(agents[tid].rng);
	agents[tid].rng = r;
	switch (draw(r, 5)) {
	case 0: agents[tid].x = wrap(agents[tid].x + 1); break;
	case 1: agents[tid].x = wrap(agents[tid].x - 1); break;
	case 2: agents[tid].y = wrap(agents[tid].y + 1); break;
	case 3: agents[tid].y = wrap(agents[tid].y - 1); break;
	default: break;
	}
	if (agents[tid].sex == MALE) atomicAdd(&males_in_patch[agents[tid].y * SIDE + agents[tid].x], 1);
}

// 5
__global__ void mate(Mosquito *agents, int n, const int *males_in_patch)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n) return;
	if (agents[tid].stage == ADULT && agents[tid].sex == FEMALE && !agents[tid].mated) {
		int patch = agents[tid].y * SIDE + agents[tid].x;
		if (males_in_patch[patch] > 0) agents[tid].mated = 1;
	}
}

// 6
__global__ void bite(Mosquito *agents, int n, const int *ill_people, int *infections)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n) return;
	Mosquito m = agents[tid];
	if (m.stage != ADULT || m.sex != FEMALE) return;
	m.rng = advance(m.rng);
	int patch = m.y * SIDE + m.x;
	if (draw(m.rng, 3) != 0) {
		m.bites++;
		m.energy += 3;
		if (m.mated) m.eggs += 2;
		if (m.infected && m.incubation > 3) atomicAdd(&infections[patch], 1);
		if (!m.infected && ill_people[patch] > draw(m.rng, 20)) {
			m.infected = 1;
			m.incubation = 0;
		}
	}
	if (m.infected) m.incubation++;
	agents[tid] = m;
}

// 7
__global__ void lay_eggs(Mosquito *agents, int n, int *eggs_in_patch, int *laid)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n) return;
	int e = agents[tid].eggs;
	if (agents[tid].stage == ADULT && e >= 4) {
		atomicAdd(eggs_in_patch + agents[tid].y * SIDE + agents[tid].x, e);
		atomicAdd(laid, e);
		agents[tid].eggs = 0;
		agents[tid].energy -= 2;
	}
}

// 8: a dead agent's record is used again for an egg where some were laid
__global__ void hatch(Mosquito *agents, int n, const int *eggs_in_patch)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n) return;
	if (agents[tid].stage != DEAD) return;
	int px = agents[tid].x, py = agents[tid].y;
	if (eggs_in_patch[py * SIDE + px] == 0) return;
	Mosquito egg;
	egg.rng = advance(agents[tid].rng ^ 0x9e3779b9u);
	egg.stage = EGG;
	egg.sex = (egg.rng >> 7) & 1;
	egg.age = 0;
	egg.x = px;
	egg.y = py;
	egg.energy = 15;
	egg.mated = egg.eggs = egg.infected = egg.incubation = egg.bites = 0;
	agents[tid] = egg;
}

// 9
__global__ void count(const Mosquito *agents, int n, Census *census)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;
	if (tid >= n || agents[tid].stage == DEAD) return;
	atomicAdd(&census->alive, 1);
	if (agents[tid].stage == ADULT) {
		atomicAdd(&census->adults, 1);
		atomicMax(&census->oldest, agents[tid].age);
	}
	if (agents[tid].infected) atomicAdd(&census->infected, 1);
	atomicAdd(&census->bites, agents[tid].bites);
}

// ---- the same model on the host -----------------------------------------------------------------

struct Landscape {
	int males[PATCHES], ill[PATCHES], eggs[PATCHES], infections[PATCHES];
};

static void host_init(Mosquito *m, int i)
{
	memset(m, 0, sizeof *m);
	m->rng = advance(advance(2654435761u * (i + 1)));
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
		a[i].rng = advance(a[i].rng);
		int risk = a[i].stage == ADULT ? 4 + a[i].age : 6;
		if (a[i].energy <= 0 || draw(a[i].rng, 100) < risk) { a[i].stage = DEAD; continue; }
		if (a[i].stage != ADULT) continue;
		a[i].rng = advance(a[i].rng);
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
			a[i].rng = advance(a[i].rng);
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
		Mosquito egg = { EGG, 0, 0, a[i].x, a[i].y, 15, 0, 0, 0, 0, 0, advance(a[i].rng ^ 0x9e3779b9u) };
		egg.sex = (egg.rng >> 7) & 1;
		a[i] = egg;
	}
}

static unsigned int mix(unsigned int h, unsigned int v)
{
	return (h ^ v) * 16777619u;
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

	Mosquito *d_agents;
	Census *d_census;
	int *d_males, *d_ill, *d_eggs, *d_infections, *d_laid;
	size_t agents_size = sizeof(Mosquito) * n;
	size_t patches_size = sizeof(int) * PATCHES;
	cudaMalloc((void**)&d_agents, agents_size);
	CUERR
	cudaMalloc((void**)&d_census, sizeof(Census));
	cudaMalloc((void**)&d_males, patches_size);
	cudaMalloc((void**)&d_ill, patches_size);
	cudaMalloc((void**)&d_eggs, patches_size);
	cudaMalloc((void**)&d_infections, patches_size);
	cudaMalloc((void**)&d_laid, sizeof(int));
	CUERR

	cudaMemcpy(d_ill, land.ill, patches_size, cudaMemcpyHostToDevice);
	cudaMemset(d_infections, 0, patches_size);
	cudaMemset(d_laid, 0, sizeof(int));
	CUERR

	int threads = 192;
	int blocks = (n + threads - 1) / threads;
	init_agents<<<blocks, threads>>>(d_agents, n);
	CUERR
	for (int day = 0; day < days; day++) {
		cudaMemset(d_males, 0, patches_size);
		cudaMemset(d_eggs, 0, patches_size);
		grow_older<<<blocks, threads>>>(d_agents, n);
		die<<<blocks, threads>>>(d_agents, n);
		fly<<<blocks, threads>>>(d_agents, n, d_males);
		mate<<<blocks, threads>>>(d_agents, n, d_males);
		bite<<<blocks, threads>>>(d_agents, n, d_ill, d_infections);
		lay_eggs<<<blocks, threads>>>(d_agents, n, d_eggs, d_laid);
		hatch<<<blocks, threads>>>(d_agents, n, d_eggs);
		CUERR
	}
	cudaMemset(d_census, 0, sizeof(Census));
	count<<<blocks, threads>>>(d_agents, n, d_census);
	cudaDeviceSynchronize();
	CUERR

	Mosquito *agents = (Mosquito*)malloc(agents_size);
	Census census;
	int laid = 0, infections[PATCHES];
	cudaMemcpy(agents, d_agents, agents_size, cudaMemcpyDeviceToHost);
	cudaMemcpy(&census, d_census, sizeof(Census), cudaMemcpyDeviceToHost);
	cudaMemcpy(&laid, d_laid, sizeof(int), cudaMemcpyDeviceToHost);
	cudaMemcpy(infections, d_infections, patches_size, cudaMemcpyDeviceToHost);
	CUERR

	Mosquito *expected = (Mosquito*)malloc(agents_size);
	int expected_laid = 0;
	for (int i = 0; i < n; i++) host_init(&expected[i], i);
	for (int day = 0; day < days; day++) host_day(expected, n, &land, &expected_laid);

	int wrong = laid != expected_laid;
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
	       census.alive, census.adults, census.infected, census.oldest, census.bites, laid);
	printf("state %08x\n%s\n", hash, wrong ? "FAILED" : "PASSED");

	cudaFree(d_agents);
	cudaFree(d_census);
	cudaFree(d_males);
	cudaFree(d_ill);
	cudaFree(d_eggs);
	cudaFree(d_infections);
	cudaFree(d_laid);
	CUERR
	free(agents);
	free(expected);
	return wrong != 0;
}
