//@ layout = "d_step + n_d = aos align(16)"
// Names that the generated text has as well, in a namespace, with a prototype.
namespace sim {
typedef float real;
__global__ void run(real *step, const real *__restrict__ n, const int *at);
__global__ void run(real *step, const real *__restrict__ n, const int *at)
{
    int to = at[threadIdx.x];
    if (to >= 0) {
        float stage = n[to];
        step[to] = stage;
    }
}
}
int main(int argc, char **)
{
    size_t bytes = argc * 4096;
    float *d_step, *n_d, *host = new float[argc * 1024]; int *at;
    if (cudaMalloc((void **)&d_step, bytes) != cudaSuccess || cudaMalloc(&at, 4096) != cudaSuccess)
        return 1;
    cudaError_t error = cudaMalloc((void **)&n_d, bytes);
    if (error != cudaSuccess)
        return 2;
    cudaMemcpy(n_d, host, bytes - 1, cudaMemcpyHostToDevice);
    sim::run<<<1, 32>>>(d_step, n_d, at);
    cudaMemcpy(host, d_step, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_step), cudaFree(n_d);
    delete[] host;
    return 0;
}
