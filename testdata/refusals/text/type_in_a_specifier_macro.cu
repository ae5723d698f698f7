//@ layout = "V = soa"
// The type is a part of a macro that says something else, too: no text of its own.
#define CV const V
struct V {
    float x, y;
    int id;
};
__device__ float length(CV *v) { return v->x + v->y; } //~ LC0078 the type of this declaration is not written out
__global__ void step(V *p, int n)
{
    int i = threadIdx.x;
    if (i < n)
        p[i].x = length(p + i);
}
int main()
{
    int n = 32;
    V *p;
    cudaMalloc(&p, n * sizeof(V));
    step<<<1, 32>>>(p, n);
    cudaFree(p);
}
