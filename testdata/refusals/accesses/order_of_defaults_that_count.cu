//@ layout = "P = soa"
// What a parameter gets by default is evaluated at the call.
struct P {
    float a, b, c, d;
};
__device__ int counter;
__device__ int next() { return ++counter; }
__device__ P make(float x, int k = next()) {
    P q = {x, x, x, float(k)};
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
