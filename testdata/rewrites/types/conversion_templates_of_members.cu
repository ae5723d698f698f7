//@ layouts = ["House = soa", "House = tiled(32)"]
template <class T> struct Vec {
    T x, y;
    __host__ __device__ Vec() : x(), y() {}
    __host__ __device__ Vec(T x, T y) : x(x), y(y) {}
    template <class U> __host__ __device__ explicit operator Vec<U>() const;
};

template <class T> struct Size {
    T width, height;
    template <class U> explicit operator Vec<U>() const;
};

template <class T> template <class U> __host__ __device__ Vec<T>::operator Vec<U>() const {
    return Vec<U>((U)x, (U)y);
}

struct House {
    int first;
    Vec<float> place;
};

__global__ void step(House *houses, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        houses[i].place.x += houses[i].first;
}

int main() {
    House h[20] = {};
    House *d;
    cudaMalloc(&d, 20 * sizeof(House));
    cudaMemcpy(d, h, 20 * sizeof(House), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d, 20);
    cudaMemcpy(h, d, 20 * sizeof(House), cudaMemcpyDeviceToHost);
    Vec<double> far = Vec<double>(h[3].place);
    return far.x > 0;
}
