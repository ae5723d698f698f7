// Fields of CUDA's vector types: read and written as a whole, component by component, and through make_*.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Photon
{
    float3 position;
    float3 direction;
    float4 colour;
    float2 uv;
    int bounces;
};

inline void verify(cudaError_t e, int line)
{
    if (e != cudaSuccess) { std::printf("line %d: %s\n", line, cudaGetErrorString(e)); std::exit(1); }
}
#define V(x) verify((x), __LINE__)

__device__ float3 along(float3 p, float3 d, float t)
{
    return make_float3(p.x + t * d.x, p.y + t * d.y, p.z + t * d.z);
}

__global__ void fly(Photon *photons, int n, float t)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    photons[i].position = along(photons[i].position, photons[i].direction, t);
    photons[i].uv.x = photons[i].position.x * 0.5f;
    photons[i].uv.y = photons[i].position.y * 0.5f;
}

__global__ void bounce(Photon *photons, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (photons[i].position.z < 0.0f)
    {
        photons[i].position.z = -photons[i].position.z;
        photons[i].direction.z *= -1.0f;
        float4 c = photons[i].colour;
        c.x *= 0.5f;
        c.w += 1.0f;
        photons[i].colour = c;
        photons[i].bounces++;
    }
    else
    {
        photons[i].colour = make_float4(photons[i].colour.y, photons[i].colour.x, 0.25f, photons[i].colour.w);
    }
}

__global__ void meet(const Photon *photons, int n, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const Photon other = photons[(i * 5 + 1) % n];
    float3 d = photons[i].direction;
    out[i] = d.x * other.direction.x + d.y * other.direction.y + d.z * other.direction.z + other.colour.w + other.uv.y;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::vector<Photon> photons(n), ref;
    std::vector<float> out(n);
    for (int i = 0; i < n; i++)
    {
        photons[i].position = make_float3(i % 8, i % 5, i % 3);
        photons[i].direction = make_float3(0.5f, 0.25f * (i % 2), (i % 4) - 2.0f);
        photons[i].colour = make_float4(1.0f, 0.5f, 0.125f * (i % 7), 0.0f);
        photons[i].uv = make_float2(0.0f, 0.0f);
        photons[i].bounces = 0;
    }
    ref = photons;

    Photon *d_photons;
    float *d_out;
    V(cudaMalloc((void **)&d_photons, sizeof(Photon) * n));
    V(cudaMalloc((void **)&d_out, sizeof(float) * n));
    V(cudaMemcpy(d_photons, photons.data(), sizeof(Photon) * n, cudaMemcpyHostToDevice));
    dim3 grid(n / 64 + 1), block(64);
    for (int step = 0; step < 3; step++)
    {
        fly<<<grid, block>>>(d_photons, n, 1.0f);
        bounce<<<grid, block>>>(d_photons, n);
    }
    meet<<<grid, block>>>(d_photons, n, d_out);
    V(cudaGetLastError());
    V(cudaMemcpy(photons.data(), d_photons, sizeof(Photon) * n, cudaMemcpyDeviceToHost));
    V(cudaMemcpy(out.data(), d_out, sizeof(float) * n, cudaMemcpyDeviceToHost));
    V(cudaFree(d_photons));
    V(cudaFree(d_out));

    for (int step = 0; step < 3; step++)
        for (Photon &p : ref)
        {
            p.position.x += p.direction.x;
            p.position.y += p.direction.y;
            p.position.z += p.direction.z;
            p.uv.x = p.position.x * 0.5f;
            p.uv.y = p.position.y * 0.5f;
            float x = p.colour.x;
            if (p.position.z < 0.0f)
            {
                p.position.z = -p.position.z;
                p.direction.z = -p.direction.z;
                p.colour.x = x * 0.5f;
                p.colour.w += 1.0f;
                p.bounces++;
            }
            else
            {
                p.colour.x = p.colour.y;
                p.colour.y = x;
                p.colour.z = 0.25f;
            }
        }

    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++)
    {
        const Photon &a = photons[i], &b = ref[i], &o = ref[(i * 5 + 1) % n];
        wrong += a.position.x != b.position.x || a.position.y != b.position.y || a.position.z != b.position.z ||
                 a.direction.x != b.direction.x || a.direction.y != b.direction.y || a.direction.z != b.direction.z ||
                 a.colour.x != b.colour.x || a.colour.y != b.colour.y || a.colour.z != b.colour.z ||
                 a.colour.w != b.colour.w || a.uv.x != b.uv.x || a.uv.y != b.uv.y || a.bounces != b.bounces;
        float e = b.direction.x * o.direction.x + b.direction.y * o.direction.y + b.direction.z * o.direction.z + o.colour.w + o.uv.y;
        wrong += out[i] != e;
        sum += (i % 3 + 1) * (a.position.x + 2.0 * a.position.y + 3.0 * a.position.z + a.direction.x + 2.0 * a.direction.y +
               3.0 * a.direction.z + a.colour.x + 2.0 * a.colour.y + 3.0 * a.colour.z + 4.0 * a.colour.w + a.uv.x +
               2.0 * a.uv.y + a.bounces + out[i]);
    }
    std::printf("%d photons, %.6f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
