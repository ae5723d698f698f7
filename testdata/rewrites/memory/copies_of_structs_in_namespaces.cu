//@ layouts = ["* = soa", "* = tiled(32)"]
// The functions that structs share stand once in each namespace.
#include <cstdio>
namespace one {
struct P {
    float x;
    int id;
};
}
struct Q {
    double x;
    short id;
};
namespace one {
struct R {
    char key;
    float copyIn;
};
}
__global__ void step(one::P *p, Q *q, one::R *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
        q[i].x += q[i].id;
        r[i].copyIn += r[i].key;
    }
}
int main() {
    one::P p[100];
    Q q[100];
    one::R r[100];
    for (int i = 0; i < 100; i++) {
        p[i].x = q[i].x = r[i].copyIn = 0.5f * i;
        p[i].id = q[i].id = r[i].key = i;
    }
    one::P *d_p;
    Q *d_q;
    one::R *d_r;
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
    printf("%f %f %f\n", p[7].x, q[8].x, r[9].copyIn);
    return 0;
}
