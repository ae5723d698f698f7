//@ layout = "Cell = [y/8, x/32, field, y%8, x%32]"
struct Cell { float rho; int kind; };
__global__ void step(Cell *a, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y * nx + x < nx * ny)
        a[y * nx + x].rho += 1.0f; //~ LC0067 nothing proves that `x` in the index `y * nx + x` stays inside its extent `nx`; add a guard, or use `--assume in-bounds` or a `#pragma layoutc grid` accepts it
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
