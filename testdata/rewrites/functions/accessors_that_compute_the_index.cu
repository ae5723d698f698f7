//@ layouts = ["P = soa", "P = tiled(32)", "P = aos align(16)"]
#include <cassert>

struct P {
    float x, y, z;
};

struct Grid {
    P *cells;
    int width, height;
    __device__ P &operator()(int x, int y) const { return cells[y * width + x]; }
    __device__ P &at(int x, int y) const {
        assert(x >= 0 && x < width);
        assert(y < height);
        return cells[y * width + x];
    }
};

template <class T> class Checked {
    T *items;
    int count;

  public:
    __host__ Checked(T *items, int count) : items(items), count(count) {}
    __host__ __device__ int size() const { return count; }
    __device__ T &operator[](int i) {
        assert(i < count);
        return items[i];
    }
    __device__ const T &operator[](int i) const {
        assert(i < count);
        return items[i];
    }
};

__global__ void step(Grid grid, Checked<P> list, const Checked<P> other) {
    int x = threadIdx.x;
    if (x < grid.width) {
        grid(x, 1).x += grid(x, 0).y * list[x].z;
        list[x + 1].y = other[x].x;
        P whole = grid(x, 1);
        grid(x, 0) = whole;
    }
}

int main() {
    Grid grid;
    grid.width = 10;
    grid.height = 2;
    cudaMalloc(&grid.cells, 20 * sizeof(P));
    cudaMemset(grid.cells, 0, 20 * sizeof(P));
    Checked<P> list(grid.cells, 20);
    step<<<1, 32>>>(grid, list, list);
    return 0;
}
