// A conversion is called where nobody names it: one that calls something is not followed.
struct P { float x, y; };
__host__ bool note(P *p);
struct Owner {
    P *p;
    explicit operator bool() const { return note(p); } //~ LC0077 this construct is not modelled and mentions `p`
};
__global__ void step(P *p) {
    p[threadIdx.x].x += p[threadIdx.x].y;
}
int main() {
    Owner own;
    cudaMalloc(&own.p, 32 * sizeof(P));
    if (own)
        step<<<1, 32>>>(own.p);
}
