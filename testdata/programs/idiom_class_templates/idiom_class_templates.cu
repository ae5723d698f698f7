// Instances of class templates as element types, as members and in templates of functions.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace math {
template <class T>
struct Vec3 {
    typedef T scalar;
    T x, y, z;

    __host__ __device__ T dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    __host__ __device__ void scale(T s) {
        x *= s;
        y *= s;
        z *= s;
    }
    __host__ __device__ Vec3 &operator+=(const Vec3 &o) {
        x += o.x;
        y += o.y;
        z += o.z;
        return *this;
    }
    __host__ __device__ void turn();
};

template <class U>
__host__ __device__ void Vec3<U>::turn() {
    U t = x;
    x = y;
    y = z;
    z = t;
}

template <class T>
__host__ __device__ inline Vec3<T> operator+(const Vec3<T> &a, const Vec3<T> &b) {
    Vec3<T> r;
    r.x = a.x + b.x;
    r.y = a.y + b.y;
    r.z = a.z + b.z;
    return r;
}

using Vec3f = Vec3<float>;
} // namespace math

// Declared before it is defined, with a default that the definition does not repeat.
template <class T, int N = 4>
class Sample;

template <class T, int N>
class Sample {
public:
    enum { LAST = N - 1 };
    T w[N];
    math::Vec3<T> pos;
    short count;

    __device__ T last() const { return w[LAST]; }
};

template <class T> using Samples3 = Sample<T, 3>;


// The argument is defined behind the template.
template <class T>
struct Tagged {
    T tag;
    double value;
    int next;
};
struct Tag {
    unsigned char kind;
    unsigned short id;
};

template <class T>
__device__ T length2(const math::Vec3<T> &v) { return v.dot(v); }

template <class T>
__device__ void push(math::Vec3<T> *v, T by) { v->x += by; }

template <class T>
__global__ void move(math::Vec3<T> *p, const math::Vec3<T> *v, T dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    math::Vec3<T> step = v[i];
    step.scale(dt);
    p[i] += step;
    p[i] = p[i] + v[(i + 1) % n];
    push(&p[i], T(2));
    p[i].z += length2(v[i]);
}

__global__ void turn(math::Vec3f *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3) p[i].turn();
}

template <class T, int N>
__global__ void weigh(Sample<T, N> *s, const math::Vec3<T> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Sample<T, N> &own = s[i];
    for (int k = 0; k < N; k++) own.w[k] += p[i].x * T(k + sizeof(Sample<T, N>) % 5);
    own.pos = p[i];
    own.pos.y += own.last();
    own.count += N;
}

__global__ void link(Tagged<Tag> *t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    t[i].value += t[t[i].next].tag.id;
    t[i].tag.kind ^= 3;
}

template <class T>
static void upload(T *d, const T *h, int n) { cudaMemcpy(d, h, n * sizeof(T), cudaMemcpyHostToDevice); }

// Allocates for itself: the elements are named in the body alone.
template <class T>
static T scratch(int n, T start) {
    math::Vec3<T> *d, *h = new math::Vec3<T>[n + 1];
    for (int i = 0; i < n; i++) h[i].x = start + i % 7, h[i].y = 1, h[i].z = T(i % 3);
    cudaMalloc((void **)&d, (n + 1) * sizeof(math::Vec3<T>));
    cudaMemcpy(d, h, n * sizeof(math::Vec3<T>), cudaMemcpyHostToDevice);
    move<T><<<n / 64 + 1, 64>>>(d, d, T(0), 1);
    cudaMemcpy(h, d, n * sizeof(math::Vec3<T>), cudaMemcpyDeviceToHost);
    cudaFree(d);
    T sum = 0;
    for (int i = 0; i < n; i++) sum += h[i].x + 3 * h[i].z;
    delete[] h;
    return sum;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const int blocks = n / 64 + 1;
    math::Vec3<float> *p = new math::Vec3<float>[n], *v = new math::Vec3f[n];
    Sample<float> *four = new Sample<float>[n];
    Samples3<float> *three = new Samples3<float>[n];
    Tagged<Tag> *t = new Tagged<Tag>[n];
    for (int i = 0; i < n; i++) {
        p[i] = math::Vec3<float>{1.0f * (i % 50), 2.0f, 0.5f * (i % 3)};
        v[i] = {0.25f * (i % 5), 1.0f, -1.0f * (i % 2)};
        for (int k = 0; k < 4; k++) four[i].w[k] = float(i % (k + 2));
        for (int k = 0; k < 3; k++) three[i].w[k] = float(k);
        four[i].pos = three[i].pos = v[i];
        four[i].count = three[i].count = short(i % 9);
        t[i].tag.kind = (unsigned char)(i % 200);
        t[i].tag.id = (unsigned short)(i % 777);
        t[i].value = i;
        t[i].next = int((i * 7LL) % n);
    }
    math::Vec3<float> *dp, *dv;
    Sample<float> *df;
    Sample<float, 3> *dt;
    Tagged<Tag> *dg;
    cudaMalloc((void **)&dp, n * sizeof(math::Vec3<float>));
    cudaMalloc((void **)&dv, n * sizeof *dv);
    cudaMalloc(&df, n * sizeof(Sample<float>));
    cudaMalloc(&dt, sizeof(Sample<float, 3>) * n);
    cudaMalloc(&dg, n * sizeof(Tagged<Tag>));
    upload(dp, p, n);
    upload(dv, v, n);
    upload<Sample<float>>(df, four, n);
    upload(dt, three, n);
    upload(dg, t, n);
    move<float><<<blocks, 64>>>(dp, dv, 0.5f, n);
    turn<<<blocks, 64>>>(dp, n);
    move<<<blocks, 64>>>(dp, dv, 0.25f, n / 2);
    weigh<<<blocks, 64>>>(df, dp, n);
    weigh<float, 3><<<blocks, 64>>>(dt, dv, n);
    link<<<blocks, 64>>>(dg, n);
    cudaMemcpy(p, dp, n * sizeof(math::Vec3f), cudaMemcpyDeviceToHost);
    cudaMemcpy(four, df, n * sizeof(Sample<float, 4>), cudaMemcpyDeviceToHost);
    cudaMemcpy(three, dt, n * sizeof *three, cudaMemcpyDeviceToHost);
    cudaMemcpy(t, dg, n * sizeof(Tagged<Tag>), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += p[i].x + 2 * p[i].y + 3 * p[i].z;
        for (int k = 0; k < 4; k++) sum += four[i].w[k] * (k + 1);
        for (int k = 0; k < 3; k++) sum += three[i].w[k] * (k + 1);
        sum += four[i].pos.y + three[i].pos.z + four[i].count + three[i].count;
        sum += t[i].value + t[i].tag.kind + t[i].next;
    }
    printf("%.4f %.4f %.4f\n", sum, (double)scratch(n, 1.0f), scratch(n, 2.0));
    cudaFree(dp);
    cudaFree(dv);
    cudaFree(df);
    cudaFree(dt);
    cudaFree(dg);
    delete[] p;
    delete[] v;
    delete[] four;
    delete[] three;
    delete[] t;
    return 0;
}
