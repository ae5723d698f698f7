// Early exits: every call is checked by hand, and each failure frees what exists by then and returns.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Pixel {
    unsigned char r, g, b, a;
    float depth;
} Pixel;

__global__ void shade(Pixel *pixels, int n, float fog)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float keep = pixels[i].depth > fog ? 0.5f : 1.0f;
    pixels[i].r = (unsigned char)(pixels[i].r * keep);
    pixels[i].g = (unsigned char)(pixels[i].g * keep);
    pixels[i].b = (unsigned char)(pixels[i].b * keep) | 1;
    pixels[i].a = 255;
}

__global__ void blend(const Pixel *under, Pixel *over, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (under[i].depth < over[i].depth) over[i] = under[i];
    else over[i].a = under[i].a / 2;
}

// 0 on success; both images are freed on every path
static int render(Pixel *front, Pixel *back, int n)
{
    Pixel *d_front = NULL, *d_back = NULL;
    cudaError_t status;

    status = cudaMalloc((void **)&d_front, n * sizeof(Pixel));
    if (status != cudaSuccess) {
        fprintf(stderr, "cudaMalloc front: %s\n", cudaGetErrorString(status));
        return 1;
    }
    status = cudaMalloc((void **)&d_back, n * sizeof(Pixel));
    if (status != cudaSuccess) {
        fprintf(stderr, "cudaMalloc back: %s\n", cudaGetErrorString(status));
        cudaFree(d_front);
        return 1;
    }
    status = cudaMemcpy(d_front, front, n * sizeof(Pixel), cudaMemcpyHostToDevice);
    if (status == cudaSuccess)
        status = cudaMemcpy(d_back, back, n * sizeof(Pixel), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) {
        cudaFree(d_front);
        cudaFree(d_back);
        return 2;
    }

    if (n == 0) {
        cudaFree(d_front);
        cudaFree(d_back);
        return 0;
    }
    shade<<<(n + 31) / 32, 32>>>(d_front, n, 50.0f);
    shade<<<(n + 31) / 32, 32>>>(d_back, n, 40.0f);
    blend<<<(n + 31) / 32, 32>>>(d_back, d_front, n);
    status = cudaGetLastError();
    if (status != cudaSuccess) goto error;
    status = cudaMemcpy(front, d_front, n * sizeof(Pixel), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) goto error;
    status = cudaMemcpy(back, d_back, n * sizeof(Pixel), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess) goto error;

    cudaFree(d_front);
    cudaFree(d_back);
    return 0;

error:
    fprintf(stderr, "render: %s\n", cudaGetErrorString(status));
    cudaFree(d_front);
    cudaFree(d_back);
    return 3;
}

static Pixel shaded(Pixel p, float fog)
{
    float keep = p.depth > fog ? 0.5f : 1.0f;
    p.r = (unsigned char)(p.r * keep);
    p.g = (unsigned char)(p.g * keep);
    p.b = (unsigned char)(p.b * keep) | 1;
    p.a = 255;
    return p;
}

static int same(const Pixel *a, const Pixel *b)
{
    return a->r == b->r && a->g == b->g && a->b == b->b && a->a == b->a && a->depth == b->depth;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    Pixel *front = (Pixel *)malloc((n + 1) * sizeof(Pixel)), *back = (Pixel *)malloc((n + 1) * sizeof(Pixel));
    Pixel *front_ref = (Pixel *)malloc((n + 1) * sizeof(Pixel)), *back_ref = (Pixel *)malloc((n + 1) * sizeof(Pixel));
    for (int i = 0; i < n; i++) {
        front[i].r = i; front[i].g = i * 3; front[i].b = i * 5; front[i].a = i % 9; front[i].depth = i * 7 % 100;
        back[i].r = i + 1; back[i].g = i * 2; back[i].b = i * 11; back[i].a = i % 4; back[i].depth = i * 13 % 90;
        front_ref[i] = shaded(front[i], 50.0f);
        back_ref[i] = shaded(back[i], 40.0f);
        if (back_ref[i].depth < front_ref[i].depth) front_ref[i] = back_ref[i];
        else front_ref[i].a = back_ref[i].a / 2;
    }

    int failed = render(front, back, n);
    unsigned int sum = 0;
    for (int i = 0; i < n; i++) {
        if (!same(&front[i], &front_ref[i]) || !same(&back[i], &back_ref[i])) failed = 4;
        sum = sum * 31u + front[i].r; sum = sum * 31u + front[i].g; sum = sum * 31u + front[i].b;
        sum = sum * 31u + front[i].a; sum = sum * 31u + (unsigned int)front[i].depth;
        sum = sum * 31u + back[i].r + back[i].g * 3u + back[i].b * 5u + back[i].a * 7u + (unsigned int)back[i].depth;
    }
    printf("%d pixels, checksum %08x\n%s\n", n, sum, failed ? "FAILED" : "PASSED");
    free(front); free(back); free(front_ref); free(back_ref);
    return failed ? 1 : 0;
}
