//! Barriers, shared memory, warps, atomics.

use crate::support::{is_reported, prints, run_text};
use layoutc_runtime::process::RunStatus;

#[test]
fn shared_reduction_with_barriers() {
    let result = run_text(include_str!("../../testdata/shared_reduction.cu"));
    assert_eq!(String::from_utf8_lossy(&result.stdout), "2997 2997 no error\n");
    assert_eq!(result.status, RunStatus::Exited(0));
}

#[test]
fn dynamic_shared_memory_is_the_block_s() {
    prints(
        "__global__ void rotate(int *p) {\n  extern __shared__ int s[];\n  s[threadIdx.x] = p[blockIdx.x * blockDim.x + threadIdx.x];\n  __syncthreads();\n  p[blockIdx.x * blockDim.x + threadIdx.x] = s[(threadIdx.x + 1) % blockDim.x];\n}",
        "int h[6] = {1, 2, 3, 4, 5, 6}, *d; cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\nrotate<<<2, 3, 3 * sizeof(int)>>>(d);\ncudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\nfor (int v : h) printf(\"%d \", v);",
        "2 3 1 5 6 4 ",
    );
}

#[test]
fn shared_memory_starts_poisoned_in_each_block() {
    prints(
        "__shared__ unsigned char outer[4];\n__global__ void k() {\n  __shared__ unsigned char inner[4];\n  printf(\"%x %x\\n\", inner[1], outer[1]);\n  inner[1] = 1; outer[1] = 2;\n}",
        "k<<<2, 1>>>();",
        "a5 a5\na5 a5\n",
    );
}

#[test]
fn barrier_reductions() {
    prints(
        "__global__ void k() {\n  int c = __syncthreads_count(threadIdx.x % 3 == 0);\n  int a = __syncthreads_and(threadIdx.x < 99), o = __syncthreads_or(threadIdx.x == 50);\n  if (threadIdx.x == 0) printf(\"%d %d %d\\n\", c, a, o);\n}",
        "k<<<1, 100>>>();",
        "34 0 1\n",
    );
}

#[test]
fn threads_that_have_ended_do_not_hold_a_barrier() {
    prints(
        "__global__ void k(int *p) {\n  if (threadIdx.x >= 40) return;\n  p[threadIdx.x] = threadIdx.x;\n  __syncthreads();\n  if (threadIdx.x == 0) printf(\"%d\\n\", p[39]);\n}",
        "int *p; cudaMalloc(&p, 400); k<<<1, 64>>>(p);",
        "39\n",
    );
}

#[test]
fn warp_shuffles_and_votes() {
    prints(
        "__global__ void k() {\n  int v = threadIdx.x + 1;\n  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);\n  float f = __shfl_sync(0xffffffff, threadIdx.x * 0.5f, 3);\n  int up = __shfl_up_sync(0xffffffff, (int)threadIdx.x, 1, 8);\n  double x = __shfl_xor_sync(0xffffffff, (double)threadIdx.x, 5);\n  unsigned b = __ballot_sync(0xffffffff, threadIdx.x & 1);\n  int all = __all_sync(0xffffffff, threadIdx.x < 32), any = __any_sync(0xffffffff, threadIdx.x > 31);\n  unsigned m = __match_any_sync(0xffffffff, threadIdx.x / 8);\n  if (threadIdx.x == 0) printf(\"%d %g %x %d %d\\n\", v, f, b, all, any);\n  if (threadIdx.x == 9) printf(\"%d %g %x\\n\", up, x, m);\n}",
        "k<<<1, 32>>>();",
        "528 1.5 aaaaaaaa 1 0\n8 12 ff00\n",
    );
}

#[test]
fn divergent_lanes_form_the_active_mask() {
    prints(
        "__global__ void k() {\n  if (threadIdx.x % 4 == 0) {\n    unsigned m = __activemask();\n    int r = __shfl_sync(m, (int)threadIdx.x, 4);\n    if (threadIdx.x == 8) printf(\"%x %d\\n\", m, r);\n  } else if (threadIdx.x == 1) {\n    printf(\"%x\\n\", __activemask());\n  }\n  __syncwarp();\n}",
        "k<<<1, 32>>>();",
        "11111111 4\n2\n",
    );
}

#[test]
fn cooperative_groups_tiles() {
    prints(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n__global__ void k() {\n  cg::thread_block b = cg::this_thread_block();\n  auto t = cg::tiled_partition<8>(b);\n  int v = t.thread_rank() + 10 * t.meta_group_rank();\n  for (int i = t.size() / 2; i > 0; i /= 2) v += t.shfl_down(v, i);\n  unsigned odd = t.ballot(threadIdx.x & 1);\n  b.sync();\n  if (t.thread_rank() == 0) printf(\"%d %x\\n\", v, odd);\n}",
        "k<<<1, 24>>>();",
        "28 aa\n108 aa\n188 aa\n",
    );
}

#[test]
fn grid_barrier_keeps_shared_memory_apart() {
    prints(
        "#include <cooperative_groups.h>\n__global__ void k(int *p) {\n  __shared__ int s;\n  if (threadIdx.x == 0) s = blockIdx.x * 10;\n  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;\n  cooperative_groups::this_grid().sync();\n  int sum = 0;\n  for (int i = 0; i < 8; i++) sum += p[i];\n  if (threadIdx.x == 1) printf(\"%d %d\\n\", s, sum);\n}",
        "int *p; cudaMalloc(&p, 32); cudaMemset(p, 0, 32); void *args[] = {&p};\ncudaLaunchCooperativeKernel((void*)k, dim3(4), dim3(2), args, 0, 0);",
        "0 8\n10 8\n20 8\n30 8\n",
    );
}

#[test]
fn atomics_on_all_types() {
    prints(
        "template <class T> __global__ void add(T *p) { atomicAdd(p, T(2)); }\n__global__ void rest(unsigned *u, int *i, unsigned long long *l) {\n  atomicInc(u, 2u); atomicMax(i, (int)threadIdx.x); atomicMin(i + 1, -(int)threadIdx.x); atomicOr(u + 1, 1u << threadIdx.x);\n  atomicXor(u + 2, 1u); atomicSub(i + 2, 3); atomicCAS(l, 0ull, 7ull + threadIdx.x); atomicExch_block(l + 1, (unsigned long long)threadIdx.x);\n}",
        "void *p; cudaMalloc(&p, 64); cudaMemset(p, 0, 64);\nadd<<<2, 5>>>((float*)p); add<<<1, 3>>>((double*)p + 1); add<<<1, 4>>>((int*)p + 4);\nfloat f; double d; int i[3]; cudaMemcpy(&f, p, 4, cudaMemcpyDeviceToHost); cudaMemcpy(&d, (double*)p + 1, 8, cudaMemcpyDeviceToHost); cudaMemcpy(i, (int*)p + 4, 4, cudaMemcpyDeviceToHost);\nprintf(\"%g %g %d\\n\", f, d, i[0]);\ncudaMemset(p, 0, 64); rest<<<1, 5>>>((unsigned*)p, (int*)p + 3, (unsigned long long*)p + 4);\nunsigned u[3]; unsigned long long l[2]; cudaMemcpy(u, p, 12, cudaMemcpyDeviceToHost); cudaMemcpy(i, (int*)p + 3, 12, cudaMemcpyDeviceToHost); cudaMemcpy(l, (unsigned long long*)p + 4, 16, cudaMemcpyDeviceToHost);\nprintf(\"%u %u %u %d %d %d %llu %llu\\n\", u[0], u[1], u[2], i[0], i[1], i[2], l[0], l[1]);",
        "20 6 8\n2 31 1 4 -4 -15 7 4\n",
    );
}

#[test]
fn a_lock_within_a_block_does_not_hang() {
    prints(
        "__device__ int lock, count;\n__global__ void k() {\n  bool done = false;\n  while (!done) {\n    if (atomicCAS(&lock, 0, 1) == 0) { count++; __syncwarp(1u << threadIdx.x % 32); atomicExch(&lock, 0); done = true; }\n  }\n  __syncthreads();\n  if (threadIdx.x == 0) printf(\"%d\\n\", count);\n}",
        "k<<<1, 64>>>();",
        "64\n",
    );
}

#[test]
fn a_program_without_synchronisation_gives_the_same_in_every_run() {
    let text = "#include <cstdio>\n__global__ void race(int *p) { int v = *p; if (threadIdx.x % 3) __syncwarp(1u << threadIdx.x); *p = v * 3 + threadIdx.x + blockIdx.x; }\nint main() { int *p, h; cudaMalloc(&p, 4); cudaMemset(p, 1, 4); race<<<7, 33>>>(p); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); printf(\"%d %p %ld\\n\", h, (void*)p, (long)time(0)); }\n";
    let first = run_text(text);
    assert_eq!(first.status, RunStatus::Exited(0));
    assert_eq!(first, run_text(text));
}

#[test]
fn a_barrier_that_cannot_open_is_reported() {
    is_reported(
        "#include <cooperative_groups.h>\n__global__ void k() { if (threadIdx.x < 5) cooperative_groups::this_grid().sync(); else __syncthreads(); }",
        "k<<<1, 8>>>();",
        &["deadlock in kernel `k`", "3 wait at a block barrier, 5 at a grid barrier"],
    );
}

#[test]
fn launches_from_kernels_run_at_once() {
    prints(
        "__global__ void child(int *p, int v) { __shared__ int s; s = v; p[threadIdx.x] += s; }\n__global__ void parent(int *p) { __shared__ int s; s = 5; child<<<1, 2>>>(p, 10); __syncthreads(); p[threadIdx.x] += s; }",
        "int h[2] = {1, 2}, *d; cudaMalloc(&d, 8); cudaMemcpy(d, h, 8, cudaMemcpyHostToDevice); parent<<<1, 2>>>(d); cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost); printf(\"%d %d\\n\", h[0], h[1]);",
        "26 27\n",
    );
}

#[test]
fn kernels_may_use_much_stack() {
    prints(
        "__device__ int deep(int n) { volatile char pad[512]; pad[0] = n; return n == 0 ? pad[0] : deep(n - 1) + 1; }\n__global__ void k() { __syncthreads(); int r = deep(200); if (threadIdx.x == 7) printf(\"%d\\n\", r); __syncthreads(); }",
        "k<<<1, 8>>>();",
        "200\n",
    );
}
