//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
P *make(int n) {
    P *made = nullptr;
    cudaMalloc(&made, n * sizeof(P));
    return made;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    decltype(h) d = make(n); //~ LC0077 this construct is not modelled and mentions `d`
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
