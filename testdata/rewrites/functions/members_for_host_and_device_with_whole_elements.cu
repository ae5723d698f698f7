//@ layout = "* = soa"
// What loads and stores whole elements for a member of host and device is for both, too.
struct Particle { float x, y; int id; };
struct View {
    Particle *p;
    int n;
    __host__ __device__ Particle get(int i) const { return p[i]; }
    __host__ __device__ void set(int i, const Particle &e) const { p[i] = e; }
};
__global__ void step(View v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n) {
        Particle e = v.get(i);
        e.x += 1;
        v.set(i, e);
    }
}
int main() {
    Particle *d;
    cudaMalloc(&d, 64 * sizeof(Particle));
    step<<<2, 32>>>(View{d, 64});
    cudaFree(d);
}
