//@ layout = "Cell = [y/8, x/32, field, y%8, x%32]"
struct Cell { float rho; int kind; };
__global__ void step(Cell *a, int nx, int ny) { //~ LC0069 cells in managed memory keep their order
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    a[y * nx + x].rho += 1.0f;
}
int main() {
    int nx = 100, ny = 50, n = nx * ny;
    Cell *host = new Cell[n](), *d;
    cudaMallocManaged(&d, n * sizeof(Cell));
    step<<<dim3(4, 7), dim3(32, 8)>>>(d, nx, ny);
    cudaDeviceSynchronize();
    cudaFree(d);
    delete[] host;
    return 0;
}
