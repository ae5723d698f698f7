//@ layout = "P = soa"
struct P {
    float x, y;
};
template <class F> __global__ void run(F f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}
int main() {
    P *p;
    cudaMalloc(&p, 1024 * sizeof(P));
    run<<<4, 256>>>([=] __device__(int i) { p[i].x = 1.0f; }, 1024); //~ LC0084 a `__device__` lambda accesses an element, and accesses in such lambdas are not rewritten
    return 0;
}
