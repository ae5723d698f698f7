//@ layouts = ["Body = soa", "Body = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>
struct Body {
    float x, y, z;
    float vx, vy, vz;
    int id;
};
struct Settings {
    std::vector<float> weights;
    std::string title;
};
struct App {
    Body *bodies = nullptr;
    std::vector<int> order;
    std::map<int, std::string> names;
    std::unique_ptr<Settings> settings;
    std::mutex lock;
    std::string title;
    cudaStream_t stream;
    cudaEvent_t marks[2];
    dim3 grid;
    const int n = 100;
    volatile int stop;
    unsigned paused : 1;
    Body *other;
    std::vector<Body> host;
    App() : other(nullptr), host(100) {}
};
struct Plan {
    Body *bodies;
    dim3 block;
    cudaStream_t stream;
    std::vector<Body> host;
};
__global__ void step(Body *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        b[i].x += b[i].vx;
        b[i].y += b[i].vy * b[i].z;
        b[i].id++;
    }
}
int main()
{
    App app;
    for (int i = 0; i < app.n; i++)
        app.host[i] = Body{1.0f * i, 2.0f, 3.0f, 1.0f, 0.5f * i, 3.0f, i};
    cudaStreamCreate(&app.stream);
    app.grid = dim3(1);
    app.stop = 0;
    app.paused = 0;
    app.order.resize(3);
    cudaMalloc(&app.bodies, app.n * sizeof(Body));
    cudaMemcpyAsync(app.bodies, app.host.data(), app.n * sizeof(Body), cudaMemcpyHostToDevice, app.stream);
    Plan plan = {app.bodies, dim3(128), app.stream, app.host};
    step<<<app.grid, plan.block, 0, app.stream>>>(plan.bodies, app.n);
    cudaMemcpyAsync(plan.host.data(), app.bodies, app.n * sizeof(Body), cudaMemcpyDeviceToHost, app.stream);
    cudaStreamSynchronize(app.stream);
    for (int i = 0; i < app.n; i += 9)
        printf("%g %g %d\n", plan.host[i].x, plan.host[i].y, plan.host[i].id);
    cudaFree(app.bodies);
    cudaStreamDestroy(app.stream);
    return app.other != nullptr;
}
