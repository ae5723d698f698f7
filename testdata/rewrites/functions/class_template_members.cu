//@ layout = "Vec3<float> = tiled(32)"
namespace math {
template <class T, int N>
struct Buffer;
template <class T>
struct Vec3 {
    T x, y, z;
    __device__ T length2() const { return x * x + y * y + z * z; }
    __device__ void scale(T s) {
        x *= s;
        y *= s;
        clamp(s);
    }
    __device__ void clamp(T most) { z = z > most ? most : z; }
    __device__ void turn();
    __device__ Vec3 &operator+=(const Vec3<T> &o);
};
template <class U>
__device__ void Vec3<U>::turn() {
    const U t = x;
    x = y;
    y = t;
}
template <typename T>
__device__ Vec3<T> &Vec3<T>::operator+=(const Vec3<T> &o) {
    x += o.x;
    return *this;
}
template <class T>
__device__ inline Vec3<T> operator*(const Vec3<T> &v, T s) {
    return Vec3<T>{v.x * s, v.y * s, v.z * s};
}
}
using Vec = math::Vec3<float>;
__global__ void step(math::Vec3 < float >*p,Vec *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].scale(2.0f);
        p[i].turn();
        p[i] += q[i];
        q[i] = p[i] * q[i].length2();
        Vec &r = q[i + 0];
        r.z += sizeof(math::Vec3<float>);
    }
}
// Another instance of the same text, in memory of its own.
__device__ double other(math::Vec3<double> &v) {
    v.scale(2.0);
    v.turn();
    return v.length2();
}
int main() {
    const int n = 100;
    Vec h[100] = {};
    math::Vec3<float> *p;
    Vec *q;
    cudaMalloc((void **)&p, n * sizeof(math::Vec3<float>));
    cudaMalloc((void **)&q, n * sizeof(Vec));
    cudaMemcpy(p, h, n * sizeof(Vec), cudaMemcpyHostToDevice);
    cudaMemcpy(q, h, sizeof(h), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(p, q, n);
    cudaMemcpy(h, p, n * sizeof(Vec), cudaMemcpyDeviceToHost);
    cudaFree(p);
    cudaFree(q);
    return 0;
}
