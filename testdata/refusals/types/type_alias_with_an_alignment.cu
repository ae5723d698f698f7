//@ layout = "P = soa"
typedef float wide __attribute__((aligned(16)));
struct P {
    float x;
    wide y; //~ LC0027 the type of this member is not known
};
__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i].x += p[i].y; //~ LC0082 the type of this member is not known
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
