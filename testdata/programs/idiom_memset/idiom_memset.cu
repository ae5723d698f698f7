// cudaMemset on an array of structures: all zero bits, all one bits, and again between two passes.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Bin
{
    unsigned int count;
    int lowest;
    int highest;
    unsigned long long sum;
};

#define ASSERT_CUDA(e) \
    if (cudaError_t err = (e)) { \
        fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorName(err)); \
        return 1; \
    }

__global__ void histogram(const int *values, int n, Bin *bins, int nbins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        int b = values[i] % nbins;
        atomicAdd(&bins[b].count, 1u);
        atomicMax(&bins[b].highest, values[i]);
        atomicAdd(&bins[b].sum, (unsigned long long)values[i]);
    }
}

// after cudaMemset(…, 0xff) a Bin is all ones: -1 as int, the largest number as unsigned
__global__ void ones(Bin *bins, int nbins, int *good)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < nbins)
    {
        if (bins[b].count == 0xffffffffu && bins[b].lowest == -1 && bins[b].highest == -1 &&
            bins[b].sum == 0xffffffffffffffffull)
            atomicAdd(good, 1);
    }
}

__global__ void fill(Bin *bins, int nbins)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < nbins) bins[b].lowest = b;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    int nbins = argc > 2 ? atoi(argv[2]) : 37;
    if (nbins < 1) nbins = 1;

    int *values = (int *)malloc((n + 1) * sizeof(int));
    for (int i = 0; i < n; i++) values[i] = (int)((i * 2654435761u) >> 12) % 5000;

    int *d_values, *d_good;
    Bin *d_bins;
    size_t bytes = nbins * sizeof(Bin);
    ASSERT_CUDA(cudaMalloc((void **)&d_values, n * sizeof(int)));
    ASSERT_CUDA(cudaMalloc((void **)&d_good, sizeof(int)));
    ASSERT_CUDA(cudaMalloc((void **)&d_bins, bytes));
    ASSERT_CUDA(cudaMemcpy(d_values, values, n * sizeof(int), cudaMemcpyHostToDevice));

    ASSERT_CUDA(cudaMemset(d_good, 0, sizeof(int)));
    ASSERT_CUDA(cudaMemset(d_bins, 0xff, bytes));
    ones<<<(nbins + 31) / 32, 32>>>(d_bins, nbins, d_good);

    ASSERT_CUDA(cudaMemset(d_bins, 0, bytes));
    fill<<<(nbins + 31) / 32, 32>>>(d_bins, nbins);
    if (n > 0) histogram<<<(n + 127) / 128, 128>>>(d_values, n, d_bins, nbins);
    ASSERT_CUDA(cudaGetLastError());

    Bin *bins = (Bin *)malloc(bytes);
    int good = 0;
    ASSERT_CUDA(cudaMemcpy(bins, d_bins, bytes, cudaMemcpyDeviceToHost));
    ASSERT_CUDA(cudaMemcpy(&good, d_good, sizeof(int), cudaMemcpyDeviceToHost));
    cudaFree(d_values);
    cudaFree(d_good);
    cudaFree(d_bins);

    Bin *want = (Bin *)malloc(bytes);
    memset(want, 0, bytes);
    for (int i = 0; i < n; i++)
    {
        Bin *b = &want[values[i] % nbins];
        b->count++;
        if (values[i] > b->highest) b->highest = values[i];
        b->sum += values[i];
    }
    int failed = good != nbins;
    unsigned long long check = 0;
    for (int b = 0; b < nbins; b++)
    {
        failed |= bins[b].count != want[b].count || bins[b].lowest != b || bins[b].highest != want[b].highest ||
                  bins[b].sum != want[b].sum;
        check = check * 1000003 + bins[b].count;
        check = check * 1000003 + bins[b].lowest;
        check = check * 1000003 + bins[b].highest;
        check = check * 1000003 + bins[b].sum;
    }
    printf("%d values, %d bins, %d of ones, checksum %llx\n", n, nbins, good, check);
    printf("%s\n", failed ? "FAILED" : "PASSED");
    free(values);
    free(bins);
    free(want);
    return failed;
}
