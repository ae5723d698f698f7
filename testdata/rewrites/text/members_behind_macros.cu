//@ layouts = ["P = tiled(32)", "P = soa"]
#define ARRAY d
#define GET data
#define MASS weight
struct P {
    float x;
    float weight;
};

struct Scene {
    P *d;
    P *data() const { return d; }
};

__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].MASS;
}

int main() {
    P h[20] = {};
    Scene scene;
    cudaMalloc(&scene.ARRAY, sizeof(h));
    cudaMemcpy(scene.GET(), h, sizeof(h), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(scene.ARRAY, 20);
    cudaMemcpy(h, scene.d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(scene.ARRAY);
    return 0;
}
