// D3Q19 lattice Boltzmann in scatter (push) form: each interior cell collides and sends its 19
// populations to its neighbours. The cells of the rim only receive: what they hold of the others is
// the inflow. Cells with an obstacle send back what they got.
//
// One array of 19 floats a cell, f[((z*ny + y)*nx + x)*19 + q], twice; the two are swapped.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <vector>

#define CHECK(x) check((x), #x, __LINE__)

static void check(cudaError_t error, const char *what, int line)
{
  if (error == cudaSuccess) return;
  fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(error));
  exit(1);
}

// the 19 directions: east-west is x, north-south is y, top-bottom is z
#define C  0
#define E  1
#define W  2
#define N  3
#define S  4
#define T  5
#define B  6
#define NE 7
#define SW 8
#define NW 9
#define SE 10
#define ET 11
#define WB 12
#define EB 13
#define WT 14
#define NT 15
#define SB 16
#define NB 17
#define ST 18

#define FLUID    0
#define OBSTACLE 1

// equilibrium of a direction with weight w and cu = 3 (c . u)
#define EQ(w, cu) ((w) * rho * (usq + (cu) + 0.5f * (cu) * (cu)))
#define RELAX(v, w, cu) ((v) - omega * ((v) - EQ(w, cu)))

__global__ void collide_and_push(const float *src, float *dst, const unsigned char *flags,
                                 int nx, int ny, int nz, float omega)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y + 1;
  const int z = blockIdx.z + 1;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;

  float c  = src[((z*ny + y)*nx + x)*19 + C];
  float e  = src[((z*ny + y)*nx + x)*19 + E],  w  = src[((z*ny + y)*nx + x)*19 + W];
  float n  = src[((z*ny + y)*nx + x)*19 + N],  s  = src[((z*ny + y)*nx + x)*19 + S];
  float t  = src[((z*ny + y)*nx + x)*19 + T],  b  = src[((z*ny + y)*nx + x)*19 + B];
  float ne = src[((z*ny + y)*nx + x)*19 + NE], sw = src[((z*ny + y)*nx + x)*19 + SW];
  float nw = src[((z*ny + y)*nx + x)*19 + NW], se = src[((z*ny + y)*nx + x)*19 + SE];
  float et = src[((z*ny + y)*nx + x)*19 + ET], wb = src[((z*ny + y)*nx + x)*19 + WB];
  float eb = src[((z*ny + y)*nx + x)*19 + EB], wt = src[((z*ny + y)*nx + x)*19 + WT];
  float nt = src[((z*ny + y)*nx + x)*19 + NT], sb = src[((z*ny + y)*nx + x)*19 + SB];
  float nb = src[((z*ny + y)*nx + x)*19 + NB], st = src[((z*ny + y)*nx + x)*19 + ST];

  if (flags[(z*ny + y)*nx + x] == OBSTACLE) {
    float h;
    h = e;  e = w;   w = h;   h = n;  n = s;   s = h;   h = t;  t = b;   b = h;
    h = ne; ne = sw; sw = h;  h = nw; nw = se; se = h;  h = et; et = wb; wb = h;
    h = eb; eb = wt; wt = h;  h = nt; nt = sb; sb = h;  h = nb; nb = st; st = h;
  } else {
    const float rho = c + e + w + n + s + t + b + ne + sw + nw + se + et + wb + eb + wt + nt + sb + nb + st;
    const float ux = 3.0f * (e - w + ne - sw - nw + se + et - wb + eb - wt) / rho;
    const float uy = 3.0f * (n - s + ne - sw + nw - se + nt - sb + nb - st) / rho;
    const float uz = 3.0f * (t - b + et - wb - eb + wt + nt - sb - nb + st) / rho;
    const float usq = 1.0f - (ux*ux + uy*uy + uz*uz) / 6.0f;
    const float w0 = 1.0f / 3.0f, w1 = 1.0f / 18.0f, w2 = 1.0f / 36.0f;
    c  = RELAX(c, w0, 0.0f);
    e  = RELAX(e, w1, ux);        w  = RELAX(w, w1, -ux);
    n  = RELAX(n, w1, uy);        s  = RELAX(s, w1, -uy);
    t  = RELAX(t, w1, uz);        b  = RELAX(b, w1, -uz);
    ne = RELAX(ne, w2, ux + uy);  sw = RELAX(sw, w2, -ux - uy);
    nw = RELAX(nw, w2, uy - ux);  se = RELAX(se, w2, ux - uy);
    et = RELAX(et, w2, ux + uz);  wb = RELAX(wb, w2, -ux - uz);
    eb = RELAX(eb, w2, ux - uz);  wt = RELAX(wt, w2, uz - ux);
    nt = RELAX(nt, w2, uy + uz);  sb = RELAX(sb, w2, -uy - uz);
    nb = RELAX(nb, w2, uy - uz);  st = RELAX(st, w2, uz - uy);
  }

  dst[((z*ny + y)*nx + x)*19 + C] = c;
  dst[((z*ny + y)*nx + (x + 1))*19 + E] = e;
  dst[((z*ny + y)*nx + (x - 1))*19 + W] = w;
  dst[((z*ny + (y + 1))*nx + x)*19 + N] = n;
  dst[((z*ny + (y - 1))*nx + x)*19 + S] = s;
  dst[(((z + 1)*ny + y)*nx + x)*19 + T] = t;
  dst[(((z - 1)*ny + y)*nx + x)*19 + B] = b;
  dst[((z*ny + (y + 1))*nx + (x + 1))*19 + NE] = ne;
  dst[((z*ny + (y - 1))*nx + (x - 1))*19 + SW] = sw;
  dst[((z*ny + (y + 1))*nx + (x - 1))*19 + NW] = nw;
  dst[((z*ny + (y - 1))*nx + (x + 1))*19 + SE] = se;
  dst[(((z + 1)*ny + y)*nx + (x + 1))*19 + ET] = et;
  dst[(((z - 1)*ny + y)*nx + (x - 1))*19 + WB] = wb;
  dst[(((z - 1)*ny + y)*nx + (x + 1))*19 + EB] = eb;
  dst[(((z + 1)*ny + y)*nx + (x - 1))*19 + WT] = wt;
  dst[(((z + 1)*ny + (y + 1))*nx + x)*19 + NT] = nt;
  dst[(((z - 1)*ny + (y - 1))*nx + x)*19 + SB] = sb;
  dst[(((z - 1)*ny + (y + 1))*nx + x)*19 + NB] = nb;
  dst[(((z + 1)*ny + (y - 1))*nx + x)*19 + ST] = st;
}

static const int cx[19] = { 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, 1, -1, 0, 0, 0, 0 };
static const int cy[19] = { 0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1 };
static const int cz[19] = { 0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1 };

static double weight(int q) { return q == 0 ? 1.0 / 3 : q < 7 ? 1.0 / 18 : 1.0 / 36; }

static void referenceStep(const std::vector<double> &src, std::vector<double> &dst,
                          const std::vector<unsigned char> &flags, int nx, int ny, int nz, double omega)
{
  for (int z = 1; z < nz - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        const int cell = (z * ny + y) * nx + x;
        double rho = 0, u[3] = { 0, 0, 0 };
        for (int q = 0; q < 19; q++) {
          const double f = src[cell * 19 + q];
          rho += f;
          u[0] += cx[q] * f;
          u[1] += cy[q] * f;
          u[2] += cz[q] * f;
        }
        const double uu = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / (rho * rho);
        for (int q = 0; q < 19; q++) {
          const double cu = 3.0 * (cx[q] * u[0] + cy[q] * u[1] + cz[q] * u[2]) / rho;
          const double eq = weight(q) * rho * (1.0 + cu + 0.5 * cu * cu - 1.5 * uu);
          const int opposite = q == 0 ? 0 : ((q - 1) ^ 1) + 1;
          const double out = flags[cell] ? src[cell * 19 + opposite]
                                         : src[cell * 19 + q] - omega * (src[cell * 19 + q] - eq);
          const int to = ((z + cz[q]) * ny + y + cy[q]) * nx + x + cx[q];
          dst[to * 19 + q] = out;
        }
      }
}

int main(int argc, char **argv)
{
  int nx = 15, ny = 11, nz = 9, steps = 4;
  if (argc > 1) nx = ny = nz = atoi(argv[1]);
  if (argc > 2) ny = atoi(argv[2]);
  if (argc > 3) nz = atoi(argv[3]);
  if (argc > 4) steps = atoi(argv[4]);
  if (nx < 0 || ny < 0 || nz < 0) { fprintf(stderr, "usage: grid_lbm_d3q19 [nx] [ny] [nz] [steps]\n"); return 2; }

  const int cells = nx * ny * nz;
  const size_t bytes = (size_t)cells * 19 * sizeof(float);
  const float omega = 1.1f;

  std::vector<float> f(cells * 19);
  std::vector<unsigned char> flags(cells);
  unsigned int lcg = 99u;
  int obstacles = 0;
  for (int i = 0; i < cells; i++) {
    lcg = lcg * 22695477u + 1u;
    flags[i] = (lcg >> 16) % 9u == 0u ? OBSTACLE : FLUID;
    obstacles += flags[i];
    for (int q = 0; q < 19; q++)
      f[i * 19 + q] = (float)weight(q) * (1.0f + 0.02f * ((i + 3 * q) % 13) + (q == E ? 0.05f : 0.0f));
  }
  std::vector<double> ref(f.begin(), f.end()), ref2 = ref;

  if (cells > 0) {
    float *d_src, *d_dst;
    unsigned char *d_flags;
    CHECK(cudaMalloc(&d_src, bytes));
    CHECK(cudaMalloc(&d_dst, bytes));
    CHECK(cudaMalloc(&d_flags, cells * sizeof(unsigned char)));
    CHECK(cudaMemcpy(d_src, f.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_dst, d_src, bytes, cudaMemcpyDeviceToDevice));   // the rim of both
    CHECK(cudaMemcpy(d_flags, flags.data(), cells, cudaMemcpyHostToDevice));

    if (nx > 2 && ny > 2 && nz > 2) {
      const dim3 threads(64);
      const dim3 blocks((nx - 2 + 63) / 64, ny - 2, nz - 2);
      for (int step = 0; step < steps; step++) {
        collide_and_push<<<blocks, threads>>>(d_src, d_dst, d_flags, nx, ny, nz, omega);
        CHECK(cudaGetLastError());
        float *swap = d_src;
        d_src = d_dst;
        d_dst = swap;
      }
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(f.data(), d_src, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_src));
    CHECK(cudaFree(d_dst));
    CHECK(cudaFree(d_flags));
  }

  for (int step = 0; step < steps; step++) {
    referenceStep(ref, ref2, flags, nx, ny, nz, omega);
    ref.swap(ref2);
  }

  int wrong = 0;
  double sum = 0.0;
  unsigned int bits = 0;
  for (int i = 0; i < cells * 19; i++) {
    unsigned int word;
    memcpy(&word, &f[i], sizeof word);
    bits = bits * 33u + word;
    if (!(fabs(f[i] - ref[i]) < 1e-5)) wrong++;
    sum += (i % 29 + 1) * (double)f[i];
  }
  printf("%d x %d x %d cells, %d obstacles, %d steps\n", nx, ny, nz, obstacles, steps);
  printf("sum %.14e bits %08x\n", sum, bits);
  puts(wrong ? "FAILED" : "PASSED");
  return wrong ? 1 : 0;
}
