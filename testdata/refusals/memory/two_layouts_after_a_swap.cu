//@ layouts = ["u = soa", "w = tiled(32)"]
struct P {
    float x, y;
};
__global__ void step(P *to, const P *from) {
    to[threadIdx.x].x += from[threadIdx.x].y;
}
int main() {
    P *u, *w;
    cudaMalloc(&u, 256 * sizeof(P));
    cudaMalloc(&w, 256 * sizeof(P));
    for (int t = 0; t < 10; ++t) {
        step<<<1, 256>>>(u, w);
        P *s = u;
        u = w; //~ LC0021 `u = soa` and `w = tiled(32)` ask for different layouts of arrays that one pointer may point to
        w = s;
    }
    return 0;
}
