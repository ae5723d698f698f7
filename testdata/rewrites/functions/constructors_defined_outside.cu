//@ layouts = ["P = tiled(32)", "P = soa"]
// Constructors that are declared in their class and defined outside of it; members that are made from the pointer.
#include <cstdio>
struct P { float x, y; int k; };
namespace sim {
class View {
public:
    __host__ __device__ View(P *, int count);
    View(const float *weights, int count);
    View();
    P *points;
    int count;
    const float *weights;
};
class World {
public:
    explicit World(P *dev, int n = 64) noexcept;
    World(const World &) = delete;
    ~World();
    void step();

private:
    struct Reader {
        Reader(const P *p);
        const P *p;
    };
    int n_;
    View all_;
    Reader reader_;
    View half_;
};
}  // namespace sim
__host__ __device__ sim::View::View(P *p, int count) : points(p), count(count), weights(nullptr) {}
namespace sim {
View::View(const float *weights, int count) : points(nullptr), count(count), weights(weights) {}
View::View() = default;
inline World::Reader::Reader(const P *p) : p(p) {}
World::World(P *dev, int n) noexcept : n_(n), all_(dev, n), reader_(dev), half_{dev, n / 2} {}
World::~World() { cudaFree(all_.points); }
__global__ void move(View v, const P *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.count) {
        v.points[i].x += from[i].y;
        v.points[i].k++;
    }
}
__global__ void scale(P *p, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        View v(p, n);
        v.points[i].y *= 2.0f;
    }
}
void World::step()
{
    move<<<2, 32>>>(all_, reader_.p);
    scale<<<1, 64>>>(half_.points, half_.count);
    move<<<2, 32>>>(View(all_.points, n_), reader_.p);
}
}  // namespace sim
int main()
{
    P *d, h[64];
    for (int i = 0; i < 64; i++) h[i] = {float(i), i * 0.5f, i};
    cudaMalloc(&d, 64 * sizeof(P));
    cudaMemcpy(d, h, 64 * sizeof(P), cudaMemcpyHostToDevice);
    sim::World world(d);
    world.step();
    float w[2] = {1.0f, 2.0f};
    sim::View weights(w, 2), empty;
    empty.count = weights.count;
    cudaMemcpy(h, d, 64 * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i += 7) printf("%g %g %d\n", h[i].x, h[i].y, h[i].k);
    printf("%d %g\n", empty.count, weights.weights[1]);
}
