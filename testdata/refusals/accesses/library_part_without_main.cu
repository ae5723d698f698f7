//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
P *pool; //~ LC0031 other parts of the program, which were not given, can use this variable
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
void start(int n) {
    cudaMalloc(&pool, n * sizeof(P));
    step<<<1, 128>>>(pool, n);
}
