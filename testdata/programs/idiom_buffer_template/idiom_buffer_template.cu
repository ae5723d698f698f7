// A buffer that owns device memory and views of it, as class templates: for two structs and for float.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct Particle {
    float x, y, z;
    int id;
};
struct Cell {
    double mass;
    int count;
    float weight[2];
};

namespace mem {
template <class T>
class Buffer {
public:
    explicit Buffer(size_t n) : data_(nullptr), n_(n) { cudaMalloc(&data_, n * sizeof(T)); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer();
    T *get() { return data_; }
    size_t size() const { return n_; }
    void upload(const std::vector<T> &from) { cudaMemcpy(data_, from.data(), n_ * sizeof(T), cudaMemcpyHostToDevice); }
    void download(std::vector<T> &to) const;

private:
    T *data_;
    size_t n_;
};

template <class T>
Buffer<T>::~Buffer() {
    if (data_) cudaFree(data_);
}

template <class T>
void Buffer<T>::download(std::vector<T> &to) const {
    cudaMemcpy(to.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost);
}
} // namespace mem

// A stack for each thread; the items of all threads are interleaved.
template <class T, int DEPTH, int THREADS>
class Stack {
    T *buf;
    int at;

public:
    __device__ Stack(T *buf, int thread) : buf(buf), at(thread) {}
    __device__ bool full() const { return at >= DEPTH * THREADS; }
    __device__ void push(T const &v) {
        buf[at] = v;
        at += THREADS;
    }
    __device__ T pop() {
        at -= THREADS;
        return buf[at];
    }
    __device__ int size() const;
};

template <class T, int DEPTH, int THREADS>
__device__ int Stack<T, DEPTH, THREADS>::size() const {
    return at / THREADS;
}

template <class T>
struct View {
    T *p;
    int n;
};

template <class T>
__device__ void swap_ends(View<T> v, int i) {
    T a = v.p[i];
    v.p[i] = v.p[v.n - 1 - i];
    v.p[v.n - 1 - i] = a;
}

template <int DEPTH, int THREADS>
__device__ void fill(Stack<Particle, DEPTH, THREADS> &stack, Particle p) {
    while (!stack.full()) {
        stack.push(p);
        p.x *= 0.5f;
        p.id++;
    }
}

const int THREADS = 64, DEPTH = 4;

__global__ void run(Particle *items, int *sizes, float s) {
    typedef Particle P;
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    Stack<P, DEPTH, THREADS> stack(items, thread);
    Particle p;
    p.x = thread * s;
    p.y = 1;
    p.z = s;
    p.id = thread;
    fill(stack, p);
    Particle top = stack.pop();
    top.y += top.x;
    stack.push(top);
    sizes[thread] = stack.size();
}

template <class T>
__global__ void turn(View<T> v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n / 2) swap_ends(v, i);
}

__global__ void weigh(View<Cell> c, const float *w) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < c.n) {
        c.p[i].mass += c.p[i].weight[i % 2] * w[i];
        c.p[i].count++;
    }
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 500;
    const int blocks = n / 64 + 1;
    mem::Buffer<Particle> items(THREADS * DEPTH);
    mem::Buffer<int> sizes(THREADS);
    run<<<2, THREADS / 2>>>(items.get(), sizes.get(), 0.25f);
    View<Particle> v;
    v.p = items.get();
    v.n = THREADS * DEPTH;
    turn<<<2, 64>>>(v);
    std::vector<Particle> hp(THREADS * DEPTH);
    std::vector<int> hs(THREADS);
    items.download(hp);
    sizes.download(hs);

    mem::Buffer<Cell> cells(n);
    mem::Buffer<float> w(n);
    std::vector<Cell> hc(n);
    std::vector<float> hw(n);
    for (int i = 0; i < n; i++) {
        hc[i].mass = i % 13;
        hc[i].count = i;
        hc[i].weight[0] = 0.5f;
        hc[i].weight[1] = 2;
        hw[i] = i % 5;
    }
    cells.upload(hc);
    w.upload(hw);
    View<Cell> c = {cells.get(), n};
    weigh<<<blocks, 64>>>(c, w.get());
    turn<<<blocks, 64>>>(c);
    cells.download(hc);

    double sum = 0;
    for (size_t i = 0; i < hp.size(); i++) sum += hp[i].x * (i % 7) + hp[i].y + hp[i].z + hp[i].id;
    for (int i = 0; i < THREADS; i++) sum += hs[i];
    printf("particles %.6f\n", sum);
    sum = 0;
    for (int i = 0; i < n; i++) sum += hc[i].mass * (i % 11) + hc[i].count;
    printf("cells %.6f\n", sum);
    return 0;
}
