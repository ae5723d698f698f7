//@ layout = "Body = soa"
#include <cstdio>
struct Body {
    float x;
    float v;
    int id;
};
__global__ void push(Body *bodies, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += bodies[i].v * dt;
}
__global__ void sum(const Body *__restrict__ bodies, float *out, int n) {
    float all = 0;
    for (int i = 0; i < n; i++)
        all += bodies[i].x;
    *out = all;
}
int main() {
    int n = 100;
    const float dt = 0.5f;
    Body *h = new Body[n];
    for (int i = 0; i < n; i++)
        h[i] = {(float)i, 2.0f, i};
    Body *d;
    float *out;
    cudaMalloc(&d, n * sizeof(Body));
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(d, h, n * sizeof(Body), cudaMemcpyHostToDevice);
    void *args[] = {&d, (void *)&dt, &n};
    for (int step = 0; step < 3; step++)
        cudaLaunchKernel((void *)push, dim3(1), dim3(128), args, 0, 0);
    void *given[] = {(void *)&d, &out, &n};
    cudaLaunchCooperativeKernel(sum, dim3(1), dim3(1), given);
    float all;
    cudaMemcpy(&all, out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(h, d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", all, h[7].x, h[99].id);
    cudaFree(d);
    cudaFree(out);
    delete[] h;
    return 0;
}
