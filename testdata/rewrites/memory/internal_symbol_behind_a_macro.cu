//@ layout = "P = soa"
// No `main`: other files may be part of the program, but none of them can name these.
#define LOCAL static
struct P {
    float x;
    int id;
};
LOCAL __device__ P cells[100];
LOCAL P *particles;
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
        cells[i].x = p[i].x;
    }
}
void setUp(const P *from, int n) {
    cudaMalloc(&particles, n * sizeof(P));
    cudaMemcpy(particles, from, n * sizeof(P), cudaMemcpyHostToDevice);
}
void run(int n) { step<<<1, 128>>>(particles, n); }
