//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
};
#define SWAP(a, b) { decltype(a) t_ = (a); (a) = (b); (b) = t_; }
__global__ void step(P *p) {
    int i = threadIdx.x;
    SWAP(p[i].x, p[i].y) //~ LC0024 the macro `SWAP` takes the type of an expression
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
