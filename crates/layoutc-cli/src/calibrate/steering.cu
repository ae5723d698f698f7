// Bandwidth by stride, for `layoutc calibrate steering --curve`.
//
// Every block is one thread, which loads one word again and again; the words of neighbouring blocks
// are a fixed stride apart, so that all requests agree in the address bits below the stride. Each
// load's result is the next one's index, so no load can start before the last has ended.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

constexpr unsigned kStep = 16;          // words: 64 bytes
constexpr unsigned kMaxStride = 16384;  // words: 64 KiB
constexpr int kLoads = 2048;            // per thread
constexpr int kBlocksPerMultiprocessor = 8;
constexpr int kRepetitions = 3;
constexpr int kNoDevice = 3;

#define CHECK(call)                                                                   \
  do {                                                                                \
    cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                      \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));            \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

// Every word holds its own index, so that a chase stays where it is.
__global__ void fill(unsigned *words, size_t count) {
  size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = first; i < count; i += step) words[i] = static_cast<unsigned>(i);
}

__global__ void chase(const unsigned *words, unsigned stride, unsigned *never) {
  unsigned x = blockIdx.x * stride;
  for (int i = 0; i < kLoads; ++i) x = __ldcg(words + x);  // not from the first-level cache
  if (x == 0xffffffffu) *never = x;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no CUDA device\n");
    return kNoDevice;
  }
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  unsigned blocks = static_cast<unsigned>(device.multiProcessorCount) * kBlocksPerMultiprocessor;
  size_t count = static_cast<size_t>(blocks) * kMaxStride;
  unsigned *words = nullptr, *never = nullptr;
  CHECK(cudaMalloc(&words, count * sizeof(unsigned)));
  CHECK(cudaMalloc(&never, sizeof(unsigned)));
  fill<<<1024, 256>>>(words, count);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::printf("# device: %s\n", device.name);
  std::printf("# %u blocks of one thread, %d loads each\n", blocks, kLoads);
  std::printf("stride_words,requests_per_second\n");
  chase<<<blocks, 1>>>(words, kStep, never);  // not timed
  for (unsigned stride = kStep; stride <= kMaxStride; stride += kStep) {
    float best = 0.0f;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      CHECK(cudaEventRecord(start));
      chase<<<blocks, 1>>>(words, stride, never);
      CHECK(cudaGetLastError());
      CHECK(cudaEventRecord(stop));
      CHECK(cudaEventSynchronize(stop));
      float milliseconds = 0.0f;
      CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
      best = repetition == 0 ? milliseconds : std::min(best, milliseconds);
    }
    double requests = static_cast<double>(blocks) * kLoads;
    std::printf("%u,%.6e\n", stride, requests / (best * 1e-3));
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFree(words));
  CHECK(cudaFree(never));
  return 0;
}
