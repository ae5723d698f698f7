//@ layout = "P = soa"
#include <utility>
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P q = std::move(p[i]); //~ LC0010 no definition of `move` is found, and it may access the array
        p[i].x = q.x;
    }
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
