//@ layouts = ["* = soa", "Body = soa"]
struct Particle {
    float x, y;
};

// layoutc: Particle = tiled(32)
struct ParticleTile {
    float x[32];
    float y[32];
};

// Somebody has put this here.
struct Body {
    float x, y;
};
__global__ void both(ParticleTile *p, Body *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i >> 5].x[i & 31] += b[i].y;
}
// layoutc: end

struct Star {
    float x, y;
};
__global__ void shine(Star *s, ParticleTile *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        s[i].x += p[i >> 5].y[i & 31];
}
int main() {
    ParticleTile *p;
    Body *b;
    Star *s;
    cudaMalloc(&p, 32 * sizeof(ParticleTile));
    cudaMalloc(&b, 1024 * sizeof(Body));
    cudaMalloc(&s, 1024 * sizeof(Star));
    both<<<4, 256>>>(p, b, 1024);
    shine<<<4, 256>>>(s, p, 1024);
    return 0;
}
