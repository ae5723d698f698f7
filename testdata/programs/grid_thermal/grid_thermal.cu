/* Temperature of a chip from the power of its parts: a thermal RC network on a 2-D grid.
 *
 * Two grids go in, temperature and power; each block loads its tile of the temperature with a rim of
 * one cell into shared memory. Outside the chip the temperature is that of the nearest cell.
 *
 * usage: grid_thermal [rows] [cols] [steps]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime.h>

#define TILE 16

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define CHECK_CUDA(call)                                                        \
  {                                                                             \
    const cudaError_t error = call;                                             \
    if (error != cudaSuccess) {                                                 \
      printf("Error: %s:%d, %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                                  \
    }                                                                           \
  }

typedef struct {
  float rx, ry, rz;     /* conductances to the sides and to the heat sink */
  float step;           /* time step over capacity */
  float ambient;
} Material;

__global__ void heat(const float *temp_src, const float *power, float *temp_dst, int rows, int cols, Material m)
{
  __shared__ float tile[TILE + 2][TILE + 2];

  int tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * TILE + tx;
  int row = blockIdx.y * TILE + ty;

  if (row < rows && col < cols) {
    tile[ty + 1][tx + 1] = temp_src[row * cols + col];
    if (tx == 0)
      tile[ty + 1][0] = temp_src[row * cols + MAX(col - 1, 0)];
    if (tx == TILE - 1 || col == cols - 1)
      tile[ty + 1][tx + 2] = temp_src[row * cols + MIN(col + 1, cols - 1)];
    if (ty == 0)
      tile[0][tx + 1] = temp_src[MAX(row - 1, 0) * cols + col];
    if (ty == TILE - 1 || row == rows - 1)
      tile[ty + 2][tx + 1] = temp_src[MIN(row + 1, rows - 1) * cols + col];
  }
  __syncthreads();

  if (row < rows && col < cols) {
    float t = tile[ty + 1][tx + 1];
    float delta = power[row * cols + col]
      + (tile[ty][tx + 1] + tile[ty + 2][tx + 1] - 2.0f * t) * m.ry
      + (tile[ty + 1][tx] + tile[ty + 1][tx + 2] - 2.0f * t) * m.rx
      + (m.ambient - t) * m.rz;
    temp_dst[row * cols + col] = t + m.step * delta;
  }
}

/* hottest cell of every block: a reduction that also starts from the grid */
__global__ void hottest(const float *temp, float *block_max, int rows, int cols)
{
  __shared__ float best[TILE * TILE];
  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  int me = threadIdx.y * TILE + threadIdx.x;
  best[me] = row < rows && col < cols ? temp[row * cols + col] : -1.0e30f;
  __syncthreads();
  for (int half = TILE * TILE / 2; half > 0; half >>= 1) {
    if (me < half) best[me] = fmaxf(best[me], best[me + half]);
    __syncthreads();
  }
  if (me == 0) block_max[blockIdx.y * gridDim.x + blockIdx.x] = best[0];
}

/* runs the steps; tells which of the two grids holds the result */
static int simulate(float *d_power, float *d_temp[2], int rows, int cols, Material m, int steps)
{
  dim3 block(TILE, TILE);
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  int src = 0, dst = 1;
  for (int t = 0; t < steps; t++) {
    heat<<<grid, block>>>(d_temp[src], d_power, d_temp[dst], rows, cols, m);
    CHECK_CUDA(cudaGetLastError());
    int tmp = src;
    src = dst;
    dst = tmp;
  }
  return src;
}

static void reference(const double *src, const float *power, double *dst, int rows, int cols, Material m)
{
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < cols; c++) {
      double t = src[r * cols + c];
      double n = src[MAX(r - 1, 0) * cols + c], s = src[MIN(r + 1, rows - 1) * cols + c];
      double w = src[r * cols + MAX(c - 1, 0)], e = src[r * cols + MIN(c + 1, cols - 1)];
      double delta = power[r * cols + c] + (n + s - 2 * t) * m.ry + (w + e - 2 * t) * m.rx + (m.ambient - t) * m.rz;
      dst[r * cols + c] = t + m.step * delta;
    }
}

int main(int argc, char **argv)
{
  int rows = argc > 1 ? atoi(argv[1]) : 41;
  int cols = argc > 2 ? atoi(argv[2]) : (argc > 1 ? rows : 59);
  int steps = argc > 3 ? atoi(argv[3]) : 8;
  if (rows < 0 || cols < 0 || steps < 0) {
    fprintf(stderr, "usage: grid_thermal [rows] [cols] [steps]\n");
    return 2;
  }
  int size = rows * cols;
  Material m = { 0.8f, 1.2f, 0.05f, 0.2f, 60.0f };

  float *temp = (float *)calloc(size + 1, sizeof(float));
  float *power = (float *)calloc(size + 1, sizeof(float));
  double *a = (double *)calloc(size + 1, sizeof(double));
  double *b = (double *)calloc(size + 1, sizeof(double));
  unsigned int lcg = 7u;
  for (int i = 0; i < size; i++) {
    lcg = lcg * 214013u + 2531011u;
    temp[i] = 60.0f + ((lcg >> 16) & 127u) / 16.0f;
    power[i] = (lcg >> 25) < 16u ? 4.0f : 0.25f;
    a[i] = temp[i];
  }

  int blocks = ((cols + TILE - 1) / TILE) * ((rows + TILE - 1) / TILE);
  float *peak = (float *)calloc(blocks + 1, sizeof(float));
  if (size > 0) {
    float *d_temp[2], *d_power, *d_peak;
    CHECK_CUDA(cudaMalloc((void **)&d_temp[0], sizeof(float) * size));
    CHECK_CUDA(cudaMalloc((void **)&d_temp[1], sizeof(float) * size));
    CHECK_CUDA(cudaMalloc((void **)&d_power, sizeof(float) * size));
    CHECK_CUDA(cudaMalloc((void **)&d_peak, sizeof(float) * blocks));
    CHECK_CUDA(cudaMemcpy(d_temp[0], temp, sizeof(float) * size, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_power, power, sizeof(float) * size, cudaMemcpyHostToDevice));

    int result = simulate(d_power, d_temp, rows, cols, m, steps);
    dim3 block(TILE, TILE);
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    hottest<<<grid, block>>>(d_temp[result], d_peak, rows, cols);
    CHECK_CUDA(cudaGetLastError());

    CHECK_CUDA(cudaMemcpy(temp, d_temp[result], sizeof(float) * size, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(peak, d_peak, sizeof(float) * blocks, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaFree(d_temp[0]));
    CHECK_CUDA(cudaFree(d_temp[1]));
    CHECK_CUDA(cudaFree(d_power));
    CHECK_CUDA(cudaFree(d_peak));
  }

  for (int t = 0; t < steps; t++) {
    reference(a, power, b, rows, cols, m);
    double *swap = a;
    a = b;
    b = swap;
  }

  int wrong = 0;
  float most = 0.0f, mostOfBlocks = 0.0f;
  double sum = 0.0, peaks = 0.0;
  unsigned int bits = 0;
  for (int i = 0; i < size; i++) {
    unsigned int word;
    memcpy(&word, &temp[i], sizeof word);
    bits = bits * 33u + word;
    if (!(fabs(temp[i] - a[i]) < 1e-3)) wrong++;
    sum += (i % 19 + 1) * (double)temp[i];
    most = MAX(most, temp[i]);
  }
  for (int i = 0; i < blocks; i++) {
    peaks += (i % 5 + 1) * (double)peak[i];
    mostOfBlocks = MAX(mostOfBlocks, peak[i]);
  }
  if (most != mostOfBlocks) wrong++;
  printf("%d x %d cells, %d steps\n", rows, cols, steps);
  printf("temperature %.14e peaks %.10e hottest %.8e bits %08x\n", sum, peaks, most, bits);
  printf("%s\n", wrong ? "FAILED" : "PASSED");
  free(temp);
  free(power);
  free(peak);
  free(a);
  free(b);
  return wrong ? 1 : 0;
}
