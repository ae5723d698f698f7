//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P table[4] = {{1.0f, 2}, {3.0f, 4}}; //~ LC0032 this array has an initializer in the order of the source's members
__global__ void step(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        table[i].x += 1.0f;
}
int main() {
    step<<<1, 4>>>(4);
    return 0;
}
