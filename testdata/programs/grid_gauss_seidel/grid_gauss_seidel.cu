// Pressure projection of a 3-D incompressible Navier-Stokes step on a collocated grid:
//   div     right-hand side from the divergence of the velocity
//   sweep   red-black Gauss-Seidel with over-relaxation, in place
//   project velocity minus the gradient of the pressure
// Every grid has one layer of boundary cells around nx x ny x nz interior ones.
//
// usage: grid_gauss_seidel [nx] [ny] [nz] [sweeps]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}

enum { RED = 0, BLACK = 1 };

__device__ __forceinline__ int idx(int x, int y, int z, int sx, int sy)
{
    return (z * sy + y) * sx + x;
}

__global__ void div(const float *u, const float *v, const float *w, float *rhs, int nx, int ny, int nz, float h)
{
    const int sx = nx + 2, sy = ny + 2;
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x > nx || y > ny || z > nz) return;
    rhs[idx(x, y, z, sx, sy)] = 0.5f * h * (u[idx(x + 1, y, z, sx, sy)] - u[idx(x - 1, y, z, sx, sy)]
                                          + v[idx(x, y + 1, z, sx, sy)] - v[idx(x, y - 1, z, sx, sy)]
                                          + w[idx(x, y, z + 1, sx, sy)] - w[idx(x, y, z - 1, sx, sy)]);
}

// One thread for each cell of the colour: along x every other one, starting where the plane and the
// row ask for it.
__global__ void sweep(float *p, const float *rhs, int nx, int ny, int nz, int colour, float relax)
{
    const int sx = nx + 2, sy = ny + 2;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + z + colour) & 1) + 1;
    if (x <= nx && y <= ny && z <= nz) {
        const float around = p[idx(x - 1, y, z, sx, sy)] + p[idx(x + 1, y, z, sx, sy)]
                           + p[idx(x, y - 1, z, sx, sy)] + p[idx(x, y + 1, z, sx, sy)]
                           + p[idx(x, y, z - 1, sx, sy)] + p[idx(x, y, z + 1, sx, sy)];
        const float old = p[idx(x, y, z, sx, sy)];
        p[idx(x, y, z, sx, sy)] = old + relax * ((around - rhs[idx(x, y, z, sx, sy)]) / 6.0f - old);
    }
}

__global__ void project(float *u, float *v, float *w, const float *p, int nx, int ny, int nz, float h)
{
    const int sx = nx + 2, sy = ny + 2;
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    if (x <= nx && y <= ny && z <= nz) {
        const int here = idx(x, y, z, sx, sy);
        u[here] -= 0.5f * (p[idx(x + 1, y, z, sx, sy)] - p[idx(x - 1, y, z, sx, sy)]) / h;
        v[here] -= 0.5f * (p[idx(x, y + 1, z, sx, sy)] - p[idx(x, y - 1, z, sx, sy)]) / h;
        w[here] -= 0.5f * (p[idx(x, y, z + 1, sx, sy)] - p[idx(x, y, z - 1, sx, sy)]) / h;
    }
}

static void reference(double *u, double *v, double *w, double *p, int nx, int ny, int nz, int sweeps, double relax, double h)
{
    const int sx = nx + 2, sxy = sx * (ny + 2);
    const int cells = sxy * (nz + 2);
    double *rhs = (double *)calloc(cells, sizeof(double));
    for (int phase = -1; phase <= 2 * sweeps; phase++)
        for (int z = 1; z <= nz; z++)
            for (int y = 1; y <= ny; y++)
                for (int x = 1; x <= nx; x++) {
                    const int i = z * sxy + y * sx + x;
                    if (phase == -1)
                        rhs[i] = 0.5 * h * (u[i + 1] - u[i - 1] + v[i + sx] - v[i - sx] + w[i + sxy] - w[i - sxy]);
                    else if (phase < 2 * sweeps) {
                        if (((x + 1 + y + z + phase) & 1) != 0) continue;
                        const double sum = p[i - 1] + p[i + 1] + p[i - sx] + p[i + sx] + p[i - sxy] + p[i + sxy];
                        p[i] += relax * ((sum - rhs[i]) / 6.0 - p[i]);
                    } else {
                        u[i] -= 0.5 * (p[i + 1] - p[i - 1]) / h;
                        v[i] -= 0.5 * (p[i + sx] - p[i - sx]) / h;
                        w[i] -= 0.5 * (p[i + sxy] - p[i - sxy]) / h;
                    }
                }
    free(rhs);
}

int main(int argc, char **argv)
{
    int nx = 17, ny = 13, nz = 9, sweeps = 5;
    if (argc > 1) nx = ny = nz = atoi(argv[1]);
    if (argc > 2) ny = atoi(argv[2]);
    if (argc > 3) nz = atoi(argv[3]);
    if (argc > 4) sweeps = atoi(argv[4]);
    if (nx < 0 || ny < 0 || nz < 0) { fprintf(stderr, "usage: grid_gauss_seidel [nx] [ny] [nz] [sweeps]\n"); return 2; }

    const int cells = (nx + 2) * (ny + 2) * (nz + 2);
    const float relax = 1.4f, h = 0.25f;
    float *field[4];       // u, v, w, p
    double *ref[4];
    unsigned int lcg = 2024u;
    for (int k = 0; k < 4; k++) {
        field[k] = (float *)malloc(cells * sizeof(float));
        ref[k] = (double *)malloc(cells * sizeof(double));
        for (int i = 0; i < cells; i++) {
            lcg = lcg * 1103515245u + 12345u;
            field[k][i] = k < 3 ? (float)((lcg >> 16) & 1023u) / 1024.0f - 0.5f : 0.0f;
            ref[k][i] = field[k][i];
        }
    }

    float *d_u, *d_v, *d_w, *d_p, *d_rhs;
    const size_t size = (nx + 2) * (ny + 2) * (nz + 2) * sizeof(float);
    gpuErrchk(cudaMalloc((void **)&d_u, size));
    gpuErrchk(cudaMalloc((void **)&d_v, size));
    gpuErrchk(cudaMalloc((void **)&d_w, size));
    gpuErrchk(cudaMalloc((void **)&d_p, size));
    gpuErrchk(cudaMalloc((void **)&d_rhs, size));
    gpuErrchk(cudaMemcpy(d_u, field[0], size, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(d_v, field[1], size, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(d_w, field[2], size, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemset(d_p, 0, size));
    gpuErrchk(cudaMemset(d_rhs, 0, size));

    if (nx > 0 && ny > 0 && nz > 0) {
        const dim3 block(16, 4, 2);
        const dim3 all((nx + 15) / 16, (ny + 3) / 4, (nz + 1) / 2);
        const dim3 half(((nx + 1) / 2 + 15) / 16, (ny + 3) / 4, (nz + 1) / 2);
        div<<<all, block>>>(d_u, d_v, d_w, d_rhs, nx, ny, nz, h);
        for (int s = 0; s < sweeps; s++) {
            sweep<<<half, block>>>(d_p, d_rhs, nx, ny, nz, RED, relax);
            sweep<<<half, block>>>(d_p, d_rhs, nx, ny, nz, BLACK, relax);
        }
        project<<<all, block>>>(d_u, d_v, d_w, d_p, nx, ny, nz, h);
        gpuErrchk(cudaPeekAtLastError());
        gpuErrchk(cudaDeviceSynchronize());
    }
    gpuErrchk(cudaMemcpy(field[0], d_u, size, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(field[1], d_v, size, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(field[2], d_w, size, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaMemcpy(field[3], d_p, size, cudaMemcpyDeviceToHost));
    gpuErrchk(cudaFree(d_u));
    gpuErrchk(cudaFree(d_v));
    gpuErrchk(cudaFree(d_w));
    gpuErrchk(cudaFree(d_p));
    gpuErrchk(cudaFree(d_rhs));

    reference(ref[0], ref[1], ref[2], ref[3], nx, ny, nz, sweeps, relax, h);
    int wrong = 0;
    printf("%d x %d x %d cells, %d sweeps\n", nx, ny, nz, sweeps);
    for (int k = 0; k < 4; k++) {
        double sum = 0.0;
        unsigned int bits = 0;
        for (int i = 0; i < cells; i++) {
            unsigned int word;
            memcpy(&word, &field[k][i], sizeof word);
            bits = bits * 31u + word;
            if (!(fabs(field[k][i] - ref[k][i]) < 1e-4)) wrong++;
            sum += (i % 13 + 1) * (double)field[k][i];
        }
        printf("%c %.14e %08x\n", "uvwp"[k], sum, bits);
        free(field[k]);
        free(ref[k]);
    }
    printf("%s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong == 0 ? 0 : 1;
}
