//@ layout = "Dot = soa"
struct Dot {
    float x;
    int id;
};
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].id = 1;
#include "body.inc" //~ LC0077 this construct is not modelled and mentions `p`
    }
}
int main() {
    Dot *d;
    cudaMalloc(&d, 100 * sizeof(Dot));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
//- body.inc
p[i].x += p[i].id;
