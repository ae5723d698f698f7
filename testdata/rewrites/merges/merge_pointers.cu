//@ layout = "x + count + w = aos"
// Pointers that are moved, stored in objects, returned, taken by reference and compared.
#define N 256
struct Range {
    const double *first, *last;
};
__device__ const double *behind(const double *p, int n) { return p + n; }
__device__ double total(Range r)
{
    double sum = 0;
    for (const double *p = r.first; p < r.last; ++p)
        sum += *p;
    return sum;
}
__device__ void bump(int *count, int by) { atomicAdd(count, by); }
__device__ void add(int &to, int by) { to += by; }
__global__ void k(double *x, int *count, float const *w, const int *at)
{
    int i = at[threadIdx.x];
    double *own = &x[i], *next = own + (i + 1 < N ? 1 : 0);
    *own += next[0] * w[i];
    Range r = {x, behind(x, i)};
    x[i] += total(r) * (r.first == x ? 1 : 2);
    bump(&count[i], (int)sizeof(count[0]));
    add(count[i], 1);
    count[i]++;
    int *walk = count + i;
    *walk-- *= 2;
    *++walk -= 1;
}
static double *make(double **at) { return *at; }
int main()
{
    double *x;
    int *count; float *w, *unrelated; int *at;
    cudaMalloc(&x, N * sizeof *x);
    cudaMalloc((void **)&count, N * sizeof(int)); cudaMalloc((void **)&w, sizeof(float) * N);
    cudaMalloc(&unrelated, N * sizeof(float));
    cudaMalloc(&at, N * sizeof(int));
    cudaMemset(count, 0xff, N * sizeof(int));
    cudaMemset(x + 3, 0, (N - 3) * sizeof(double));
    cudaMemcpy(unrelated, w, N * sizeof(float), cudaMemcpyDeviceToDevice);
    cudaMemcpy(&w[1], unrelated + 1, (N - 1) * sizeof(float), cudaMemcpyDeviceToDevice);
    k<<<1, N>>>(make(&x), count, w, at);
    float host[N];
    cudaMemcpy((void *)host, (void *)(w + 2), 10 * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(w);
    cudaFree(x);
    cudaFree(count); // the last
    cudaFree(unrelated);
    return 0;
}
