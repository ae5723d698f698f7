//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
};
__global__ void step(P *p) {
    int i = threadIdx.x;
    P *q = p //~ LC0077 a preprocessor directive stands inside
#if 1
        + i
#endif
        + 0;
    q->x += q->y;
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
