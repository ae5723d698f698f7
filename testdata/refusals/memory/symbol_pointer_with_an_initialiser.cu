//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P whole[4];
__device__ P *table = whole; //~ LC0032 this symbol in device memory has an initializer
__global__ void step(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        table[i].x += 1.0f;
}
int main() {
    step<<<1, 4>>>(4);
    return 0;
}
