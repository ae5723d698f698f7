//@ layout = "* = soa"
// A pointer to a kernel that a loader gives: its code is not in the program.
#include <cuda_runtime.h>
struct P { float x, y; };
struct Args { P *ps; int n; };
typedef void (*Kernel)(Args);
void *loaded(const char *name);
__global__ void drift(Args a) { int i = threadIdx.x; if (i < a.n) a.ps[i].x += a.ps[i].y; }
int main() {
    Args args;
    args.n = 64;
    cudaMalloc(&args.ps, args.n * sizeof(P));
    Kernel kernel = (Kernel)loaded("drift");
    kernel<<<1, 64>>>(args); //~ LC0010 the object holds the array, and it is passed to a kernel that cannot be seen
    void *list[] = {&args}; //~ LC0010 the object holds the array, and it is put into an object that is not followed
    cudaLaunchKernel(kernel, dim3(1), dim3(64), list, 0, nullptr);
    return 0;
}
