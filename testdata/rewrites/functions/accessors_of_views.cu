//@ layouts = ["P = tiled(32)", "P = soa"]
struct P {
    float x, y;
    int id;
};

struct Open {
    P *data;
    int count;
    __device__ P &operator[](int i) const { return data[i]; }
    __device__ const P &at(size_t i) const { return data[i]; }
    // The first one.
    __host__ __device__ P *begin() const { return data; }
};

struct Grid : Open {
    int width;
    __device__ float row(int y) const {
        float sum = 0;
        for (int x = 0; x < width; x++)
            sum += at(y * width + x).x;
        return sum;
    }
};

class Closed {
public:
    Closed(P *d, int n) : m_data(d), m_count(n) {}

    __device__ P &operator[](int i) { return m_data[i]; }
    __device__ const P &operator[](int i) const { return m_data[i]; }
    __device__ P &at(int i) { return m_data[i]; }

    __host__ __device__ int size() const { return m_count; }

private:
    P *m_data;
    int m_count;
};

template <class T> class Span {
    T *m_data;
    size_t m_count;

public:
    Span(T *d, size_t n) : m_data(d), m_count(n) {}
    [[nodiscard]] __host__ __device__ constexpr T &operator[](size_t i) const {
        return m_data[i];
    }
    __host__ __device__ size_t size() const { return m_count; }
};

__device__ float sum(const Closed &all) {
    float x = 0;
    for (int i = 0; i < all.size(); i++)
        x += all[i].x;
    return x;
}

__global__ void step(Open open, Grid grid, Closed closed, Span<P> span, Span<float> weights) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= open.count)
        return;
    open[i].x += weights[i] * open.at(i).y;
    P &own = span[i];
    own.y += sum(closed) + grid.row(0);
    P copy = closed.at(i);
    copy.id++;
    closed[i] = copy;
    auto &same = grid[i];
    same.id += 2;
}

int main() {
    P *d;
    float *w;
    cudaMalloc(&d, 20 * sizeof(P));
    cudaMalloc(&w, 20 * sizeof(float));
    cudaMemset(d, 0, 20 * sizeof(P));
    cudaMemset(w, 0, 20 * sizeof(float));
    Open open{d, 20};
    Grid grid;
    grid.data = d;
    grid.count = 20;
    grid.width = 5;
    step<<<1, 32>>>(open, grid, Closed(d, 20), Span<P>(d, 20), Span<float>(w, 20));
    P h[20];
    cudaMemcpy(h, open.begin(), sizeof(h), cudaMemcpyDeviceToHost);
    return h[3].id;
}
