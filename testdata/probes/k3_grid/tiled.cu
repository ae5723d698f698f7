//@ layout = "Cell = tiled(32)"
struct CellTile {
  float north[32], east[32], south[32], west[32];
};

__global__ void k3_grid(const CellTile *a, CellTile *o, int ny, int nx) {
  int i = threadIdx.x + 1;
  int j = blockIdx.x + 1;
  float u = a[(j * nx + i) >> 5].east[(j * nx + i) & 31] - a[(j * nx + i) >> 5].west[(j * nx + i) & 31];
  float v = a[(j * nx + i) >> 5].north[(j * nx + i) & 31] - a[(j * nx + i) >> 5].south[(j * nx + i) & 31];
  o[(j * nx + i - 1) >> 5].east[(j * nx + i - 1) & 31] = u;
  o[(j * nx + i + 1) >> 5].west[(j * nx + i + 1) & 31] = -u;
  o[((j - 1) * nx + i) >> 5].north[((j - 1) * nx + i) & 31] = v;
  o[((j + 1) * nx + i) >> 5].south[((j + 1) * nx + i) & 31] = -v;
}
