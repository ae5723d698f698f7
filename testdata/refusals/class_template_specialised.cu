//@ layout = "* = soa"
template <class T>
struct Vec {
    T x, y;
};
template <> //~ LC0028 mentions `Vec`
struct Vec<float> {
    float y, x;
    int id;
};
struct Body {
    Vec<float> pos;
    float mass;
};
__global__ void step(Vec<float> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y;
}
int main() {
    Vec<float> *d;
    cudaMalloc((void **)&d, 100 * sizeof(Vec<float>));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
