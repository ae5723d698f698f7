//@ layouts = ["P = soa", "P = tiled(32)"]
#include <vector>

struct P {
    float x, y;
};

struct World {
    P *p;
    int n;
    World(P *p, int n) : p(p), n(n) {}
};

struct Part {
    P *p;
    int n;
};

__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}

int main() {
    P *d;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMemset(d, 0, 20 * sizeof(P));
    World *world = new World(d, 20);
    Part *part = new Part{d, 10};
    std::vector<Part> parts;
    parts.push_back({d, 5});
    parts.push_back({nullptr, 0});
    Part *empty = new Part{nullptr, 0};
    parts.push_back({world->p, 6});
    step<<<1, 32>>>(world->p, world->n);
    step<<<1, 32>>>(part->p, part->n);
    parts[2].p = d;
    for (auto &own : parts)
        step<<<1, 32>>>(own.p, own.n);
    delete world;
    delete part;
    delete empty;
    return 0;
}
