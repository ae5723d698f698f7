//@ layout = "* = soa"
template <class T, int N = 2>
struct Row {
    T v[N];
    int id;
};
template <class T> using Row3 = Row<T, 3>;
template <class T, int N>
__device__ T sum(const Row<T, N> &r) {
    T s = 0;
    for (int k = 0; k < N; k++) s += r.v[k];
    return s;
}
template <class T, int N>
__global__ void add(Row<T, N> *p, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Row<T, N> *own = p + i;
        own->v[N - 1] += by + sum(p[i]);
        own->id += N;
    }
}
template <class T>
__global__ void clear(Row3<T> *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = Row3<T>();
}
template <class T>
void run(T start, int n) {
    Row<T> *d;
    cudaMalloc(&d, n * sizeof(Row<T>));
    cudaMemset(d, 0, n * sizeof(Row<T>));
    add<T><<<1, 128>>>(d, start, n);
    cudaFree(d);
}
int main() {
    const int n = 100;
    Row<float> *two;
    Row3<double> *three;
    cudaMalloc((void **)&two, n * sizeof(Row<float>));
    cudaMalloc((void **)&three, n * sizeof(Row<double, 3>));
    cudaMemset(two, 0, n * sizeof(Row<float, 2>));
    add<float, 2><<<1, 128>>>(two, 1.0f, n);
    add<<<1, 128>>>(three, 1.0, n);
    clear<double><<<1, 128>>>(three, n);
    run<float>(1.0f, n);
    run(2, n);
    cudaFree(two);
    cudaFree(three);
    return 0;
}
