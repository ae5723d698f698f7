// What is copied is seen as something else on the device.
struct P { float x; int id; };
struct Scene { P *ps; int n; };
struct Other { P *first; int count; };
__global__ void step(Other *s) {
    int i = threadIdx.x;
    if (i < s->count) s->first[i].x += 1.0f;
}
int main() {
    Scene s;
    Other *d;
    s.n = 10;
    cudaMalloc(&s.ps, 10 * sizeof(P));
    cudaMalloc(&d, sizeof(Other)); //~ LC0053 there is memory for one element, which no layout reads faster
    cudaMemcpy(d, &s, sizeof(Scene), cudaMemcpyHostToDevice); //~ LC0010 the object holds the array, and it is passed to an unknown function, or copied with a byte count that is not its `sizeof`
    step<<<1, 32>>>(d);
}
