//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) { //~ LC0031 no allocation of this array is seen
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
static void launch(P *p, int n) {
    step<<<1, 128>>>(p, n);
}
int main() {
    launch(NULL, 0);
    return 0;
}
