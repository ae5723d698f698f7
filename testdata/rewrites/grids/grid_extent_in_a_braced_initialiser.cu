//@ layout = "u = [y/4, x, y%4]"
struct Extents {
    int nx, ny;
};
__global__ void step(float *u, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny)
        u[y * nx + x] += 1.0f;
}
int main(int count, char **arguments) {
    int nx = atoi(arguments[1]), ny = atoi(arguments[2]);
    float *u;
    cudaMalloc(&u, nx * ny * sizeof(float));
    Extents extents = {nx, ny};
    printf("%d x %d\n", extents.nx, extents.ny);
    step<<<dim3(nx / 32, ny), 32>>>(u, nx, ny);
    return 0;
}
