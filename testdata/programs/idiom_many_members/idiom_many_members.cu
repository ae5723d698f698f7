// Records of many members, walked by local pointers that are set anew: in an array per member the
// pointers to them make up a large struct.
#include <cstdio>
#include <cstdlib>

struct Histogram {
    int bin[16];
    float weight[4];
    int count;
    bool done;
};

__global__ void touch(Histogram *a, Histogram *b, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        Histogram *h = a + t;
        h->count += 1;
        h = b + t;
        h->count ^= 3;
    }
}

__global__ void fold(Histogram *a, Histogram *b, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        Histogram *h = a + t;
        for (int k = 0; k < 16; k++)
            h->bin[k] += (t * 7 + k) % 5;
        h->count += h->bin[t % 16];
        h = b + (n - 1 - t);
        h->done = h->count % 3 == 0;
        h->weight[t % 4] *= 1.5f;
        h = a + t;
        h->count ^= t;
    }
}

static void folded(Histogram *a, Histogram *b, int n)
{
    for (int t = 0; t < n; t++) {
        for (int k = 0; k < 16; k++)
            a[t].bin[k] += (t * 7 + k) % 5;
        a[t].count += a[t].bin[t % 16];
        Histogram &other = b[n - 1 - t];
        other.done = other.count % 3 == 0;
        other.weight[t % 4] *= 1.5f;
        a[t].count ^= t;
    }
    for (int t = 0; t < n; t++) {
        a[t].count += 1;
        b[t].count ^= 3;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    Histogram *host = (Histogram *)calloc(n + 1, sizeof(Histogram));
    for (int i = 0; i < n; i++) {
        host[i].count = i;
        for (int k = 0; k < 4; k++)
            host[i].weight[k] = i + 0.25f * k;
    }
    Histogram *expected[2];
    for (int side = 0; side < 2; side++) {
        expected[side] = (Histogram *)calloc(n + 1, sizeof(Histogram));
        for (int i = 0; i < n; i++)
            expected[side][i] = host[i];
    }
    Histogram *a, *b;
    cudaMalloc(&a, n * sizeof(Histogram));
    cudaMalloc(&b, n * sizeof(Histogram));
    cudaMemcpy(a, host, n * sizeof(Histogram), cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, n * sizeof(Histogram), cudaMemcpyHostToDevice);
    for (int step = 0; step < 3; step++) {
        fold<<<n / 64 + 1, 64>>>(a, b, n);
        touch<<<n / 64 + 1, 64>>>(a, b, n);
    }
    for (int step = 0; step < 3; step++)
        folded(expected[0], expected[1], n);
    bool passed = true;
    for (int side = 0; side < 2; side++) {
        cudaMemcpy(host, side ? b : a, n * sizeof(Histogram), cudaMemcpyDeviceToHost);
        double sum = 0;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 16; k++)
                sum += host[i].bin[k] * (k + 1.0);
            for (int k = 0; k < 4; k++)
                sum += host[i].weight[k] * (i % 11);
            sum += host[i].count * 3.0 + host[i].done;
            const Histogram &e = expected[side][i];
            passed &= host[i].count == e.count && host[i].done == e.done;
            for (int k = 0; k < 16; k++)
                passed &= host[i].bin[k] == e.bin[k];
            for (int k = 0; k < 4; k++)
                passed &= host[i].weight[k] == e.weight[k];
        }
        printf("%d %.6f\n", side, sum);
    }
    cudaFree(a);
    cudaFree(b);
    free(host);
    free(expected[0]);
    free(expected[1]);
    printf(passed ? "PASSED\n" : "FAILED\n");
    return passed ? 0 : 1;
}
