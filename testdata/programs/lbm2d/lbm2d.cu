/* Lattice Boltzmann, D2Q9, BGK collision: flow around a block in a channel that is periodic in x.
 * The nine distributions of a cell are an array in its record. Two grids, swapped after each step;
 * a step pulls the distributions from the neighbours and collides.
 *
 * usage: lbm2d [width] [height] [steps]
 */

#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define Q 9
#define IDX(x, y) ((y) * nx + (x))

typedef struct {
  float f[Q];
  int   solid;
} Site;

#define SAFE_CALL(call) do {                                            \
    cudaError_t err = call;                                             \
    if( cudaSuccess != err) {                                           \
      fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n",     \
              __FILE__, __LINE__, cudaGetErrorString( err) );           \
      exit(EXIT_FAILURE);                                               \
    } } while (0)

__device__ float equilibrium(int q, float rho, float ux, float uy)
{
  const int   cx[Q] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
  const int   cy[Q] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
  const float w = q == 0 ? 4.0f / 9.0f : q < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
  const float cu = 3.0f * (cx[q] * ux + cy[q] * uy);
  return w * rho * (1.0f + cu + 0.5f * cu * cu - 1.5f * (ux * ux + uy * uy));
}

__global__ void stream_collide( const Site* src, Site* dst, int nx, int ny, float omega, float force )
{
  const int cx[Q]  = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
  const int cy[Q]  = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
  const int opp[Q] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };

  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if ( x >= nx || y >= ny ) return;

  float f[Q];
  for( int q = 0; q < Q; q++ ) {
    int sx = ( x - cx[q] + nx ) % nx;
    int sy = y - cy[q];
    /* half-way bounce back at the channel's walls and at the block */
    if( sy < 0 || sy >= ny || src[IDX(sx, sy)].solid )
      f[q] = src[IDX(x, y)].f[opp[q]];
    else
      f[q] = src[IDX(sx, sy)].f[q];
  }

  dst[IDX(x, y)].solid = src[IDX(x, y)].solid;
  if( src[IDX(x, y)].solid ) {
    for( int q = 0; q < Q; q++ )
      dst[IDX(x, y)].f[q] = src[IDX(x, y)].f[q];
    return;
  }

  float rho = 0.0f, ux = 0.0f, uy = 0.0f;
  for( int q = 0; q < Q; q++ ) {
    rho += f[q];
    ux  += f[q] * cx[q];
    uy  += f[q] * cy[q];
  }
  ux = ux / rho + force / omega;
  uy = uy / rho;
  for( int q = 0; q < Q; q++ )
    dst[IDX(x, y)].f[q] = f[q] - omega * ( f[q] - equilibrium(q, rho, ux, uy) );
}

static void host_step( const Site* src, Site* dst, int nx, int ny, float omega, float force )
{
  static const int cx[Q]  = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
  static const int cy[Q]  = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
  static const int opp[Q] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
  for( int y = 0; y < ny; y++ )
    for( int x = 0; x < nx; x++ ) {
      const Site* here = &src[y * nx + x];
      Site* out = &dst[y * nx + x];
      *out = *here;
      if( here->solid ) continue;
      double f[Q], rho = 0, ux = 0, uy = 0;
      for( int q = 0; q < Q; q++ ) {
        int sx = ( x - cx[q] + nx ) % nx, sy = y - cy[q];
        int blocked = sy < 0 || sy >= ny || src[sy * nx + sx].solid;
        f[q] = blocked ? here->f[opp[q]] : src[sy * nx + sx].f[q];
        rho += f[q];
        ux += f[q] * cx[q];
        uy += f[q] * cy[q];
      }
      ux = ux / rho + force / omega;
      uy = uy / rho;
      for( int q = 0; q < Q; q++ ) {
        double w = q == 0 ? 4.0 / 9.0 : q < 5 ? 1.0 / 9.0 : 1.0 / 36.0;
        double cu = 3.0 * ( cx[q] * ux + cy[q] * uy );
        double eq = w * rho * ( 1.0 + cu + 0.5 * cu * cu - 1.5 * ( ux * ux + uy * uy ) );
        out->f[q] = (float)( f[q] - omega * ( f[q] - eq ) );
      }
    }
}

int main( int argc, char** argv )
{
  int nx = argc > 1 ? atoi(argv[1]) : 45;
  int ny = argc > 2 ? atoi(argv[2]) : ( argc > 1 ? nx : 23 );
  int steps = argc > 3 ? atoi(argv[3]) : 10;
  const float omega = 1.2f, force = 1e-3f;
  int sites = nx * ny;
  if( nx < 0 || ny < 0 ) {
    fprintf(stderr, "usage: lbm2d [width] [height] [steps]\n");
    return 2;
  }

  size_t size = (size_t)sites * sizeof(Site);
  Site* grid = (Site*)malloc(size + 1);
  Site* ref  = (Site*)malloc(size + 1);
  Site* ref2 = (Site*)malloc(size + 1);

  for( int y = 0; y < ny; y++ )
    for( int x = 0; x < nx; x++ ) {
      Site* s = &grid[IDX(x, y)];
      for( int q = 0; q < Q; q++ )
        s->f[q] = ( q == 0 ? 4.0f / 9.0f : q < 5 ? 1.0f / 9.0f : 1.0f / 36.0f )
                  * ( 1.0f + 0.01f * ( ( 3 * x + 5 * y + 7 * q ) % 11 ) );
      s->solid = x >= nx / 4 && x < nx / 4 + nx / 8 && y >= ny / 3 && y < ny / 3 + ny / 4;
      ref[IDX(x, y)] = *s;
    }

  Site *d_src = NULL, *d_dst = NULL;
  SAFE_CALL( cudaMalloc((void**)&d_src, size) );
  SAFE_CALL( cudaMalloc((void**)&d_dst, size) );
  SAFE_CALL( cudaMemcpy(d_src, grid, size, cudaMemcpyHostToDevice) );

  dim3 block(32, 4);
  dim3 cells((nx + 31) / 32, (ny + 3) / 4);
  for( int t = 0; t < steps && sites > 0; t++ ) {
    stream_collide<<<cells, block>>>(d_src, d_dst, nx, ny, omega, force);
    SAFE_CALL( cudaGetLastError() );
    Site* tmp = d_src; d_src = d_dst; d_dst = tmp;
  }
  SAFE_CALL( cudaDeviceSynchronize() );

  SAFE_CALL( cudaMemcpy(grid, d_src, size, cudaMemcpyDeviceToHost) );
  SAFE_CALL( cudaFree(d_src) );
  SAFE_CALL( cudaFree(d_dst) );

  for( int t = 0; t < steps; t++ ) {
    host_step(ref, ref2, nx, ny, omega, force);
    Site* tmp = ref; ref = ref2; ref2 = tmp;
  }

  int bad = 0, solid = 0;
  double mass = 0.0, weighted[Q] = { 0 };
  for( int i = 0; i < sites; i++ ) {
    bad += grid[i].solid != ref[i].solid;
    solid += grid[i].solid;
    for( int q = 0; q < Q; q++ ) {
      if( !( fabsf(grid[i].f[q] - ref[i].f[q]) < 1e-5f ) ) bad++;
      mass += grid[i].f[q];
      weighted[q] += ( i % 7 + 1 ) * (double)grid[i].f[q];
    }
  }
  printf("%d x %d sites, %d solid, %d steps\nmass %.14e\n", nx, ny, solid, steps, mass);
  for( int q = 0; q < Q; q++ ) printf("%.14e%c", weighted[q], q + 1 < Q ? ' ' : '\n');
  printf(bad ? "FAILED\n" : "PASSED\n");

  free(grid);
  free(ref);
  free(ref2);
  return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
