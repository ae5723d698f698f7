//@ layouts = ["P = soa", "P = tiled(32)"]
#include <utility>

struct P {
    float x, y;
};

struct Pair {
    P *sides[2];
};

__global__ void step(const P *from, P *to, int n) {
    int i = threadIdx.x;
    if (i < n)
        to[i].x = from[i].x + from[i].y;
}

int main() {
    P *buffers[2];
    Pair pair;
    cudaMalloc(&buffers[0], 20 * sizeof(P));
    cudaMalloc(&buffers[1], 20 * sizeof(P));
    cudaMemset(buffers[0], 0, 20 * sizeof(P));
    cudaMemset(buffers[1], 0, 20 * sizeof(P));
    pair.sides[0] = buffers[0];
    pair.sides[1] = buffers[1];
    for (int k = 0; k < 3; k++) {
        step<<<1, 32>>>(buffers[0], buffers[1], 20);
        std::swap(buffers[0], buffers[1]);
        step<<<1, 32>>>(pair.sides[0], pair.sides[1], 20);
        std::swap(pair.sides[0], pair.sides[1]);
    }
    return 0;
}
