//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
    float f[2];
};
#define LAST(a) { __decltype(a) t_ = {1, 2}; (a)[0] = t_[1]; }
__global__ void step(P *p) {
    LAST(p[threadIdx.x].f) //~ LC0024 the macro `LAST` takes the type of an expression
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
