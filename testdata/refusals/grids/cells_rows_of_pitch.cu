//@ layout = "Cell = [y/8, x/32, field, y%8, x%32]"
struct Cell { float rho; int kind; };
__global__ void step(Cell *a, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    a[y * nx + x].rho += 1.0f;
}
int main() {
    int nx = 100, ny = 50, n = nx * ny;
    Cell *host = new Cell[n](), *d;
    cudaMalloc(&d, n * sizeof(Cell));
    cudaMemcpy(d, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
    step<<<dim3(4, 7), dim3(32, 8)>>>(d, nx, ny);
    cudaMemcpy2D(host, nx * sizeof(Cell), d, nx * sizeof(Cell), nx * sizeof(Cell), ny, cudaMemcpyDeviceToHost); //~ LC0069 `cudaMemcpy2D` has no form for cells in another order
    cudaFree(d);
    delete[] host;
    return 0;
}
