//@ layouts = ["* = soa", "* = tiled(32)"]
// Constructors, templates and arguments with qualified names, references to what holds an array as members, and items of
// vectors given to templates.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
namespace tree {
struct Box {
    float low, high;
    __host__ __device__ Box() : low(0), high(0) {}
    __host__ __device__ Box(float low, float high) : low(low), high(high) {}
};
struct Tree {
    Box *boxes;
    int n;
    __host__ __device__ Tree(Box *boxes, int n) : boxes(boxes), n(n) {}
};
class Iterator {
public:
    __host__ __device__ Iterator(const Tree &tree) : tree(tree), at(0) {}
    __host__ __device__ Box next();

private:
    const Tree &tree;
    int at;
};
__host__ __device__ Box Iterator::next() { return tree.boxes[at++]; }
}
namespace memory {
template <typename T>
T *to_device(const T *host, int n) {
    T *device = nullptr;
    if (n > 0) {
        cudaMalloc(&device, sizeof(T) * n);
        cudaMemcpy(device, host, sizeof(T) * n, cudaMemcpyHostToDevice);
    }
    return device;
}
}
struct Weight {
    float value;
    int count;
};
__global__ void fill(tree::Box *boxes, int n) {
    int i = threadIdx.x;
    if (i >= n)
        return;
    if (i % 3)
        boxes[i] = tree::Box(i, i + 1);
    else
        boxes[i] = tree::Box();
}
__global__ void sum(tree::Box *boxes, const Weight *weights, const Weight *others, int n, float *out) {
    tree::Tree all(boxes, n);
    tree::Iterator iterator(all);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        tree::Box box = iterator.next();
        sum += (box.high - box.low) * weights[i].value * others[i].count;
    }
    *out = sum;
}
int main() {
    const int n = 50;
    tree::Box *boxes;
    float *out, result;
    std::vector<Weight> weights(n);
    for (int i = 0; i < n; i++)
        weights[i] = {float(i), i % 4};
    cudaMalloc(&boxes, n * sizeof(tree::Box));
    cudaMalloc(&out, sizeof(float));
    Weight *first = memory::to_device<Weight>(weights.data(), weights.size());
    Weight *second = memory::to_device(&weights[0], n);
    fill<<<1, 64>>>(boxes, n);
    sum<<<1, 1>>>(boxes, first, second, n, out);
    cudaMemcpy(&result, out, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", result);
    cudaFree(boxes);
    cudaFree(first);
    cudaFree(second);
    cudaFree(out);
}
