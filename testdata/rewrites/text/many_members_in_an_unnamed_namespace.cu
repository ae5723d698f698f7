//@ layout = "P = soa"
namespace {
struct P {
    float weight[20];
    int id;
};
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].weight[3] = p[i].id;
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
}
