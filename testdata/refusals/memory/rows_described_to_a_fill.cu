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
    P *d;
    cudaMalloc(&d, 800 * sizeof(P));
    cudaPitchedPtr rows = make_cudaPitchedPtr(d, 100 * sizeof(P), 100, 8); //~ LC0010 `make_cudaPitchedPtr` describes the array as rows of bytes, which are not followed
    cudaMemset2D(rows.ptr, rows.pitch, 0, 100 * sizeof(P), 8);
    step<<<1, 128>>>(d, 800);
    cudaFree(d);
    return 0;
}
