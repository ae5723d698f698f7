//@ layout = "P = soa"
struct P {
    float x;
    int id;
    friend __device__ void move(P &p) { p.x += 1.0f; } //~ LC0078 this is declared before the struct is defined
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        move(p[i]);
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
