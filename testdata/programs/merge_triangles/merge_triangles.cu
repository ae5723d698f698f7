// A triangulated height field that sinks: areas and heights of triangles from the coordinates of their corners, which
// are three arrays, and each coordinate is read through the list of corners.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t error = (call);                                          \
        if (error != cudaSuccess) {                                          \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));   \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

__global__ void measure(const float *px, const float *py, const float *pz, const int *corner, float *area,
                        float *height, int triangles)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= triangles)
        return;
    float ux = px[corner[t + triangles]] - px[corner[t]], vx = px[corner[t + 2 * triangles]] - px[corner[t]];
    float uy = py[corner[t + triangles]] - py[corner[t]], vy = py[corner[t + 2 * triangles]] - py[corner[t]];
    float uz = pz[corner[t + triangles]] - pz[corner[t]], vz = pz[corner[t + 2 * triangles]] - pz[corner[t]];
    float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    area[t] = 0.5f * sqrtf(nx * nx + ny * ny + nz * nz);
    height[t] = (pz[corner[t]] + pz[corner[t + triangles]] + pz[corner[t + 2 * triangles]]) * 0.25f;
}

__global__ void sink(float *pz, int points)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < points)
        pz[p] *= 0.5f;
}

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 33, rounds = argc > 2 ? atoi(argv[2]) : 2;
    const int points = side * side, triangles = 2 * (side - 1) * (side - 1);
    std::vector<float> px(points), py(points), pz(points), area(triangles), height(triangles);
    std::vector<int> corner(3 * triangles);
    for (int p = 0; p < points; p++) {
        px[p] = p % side;
        py[p] = p / side;
        pz[p] = (p * 7 % 16) * 0.5f;
    }
    for (int t = 0; t < triangles; t++) {
        // In an order that is far from that of the points.
        int cell = (int)(((long long)(t / 2) * 7919) % (triangles / 2)), p = cell / (side - 1) * side + cell % (side - 1);
        corner[t] = t % 2 ? p + side + 1 : p;
        corner[t + triangles] = p + 1;
        corner[t + 2 * triangles] = p + side;
    }
    float *d_px, *d_py, *d_pz, *d_area, *d_height;
    int *d_corner;
    CHECK(cudaMalloc(&d_px, points * sizeof(float)));
    CHECK(cudaMalloc(&d_py, points * sizeof(float)));
    CHECK(cudaMalloc(&d_pz, points * sizeof(float)));
    CHECK(cudaMalloc(&d_area, (triangles + 1) * sizeof(float)));
    CHECK(cudaMalloc(&d_height, (triangles + 1) * sizeof(float)));
    CHECK(cudaMalloc(&d_corner, (3 * triangles + 1) * sizeof(int)));
    CHECK(cudaMemcpy(d_px, px.data(), points * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_py, py.data(), points * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_pz, pz.data(), points * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_corner, corner.data(), 3 * triangles * sizeof(int), cudaMemcpyHostToDevice));
    double sum = 0;
    bool good = true;
    for (int round = 0; round < rounds; round++) {
        measure<<<triangles / 128 + 1, 128>>>(d_px, d_py, d_pz, d_corner, d_area, d_height, triangles);
        sink<<<points / 128 + 1, 128>>>(d_pz, points);
        CHECK(cudaMemcpy(area.data(), d_area, triangles * sizeof(float), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(height.data(), d_height, triangles * sizeof(float), cudaMemcpyDeviceToHost));
        for (int t = 0; t < triangles; t++) {
            int a = corner[t], b = corner[t + triangles], c = corner[t + 2 * triangles];
            float uz = pz[b] - pz[a], vz = pz[c] - pz[a];
            float ux = px[b] - px[a], uy = py[b] - py[a], vx = px[c] - px[a], vy = py[c] - py[a];
            float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
            float expected = 0.5f * sqrtf(nx * nx + ny * ny + nz * nz);
            good = good && std::fabs(area[t] - expected) <= 1e-4f * (1 + expected);
            good = good && height[t] == (pz[a] + pz[b] + pz[c]) * 0.25f;
            sum += area[t] * (1 + t % 7) + height[t];
        }
        for (float &z : pz)
            z *= 0.5f;
    }
    std::vector<float> end(points);
    CHECK(cudaMemcpy(end.data(), d_pz, points * sizeof(float), cudaMemcpyDeviceToHost));
    for (int p = 0; p < points; p++)
        good = good && end[p] == pz[p];
    CHECK(cudaFree(d_px));
    CHECK(cudaFree(d_py));
    CHECK(cudaFree(d_pz));
    CHECK(cudaFree(d_area));
    CHECK(cudaFree(d_height));
    CHECK(cudaFree(d_corner));
    printf("%.4f\n%s\n", sum, good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
