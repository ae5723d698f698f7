//@ layout = "P = soa"
struct Base {
    float x;
    int id;
    __device__ void reset() {
        *this = Base();
    }
};
struct P : Base {
    float mass;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].reset(); //~ LC0027 `reset` may change the element and cannot be given a version: it is inherited, and uses the object other than for its members
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
