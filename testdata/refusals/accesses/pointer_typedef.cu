//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
typedef P *PPtr;
__global__ void step(const PPtr p, int n) { //~ LC0078 a typedef hides that this is a pointer
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    PPtr q, r; //~ LC0078 a typedef hides that this is a pointer
    q = p;
    r = p;
    if (i < n) {
        q[i].x = r[i].id;
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
