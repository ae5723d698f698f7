//@ layouts = ["Cell = [y/8, x/32, field, y%8, x%32]", "Cell = [y/8, x, y%8, field]", "Cell = [field, y/16, x, y%16]"]
#include <utility>
struct Cell { float rho, ux, uy; };
#define AT(p, x, y) (p)[(y) * nx + (x)]

__device__ float speed(const Cell &c) { return c.ux * c.ux + c.uy * c.uy; }
__device__ void damp(Cell *c) { c->ux *= 0.5f; c->uy *= 0.5f; }
__device__ int cell(int x, int y, int nx) { return y * nx + x; }

__global__ void step(const Cell *a, Cell *b, int nx, int ny) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    const int i = y * nx + x;
    b[i] = a[i];
    b[i].rho += x > 0 ? a[i - 1].rho : 0.0f;
    b[i].rho += y > 0 ? (a + (i - nx))->rho : AT(a, x, y).rho;
    AT(b, x, y).uy = speed(a[cell(x, y, nx)]);
    damp(&b[y * nx + x]);
}
// The extents are known from the calls.
__global__ void walls(Cell *b, int nx, int ny) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < nx) {
        b[x].ux = 0.0f;
        b[(ny - 1) * nx + x].ux = 0.0f;
    }
}
int main() {
    const int nx = 100, ny = 50, n = nx * ny;
    Cell *host = new Cell[n](), *a, *b;
    cudaMalloc(&a, n * sizeof(Cell));
    cudaMalloc(&b, n * sizeof(Cell));
    cudaMemcpy(a, host, n * sizeof(Cell), cudaMemcpyHostToDevice);
    cudaMemset(b, 0, n * sizeof(Cell));
    for (int t = 0; t < 10; t++) {
        step<<<dim3(4, 7), dim3(32, 8)>>>(a, b, nx, ny);
        walls<<<1, 128>>>(b, nx, ny);
        std::swap(a, b);
    }
    // A row.
    cudaMemcpy(host + nx, a + nx, nx * sizeof(Cell), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    delete[] host;
    return 0;
}
