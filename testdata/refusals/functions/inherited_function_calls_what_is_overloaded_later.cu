//@ layout = "P = soa"
__device__ float scaled(double f) {
    return (float)f;
}
struct Base {
    float x;
    int id;
    __device__ void grow() {
        x = scaled(x); //~ LC0083 this member function is inherited, and a function that it calls is overloaded between the classes
    }
};
__device__ float scaled(float f) {
    return 2.0f * f;
}
struct P : Base {
    float mass;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].grow();
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
