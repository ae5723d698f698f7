//@ layout = "Cell = [y/8, x/32, field, y%8, x%32]"
#include <cuda_runtime.h>
struct Cell {
    float rho, ux;
};
__global__ void smooth(Cell *a, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    const int i = y * nx + x;
    a[i].rho += a[y > 0 ? i - nx : i].rho;
}
int main(int argc, char **) {
    int nx = 25 * argc, ny = 60;
    Cell *host = new Cell[nx * ny](), *a;
    cudaMalloc(&a, nx * ny * sizeof(Cell));
    auto upload = [host, a](int n) { cudaMemcpy(a, host, n * sizeof(Cell), cudaMemcpyHostToDevice); }; //~ LC0069 an extent of the grid has no name here yet
    upload(nx * ny);
    smooth<<<dim3(4, 8), dim3(32, 8)>>>(a, nx, ny);
    cudaMemcpy(host, a, nx * ny * sizeof(Cell), cudaMemcpyDeviceToHost);
    cudaFree(a);
    delete[] host;
}
