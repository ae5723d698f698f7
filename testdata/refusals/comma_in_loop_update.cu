//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    P *q = p;
    for (int i = 0; i < n; i++, q++) //~ LC0028 comma
        q->x += 1.0f;
    for (P *r = p + n - 1; n-- > 0; --r)
        r->id = 1;
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
