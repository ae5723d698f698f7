//@ layout = "Cell = soa"
struct CellArrays {
  float *north, *east, *south, *west;
};

__global__ void k3_grid(CellArrays a, CellArrays o, int ny, int nx) {
  const float *__restrict__ a_north = a.north;
  const float *__restrict__ a_east = a.east;
  const float *__restrict__ a_south = a.south;
  const float *__restrict__ a_west = a.west;
  float *__restrict__ o_north = o.north;
  float *__restrict__ o_east = o.east;
  float *__restrict__ o_south = o.south;
  float *__restrict__ o_west = o.west;
  int i = threadIdx.x + 1;
  int j = blockIdx.x + 1;
  float u = a_east[j * nx + i] - a_west[j * nx + i];
  float v = a_north[j * nx + i] - a_south[j * nx + i];
  o_east[j * nx + i - 1] = u;
  o_west[j * nx + i + 1] = -u;
  o_north[(j - 1) * nx + i] = v;
  o_south[(j + 1) * nx + i] = -v;
}
