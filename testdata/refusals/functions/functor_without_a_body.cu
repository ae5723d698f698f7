// What the operator does with the array is not seen.
struct P { float x; int id; };
struct Step {
    P *p;
    __device__ void operator()(int i) const; //~ LC0010 a member function that holds the array has no body in the program
};
__global__ void each(Step f) {
    f(threadIdx.x);
}
int main() {
    P *d;
    cudaMalloc(&d, 100 * sizeof(P));
    each<<<1, 32>>>(Step{d});
}
