//@ layout = "P = soa"
struct P {
    float x, y;
    int id;
};
#define LET(type, name, value) type name = value
__global__ void step(P *p) {
    LET(auto &&, e, p[threadIdx.x]); //~ LC0024 a whole element is given to the macro `LET`
    e.id = 7;
}
int main() {
    P *d;
    cudaMalloc(&d, 128 * sizeof(P));
    cudaMemset(d, 0, 128 * sizeof(P));
    step<<<1, 128>>>(d);
    cudaFree(d);
}
