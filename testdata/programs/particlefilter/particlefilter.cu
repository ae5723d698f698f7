// Bootstrap particle filter that tracks a bright disc through a noisy film.
//
// Positions are kept in fixed steps of 1/64 pixel and likelihoods are integers, so that resampling picks the
// same particles on every machine.
//
//     particlefilter [particles] [frames]

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#ifndef CUDA_TRY
#define CUDA_TRY(...)                                                                             \
    if (cudaError_t e_ = (__VA_ARGS__)) {                                                         \
        std::fprintf(stderr, "%s failed with %s\n", #__VA_ARGS__, cudaGetErrorString(e_));        \
        std::abort();                                                                             \
    }
#endif

namespace filter {

const int kWidth = 64;
const int kHeight = 48;
const int kThreads = 128;

struct Particle {
    float x, y;
    float vx, vy;
    int weight;
    int ancestor;
    unsigned int seed;
};

__host__ __device__ unsigned int nextSeed(unsigned int s) { return s * 1664525u + 1013904223u; }

// -1 .. 1 in steps of 1/64
__host__ __device__ float noise(unsigned int s) { return (int)((s >> 16) % 129u) / 64.0f - 1.0f; }

__host__ __device__ int clampTo(int v, int limit) { return v < 0 ? 0 : (v >= limit ? limit - 1 : v); }

// How much brighter the disc around (x, y) is than the background; never zero.
__host__ __device__ int likelihood(const unsigned char *frame, float x, float y) {
    int sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
            if (dx * dx + dy * dy > 5) continue;
            int px = clampTo((int)x + dx, kWidth);
            int py = clampTo((int)y + dy, kHeight);
            sum += frame[py * kWidth + px];
        }
    int score = (sum - 21 * 100) / 16;
    return score > 0 ? 1 + score * score / 64 : 1;
}

__global__ void spawn(Particle *particles, int n, float x, float y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p;
    p.seed = nextSeed(nextSeed(i * 747796405u + 1u));
    p.x = x + noise(p.seed);
    p.y = y - noise(p.seed);
    p.vx = 1.0f;
    p.vy = 0.5f;
    p.weight = 1;
    p.ancestor = i;
    particles[i] = p;
}

__global__ void propagate(Particle *particles, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle &p = particles[i];
    unsigned int s = nextSeed(p.seed);
    p.x += p.vx + 2.0f * noise(s);
    s = nextSeed(s);
    p.y += p.vy + 2.0f * noise(s);
    p.seed = s;
}

__global__ void weigh(Particle *particles, int n, const unsigned char *frame) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) particles[i].weight = likelihood(frame, particles[i].x, particles[i].y);
}

// Inclusive prefix sums of the weights, one block.
__global__ void accumulate(const Particle *particles, int n, int *cdf) {
    __shared__ int scan[kThreads];
    int carry = 0;
    for (int start = 0; start < n; start += kThreads) {
        int i = start + threadIdx.x;
        scan[threadIdx.x] = i < n ? particles[i].weight : 0;
        __syncthreads();
        for (int offset = 1; offset < kThreads; offset *= 2) {
            int add = threadIdx.x >= offset ? scan[threadIdx.x - offset] : 0;
            __syncthreads();
            scan[threadIdx.x] += add;
            __syncthreads();
        }
        if (i < n) cdf[i] = carry + scan[threadIdx.x];
        carry += scan[kThreads - 1];
        __syncthreads();
    }
}

// Systematic resampling; whole particles are gathered from the old generation.
__global__ void resample(const Particle *from, Particle *to, int n, const int *cdf) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long wanted = ((2LL * i + 1) * cdf[n - 1]) / (2LL * n);
    int lo = 0, hi = n - 1;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (cdf[mid] > wanted) hi = mid; else lo = mid + 1;
    }
    to[i] = from[lo];
    to[i].ancestor = lo;
    to[i].seed = nextSeed(from[lo].seed ^ (i * 2654435761u));
}

static std::vector<unsigned char> film(int frame, unsigned int &seed) {
    std::vector<unsigned char> image(kWidth * kHeight);
    const int cx = 8 + frame, cy = 10 + frame / 2;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            seed = nextSeed(seed);
            const bool inside = (x - cx) * (x - cx) + (y - cy) * (y - cy) <= 5;
            image[y * kWidth + x] = (unsigned char)((inside ? 190 : 90) + (seed >> 16) % 25u);
        }
    return image;
}

static void referenceStep(std::vector<Particle> &particles, const std::vector<unsigned char> &frame) {
    const int n = (int)particles.size();
    std::vector<int> cdf(n);
    int total = 0;
    for (int i = 0; i < n; ++i) {
        Particle &p = particles[i];
        p.seed = nextSeed(p.seed);
        p.x += p.vx + 2.0f * noise(p.seed);
        p.seed = nextSeed(p.seed);
        p.y += p.vy + 2.0f * noise(p.seed);
        p.weight = likelihood(frame.data(), p.x, p.y);
        cdf[i] = total += p.weight;
    }
    std::vector<Particle> chosen(n);
    int k = 0;
    for (int i = 0; i < n; ++i) {
        const long long wanted = ((2LL * i + 1) * total) / (2LL * n);
        while (cdf[k] <= wanted && k < n - 1) ++k;
        chosen[i] = particles[k];
        chosen[i].ancestor = k;
        chosen[i].seed = nextSeed(particles[k].seed ^ (i * 2654435761u));
    }
    particles.swap(chosen);
}

} // namespace filter

int main(int argc, char **argv) {
    using namespace filter;
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    const int frames = argc > 2 ? std::atoi(argv[2]) : 6;
    if (n <= 0) {
        std::printf("no particles\n%s\n", n == 0 ? "PASSED" : "FAILED");
        return n == 0 ? 0 : 2;
    }

    Particle *now = nullptr, *next = nullptr;
    unsigned char *d_frame = nullptr;
    int *d_cdf = nullptr;
    const std::size_t bytes = sizeof(Particle) * n;
    CUDA_TRY(cudaMalloc(&now, bytes))
    CUDA_TRY(cudaMalloc(&next, bytes))
    CUDA_TRY(cudaMalloc(&d_frame, kWidth * kHeight))
    CUDA_TRY(cudaMalloc(&d_cdf, sizeof(int) * n))

    const int blocks = (n + kThreads - 1) / kThreads;
    spawn<<<blocks, kThreads>>>(now, n, 8.0f, 10.0f);
    CUDA_TRY(cudaGetLastError())

    std::vector<Particle> particles(n), expected(n);
    CUDA_TRY(cudaMemcpy(expected.data(), now, bytes, cudaMemcpyDeviceToHost))
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const unsigned int s = nextSeed(nextSeed(i * 747796405u + 1u));
        const Particle &p = expected[i];
        if (p.seed != s || p.x != 8.0f + noise(s) || p.y != 10.0f - noise(s) || p.vx != 1.0f || p.vy != 0.5f ||
            p.weight != 1 || p.ancestor != i)
            ++wrong;
    }

    unsigned int seed = 42u;
    for (int f = 1; f <= frames; ++f) {
        const std::vector<unsigned char> image = film(f, seed);
        CUDA_TRY(cudaMemcpy(d_frame, image.data(), image.size(), cudaMemcpyHostToDevice))
        propagate<<<blocks, kThreads>>>(now, n);
        weigh<<<blocks, kThreads>>>(now, n, d_frame);
        accumulate<<<1, kThreads>>>(now, n, d_cdf);
        resample<<<blocks, kThreads>>>(now, next, n, d_cdf);
        CUDA_TRY(cudaGetLastError())
        std::swap(now, next);

        CUDA_TRY(cudaMemcpy(particles.data(), now, bytes, cudaMemcpyDeviceToHost))
        referenceStep(expected, image);
        double x = 0.0, y = 0.0;
        for (int i = 0; i < n; ++i) {
            const Particle &a = particles[i], &b = expected[i];
            if (a.x != b.x || a.y != b.y || a.vx != b.vx || a.vy != b.vy || a.weight != b.weight ||
                a.ancestor != b.ancestor || a.seed != b.seed)
                ++wrong;
            x += a.x;
            y += a.y;
        }
        std::printf("frame %d: disc near (%.3f, %.3f)\n", f, x / n, y / n);
    }

    CUDA_TRY(cudaFree(now))
    CUDA_TRY(cudaFree(next))
    CUDA_TRY(cudaFree(d_frame))
    CUDA_TRY(cudaFree(d_cdf))

    unsigned long long sum = 1;
    for (const Particle &p : particles) {
        sum = sum * 31 + p.seed;
        sum = sum * 31 + (unsigned int)p.weight;
        sum = sum * 31 + (unsigned int)p.ancestor;
        sum = sum * 31 + (unsigned int)(int)(64.0f * (p.x + 3.0f * p.y + 5.0f * p.vx + 7.0f * p.vy));
    }
    std::printf("%d particles, checksum %016llx\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
