//@ layout = "Cell = aos align(16)"
struct __align__(16) Cell {
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
