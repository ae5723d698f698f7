//@ layout = "* = soa"
template <class T>
struct Vec {
    T x, y;
};
template <> //~ LC0029 the element type comes from a class template that is specialised, or has arguments that are not modelled //~ LC0077 this construct is not modelled and mentions `Vec`
struct Vec<float> { //~ LC0077 this construct is not modelled and mentions `Vec`
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
