//@ layout = "f = [z, y/4, x/4, y%4, x%4]"
// One memory seen with several extents, through choices, captures and casts.
#include <cuda_runtime.h>
#include <stdio.h>
#define NX 12
#define NY 7
#define NZ 5
struct View {
    float (*planes)[NY][NX];
};
__device__ void add(float (*plane)[NX], int y, int x, float by) {
    plane[y][x] += by;
}
__global__ void step(float (*f)[NY][NX], float (*g)[NY][NX], View view, int which) {
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    auto put = [f](int z, int y, int x, float by) { f[z][y][x] += by; };
    if (x < NX && y < NY) {
        (which ? f : g)[z][y][x] += 1.0f;
        put(z, y, x, 2.0f);
        view.planes[z][y][x] *= 0.5f;
        atomicAdd(&g[z] [y]
                  [x], 3.0f);
    }
}
__global__ void rows(float (*f)[NX], int n) {
    for (int r = blockIdx.x; r < n; r += gridDim.x)
        if (threadIdx.x < NX)
            add(f, r, threadIdx.x, 0.25f);
}
__global__ void sixes(float *p, int n) {
    constexpr int M = 6;
    const float (*f)[M] = (const float (*)[M])p;
    float *q = p;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        q[i] = 2.0f * f[i / M][i % M];
}
int main() {
    static float h[NZ][NY][NX];
    float (*f)[NY][NX], (*g)[NY][NX];
    cudaMalloc(&f, sizeof(h));
    cudaMalloc(&g, sizeof(h));
    cudaMemcpy(f, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemcpy(g, h, sizeof(h), cudaMemcpyHostToDevice);
    View view;
    view.planes = f;
    step<<<NZ, dim3(16, 8)>>>(f, g, view, 1);
    rows<<<3, 16>>>((float (*)[NX])f, NZ * NY);
    sixes<<<1, 64>>>(&f[0][0][0], NZ * NY * NX);
    cudaMemcpy(h, f[0], sizeof(h), cudaMemcpyDeviceToHost);
    double sum = 0.0;
    for (int i = 0; i < NZ * NY * NX; i++)
        sum += (i % 7 + 1) * h[0][0][i];
    printf("%g\n", sum);
    cudaFree(f);
    cudaFree(g);
    return 0;
}
