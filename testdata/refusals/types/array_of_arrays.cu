//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P (*p)[4], int n) { //~ LC0078 a declaration of this type is not rewritten
    p[threadIdx.x][0].x = 1.0f;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 25>>>((P(*)[4])d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
