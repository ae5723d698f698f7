//@ layout = "V = soa"
// Half of a condition would stand in the version.
struct V {
    float x, y;
    int id;
};
#ifdef __CUDACC__
__host__ __device__
#endif
float length(const V *v) { return v->x + v->y; } //~ LC0083 a directive stands in the head of a function that needs a version
__global__ void step(V *p, int n)
{
    int i = threadIdx.x;
    V one = {1, 2, 3};
    if (i < n)
        p[i].x = length(p + i) + length(&one);
}
int main()
{
    int n = 32;
    V *p;
    cudaMalloc(&p, n * sizeof(V));
    step<<<1, 32>>>(p, n);
    cudaFree(p);
}
