//@ layouts = ["P = soa", "P = tiled(32)"]
static constexpr int WIDTH = 4;

struct P {
    float x, y;
};

struct Scene {
    P *items;
    unsigned count;
    __host__ void add(const P &item);
};

// It stores to nothing but its own variables.
__host__ __device__ P project(float a, float b) {
    P p;
    p.x = a * b;
    p.y = a - b;
    return p;
}

void Scene::add(const P &item) {
    items[count++] = item;
}

__global__ void step(P *p, const int *order, int n) {
    int row = threadIdx.x;
    if (row * WIDTH < n) {
        p[row * WIDTH + 1] = project(1.0f, row);
        p[order[row]] = project(row, 2.0f);
    }
}

int main() {
    Scene scene;
    scene.count = 0;
    cudaMallocManaged(&scene.items, 20 * sizeof(P));
    for (int i = 0; i < 20; i++)
        scene.add(project(i, i));
    int *order;
    cudaMalloc(&order, 20 * sizeof(int));
    cudaMemset(order, 0, 20 * sizeof(int));
    step<<<1, 4>>>(scene.items, order, 20);
    cudaDeviceSynchronize();
    return scene.items[3].x == 9.0f ? 0 : 1;
}
