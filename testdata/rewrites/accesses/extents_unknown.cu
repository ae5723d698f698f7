//@ layout = "* = tiled(32)"
// Extents that are constants which the tool does not compute, and arrays of variable length in host
// code: they keep what they touch, and the rest changes.
#include <cuda_runtime.h>
#include <limits>
struct Body { float x, y, mass; };
struct Pair { float a, b; };
__host__ __device__ constexpr int twice(int x) { return x * 2; }
__host__ __device__ constexpr int odd(int n) { int k = n; return k | 1; }
constexpr int L = twice(8);
constexpr int W = odd(8);
struct Rows { float a[2][W]; };
template <int N> __device__ float total(float (*rows)[N], int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += rows[i][0];
    return s;
}
__device__ float first(float rows[][W], float more[W]) { return rows[1][2] + more[0]; }
__constant__ float table[4][W];
__global__ void drift(Body *p, Rows *r, float *out, int n) {
    __shared__ int s[2][L / 2 + 1];
    __shared__ Body tile[2][W];
    __shared__ float f[4][W];
    int c[4][((int)sizeof("ABCDEFGH") - 1) / 4 + 1];
    int d[2][std::numeric_limits<char>::digits];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i & 3][0] = d[0][1] = s[0][0] = i;
    tile[i & 1][i % W] = p[i];
    f[i & 3][0] = i;
    float (*g)[W] = (float (*)[W])out;
    if (i < n) p[i].x += p[i].mass + tile[1][2].x + r->a[1][1] + total<W>(f, 3) + first(f, f[0]) + g[i][1];
    if (i < n) p[i].y += table[1][0] + c[i & 3][0] + d[0][1] + s[0][0] + sizeof(f[0]);
}
// A string is an array with a zero at its end: nine pairs.
__global__ void strings(Pair *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Pair q[sizeof("ABCDEFGH")];
    q[i & 7] = p[i];
    if (i < n) out[i] = q[0].a + sizeof("");
}
void host(Body *p, float *v, int n) {
    Body w[n];
    float (*q)[n] = (float (*)[n])v;
    const int m = n * 2;
    float buffer[n][m];
    q[1][0] = buffer[0][m - 1] = 3;
    w[0].x = q[1][0];
    cudaMemcpy(w, p, n * sizeof(Body), cudaMemcpyDeviceToHost);
    cudaMemcpy(v, buffer, sizeof buffer, cudaMemcpyHostToHost);
}
int main() {
    Body *p;
    Pair *pairs;
    Rows *r;
    float *out, *v = new float[16];
    cudaMalloc(&p, 1024 * sizeof(Body));
    cudaMalloc(&pairs, 1024 * sizeof(Pair));
    cudaMalloc(&r, sizeof(Rows));
    cudaMalloc(&out, 1024 * W * sizeof(float));
    drift<<<8, 128>>>(p, r, out, 1000);
    strings<<<8, 128>>>(pairs, out, 1000);
    host(p, v, 4);
}
