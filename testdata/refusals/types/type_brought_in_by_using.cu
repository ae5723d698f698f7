//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};

namespace lib {
struct P {
    double y;
    double z;
};
}

namespace app {
using lib::P;

__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].y += p[i].z;
}
}

__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

int main() {
    P *d;
    cudaMalloc(&d, 8 * sizeof(P));
    step<<<1, 8>>>(d, 8);
    lib::P *e;
    cudaMalloc(&e, 8 * sizeof(lib::P));
    app::step<<<1, 8>>>(e, 8); //~ LC0020 parameter `p` of `step` is not a pointer to the element type
    return 0;
}
