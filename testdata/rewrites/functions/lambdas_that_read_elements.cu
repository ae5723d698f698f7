//@ layouts = ["P = soa", "P = tiled(32)"]
// Lambdas that only read what they are given get a copy of the element.
#include <cstdio>
struct P {
    float x, y;
    int id;
    float v[3];
    __host__ __device__ float length() const { return x * x + y * y; }
};
__device__ float sum(const P &p) { return p.x + p.y; }
__global__ void step(P *p, const P *before, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    auto energy = [](const P &q) { return 0.5f * q.length() + sum(q); };
    auto is_before = [](const P &a, const P &b) -> bool { return a.id < b.id; };
    float scale = 2.0f;
    auto scaled = [scale](const P &q, float by) { return q.x * scale * by; };
    float total = 0.0f;
    auto add = [&](const P &q) {
        for (int k = 0; k < 3; k++)
            total += q.v[k];
        return total;
    };
    const P &own = before[i];
    out[i] = energy(p[i]) + energy(own) + scaled(before[n - 1 - i], 3.0f);
    if (is_before(p[i], before[(i + 1) % n]))
        out[i] += add(p[i]);
    out[i] += [](const P &q) { return q.y; }(p[i]);
    p[i].x = energy(p[i]);
}
int main() {
    const int n = 70;
    static P h[n];
    static float r[n];
    for (int i = 0; i < n; i++)
        h[i] = P{float(i % 5), 1.0f, i * 7 % 11, {1.0f, float(i), 2.0f}};
    P *d, *e;
    float *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&e, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(e, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<3, 32>>>(d, e, o, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; i++)
        s += h[i].x * (i + 1) + r[i] * (i % 5);
    printf("%.4f\n", s);
    cudaFree(d);
    cudaFree(e);
    cudaFree(o);
    return 0;
}
