//@ layout = "Cell = [y/8, x/32, field, y%8, x%32]"
struct Cell { float rho; int kind; };
__global__ void step(Cell *a, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    Cell *row = a + y * nx;
    row[x].rho += 1.0f; //~ LC0069 this counts cells from one that may not be the first, and its neighbours depend on their order
}
int main() {
    int nx = 100, ny = 50, n = nx * ny;
    Cell *host = new Cell[n](), *d;
    cudaMalloc(&d, n * sizeof(Cell));
    cudaMemcpy(d, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
    step<<<dim3(4, 7), dim3(32, 8)>>>(d, nx, ny);
    cudaFree(d);
    delete[] host;
    return 0;
}
