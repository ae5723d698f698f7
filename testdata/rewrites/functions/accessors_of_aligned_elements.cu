//@ layouts = ["P = aos align(16)"]
struct P {
    float x, y, z;
};

struct Open {
    P *data;
    __device__ P &at(int i) const { return data[i]; }
    __device__ const P &read(int i) const { return data[i]; }
};

template <class T> struct View {
    T *data;
    __device__ T &operator[](int i) const { return data[i]; }
};

__global__ void step(Open open, View<P> view, View<const P> source, int n) {
    int i = threadIdx.x;
    if (i < n)
        open.at(i).x += view[i].y + source[i].z + open.read((int)view[i].y).x;
}

int main() {
    P *d;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMemset(d, 0, 20 * sizeof(P));
    step<<<1, 32>>>(Open{d}, View<P>{d}, View<const P>{d}, 20);
    return 0;
}
