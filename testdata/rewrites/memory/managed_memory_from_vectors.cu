//@ layouts = ["P = soa", "P = tiled(32)"]
// Host code fills managed memory from a vector of the struct, element by element, and back.
#include <cstdio>
#include <vector>
struct P {
    float x, y;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}
int main() {
    const int n = 70;
    std::vector<P> h(n);
    for (int i = 0; i < n; i++) {
        h[i].x = i % 5;
        h[i].y = 1.0f + i;
        h[i].id = i * 7 % 11;
    }
    P *d;
    cudaMallocManaged(&d, n * sizeof(P));
    for (int i = 0; i < n; i++)
        d[i] = h[i];
    step<<<3, 32>>>(d, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        h[n - 1 - i] = d[i];
    double s = 0;
    for (int i = 0; i < n; i++)
        s += h[i].x * (i + 1) + h[i].id;
    printf("%.4f\n", s);
    cudaFree(d);
    return 0;
}
