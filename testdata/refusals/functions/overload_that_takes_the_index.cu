//@ layout = "P = tiled(32)"
// `launch(d, 3, n - 3)` would mean the first function, with 3 for the index of its pointer.
struct P { float x; int id; };
__global__ void step(P *p, int n, float by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += by;
}
void launch(P *p, int n) { step<<<1, 128>>>(p, n, 1.0f); }
void launch(P *p, long scale, int n) { step<<<1, 128>>>(p, n, scale); } //~ LC0083 this function is overloaded, and with the new parameters a call could choose another one
int main() {
    P *d;
    int n = 100;
    cudaMalloc(&d, n * sizeof(P));
    launch(d + 2, n - 2);
    launch(d, 3, n - 3);
    cudaFree(d);
}
