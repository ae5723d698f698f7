// All-pairs N-body with one array for each coordinate, as in table III of Peng et al.
#include <cuda_runtime.h>

__global__ void kick(const float *x, const float *y, const float *z, float *vx, float *vy, float *vz,
                     float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float px = x[i], py = y[i], pz = z[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
        float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
        float cube = inverse * inverse * inverse;
        ax += dx * cube;
        ay += dy * cube;
        az += dz * cube;
    }
    vx[i] += ax * dt;
    vy[i] += ay * dt;
    vz[i] += az * dt;
}

int main() {
    const int n = 16384;
    float *x, *y, *z, *vx, *vy, *vz;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&z, n * sizeof(float));
    cudaMalloc(&vx, n * sizeof(float));
    cudaMalloc(&vy, n * sizeof(float));
    cudaMalloc(&vz, n * sizeof(float));
    kick<<<n / 256, 256>>>(x, y, z, vx, vy, vz, 0.01f, n);
    return cudaDeviceSynchronize();
}
