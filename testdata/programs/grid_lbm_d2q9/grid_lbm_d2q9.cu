/* Lattice Boltzmann, D2Q9, BGK collision, in gather (pull) form.
 *
 * A porous sample, periodic in both directions, through which a body force drives a fluid.
 * The nine distributions of a site lie together: f[(y*nx + x)*9 + q].
 *
 *      6  2  5
 *       \ | /
 *      3--0--1
 *       / | \
 *      7  4  8
 *
 * usage: grid_lbm_d2q9 [nx] [ny] [steps]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define CUDA_SAFE(call) do {                                              \
    cudaError_t e = (call);                                               \
    if (e != cudaSuccess) {                                               \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
        exit(EXIT_FAILURE);                                               \
    } } while (0)

#define BLOCK_X 32
#define BLOCK_Y 4

__global__ void stream_and_collide(const float *__restrict__ f, float *__restrict__ fnew,
                                   const int *__restrict__ obstacle, int nx, int ny, float omega, float force)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) {
        int xw = (x == 0 ? nx - 1 : x - 1);
        int xe = (x == nx - 1 ? 0 : x + 1);
        int ys = (y == 0 ? ny - 1 : y - 1);
        int yn = (y == ny - 1 ? 0 : y + 1);

        /* each population comes from the site that it leaves */
        float f0 = f[(y*nx + x)*9 + 0];
        float f1 = f[(y*nx + xw)*9 + 1];
        float f2 = f[(ys*nx + x)*9 + 2];
        float f3 = f[(y*nx + xe)*9 + 3];
        float f4 = f[(yn*nx + x)*9 + 4];
        float f5 = f[(ys*nx + xw)*9 + 5];
        float f6 = f[(ys*nx + xe)*9 + 6];
        float f7 = f[(yn*nx + xe)*9 + 7];
        float f8 = f[(yn*nx + xw)*9 + 8];

        if (obstacle[y*nx + x]) {
            /* full-way bounce back */
            fnew[(y*nx + x)*9 + 0] = f0;
            fnew[(y*nx + x)*9 + 1] = f3;
            fnew[(y*nx + x)*9 + 2] = f4;
            fnew[(y*nx + x)*9 + 3] = f1;
            fnew[(y*nx + x)*9 + 4] = f2;
            fnew[(y*nx + x)*9 + 5] = f7;
            fnew[(y*nx + x)*9 + 6] = f8;
            fnew[(y*nx + x)*9 + 7] = f5;
            fnew[(y*nx + x)*9 + 8] = f6;
        } else {
            float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
            float ux = (f1 + f5 + f8 - f3 - f6 - f7) / rho + force / omega;
            float uy = (f2 + f5 + f6 - f4 - f7 - f8) / rho;
            float usq = 1.0f - 1.5f * (ux*ux + uy*uy);
            float w1 = rho / 9.0f, w2 = rho / 36.0f;
            float keep = 1.0f - omega;
            fnew[(y*nx + x)*9 + 0] = keep*f0 + omega * 4.0f * w1 * usq;
            fnew[(y*nx + x)*9 + 1] = keep*f1 + omega * w1 * (usq + 3.0f*ux + 4.5f*ux*ux);
            fnew[(y*nx + x)*9 + 2] = keep*f2 + omega * w1 * (usq + 3.0f*uy + 4.5f*uy*uy);
            fnew[(y*nx + x)*9 + 3] = keep*f3 + omega * w1 * (usq - 3.0f*ux + 4.5f*ux*ux);
            fnew[(y*nx + x)*9 + 4] = keep*f4 + omega * w1 * (usq - 3.0f*uy + 4.5f*uy*uy);
            fnew[(y*nx + x)*9 + 5] = keep*f5 + omega * w2 * (usq + 3.0f*(ux+uy) + 4.5f*(ux+uy)*(ux+uy));
            fnew[(y*nx + x)*9 + 6] = keep*f6 + omega * w2 * (usq + 3.0f*(uy-ux) + 4.5f*(uy-ux)*(uy-ux));
            fnew[(y*nx + x)*9 + 7] = keep*f7 + omega * w2 * (usq - 3.0f*(ux+uy) + 4.5f*(ux+uy)*(ux+uy));
            fnew[(y*nx + x)*9 + 8] = keep*f8 + omega * w2 * (usq - 3.0f*(uy-ux) + 4.5f*(uy-ux)*(uy-ux));
        }
    }
}

/* density of every site; the populations in a loop */
__global__ void density(const float *f, float *rho, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    float sum = 0.0f;
    for (int q = 0; q < 9; q++)
        sum += f[(y*nx + x)*9 + q];
    rho[y*nx + x] = sum;
}

static const int cx[9] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
static const int cy[9] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static const int opposite[9] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
static const double weight[9] = { 4./9, 1./9, 1./9, 1./9, 1./9, 1./36, 1./36, 1./36, 1./36 };

static void host_step(const double *f, double *fnew, const int *obstacle, int nx, int ny, double omega, double force)
{
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            double in[9], rho = 0, ux = 0, uy = 0;
            for (int q = 0; q < 9; q++) {
                int sx = (x - cx[q] + nx) % nx, sy = (y - cy[q] + ny) % ny;
                in[q] = f[(sy*nx + sx)*9 + q];
                rho += in[q];
                ux += cx[q] * in[q];
                uy += cy[q] * in[q];
            }
            ux = ux / rho + force / omega;
            uy /= rho;
            for (int q = 0; q < 9; q++) {
                double cu = 3.0 * (cx[q]*ux + cy[q]*uy);
                double eq = weight[q] * rho * (1.0 + cu + 0.5*cu*cu - 1.5*(ux*ux + uy*uy));
                fnew[(y*nx + x)*9 + q] = obstacle[y*nx + x] ? in[opposite[q]] : in[q] - omega * (in[q] - eq);
            }
        }
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 45;
    int ny = argc > 2 ? atoi(argv[2]) : (argc > 1 ? nx : 23);
    int steps = argc > 3 ? atoi(argv[3]) : 6;
    if (nx < 0 || ny < 0 || steps < 0) {
        fprintf(stderr, "usage: grid_lbm_d2q9 [nx] [ny] [steps]\n");
        return 2;
    }
    const float omega = 1.25f, force = 5e-4f;
    const size_t sites = (size_t)nx * ny;

    float *f = (float *)malloc(sites * 9 * sizeof(float) + 1);
    float *rho = (float *)malloc(sites * sizeof(float) + 1);
    int *obstacle = (int *)malloc(sites * sizeof(int) + 1);
    double *ref = (double *)malloc(sites * 9 * sizeof(double) + 1);
    double *ref2 = (double *)malloc(sites * 9 * sizeof(double) + 1);
    unsigned int lcg = 17u;
    int solid = 0;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            lcg = lcg * 1664525u + 1013904223u;
            obstacle[y*nx + x] = (lcg >> 16) % 11u == 0u;
            solid += obstacle[y*nx + x];
            for (int q = 0; q < 9; q++) {
                f[(y*nx + x)*9 + q] = (float)weight[q] * (1.0f + 0.01f * ((3*x + 5*y + 7*q) % 11));
                ref[(y*nx + x)*9 + q] = f[(y*nx + x)*9 + q];
            }
        }

    float *d_f, *d_fnew, *d_rho;
    int *d_obstacle;
    CUDA_SAFE(cudaMalloc((void **)&d_f, nx * ny * 9 * sizeof(float)));
    CUDA_SAFE(cudaMalloc((void **)&d_fnew, nx * ny * 9 * sizeof(float)));
    CUDA_SAFE(cudaMalloc((void **)&d_rho, nx * ny * sizeof(float)));
    CUDA_SAFE(cudaMalloc((void **)&d_obstacle, nx * ny * sizeof(int)));
    CUDA_SAFE(cudaMemcpy(d_f, f, nx * ny * 9 * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_SAFE(cudaMemcpy(d_obstacle, obstacle, nx * ny * sizeof(int), cudaMemcpyHostToDevice));

    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid((nx + BLOCK_X - 1) / BLOCK_X, (ny + BLOCK_Y - 1) / BLOCK_Y);
    if (sites > 0) {
        for (int t = 0; t < steps; t++) {
            stream_and_collide<<<grid, block>>>(d_f, d_fnew, d_obstacle, nx, ny, omega, force);
            CUDA_SAFE(cudaGetLastError());
            float *tmp = d_f;
            d_f = d_fnew;
            d_fnew = tmp;
        }
        density<<<grid, block>>>(d_f, d_rho, nx, ny);
        CUDA_SAFE(cudaGetLastError());
    }
    CUDA_SAFE(cudaMemcpy(f, d_f, nx * ny * 9 * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_SAFE(cudaMemcpy(rho, d_rho, nx * ny * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_SAFE(cudaFree(d_f));
    CUDA_SAFE(cudaFree(d_fnew));
    CUDA_SAFE(cudaFree(d_rho));
    CUDA_SAFE(cudaFree(d_obstacle));

    for (int t = 0; t < steps; t++) {
        host_step(ref, ref2, obstacle, nx, ny, omega, force);
        double *tmp = ref; ref = ref2; ref2 = tmp;
    }

    int wrong = 0;
    double mass = 0.0, moment = 0.0;
    unsigned int bits = 0;
    for (size_t i = 0; i < sites; i++) {
        double expected = 0.0;
        for (int q = 0; q < 9; q++) {
            unsigned int word;
            memcpy(&word, &f[i*9 + q], sizeof word);
            bits = bits * 31u + word;
            if (!(fabs(f[i*9 + q] - ref[i*9 + q]) < 1e-5)) wrong++;
            expected += ref[i*9 + q];
            moment += (i % 7 + 1) * (q + 1) * (double)f[i*9 + q];
        }
        if (!(fabs(rho[i] - expected) < 1e-5)) wrong++;
        mass += rho[i];
    }
    printf("%d x %d sites, %d solid, %d steps\n", nx, ny, solid, steps);
    printf("mass %.10e moment %.14e bits %08x\n", mass, moment, bits);
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    free(f); free(rho); free(obstacle); free(ref); free(ref2);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
