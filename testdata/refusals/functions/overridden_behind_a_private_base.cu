//@ layout = "P = tiled(32)"
// The class inherits privately, which is not modelled: with another parameter, `go` would not be overridden.
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].x += 1.0f;
}
struct A {
    virtual void go(P *d, int n) { step<<<1, 128>>>(d, n); } //~ LC0078 this member function may override another, or be overridden
    virtual ~A() {}
};
class B : A {
public:
    void go(P *, int) { puts("derived"); }
};
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    B b;
    A *a = (A *)&b;
    a->go(d, 100);
    cudaFree(d);
}
