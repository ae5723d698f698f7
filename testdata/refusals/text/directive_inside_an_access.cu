//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
};
__global__ void step(P *p) {
    int i = threadIdx.x;
    p[i] //~ LC0077 a preprocessor directive stands inside
#if 1
        .x
#endif
        = 3;
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
