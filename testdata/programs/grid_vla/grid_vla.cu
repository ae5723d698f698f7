/* Advection and diffusion of a dye on a D2Q4 lattice: four populations a site, which move east, north,
 * west and south, and relax to the local mean with a drift.
 *
 * The grids are parameters in the form of C99, float A0[ny][nx][4]; ny and nx come before them.
 * The sites of the rim are held; threads compute the inner ones only.
 *
 * lowered.cu is this program with the indices written out.
 *
 * usage: grid_vla [nx] [ny] [steps]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define EAST  0
#define NORTH 1
#define WEST  2
#define SOUTH 3

#define CUDA_OK(call)                                                       \
    do {                                                                    \
        cudaError_t err = (call);                                           \
        if (err != cudaSuccess) {                                           \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

__global__ void step(int ny, int nx, float A0[ny][nx][4], float Anext[ny][nx][4], float omega, float ux, float uy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int y = blockIdx.y + 1;
    if (x < nx - 1 && y < ny - 1) {
        float e = A0[y][x - 1][EAST];
        float n = A0[y - 1][x][NORTH];
        float w = A0[y][x + 1][WEST];
        float s = A0[y + 1][x][SOUTH];
        float rho = e + n + w + s;
        Anext[y][x][EAST]  = e + omega * (0.25f * rho * (1.0f + 2.0f * ux) - e);
        Anext[y][x][NORTH] = n + omega * (0.25f * rho * (1.0f + 2.0f * uy) - n);
        Anext[y][x][WEST]  = w + omega * (0.25f * rho * (1.0f - 2.0f * ux) - w);
        Anext[y][x][SOUTH] = s + omega * (0.25f * rho * (1.0f - 2.0f * uy) - s);
    }
}

__global__ void concentration(int ny, int nx, const float A[ny][nx][4], float dye[ny][nx])
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y;
    if (x < nx) {
        float sum = 0.0f;
        for (int q = 0; q < 4; q++)
            sum += A[y][x][q];
        dye[y][x] = sum;
    }
}

static void reference(const double *a, double *b, int ny, int nx, double omega, double ux, double uy)
{
    for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++) {
            double in[4] = { a[(y*nx + x-1)*4 + EAST], a[((y-1)*nx + x)*4 + NORTH],
                             a[(y*nx + x+1)*4 + WEST], a[((y+1)*nx + x)*4 + SOUTH] };
            double drift[4] = { ux, uy, -ux, -uy };
            double rho = in[0] + in[1] + in[2] + in[3];
            for (int q = 0; q < 4; q++)
                b[(y*nx + x)*4 + q] = in[q] + omega * (0.25 * rho * (1.0 + 2.0 * drift[q]) - in[q]);
        }
}

int main(int argc, char **argv)
{
    int nx = argc > 1 ? atoi(argv[1]) : 150;
    int ny = argc > 2 ? atoi(argv[2]) : (argc > 1 ? nx : 35);
    int steps = argc > 3 ? atoi(argv[3]) : 6;
    if (nx < 0 || ny < 0 || steps < 0) {
        fprintf(stderr, "usage: grid_vla [nx] [ny] [steps]\n");
        return 2;
    }
    const float omega = 0.9f, ux = 0.1f, uy = -0.05f;
    size_t sites = (size_t)ny * nx;

    float *h_a = (float *)malloc(sites * 4 * sizeof(float) + 1);
    float *h_dye = (float *)malloc(sites * sizeof(float) + 1);
    double *a = (double *)malloc(sites * 4 * sizeof(double) + 1);
    double *b = (double *)malloc(sites * 4 * sizeof(double) + 1);
    unsigned int lcg = 5u;
    for (size_t i = 0; i < sites * 4; i++) {
        lcg = lcg * 1664525u + 1013904223u;
        h_a[i] = 0.25f + ((lcg >> 16) & 63u) / 256.0f;
        a[i] = b[i] = h_a[i];
    }

    float *d_a, *d_b, *d_dye;
    CUDA_OK(cudaMalloc((void **)&d_a, ny * nx * 4 * sizeof(float)));
    CUDA_OK(cudaMalloc((void **)&d_b, ny * nx * 4 * sizeof(float)));
    CUDA_OK(cudaMalloc((void **)&d_dye, ny * nx * sizeof(float)));
    CUDA_OK(cudaMemcpy(d_a, h_a, ny * nx * 4 * sizeof(float), cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemcpy(d_b, h_a, ny * nx * 4 * sizeof(float), cudaMemcpyHostToDevice));

    if (nx > 2 && ny > 2)
        for (int t = 0; t < steps; t++) {
            step<<<dim3((nx - 2 + 127) / 128, ny - 2), 128>>>(ny, nx, d_a, d_b, omega, ux, uy);
            CUDA_OK(cudaGetLastError());
            float *d_t = d_a;
            d_a = d_b;
            d_b = d_t;
        }
    if (sites > 0)
        concentration<<<dim3((nx + 127) / 128, ny), 128>>>(ny, nx, d_a, d_dye);
    CUDA_OK(cudaGetLastError());

    CUDA_OK(cudaMemcpy(h_a, d_a, ny * nx * 4 * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(h_dye, d_dye, ny * nx * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(d_a));
    CUDA_OK(cudaFree(d_b));
    CUDA_OK(cudaFree(d_dye));

    for (int t = 0; t < steps; t++) {
        reference(a, b, ny, nx, omega, ux, uy);
        double *tmp = a; a = b; b = tmp;
    }

    int wrong = 0;
    double sum = 0.0, dye = 0.0;
    unsigned int bits = 0;
    for (size_t i = 0; i < sites; i++) {
        double expected = 0.0;
        for (int q = 0; q < 4; q++) {
            unsigned int word;
            memcpy(&word, &h_a[i*4 + q], sizeof word);
            bits = bits * 31u + word;
            if (!(fabs(h_a[i*4 + q] - a[i*4 + q]) < 1e-5)) wrong++;
            sum += (i % 15 + 1) * (q + 1) * (double)h_a[i*4 + q];
            expected += a[i*4 + q];
        }
        if (!(fabs(h_dye[i] - expected) < 1e-5)) wrong++;
        dye += (i % 5 + 1) * (double)h_dye[i];
    }
    printf("%d x %d sites, %d steps\n", nx, ny, steps);
    printf("populations %.14e dye %.14e bits %08x\n", sum, dye, bits);
    puts(wrong ? "FAILED" : "PASSED");
    free(h_a);
    free(h_dye);
    free(a);
    free(b);
    return wrong ? 1 : 0;
}
