#include "scan.h"

namespace {

constexpr int scanBlock = 128;

__global__ void scanBlocks(int *values, int count, int *sums) {
  __shared__ int temp[2][scanBlock];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int own = i < count ? values[i] : 0;
  int in = 0;
  temp[in][threadIdx.x] = own;
  __syncthreads();
  for (int offset = 1; offset < scanBlock; offset *= 2) {
    int sum = temp[in][threadIdx.x];
    if (static_cast<int>(threadIdx.x) >= offset) sum += temp[in][threadIdx.x - offset];
    temp[1 - in][threadIdx.x] = sum;
    in = 1 - in;
    __syncthreads();
  }
  const int inclusive = temp[in][threadIdx.x];
  if (i < count) values[i] = inclusive - own;
  if (threadIdx.x == scanBlock - 1) sums[blockIdx.x] = inclusive;
}

__global__ void addBlockSums(int *values, int count, const int *sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += sums[blockIdx.x];
}

} // namespace

Scan::Scan(int capacity) : blockSums_((capacity + scanBlock - 1) / scanBlock) {}

int Scan::exclusive(int *values, int count) {
  if (count == 0) return 0;
  const int blocks = (count + scanBlock - 1) / scanBlock;
  scanBlocks<<<blocks, scanBlock>>>(values, count, blockSums_.data());
  CUDA_CHECK(cudaGetLastError());
  // Few sums: the host adds them up.
  std::vector<int> sums(blocks);
  CUDA_CHECK(cudaMemcpy(sums.data(), blockSums_.data(), blocks * sizeof(int), cudaMemcpyDeviceToHost));
  int total = 0;
  for (int &sum : sums) {
    const int own = sum;
    sum = total;
    total += own;
  }
  CUDA_CHECK(cudaMemcpy(blockSums_.data(), sums.data(), blocks * sizeof(int), cudaMemcpyHostToDevice));
  addBlockSums<<<blocks, scanBlock>>>(values, count, blockSums_.data());
  CUDA_CHECK(cudaGetLastError());
  return total;
}
