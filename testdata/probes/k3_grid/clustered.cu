//@ layout = "Cell = {north south} align(8), {east west} align(8)"
struct __align__(8) Vertical {
  float north, south;
};
struct __align__(8) Horizontal {
  float east, west;
};
struct CellClusters {
  Vertical *vertical;
  Horizontal *horizontal;
};

__global__ void k3_grid(CellClusters a, CellClusters o, int ny, int nx) {
  const Vertical *__restrict__ a_vertical = a.vertical;
  const Horizontal *__restrict__ a_horizontal = a.horizontal;
  Vertical *__restrict__ o_vertical = o.vertical;
  Horizontal *__restrict__ o_horizontal = o.horizontal;
  int i = threadIdx.x + 1;
  int j = blockIdx.x + 1;
  float u = a_horizontal[j * nx + i].east - a_horizontal[j * nx + i].west;
  float v = a_vertical[j * nx + i].north - a_vertical[j * nx + i].south;
  o_horizontal[j * nx + i - 1].east = u;
  o_horizontal[j * nx + i + 1].west = -u;
  o_vertical[(j - 1) * nx + i].north = v;
  o_vertical[(j + 1) * nx + i].south = -v;
}
