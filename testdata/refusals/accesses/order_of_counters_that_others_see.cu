//@ layout = "P = soa"
struct P {
    float x, y;
};

int placed = 0;

P next() {
    P p;
    p.x = placed;
    p.y = 1.0f;
    return p;
}

P made(int x) {
    P p;
    p.x = x;
    p.y = 0.0f;
    return p;
}

P behind(const int *at) {
    P p;
    p.x = *at;
    p.y = 2.0f;
    return p;
}

__global__ void step(P *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i].x += p[i].y;
}

int main() {
    P *d;
    cudaMallocManaged(&d, 20 * sizeof(P));
    d[placed++] = next(); //~ LC0081 the value and the index depend on each other's order of evaluation
    int i = 3;
    auto take = [&]() { return ++i; };
    d[i] = made(take()); //~ LC0081 the value and the index depend on each other's order of evaluation
    int k = 8;
    const int *at = &k;
    d[k++] = behind(at); //~ LC0081 the value and the index depend on each other's order of evaluation
    step<<<1, 32>>>(d, 20);
    cudaDeviceSynchronize();
    return d[3].x > 0;
}
