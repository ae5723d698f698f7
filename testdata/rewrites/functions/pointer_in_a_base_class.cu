//@ layouts = ["P = soa", "P = tiled(32)"]
#include <vector>
#include <cstdio>
struct P { float x, y; int id;
};
__global__ void step(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += p[i].y; }
class Sim  {
protected:
    P *d = nullptr; P *old; int n;
public:
    explicit Sim(int n) : old(nullptr), n(n) { cudaMalloc(&d, n * sizeof(P)); cudaMemset(d, 0, n * sizeof(P)); }
    virtual ~Sim() { cudaFree(d); cudaFree(old); }
    virtual void run(P *h) = 0; virtual P *data() { return d; }
    int size() const { return n; }
    void get(P *h) { cudaMemcpy(h, d, n * sizeof(P), cudaMemcpyDeviceToHost); }
};
class A : public Sim  {
public:
    explicit A(int n) : Sim(n) { cudaMalloc(&old, n * sizeof(P)); }
    void run(P *h) override { cudaMemcpy(this->d, h, n * sizeof(P), cudaMemcpyHostToDevice); step<<<1, 128>>>(d, n); }
    void save() { cudaMemcpy(old, Sim::d, n * sizeof(P), cudaMemcpyDeviceToDevice); }
};
class B : public A {
    int k = 3;
public:
    B(int n) : A(n) {}
    void twice(P *h) { run(h); step<<<1, 128>>>(d, n); k++; }
};
int main() { std::vector<P> h(100); for (int i = 0; i < 100; i++) h[i] = {float(i), 1.f, i}; A a(100); a.run(h.data()); a.save(); a.get(h.data()); printf("%f\n", h[5].x); B b(100); b.twice(h.data()); b.get(h.data()); printf("%f %d\n", h[5].x, b.size()); Sim *s = &b; s->run(h.data()); s->get(h.data()); printf("%f\n", h[5].x); }
