//@ layout = "P = tiled(32)"
struct P {
    float x, y;
};

enum Side { LEFT, RIGHT };

// The index of a tile would be this.
__device__ int operator>>(Side, int) {
    return 7;
}

__global__ void move(P *p, bool right) {
    Side side = right ? RIGHT : LEFT;
    p[side].x += p[side].y; //~ LC0079 its type has operators of its own
}

int main() {
    P *p;
    cudaMalloc(&p, 2 * sizeof(P));
    move<<<1, 1>>>(p, true);
    cudaFree(p);
}
