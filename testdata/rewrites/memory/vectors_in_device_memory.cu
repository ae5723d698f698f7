//@ layouts = ["* = soa", "* = tiled(32)"]
// Vectors of thrust in device memory: as members, in templates, containers and behind pointers, made of and filled with lists of
// the host, grown, moved, swapped, and read back in whole and in part.
#include <cstdio>
#include <cuda_runtime.h>
#include <memory>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <utility>
#include <vector>

struct Particle {
    float x, y, z;
    int id;
};

__global__ void move(Particle *particles, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) particles[i].x += particles[i].y * dt;
}

__global__ void total(const Particle *particles, int n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = particles[i].x + particles[i].z + particles[i].id;
}

class Simulation {
    thrust::device_vector<Particle> particles, before;
    thrust::device_vector<float> sums;

public:
    explicit Simulation(int n) : particles(n), sums(n) {}
    void set(const std::vector<Particle> &from) { particles = from; }
    void step() {
        before = particles;
        int n = static_cast<int>(particles.size());
        move<<<(n + 63) / 64, 64>>>(thrust::raw_pointer_cast(particles.data()), n, 0.5f);
    }
    void undo() { particles.swap(before); }
    void grow(size_t n) { particles.resize(n, Particle{1, 2, 3, 4}); }
    const Particle *first() const { return thrust::raw_pointer_cast(particles.data()); }
    float sum() {
        int n = static_cast<int>(particles.size());
        if (sums.size() < particles.size()) sums.resize(n);
        total<<<(n + 63) / 64, 64>>>(first(), n, thrust::raw_pointer_cast(sums.data()));
        std::vector<float> host(n);
        cudaMemcpy(host.data(), thrust::raw_pointer_cast(sums.data()), n * sizeof(float), cudaMemcpyDeviceToHost);
        float sum = 0;
        for (float value : host) sum += value;
        return sum;
    }
};

template <class T> T *raw(thrust::device_vector<T> &v) { return thrust::raw_pointer_cast(v.data()); }
template <class T> void upload(thrust::device_vector<T> &v, const std::vector<T> &from) { v = from; }
static thrust::device_vector<Particle> made(int n) {
    thrust::device_vector<Particle> v(n);
    return v;
}
struct Holder {
    thrust::device_vector<Particle> v{};
    int n = 0;
};
static void run(thrust::device_vector<Particle> &v) {
    move<<<4, 64>>>(v.data().get(), static_cast<int>(v.size()), 1.0f);
}

int main() {
    int n = 150;
    std::vector<Particle> host(n);
    for (int i = 0; i < n; ++i) host[i] = {float(i), float(i % 7), 1.0f, i};

    Simulation sim(n);
    printf("%g\n", sim.sum());
    sim.set(host);
    for (int i = 0; i < 3; ++i) sim.step();
    printf("%g\n", sim.sum());
    sim.undo();
    sim.grow(163);
    printf("%g\n", sim.sum());

    thrust::device_vector<Particle> d(host.begin(), host.end());
    thrust::device_vector<Particle> e = d, none;
    run(e);
    e.reserve(400);
    const Particle *kept = raw(e);
    e.resize(200);
    e.push_back(host[3]);
    thrust::device_vector<Particle> fresh(host.size());
    run(fresh);
    printf("%d %zu %d %zu\n", kept == raw(e), e.size(), none.empty(), fresh.size());
    thrust::host_vector<Particle> back = e;
    printf("%g %g %d\n", back[10].x, back[160].x, back[200].id);
    back[5].x = 50.0f;
    d = back;
    run(d);
    back = d;
    thrust::host_vector<Particle> again(d);
    printf("%g %d %zu\n", back[5].x, again[200].id, back.size());

    e = std::move(d);
    printf("%zu %zu\n", d.size(), e.size());
    d.swap(e);
    std::swap(d, e);
    move<<<4, 64>>>(thrust::raw_pointer_cast(&e[0]), 100, 2.0f);
    Particle *p = thrust::raw_pointer_cast(e.data());
    move<<<4, 64>>>(p + 10, 90, 1.0f);
    thrust::copy(e.begin() + 5, e.begin() + 10, host.begin());
    printf("%g %g\n", host[0].x, host[4].x);
    thrust::copy(host.begin(), host.end(), e.begin());
    cudaMemcpy(back.data(), raw(e), e.size() * sizeof(Particle), cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", back[2].x, back[149].x, back[200].id);

    Holder holder;
    holder.v = made(n);
    upload(holder.v, host);
    thrust::device_vector<Particle> *heap = new thrust::device_vector<Particle>(holder.v);
    run(*heap);
    std::vector<thrust::device_vector<Particle>> many;
    many.push_back(*heap);
    delete heap;
    many.emplace_back(50);
    for (auto &v : many) run(v);
    auto smart = std::make_unique<thrust::device_vector<Particle>>(many[0]);
    move<<<4, 64>>>(thrust::raw_pointer_cast(smart->data()), static_cast<int>(smart->size()), 1.0f);
    thrust::host_vector<Particle> all = *smart;
    printf("%g %d\n", all[7].x, all[7].id);
    return 0;
}
