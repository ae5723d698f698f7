//@ layouts = ["Body = soa", "Body = tiled(32)"]
#include <cuda_runtime.h>
#include <cstdio>
struct Body {
    float x, y;
    int id;
};
template <class T>
struct View {
    T *data;
    int n;
};
struct Scene {
    View<Body> bodies;
    View<float> weights;
};
struct Pair {
    Body *now, *next;
    int n;
};
struct Held {
    Body *p;
    explicit Held(Body *q, int m = 0) : p(m < 0 ? nullptr : q) {}
};
__global__ void step(View<Body> b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.n)
        b.data[i].x += b.data[i].y;
}
__global__ void scale(Scene s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.bodies.n)
        s.bodies.data[i].x *= s.weights.data[i];
}
template <class T>
View<T> make_view(T *p, int n)
{
    return View<T>{p, n};
}
View<Body> none()
{
    return {nullptr, 0};
}
Pair pair_of(Body *p, int n)
{
    return {p, nullptr, n};
}
int main()
{
    const int n = 100;
    Body host[n];
    float weights[n];
    for (int i = 0; i < n; i++) {
        host[i] = Body{1.0f * i, 2.0f, i};
        weights[i] = i % 4;
    }
    Body *d;
    float *w;
    cudaMalloc(&d, sizeof host);
    cudaMalloc(&w, sizeof weights);
    cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(w, weights, sizeof weights, cudaMemcpyHostToDevice);
    step<<<1, 128>>>(View<Body>{d, n});
    step<<<1, 128>>>({d, n});
    step<<<1, 128>>>(make_view(d, n));
    View<Body> v = none();
    v = {d, n};
    step<<<1, 128>>>(v);
    View<Body> copy{v};
    Scene s{{copy.data, n}, {w, n}};
    scale<<<1, 128>>>(s);
    scale<<<1, 128>>>(Scene{copy, {w, n}});
    Pair pair = pair_of(d, n);
    Held held{pair.now};
    cudaMemcpy(host, held.p, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9)
        printf("%g %d\n", host[i].x, host[i].id);
    cudaFree(d);
    cudaFree(w);
    return pair.next != nullptr;
}
