//@ layout = "* = soa"
struct Settings {
    float dt;
    int steps;
};
struct P {
    float x;
    int id;
};
__global__ void step(P *p, const Settings *settings, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += settings->dt * settings->steps;
}
int main() {
    int n = 100;
    Settings own = {0.5f, 3};
    Settings *settings;
    P *p;
    cudaMalloc(&settings, sizeof(Settings)); //~ LC0053 there is memory for one element, which no layout reads faster
    cudaMalloc(&p, n * sizeof(P));
    cudaMemset(p, 0, n * sizeof(P));
    cudaMemcpy(settings, &own, sizeof(own), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(p, settings, n);
    cudaFree(p);
    cudaFree(settings);
    return 0;
}
