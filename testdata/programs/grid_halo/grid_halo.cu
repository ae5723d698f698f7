// A 3-D diffusion problem in two slabs along z, each in an array of its own with a plane of halo below
// and above, as it would be on two devices. Slabs go up and come back by sub-range copies, and after
// each step the planes at the cut change sides.
//
// usage: grid_halo [nx] [ny] [nz] [steps]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>

#define SLABS 2

#define CHECK(call)                                                                     \
  do {                                                                                  \
    cudaError_t status = (call);                                                        \
    if (status != cudaSuccess) {                                                        \
      fprintf(stderr, "%s:%i: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));   \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

__host__ __device__ inline size_t at(int x, int y, int z, int nx, int ny)
{
  return ((size_t)z * ny + y) * nx + x;
}

// Planes first to last of a slab; plane 0 is the lower halo.
__global__ void diffuse(const float *u, float *unew, int nx, int ny, int first, int last, float a)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = first + blockIdx.z;
  if (x >= nx || y >= ny || z > last) return;
  const size_t i = at(x, y, z, nx, ny);
  if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1) {
    unew[i] = u[i];
    return;
  }
  unew[i] = u[i] + a * (u[at(x - 1, y, z, nx, ny)] + u[at(x + 1, y, z, nx, ny)]
                      + u[at(x, y - 1, z, nx, ny)] + u[at(x, y + 1, z, nx, ny)]
                      + u[at(x, y, z - 1, nx, ny)] + u[at(x, y, z + 1, nx, ny)] - 6.0f * u[i]);
}

struct Slab
{
  int begin, planes;      // of the whole grid, without halo
};

static void reference(const double *u, double *unew, int nx, int ny, int nz, double a)
{
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        const size_t i = at(x, y, z, nx, ny);
        const bool edge = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
        const int plane = nx * ny;
        unew[i] = edge ? u[i] : u[i] + a * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - plane] + u[i + plane] - 6.0 * u[i]);
      }
}

int main(int argc, char **argv)
{
  int nx = 19, ny = 14, nz = 11, steps = 5;
  if (argc > 1) nx = ny = nz = atoi(argv[1]);
  if (argc > 2) ny = atoi(argv[2]);
  if (argc > 3) nz = atoi(argv[3]);
  if (argc > 4) steps = atoi(argv[4]);
  if (nx < 0 || ny < 0 || nz < 0) { fprintf(stderr, "usage: grid_halo [nx] [ny] [nz] [steps]\n"); return 2; }

  const size_t plane = (size_t)nx * ny, cells = plane * nz;
  const float a = 0.09f;
  float *h = (float *)malloc(cells * sizeof(float) + 1);
  double *ref = (double *)malloc(cells * sizeof(double) + 1);
  double *ref2 = (double *)malloc(cells * sizeof(double) + 1);
  unsigned int lcg = 77u;
  for (size_t i = 0; i < cells; i++) {
    lcg = lcg * 1664525u + 1013904223u;
    ref[i] = h[i] = (float)((lcg >> 16) & 511u) / 64.0f;
  }

  // fewer than two planes a slab are not worth a cut
  if (nz >= 2 * SLABS && plane > 0) {
    Slab slab[SLABS];
    float *d_u0, *d_new0, *d_u1, *d_new1;
    for (int s = 0; s < SLABS; s++) {
      slab[s].begin = s * nz / SLABS;
      slab[s].planes = (s + 1) * nz / SLABS - slab[s].begin;
    }
    const int n0 = slab[0].planes, n1 = slab[1].planes;
    CHECK(cudaMalloc((void **)&d_u0, plane * (n0 + 2) * sizeof(float)));
    CHECK(cudaMalloc((void **)&d_new0, plane * (n0 + 2) * sizeof(float)));
    CHECK(cudaMalloc((void **)&d_u1, plane * (n1 + 2) * sizeof(float)));
    CHECK(cudaMalloc((void **)&d_new1, plane * (n1 + 2) * sizeof(float)));
    CHECK(cudaMemset(d_u0, 0, plane * (n0 + 2) * sizeof(float)));
    CHECK(cudaMemset(d_u1, 0, plane * (n1 + 2) * sizeof(float)));
    // the inside of each slab, and the halo at the cut
    CHECK(cudaMemcpy(d_u0 + plane, h, plane * (n0 + 1) * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_u1, h + plane * (slab[1].begin - 1), plane * (n1 + 1) * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_new0, d_u0, plane * (n0 + 2) * sizeof(float), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(d_new1, d_u1, plane * (n1 + 2) * sizeof(float), cudaMemcpyDeviceToDevice));

    const dim3 threads(32, 4, 1);
    const dim3 blocks0((nx + 31) / 32, (ny + 3) / 4, n0 - 1), blocks1((nx + 31) / 32, (ny + 3) / 4, n1 - 1);
    for (int t = 0; t < steps; t++) {
      // the lowest plane of the first slab and the highest of the second are boundary
      diffuse<<<blocks0, threads>>>(d_u0, d_new0, nx, ny, 2, n0, a);
      diffuse<<<blocks1, threads>>>(d_u1, d_new1, nx, ny, 1, n1 - 1, a);
      CHECK(cudaGetLastError());
      float *swap = d_u0;
      d_u0 = d_new0;
      d_new0 = swap;
      swap = d_u1;
      d_u1 = d_new1;
      d_new1 = swap;
      CHECK(cudaMemcpy(d_u1, d_u0 + plane * n0, plane * sizeof(float), cudaMemcpyDeviceToDevice));
      CHECK(cudaMemcpy(d_u0 + plane * (n0 + 1), d_u1 + plane, plane * sizeof(float), cudaMemcpyDeviceToDevice));
    }
    CHECK(cudaMemcpy(h, d_u0 + plane, plane * n0 * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(h + plane * slab[1].begin, d_u1 + plane, plane * n1 * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_u0));
    CHECK(cudaFree(d_new0));
    CHECK(cudaFree(d_u1));
    CHECK(cudaFree(d_new1));

    for (int t = 0; t < steps; t++) {
      reference(ref, ref2, nx, ny, nz, a);
      double *swapped = ref; ref = ref2; ref2 = swapped;
    }
  }

  int wrong = 0;
  double sum = 0.0;
  unsigned int bits = 0;
  for (size_t i = 0; i < cells; i++) {
    unsigned int word;
    memcpy(&word, &h[i], sizeof word);
    bits = bits * 31u + word;
    if (!(fabs(h[i] - ref[i]) < 1e-4)) wrong++;
    sum += (double)(i % 21 + 1) * h[i];
  }
  printf("%d x %d x %d cells in %d slabs, %d steps\n", nx, ny, nz, SLABS, steps);
  printf("sum %.14e bits %08x\n", sum, bits);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  free(h);
  free(ref);
  free(ref2);
  return wrong ? 1 : 0;
}
