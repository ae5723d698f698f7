// The rules of the mosquito model: one kernel for each, over all agents. Integers only, so that nothing
// depends on the order of work-items.

#define SIDE 8 // the landscape has SIDE x SIDE patches
#define MALE 0
#define FEMALE 1

enum Stage { DEAD, EGG, LARVA, ADULT };

// the same record is in agents.h
typedef struct {
	int stage;
	int sex;
	int age;
	int x;
	int y;
	int energy;
	int mated;
	int eggs;
	int infected;
	int incubation;
	int bites;
	unsigned int rng;
} Mosquito;

typedef struct {
	int alive, adults, infected, eggs_laid, oldest, bites;
} Census;

unsigned int next_random(unsigned int r)
{
	return r * 1664525u + 1013904223u;
}

int draw(unsigned int r, int sides)
{
	return (int)((r >> 10) % (unsigned int)sides);
}

int wrap(int c)
{
	return (c + SIDE) % SIDE;
}

int patch_of(__global const Mosquito *m)
{
	return m->y * SIDE + m->x;
}

void move(__global Mosquito *m, int dx, int dy)
{
	m->x = wrap(m->x + dx);
	m->y = wrap(m->y + dy);
}

// 1
__kernel void init_agents(__global Mosquito *agents, int n)
{
	int tid = get_global_id(0);
	if (tid >= n) return;
	unsigned int r = next_random(next_random(2654435761u * (tid + 1)));
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
__kernel void grow_older(__global Mosquito *agents, int n)
{
	int tid = get_global_id(0);
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
__kernel void die(__global Mosquito *agents, int n)
{
	int tid = get_global_id(0);
	if (tid >= n || agents[tid].stage == DEAD) return;
	unsigned int r = next_random(agents[tid].rng);
	agents[tid].rng = r;
	int risk = agents[tid].stage == ADULT ? 4 + agents[tid].age : 6;
	if (agents[tid].energy <= 0 || draw(r, 100) < risk) agents[tid].stage = DEAD;
}

// 4
__kernel void fly(__global Mosquito *agents, int n, __global int *males_in_patch)
{
	int tid = get_global_id(0);
	if (tid >= n || agents[tid].stage != ADULT) return;
	unsigned int r = next_random(agents[tid].rng);
	agents[tid].rng = r;
	switch (draw(r, 5)) {
	case 0: move(&agents[tid], 1, 0); break;
	case 1: move(&agents[tid], -1, 0); break;
	case 2: move(agents + tid, 0, 1); break;
	case 3: move(agents + tid, 0, -1); break;
	default: break;
	}
	if (agents[tid].sex == MALE) atomic_add(&males_in_patch[patch_of(&agents[tid])], 1);
}

// 5
__kernel void mate(__global Mosquito *agents, int n, __global const int *males_in_patch)
{
	int tid = get_global_id(0);
	if (tid >= n) return;
	__global Mosquito *me = &agents[tid];
	if (me->stage == ADULT && me->sex == FEMALE && !me->mated) {
		if (males_in_patch[patch_of(me)] > 0) me->mated = 1;
	}
}

// 6
__kernel void bite(__global Mosquito *agents, int n, __global const int *ill_people, __global int *infections)
{
	int tid = get_global_id(0);
	if (tid >= n) return;
	Mosquito m = agents[tid];
	if (m.stage != ADULT || m.sex != FEMALE) return;
	m.rng = next_random(m.rng);
	int patch = m.y * SIDE + m.x;
	if (draw(m.rng, 3) != 0) {
		m.bites++;
		m.energy += 3;
		if (m.mated) m.eggs += 2;
		if (m.infected && m.incubation > 3) atomic_inc(&infections[patch]);
		if (!m.infected && ill_people[patch] > draw(m.rng, 20)) {
			m.infected = 1;
			m.incubation = 0;
		}
	}
	if (m.infected) m.incubation++;
	agents[tid] = m;
}

// 7
__kernel void lay_eggs(__global Mosquito *agents, int n, __global int *eggs_in_patch, __global Census *census)
{
	int tid = get_global_id(0);
	if (tid >= n) return;
	int e = agents[tid].eggs;
	if (agents[tid].stage == ADULT && e >= 4) {
		atomic_add(eggs_in_patch + agents[tid].y * SIDE + agents[tid].x, e);
		atomic_add(&census->eggs_laid, e);
		agents[tid].eggs = 0;
		agents[tid].energy -= 2;
	}
}

// 8: a dead agent's record is used again for an egg where some were laid
__kernel void hatch(__global Mosquito *agents, int n, __global const int *eggs_in_patch)
{
	int tid = get_global_id(0);
	if (tid >= n) return;
	if (agents[tid].stage != DEAD) return;
	int px = agents[tid].x, py = agents[tid].y;
	if (eggs_in_patch[py * SIDE + px] == 0) return;
	Mosquito egg;
	egg.rng = next_random(agents[tid].rng ^ 0x9e3779b9u);
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
__kernel void count(__global const Mosquito *agents, int n, __global Census *census)
{
	int tid = get_global_id(0);
	if (tid >= n || agents[tid].stage == DEAD) return;
	atomic_inc(&census->alive);
	if (agents[tid].stage == ADULT) {
		atomic_inc(&census->adults);
		atomic_max(&census->oldest, agents[tid].age);
	}
	if (agents[tid].infected) atomic_inc(&census->infected);
	atomic_add(&census->bites, agents[tid].bites);
}
