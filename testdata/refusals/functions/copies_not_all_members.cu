//@ layout = "P = soa"
struct P {
    float x;
    int id;
    __host__ __device__ P &operator=(const P &other) { //~ LC0027 the element type has a user-declared copy or move operation
        x = other.x;
        return *this;
    }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = p[n - 1 - i];
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
