#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Elements with constructors, member functions, operators, private and static members.

struct Vec3 {
    float x, y, z;
    __host__ __device__ Vec3() : x(0), y(0), z(0) {}
    __host__ __device__ Vec3(float a, float b, float c) : x(a), y(b), z(c) {}
    __host__ __device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    __host__ __device__ Vec3 &operator+=(const Vec3 &o) { x += o.x; y += o.y; z += o.z; return *this; }
};
__host__ __device__ inline Vec3 operator*(const Vec3 &a, float s) { return Vec3(a.x * s, a.y * s, a.z * s); }
__host__ __device__ inline Vec3 operator+(const Vec3 &a, const Vec3 &b) { return Vec3(a.x + b.x, a.y + b.y, a.z + b.z); }

class Particle {
public:
    __host__ __device__ Particle() : mass(1.0f), id(0) {}
    __host__ __device__ void advance(float dt) {
        pos += vel * dt;
        if (pos.x > limit)
            bounce();
        hits = hits + 1;
    }
    __host__ __device__ float energy() const { return 0.5f * mass * vel.dot(vel); }
    __host__ __device__ float mass_of() const { return mass; }
    __host__ __device__ void set(int i) { id = i; mass = 1.0f + i; pos = Vec3(i, 2 * i, 0.5f); vel = Vec3(1, -1, 0.25f * i); hits = 0; }
    __host__ __device__ void bounce()
    {
        vel.x = -vel.x;
    }
    static constexpr float limit = 10.0f;
    Vec3 pos, vel;
private:
    float mass;
    int id;
    int hits;
};

__global__ void step(Particle *p, float *e, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].advance(dt);
        Particle &q = p[i];
        q.advance(dt);
        e[i] = p[i].energy() + q.mass_of();
        Particle local = p[i];
        local.advance(1.0f);
        e[i] += local.energy();
    }
}

__global__ void addv(Vec3 *a, const Vec3 *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] += b[i];
        a[i] = a[i] + b[i] * 2.0f;
        Vec3 t = b[i];
        t += a[i];
        a[i].x += t.dot(b[i]);
    }
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const int blocks = n > 0 ? (n + 127) / 128 : 1;
    Particle *h = new Particle[n];
    for (int i = 0; i < n; i++)
        h[i].set(i % 50);
    Particle *d;
    float *e, *he = new float[n];
    cudaMalloc(&d, n * sizeof(Particle));
    cudaMalloc(&e, n * sizeof(float));
    cudaMemcpy(d, h, n * sizeof(Particle), cudaMemcpyHostToDevice);
    step<<<blocks, 128>>>(d, e, 0.1f, n);
    cudaMemcpy(h, d, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    cudaMemcpy(he, e, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += he[i] + h[i].energy() + h[i].pos.x * (i % 7 + 1);
    Vec3 *va = new Vec3[n], *vb = new Vec3[n];
    for (int i = 0; i < n; i++) {
        va[i] = Vec3(i % 31, 1, 2);
        vb[i] = Vec3(0.5f, i % 17, 3);
    }
    Vec3 *a, *b;
    cudaMalloc(&a, n * sizeof(Vec3));
    cudaMalloc(&b, n * sizeof(Vec3));
    cudaMemcpy(a, va, n * sizeof(Vec3), cudaMemcpyHostToDevice);
    cudaMemcpy(b, vb, n * sizeof(Vec3), cudaMemcpyHostToDevice);
    addv<<<blocks, 128>>>(a, b, n);
    cudaMemcpy(va, a, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += va[i].x + 3 * va[i].y;
    printf("checksum %.6f\n", sum);
    cudaFree(d);
    cudaFree(e);
    cudaFree(a);
    cudaFree(b);
    delete[] h;
    delete[] he;
    delete[] va;
    delete[] vb;
    return 0;
}
