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
    cudaMemAdvise(p, n * sizeof(P), cudaMemAdviseSetReadMostly, 0);
    cudaMemPrefetchAsync(p, n * sizeof(P), 0);
    cudaStreamAttachMemAsync(0, p);
    cudaStreamAttachMemAsync(0, p, 0, cudaMemAttachGlobal);
    step<<<1, 128>>>(p, n);
    cudaDeviceSynchronize();
    cudaFree(p);
    return 0;
}
