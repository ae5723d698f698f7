//@ layout = "P = tiled(32)"
struct P {
    float x, y;
};
__global__ void step(P *p, int n) {
    auto q = p + threadIdx.x, end = p + n; //~ LC0078 cannot be divided
    if (q < end) q->y += q->x;
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemset(d, 0, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
}
