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
    P *d, *h = new P[800]();
    cudaMalloc(&d, 800 * sizeof(P));
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(h, 100 * sizeof(P), 100, 8);
    box.dstPtr = make_cudaPitchedPtr(d, 100 * sizeof(P), 100, 8); //~ LC0085 `cudaMemcpy3D` copies the array as this says, which has no form in another layout
    box.extent = make_cudaExtent(100 * sizeof(P), 8, 1);
    box.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&box);
    step<<<1, 128>>>(d, 800);
    cudaFree(d);
    delete[] h;
    return 0;
}
