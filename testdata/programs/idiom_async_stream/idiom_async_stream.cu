// Two halves of the work on two streams: asynchronous copies, a memset and launches on each.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

#define CHECK_RT(call)                                                              \
  if (auto status = (call); status != cudaSuccess) {                                \
    std::fprintf(stderr, #call ": %s\n", cudaGetErrorString(status));               \
    return 1;                                                                       \
  }

struct Packet {
  int source;
  int target;
  unsigned payload;
  unsigned crc;
};

__global__ void checksum(Packet *packets, int n, unsigned salt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned c = packets[i].payload ^ salt;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1u) ? 0xedb88320u : 0u);
    packets[i].crc = c;
  }
}

__global__ void route(const Packet *packets, int n, Packet *log) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && packets[i].crc % 3 == 0) {
    log[i].source = packets[i].target;
    log[i].target = packets[i].source;
    log[i].crc = packets[i].crc;
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int half[2] = {n / 2, n - n / 2};
  Packet *packets[2], *log[2];
  cudaStream_t stream[2];

  for (int s = 0; s < 2; ++s) {
    packets[s] = new Packet[half[s] + 1];
    log[s] = new Packet[half[s] + 1];
    for (int i = 0; i < half[s]; ++i) packets[s][i] = {i, 2 * i + s, 2654435761u * (i + 1), 0u};
  }

  // the first stream, spelled out
  Packet *d_first = nullptr, *d_first_log = nullptr;
  CHECK_RT(cudaStreamCreate(&stream[0]));
  CHECK_RT(cudaMalloc(&d_first, half[0] * sizeof(Packet)));
  CHECK_RT(cudaMalloc(&d_first_log, half[0] * sizeof(Packet)));
  CHECK_RT(cudaMemcpyAsync(d_first, packets[0], half[0] * sizeof(Packet), cudaMemcpyHostToDevice, stream[0]));
  CHECK_RT(cudaMemsetAsync(d_first_log, 0, half[0] * sizeof(Packet), stream[0]));
  if (half[0] > 0) {
    checksum<<<(half[0] + 63) / 64, 64, 0, stream[0]>>>(d_first, half[0], 17u);
    route<<<(half[0] + 63) / 64, 64, 0, stream[0]>>>(d_first, half[0], d_first_log);
  }

  // and the second one
  Packet *d_second = nullptr, *d_second_log = nullptr;
  CHECK_RT(cudaStreamCreate(&stream[1]));
  CHECK_RT(cudaMalloc(&d_second, half[1] * sizeof(Packet)));
  CHECK_RT(cudaMalloc(&d_second_log, half[1] * sizeof(Packet)));
  CHECK_RT(cudaMemcpyAsync(d_second, packets[1], half[1] * sizeof(Packet), cudaMemcpyHostToDevice, stream[1]));
  CHECK_RT(cudaMemsetAsync(d_second_log, 0, half[1] * sizeof(Packet), stream[1]));
  if (half[1] > 0) {
    checksum<<<(half[1] + 63) / 64, 64, 0, stream[1]>>>(d_second, half[1], 99u);
    route<<<(half[1] + 63) / 64, 64, 0, stream[1]>>>(d_second, half[1], d_second_log);
  }

  CHECK_RT(cudaMemcpyAsync(packets[0], d_first, half[0] * sizeof(Packet), cudaMemcpyDeviceToHost, stream[0]));
  CHECK_RT(cudaMemcpyAsync(log[0], d_first_log, half[0] * sizeof(Packet), cudaMemcpyDeviceToHost, stream[0]));
  CHECK_RT(cudaMemcpyAsync(packets[1], d_second, half[1] * sizeof(Packet), cudaMemcpyDeviceToHost, stream[1]));
  CHECK_RT(cudaMemcpyAsync(log[1], d_second_log, half[1] * sizeof(Packet), cudaMemcpyDeviceToHost, stream[1]));
  for (int s = 0; s < 2; ++s) {
    CHECK_RT(cudaStreamSynchronize(stream[s]));
    CHECK_RT(cudaStreamDestroy(stream[s]));
  }
  CHECK_RT(cudaFree(d_first));
  CHECK_RT(cudaFree(d_first_log));
  CHECK_RT(cudaFree(d_second));
  CHECK_RT(cudaFree(d_second_log));

  bool ok = true;
  unsigned sum = 0;
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < half[s]; ++i) {
      unsigned c = (2654435761u * (i + 1)) ^ (s == 0 ? 17u : 99u);
      for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1u) ? 0xedb88320u : 0u);
      const bool logged = c % 3 == 0;
      const Packet &p = packets[s][i], &l = log[s][i];
      ok = ok && p.source == i && p.target == 2 * i + s && p.payload == 2654435761u * (i + 1) && p.crc == c;
      ok = ok && l.source == (logged ? p.target : 0) && l.target == (logged ? i : 0) && l.payload == 0 &&
           l.crc == (logged ? c : 0);
      sum = sum * 16777619u ^ p.crc ^ p.payload ^ (p.source << 8) ^ p.target;
      sum = sum * 16777619u ^ l.crc ^ l.payload ^ (l.source << 8) ^ l.target;
    }
    delete[] packets[s];
    delete[] log[s];
  }
  std::printf("%d packets, checksum %08x\n%s\n", n, sum, ok ? "PASSED" : "FAILED");
  return ok ? 0 : 1;
}
