#include "report.h"

#include <cstdlib>
#include <vector>

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::vector<Particle> particles(n);
    for (int i = 0; i < n; ++i)
        particles[i] = Particle{i * 0.5f, i * 0.25f, 1.0f, 1.0f, 0.5f, -0.5f, 1.0f + i % 3, i};

    Particle *d_particles;
    cudaMalloc(&d_particles, n * sizeof(Particle));
    cudaMemcpy(d_particles, particles.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
    for (int t = 0; t < 100; ++t)
        step(d_particles, n, 0.01f);
    cudaMemcpy(particles.data(), d_particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    cudaFree(d_particles);

    report(particles.data(), n);
    return 0;
}
