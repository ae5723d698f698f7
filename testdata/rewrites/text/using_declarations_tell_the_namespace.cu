//@ layouts = ["Cell = tiled(32)"]
// The second namespace is used in one that has neither name.
#include <cstdio>
namespace first {
struct Cell { float a, b, c; };
__global__ void step(Cell *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].a += 1;
}
}  // namespace first
namespace second {
struct Cell { float a, b, c; };
__global__ void step(Cell *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].a += 2;
}
}  // namespace second
namespace app {
using second::Cell;
using second::step;
void run(int n) {
    Cell *h = new Cell[n]();
    Cell *d;
    cudaMalloc(&d, n * sizeof(Cell));
    cudaMemcpy(d, h, n * sizeof(Cell), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(Cell), cudaMemcpyDeviceToHost);
    printf("%g\n", h[1].a);
    cudaFree(d);
    delete[] h;
}
}  // namespace app
int main() {
    app::run(100);
    return 0;
}
