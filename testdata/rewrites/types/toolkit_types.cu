//@ layouts = ["Sample = soa", "Sample = tiled(32)"]
#include <cuComplex.h>
#include <cuda_fp16.h>
struct Sample {
    cuFloatComplex value;
    half2 weights;
    cuDoubleComplex sum;
    cudaTextureObject_t image;
    clock_t start;
};

__global__ void accumulate(Sample *samples, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    samples[i].value = cuCmulf(samples[i].value, make_cuFloatComplex(2.0f, 0.5f));
    samples[i].value.y += __low2float(samples[i].weights);
    samples[i].weights = __floats2half2_rn(samples[i].value.x, cuCimagf(samples[i].value));
    samples[i].sum = cuCadd(samples[i].sum, make_cuDoubleComplex(samples[i].value.x, 1.0));
    samples[i].start = clock();
    samples[i].value.x += tex1Dfetch<float>(samples[i].image, i);
}

int main()
{
    const int n = 1000;
    Sample *host = new Sample[n](), *samples;
    cudaMalloc(&samples, n * sizeof(Sample));
    cudaMemcpy(samples, host, n * sizeof(Sample), cudaMemcpyHostToDevice);
    accumulate<<<(n + 127) / 128, 128>>>(samples, n);
    cudaMemcpy(host, samples, n * sizeof(Sample), cudaMemcpyDeviceToHost);
    cudaFree(samples);
    delete[] host;
    return 0;
}
