//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        P *q = p;
        const P *r = p + n / 2;
        for (int k = 0; k < n / 2; ++k)
            *q++ = *r++;
        float s = 0.0f;
        while (q != p)
            s += (--q)->x;
        for (int k = 0; k < n; k++, q++)
            q->x += s;
        (q -= 2)->id = 3;
        P *t = q--;
        t->id += (q--)[1].id;
        q = p, t = q + 1, ++t;
        t->x = q->x;
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
