//@ layout = "P = soa"
// A handle has no constant pointee.
struct P { float x; int id; };
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += 1.0f;
}
__global__ void look(const P *p, int n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = p[i].x;
}
float *out;
void run(P *p, int n) { step<<<1, 128>>>(p, n); }
void run(const P *p, int n) { look<<<1, 128>>>(p, n, out); } //~ LC0083 this function is overloaded, and with the new parameters a call could choose another one
int main() {
    P *d;
    int n = 100;
    cudaMalloc(&d, n * sizeof(P));
    cudaMalloc(&out, n * sizeof(float));
    const P *c = d;
    run(d, n);
    run(c, n);
}
