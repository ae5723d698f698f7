struct C {
    float a, b;
};
struct M { //~ LC0053 its one member is stored as a whole, which leaves one layout only
    C e[3];
};
__global__ void add(M *m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    m[i].e[0].a += m[i].e[1].b;
}
int main() {
    M *m;
    cudaMalloc(&m, 1024 * sizeof(M));
    add<<<4, 256>>>(m);
    return 0;
}
