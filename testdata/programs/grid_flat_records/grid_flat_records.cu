// Rigid particles in a periodic box, over a bed of fixed springs. Records are flattened by hand:
// position p[3*i + k], velocity v[3*i + k], orientation as a quaternion q[i*4 + 0..3].
//
// usage: grid_flat_records [particles] [steps]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define DIM 3
#define X 0
#define Y 1
#define Z 2

static void cudaCheck(cudaError_t rc, int line)
{
    if (rc != cudaSuccess) {
        fprintf(stderr, "CUDA error at line %d: %s\n", line, cudaGetErrorString(rc));
        exit(1);
    }
}
#define CC(call) cudaCheck(call, __LINE__)

// One coordinate after the other: the loop index is the last dimension of the grid.
__global__ void drift(const float *p, const float *v, float *pnew, int n, float dt, float box)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int k = 0; k < DIM; k++) {
            float c = p[3*i + k] + dt * v[3*i + k];
            if (c >= box) c -= box;
            if (c < 0.0f) c += box;
            pnew[3*i + k] = c;
        }
    }
}

// Written out, and with the base of the record in a variable.
__global__ void kick(const float *p, float *v, int n, float dt, float box)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float dx = p[3*i + X] - 0.5f * box;
    float dy = p[3*i + Y] - 0.5f * box;
    float dz = p[3*i + Z];
    // the next particle pulls a little
    int j = i + 1 < n ? i + 1 : 0;
    dx += 0.1f * (p[3*i] - p[3*j]);
    dy += 0.1f * (p[3*i + 1] - p[3*j + 1]);
    dz += 0.1f * (p[3*i + 2] - p[3*j + 2]);
    int b = 3 * i;
    v[b] -= dt * dx;
    v[b + 1] -= dt * dy;
    v[b + 2] -= dt * (dz - 0.25f);
}

// Turns each particle about the direction of its velocity.
__global__ void spin(const float *v, float *q, int n, float dt)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float wx = v[i*3 + 0], wy = v[i*3 + 1], wz = v[i*3 + 2];
        float a = q[i*4 + 0], b = q[i*4 + 1], c = q[i*4 + 2], d = q[i*4 + 3];
        float h = 0.5f * dt;
        float na = a - h * (b*wx + c*wy + d*wz);
        float nb = b + h * (a*wx + c*wz - d*wy);
        float nc = c + h * (a*wy - b*wz + d*wx);
        float nd = d + h * (a*wz + b*wy - c*wx);
        float s = 1.0f / sqrtf(na*na + nb*nb + nc*nc + nd*nd);
        q[i*4 + 0] = na * s;
        q[i*4 + 1] = nb * s;
        q[i*4 + 2] = nc * s;
        q[i*4 + 3] = nd * s;
    }
}

// Squares of the speeds, one a particle.
__global__ void speed(const float *v, float *v2, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v2[i] = v[3*i] * v[3*i] + v[3*i + 1] * v[3*i + 1] + v[3*i + 2] * v[3*i + 2];
}

static void reference(double *p, double *v, double *q, int n, int steps, double dt, double box)
{
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < 3 * n; i++) {
            double c = p[i] + dt * v[i];
            p[i] = c >= box ? c - box : c < 0 ? c + box : c;
        }
        for (int i = 0; i < n; i++) {
            int j = i + 1 < n ? i + 1 : 0;
            for (int k = 0; k < 3; k++)
                v[3*i + k] -= dt * (p[3*i + k] - (k < 2 ? 0.5 * box : 0.25) + 0.1f * (p[3*i + k] - p[3*j + k]));
            double *w = &v[3*i], *o = &q[4*i], h = 0.5 * dt;
            double r[4] = { o[0] - h * (o[1]*w[0] + o[2]*w[1] + o[3]*w[2]),
                            o[1] + h * (o[0]*w[0] + o[2]*w[2] - o[3]*w[1]),
                            o[2] + h * (o[0]*w[1] - o[1]*w[2] + o[3]*w[0]),
                            o[3] + h * (o[0]*w[2] + o[1]*w[1] - o[2]*w[0]) };
            double norm = sqrt(r[0]*r[0] + r[1]*r[1] + r[2]*r[2] + r[3]*r[3]);
            for (int k = 0; k < 4; k++) o[k] = r[k] / norm;
        }
    }
}

// Compares with the reference and prints a line of checksums.
static int report(const char *name, const float *got, const double *expected, int count, double tolerance)
{
    int wrong = 0;
    double sum = 0.0;
    unsigned int bits = 0;
    for (int i = 0; i < count; i++) {
        unsigned int word;
        memcpy(&word, &got[i], sizeof word);
        bits = bits * 31u + word;
        sum += (i % 13 + 1) * (double)got[i];
        if (expected && !(fabs(got[i] - expected[i]) < tolerance)) wrong++;
    }
    printf("%s %.14e %08x\n", name, sum, bits);
    return wrong;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 301;
    int steps = argc > 2 ? atoi(argv[2]) : 5;
    if (n < 0 || steps < 0) {
        fprintf(stderr, "usage: grid_flat_records [particles] [steps]\n");
        return 2;
    }
    const float dt = 0.01f, box = 8.0f;
    float *p = (float *)malloc(n * 3 * sizeof(float) + 1);
    float *v = (float *)malloc(n * 3 * sizeof(float) + 1);
    float *q = (float *)malloc(n * 4 * sizeof(float) + 1);
    float *v2 = (float *)malloc(n * sizeof(float) + 1);
    double *rp = (double *)malloc(n * 3 * sizeof(double) + 1);
    double *rv = (double *)malloc(n * 3 * sizeof(double) + 1);
    double *rq = (double *)malloc(n * 4 * sizeof(double) + 1);
    unsigned int lcg = 42u;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            lcg = lcg * 1664525u + 1013904223u;
            rp[3*i + k] = p[3*i + k] = 0.5f + ((lcg >> 16) & 1023u) * (7.0f / 1024.0f);
            lcg = lcg * 1664525u + 1013904223u;
            rv[3*i + k] = v[3*i + k] = ((lcg >> 16) & 255u) / 128.0f - 1.0f;
        }
        q[4*i] = 1.0f;
        q[4*i + 1] = q[4*i + 2] = q[4*i + 3] = 0.0f;
        for (int k = 0; k < 4; k++) rq[4*i + k] = q[4*i + k];
    }

    float *d_p, *d_pnew, *d_v, *d_q, *d_v2;
    CC(cudaMalloc((void **)&d_p, n * 3 * sizeof(float)));
    CC(cudaMalloc((void **)&d_pnew, n * 3 * sizeof(float)));
    CC(cudaMalloc((void **)&d_v, 3 * n * sizeof(float)));
    CC(cudaMalloc((void **)&d_q, n * 4 * sizeof(float)));
    CC(cudaMalloc((void **)&d_v2, n * sizeof(float)));
    CC(cudaMemcpy(d_p, p, n * 3 * sizeof(float), cudaMemcpyHostToDevice));
    CC(cudaMemcpy(d_v, v, n * 3 * sizeof(float), cudaMemcpyHostToDevice));
    CC(cudaMemcpy(d_q, q, n * 4 * sizeof(float), cudaMemcpyHostToDevice));

    if (n > 0) {
        const int threads = 128, blocks = (n + threads - 1) / threads;
        for (int s = 0; s < steps; s++) {
            drift<<<blocks, threads>>>(d_p, d_v, d_pnew, n, dt, box);
            float *t = d_p; d_p = d_pnew; d_pnew = t;
            kick<<<blocks, threads>>>(d_p, d_v, n, dt, box);
            spin<<<(blocks + 1) / 2, threads>>>(d_v, d_q, n, dt);
            CC(cudaGetLastError());
        }
        speed<<<blocks, threads>>>(d_v, d_v2, n);
        CC(cudaGetLastError());
    }
    CC(cudaMemcpy(p, d_p, n * 3 * sizeof(float), cudaMemcpyDeviceToHost));
    CC(cudaMemcpy(v, d_v, n * 3 * sizeof(float), cudaMemcpyDeviceToHost));
    CC(cudaMemcpy(q, d_q, n * 4 * sizeof(float), cudaMemcpyDeviceToHost));
    CC(cudaMemcpy(v2, d_v2, n * sizeof(float), cudaMemcpyDeviceToHost));
    CC(cudaFree(d_p));
    CC(cudaFree(d_pnew));
    CC(cudaFree(d_v));
    CC(cudaFree(d_q));
    CC(cudaFree(d_v2));

    reference(rp, rv, rq, n, steps, dt, box);
    printf("%d particles, %d steps\n", n, steps);
    int wrong = report("position", p, rp, 3 * n, 1e-4);
    wrong += report("velocity", v, rv, 3 * n, 1e-4);
    wrong += report("orientation", q, rq, 4 * n, 1e-4);
    wrong += report("speed", v2, NULL, n, 0.0);
    for (int i = 0; i < n; i++)
        if (!(fabs(v2[i] - (rv[3*i]*rv[3*i] + rv[3*i + 1]*rv[3*i + 1] + rv[3*i + 2]*rv[3*i + 2])) < 1e-3)) wrong++;
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    free(p); free(v); free(q); free(v2); free(rp); free(rv); free(rq);
    return wrong ? 1 : 0;
}
