//@ layout = "Body = soa"
#include <cstdio>
struct Body {
    float x;
    int key;
};
template <class T, class K>
__global__ void place(T *items, K *keys, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        T one = items[i];
        one.key = keys[i];
        items[i] = one;
    }
}
int main() {
    int n = 40;
    Body h[40];
    int numbers[40];
    for (int i = 0; i < n; i++) {
        h[i] = {(float)i, 0};
        numbers[i] = 3 * i;
    }
    Body *d;
    int *keys;
    cudaMalloc(&d, n * sizeof(Body));
    cudaMalloc(&keys, n * sizeof(int));
    cudaMemcpy(d, h, n * sizeof(Body), cudaMemcpyHostToDevice);
    cudaMemcpy(keys, numbers, n * sizeof(int), cudaMemcpyHostToDevice);
    void *args[] = {&d, &keys, &n};
    cudaLaunchKernel((void *)place<Body, int>, dim3(1), dim3(64), args, 0, 0);
    cudaMemcpy(h, d, n * sizeof(Body), cudaMemcpyDeviceToHost);
    printf("%g %d\n", h[9].x, h[9].key);
    cudaFree(d);
    cudaFree(keys);
    return 0;
}
