//@ layouts = ["* = soa", "* = tiled(32)"]
// Operators that a class template defines as friends: functions for each instance, with one text for all of them.
#include <cstdio>
#include <cuda_runtime.h>
#define BOTH __host__ __device__
template <typename T, int Dim>
class Vec {
public:
    T items[Dim];
    BOTH Vec &operator+=(const Vec &other) {
        for (int i = 0; i < Dim; i++)
            items[i] += other.items[i];
        return *this;
    }
    BOTH
    friend Vec<T, Dim> operator+(const Vec<T, Dim> &a, const Vec<T, Dim> &b) {
        Vec<T, Dim> sum = a;
        sum += b;
        return sum;
    }
    BOTH friend Vec operator*(T factor, const Vec &v) {
        Vec product = v;
        for (T &item : product.items)
            item *= factor;
        return product;
    }
};
struct P {
    Vec<float, 3> position, velocity;
    int id;
};
__global__ void step(P *p, Vec<float, 2> *v, int n) {
    int i = threadIdx.x;
    if (i < n) {
        p[i].position = p[i].position + 0.5f * p[i].velocity;
        v[i].items[0] += v[i].items[1];
        p[i].id++;
    }
}
int main() {
    const int n = 40;
    P host[n];
    Vec<float, 2> vectors[n];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 3; j++) {
            host[i].position.items[j] = i;
            host[i].velocity.items[j] = j;
        }
        host[i].id = i;
        vectors[i] = {{float(i), 1}};
    }
    P *p;
    Vec<float, 2> *v;
    cudaMalloc(&p, sizeof(host));
    cudaMalloc(&v, sizeof(vectors));
    cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemcpy(v, vectors, sizeof(vectors), cudaMemcpyHostToDevice);
    step<<<1, 64>>>(p, v, n);
    cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
    cudaMemcpy(vectors, v, sizeof(vectors), cudaMemcpyDeviceToHost);
    printf("%g %d %g\n", host[7].position.items[2], host[7].id, vectors[3].items[0]);
}
