//@ layouts = ["A = soa", "B = soa", "C = soa"]
// What stands in front of a destructor or copy constructor does not hide it.
#define HD __host__ __device__
struct A {
    float x;
    int id;
    inline ~A(); //~ LC0027 the element type has a destructor
};
A::~A() {}
struct B {
    float x;
    int id;
    HD /* the end */ ~B() noexcept {} //~ LC0027 the element type has a destructor
};
struct C {
    float x;
    int id;
    HD C() {}
    HD explicit C(const C &o) : x(o.x), id(o.id + 1) {} //~ LC0027 the element type has a user-declared copy or move operation
};
__global__ void step(A *a, B *b, C *c, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        a[i].x += 1;
        b[i].x += 1;
        c[i].x += 1;
    }
}
int main()
{
    int n = 32;
    A *a;
    B *b;
    C *c;
    cudaMalloc(&a, n * sizeof(A));
    cudaMalloc(&b, n * sizeof(B));
    cudaMalloc(&c, n * sizeof(C));
    step<<<1, 32>>>(a, b, c, n);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
