// Copies of a number of bytes that ends inside a record: the members before the end arrive, those behind it
// stay as they were, in both directions.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

struct Sample {
    int id;
    float value;
    int count;
};

__global__ void count(Sample *samples, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        samples[i].count += samples[i].id;
        samples[i].value *= 2.0f;
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    std::vector<Sample> first(n), second(n), result(n);
    for (int i = 0; i < n; i++) {
        first[i] = Sample{i, 0.5f * i, 1};
        second[i] = Sample{-i, 0.25f * i, 1000};
        result[i] = Sample{7, 7.0f, 7};
    }

    Sample *d_samples;
    CHECK(cudaMalloc((void **)&d_samples, n * sizeof(Sample)));
    CHECK(cudaMemcpy(d_samples, first.data(), n * sizeof(Sample), cudaMemcpyHostToDevice));
    // All of the first half of the records, and of the next one the id alone.
    size_t in = n > 1 ? n / 2 * sizeof(Sample) + sizeof(int) : 0;
    CHECK(cudaMemcpy(d_samples, second.data(), in, cudaMemcpyHostToDevice));
    count<<<(n + 127) / 128 + 1, 128>>>(d_samples, n);
    CHECK(cudaGetLastError());
    // Of the last record everything but the count.
    size_t out = n > 0 ? n * sizeof(Sample) - sizeof(int) : 0;
    CHECK(cudaMemcpy(result.data(), d_samples, out, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_samples));

    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const bool whole = n > 1 && i < n / 2, id_alone = n > 1 && i == n / 2;
        const Sample &from = whole ? second[i] : first[i];
        const int id = whole || id_alone ? second[i].id : first[i].id;
        const int counted = i == n - 1 ? 7 : from.count + id;
        if (result[i].id != id || result[i].value != 2.0f * from.value || result[i].count != counted)
            wrong++;
        sum += (i % 5 + 1) * (result[i].id + 2.0 * result[i].value + 3.0 * result[i].count);
    }
    printf("%d samples, %.3f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
