//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += p[i].id;
}
int main() {
    P h[64] = {};
    CUdeviceptr d;
    CUmodule module;
    CUfunction function;
    cuModuleLoad(&module, "step.cubin");
    cuModuleGetFunction(&function, module, "step");
    cuMemAlloc(&d, 64 * sizeof(P)); //~ LC0042 no array of structs in device memory is called `P` or has elements of that type
    cuMemcpyHtoD(d, h, 64 * sizeof(P));
    int n = 64;
    void *arguments[] = {&d, &n};
    cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0);
    cuMemFree(d);
    return 0;
}
