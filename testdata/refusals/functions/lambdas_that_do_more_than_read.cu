// A copy of the element would not do: the lambda stores to what may be a member, waits for other threads, or gives a reference.
struct P { float x, y; };
__device__ float *kept;
__global__ void through_a_reference(P *p, float *out) {
    float &x = p[threadIdx.x].x;
    auto f = [&](const P &q) { x += 1.0f; return q.x; };
    out[threadIdx.x] = f(p[threadIdx.x]); //~ LC0010 the lambda that takes this element may do more than read it
}
struct Q { float x, y; };
__global__ void with_a_barrier(Q *p, float *out) {
    auto f = [](const Q &q) { __syncthreads(); return q.x; };
    out[threadIdx.x] = f(p[threadIdx.x]); //~ LC0010 the lambda that takes this element may do more than read it
}
struct R { float x, y; };
__global__ void with_a_result(R *p, float *out) {
    auto f = [](const R &q) -> const float & { return q.x; };
    const float &x = f(p[threadIdx.x]); //~ LC0010 the lambda that takes this element may do more than read it
    p[threadIdx.x].x += 1.0f;
    out[threadIdx.x] = x;
}
struct S { float x, y; };
__global__ void with_an_address(S *p, float *out) {
    auto f = [](const S &q) { kept = (float *)&q.x; return q.x; };
    out[threadIdx.x] = f(p[threadIdx.x]); //~ LC0010 the lambda that takes this element may do more than read it
}
int main() {
    P *p;
    Q *q;
    R *r;
    S *s;
    float *out;
    cudaMalloc(&p, 32 * sizeof(P));
    cudaMalloc(&q, 32 * sizeof(Q));
    cudaMalloc(&r, 32 * sizeof(R));
    cudaMalloc(&s, 32 * sizeof(S));
    cudaMalloc(&out, 32 * sizeof(float));
    through_a_reference<<<1, 32>>>(p, out);
    with_a_barrier<<<1, 32>>>(q, out);
    with_a_result<<<1, 32>>>(r, out);
    with_an_address<<<1, 32>>>(s, out);
}
