//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
// Members that share a declaration keep their initializers, in whatever parts it is divided.
#include <cstdio>
#include <cstdlib>
struct P {
    float x, y;
    int id;
};
class Simulation {
    P *now = nullptr, *next = nullptr;
    P *device{nullptr}, *host = nullptr, first = {1, 2, 3};
    int n = 0, steps = 7;

public:
    explicit Simulation(int count);
    ~Simulation();
    void run();
    bool is_empty() const { return now == nullptr && next == nullptr && device == nullptr && host == nullptr; }
};
__global__ void step(const P *from, P *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = {from[i].x + 1, from[i].y, from[i].id + i};
}
__global__ void fill(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x = p[i].id;
}
Simulation::Simulation(int count) {
    printf("%d %d %g\n", is_empty(), n + steps, first.x + first.y + first.id);
    n = count;
    host = (P *)calloc(n, sizeof(P));
    cudaMalloc(&now, n * sizeof(P));
    cudaMalloc(&next, n * sizeof(P));
    cudaMalloc(&device, n * sizeof(P));
    cudaMemcpy(now, host, n * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(device, host, n * sizeof(P), cudaMemcpyHostToDevice);
}
Simulation::~Simulation() {
    cudaFree(now);
    cudaFree(next);
    cudaFree(device);
    free(host);
}
void Simulation::run() {
    for (int t = 0; t < steps; t++) {
        step<<<2, 64>>>(now, next, n);
        P *old = now;
        now = next;
        next = old;
    }
    fill<<<2, 64>>>(device, n);
    cudaMemcpy(host, now, n * sizeof(P), cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < n; i++) sum += host[i].x + i * host[i].id;
    cudaMemcpy(host, device, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += host[i].x + host[i].y;
    printf("%g\n", sum);
}
int main() {
    Simulation(100).run();
    return 0;
}
