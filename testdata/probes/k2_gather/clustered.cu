//@ layout = "Star = {x y z m} align(16), {fx fy fz}, {id}"
// A gathered element is one 128-bit load.
struct __align__(16) Place {
  float x, y, z, m;
};
struct Force {
  float fx, fy, fz;
};
struct StarClusters {
  Place *place;
  Force *force;
  int *id;
};

__global__ void k2_gather(StarClusters p, const int *nb, int n, int degree) {
  Place *__restrict__ place = p.place;
  Force *__restrict__ force = p.force;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sx = 0.0f, sy = 0.0f, sz = 0.0f;
  float xi = place[i].x, yi = place[i].y, zi = place[i].z;
  for (int k = 0; k < degree; ++k) {
    int j = nb[k * n + i];
    float dx = place[j].x - xi, dy = place[j].y - yi, dz = place[j].z - zi;
    float w = place[j].m * rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f);
    sx += dx * w;
    sy += dy * w;
    sz += dz * w;
  }
  force[i].fx = sx;
  force[i].fy = sy;
  force[i].fz = sz;
}
