//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main(int argc, char **argv) {
    int n = 100;
    P *p;
    cudaMallocManaged(&p, n * sizeof(P));
    p[0].id = 1; //~ LC0022 host code accesses an element, and not all memory of the array is managed
    cudaFree(p);
    cudaMalloc(&p, n * sizeof(P));
    step<<<1, 128>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
