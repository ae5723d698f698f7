struct P { //~ LC0053 it is not known which elements neighbouring threads access
    float x, y, z, w;
};
__global__ void sample(const P *p, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[(int)(i / 2.0)].x;
}
int main() {
    P *p;
    float *out;
    cudaMalloc(&p, 1024 * sizeof(P));
    cudaMalloc(&out, 1024 * sizeof(float));
    sample<<<4, 256>>>(p, out);
    return 0;
}
