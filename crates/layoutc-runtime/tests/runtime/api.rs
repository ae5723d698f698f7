//! The runtime API: symbols, streams, managed memory, types.

use crate::support::prints;

#[test]
fn symbols() {
    prints(
        "__constant__ float c[4];\n__device__ int total = 3;\n__global__ void k() { total += (int)(c[0] + c[3]); }",
        "float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, sizeof h); cudaMemcpyToSymbol(c, &h[3], 4, 0); k<<<1, 2>>>(); int t; cudaMemcpyFromSymbol(&t, total, sizeof t); printf(\"%d\\n\", t);\nvoid *p; cudaGetSymbolAddress(&p, total); cudaMemset(p, 0, 4); k<<<1, 1>>>(); cudaMemcpy(&t, p, 4, cudaMemcpyDeviceToHost); size_t n; cudaGetSymbolSize(&n, c); printf(\"%d %zu\\n\", t, n);",
        "19\n8 16\n",
    );
}

#[test]
fn streams_run_in_order_and_events_have_times() {
    prints(
        "__global__ void k(int *p, int v) { *p = *p * 10 + v; }\nvoid CUDART_CB done(cudaStream_t, cudaError_t, void *d) { printf(\"callback %d\\n\", *(int*)d); }",
        "int *p, h = 0; cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking); cudaEvent_t e, f; cudaEventCreate(&e); cudaEventCreate(&f);\ncudaMallocAsync(&p, 4, s); cudaMemsetAsync(p, 0, 4, s); cudaEventRecord(e, s);\nk<<<1, 1, 0, s>>>(p, 1); k<<<1, 1, 0, s>>>(p, 2); cudaEventRecord(f, s); cudaStreamWaitEvent(t, f, 0); k<<<1, 1, 0, t>>>(p, 3);\ncudaMemcpyAsync(&h, p, 4, cudaMemcpyDeviceToHost, t); int d = 4; cudaStreamAddCallback(t, done, &d, 0); cudaStreamSynchronize(t); float ms; cudaEventElapsedTime(&ms, e, f); printf(\"%d %g %d\\n\", h, ms, cudaStreamQuery(t)); cudaFreeAsync(p, s); cudaStreamDestroy(s);",
        "callback 4\n123 1 0\n",
    );
}

#[test]
fn managed_and_pinned_memory_belong_to_both_sides() {
    prints(
        "__managed__ int m;\n__global__ void k(int *p, int *q) { p[0]++; q[0] = p[0] + m; }",
        "int *p, *q; cudaMallocManaged(&p, 8); cudaHostAlloc((void**)&q, 8, cudaHostAllocMapped); p[0] = 4; m = 100; int *d; cudaHostGetDevicePointer(&d, q, 0); k<<<1, 1>>>(p, d); cudaDeviceSynchronize(); printf(\"%d %d\\n\", p[0], q[0]); cudaFree(p); cudaFreeHost(q);",
        "5 105\n",
    );
}

#[test]
fn pitched_copies() {
    prints(
        "__global__ void k(char *p, size_t pitch) { p[threadIdx.y * pitch + threadIdx.x] += threadIdx.y; }",
        "char h[6] = {1, 2, 3, 4, 5, 6}, *d; size_t pitch; cudaMallocPitch((void**)&d, &pitch, 3, 2); cudaMemcpy2D(d, pitch, h, 3, 3, 2, cudaMemcpyHostToDevice); k<<<1, dim3(3, 2)>>>(d, pitch); cudaMemcpy2D(h, 3, d, pitch, 3, 2, cudaMemcpyDeviceToHost); printf(\"%zu %d %d %d\\n\", pitch, h[2], h[3], h[5]);",
        "512 3 5 7\n",
    );
}

#[test]
fn device_queries() {
    prints(
        "__global__ void k() {}",
        "int n, d, v, g, b; cudaGetDeviceCount(&n); cudaGetDevice(&d); cudaDeviceProp p; cudaGetDeviceProperties(&p, d); cudaDeviceGetAttribute(&v, cudaDevAttrMaxThreadsPerBlock, d); cudaOccupancyMaxPotentialBlockSize(&g, &b, k, 0, 0); printf(\"%d %d %d.%d %d %d %d\\n\", n, d, p.major, p.minor, p.warpSize, v, b); cudaSetDevice(1); printf(\"%s\\n\", cudaGetErrorString(cudaGetLastError()));",
        "1 0 8.0 32 1024 256\ninvalid device ordinal\n",
    );
}

/// Sizes and alignments as nvcc 13 gives them.
#[test]
fn vector_types_have_nvcc_s_sizes() {
    prints(
        "#define T(t) printf(#t \" %zu %zu, \", sizeof(t), alignof(t));",
        "T(char3) T(char4) T(uchar2) T(short3) T(ushort4) T(int2) T(int3) T(uint4) T(long2) T(long3) T(ulong4) T(longlong1) T(longlong4) T(float1) T(float2) T(float3) T(float4) T(double2) T(double3) T(double4) T(dim3)",
        "char3 3 1, char4 4 4, uchar2 2 2, short3 6 2, ushort4 8 8, int2 8 8, int3 12 4, uint4 16 16, long2 16 16, long3 24 8, ulong4 32 16, longlong1 8 8, longlong4 32 16, float1 4 4, float2 8 8, float3 12 4, float4 16 16, double2 16 16, double3 24 8, double4 32 16, dim3 12 4, ",
    );
}

#[test]
fn intrinsics() {
    prints(
        "#include <cuda_fp16.h>\n#include <math_constants.h>\n__global__ void k() {\n  printf(\"%d %d %d %x %d\\n\", __popc(0xff), __clz(1), __ffs(8), __brev(1), __mul24(-3, 5));\n  printf(\"%d %x %g %g\\n\", __float2int_rn(2.5f), __float_as_int(1.0f), __saturatef(3.0f), rsqrtf(4.0f));\n  float s, c; sincosf(0.0f, &s, &c); printf(\"%g %g %g %g\\n\", s, c, __fmaf_rn(2, 3, 4), __fdividef(1, 4));\n  printf(\"%u %g %g %d\\n\", max(3u, 2), min(1.5f, 2.0), fminf(1, 2), __float2int_rz(1e20f));\n  printf(\"%x %x %d\\n\", __byte_perm(0x03020100, 0x07060504, 0x7531), __funnelshift_l(0x80000000, 1, 1), __mulhi(1 << 30, 8));\n  printf(\"%g %g %d\\n\", __half2float(__float2half(1.0f / 3)), (float)__half(65504.0f), CUDART_INF_F > 1e30f);\n}",
        "k<<<1, 1>>>();",
        "8 31 4 80000000 -15\n2 3f800000 1 0.5\n0 1 10 0.25\n3 1.5 1 2147483647\n7050301 3 2\n0.333252 65504 1\n",
    );
}

#[test]
fn clocks_do_not_follow_the_machine() {
    prints(
        "#include <chrono>\n#include <sys/time.h>",
        "auto a = std::chrono::steady_clock::now(); auto b = std::chrono::steady_clock::now(); timeval t; gettimeofday(&t, 0); printf(\"%lld %ld %ld\\n\", (long long)std::chrono::duration_cast<std::chrono::microseconds>(b - a).count(), (long)t.tv_sec, (long)clock());",
        "1000 1000000000 4000\n",
    );
}
