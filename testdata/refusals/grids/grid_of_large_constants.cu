//@ layout = "u = [y/4, x, y%4]"
__global__ void step(float *u) { //~ LC0069 no index of this array is shown to have more than one coordinate
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 512 && y < 300)
        u[y * 512 + x] += 1.0f;
}
int main() {
    float *u;
    cudaMalloc(&u, 512 * 300 * sizeof(float));
    step<<<dim3(16, 300), dim3(32, 1)>>>(u);
    return 0;
}
