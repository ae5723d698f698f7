//@ layouts = ["P = soa", "P = tiled(32)"]
#include <functional>

struct P {
    float x, y;
};

__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}

class Filter {
    P *particles;
    std::function<void(int)> tick;

    void advance(int n) { step<<<1, 32>>>(particles, n); }

  public:
    Filter() {
        cudaMalloc(&particles, 20 * sizeof(P));
        cudaMemset(particles, 0, 20 * sizeof(P));
        tick = std::bind(&Filter::advance, this, std::placeholders::_1);
    }
    void run() { tick(20); }
};

int main() {
    Filter filter;
    filter.run();
    return 0;
}
