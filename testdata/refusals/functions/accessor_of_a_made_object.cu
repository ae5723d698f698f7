//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x, y, z;
};

struct Grid {
    P *cells;
    int width;
    __device__ P &operator()(int x, int y) const { return cells[y * width + x]; }
};

__device__ Grid made(P *p, int width) { return Grid{p, width}; }

__global__ void step(P *p, int width) {
    int x = threadIdx.x;
    if (x < width)
        made(p, width)(x, 1).x += 1.0f; //~ LC0080 this may call a function that gives back an element
}

int main() {
    P *d;
    cudaMalloc(&d, 20 * sizeof(P));
    step<<<1, 32>>>(d, 10);
    return 0;
}
