//@ layouts = ["* = soa", "* = tiled(32)"]
// Algorithms that are given places in vectors in device memory: the vector gives iterators, and a policy says where they run.
#include <cstdio>
#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <vector>

struct Item {
    float weight, value;
    int id;
};
__global__ void scale(Item *items, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) items[i].value *= items[i].weight;
}
struct Heavier {
    __host__ __device__ bool operator()(const Item &a, const Item &b) const { return a.weight > b.weight; }
};
struct Even {
    __host__ __device__ bool operator()(const Item &item) const { return item.id % 2 == 0; }
};
struct Value {
    __host__ __device__ float operator()(const Item &item) const { return item.value; }
};
struct Lighter {
    __host__ __device__ Item operator()(Item item) const {
        item.weight -= 1.0f;
        return item;
    }
};

class Inventory {
    thrust::device_vector<Item> items;

public:
    explicit Inventory(const std::vector<Item> &from) : items(from) {}
    void sort() { thrust::sort(items.begin(), items.end(), Heavier()); }
    int even() const { return static_cast<int>(thrust::count_if(items.begin(), items.end(), Even())); }
    std::vector<Item> get() const {
        std::vector<Item> host(items.size());
        thrust::copy(items.begin(), items.end(), host.begin());
        return host;
    }
};

int main() {
    int n = 101;
    std::vector<Item> host(n);
    for (int i = 0; i < n; ++i) host[i] = {float(i * 37 % 101), float(i % 5), i};
    Inventory inventory(host);
    inventory.sort();
    std::vector<Item> sorted = inventory.get();
    printf("%d %d %d\n", sorted[0].id, sorted[50].id, inventory.even());

    thrust::device_vector<Item> d(host.begin(), host.end()), e(n);
    thrust::device_vector<Item> *p = &e;
    thrust::device_vector<float> values(n);
    scale<<<2, 64>>>(thrust::raw_pointer_cast(d.data()), n);
    thrust::transform(d.begin(), d.end(), values.begin(), Value());
    thrust::transform(d.begin(), d.end(), p->begin(), Lighter());
    thrust::copy(d.begin() + 10, d.begin() + 20, e.begin());
    thrust::sort(d.begin(), d.end() - 1, Heavier());
    thrust::fill(d.begin(), d.begin() + 3, Item{5, 6, 7});
    thrust::sort_by_key(values.begin(), values.end(), p->begin());
    thrust::host_vector<Item> a = d, b = e;
    printf("%d %d %d %d %g\n", a[0].id, a[3].id, b[0].id, b[60].id, b[100].weight);
    return 0;
}
