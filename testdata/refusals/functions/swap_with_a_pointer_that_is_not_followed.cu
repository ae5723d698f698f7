//@ layout = "P = soa"
#include <utility>
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    decltype(h) other = nullptr;
    cudaMalloc(&other, n * sizeof(P));
    P *d = nullptr, *e = nullptr;
    cudaMalloc(&e, n * sizeof(P));
    std::swap(d, other); //~ LC0079 it is exchanged with a pointer that is not followed
    std::swap(d, e);
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
