//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
P *pool; //~ LC0034 another file declares this name with another type
void launch(int n);
int main() {
    int n = 100;
    cudaMalloc(&pool, n * sizeof(P));
    cudaMemset(pool, 0, n * sizeof(P));
    launch(n);
    return 0;
}
//- other.cu
struct P {
    float x;
    int id;
};
extern P *pool; //~ LC0031 this variable is defined outside the program //~ LC0034 another file declares this name with another type
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
void launch(int n) {
    step<<<1, 128>>>(pool, n);
}
