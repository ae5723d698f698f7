//! Ways to write a launch.

use crate::support::prints;

#[test]
fn template_kernels() {
    prints(
        "template <class T, int N> __global__ void fill(T *p, T v) { for (int i = 0; i < N; i++) p[i] = v; }\ntemplate <class T> __global__ void twice(T *p) { *p *= 2; }\nnamespace a { template <class T> void run(T *p) { fill<T, 4><<<1, 1>>>(p, T(3)); twice<<<dim3(1), dim3(1)>>>(p); } }",
        "float *p, h[4]; cudaMalloc(&p, 16); a::run(p); cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost); printf(\"%g %g\\n\", h[0], h[3]);",
        "6 3\n",
    );
}

#[test]
fn a_launch_in_a_macro() {
    prints(
        "#define CHECK(x) do { if ((x) != cudaSuccess) printf(\"bad\\n\"); } while (0)\n#define RUN(kernel, n, ...) do { \\\n  kernel<<<(n + 3) / 4, 4>>>(__VA_ARGS__); \\\n  CHECK(cudaGetLastError()); } while (0)\n__global__ void one(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }\n__global__ void none() { printf(\"none\\n\"); }",
        "int *p, h[5]; CHECK(cudaMalloc((void**)&p, sizeof h)); RUN(one, 5, p, 5); RUN(none, 1); CHECK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost)); printf(\"%d\\n\", h[4]);",
        "none\nnone\nnone\nnone\n4\n",
    );
}

#[test]
fn arguments_are_evaluated_once_and_copied() {
    prints(
        "struct Box { int v[3]; };\n__global__ void k(int a, Box b, const float *f, int *q, double d) { b.v[0] += a; printf(\"%d %d %d %g\\n\", a, b.v[0], f == q, d); }",
        "int i = 0; Box b{{5, 6, 7}}; k<<<1, 2>>>(i++, b, NULL, 0, 1); printf(\"%d %d\\n\", i, b.v[0]);",
        "0 5 1 1\n0 5 1 1\n1 5\n",
    );
}

#[test]
fn kernels_through_pointers_and_the_runtime_call() {
    prints(
        "__global__ void k(int *p, int v) { *p += v; }",
        "int *p, h; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); void (*f)(int *, int) = k; f<<<1, 1>>>(p, 1);\nint v = 10; void *args[] = {&p, &v}; cudaLaunchKernel((const void *)k, dim3(2), dim3(3), args, 0, 0);\ncudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); printf(\"%d\\n\", h);",
        "61\n",
    );
}

#[test]
fn wrong_shapes_are_errors_and_not_launches() {
    prints(
        "__global__ void k() { printf(\"ran\\n\"); }",
        "k<<<1, 1025>>>(); printf(\"%s\\n\", cudaGetErrorName(cudaPeekAtLastError())); printf(\"%d\\n\", cudaGetLastError()); k<<<0, 1>>>(); int e = cudaGetLastError(); printf(\"%d %d\\n\", e, cudaGetLastError());",
        "cudaErrorInvalidConfiguration\n9\n9 0\n",
    );
}

#[test]
fn built_in_variables() {
    prints(
        "__global__ void k() { if (blockIdx.y == 1 && threadIdx.z == 1 && threadIdx.x == 2) printf(\"%d %d %d %d %d\\n\", blockIdx.x, threadIdx.y, blockDim.x, gridDim.y, warpSize); }",
        "dim3 g(2, 2), b(3, 1, 2); k<<<g, b>>>();",
        "0 0 3 2 32\n1 0 3 2 32\n",
    );
}

#[test]
fn device_code_sees_an_architecture_and_host_code_none() {
    prints(
        "__host__ __device__ int both() {\n#ifdef __CUDA_ARCH__\nreturn 1;\n#else\nreturn 2;\n#endif\n}\n__global__ void k() {\n#if __CUDA_ARCH__ >= 700\nprintf(\"%d %d\\n\", __CUDA_ARCH__, both());\n#endif\n}",
        "k<<<1, 1>>>();\n#ifdef __CUDA_ARCH__\nprintf(\"wrong\\n\");\n#endif",
        "800 2\n",
    );
}
