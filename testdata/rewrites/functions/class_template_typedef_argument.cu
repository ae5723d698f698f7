//@ layout = "* = soa"
#include <cuda_runtime.h>
template <class T>
struct Span2 {
    T low, high;
};
template <class T, int N, int THREADS>
class Stack {
    T *buf;
    int at;

public:
    __device__ Stack(T *buf, int thread) : buf(buf), at(thread) {}
    __device__ void push(T const &v) {
        buf[at] = v;
        at += THREADS;
    }
    __device__ T pop() {
        at -= THREADS;
        return buf[at];
    }
};
template <class T, int N, int THREADS>
__device__ void work(Stack<Span2<T>, N, THREADS> &stack, Span2<T> s) {
    s.low += s.high;
    stack.push(s);
}
template <class T>
__global__ void run(Span2<T> *buffer, Span2<T> first) {
    typedef Span2<T> I;
    Stack<I, 8, 64> stack(buffer, threadIdx.x);
    for (int k = 0; k < 8; k++) work(stack, first);
    stack.push(stack.pop());
}
int main() {
    Span2<double> *d;
    cudaMalloc((void **)&d, 8 * 64 * sizeof(Span2<double>));
    Span2<double> first = {1, 2};
    run<double><<<1, 64>>>(d, first);
    cudaFree(d);
    return 0;
}
