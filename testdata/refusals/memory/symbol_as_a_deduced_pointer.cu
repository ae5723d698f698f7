//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__device__ P table[4];
__global__ void step(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        table[i].x += 1.0f;
    auto q = table; //~ LC0078 an array that is split is no pointer here
    q[0].id = i;
}
int main() {
    step<<<1, 4>>>(4);
    return 0;
}
