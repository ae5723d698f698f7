//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x, y;
};

struct View {
    P *data;
    int count;
    __device__ P &operator[](int i) const { return data[i]; }
};

__global__ void step(View view, long long shift) {
    int i = threadIdx.x;
    if (i < view.count)
        view[i + shift].x += view.operator[](i).y; //~ LC0080 this may call a function that gives back an element
}

int main() {
    View view;
    view.count = 20;
    cudaMalloc(&view.data, 20 * sizeof(P));
    step<<<1, 32>>>(view, 0);
    return 0;
}
