struct P { //~ LC0053 it is not known which elements neighbouring threads access
    float x, y, z, w;
};
__device__ int find(const int *starts, int n, int key) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (starts[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
__global__ void look(const P *p, const int *starts, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[find(starts, n, i)].x;
}
int main() {
    P *p;
    int *starts;
    float *out;
    cudaMalloc(&p, 1024 * sizeof(P));
    cudaMalloc(&starts, 1024 * sizeof(int));
    cudaMalloc(&out, 1024 * sizeof(float));
    look<<<4, 256>>>(p, starts, out, 1024);
    return 0;
}
