//@ layouts = ["Dot = soa", "Dot = tiled(16)"]
#include <cstdlib>
#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) exit(1); } while (0)
struct Dot {
    float x;
    int id;
};
template <typename T>
struct Holder {
    T *items;
    int length;
    explicit Holder(int n);
    void up(const T *h);
};
template <typename T>
Holder<T>::Holder(int n) : items(nullptr), length(n) {
    CHECK(cudaMalloc(&items, length * sizeof(T)));
}
template <typename T>
void Holder<T>::up(const T *h) {
}
__global__ void step(Dot *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
    }
}
int main() {
    int n = 100;
    Dot *h = new Dot[n]();
    Holder<Dot> dots(n);
    cudaMemcpy(dots.items, h, n * sizeof(Dot), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(dots.items, n);
    cudaMemcpy(h, dots.items, n * sizeof(Dot), cudaMemcpyDeviceToHost);
    cudaFree(dots.items);
    delete[] h;
    return 0;
}
