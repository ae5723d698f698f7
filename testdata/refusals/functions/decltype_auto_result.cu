//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
};
__device__ decltype(auto) get(P *p, int i) { return p[i].x; } //~ LC0077 this construct is not modelled
__global__ void step(P *p) {
    auto &&e = get(p, threadIdx.x);
    p[threadIdx.x].x = 50;
    p[threadIdx.x].y = e;
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
