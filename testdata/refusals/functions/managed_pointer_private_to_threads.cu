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
    P *q = p + 1;
#pragma omp parallel for firstprivate(q) //~ LC0077 this construct is not modelled and mentions `q`
    for (int i = 0; i < n - 1; i++)
        q[i].x = i;
    step<<<1, 128>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
