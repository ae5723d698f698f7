//@ layouts = ["P = soa", "P = tiled(32)"]
struct P { //~ LC0021 `P = soa` and `P = tiled(32)` ask for different layouts of `P`
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
