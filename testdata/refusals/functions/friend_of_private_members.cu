//@ layout = "P = soa"
class P {
public:
    float x;
    friend struct Reader; //~ LC0027 this friend is not modelled

private:
    int id;
};
struct Reader {
    __device__ int id(const P *p, int i) const { return p[i].id; }
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Reader reader;
    if (i < n)
        p[i].x += reader.id(p, i);
}
int main() {
    int n = 100;
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
}
