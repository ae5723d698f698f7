#ifndef EULER_H_
#define EULER_H_

#define FACES 4
#define WALL (-1)      /* neighbour numbers below zero are boundaries */
#define FARFIELD (-2)
#define GAMMA 1.4f

typedef struct Vec3
{
    float x;
    float y;
    float z;
} Vec3;

/* conserved variables */
typedef struct Cell
{
    float density;
    Vec3 momentum;
    float energy;
} Cell;

/* what the mesh says about a cell; normals point outwards and have the length of the face */
typedef struct Element
{
    float volume;
    int nb[FACES];
    float nx[FACES];
    float ny[FACES];
} Element;

/* flux of the conserved variables through a face */
typedef struct Flux
{
    float density;
    Vec3 momentum;
    float energy;
} Flux;

#endif /* EULER_H_ */
