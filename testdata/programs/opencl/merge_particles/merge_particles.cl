// Charged particles on springs: each is bound to a few others, whose positions and charges it gathers.
#define BONDS 4

float pull(float d, float q)
{
    return 0.01f * d * q;
}

float gather(__global const float *along, __global const float *q, int j, float own)
{
    return pull(along[j] - own, q[j]);
}

__kernel void forces(__global const float *x, __global const float *y, __global const float *z,
                     __global const float *restrict charge, __global const short *kind,
                     __global const int *bonds, __global float *fx, __global float *fy, __global float *fz, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float ax = 0, ay = 0, az = 0;
    __global const int *own = bonds + i * BONDS;
    for (int k = 0; k < BONDS; ++k) {
        int j = own[k];
        float q = kind[j] == 2 ? 0.5f * charge[j] : charge[j];
        ax += pull(x[j] - x[i], q);
        ay += pull(*(y + j) - y[i], q);
        az += gather(z, charge, j, z[i]);
    }
    fx[i] = ax;
    fy[i] = ay;
    fz[i] = az;
}

// Moves the particles of a list.
__kernel void move(__global const float *x, __global const float *y, __global const float *z, __global float *next_x,
                   __global float *next_y, __global float *next_z, __global float *vx, __global float *vy,
                   __global float *vz, __global const float *fx, __global const float *fy, __global const float *fz,
                   __global const int *list, int n)
{
    for (int t = get_global_id(0); t < n; t += get_global_size(0)) {
        int i = list[t];
        vx[i] += fx[i];
        vy[i] += fy[i];
        vz[i] += fz[i];
        next_x[i] = x[i] + 0.1f * vx[i];
        next_y[i] = y[i] + 0.1f * vy[i];
        next_z[i] = z[i] + 0.1f * vz[i];
    }
}

// Ages are counted by the first bonds that point to a particle.
__kernel void count(__global const int *bonds, __global int *age, __global short *kind, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        int j = bonds[i * BONDS];
        atomic_add(&age[j], 1);
        if (i == 0)
            kind[j] = 2;
    }
}
