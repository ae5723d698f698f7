//@ layouts = ["P = tiled(32)", "P = soa"]
#define HD __host__ __device__
#define INLINE_ON_BOTH_SIDES inline __host__ __device__
struct V {
    float x, y;
    HD V(float a = 0, float b = 0) : x(a), y(b) {}
    __host__ __device__ friend V operator*(float l, const V &r) { return {l * r.x, l * r.y}; }
    HD inline friend V operator+(const V &l, const V &r) { return {l.x + r.x, l.y + r.y}; }
    INLINE_ON_BOTH_SIDES friend V operator-(const V &l, const V &r)
    {
        return {l.x - r.x, l.y - r.y};
    }
    inline friend float sum(const V &r) { return r.x + r.y; }
    constexpr friend int two(const V &) { return 2; }
    __device__ friend bool is_positive(const V &v);
};
__device__ bool is_positive(const V &v) { return v.x > 0; }

struct P {
    V a, b;
    float m;
};

__global__ void step(P *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && is_positive(p[i].b))
        p[i].a = p[i].a + p[i].m * p[i].b - V(1, 1);
}

int main()
{
    int n = 1000;
    P *h = new P[n];
    for (int i = 0; i < n; i++)
        h[i] = P{V(i, two(V())), V(i % 3, 1), sum(V(1, 2))};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<(n + 127) / 128, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    return h[3].a.x > 0;
}
