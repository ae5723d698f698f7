//@ layout = "P = soa"
_Pragma("pack(push, 2)")
struct P { //~ LC0027 its size is not known
    short tag;
    double x;
};
_Pragma("pack(pop)")
__global__ void step(P *p) { p[threadIdx.x].x += 1; }
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
