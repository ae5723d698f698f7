//@ layout = "* = soa"
template <class T>
struct Vec {
    T x, y;
};
template <class T>
struct Vec<T *> {
    T *y, *x;
    int id;
};
struct Body { //~ LC0027 a member has no form that a generated struct can repeat: its size is not known, or its type is local to the record or hidden by a typedef
    Vec<float *> pos;
    float mass;
};
__global__ void step(Body *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].mass += 1;
}
int main() {
    Body *d;
    cudaMalloc((void **)&d, 100 * sizeof(Body));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
