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
#pragma omp parallel for schedule(static) num_threads(4)
    for (int i = 0; i < n; i++)
        p[i].x = i;
    step<<<1, 128>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
