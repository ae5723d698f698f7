//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P table[4], other[2]; //~ LC0032 a declaration of this form is not rewritten
__global__ void step(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        table[i].x += 1.0f;
    other[i % 2].id = i;
}
int main() {
    step<<<1, 4>>>(4);
    return 0;
}
