// An array of more bytes than a conversion takes at once (8 MB), copied whole in both directions, once
// on a stream: what lies behind the first chunk must arrive, too.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

struct Mark {
    int key;
    short level;
    float weight;
};

__global__ void raise(Mark *marks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        marks[i].key += i;
        marks[i].level = (short)(marks[i].level + 1);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1001;
    std::vector<Mark> marks(n), first(n), second(n);
    for (int i = 0; i < n; i++) {
        marks[i].key = 7 * i;
        marks[i].level = (short)(i % 1013);
        marks[i].weight = 0.25f * (i % 4099);
    }

    Mark *d_marks;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&d_marks, n * sizeof(Mark)));
    CHECK(cudaMemcpy(d_marks, marks.data(), n * sizeof(Mark), cudaMemcpyHostToDevice));
    raise<<<(n + 255) / 256 + 1, 256>>>(d_marks, n);
    CHECK(cudaMemcpy(first.data(), d_marks, n * sizeof(Mark), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyAsync(d_marks, first.data(), n * sizeof(Mark), cudaMemcpyHostToDevice, stream));
    raise<<<(n + 255) / 256 + 1, 256, 0, stream>>>(d_marks, n);
    CHECK(cudaMemcpyAsync(second.data(), d_marks, n * sizeof(Mark), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(d_marks));
    CHECK(cudaStreamDestroy(stream));

    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const Mark &a = first[i], &b = second[i];
        if (a.key != 8 * i || a.level != i % 1013 + 1 || a.weight != marks[i].weight)
            wrong++;
        if (b.key != 9 * i || b.level != i % 1013 + 2 || b.weight != marks[i].weight)
            wrong++;
        sum += (i % 5 + 1) * ((double)b.key + 2.0 * b.level + 3.0 * b.weight + (double)a.key);
    }
    printf("%d marks, %.2f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
