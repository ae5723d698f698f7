//@ layout = "P = soa"
// What has no body in the program may reach around what it is given.
struct P {
    float x;
    float y;
};
__device__ void through_pointer(float *x);
__device__ void through_reference(float &x);
__device__ void by_value(float x);
__global__ void k(P *p, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        by_value(p[i].x);
        through_pointer(&p[i].x); //~ LC0017 `through_pointer` has no body in the program and may use more than the member
        through_reference(p[i].y); //~ LC0017 `through_reference` has no body in the program and may use more than the member
    }
}
int main()
{
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    k<<<1, 100>>>(d, 100);
    cudaFree(d);
    return 0;
}
