//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__constant__ P table[4]; //~ LC0053 constant memory serves one address at a time, in whatever layout
__global__ void step(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        n = table[i].id;
    n = table[0].id;
}
int main() {
    step<<<1, 4>>>(4);
    return 0;
}
