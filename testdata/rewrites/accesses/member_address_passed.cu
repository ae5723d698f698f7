//@ layouts = ["P = tiled(32)", "P = soa"]
struct V {
    float a;
    float b;
};
struct P {
    float x;
    int id;
    double d;
    float arr[4];
    V v;
    float2 f2;
};
__device__ void bump(float *f) {
    *f += 1.0f;
}
template <typename T>
__device__ void twice(T *f) {
    if (f != nullptr && *f > 0)
        f[0] *= 2;
}
__device__ void lane(float2 *f) {
    f->x += f->y;
}
__device__ void through(float *f) {
    twice(f);
    bump(f);
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bump(&p[i].x);
        twice(&p[i].id);
        through(&p[i].arr[i & 3]);
        lane(&p[i].f2);
        bump(&p[i].f2.y);
        bump(&p[i].v.a);
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
