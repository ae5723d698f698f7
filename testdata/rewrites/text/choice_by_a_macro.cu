//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
#define PICK(c, a, b) ((c) ? (a) : (b))
__global__ void step(P *p, P *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        PICK(i > 2, p[i], q[i]).x = 4.0f;
        P a = PICK(i > 3, p[i], q[i]);
        p[i].id += a.id;
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    P *e;
    cudaMalloc(&e, n * sizeof(P));
    cudaMemcpy(e, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, e, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(e);
    delete[] h;
    return 0;
}
