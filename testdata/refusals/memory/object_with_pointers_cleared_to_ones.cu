// The bytes of the pointers would be others.
struct P { float x; int id; };
struct Scene { P *ps; int n; };
__global__ void step(Scene *s) {
    int i = threadIdx.x;
    if (i < s->n) s->ps[i].x += 1.0f;
}
int main() {
    Scene s, *d;
    memset(&s, 0xff, sizeof(s)); //~ LC0010 the object holds the array, and it is passed to an unknown function, or copied with a byte count that is not its `sizeof`
    s.n = 10;
    cudaMalloc(&s.ps, 10 * sizeof(P));
    cudaMalloc(&d, sizeof(Scene)); //~ LC0053 there is memory for one element, which no layout reads faster
    cudaMemcpy(d, &s, sizeof(Scene), cudaMemcpyHostToDevice);
    step<<<1, 32>>>(d);
}
