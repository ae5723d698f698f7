//@ layouts = ["P = tiled(32)", "P = soa"]
#define CALLED(name) name
struct P {
    float x;
    int id;
};

struct Scene {
    P *d;
    P *data() const { return d; }
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}

int main() {
    P h[20];
    Scene scene;
    cudaMalloc(&scene.CALLED(d), sizeof(h)); //~ LC0077 this construct is not modelled and mentions `d`
    step<<<1, 32>>>(scene.d, 20);
    cudaMemcpy(h, scene.CALLED(data)(), sizeof(h), cudaMemcpyDeviceToHost); //~ LC0077 this construct is not modelled and mentions `data`
    return 0;
}
