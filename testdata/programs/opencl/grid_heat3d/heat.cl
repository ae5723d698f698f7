#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// One step; cells at the walls keep their temperature.
__kernel void conduct(__global const float *restrict told, __global float *restrict tnew, int nx, int ny, int nz, float rate)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= nx || y >= ny || z >= nz)
        return;
    const int c = (z * ny + y) * nx + x;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        tnew[c] = told[c];
        return;
    }
    const float around = told[c - 1] + told[c + 1] + told[c - nx] + told[c + nx]
                       + told[c - nx * ny] + told[c + nx * ny];
    tnew[c] = told[c] + rate * (around - 6.0f * told[c]);
}

// As many work-items as there are cells of a plane: no guard.
__kernel void warm(__global float *t, uint nx, uint ny, int z, float by)
{
    const size_t x = get_global_id(0), y = get_global_id(1);
    t[((size_t)z * ny + y) * nx + x] += by * (float)((x + 2 * y) % 5);
}

float of_row(__global const float *t, int y, int z, int nx, int ny)
{
    float sum = 0.0f;
    for (int x = 0; x < nx; x++)
        sum += t[(z * ny + y) * nx + x];
    return sum;
}

__kernel void means(__global const float *t, __global double *mean, int nx, int ny, int nz)
{
    const int z = get_global_id(0);
    if (z >= nz)
        return;
    double sum = 0.0;
    for (int y = 0; y < ny; y++)
        sum += of_row(t, y, z, nx, ny);
    mean[z] = sum / (nx * ny);
}
