//@ layouts = ["P = soa", "P = tiled(32)"]
// A member function gets a version where its lambdas refer to the object by `[&]`, or do not know it.
#include <cstdio>
struct P {
    float x, y;
    int id;
    __device__ void turn(float by) {
        const auto square = [](float a) { return a * a; };
        const auto move = [&](float a) {
            x += a * by;
            y -= a;
            return x;
        };
        const auto copied = [=](float a) { return a + by; };
        y = move(square(by)) + copied(1.0f);
        if (this->id > 3)
            move(2.0f);
    }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].turn(0.5f);
}
int main() {
    const int n = 70;
    static P h[n];
    for (int i = 0; i < n; i++)
        h[i] = P{float(i % 5), 1.0f, i * 7 % 11};
    P *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<3, 32>>>(d, n);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    double s = 0;
    for (int i = 0; i < n; i++)
        s += h[i].x * (i + 1) + h[i].y * (i % 5);
    printf("%.4f\n", s);
    cudaFree(d);
    return 0;
}
