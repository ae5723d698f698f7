//@ layouts = ["P = tiled(32)", "P = soa"]
namespace sim {
namespace core {
struct P {
    float x;
    int id;
};
}
}
__global__ void step(sim::core::P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
void run(const sim::core::P *h, int n) {
    sim::core::P *d = nullptr;
    cudaMalloc(&d, n * sizeof(sim::core::P));
    cudaMemcpy(d, h, n * sizeof(sim::core::P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
int main() {
    sim::core::P h[10] = {};
    run(h, 10);
}
