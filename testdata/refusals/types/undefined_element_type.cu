//@ layout = "P = soa"
struct P; //~ LC0027 `P` is not defined in the program
__global__ void step(P *p, int n);
int main() {
    P *d;
    cudaMalloc(&d, 800);
    step<<<1, 128>>>(d, 100); //~ LC0010 `step` is not defined in the program
    cudaFree(d);
    return 0;
}
