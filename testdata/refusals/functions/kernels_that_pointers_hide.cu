//@ layout = "* = soa"
// A kernel that the program names takes something else where the object's address is given.
#include <cuda_runtime.h>
struct P { float x, y; };
struct Args { P *ps; int n; };
struct Other { float *values; int n; };
typedef void (*Kernel)(Args);
__global__ void drift(Args a) { int i = threadIdx.x; if (i < a.n) a.ps[i].x += a.ps[i].y; }
__global__ void other(Other a) { if (threadIdx.x < a.n) a.values[0] = 1; }
static const Kernel kernels[] = {drift};
static void *all[] = {(void *)other};
int main() {
    Args args;
    args.n = 64;
    cudaMalloc(&args.ps, args.n * sizeof(P));
    void *list[] = {&args}; //~ LC0010 the object holds the array, and it is put into an object that is not followed
    cudaLaunchKernel(kernels[0], dim3(1), dim3(64), list, 0, nullptr);
    cudaLaunchKernel(all[0], dim3(1), dim3(64), list, 0, nullptr);
    return 0;
}
