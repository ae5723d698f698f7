//@ layouts = ["Dot = soa", "Dot = {x} align(8), {id}"]
struct Dot {
    float x;
    int id;
};
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
    }
}
int main() {
    int n = 100;
    Dot *h = new Dot[n]();
    Dot *d;
    cudaMalloc(&d, n * sizeof(Dot));
    cudaMemset(&*d, 0, n * sizeof(Dot));
    cudaMemcpy(&d[0], h, n * sizeof(Dot), cudaMemcpyHostToDevice);
    cudaMemcpy(d + 0, h, sizeof(Dot), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, &(d[0]), n * sizeof(Dot), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
