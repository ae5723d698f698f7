//@ layout = "Cell = [y/8, x/32, field, y%8, x%32]"
struct Cell { float rho; int kind; };
__global__ void step(Cell *a, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    a[y * nx + x].rho += 1.0f;
}
__global__ void all(Cell *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i].kind = 1; //~ LC0069 the array has 2 dimensions elsewhere, and the indices of this function do not show them
}
int main() {
    int nx = 100, ny = 50, n = nx * ny;
    Cell *host = new Cell[n](), *d;
    cudaMalloc(&d, n * sizeof(Cell));
    cudaMemcpy(d, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
    step<<<dim3(4, 7), dim3(32, 8)>>>(d, nx, ny);
    all<<<n / 50, 50>>>(d, n);
    cudaFree(d);
    delete[] host;
    return 0;
}
