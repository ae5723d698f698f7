/* Gray-Scott reaction and diffusion in a periodic box. Launches are one-dimensional: a thread gets its
 * coordinates from its number by division and remainder.
 *
 * usage: grid_divmod [nx] [ny] [nz] [steps]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define THREADS 128

#define CHK(stmt) do { cudaError_t err__ = (stmt); if (err__ != cudaSuccess) { \
  fprintf(stderr, "%s at %d\n", cudaGetErrorString(err__), __LINE__); exit(1); } } while (0)

struct Parameters { double du, dv, feed, kill, dt; };

__global__ void react(const double *u, const double *v, double *unew, double *vnew, int nx, int ny, int nz, Parameters p)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx * ny * nz) return;
  int x = i % nx;
  int y = (i / nx) % ny;
  int z = i / (nx * ny);

  int xm = x > 0 ? x - 1 : nx - 1;
  int xp = x < nx - 1 ? x + 1 : 0;
  int ym = y > 0 ? y - 1 : ny - 1;
  int yp = y < ny - 1 ? y + 1 : 0;
  int zm = z > 0 ? z - 1 : nz - 1;
  int zp = z < nz - 1 ? z + 1 : 0;

  double lu = u[xm + nx * (y + ny * z)] + u[xp + nx * (y + ny * z)]
            + u[x + nx * (ym + ny * z)] + u[x + nx * (yp + ny * z)]
            + u[x + nx * (y + ny * zm)] + u[x + nx * (y + ny * zp)] - 6.0 * u[i];
  double lv = v[xm + nx * (y + ny * z)] + v[xp + nx * (y + ny * z)]
            + v[x + nx * (ym + ny * z)] + v[x + nx * (yp + ny * z)]
            + v[x + nx * (y + ny * zm)] + v[x + nx * (y + ny * zp)] - 6.0 * v[i];
  double uvv = u[i] * v[i] * v[i];
  unew[i] = u[i] + p.dt * (p.du * lu - uvv + p.feed * (1.0 - u[i]));
  vnew[i] = v[i] + p.dt * (p.dv * lv + uvv - (p.feed + p.kill) * v[i]);
}

/* the division without remainders, in a loop over the grid: marks the
 * cells where v is larger than at its four neighbours in the plane */
__global__ void ridges(const double *v, unsigned char *mark, int nx, int ny, int nz)
{
  const int plane = nx * ny;
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < plane * nz; c += gridDim.x * blockDim.x) {
    const int z = c / plane;
    const int rest = c - z * plane;
    const int y = rest / nx;
    const int x = rest - y * nx;
    unsigned char ridge = 0;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
      ridge = v[c] > v[c - 1] && v[c] > v[c + 1] && v[c] > v[c - nx] && v[c] > v[c + nx];
    mark[z * plane + y * nx + x] = ridge;
  }
}

static void reference(const double *u, const double *v, double *unew, double *vnew, int nx, int ny, int nz, Parameters p)
{
  const int n[3] = { nx, ny, nz }, stride[3] = { 1, nx, nx * ny };
  for (int i = 0; i < nx * ny * nz; i++) {
    const int at[3] = { i % nx, i / nx % ny, i / nx / ny };
    double lu = -6.0 * u[i], lv = -6.0 * v[i];
    for (int d = 0; d < 3; d++) {
      const int before = at[d] > 0 ? i - stride[d] : i + (n[d] - 1) * stride[d];
      const int after = at[d] < n[d] - 1 ? i + stride[d] : i - (n[d] - 1) * stride[d];
      lu += u[before] + u[after];
      lv += v[before] + v[after];
    }
    const double uvv = u[i] * v[i] * v[i];
    unew[i] = u[i] + p.dt * (p.du * lu - uvv + p.feed * (1.0 - u[i]));
    vnew[i] = v[i] + p.dt * (p.dv * lv + uvv - (p.feed + p.kill) * v[i]);
  }
}

int main(int argc, char **argv)
{
  int nx = 15, ny = 11, nz = 7, steps = 5;
  if (argc > 1) nx = ny = nz = atoi(argv[1]);
  if (argc > 2) ny = atoi(argv[2]);
  if (argc > 3) nz = atoi(argv[3]);
  if (argc > 4) steps = atoi(argv[4]);
  if (nx < 0 || ny < 0 || nz < 0 || steps < 0) {
    fprintf(stderr, "usage: %s [nx] [ny] [nz] [steps]\n", argv[0]);
    return 2;
  }
  const int n = nx * ny * nz;
  const Parameters p = { 0.16, 0.08, 0.035, 0.065, 0.5 };

  double *h[6];     /* u and v, and twice u and v of the reference */
  for (int k = 0; k < 6; k++) h[k] = (double *)malloc(n * sizeof(double) + 1);
  unsigned char *mark = (unsigned char *)malloc(n + 1);
  unsigned int lcg = 8u;
  for (int i = 0; i < n; i++) {
    lcg = lcg * 22695477u + 1u;
    const int seed = (lcg >> 20) % 6u == 0u;
    h[0][i] = h[2][i] = seed ? 0.5 : 1.0;
    h[1][i] = h[3][i] = seed ? 0.25 + (i % 7) / 64.0 : 0.0;
  }

  if (n > 0) {
    double *d_u, *d_v, *d_unew, *d_vnew;
    unsigned char *d_mark;
    CHK(cudaMalloc((void **)&d_u, n * sizeof(double)));
    CHK(cudaMalloc((void **)&d_v, n * sizeof(double)));
    CHK(cudaMalloc((void **)&d_unew, n * sizeof(double)));
    CHK(cudaMalloc((void **)&d_vnew, n * sizeof(double)));
    CHK(cudaMalloc((void **)&d_mark, n * sizeof(unsigned char)));
    CHK(cudaMemcpy(d_u, h[0], n * sizeof(double), cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(d_v, h[1], n * sizeof(double), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
      react<<<(n + THREADS - 1) / THREADS, THREADS>>>(d_u, d_v, d_unew, d_vnew, nx, ny, nz, p);
      CHK(cudaGetLastError());
      double *t;
      t = d_u; d_u = d_unew; d_unew = t;
      t = d_v; d_v = d_vnew; d_vnew = t;
    }
    ridges<<<3, THREADS>>>(d_v, d_mark, nx, ny, nz);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(h[0], d_u, n * sizeof(double), cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(h[1], d_v, n * sizeof(double), cudaMemcpyDeviceToHost));
    CHK(cudaMemcpy(mark, d_mark, n * sizeof(unsigned char), cudaMemcpyDeviceToHost));
    CHK(cudaFree(d_u));
    CHK(cudaFree(d_v));
    CHK(cudaFree(d_unew));
    CHK(cudaFree(d_vnew));
    CHK(cudaFree(d_mark));
  }

  for (int s = 0; s < steps; s++) {
    reference(h[2], h[3], h[4], h[5], nx, ny, nz, p);
    double *t;
    t = h[2]; h[2] = h[4]; h[4] = t;
    t = h[3]; h[3] = h[5]; h[5] = t;
  }

  int wrong = 0, ridgeCells = 0;
  double sum[2] = { 0.0, 0.0 };
  unsigned long long bits = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++) {
      unsigned long long word;
      memcpy(&word, &h[k][i], sizeof word);
      bits = bits * 31 + word;
      if (!(fabs(h[k][i] - h[k + 2][i]) < 1e-9)) wrong++;
      sum[k] += (i % 11 + 1) * h[k][i];
    }
    const int x = i % nx, y = i / nx % ny;
    const double *v = h[1] + i;     /* what the kernel saw, to the last bit */
    int ridge = 0;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
      ridge = v[0] > v[-1] && v[0] > v[1] && v[0] > v[-nx] && v[0] > v[nx];
    if (mark[i] != ridge) wrong++;
    ridgeCells += mark[i] * (i % 5 + 1);
  }
  printf("%d x %d x %d cells, %d steps\n", nx, ny, nz, steps);
  printf("u %.14e v %.14e ridges %d bits %016llx\n", sum[0], sum[1], ridgeCells, bits);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  for (int k = 0; k < 6; k++) free(h[k]);
  free(mark);
  return wrong ? 1 : 0;
}
