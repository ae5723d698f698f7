//@ layout = "P = soa"
#include <cstdio>
struct P {
    int x, y;
};
__device__ int sum(int a, int b) { return 3 * a + b; }
__global__ void step(P *p, int n) {
    int a = 0, b = 1, c = 2;
    int *q = &a;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    b = (p[i].x <<= 1, p[i].y = p[i].x, 3);
    b += (p[i] = p[n - 1], p[i].y);
    b += (a = c = p[i].x, a) + (c += 3, b);
    b += sum((*q = p[i].y, a), (b = 3, c));
    b += c ? (p[i].x += 4, b) : 3;
    do {
        p[i].y += b;
    } while (a -= 1, a > 0 && a < 4);
    (void)(a = b, p[i].x = a);
    (p[i].y -= p[i].x, p[i].y);
}
int main() {
    int n = 100;
    P *h = new P[n]();
    for (int i = 0; i < n; i++)
        (h[i].x = i, h[i].y = 2 * i);
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%d %d\n", h[i].x, h[i].y);
    cudaFree(d);
    delete[] h;
    return 0;
}
