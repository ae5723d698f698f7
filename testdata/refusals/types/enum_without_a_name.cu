//@ layout = "P = soa"
struct P { //~ LC0027 a member has no form that a generated struct can repeat: its size is not known, or its type is local to the record or hidden by a typedef
    float x;
    int id;
    enum { None, Some } kind;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    cudaMemset(d, 0, 100 * sizeof(P));
    step<<<1, 128>>>(d, 100);
    return 0;
}
