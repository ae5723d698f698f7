//@ layout = "Particle = soa"
//@ errors = ["LC0046"]
struct Particle {
    float x, y;
};

// layoutc: Particle = tiled(32)
struct ParticleTile { //~^ LC0046 `Particle` was already transformed to `tiled(32)`
    float x[32];
    float y[32];
};
// layoutc: end

__global__ void step(ParticleTile *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i >> 5].x[i & 31] += p[i >> 5].y[i & 31];
}
int main() {
    ParticleTile *p;
    cudaMalloc(&p, 32 * sizeof(ParticleTile));
    step<<<4, 256>>>(p, 1024);
    return 0;
}
