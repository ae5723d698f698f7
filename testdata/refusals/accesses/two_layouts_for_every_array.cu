//@ layouts = ["* = soa", "* = tiled(32)"]
//@ errors = ["LC0021"]
struct P {
    float x, y;
};
__global__ void step(P *p) {
    p[threadIdx.x].x += 1.0f;
}
int main() {
    P *p;
    cudaMalloc(&p, 256 * sizeof(P));
    step<<<1, 256>>>(p);
    return 0;
}
