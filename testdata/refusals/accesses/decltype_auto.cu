//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
};
__global__ void step(P *p) {
    decltype(auto) e = p[threadIdx.x]; //~ LC0077 this construct is not modelled
    e.id = 7;
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
