//@ layouts = ["P = tiled(32)", "P = soa"]
#include <memory>

struct P {
    float x;
    int id;
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

struct Simulation {
    P *d;
    explicit Simulation(int n) { cudaMalloc(&d, n * sizeof(P)); }
    ~Simulation() { cudaFree(d); }
};

int main() {
    auto simulation = std::make_shared<Simulation>(20);
    step<<<1, 32>>>(simulation->d, 20);
    std::weak_ptr<Simulation> watched = simulation; //~ LC0010 the object holds the array, and it becomes something of another type
    if (auto still = watched.lock())
        step<<<1, 32>>>(still->d, 20); //~ LC0031 it cannot be seen what this points to //~ LC0082 `d` may be the member that holds the array
    return 0;
}
