//@ layouts = ["* = soa", "* = tiled(32)"]
// Static member functions that are declared in the class and defined outside of it; an object behind a base class.
#include <cstdio>
#include <cuda_runtime.h>
#include <memory>

struct Body { float x, y, vx, vy; };

__global__ void drift(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bodies[i].x += bodies[i].vx + 1;
}

class Simulation {
public:
    virtual ~Simulation() {}
    virtual void step() = 0;

protected:
    Body *bodies = nullptr;
    int n = 96;
};

class Direct : public Simulation {
public:
    Direct() {
        cudaMalloc(&bodies, n * sizeof(Body));
        cudaMemset(bodies, 0, n * sizeof(Body));
    }
    ~Direct() { cudaFree(bodies); }
    void step() override { drift<<<1, 128>>>(bodies, n); }
    float first() {
        Body host;
        cudaMemcpy(&host, bodies, sizeof host, cudaMemcpyDeviceToHost);
        return host.x;
    }
};

struct Buffer { Body *data; int n; };

class Factory {
public:
    static std::unique_ptr<Simulation> create(int kind);
    static Buffer buffer(int n), filled(int n, float x);
    static int made;
};

std::unique_ptr<Simulation> Factory::create(int kind) {
    ++made;
    if (kind) return std::make_unique<Direct>();
    return nullptr;
}
Buffer Factory::buffer(int n) {
    Buffer made;
    made.n = n;
    cudaMalloc(&made.data, n * sizeof(Body));
    cudaMemset(made.data, 0, n * sizeof(Body));
    return made;
}
Buffer Factory::filled(int n, float x) {
    Buffer made;
    made = buffer(n);
    Body *host = new Body[n];
    for (int i = 0; i < n; ++i) host[i] = Body{x + i, 0, 0.5f, 1};
    cudaMemcpy(made.data, host, n * sizeof(Body), cudaMemcpyHostToDevice);
    delete[] host;
    return made;
}
int Factory::made = 0;

int main() {
    std::unique_ptr<Simulation> simulation;
    simulation = Factory::create(0);
    if (!simulation) simulation = Factory::create(1);
    simulation->step();
    Direct *direct = dynamic_cast<Direct *>(simulation.get());
    if (direct) printf("%g\n", direct->first());
    Buffer buffer;
    buffer = Factory::filled(64, 3);
    drift<<<1, 64>>>(buffer.data, buffer.n);
    Body host[64];
    cudaMemcpy(host, buffer.data, sizeof host, cudaMemcpyDeviceToHost);
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += host[i].x * (i % 3) + host[i].vy;
    printf("%.2f %d\n", sum, Factory::made);
    cudaFree(buffer.data);
    return 0;
}
