//@ layout = "P = soa"
// An object is converted without an expression that says so, and its conversion changes the index.
struct P {
    float a, b, c, d;
};
__device__ int counter;
struct Value {
    float v;
    __device__ operator float() const { ++counter; return v; }
};
__device__ float plain(float f) { return f; }
__device__ P make(float x) {
    Value value = {x};
    P q = {plain(value), x, x, x};
    return q;
}
__global__ void step(P *p) {
    p[counter] = make(1.0f); //~ LC0081 depend on each other's order of evaluation
}
int main() {
    P h[8] = {}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
}
