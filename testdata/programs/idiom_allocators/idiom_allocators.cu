// Device memory by way of helpers: one returns the pointer, one fills a T **, one is a macro; the pointers go
// through locals, a conditional expression and a launch wrapper before a kernel sees them.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

struct Cell {
  unsigned char kind;
  short height;
  float water;
  float soil;
};

#define DEVICE_ALLOC(ptr, type, count) \
  if (cudaMalloc((void **)&(ptr), (count) * sizeof(type)) != cudaSuccess) { puts("out of memory"); exit(1); }

static Cell *deviceCells(int count) {
  Cell *p = NULL;
  if (cudaMalloc((void **)&p, count * sizeof(Cell)) != cudaSuccess) exit(1);
  return p;
}

static void allocateCells(Cell **out, int count) {
  if (cudaMalloc((void **)out, count * sizeof(Cell)) != cudaSuccess) exit(1);
}

__global__ void rain(Cell *cells, int n, float amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) cells[i].water += cells[i].kind == 1 ? amount : 0.5f * amount;
}

__global__ void erode(const Cell *from, Cell *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  to[i].kind = from[i].kind;
  to[i].height = from[i].height - (from[i].water > 2.0f);
  to[i].water = from[i].water * 0.5f;
  to[i].soil = from[i].soil + from[(i + n - 1) % n].water * 0.25f;
}

static void launchErode(const Cell *from, Cell *to, int n) {
  int threads = 100;
  int blocks = (n + threads - 1) / threads;
  erode<<<blocks, threads>>>(from, to, n);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  if (n < 1) { puts("no cells\nPASSED"); return 0; }

  Cell *cells = (Cell *)malloc(n * sizeof(Cell)), *a = (Cell *)malloc(n * sizeof(Cell)), *b = (Cell *)malloc(n * sizeof(Cell));
  for (int i = 0; i < n; i++) {
    cells[i].kind = i % 3;
    cells[i].height = (short)(100 + i % 20);
    cells[i].water = 0.25f * (i % 9);
    cells[i].soil = 1.0f;
    a[i] = cells[i];
  }

  Cell *d_one = deviceCells(n);
  Cell *d_two;
  Cell *d_spare;
  allocateCells(&d_two, n);
  DEVICE_ALLOC(d_spare, Cell, n)
  cudaMemcpy(d_one, cells, n * sizeof(Cell), cudaMemcpyHostToDevice);

  Cell *from = d_one;
  for (int step = 0; step < 4; step++) {
    Cell *to = step == 3 ? d_spare : (from == d_one ? d_two : d_one);
    rain<<<n / 64 + 1, 64>>>(from, n, 2.0f);
    launchErode(from, to, n);
    from = to;
  }
  cudaError_t last = cudaGetLastError();
  cudaMemcpy(cells, d_spare, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  cudaFree(d_one);
  cudaFree(d_two);
  cudaFree(d_spare);

  for (int step = 0; step < 4; step++) {
    for (int i = 0; i < n; i++) a[i].water += a[i].kind == 1 ? 2.0f : 1.0f;
    for (int i = 0; i < n; i++) {
      b[i] = a[i];
      b[i].height -= a[i].water > 2.0f;
      b[i].water *= 0.5f;
      b[i].soil += a[(i + n - 1) % n].water * 0.25f;
    }
    Cell *t = a; a = b; b = t;
  }
  int wrong = last != cudaSuccess;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    wrong += cells[i].kind != a[i].kind || cells[i].height != a[i].height || cells[i].water != a[i].water || cells[i].soil != a[i].soil;
    sum += (i % 5 + 1) * (cells[i].kind + 2.0 * cells[i].height + 3.0 * cells[i].water + 4.0 * cells[i].soil);
  }
  printf("%d cells %.6f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
  free(cells); free(a); free(b);
  return wrong ? 1 : 0;
}
