//@ layout = "P = soa"
// The launch asks for 16 bytes, and the object with several pointers takes more.
struct P { float x; int id; };
struct S { P *d; int n; };
__global__ void step(const S *s) {
    extern __shared__ char raw[];
    S *t = (S *)raw; //~ LC0078 memory of another type holds the object that holds the array, whose size would change
    if (threadIdx.x == 0) memcpy(t, s, sizeof(S));
    __syncthreads();
    int i = threadIdx.x;
    if (i < t->n) t->d[i].x += 1.0f;
}
int main() {
    S s, *d;
    s.n = 100;
    cudaMalloc(&s.d, 100 * sizeof(P));
    cudaMalloc(&d, sizeof(S)); //~ LC0053 there is memory for one element, which no layout reads faster
    cudaMemcpy(d, &s, sizeof(S), cudaMemcpyHostToDevice);
    step<<<1, 128, 16>>>(d);
}
