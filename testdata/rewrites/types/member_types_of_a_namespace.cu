//@ layouts = ["ns::P = soa", "ns::P = {x v}, {id}"]
// Outside of the namespace its types have no such names.
namespace ns {
typedef float real;
struct P {
    real x, v;
    int id;
};
}
using ns::P;
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].v;
        p[i].id++;
    }
}
int main() {
    P h[100] = {}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, 100);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
