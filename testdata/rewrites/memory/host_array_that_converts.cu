//@ layouts = ["Point = soa", "Point = tiled(32)"]
//@ host = "native"
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct Point { float x, y, z; };

__global__ void lift(Point *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].z += p[i].x;
}

int main()
{
    const int n = 100;
    const size_t bytes = n * sizeof(Point);
    Point *native = new Point[n];
    Point *written = new Point[n];
    Point fixed[4] = {}; //~ LC0037 the host array `fixed` of `Point`
    std::vector<Point> many(n);
    Point *d;
    cudaMalloc(&d, bytes);
    for (int i = 0; i < n; i++)
        native[i].x = native[i].y = native[i].z = i;
    cudaMemcpy(d, native, bytes, cudaMemcpyHostToDevice);
    lift<<<1, 128>>>(d, n);
    cudaMemcpy(written, d, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(many.data(), d, many.size() * sizeof(Point), cudaMemcpyDeviceToHost);
    cudaMemcpy(&many[3], d, 5 * sizeof(Point), cudaMemcpyDeviceToHost);
    cudaMemcpy(fixed, d, sizeof fixed, cudaMemcpyDeviceToHost);
    fwrite(written, sizeof(Point), n, stdout); //~ LC0037 the host array `written` of `Point`
    printf("%g %g\n", many[5].z, fixed[1].z);
    delete[] native;
    delete[] written;
    cudaFree(d);
}
