// Maxwell's equations in a cavity (Yee's scheme, Ez and Hx, Hy on a stack of independent layers), with
// arrays whose extents the compiler knows: parameters of the type float (*)[NY][NX], and arrays of
// device memory at file scope.
//
// usage: grid_typed [nx] [ny] [nz] [steps]     at most NX, NY and NZ; what is beyond stays zero
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef NX
#define NX 40
#endif
#ifndef NY
#define NY 24
#endif
#ifndef NZ
#define NZ 5
#endif

typedef float Layer[NY][NX];

__device__ float Hx[NZ][NY][NX];
__device__ float Hy[NZ][NY][NX];
__device__ float mask[NY][NX];     // 1 where there is vacuum, 0 in a conductor

#define CHECK(status) require(status, __FILE__, __LINE__)

static void require(cudaError_t status, const char *file, int line)
{
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s(%d): %s\n", file, line, cudaGetErrorString(status));
  std::exit(1);
}

// magnetic field from the curl of the electric one
__global__ void update_h(const float (*ez)[NY][NX], int nx, int ny, int nz, float c)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x < nx && y < ny - 1 && z < nz)
    Hx[z][y][x] -= c * (ez[z][y + 1][x] - ez[z][y][x]);
  if (x < nx - 1 && y < ny && z < nz)
    Hy[z][y][x] += c * (ez[z][y][x + 1] - ez[z][y][x]);
}

// electric field; the old one stays as it is, for the flux below
__global__ void update_e(const Layer *ez, Layer *next, int nx, int ny, int nz, float c)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
    next[z][y][x] = 0.0f;
    return;
  }
  float curl = Hy[z][y][x] - Hy[z][y][x - 1] - Hx[z][y][x] + Hx[z][y - 1][x];
  next[z][y][x] = mask[y][x] * (ez[z][y][x] + c * curl);
}

__global__ void energy(float (*ez)[NY][NX], float (*out)[NX], int nx, int ny, int nz)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) {
    float sum = 0.0f;
    for (int z = 0; z < nz; z++)
      sum += ez[z][y][x] * ez[z][y][x] + Hx[z][y][x] * Hx[z][y][x] + Hy[z][y][x] * Hy[z][y][x];
    out[y][x] = 0.5f * sum;
  }
}

static float ez[NZ][NY][NX], hx[NZ][NY][NX], hy[NZ][NY][NX], vacuum[NY][NX], density[NY][NX];
static double re[NZ][NY][NX], rx[NZ][NY][NX], ry[NZ][NY][NX];

static void reference(int nx, int ny, int nz, double c)
{
  for (int z = 0; z < nz; z++) {
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        if (y < ny - 1) rx[z][y][x] -= c * (re[z][y + 1][x] - re[z][y][x]);
        if (x < nx - 1) ry[z][y][x] += c * (re[z][y][x + 1] - re[z][y][x]);
      }
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++)
        if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1)
          re[z][y][x] = 0.0;
        else
          re[z][y][x] = vacuum[y][x] * (re[z][y][x] + c * (ry[z][y][x] - ry[z][y][x - 1] - rx[z][y][x] + rx[z][y - 1][x]));
  }
}

static int compare(const char *name, float (*a)[NY][NX], double (*b)[NY][NX])
{
  int wrong = 0;
  double sum = 0.0;
  unsigned int bits = 0;
  for (int z = 0; z < NZ; z++)
    for (int y = 0; y < NY; y++)
      for (int x = 0; x < NX; x++) {
        unsigned int word;
        std::memcpy(&word, &a[z][y][x], sizeof word);
        bits = bits * 31u + word;
        sum += ((x + 2 * y + 3 * z) % 9 + 1) * (double)a[z][y][x];
        if (!(std::fabs(a[z][y][x] - b[z][y][x]) < 1e-4)) wrong++;
      }
  std::printf("%s %.14e %08x\n", name, sum, bits);
  return wrong;
}

int main(int argc, char **argv)
{
  int nx = argc > 1 ? std::atoi(argv[1]) : 37;
  int ny = argc > 2 ? std::atoi(argv[2]) : 21;
  int nz = argc > 3 ? std::atoi(argv[3]) : NZ;
  int steps = argc > 4 ? std::atoi(argv[4]) : 7;
  if (nx < 0 || nx > NX || ny < 0 || ny > NY || nz < 0 || nz > NZ) {
    std::fprintf(stderr, "usage: grid_typed [nx <= %d] [ny <= %d] [nz <= %d] [steps]\n", NX, NY, NZ);
    return 2;
  }
  const float courant = 0.5f;

  unsigned int lcg = 1234u;
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) {
      lcg = lcg * 1103515245u + 12345u;
      vacuum[y][x] = (lcg >> 16) % 13u == 0u ? 0.0f : 1.0f;
      for (int z = 0; z < nz; z++) {
        const float dx = x - 0.5f * nx, dy = y - 0.4f * ny;
        ez[z][y][x] = (z + 1) * expf(-0.05f * (dx * dx + dy * dy));
        re[z][y][x] = ez[z][y][x];
      }
    }

  Layer *d_ez, *d_next;
  float (*d_density)[NX];
  CHECK(cudaMalloc((void **)&d_ez, sizeof(float) * NZ * NY * NX));
  CHECK(cudaMalloc((void **)&d_next, sizeof(float) * NZ * NY * NX));
  CHECK(cudaMalloc((void **)&d_density, sizeof(float) * NY * NX));
  CHECK(cudaMemcpy(d_ez, ez, sizeof(ez), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(d_next, 0, sizeof(float) * NZ * NY * NX));
  CHECK(cudaMemset(d_density, 0, sizeof(density)));
  CHECK(cudaMemcpyToSymbol(Hx, hx, sizeof(hx)));
  CHECK(cudaMemcpyToSymbol(Hy, hy, sizeof(hy)));
  CHECK(cudaMemcpyToSymbol(mask, vacuum, sizeof(vacuum)));

  if (nx > 0 && ny > 0 && nz > 0) {
    dim3 threads(32, 4);
    dim3 blocks((nx + 31) / 32, (ny + 3) / 4, nz);
    for (int s = 0; s < steps; s++) {
      update_h<<<blocks, threads>>>(d_ez, nx, ny, nz, courant);
      update_e<<<blocks, threads>>>(d_ez, d_next, nx, ny, nz, courant);
      CHECK(cudaGetLastError());
      Layer *t = d_ez;
      d_ez = d_next;
      d_next = t;
    }
    blocks.z = 1;
    energy<<<blocks, threads>>>(d_ez, d_density, nx, ny, nz);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(ez, d_ez, sizeof(ez), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(hx, Hx, sizeof(hx)));
  CHECK(cudaMemcpyFromSymbol(hy, Hy, sizeof(hy)));
  CHECK(cudaMemcpy(density, d_density, sizeof(density), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_ez));
  CHECK(cudaFree(d_next));
  CHECK(cudaFree(d_density));

  for (int s = 0; s < steps; s++) reference(nx, ny, nz, courant);
  std::printf("%d x %d x %d cells of %d x %d x %d, %d steps\n", nx, ny, nz, NX, NY, NZ, steps);
  int wrong = compare("Ez", ez, re) + compare("Hx", hx, rx) + compare("Hy", hy, ry);
  double total = 0.0;
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++) {
      double expected = 0.0;
      for (int z = 0; z < nz; z++)
        expected += 0.5 * (re[z][y][x] * re[z][y][x] + rx[z][y][x] * rx[z][y][x] + ry[z][y][x] * ry[z][y][x]);
      if (!(std::fabs(density[y][x] - expected) < 1e-3)) wrong++;
      total += (x % 4 + 1) * (double)density[y][x];
    }
  std::printf("energy %.14e\n%s\n", total, wrong ? "FAILED" : "PASSED");
  return wrong ? 1 : 0;
}
