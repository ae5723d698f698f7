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
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P)); //~ LC0026 the pointer that is allocated here may point to an element other than the first later
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    d++;
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d); //~ LC0026 the call starts inside the array
    delete[] h;
    return 0;
}
