//@ layout = "P = soa"
struct P {
    bool flag;
    float x;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P *e = p[i].flag ? &p[i] : &p[i];
        e->x = 1;
    }
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
}
