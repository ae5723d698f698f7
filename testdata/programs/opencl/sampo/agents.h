#ifndef AGENTS_H
#define AGENTS_H

#define SIDE 8 // patches along one edge of the landscape
#define PATCHES (SIDE * SIDE)

enum Stage { DEAD, EGG, LARVA, ADULT };
enum Sex { MALE, FEMALE };

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

#endif
