// Elements reached as (*p).f, (p + i)->f, *(p + i) and p->f instead of p[i].f.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                  \
  do {                                                               \
    cudaError_t e = (call);                                          \
    if (e != cudaSuccess) {                                          \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(e));           \
      std::exit(1);                                                  \
    }                                                                \
  } while (0)

struct Sample {
  int id;
  float value;
  float weight;
};

__global__ void scale(Sample *p, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) (p + i)->value *= factor;
}

__global__ void shift(Sample *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    (*(p + i)).value += (*(p + i)).weight;
    (i + p)->id += 100;
  }
}

// every thread reads element 0 through the bare pointer
__global__ void relate(Sample *p, int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (p + i)->value - p->value + (*p).weight + (&p[i])->weight;
}

// thread 0 works on the first element only, whole elements move through *p
__global__ void exchange(Sample *p, int n) {
  if (threadIdx.x == 0 && blockIdx.x == 0 && n > 1) {
    Sample first = *p;
    *p = *(p + n - 1);
    *(p + (n - 1)) = first;
    (*p).id = -(*p).id;
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  Sample *h = new Sample[n + 1];
  Sample *want = new Sample[n + 1];
  float *out = new float[n + 1];
  for (int i = 0; i < n; ++i) {
    h[i].id = i;
    h[i].value = (i * 37 % 101) * 0.5f;
    h[i].weight = (i * 11 % 17) * 0.25f;
    want[i].id = i + 100;
    want[i].value = h[i].value * 2.0f + h[i].weight;
    want[i].weight = h[i].weight;
  }

  Sample *d;
  float *d_out;
  CHECK(cudaMalloc(&d, n * sizeof(Sample)));
  CHECK(cudaMalloc(&d_out, n * sizeof(float)));
  CHECK(cudaMemcpy(d, h, n * sizeof(Sample), cudaMemcpyHostToDevice));
  int blocks = (n + 127) / 128;
  if (blocks > 0) {
    scale<<<blocks, 128>>>(d, n, 2.0f);
    shift<<<blocks, 128>>>(d, n);
    relate<<<blocks, 128>>>(d, n, d_out);
    exchange<<<1, 32>>>(d, n);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaMemcpy(h, d, n * sizeof(Sample), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d));
  CHECK(cudaFree(d_out));

  bool ok = true;
  for (int i = 0; i < n; ++i)
    ok = ok && out[i] == want[i].value - want[0].value + want[0].weight + want[i].weight;
  if (n > 1) {
    Sample first = want[0];
    want[0] = want[n - 1];
    want[n - 1] = first;
    want[0].id = -want[0].id;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    ok = ok && h[i].id == want[i].id && h[i].value == want[i].value && h[i].weight == want[i].weight;
    sum += (i % 7 + 1) * (h[i].id + 2.0 * h[i].value + 3.0 * h[i].weight) + out[i];
  }
  std::printf("n %d checksum %.3f\n%s\n", n, sum, ok ? "PASSED" : "FAILED");
  delete[] h;
  delete[] want;
  delete[] out;
  return ok ? 0 : 1;
}
