//@ layouts = ["Point = soa", "Point = tiled(32)", "Point = aos align(16)"]
//@ host = "native"
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Point { float x, y, z; };

struct Cloud { Point *points; size_t n; };

__global__ void lift(Point *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].z += p[i].x;
}

static void read(Point *p, int n)
{
    while (n-- > 0) {
        p->x = p->y = n;
        p++->z = 0;
    }
}

int main()
{
    const int n = 100;
    const size_t bytes = n * sizeof(Point);
    Point *a = new Point[n], *zeroed = new Point[2 * n]();
    Point *b = (Point *)malloc(bytes), *c = static_cast<Point *>(std::calloc(n, sizeof *c));
    Point *pinned = nullptr, *mapped;
    cudaMallocHost((void **)&pinned, bytes);
    cudaHostAlloc(&mapped, bytes, cudaHostAllocDefault);
    Cloud cloud = {nullptr, (size_t)n};
    cloud.points = (Point *)malloc(cloud.n * sizeof(Point));
    if (!b || c == NULL)
        return 1;
    Point *d;
    cudaMalloc(&d, bytes);
    read(a, n);
    cudaMemcpy(d, a, bytes, cudaMemcpyHostToDevice);
    lift<<<1, 128>>>(d, n);
    cudaMemcpy(b + 3, d + 1, 40 * sizeof(Point), cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(pinned, d, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpyAsync(mapped, d + 50, 50 * sizeof(Point), cudaMemcpyDeviceToHost, 0);
    cudaDeviceSynchronize();
    memcpy(c, b, bytes);
    memcpy(c + 1, pinned, sizeof(Point) * 2);
    memset(&zeroed[2], 0, 3 * sizeof(Point));
    Point one = c[7];
    memcpy(&c[8], &one, sizeof(Point));
    cudaMemcpy(cloud.points, d, cloud.n * sizeof(Point), cudaMemcpyDeviceToHost);
    cudaMemcpy(zeroed, d, bytes, cudaMemcpyDefault);
    printf("%g %g %g %g\n", c[8].z, cloud.points[1].x, mapped[2].y, zeroed->z);
    free(b);
    free((void *)c);
    free(cloud.points);
    delete[] a;
    delete[] zeroed;
    cudaFreeHost(pinned);
    cudaFreeHost(mapped);
    cudaFree(d);
}
