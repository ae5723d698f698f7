//@ layout = "P = soa"
struct P {
    float x;
    int id;
    P() = default;
    P(const P &other) : x(other.x), id(other.id) {} //~ LC0027 the element type has a user-declared copy or move operation
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
