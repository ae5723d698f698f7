//@ layout = "P = soa"
#include <cstdio>
#include <cstring>
#include <algorithm>
#include <vector>
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
void fill(P *to, int n) {
    for (int i = 0; i < n; i++) {
        P &e = to[i];
        e.x *= 2;
    }
}
int main(int argc, char **argv) {
    int n = 100;
    P *p;
    cudaMallocManaged(&p, n * sizeof(P));
    for (int i = 0; i < n; i++) {
        p[i].x = i;
        p[i].id = i;
    }
    fill(p + 1, n - 1);
    P *q = p + n - 1;
    while (q->id > 3)
        q--;
    P kept = *q;
    *q = p[0];
    p[0] = kept;
    const P &first = *p;
    printf("%f %d\n", first.x, q->id);
    auto set = [&](int i) { p[i].x = i; };
    set(3);
    step<<<1, 128>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
