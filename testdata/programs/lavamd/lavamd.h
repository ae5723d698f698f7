#ifndef LAVAMD_H
#define LAVAMD_H

/* particles in each box; deliberately not a multiple of the warp size */
#define PAR_PER_BOX 20
#define THREADS 32

typedef double fp;

/* charge-like value and position of a particle; also used for the force that it feels */
typedef struct
{
	fp v, x, y, z;
} elem_t;

typedef struct
{
	int number;   /* index of the neighbouring box */
	int first;    /* index of its first particle */
} near_t;

typedef struct
{
	int x, y, z;
	int number;
	int first;
	int count;    /* how many entries of `near_boxes` are valid */
	near_t near_boxes[26];
} box_t;

#define DOT(a, b) ((a).x * (b).x + (a).y * (b).y + (a).z * (b).z)

#endif
