struct P { //~ LC0053 it is not known which elements neighbouring threads access
    float x, y, z, w;
};
__device__ void place(int *at) { *at = threadIdx.x * 7 % 13; }
__global__ void sample(const P *p, float *out) {
    int at = 0;
    place(&at);
    out[threadIdx.x] = p[at].x;
}
int main() {
    P *p;
    float *out;
    cudaMalloc(&p, 1024 * sizeof(P));
    cudaMalloc(&out, 256 * sizeof(float));
    sample<<<1, 256>>>(p, out);
    return 0;
}
