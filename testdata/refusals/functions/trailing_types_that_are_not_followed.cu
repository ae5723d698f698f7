//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ auto at(P *p, int i) -> P & { //~ LC0078 a declaration of this type is not rewritten
    return p[i]; //~ LC0080 a reference to an element is returned
}
__device__ auto x_of(P *p, int i) -> decltype(p[0].x) { return p[i].x; } //~ LC0077 this construct is not modelled and mentions `p`
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at(p, i).x += x_of(p, i);
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
