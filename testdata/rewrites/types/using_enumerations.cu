//@ layouts = ["P = soa", "P = tiled(32)"]
#include <cstdio>
struct Material {
    enum class Type { Unknown, Metal = 4, Glass };
};
enum class Kind : unsigned char { Unknown, First, Second };
int Glass = 7;
struct P {
    float x, y;
    Material::Type type;
    Kind kind;
};
struct Rule {
    using enum Kind;
    static __host__ __device__ bool is_second(Kind kind) { return kind == Second; }
};
__global__ void step(P *p, int n)
{
    using enum Material::Type;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    switch (p[i].type) {
    case Unknown:
        p[i].x += 1.0f;
        break;
    case Metal:
        p[i].x += 2.0f;
        break;
    default:
        p[i].x += p[i].type == Glass ? 3.0f : 0.0f;
    }
    if (Rule::is_second(p[i].kind))
        p[i].y = 1.0f;
}
int main()
{
    const int n = 100;
    P h[n];
    for (int i = 0; i < n; i++)
        h[i] = P{1.0f * i, 2.0f, i % 3 ? Material::Type::Unknown : Material::Type::Glass, Kind::Second};
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i += 9)
        printf("%g %g\n", h[i].x, h[i].y);
    cudaFree(d);
    return 0;
}
