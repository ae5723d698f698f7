struct P { //~ LC0053 all threads of a block access the same element
    float x, y, z, w;
};
__global__ void sample(const P *p, float *out, int n) {
    float sum = 0;
    for (int j = 0; j < n; ++j)
        sum += p[j].x;
    out[threadIdx.x] = sum;
}
int main() {
    P *p;
    float *out;
    cudaMalloc(&p, 1024 * sizeof(P));
    cudaMalloc(&out, 256 * sizeof(float));
    sample<<<1, 256>>>(p, out, 1024);
    return 0;
}
