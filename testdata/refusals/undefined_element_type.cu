//@ layout = "P = soa"
struct P; //~ LC0027 not defined
__global__ void step(P *p, int n);
int main() {
    P *d;
    cudaMalloc(&d, 800);
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
