//@ layouts = ["* = soa", "* = tiled(32)"]
// The first struct is there under a condition: the functions that it shares with the others may not depend on that.
#include <cstdio>
#define WITH_P 1
#if WITH_P
struct P {
    float x;
    int id;
};
#endif
struct Q {
    double x;
    short id;
};
struct R {
    char key;
    float x;
};
__global__ void step(P *p, Q *q, R *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
        q[i].x += q[i].id;
        r[i].x += r[i].key;
    }
}
int main() {
    P p[100];
    Q q[100];
    R r[100];
    for (int i = 0; i < 100; i++) {
        p[i].x = q[i].x = r[i].x = 0.5f * i;
        p[i].id = q[i].id = r[i].key = i;
    }
    P *d_p;
    Q *d_q;
    R *d_r;
    cudaMalloc(&d_p, sizeof(p));
    cudaMalloc(&d_q, sizeof(q));
    cudaMalloc(&d_r, sizeof(r));
    cudaMemcpy(d_p, p, sizeof(p), cudaMemcpyHostToDevice);
    cudaMemcpy(d_q, q, sizeof(q), cudaMemcpyHostToDevice);
    cudaMemcpy(d_r, r, sizeof(r), cudaMemcpyHostToDevice);
    step<<<4, 32>>>(d_p, d_q, d_r, 100);
    cudaMemcpy(p, d_p, sizeof(p), cudaMemcpyDeviceToHost);
    cudaMemcpy(q, d_q, sizeof(q), cudaMemcpyDeviceToHost);
    cudaMemcpy(r, d_r, sizeof(r), cudaMemcpyDeviceToHost);
    printf("%f %f %f\n", p[7].x, q[8].x, r[9].x);
    return 0;
}
