//@ layout = "P = soa"
//@ layouts = ["P = tiled(32)"]
class P {
public:
    float x;
    alignas(8) unsigned char flag;
    int id;
    __device__ P operator+(const P &other) const { return P(x + other.x, flag, id); }
    __host__ __device__ P(float x0 = 0, unsigned char flag0 = 0, int id0 = 0) : x(x0), flag(flag0), id(id0) {}
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P e = p[i];
        p[i] = e + e;
    }
}
int main() {
    P *h = new P[100]();
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemcpy(d, h, 100 * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, 100);
    cudaMemcpy(h, d, 100 * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
}
