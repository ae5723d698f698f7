//@ layout = "P = soa"
struct P {
    float x;
    int id;
    friend __device__ void move(P &p) { p.x += 1.0f; }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    P own = {1.0f, 2};
    move(own); //~ LC0030 code that uses the array also gets `own`, which is not an element of it
    if (i < n)
        move(p[i]);
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
