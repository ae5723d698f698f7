//@ layouts = ["P = tiled(32)", "P = soa", "P = aos align(16)"]
#include <cassert>
struct P {
    float x, y, z;
};

struct View {
    P *data;
    int count;
    __device__ P &operator[](int i) const { //~ LC0078 a declaration of this type is not rewritten
        assert(i < count);
        return data[i]; //~ LC0080 a reference to an element is returned
    }
};

__global__ void step(View view) {
    int i = threadIdx.x;
    if (i < view.count)
        view[i].x += view[i].y;
}

int main() {
    View view;
    view.count = 20;
    cudaMalloc(&view.data, 20 * sizeof(P));
    step<<<1, 32>>>(view);
    return 0;
}
