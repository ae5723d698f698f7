//@ layout = "* = soa"
// What may be a static member, and is not known to be one, keeps it.
struct Called { float x, y; };
struct Dependent { float x, y; };
struct Undefined { float x, y; };
struct Pasted { float x, y; };
struct Private { float x, y; };
struct A { static Called *called; A &self() { return *this; } };
Called *A::called = nullptr;
struct B { static Dependent *dependent; };
Dependent *B::dependent = nullptr;
struct C { static Undefined *undefined; }; //~ LC0031 this variable is defined outside the program
struct D { static Pasted *pasted; };
Pasted *D::pasted = nullptr;
struct E { static Private *hidden; };
Private *E::hidden = nullptr;
struct F : private E { Private *get() { return this->hidden; } }; //~ LC0077 this construct is not modelled and mentions `hidden`
#define MEMBER(object, name) (object).past##name
template <class T> void *of() { return T::dependent; } //~ LC0020 the pointer is returned as another type //~ LC0077 this construct is not modelled and mentions `dependent`
__global__ void step_called(Called *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_dependent(Dependent *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_undefined(Undefined *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_pasted(Pasted *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
__global__ void step_private(Private *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main()
{
    A a;
    D d;
    F f;
    Pasted host[64];
    cudaMalloc(&A::called, 64 * sizeof(Called));
    cudaMalloc(&B::dependent, 64 * sizeof(Dependent));
    cudaMalloc(&C::undefined, 64 * sizeof(Undefined));
    cudaMalloc(&D::pasted, 64 * sizeof(Pasted));
    cudaMalloc(&E::hidden, 64 * sizeof(Private));
    step_called<<<1, 64>>>(a.self().called, 64); //~ LC0031 it cannot be seen what this points to //~ LC0077 this construct is not modelled and mentions `called`
    step_dependent<<<1, 64>>>(B::dependent, 64);
    cudaMemset(of<B>(), 0, 64 * sizeof(Dependent));
    step_undefined<<<1, 64>>>(C::undefined, 64);
    step_pasted<<<1, 64>>>(D::pasted, 64);
    cudaMemcpy(host, MEMBER(d, ed), sizeof(host), cudaMemcpyDeviceToHost); //~ LC0024 the macro `MEMBER` mentions `pasted`
    step_private<<<1, 64>>>(E::hidden, 64);
    cudaMemset(f.get(), 0, 64 * sizeof(Private));
}
