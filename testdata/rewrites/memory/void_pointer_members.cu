//@ layouts = ["* = tiled(32)", "* = aos align(16)"]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#define CHECK(call) do { if ((call) != cudaSuccess) exit(2); } while (0)
struct Plan {
    int device;
    int count;
    void *d_in;
    void *h_in;
    void *d_out;
    void *d_scratch;
};
struct Option { float s, x, mu, v; };
struct Value { float expected, confidence; };
__device__ void update(Value *v, float a, float b) { v->expected = a; v->confidence = b; }
__global__ void price(const Option *__restrict options, Value *__restrict values, float *scratch, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        update(&values[i], options[i].s * 2 + options[i].x, options[i].mu - options[i].v);
        scratch[i] = options[i].s;
    }
}
void init(Plan *plan) {
    CHECK(cudaMalloc(&plan->d_in, sizeof(Option) * (plan->count)));
    CHECK(cudaMalloc((void **)&plan->d_out, sizeof(Value) * plan->count));
    CHECK(cudaMallocHost(&plan->h_in, sizeof(Option) * plan->count));
    CHECK(cudaMalloc(&plan->d_scratch, sizeof(float) * plan->count));
}
void run(Plan *plan, Value *out) {
    Option *h = (Option *)plan->h_in;
    for (int i = 0; i < plan->count; i++) {
        h[i].s = i; h[i].x = 2 * i; h[i].mu = 3 * i; h[i].v = 0.5f * i;
    }
    CHECK(cudaMemcpy(plan->d_in, h, plan->count * sizeof(Option), cudaMemcpyHostToDevice));
    price<<<(plan->count + 127) / 128, 128>>>((Option *)(plan->d_in), (Value *)plan->d_out, (float *)plan->d_scratch, plan->count);
    CHECK(cudaMemcpy(out, plan->d_out, plan->count * sizeof(Value), cudaMemcpyDeviceToHost));
}
void done(Plan *plan) {
    if (plan->d_in != NULL)
        CHECK(cudaFree(plan->d_in));
    CHECK(cudaFree(plan->d_out));
    CHECK(cudaFree(plan->d_scratch));
    CHECK(cudaFreeHost(plan->h_in));
}
int main() {
    Plan plan;
    plan.count = 1000;
    init(&plan);
    Value *out = (Value *)malloc(1000 * sizeof(Value));
    run(&plan, out);
    done(&plan);
    double sum = 0;
    for (int i = 0; i < 1000; i++) sum += out[i].expected * 3 + out[i].confidence * i;
    printf("%.6f\n", sum);
    free(out);
    return 0;
}
