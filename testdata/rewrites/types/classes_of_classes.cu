//@ layouts = ["P = tiled(32)", "P = soa"]
// `Scene::View` and `Texture::View` are two classes, and only one holds the array.
#include <cstdio>
struct P { float x, y; };
class Texture { public: struct View { float *d; int n; }; View view; };
class Scene {
public:
    struct View { P *d; int n; };
    enum class Kind { empty, full };
    View *host = nullptr, *device = nullptr;
    Kind kind = Kind::empty;
    void make(int n);
    ~Scene();
};
__global__ void fill(Scene::View *s) { int i = threadIdx.x; if (i < s->n) { s->d[i].x = i; s->d[i].y = 2; } }
__global__ void step(const Scene::View *s, Texture::View t) { int i = threadIdx.x; if (i < s->n && i < t.n) t.d[i] = s->d[i].x + s->d[i].y; }
void Scene::make(int n) {
    host = new View();
    host->n = n;
    cudaMalloc(&host->d, n * sizeof(P));
    cudaMalloc(&device, sizeof(Scene::View));
    cudaMemcpy(device, host, sizeof(Scene::View), cudaMemcpyHostToDevice);
    kind = Scene::Kind::full;
}
Scene::~Scene() {
    cudaFree(host->d);
    cudaFree(device);
    delete host;
}
int main() {
    Scene scene;
    scene.make(50);
    Texture texture;
    texture.view.n = 50;
    cudaMalloc(&texture.view.d, 50 * sizeof(float));
    fill<<<1, 64>>>(scene.device);
    step<<<1, 64>>>(scene.device, texture.view);
    float h[50], sum = 0;
    cudaMemcpy(h, texture.view.d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 50; i++) sum += h[i];
    printf("%g %d\n", sum, scene.kind == Scene::Kind::full);
    cudaFree(texture.view.d);
    return 0;
}
