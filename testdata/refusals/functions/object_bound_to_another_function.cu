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

struct Filter {
    P *particles;
    void advance(int n) { step<<<1, 32>>>(particles, n); }
};

template <class T> void keep(T *object, int n);

int main() {
    Filter filter;
    cudaMalloc(&filter.particles, 20 * sizeof(P));
    cudaMemset(filter.particles, 0, 20 * sizeof(P));
    auto tick = std::bind(keep<void>, &filter, std::placeholders::_1); //~ LC0010 the object holds the array, and it is passed to an unknown function, or copied with a byte count that is not its `sizeof`
    (void)tick;
    filter.advance(20);
    return 0;
}
