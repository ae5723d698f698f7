//@ layouts = ["stage = tiled(32)", "stage = soa"]
#include <cuda_runtime.h>
// The element, the type of a member and a typedef have names that generated functions would use.
enum count { none, some };
typedef int bytes;
struct stage {
    float x;
    count first;
    bytes kind[2];
};
__global__ void step(stage *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].kind[1];
        stage own = p[i];
        own.first = some;
        p[i] = own;
    }
}
int main() {
    int n = 100;
    stage *h = new stage[n]();
    stage *d;
    cudaMalloc(&d, n * sizeof(stage));
    cudaMemcpy(d, h, n * sizeof(stage), cudaMemcpyHostToDevice);
    cudaMemset(d, 0, 3 * sizeof(stage));
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(stage), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
