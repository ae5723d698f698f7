//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__device__ float sum(const P *first, const P *last) {
    float s = 0.0f;
    while (first != last) {
        s += first->x;
        ++first;
    }
    return s;
}
__device__ void reverse(P *a, P *b) {
    while (a < b) {
        P c = *a;
        *a++ = *b;
        *b-- = c;
    }
}
__device__ bool same(const P *a, const P *b) {
    return a == b;
}
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P *q = p + i;
        if (q < p + n && q >= p)
            q->id = (int)(q - p) + 1;
        unsigned long back = (unsigned long)(p + n - q);
        q->x = back % 7 + sum(p, p + n);
        reverse(p, p + n - 1);
        P *best = p;
        for (int k = 1; k < n; ++k)
            if (p[k].x > best->x)
                best = p + k;
        if (best != p && best - p > 3)
            best->id = -1;
        if (same(q, p + 3) || same(&p[i], q))
            q->id += 1;
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
