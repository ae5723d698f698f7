//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P *q = p + i;
        P &e = p[0];
        auto f = [p, n](int k) { return p[k % n].x; };
        auto g = [q](int k) { return q[k].id; };
        auto h = [&q, &e] {
            ++q;
            q->x += e.x;
        };
        h();
        float *x = &p[i].x;
        float &y = q->x;
        auto k = [x, &y] { y += *x; };
        k();
        q->id += g(0) + (int)f(3);
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
