//@ layout = "* = soa"
// The type of a member is not known where the struct is declared.
struct P;
struct Holder { P *points; }; //~ LC0078 this is declared before the struct is defined
struct Q;
struct Early { Q *points; void clear(int bytes) { cudaMemset(points, 0, bytes); } }; //~ LC0078 this stands in front of the struct, where it is only declared
typedef float real;
struct P {
    real x;
    int id;
};
struct Q { float x; int id; };
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
__global__ void step(Q *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        q[i].x += 1.0f;
}
int main() {
    Holder h;
    cudaMalloc(&h.points, 100 * sizeof(P));
    step<<<1, 100>>>(h.points, 100);
    cudaFree(h.points);
    Early e;
    cudaMalloc(&e.points, 100 * sizeof(Q));
    e.clear(100 * sizeof(Q));
    step<<<1, 100>>>(e.points, 100);
    cudaFree(e.points);
    return 0;
}
