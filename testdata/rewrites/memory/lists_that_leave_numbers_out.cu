//@ layouts = ["P = soa", "P = tiled(32)"]
#include <vector>

struct P {
    enum class Kind { None, Light } kind;
    float x, y;
    int id;
};

struct Other {
    int id, kind;
};

struct World {
    int first, count;
    P *p;
};

__global__ void step(World world) {
    int i = threadIdx.x;
    if (i < world.count)
        world.p[i].x += world.p[i].y * world.p[i].id;
}

int main() {
    std::vector<P> host;
    for (int i = 0; i < 20; i++) {
        P p = {.kind = P::Kind::None};
        if (i % 2)
            p = {.kind = P::Kind::Light, .y = 1.0f, .id = i};
        host.push_back(p);
    }
    P *d;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMemcpy(d, host.data(), 20 * sizeof(P), cudaMemcpyHostToDevice);
    World world = {.count = 20, .p = d};
    step<<<1, 32>>>(world);
    World later = {.first = 1};
    later.p = d;
    step<<<1, 32>>>(later);
    return 0;
}
