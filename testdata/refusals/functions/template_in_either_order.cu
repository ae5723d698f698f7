//@ layout = "* = soa"
// Headers that cannot stand behind the struct, too: one without a guard, one that has a name which something on the way declares.
#include "types.h"
#include "limit.h"
#include "turn.h"
#include "clear.h"
int main() {
    P *p;
    Q *q;
    cudaMalloc(&p, 64 * sizeof(P));
    cudaMalloc(&q, 64 * sizeof(Q));
    turn<<<1, 64>>>(p, 64);
    cleared<<<1, 64>>>(q);
    cudaFree(p);
    cudaFree(q);
    return reach(1);
}
//- types.h
#pragma once
struct P {
    float x;
    int id;
};
struct Q {
    float x;
    int id;
};
//- limit.h
#pragma once
static inline int reach(int n) { return n - 1; }
//- turn.h
template <class T>
__global__ void turn(T *items, int n) { //~ LC0083 this template comes before the struct in one file and not in another
    int i = threadIdx.x;
    if (i < n)
        items[i].id = i ^ 1;
}
//- clear.h
#pragma once
template <class T>
__global__ void cleared(T *items) { //~ LC0083 this template comes before the struct in one file and not in another
    int i = threadIdx.x;
    const int reach = 16;
    if (i < reach)
        items[i].id = 0;
}
//- other.cu
#include "turn.h"
#include "clear.h"
#include "types.h"
void other(P *p, Q *q) {
    turn<<<1, 32>>>(p, 32);
    cleared<<<1, 32>>>(q);
}
