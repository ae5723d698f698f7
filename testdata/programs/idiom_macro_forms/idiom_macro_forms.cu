// Macros of many forms around the accesses to one array.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include "forms.h"

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t error_ = (call);                                         \
        if (error_ != cudaSuccess) {                                         \
            printf("%s failed: %s\n", #call, cudaGetErrorString(error_));    \
            exit(1);                                                         \
        }                                                                    \
    } while (0)
#define ALLOC(p, n, T) CHECK(cudaMalloc((void **)&(p), (n) * sizeof(T)))
#define COPY_IN(d, h, n) CHECK(cudaMemcpy((d), (h), (n) * sizeof(*(h)), cudaMemcpyHostToDevice))
#define COPY_OUT(h, d, n) CHECK(cudaMemcpy((h), (d), (n) * sizeof(*(h)), cudaMemcpyDeviceToHost))
#define SAFE_FREE(p) { if (p) cudaFree(p); p = NULL; }

#define TID (blockIdx.x * blockDim.x + threadIdx.x)
#define HERE atoms[at]
#define SUM(a, b) a + b
#define SHIFT(p, n) (p) += (n)
#define TAKE(p, k) p[k].charge
#define STEP p[i].x += 1.0f; p[i].y -= 2.0f
#define PAIR(p, i, j) { Atom *first = &(p)[i]; Atom *second = &(p)[j]; \
        first->x += second->charge; /* joined */ \
        second->kind ^= first->kind & 1; }
#define DECLARE(name, p, i) Atom name = p[i]

__device__ float weight(const Atom *a, int i) { return FIELD(a, i, charge) * 0.5f + FIELD(a, i, kind); }

__global__ void fields(Atom *p, int n)
{
    int i = TID;
    if (i >= n) return;
    FIELD(p, i, x) = FIELD(p, i, x) + 1.0f;
    FIELD(p, i, y) += SUM(FIELD(p, i, x), 1.0f) * 2.0f;
    FIELD(p, (n - 1 - i) ^ 0, kind) = i & 7;
}

__global__ void elements(Atom *p, int n)
{
    int i = TID;
    if (i >= n) return;
    ELEMENT(p, i).x *= 0.5f;
    ADDRESS(p, i)->y += NORM2(p[i]);
    Atom *q = p + i;
    q->charge = weight(p, i) + NORM2(*q);
    float w = ADDRESS(q, 0)->charge;
    FIELD(q, 0, y) -= w;
}

__global__ void statements(Atom *p, int n)
{
    int i = TID;
    if (i < n) { STEP; }
    if (i < n / 2) PAIR(p, i, i + n / 2)
    if (i < n) {
        DECLARE(copy, p, i);
        copy.x += 3.0f;
        p[i] = copy;
    }
}

__global__ void repeated(Atom *p, int n)
{
    if (TID == 0) {
        int k = 0;
        float sum = 0.0f;
        while (k < n) sum += TAKE(p, k++);
        p[0].x = sum;
        Atom *q = p;
        for (int j = 0; j + 1 < n; j++) { q->kind += j; SHIFT(q, 1); }
    }
}

__global__ void swapped(Atom *p, int n)
{
    int i = TID;
    if (2 * i + 1 < n) SWAP(Atom, p[2 * i], p[2 * i + 1]);
}

__global__ void free_names(Atom *atoms, int n)
{
    int at = TID;
    if (at < n) {
        HERE.x += 0.25f;
        HERE.kind += at % 3;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    if (n <= 0) { printf("nothing\n"); return 0; }
    Atom *h = (Atom *)malloc(n * sizeof(Atom));
    for (int i = 0; i < n; i++) {
        FIELD(h, i, x) = (float)(i % 10);
        FIELD(h, i, y) = (float)(i % 7) - 3.0f;
        FIELD(h, i, charge) = 0.125f * (i % 4);
        FIELD(h, i, kind) = i % 5;
    }
    Atom *d = NULL;
    ALLOC(d, n, Atom);
    COPY_IN(d, h, n);
    int blocks = (n + 63) / 64;
    fields<<<blocks, 64>>>(d, n);
    elements<<<blocks, 64>>>(d, n);
    statements<<<blocks, 64>>>(d, n);
    repeated<<<blocks, 64>>>(d, n);
    swapped<<<blocks, 64>>>(d, n);
    free_names<<<blocks, 64>>>(d, n);
    COPY_OUT(h, d, n);
    SAFE_FREE(d)
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (i % 11 + 1) * (FIELD(h, i, x) + 2.0 * FIELD(h, i, y) + 3.0 * FIELD(h, i, charge) + 4.0 * ELEMENT(h, i).kind);
    printf("%d atoms %.6f %s\n", n, sum, d == NULL ? "freed" : "kept");
    free(h);
    return 0;
}
