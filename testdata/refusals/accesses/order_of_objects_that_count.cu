//@ layout = "P = soa"
// What a constructor or destructor does, no expression names: the index is read behind it, and not in front of it.
struct P {
    float a, b, c, d;
};
__device__ int counter;
struct Guard {
    __device__ Guard() { ++counter; }
};
__device__ P make(float x) {
    Guard guard;
    P q = {x, x, x, x};
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
