// The kernel of `programs/grid_lbm_d3q19` as an expert writes it: one array for each direction, one
// behind the other, and neighbours by offsets from the number of the cell.
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
  const int cell = (z*ny + y)*nx + x, count = nx*ny*nz;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;

  float c  = src[C*count + cell];
  float e  = src[E*count + cell],  w  = src[W*count + cell];
  float n  = src[N*count + cell],  s  = src[S*count + cell];
  float t  = src[T*count + cell],  b  = src[B*count + cell];
  float ne = src[NE*count + cell], sw = src[SW*count + cell];
  float nw = src[NW*count + cell], se = src[SE*count + cell];
  float et = src[ET*count + cell], wb = src[WB*count + cell];
  float eb = src[EB*count + cell], wt = src[WT*count + cell];
  float nt = src[NT*count + cell], sb = src[SB*count + cell];
  float nb = src[NB*count + cell], st = src[ST*count + cell];

  if (flags[cell] == OBSTACLE) {
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

  dst[C*count + cell] = c;
  dst[E*count + cell + 1] = e;
  dst[W*count + cell - 1] = w;
  dst[N*count + cell + nx] = n;
  dst[S*count + cell - nx] = s;
  dst[T*count + cell + nx*ny] = t;
  dst[B*count + cell - nx*ny] = b;
  dst[NE*count + cell + 1 + nx] = ne;
  dst[SW*count + cell - 1 - nx] = sw;
  dst[NW*count + cell - 1 + nx] = nw;
  dst[SE*count + cell + 1 - nx] = se;
  dst[ET*count + cell + 1 + nx*ny] = et;
  dst[WB*count + cell - 1 - nx*ny] = wb;
  dst[EB*count + cell + 1 - nx*ny] = eb;
  dst[WT*count + cell - 1 + nx*ny] = wt;
  dst[NT*count + cell + nx + nx*ny] = nt;
  dst[SB*count + cell - nx - nx*ny] = sb;
  dst[NB*count + cell + nx - nx*ny] = nb;
  dst[ST*count + cell - nx + nx*ny] = st;
}
