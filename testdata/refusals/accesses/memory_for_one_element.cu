//@ layout = "* = soa"
struct Settings {
    float dt;
    int steps;
};
__global__ void step(float *x, const Settings *settings, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += settings->dt * settings->steps;
}
int main() {
    int n = 100;
    Settings own = {0.5f, 3};
    Settings *settings;
    float *x;
    cudaMalloc(&settings, sizeof(Settings)); //~ LC0053 there is memory for one element, which no layout reads faster
    cudaMalloc(&x, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cudaMemcpy(settings, &own, sizeof(own), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(x, settings, n);
    cudaFree(x);
    cudaFree(settings);
    return 0;
}
