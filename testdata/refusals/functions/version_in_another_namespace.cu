//@ layout = "Tagged<Tag> = soa"
namespace a {
template <class T>
struct Tagged {
    T tag;
    float value, next;
    __device__ void bump() { value += tag.id; } //~ LC0083 its version would have to stand in another namespace, behind the struct
};
}
namespace b {
struct Tag {
    int id;
};
}
using namespace a;
using b::Tag;
template <class T>
__global__ void step(a::Tagged<T> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i].bump();
}
int main() {
    const int n = 100;
    Tagged<Tag> *d;
    cudaMalloc((void **)&d, n * sizeof(Tagged<Tag>));
    cudaMemset(d, 0, n * sizeof(Tagged<Tag>));
    step<<<1, 128>>>(d, n);
    cudaFree(d);
    return 0;
}
