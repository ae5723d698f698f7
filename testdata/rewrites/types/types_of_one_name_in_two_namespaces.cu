//@ layouts = ["P = tiled(32)", "P = soa"]
struct Material {
    float red;
    int kind;
};

namespace loader {
struct Material {
    int texture;
};
struct P {
    int vertex;
};
inline int textures(const Material &material) { return material.texture; }
}

struct P {
    float x;
    int material;
};

inline int loaded(int k) {
    using namespace loader;
    loader::Material own = {k};
    return textures(own);
}

__global__ void shade(P *p, const Material *materials, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += materials[p[i].material].red;
}

namespace app {
class Scene {
public:
    explicit Scene(int n);
    void run();

private:
    P *d;
    Material *materials;
    int n;
};
}

app::Scene::Scene(int n) : n(n) {
    cudaMalloc(&d, n * sizeof(::P));
    cudaMalloc(&materials, 2 * sizeof(::Material));
    cudaMemset(d, 0, n * sizeof(::P));
    cudaMemset(materials, 0, 2 * sizeof(::Material));
}

void app::Scene::run() { shade<<<1, 64>>>(d, materials, n); }

int main() {
    app::Scene scene(40);
    scene.run();
    return loaded(0);
}
