#include <cstdio>
#include <vector>

template <int Block>
__global__ void sum(const float *in, float *out, int n) {
  __shared__ float s[Block];
  int i = blockIdx.x * Block + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int k = Block / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

int main() {
  const int n = 1000;
  std::vector<float> h(n);
  for (int i = 0; i < n; i++) h[i] = i % 7;
  float *in, *out, result = 0;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc((void **)&out, sizeof(float));
  cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(float));
  sum<128><<<(n + 127) / 128, 128>>>(in, out, n);
  cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
  float expected = 0;
  for (float v : h) expected += v;
  printf("%g %g %s\n", result, expected, cudaGetErrorString(cudaGetLastError()));
  cudaFree(in);
  cudaFree(out);
  return result == expected ? 0 : 1;
}
