//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
#define JOIN(a, b) a##b
#define MEMBER(n) m_##n
#define I(a, b) JOIN(a, b)
struct P {
    float m_x, m_y;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int i0 = i;
        p[i].MEMBER(x) += p[i].MEMBER(y);
        p[JOIN(i, 0)].JOIN(i, d) += 2;
        p[I(i, )].m_y *= 2;
        float JOIN(va, l) = p[i].m_x;
        p[i].m_y += JOIN(va, l);
    }
}
int main() {
    int n = 100;
    P *h = new P[n];
    for (int i = 0; i < n; i++) h[i] = P{i * 0.5f, 3.0f - i, i};
    P *d;
    cudaMalloc(&JOIN(d, ), n * sizeof(P));
    cudaMemcpy(JOIN(d, ), h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g %g %d\n", h[i].m_x, h[i].m_y, h[i].id);
    cudaFree(d);
    delete[] h;
    return 0;
}
