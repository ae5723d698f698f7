/*
 * Displacements of an elastic block (Navier's equation, explicit in time, damped): three components a
 * node, on a 3-D grid whose strides are variables. Pragmas tell what the grids are.
 *
 * usage: grid_pragma [nx] [ny] [nz] [steps]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define CUDA_TRY(call) do {                                          \
    cudaError_t e_ = (call);                                         \
    if (e_ != cudaSuccess) {                                         \
        fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));  \
        exit(1);                                                     \
    }                                                                \
} while (0)

/* mixed second derivative of a component c in the directions with the strides s and t */
#define MIXED(c, s, t) (0.25f * (u[i + (s) + (t) + (c)] - u[i + (s) - (t) + (c)] \
                               - u[i - (s) + (t) + (c)] + u[i - (s) - (t) + (c)]))
#define SECOND(c, s) (u[i + (s) + (c)] - 2.0f * u[i + (c)] + u[i - (s) + (c)])

#pragma layoutc grid u[nz][ny][nx][3]
#pragma layoutc grid uold[nz][ny][nx][3]
#pragma layoutc grid unew[nz][ny][nx][3]
__global__ void move(const float *u, const float *uold, float *unew, int nx, int ny, int nz,
                     float mu, float lambda, float damping)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    int sx = 3;
    int sy = nx * sx;
    int sz = ny * sy;

    if (x >= 1 && x <= nx - 2 && y >= 1 && y <= ny - 2 && z >= 1 && z <= nz - 2) {
        int i = z*sz + y*sy + x*sx;
        float gx = SECOND(0, sx) + MIXED(1, sx, sy) + MIXED(2, sx, sz);
        float gy = MIXED(0, sx, sy) + SECOND(1, sy) + MIXED(2, sy, sz);
        float gz = MIXED(0, sx, sz) + MIXED(1, sy, sz) + SECOND(2, sz);
        for (int c = 0; c < 3; c++) {
            float grad = c == 0 ? gx : c == 1 ? gy : gz;
            float force = mu * (SECOND(c, sx) + SECOND(c, sy) + SECOND(c, sz)) + (lambda + mu) * grad;
            unew[i + c] = u[i + c] + damping * (u[i + c] - uold[i + c]) + force;
        }
    }
}

static void reference(const double *u, const double *uold, double *unew, int nx, int ny, int nz,
                      double mu, double lambda, double damping)
{
    const int s[3] = { 3, 3 * nx, 3 * nx * ny };
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++)
                for (int c = 0; c < 3; c++) {
                    const double *p = &u[z*s[2] + y*s[1] + x*s[0]];
                    double laplace = 0.0, grad = 0.0;
                    for (int d = 0; d < 3; d++) {
                        laplace += p[c + s[d]] - 2.0 * p[c] + p[c - s[d]];
                        grad += d == c ? p[d + s[c]] - 2.0 * p[d] + p[d - s[c]]
                                       : 0.25 * (p[d + s[c] + s[d]] - p[d + s[c] - s[d]]
                                               - p[d - s[c] + s[d]] + p[d - s[c] - s[d]]);
                    }
                    int i = z*s[2] + y*s[1] + x*s[0] + c;
                    unew[i] = u[i] + damping * (u[i] - uold[i]) + mu * laplace + (lambda + mu) * grad;
                }
}

int main(int argc, char **argv)
{
    int nx = 17, ny = 11, nz = 9, steps = 5;
    if (argc > 1) nx = ny = nz = atoi(argv[1]);
    if (argc > 2) ny = atoi(argv[2]);
    if (argc > 3) nz = atoi(argv[3]);
    if (argc > 4) steps = atoi(argv[4]);
    if (nx < 0 || ny < 0 || nz < 0) {
        fprintf(stderr, "usage: grid_pragma [nx] [ny] [nz] [steps]\n");
        return 2;
    }
    const float mu = 0.08f, lambda = 0.05f, damping = 0.97f;
    const int values = nx * ny * nz * 3;
    const size_t size = sizeof(float) * 3 * nx * ny * nz;

    float *h = (float *)malloc(size + 1);
    double *ref[3];
    for (int k = 0; k < 3; k++) ref[k] = (double *)malloc(sizeof(double) * values + 1);
    unsigned int lcg = 64u;
    for (int i = 0; i < values; i++) {
        lcg = lcg * 214013u + 2531011u;
        h[i] = ((lcg >> 16) & 255u) / 1024.0f;
        ref[0][i] = ref[1][i] = ref[2][i] = h[i];
    }

    #pragma layoutc grid d_u[nz][ny][nx][3]
    float *d_u;
    #pragma layoutc grid d_old[nz][ny][nx][3]
    float *d_old;
    #pragma layoutc grid d_new[nz][ny][nx][3]
    float *d_new;
    CUDA_TRY(cudaMalloc((void **)&d_u, size));
    CUDA_TRY(cudaMalloc((void **)&d_old, size));
    CUDA_TRY(cudaMalloc((void **)&d_new, size));
    CUDA_TRY(cudaMemcpy(d_u, h, size, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(d_old, h, size, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemcpy(d_new, h, size, cudaMemcpyHostToDevice));

    if (values > 0) {
        dim3 block(16, 4, 2);
        dim3 grid((nx + 15) / 16, (ny + 3) / 4, (nz + 1) / 2);
        for (int t = 0; t < steps; t++) {
            move<<<grid, block>>>(d_u, d_old, d_new, nx, ny, nz, mu, lambda, damping);
            CUDA_TRY(cudaGetLastError());
            float *last = d_old;
            d_old = d_u;
            d_u = d_new;
            d_new = last;
        }
    }
    CUDA_TRY(cudaMemcpy(h, d_u, size, cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(d_u));
    CUDA_TRY(cudaFree(d_old));
    CUDA_TRY(cudaFree(d_new));

    for (int t = 0; t < steps; t++) {
        reference(ref[0], ref[1], ref[2], nx, ny, nz, mu, lambda, damping);
        double *last = ref[1];
        ref[1] = ref[0];
        ref[0] = ref[2];
        ref[2] = last;
    }

    int wrong = 0;
    double sum[3] = { 0.0, 0.0, 0.0 };
    unsigned int bits = 0;
    for (int i = 0; i < values; i++) {
        unsigned int word;
        memcpy(&word, &h[i], sizeof word);
        bits = bits * 31u + word;
        if (!(fabs(h[i] - ref[0][i]) < 1e-4)) wrong++;
        sum[i % 3] += (i / 3 % 12 + 1) * (double)h[i];
    }
    printf("%d x %d x %d nodes, %d steps\n", nx, ny, nz, steps);
    printf("displacements %.14e %.14e %.14e bits %08x\n", sum[0], sum[1], sum[2], bits);
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    free(h);
    for (int k = 0; k < 3; k++) free(ref[k]);
    return wrong ? 1 : 0;
}
