//@ layout = "* = soa"
template <class... T> //~ LC0029 the element type comes from a class template that is specialised, or has arguments that are not modelled
struct Vec { //~ LC0027 the element type has no members
    float x, y;
};
__global__ void step(Vec<int, char> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += p[i].y; //~ LC0082 this names no member variable that is modelled
}
int main() {
    Vec<int, char> *d;
    cudaMalloc((void **)&d, 100 * sizeof(Vec<int, char>));
    step<<<1, 128>>>(d, 100);
    cudaFree(d);
    return 0;
}
