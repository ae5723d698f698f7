//@ layout = "Body = soa"
#include <cstdio>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) printf("%s\n", cudaGetErrorString(e)); } while (0)
struct Body {
    float x;
    float v;
};
struct View {
    Body *bodies;
    int count;
};
__global__ void push(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += bodies[i].v;
}
__global__ void twice(View view) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < view.count)
        view.bodies[i].v *= 2;
}
class Simulation {
public:
    explicit Simulation(int n) : count(n) { CHECK(cudaMalloc(&bodies, n * sizeof(Body))); }
    ~Simulation() { cudaFree(bodies); }
    void set(const Body *from) {
        CHECK(cudaMemcpy(bodies, from, count * sizeof(Body), cudaMemcpyHostToDevice));
    }
    void get(Body *to) {
        CHECK(cudaMemcpy(to, bodies, count * sizeof(Body), cudaMemcpyDeviceToHost));
    }
    void step(bool again) {
        void *args[2];
        args[0] = &bodies;
        args[1] = &count;
        if (again)
            CHECK(cudaLaunchKernel((const void *)push, dim3(1), dim3(64), args, 0, 0));
        else
            CHECK(cudaLaunchKernel((const void *)push, dim3(2), dim3(32), args, 0, 0));
    }
    void grow() {
        View view = {bodies, count};
        void *one[] = {&view};
        CHECK(cudaLaunchKernel((const void *)twice, dim3(1), dim3(64), one, 0, 0));
    }

private:
    Body *bodies = nullptr;
    int count;
};
int main() {
    Body h[50];
    for (int i = 0; i < 50; i++)
        h[i] = {(float)i, 1.0f};
    Simulation simulation(50);
    simulation.set(h);
    simulation.step(true);
    simulation.grow();
    simulation.step(false);
    simulation.get(h);
    printf("%g %g\n", h[49].x, h[3].v);
    return 0;
}
