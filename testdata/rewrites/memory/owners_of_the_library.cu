//@ layouts = ["* = soa", "* = tiled(32)"]
// Smart pointers of the standard library that own arrays: with deleters of a class, of a class template, `cudaFree` itself and a
// lambda, of one element and of several, in classes, class templates, containers and namespaces.
#include <cstdio>
#include <cuda_runtime.h>
#include <memory>
#include <utility>
#include <vector>
#define CHECK(call) do { cudaError_t error = (call); if (error != cudaSuccess) printf("error %d\n", (int)error); } while (0)
struct Window {
    int width;
};
std::unique_ptr<Window> window;
struct Body {
    float x, y, z, m;
};
namespace sim {
struct Spring {
    int a, b;
    float length, stiffness;
};
template <class T>
struct DeviceDelete {
    void operator()(T *p) const {
        if (p)
            CHECK(cudaFree(p));
    }
};
template <class T>
std::unique_ptr<T[], DeviceDelete<T>> make_array(size_t n) {
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    return std::unique_ptr<T[], DeviceDelete<T>>(p);
}
struct Cloth {
    std::unique_ptr<Spring[], DeviceDelete<Spring>> springs = make_array<Spring>(300);
    std::unique_ptr<float[], DeviceDelete<float>> forces;
    Cloth() : forces(make_array<float>(300)) { cudaMemset(forces.get(), 0, 300 * sizeof(float)); }
};
__global__ void stretch(const Spring *springs, float *forces, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        forces[i] += springs[i].stiffness * (springs[i].b - springs[i].a - springs[i].length);
}
}
struct Free {
    int *count;
    void operator()(void *p) {
        ++*count;
        cudaFree(p);
    }
};
using Owner = std::unique_ptr<Body, Free>;
template <class T>
using DevicePointer = std::unique_ptr<T, decltype(&cudaFree)>;
template <class T>
class DeviceArray {
public:
    explicit DeviceArray(size_t n) : ptr{nullptr, cudaFree}, size_{n} {
        T *raw = nullptr;
        CHECK(cudaMalloc(&raw, n * sizeof(T)));
        ptr.reset(raw);
    }
    T *data() { return ptr.get(); }
    size_t size() const { return size_; }

private:
    DevicePointer<T> ptr;
    size_t size_;
};
template <class T>
std::shared_ptr<T> share(size_t n) {
    T *p = nullptr;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    return std::shared_ptr<T>(p, [](T *q) { CHECK(cudaFree(q)); });
}
__global__ void move(Body *bodies, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        bodies[i].x += bodies[i].y * bodies[i].m;
}
Owner make(int n, int *count) {
    Body *p;
    CHECK(cudaMalloc(&p, n * sizeof(Body)));
    return Owner(p, Free{count});
}
int main() {
    const int n = 300;
    std::vector<Body> bodies(n);
    std::vector<sim::Spring> springs(n);
    for (int i = 0; i < n; i++) {
        bodies[i] = Body{1.f * i, 2, 3, 0.5f};
        springs[i] = sim::Spring{i, i + 2, 1.5f, 0.25f};
    }
    int freed = 0;
    {
        std::vector<Owner> owners;
        for (int i = 0; i < 3; i++) {
            owners.push_back(make(n, &freed));
            CHECK(cudaMemcpy(owners[i].get(), bodies.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
        }
        for (auto &own : owners)
            move<<<(n + 127) / 128, 128>>>(own.get(), n);
        std::swap(owners[0], owners[1]);
        Owner last = std::move(owners[2]);
        if (owners[2] == nullptr && last && owners[0] != owners[1])
            printf("moved, %d freed\n", freed);
        owners[1].reset();
        owners[0] = nullptr;
        printf("%d freed\n", freed);
        DeviceArray<Body> array(n);
        CHECK(cudaMemcpy(array.data(), last.get(), n * sizeof(Body), cudaMemcpyDeviceToDevice));
        move<<<(n + 127) / 128, 128>>>(array.data(), (int)array.size());
        std::shared_ptr<Body> shared = share<Body>(n), other = shared;
        CHECK(cudaMemcpy(shared.get(), array.data(), n * sizeof(Body), cudaMemcpyDeviceToDevice));
        shared.reset();
        CHECK(cudaMemcpy(bodies.data(), other.get(), n * sizeof(Body), cudaMemcpyDeviceToHost));
        printf("%ld %d\n", other.use_count(), shared ? 1 : 0);
    }
    sim::Cloth cloth;
    CHECK(cudaMemcpy(cloth.springs.get(), springs.data(), n * sizeof(sim::Spring), cudaMemcpyHostToDevice));
    sim::stretch<<<(n + 127) / 128, 128>>>(cloth.springs.get(), cloth.forces.get(), n);
    std::vector<float> forces(n);
    CHECK(cudaMemcpy(forces.data(), cloth.forces.get(), n * sizeof(float), cudaMemcpyDeviceToHost));
    printf("%g %g %d freed\n", bodies[7].x, forces[9], freed);
    return 0;
}
