/* What host and kernels share. */
#ifndef LAVAMD_H
#define LAVAMD_H

/* particles in each box; deliberately not a multiple of the work-group size */
#define PAR_PER_BOX 20
#define THREADS 32

typedef float fp;

typedef struct
{
	fp v, x, y, z;
} elem_t;

typedef struct
{
	elem_t place;    /* position, and a value like a charge */
	elem_t force;    /* what it feels */
	fp charge;
} particle_t;

typedef struct
{
	int number;      /* index of the neighbouring box */
	int first;       /* index of its first particle */
} near_t;

typedef struct
{
	int x, y, z;
	int number;
	long first;
	int count;       /* how many entries of `near_boxes` are valid */
	near_t near_boxes[26];
} box_t;

/* what the kernel gets by value */
typedef struct
{
	fp alpha;
	int boxes;
} settings_t;

#define DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)

#endif
