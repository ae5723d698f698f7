//@ layouts = ["Cell = soa"]
//@ errors = ["LC0042"]
// Each block says which `Cell` it means; that is not followed.
namespace first {
struct Cell { float a, b, c; };
__global__ void step(Cell *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].a += 1;
}
}
namespace second {
struct Cell { float a, b, c; };
__global__ void step(Cell *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].a += 2;
}
}
int main() {
    {
        using namespace first;
        Cell *d;
        cudaMalloc(&d, 100 * sizeof(Cell)); //~ LC0042 no array of structs in device memory is called `Cell` or has elements of that type
        step<<<1, 128>>>(d, 100);
        cudaFree(d);
    }
    using namespace second;
    Cell *d;
    cudaMalloc(&d, 100 * sizeof(Cell));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
