// A grid of cells with four fields each: the own cell is read, one field of each neighbour written.
#include <cstdio>
#include <cstdlib>

struct Cell {
  float north, east, south, west;
};

__global__ void k3_grid(const Cell *a, Cell *o, int ny, int nx) {
  int i = threadIdx.x + 1;
  int j = blockIdx.x + 1;
  float u = a[j * nx + i].east - a[j * nx + i].west;
  float v = a[j * nx + i].north - a[j * nx + i].south;
  o[j * nx + i - 1].east = u;
  o[j * nx + i + 1].west = -u;
  o[(j - 1) * nx + i].north = v;
  o[(j + 1) * nx + i].south = -v;
}

int main(int argc, char **argv) {
  int nx = argc > 1 ? atoi(argv[1]) : 34, ny = argc > 2 ? atoi(argv[2]) : 20;
  size_t bytes = (size_t)nx * ny * sizeof(Cell);
  Cell *h = (Cell *)malloc(bytes);
  for (int c = 0; c < nx * ny; ++c) {
    h[c].north = c * 0.5f;
    h[c].east = c * 0.25f + 1.0f;
    h[c].south = c % 7;
    h[c].west = c % 11;
  }
  Cell *a, *o;
  cudaMalloc((void **)&a, bytes);
  cudaMalloc((void **)&o, bytes);
  cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(o, h, bytes, cudaMemcpyHostToDevice);
  k3_grid<<<ny - 2, nx - 2>>>(a, o, ny, nx);
  cudaMemcpy(h, o, bytes, cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (int c = 0; c < nx * ny; ++c) {
    sum += h[c].north + 2.0 * h[c].east + 3.0 * h[c].south + 4.0 * h[c].west;
  }
  printf("%.4f\n", sum);
  cudaFree(a);
  cudaFree(o);
  free(h);
  return 0;
}
