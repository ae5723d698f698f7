// All-pairs N-body with Plummer softening. Bodies are updated in place on the device: one kernel adds
// up the forces and kicks the velocities, a second one drifts the positions.
//
// usage: nbody [bodies] [steps]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t status_ = (call);                                                     \
        if (status_ != cudaSuccess) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

#define BLOCK_SIZE 128
#define SOFTENING 1e-2f

struct Body {
    float x, y, z;    // position
    float mass;
    float vx, vy, vz; // velocity
};

__global__ void bodyForce(Body *p, float dt, int n) {
    __shared__ float sx[BLOCK_SIZE];
    __shared__ float sy[BLOCK_SIZE];
    __shared__ float sz[BLOCK_SIZE];
    __shared__ float sm[BLOCK_SIZE];

    int i = blockDim.x * blockIdx.x + threadIdx.x;
    Body self;
    if (i < n) {
        self = p[i];
    } else {
        self.x = self.y = self.z = self.mass = 0.0f;
        self.vx = self.vy = self.vz = 0.0f;
    }

    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int tile = 0; tile < (n + BLOCK_SIZE - 1) / BLOCK_SIZE; tile++) {
        int j = tile * BLOCK_SIZE + threadIdx.x;
        if (j < n) {
            sx[threadIdx.x] = p[j].x;
            sy[threadIdx.x] = p[j].y;
            sz[threadIdx.x] = p[j].z;
            sm[threadIdx.x] = p[j].mass;
        } else {
            sx[threadIdx.x] = sy[threadIdx.x] = sz[threadIdx.x] = 0.0f;
            sm[threadIdx.x] = 0.0f; // a massless body pulls nothing
        }
        __syncthreads();

        for (int k = 0; k < BLOCK_SIZE; k++) {
            float dx = sx[k] - self.x;
            float dy = sy[k] - self.y;
            float dz = sz[k] - self.z;
            float d2 = dx * dx + dy * dy + dz * dz + SOFTENING;
            float inv = 1.0f / sqrtf(d2);
            float s = sm[k] * inv * inv * inv;
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        __syncthreads();
    }

    if (i < n) {
        p[i].vx += dt * fx;
        p[i].vy += dt * fy;
        p[i].vz += dt * fz;
    }
}

__global__ void integrate(Body *p, float dt, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
    }
}

static unsigned int seed = 12345u;

static float uniform(void) {
    seed = seed * 1664525u + 1013904223u;
    return (float)(seed >> 8) / 16777216.0f;
}

static void randomizeBodies(Body *p, int n) {
    for (int i = 0; i < n; i++) {
        p[i].x = 2.0f * uniform() - 1.0f;
        p[i].y = 2.0f * uniform() - 1.0f;
        p[i].z = 2.0f * uniform() - 1.0f;
        p[i].mass = (0.5f + uniform()) / n;
        p[i].vx = 0.1f * uniform();
        p[i].vy = 0.1f * uniform();
        p[i].vz = 0.1f * uniform();
    }
}

static void referenceStep(Body *p, float dt, int n) {
    for (int i = 0; i < n; i++) {
        double fx = 0.0, fy = 0.0, fz = 0.0;
        for (int j = 0; j < n; j++) {
            double dx = p[j].x - p[i].x;
            double dy = p[j].y - p[i].y;
            double dz = p[j].z - p[i].z;
            double d2 = dx * dx + dy * dy + dz * dz + SOFTENING;
            double s = p[j].mass / (d2 * sqrt(d2));
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
        p[i].vx += (float)(dt * fx);
        p[i].vy += (float)(dt * fy);
        p[i].vz += (float)(dt * fz);
    }
    for (int i = 0; i < n; i++) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
    }
}

static int differs(float got, float want) {
    return !(fabsf(got - want) <= 1e-3f * (1.0f + fabsf(want)));
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 300;
    int steps = argc > 2 ? atoi(argv[2]) : 3;
    if (n < 0 || steps < 0) {
        fprintf(stderr, "usage: %s [bodies] [steps]\n", argv[0]);
        return 2;
    }
    const float dt = 0.01f;
    size_t bytes = n * sizeof(Body);

    Body *bodies = (Body *)malloc(bytes + 1);
    Body *expected = (Body *)malloc(bytes + 1);
    randomizeBodies(bodies, n);
    for (int i = 0; i < n; i++) expected[i] = bodies[i];

    Body *d_bodies;
    CHECK(cudaMalloc((void **)&d_bodies, bytes));
    CHECK(cudaMemcpy(d_bodies, bodies, bytes, cudaMemcpyHostToDevice));

    int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
    if (blocks > 0) {
        for (int step = 0; step < steps; step++) {
            bodyForce<<<blocks, BLOCK_SIZE>>>(d_bodies, dt, n);
            CHECK(cudaGetLastError());
            integrate<<<blocks, BLOCK_SIZE>>>(d_bodies, dt, n);
            CHECK(cudaGetLastError());
        }
        CHECK(cudaDeviceSynchronize());
    }

    CHECK(cudaMemcpy(bodies, d_bodies, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_bodies));

    for (int step = 0; step < steps; step++) referenceStep(expected, dt, n);

    int bad = 0;
    double position = 0.0, momentum = 0.0, mass = 0.0;
    for (int i = 0; i < n; i++) {
        bad += differs(bodies[i].x, expected[i].x) || differs(bodies[i].y, expected[i].y) ||
               differs(bodies[i].z, expected[i].z) || differs(bodies[i].vx, expected[i].vx) ||
               differs(bodies[i].vy, expected[i].vy) || differs(bodies[i].vz, expected[i].vz) ||
               bodies[i].mass != expected[i].mass;
        position += (i % 7 + 1) * (bodies[i].x + 2.0 * bodies[i].y + 3.0 * bodies[i].z);
        momentum += (i % 5 + 1) * bodies[i].mass * (bodies[i].vx + 2.0 * bodies[i].vy + 3.0 * bodies[i].vz);
        mass += bodies[i].mass;
    }
    printf("bodies %d steps %d\n", n, steps);
    printf("position %.14e momentum %.14e mass %.14e\n", position, momentum, mass);
    if (n > 0)
        printf("last body %.7e %.7e %.7e\n", bodies[n - 1].x, bodies[n - 1].y, bodies[n - 1].z);
    printf("%s\n", bad ? "FAILED" : "PASSED");

    free(bodies);
    free(expected);
    return bad ? 1 : 0;
}
