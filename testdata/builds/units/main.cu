#include "body.h"

#include <cstdio>
#include <vector>

__global__ void step(Body *bodies, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        advance(bodies, i, dt);
}

int main()
{
    int n = 1024;
    std::vector<Body> bodies(n);
    for (int i = 0; i < n; ++i)
        bodies[i] = Body{i * 0.5f, i * 0.25f, 1.0f, -1.0f, 2.0f, 0.0f};
    Body *d_bodies;
    cudaMalloc(&d_bodies, n * sizeof(Body));
    cudaMemcpy(d_bodies, bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
    step<<<(n + 127) / 128, 128>>>(d_bodies, n, 0.5f);
    cudaMemcpy(bodies.data(), d_bodies, n * sizeof(Body), cudaMemcpyDeviceToHost);
    cudaFree(d_bodies);
    std::printf("%.3f\n", bodies[n - 1].x);
    return 0;
}
