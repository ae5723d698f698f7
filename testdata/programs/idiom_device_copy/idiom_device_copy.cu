// Snapshots: whole arrays copied from device to device, back to the host only at the end.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct State { float position, velocity; int step; };

#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)
static inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code == cudaSuccess) return;
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    exit(code);
}

__global__ void oscillate(State *s, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
    {
        s[i].velocity -= 0.25f * s[i].position;
        s[i].position += 0.25f * s[i].velocity;
        s[i].step++;
    }
}

// how far the state has moved since the snapshot was taken
__global__ void distance(const State *now, const State *then, int n, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = now[i].position - then[i].position + (now[i].step - then[i].step);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const size_t bytes = n * sizeof(State);
    std::vector<State> state(n), snapshot(n);
    std::vector<float> out(n);
    for (int i = 0; i < n; ++i) state[i] = State{float(i % 17), float(i % 5) - 2.0f, 0};
    std::vector<State> ref(state);

    State *d_now, *d_then;
    float *d_out;
    gpuErrchk(cudaMalloc((void **)&d_now, bytes));
    gpuErrchk(cudaMalloc((void **)&d_then, bytes));
    gpuErrchk(cudaMalloc((void **)&d_out, n * sizeof(float)));
    gpuErrchk(cudaMemcpy(d_now, state.data(), bytes, cudaMemcpyHostToDevice));
    const int grid = (n + 127) / 128;
    for (int k = 0; k < 4 && n > 0; ++k)
    {
        if (k == 2) gpuErrchk(cudaMemcpy(d_then, d_now, bytes, cudaMemcpyDeviceToDevice));
        oscillate<<<grid, 128>>>(d_now, n);
    }
    if (n > 0) distance<<<grid, 128>>>(d_now, d_then, n, d_out);
    gpuErrchk(cudaGetLastError());
    gpuErrchk(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(snapshot.data(), d_then, bytes, cudaMemcpyDeviceToHost));

    // roll back to the snapshot and take one step from there
    gpuErrchk(cudaMemcpy(d_now, d_then, n * sizeof(State), cudaMemcpyDeviceToDevice));
    if (n > 0) oscillate<<<grid, 128>>>(d_now, n);
    gpuErrchk(cudaMemcpy(state.data(), d_now, bytes, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaFree(d_now));
    gpuErrchk(cudaFree(d_then));
    gpuErrchk(cudaFree(d_out));

    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
    {
        State r = ref[i], at2 = r, at3 = r;
        for (int k = 0; k < 4; ++k)
        {
            if (k == 2) at2 = r;
            r.velocity -= 0.25f * r.position;
            r.position += 0.25f * r.velocity;
            r.step++;
            if (k == 2) at3 = r;
        }
        wrong += fabsf(snapshot[i].position - at2.position) > 1e-5f || fabsf(snapshot[i].velocity - at2.velocity) > 1e-5f ||
                 snapshot[i].step != 2;
        wrong += fabsf(state[i].position - at3.position) > 1e-5f || fabsf(state[i].velocity - at3.velocity) > 1e-5f ||
                 state[i].step != 3;
        wrong += fabsf(out[i] - (r.position - at2.position + 2.0f)) > 1e-5f;
        sum += (i % 7 + 1) * (state[i].position + state[i].velocity + state[i].step + snapshot[i].position +
                              2.0 * snapshot[i].velocity + snapshot[i].step + out[i]);
    }
    printf("%d states %.14e\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
