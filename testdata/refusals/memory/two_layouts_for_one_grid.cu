//@ layouts = ["u = [y/4, x, y%4]", "w = [y/8, x, y%8]"]
__global__ void step(float *to, const float *from, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny)
        to[y * nx + x] = from[y * nx + x];
}
int main(int count, char **arguments) {
    const int nx = atoi(arguments[1]), ny = atoi(arguments[2]);
    float *u, *w;
    cudaMalloc(&u, nx * ny * sizeof(float));
    cudaMalloc(&w, nx * ny * sizeof(float));
    for (int t = 0; t < 10; ++t) {
        step<<<dim3(nx / 32, ny), 32>>>(u, w, nx, ny);
        float *s = u;
        u = w; //~ LC0021 `u = [y/4, x, y%4]` and `w = [y/8, x, y%8]` ask for different layouts of arrays that one pointer may point to
        w = s;
    }
    return 0;
}
