//@ layout = "P = soa"
struct P {
    float x;
    int id;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i].x += 1.0f;
}
struct D { //~ LC0053 no layout was asked for this array
    P *p;
    int n;
};
__global__ void other(D *e) {
    e->p[0].x = 1;
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    D e{d, n};
    D *de;
    cudaMalloc(&de, sizeof(D)); //~ LC0010 the object holds the array, and it is passed to a function that cannot be seen
    cudaMemcpy(de, &e, sizeof(D), cudaMemcpyHostToDevice); //~ LC0010 the object holds the array, and it is passed to a function that cannot be seen
    other<<<1, 1>>>(de);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
