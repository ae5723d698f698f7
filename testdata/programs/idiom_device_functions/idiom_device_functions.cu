// Elements handed to device functions by value, by pointer, by reference and by const reference; the array
// itself handed on with an index; a function that calls a function; a function that returns an element.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(x) if ((x) != cudaSuccess) { printf("line %d\nFAILED\n", __LINE__); return 1; }

struct Ray {
    float ox, oy, oz;
    float dx, dy, dz;
    float t;
    int hit;
};

__device__ float dotByValue(Ray r) { return r.ox * r.dx + r.oy * r.dy + r.oz * r.dz; }

__device__ float length2(const Ray &r) { return r.dx * r.dx + r.dy * r.dy + r.dz * r.dz; }

__device__ void moveByPointer(Ray *r, float distance) {
    r->ox += distance * r->dx;
    r->oy += distance * r->dy;
    r->oz += distance * r->dz;
}

__device__ void record(Ray &r, float t, int what) {
    r.t = t;
    r.hit = what;
}

__device__ void intersect(Ray &r, float plane) {
    if (r.dz != 0.0f) {
        record(r, (plane - r.oz) / r.dz, 1);
    } else {
        record(r, -1.0f, 0);
    }
}

__device__ void flip(Ray *rays, int i) {
    rays[i].dx = -rays[i].dx;
    rays[i].dy = -rays[i].dy;
}

__device__ Ray opposite(const Ray *rays, int n, int i) {
    Ray r = rays[n - 1 - i];
    r.hit += 10;
    return r;
}

__global__ void trace(Ray *rays, int n, float plane, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    moveByPointer(&rays[i], 2.0f);
    intersect(rays[i], plane);
    out[i] = dotByValue(rays[i]) + length2(rays[i]);
    flip(rays, i);
}

__global__ void mirror(const Ray *rays, Ray *result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Ray r = opposite(rays, n, i);
    moveByPointer(&r, -1.0f);   // a local copy, not an element
    result[i] = r;
    moveByPointer(result + i, 0.5f);
}

static int unequal(float a, float b) { return fabsf(a - b) > 1e-5f * (1.0f + fabsf(b)); }

int main(int argc, char *argv[]) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n <= 0) { puts("no rays\nPASSED"); return 0; }
    size_t size = n * sizeof(Ray);

    Ray *rays = (Ray *)malloc(size), *mirrored = (Ray *)malloc(size), *ref = (Ray *)malloc(size);
    float *out = (float *)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) {
        rays[i].ox = 0.5f * (i % 9);
        rays[i].oy = 0.25f * (i % 7);
        rays[i].oz = 1.0f * (i % 5);
        rays[i].dx = 1.0f + i % 3;
        rays[i].dy = 2.0f - i % 4;
        rays[i].dz = i % 6 - 2.0f;
        rays[i].t = 0.0f;
        rays[i].hit = -1;
        ref[i] = rays[i];
    }

    Ray *d_rays, *d_mirrored;
    float *d_out;
    CUDA_CHECK(cudaMalloc((void **)&d_rays, size));
    CUDA_CHECK(cudaMalloc((void **)&d_mirrored, size));
    CUDA_CHECK(cudaMalloc((void **)&d_out, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_rays, rays, size, cudaMemcpyHostToDevice));
    trace<<<(n + 95) / 96, 96>>>(d_rays, n, 100.0f, d_out);
    mirror<<<(n + 95) / 96, 96>>>(d_rays, d_mirrored, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(rays, d_rays, size, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(mirrored, d_mirrored, size, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    cudaFree(d_rays);
    cudaFree(d_mirrored);
    cudaFree(d_out);

    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        Ray *r = &ref[i];
        r->ox += 2.0f * r->dx;
        r->oy += 2.0f * r->dy;
        r->oz += 2.0f * r->dz;
        r->hit = r->dz != 0.0f;
        r->t = r->hit ? (100.0f - r->oz) / r->dz : -1.0f;
        float dot = r->ox * r->dx + r->oy * r->dy + r->oz * r->dz;
        wrong += unequal(out[i], dot + r->dx * r->dx + r->dy * r->dy + r->dz * r->dz);
        r->dx = -r->dx;
        r->dy = -r->dy;
    }
    for (int i = 0; i < n; i++) {
        const Ray &a = rays[i], &b = ref[i], &m = mirrored[i], &w = ref[n - 1 - i];
        wrong += unequal(a.ox, b.ox) || unequal(a.oy, b.oy) || unequal(a.oz, b.oz) || a.dx != b.dx || a.dy != b.dy ||
                 a.dz != b.dz || unequal(a.t, b.t) || a.hit != b.hit;
        wrong += unequal(m.ox, w.ox - 0.5f * w.dx) || unequal(m.oy, w.oy - 0.5f * w.dy) ||
                 unequal(m.oz, w.oz - 0.5f * w.dz) || m.dx != w.dx || m.dy != w.dy || m.dz != w.dz ||
                 unequal(m.t, w.t) || m.hit != w.hit + 10;
        sum += (i % 3 + 1) * (a.ox + 2.0 * a.oy + 3.0 * a.oz + a.dx + a.dy + a.dz + a.t + a.hit);
        sum += (i % 5 + 1) * (m.ox + 2.0 * m.oy + 3.0 * m.oz + m.dx + m.dy + m.dz + m.t + m.hit) + out[i];
    }
    printf("%d rays %.14e\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    free(rays);
    free(mirrored);
    free(ref);
    free(out);
    return wrong != 0;
}
