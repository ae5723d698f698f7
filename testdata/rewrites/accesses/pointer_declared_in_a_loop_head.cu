//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (P *q = p; q < p + n; ++q)
            q->x += 1.0f;
        for (const P *q = p, *end = p + n; q != end; q += 2)
            p[i].x += q->x;
        for (auto q = p + 1; q < p + n; ++q)
            q->id += (q - 1)->id;
        if (n > 2)
            for (P *a = p; a != p + n; ++a)
                for (P *b = a + 1; b != p + n; ++b)
                    a->x += b->x;
        else
            p[0].x = 0.0f;
#pragma unroll 4
        for (P *q = p + n - 1; q >= p; --q) {
            if (q->id < 0)
                continue;
            q->id = (int)(q - p);
        }
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
