//@ layouts = ["V = soa", "V = tiled(32)"]
// The qualifiers of these functions come from macros; each version carries them.
#ifdef __CUDACC__
#define HD __host__ __device__
#else
#define HD
#endif
#define FORCED HD __forceinline__
#define RESULT(type) __device__ type
#define UNCHANGED const noexcept
#define CHECKED [[nodiscard]] __device__
struct V {
    float x, y, z;
    int id;
    HD void add(float s) { x += s; }
    HD /* in two lines */
    void scale(float s)
    {
        x *= s;
    }
    FORCED void turn();
    HD float drain() & noexcept { x -= 1; return x; }
    RESULT(float) half() { x /= 2; return x; }
    CHECKED float taken() { y -= 1; return y; }
    HD void clear();
#undef FORCED
};
void V::clear() { z = 0; }
HD inline void V::turn() { y = -y; }
RESULT(float) length(const V *v) { return v->x + v->z; }
template <typename T, int N = 2> HD float times(const T *v);
template <typename T, int N> HD float times(const T *v) { return v->y * N; }
__global__ void step(V *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        V one = {1, 2, 3, 4};
        p[i].add(1);
        p[i].scale(2);
        p[i].turn();
        p[i].clear();
        p[i].z = p[i].drain() + p[i].half() + p[i].taken();
        p[i].y = length(&one) + length(p + i) + times(&one) + times(p + i);
    }
}
int main()
{
    const int n = 100;
    V *h = new V[n];
    V *d;
    cudaMalloc(&d, n * sizeof(V));
    cudaMemcpy(d, h, n * sizeof(V), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(V), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
}
