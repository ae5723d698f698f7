//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
#ifdef WITH_STEP //~ LC0005 this branch is not compiled and mentions `step`
__global__ void step(P *p, int n, float by = 1)
#else
__global__ void step(P *p, int n)
#endif
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
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
