//@ layout = "P = tiled(32)"
struct Base {
    float x;
    int id;
    static __device__ float grown(float f) {
        return 2.0f * f;
    }
    __device__ void grow() {
        x = grown(x);
    }
};
struct P : Base {
    float mass;
    static __device__ float grown(float f) {
        return 5.0f * f;
    }
    __device__ void gain() {
        mass = grown(x) + Base::grown(x) + this->grown(mass);
    }
    __device__ float gained() const {
        return grown(mass);
    }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].grow();
        p[i].gain();
        p[i].x += p[i].gained() + p[i].grown(1.0f) + P::grown(2.0f);
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
