//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
#include <future>
#include <thread>
struct P { float x, y; };
__global__ void fill(P *p, int n) { int i = threadIdx.x; if (i < n) { p[i].x = i; p[i].y = 2; } }
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
class Worker {
public:
    explicit Worker(int count) : n(count) { cudaMalloc(&d, n * sizeof(P)); fill<<<1, 64>>>(d, n); }
    ~Worker() { cudaFree(d); }
    void start() { thread = std::thread(&Worker::run, this, 2); }
    void wait() { thread.join(); }
    int again() {
        std::thread own(&Worker::run, this, 1);
        own.join();
        std::future<int> result = std::async(std::launch::async, &Worker::count, this);
        return result.get();
    }
    float sum() const {
        P h[64];
        float sum = 0;
        cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++) sum += h[i].x;
        return sum;
    }
private:
    void run(int steps) { for (int i = 0; i < steps; i++) step<<<1, 64>>>(d, n); }
    int count() { step<<<1, 64>>>(d, n); return n; }
    P *d = nullptr;
    int n;
    std::thread thread;
};
int main() {
    Worker worker(50);
    worker.start();
    worker.wait();
    int n = worker.again();
    printf("%d %g\n", n, worker.sum());
    return 0;
}
