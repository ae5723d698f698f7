// Charged particles on springs: each is bound to a few others, whose positions and charges it gathers. Positions,
// velocities, charges and kinds are arrays of their own, as in a code that was written for vector machines.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t status = (call);                                                  \
        if (status != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(2);                                                                  \
        }                                                                             \
    } while (0)

const int BONDS = 4;

// What all particles of one time step are: pointers to device memory.
struct State {
    float *x, *y, *z;
};

__device__ __host__ inline float pull(float d, float q)
{
    return 0.01f * d * q;
}

__device__ float gather(const float *x, const float *q, int j, float own)
{
    return pull(x[j] - own, q[j]);
}

__global__ void forces(State s, const float *__restrict__ charge, const short *kind, const int *bonds,
                       float *fx, float *fy, float *fz, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float ax = 0, ay = 0, az = 0;
    const int *own = bonds + i * BONDS;
    for (int k = 0; k < BONDS; ++k) {
        int j = own[k];
        float q = kind[j] == 2 ? 0.5f * charge[j] : charge[j];
        ax += pull(s.x[j] - s.x[i], q);
        ay += pull(*(s.y + j) - s.y[i], q);
        az += gather(s.z, charge, j, s.z[i]);
    }
    fx[i] = ax;
    fy[i] = ay;
    fz[i] = az;
}

// Moves the particles of a list.
__global__ void move(const State from, State to, float *vx, float *vy, float *vz, const float *fx, const float *fy,
                     const float *fz, const int *list, int n)
{
    for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < n; t += gridDim.x * blockDim.x) {
        int i = list[t];
        vx[i] += fx[i];
        vy[i] += fy[i];
        vz[i] += fz[i];
        to.x[i] = from.x[i] + 0.1f * vx[i];
        to.y[i] = from.y[i] + 0.1f * vy[i];
        to.z[i] = from.z[i] + 0.1f * vz[i];
    }
}

// Ages are counted by all bonds that point to a particle.
__global__ void count(const int *bonds, int *age, short *kind, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int j = bonds[i * BONDS];
        atomicAdd(&age[j], 1);
        if (i == 0)
            kind[j] = 2;
    }
}

static void allocate(State *s, size_t n)
{
    CHECK(cudaMalloc(&s->x, n * sizeof(float)));
    CHECK(cudaMalloc(&s->y, n * sizeof(float)));
    CHECK(cudaMalloc(&s->z, n * sizeof(float)));
}

static void release(State &s)
{
    cudaFree(s.x);
    cudaFree(s.y);
    cudaFree(s.z);
}

static unsigned seed = 2463534242u;
static unsigned draw(unsigned bound)
{
    seed = seed * 1664525u + 1013904223u;
    return bound ? (seed >> 8) % bound : 0;
}

struct Host {
    std::vector<float> x, y, z, vx, vy, vz, fx, fy, fz, charge;
    std::vector<short> kind;
    std::vector<int> bonds, list, age;
};

static void reference(Host &h, int n, int steps)
{
    Host next = h;
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            float ax = 0, ay = 0, az = 0;
            for (int k = 0; k < BONDS; ++k) {
                int j = h.bonds[i * BONDS + k];
                float q = h.kind[j] == 2 ? 0.5f * h.charge[j] : h.charge[j];
                ax += pull(h.x[j] - h.x[i], q);
                ay += pull(h.y[j] - h.y[i], q);
                az += pull(h.z[j] - h.z[i], h.charge[j]);
            }
            h.fx[i] = ax, h.fy[i] = ay, h.fz[i] = az;
        }
        for (int t = 0; t < n; ++t) {
            int i = h.list[t];
            h.vx[i] += h.fx[i], h.vy[i] += h.fy[i], h.vz[i] += h.fz[i];
            next.x[i] = h.x[i] + 0.1f * h.vx[i];
            next.y[i] = h.y[i] + 0.1f * h.vy[i];
            next.z[i] = h.z[i] + 0.1f * h.vz[i];
        }
        h.x.swap(next.x), h.y.swap(next.y), h.z.swap(next.z);
        for (int i = 0; i < n; ++i)
            h.age[h.bonds[i * BONDS]]++;
        if (n > 0)
            h.kind[h.bonds[0]] = 2;
    }
}

template <typename T> static double sum(const std::vector<T> &values)
{
    double total = 0;
    for (size_t i = 0; i < values.size(); ++i)
        total += (double)values[i] * (1 + i % 7);
    return total;
}

template <typename T> static bool close(const std::vector<T> &a, const std::vector<T> &b)
{
    for (size_t i = 0; i < a.size(); ++i)
        if (std::fabs((double)a[i] - (double)b[i]) > 1e-4 * (1 + std::fabs((double)b[i])))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 4;
    Host h;
    for (int i = 0; i < n; ++i) {
        h.x.push_back(draw(1000) * 0.01f), h.y.push_back(draw(1000) * 0.01f), h.z.push_back(draw(1000) * 0.01f);
        h.vx.push_back(0), h.vy.push_back(draw(10) * 0.001f), h.vz.push_back(0);
        h.fx.push_back(0), h.fy.push_back(0), h.fz.push_back(0);
        h.charge.push_back(1 + draw(5)), h.kind.push_back((short)draw(3)), h.age.push_back((int)draw(9));
        h.list.push_back(i);
        for (int k = 0; k < BONDS; ++k)
            h.bonds.push_back((int)draw(n));
    }
    for (int i = n - 1; i > 0; --i)
        std::swap(h.list[i], h.list[draw(i + 1)]);
    const size_t bytes = n * sizeof(float);

    State now, next;
    allocate(&now, n);
    allocate(&next, n);
    float *d_vx, *d_vy, *d_vz, *d_fx, *d_fy, *d_fz;
    CHECK(cudaMalloc((void **)&d_vx, bytes));
    CHECK(cudaMalloc((void **)&d_vy, bytes));
    CHECK(cudaMalloc((void **)&d_vz, bytes));
    CHECK(cudaMalloc((void **)&d_fx, bytes));
    CHECK(cudaMalloc((void **)&d_fy, bytes));
    CHECK(cudaMalloc((void **)&d_fz, bytes));
    float *d_charge = NULL;
    short *d_kind = NULL;
    CHECK(cudaMalloc(&d_charge, sizeof(float) * n));
    CHECK(cudaMalloc(&d_kind, sizeof(short) * n));
    int *d_bonds, *d_list, *d_age;
    CHECK(cudaMalloc(&d_bonds, n * BONDS * sizeof(int)));
    CHECK(cudaMalloc(&d_list, n * sizeof(int)));
    CHECK(cudaMalloc(&d_age, n * sizeof(int)));

    // The first half, then the second.
    const int half = n / 2;
    CHECK(cudaMemcpy(now.x, h.x.data(), half * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(now.x + half, h.x.data() + half, (n - half) * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(now.y, h.y.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(now.z, h.z.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_vx, 0, bytes));
    CHECK(cudaMemcpy(d_vy, h.vy.data(), bytes, cudaMemcpyHostToDevice));
    // As much as nothing.
    CHECK(cudaMemcpy(d_vz, d_vx, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(d_charge, h.charge.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_kind, h.kind.data(), n * sizeof(short), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_bonds, h.bonds.data(), n * BONDS * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_list, h.list.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_age, h.age.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    const int blocks = (n + 127) / 128;
    for (int step = 0; step < steps && n > 0; ++step) {
        forces<<<blocks, 128>>>(now, d_charge, d_kind, d_bonds, d_fx, d_fy, d_fz, n);
        move<<<(blocks + 1) / 2, 128>>>(now, next, d_vx, d_vy, d_vz, d_fx, d_fy, d_fz, d_list, n);
        std::swap(now, next);
        count<<<blocks, 128>>>(d_bonds, d_age, d_kind, n);
    }
    Host got = h;
    CHECK(cudaMemcpy(got.x.data(), now.x, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.y.data(), now.y, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.z.data(), now.z, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.vx.data(), d_vx, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.vy.data(), d_vy, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.vz.data(), d_vz, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.kind.data(), d_kind, n * sizeof(short), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got.age.data(), d_age, n * sizeof(int), cudaMemcpyDeviceToHost));
    release(now);
    release(next);
    CHECK(cudaFree(d_vx));
    CHECK(cudaFree(d_vy));
    CHECK(cudaFree(d_vz));
    CHECK(cudaFree(d_fx));
    CHECK(cudaFree(d_fy));
    CHECK(cudaFree(d_fz));
    CHECK(cudaFree(d_charge));
    CHECK(cudaFree(d_kind));
    CHECK(cudaFree(d_bonds));
    CHECK(cudaFree(d_list));
    CHECK(cudaFree(d_age));

    reference(h, n, steps);
    printf("x %.4f y %.4f z %.4f\n", sum(got.x), sum(got.y), sum(got.z));
    printf("vx %.4f vy %.4f vz %.4f\n", sum(got.vx), sum(got.vy), sum(got.vz));
    printf("kind %.0f age %.0f\n", sum(got.kind), sum(got.age));
    const bool good = close(got.x, h.x) && close(got.y, h.y) && close(got.z, h.z) && close(got.vx, h.vx) &&
                      close(got.vy, h.vy) && close(got.vz, h.vz) && close(got.kind, h.kind) && close(got.age, h.age);
    printf("%s\n", good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
