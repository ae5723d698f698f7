struct Q { //~ LC0053 it is not known how kernels access its elements
    int a, b, c, d;
};
__global__ void count(Q *q) {
    int *x = &q->a;
    atomicAdd(x, 1);
}
int main() {
    Q *q;
    cudaMalloc(&q, 1024 * sizeof(Q));
    count<<<4, 256>>>(q);
    return 0;
}
