//@ layouts = ["P = soa"]
struct P {
    float x, y;
    int id;
};
struct Arrays {
    P *first;
    P *second;
    int n;
};
__global__ void step(Arrays a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.n)
        a.second[i].x += a.second[i].y;
}
int main()
{
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    Arrays a = {.second = d, .n = 64}; //~ LC0077 this construct is not modelled //~ LC0077 this construct is not modelled and mentions `d`
    step<<<1, 64>>>(a);
    cudaFree(d);
    return 0;
}
