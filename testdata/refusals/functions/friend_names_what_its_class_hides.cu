//@ layout = "P = soa"
const int SCALE = 2;
struct P {
    static const int SCALE = 3;
    float x;
    int id;
    friend __device__ float scaled(const P &p) { return p.x * SCALE; } //~ LC0027 this friend is not modelled //~ LC0077 this construct is not modelled and mentions `P`
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x = scaled(p[i]); //~ LC0010 no definition of `scaled` is found, and it may access the array
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
