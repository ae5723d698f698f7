//@ layouts = ["P = tiled(32)", "P = soa", "P = {x y z w} align(16)"]
struct P {
    float x;
    float y;
    float z;
    float w;
};
__global__ void step(P *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 a = *(float4 *)&p[i];
        float4 b = reinterpret_cast<const float4 *>(p)[i + 1 < n ? i + 1 : 0];
        float4 c = __ldg((const float4 *)&p[0]);
        float4 d = __ldg((const float4 *)p + i);
        a.x += b.y + c.z + d.w + ((float4 *)p)[i].w;
        *(float4 *)&p[i] = a;
        ((float4 *)p)[i] = make_float4(a.x, b.x, c.x, d.x);
    }
}
int main() {
    int n = 100;
    P *h = new P[n]();
    P *d;
    cudaMalloc(&d, n * sizeof(P));
    cudaMemcpy(d, h, n * sizeof(P), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(d, n);
    cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost);
    cudaFree(d);
    delete[] h;
    return 0;
}
