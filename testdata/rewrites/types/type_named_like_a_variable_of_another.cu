//@ layout = "Dot = {x}, {id}"
struct Dot {
    float x;
    int id;
};
struct Other {
    double v;
    int k;
};
__global__ void fill(Other *Dot, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) Dot[i].v = 1;
}
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
    }
}
void other(int n) {
    Other *o;
    cudaMalloc(&o, n * sizeof(Other));
    fill<<<1, 128>>>(o, n);
    cudaFree(o);
}
int main() {
    int n = 100;
    Dot *h = new Dot[n]();
    Dot *d;
    cudaMalloc(&d, n * sizeof(Dot));
    cudaMemcpy(d, h, n * sizeof(Dot), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Dot), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
