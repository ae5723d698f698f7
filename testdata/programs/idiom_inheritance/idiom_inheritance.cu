#include "shapes.cuh"
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// Elements that inherit: members and member functions of base classes, through elements, pointers
// and `this`; bases with private members and constructors; two and three levels; hidden functions.

struct Particle : Point {
    int id;
    float mass;
    __host__ __device__ void kick(float f)
    {
        y += f / mass;
        move(0.25f, f);
    }
    __host__ __device__ float energy() const { return 0.5f * mass * reach(); }
};

struct Tracer : public Particle {
    short marks;
    __host__ __device__ void kick(float f)
    {
        Particle::kick(2.0f * f);
        this->marks += (short)id;
        Point::move(0.5f, 0.0f);
    }
};

// `small` lies in the padding of `Clock`.
class Event : public Stamped, public Clock, public Point {
public:
    __host__ __device__ Event() : small(3), weight(2)
    {
        x = 1.0f;
        y = 2.0f;
    }
    __host__ __device__ Event(double s, char t, int w) : Clock(s, t), small(t), weight(w)
    {
        x = 0.5f * w;
        y = -x;
    }
    __host__ __device__ void pass(double dt)
    {
        tick(dt);
        weight += small;
        if (weight > most)
            small = 1;
        move(0.5f, -0.25f);
    }
    __host__ __device__ double sum() const { return now() + reach() + weight; }

private:
    char small;
    int weight;
};

__device__ void push(Tracer &t, float f)
{
    t.kick(f);
    t.Point::x += 1.0f;
}

__global__ void trace(Particle *p, Tracer *t, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x += 1.0f;
    p[i].kick(1.0f);
    p[i] += 0.25f;
    p[i].mass += p[i].reach() + reach_of(p[i]);
    Particle own = p[i];
    own.move(1.0f, 2.0f);
    own += 0.5f;
    p[i].id += (int)own.energy();

    Tracer *mine = t + i;
    mine->kick(0.5f);
    mine->Particle::kick(0.25f);
    push(t[i], 0.125f);
    mine->move(p[i].x, 1.0f);
    t[i].mass += mine->energy();
}

__global__ void happen(Event *e, double *sums, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        e[i].pass(0.5);
        e[i].tick(0.25);
        if (i % 5 == 2)
            e[i] = Event(2.5, 4, i);
        sums[i] = e[i].sum() + e[i].now();
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 500;
    const int blocks = (n + 127) / 128 > 0 ? (n + 127) / 128 : 1;
    Particle *particles = new Particle[n];
    Tracer *tracers = new Tracer[n];
    Event *events = new Event[n];
    double *sums = new double[n];
    for (int i = 0; i < n; i++) {
        particles[i].x = i % 16;
        particles[i].y = 0.5f * (i % 8);
        particles[i].id = i;
        particles[i].mass = 1 + i % 4;
        static_cast<Particle &>(tracers[i]) = particles[i];
        tracers[i].marks = 7;
        events[i] = Event(0.25 * i, (char)(i % 10), i % 13);
    }

    Particle *d_particles;
    Tracer *d_tracers;
    Event *d_events;
    double *d_sums;
    cudaMalloc(&d_particles, n * sizeof(Particle));
    cudaMalloc(&d_tracers, n * sizeof(Tracer));
    cudaMalloc(&d_events, n * sizeof(Event));
    cudaMalloc(&d_sums, n * sizeof(double));
    cudaMemcpy(d_particles, particles, n * sizeof(Particle), cudaMemcpyHostToDevice);
    cudaMemcpy(d_tracers, tracers, n * sizeof(Tracer), cudaMemcpyHostToDevice);
    cudaMemcpy(d_events, events, n * sizeof(Event), cudaMemcpyHostToDevice);
    trace<<<blocks, 128>>>(d_particles, d_tracers, n);
    happen<<<blocks, 128>>>(d_events, d_sums, n);
    cudaMemcpy(particles, d_particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    cudaMemcpy(tracers, d_tracers, n * sizeof(Tracer), cudaMemcpyDeviceToHost);
    cudaMemcpy(events, d_events, n * sizeof(Event), cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, d_sums, n * sizeof(double), cudaMemcpyDeviceToHost);

    double first = 0, second = 0, third = 0;
    for (int i = 0; i < n; i++) {
        first += particles[i].x + 2 * particles[i].y + 3 * particles[i].mass + particles[i].id % 97;
        second += tracers[i].x + 2 * tracers[i].y + 3 * tracers[i].mass + tracers[i].id % 89 + tracers[i].marks;
        third += events[i].sum() + sums[i];
    }
    printf("checksums %.6f %.6f %.6f\n", first, second, third);
    cudaFree(d_particles);
    cudaFree(d_tracers);
    cudaFree(d_events);
    cudaFree(d_sums);
    delete[] particles;
    delete[] tracers;
    delete[] events;
    delete[] sums;
    return 0;
}
