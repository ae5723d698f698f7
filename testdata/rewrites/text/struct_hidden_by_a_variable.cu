//@ layouts = ["node = tiled(32)", "node = soa"]
struct node {
    float x;
    int id;
};
__global__ void step(node *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        p[i].x += p[i].id;
    }
}
int main() {
    int n = 100;
    struct node *h = new struct node[n]();
    struct node *node;
    cudaMalloc(&node, n * sizeof(struct node));
    cudaMemcpy(node, h, n * sizeof(struct node), cudaMemcpyHostToDevice);
    step<<<1, 128>>>(node, n);
    cudaMemcpy(h, node, n * sizeof(*node), cudaMemcpyDeviceToHost);
    cudaFree(node);
    delete[] h;
    return 0;
}
