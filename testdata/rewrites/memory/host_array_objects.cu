//@ layouts = ["Point = soa", "Point = tiled(32)", "Point = aos align(16)"]
//@ host = "native"
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N 100

struct Point { float x, y, z; };

static Point every[N + 20];

__global__ void lift(Point *p, int n)
{
    Point own[2];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        own[i % 2] = p[i];
        p[i].z += own[i % 2].x;
    }
}

static float sum(const Point *p, int n)
{
    float total = 0;
    for (const Point *end = p + n; p < end; p++)
        total += p->z;
    return total;
}

// The array that an out-parameter gets.
static void make(Point **p, int n)
{
    if ((*p = (Point *)malloc(n * sizeof(Point))) == NULL)
        return;
    for (int i = 0; i < n; i++)
        sscanf("1 2 3", "%f %f %f", &(*p)[i].x, &(*p)[i].y, &(*p)[i].z);
}

int main()
{
    Point some[N];
    Point *made;
    static Point kept[4];
    make(&made, N);
    if (!(made))
        return 1;
    Point *d;
    cudaMalloc(&d, sizeof(every));
    memset(some, 0, sizeof some);
    some[3].x = made[4].y;
    cudaMemcpy(d, made, N * sizeof(Point), cudaMemcpyHostToDevice);
    cudaMemcpy(d, some, 50 * sizeof(Point), cudaMemcpyHostToDevice);
    lift<<<1, 128>>>(d, N);
    cudaMemcpy(every + 20, d, N * sizeof(Point), cudaMemcpyDeviceToHost);
    cudaMemcpy(kept, d + 2, sizeof(kept), cudaMemcpyDeviceToHost);
    printf("%g %g %zu\n", sum(every, N + 20), kept[1].x, sizeof(kept) / sizeof(kept[0]));
    free(made);
    cudaFree(d);
}
