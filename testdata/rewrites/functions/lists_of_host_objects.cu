//@ layouts = ["P = tiled(32)", "P = soa"]
#include <cstdio>
#include <vector>
#include <memory>
#include <string>
#include <cuda_runtime.h>
struct P { float x, y; int id; };
struct System;
struct Force { virtual ~Force() {} virtual void apply(System &s) = 0; virtual void more(System *s, int k) {} };
struct System { P *d; int n; std::vector<Force *> forces; std::vector<std::unique_ptr<Force>> owned; void run(); };
struct Names { std::vector<int> ids; std::string name; void note(const System &s) { ids.push_back(s.n); } };
__global__ void push(P *p, int n, float a) { int i = blockIdx.x*blockDim.x+threadIdx.x; if (i<n) p[i].x += a * p[i].y; }
struct Constant : Force { float a; Constant(float v) : a(v) {} void apply(System &s) override { push<<<(s.n+127)/128,128>>>(s.d, s.n, a); } void more(System *s, int k) override { push<<<(s->n+127)/128,128>>>(s->d, s->n, a * k); } };
void System::run() {
  std::vector<Names> names(2);
  for (auto f : forces) { f->apply(*this); }
  for (auto &f : owned) f->apply(*this);
  for (auto *f : forces) f->more(this, 2);
  for (size_t i = 0; i < forces.size(); ++i) { forces[i]->more(this, int(i)); names[0].note(*this); }
  for (auto &one : names) one.note(*this);
  names.back().note(*this);
  forces.front()->apply(*this);
}
int main() {
  System s; s.n = 1000; std::vector<P> h(s.n); for (int i=0;i<s.n;i++) h[i] = P{float(i),1.f,i};
  cudaMalloc(&s.d, s.n*sizeof(P));
  cudaMemcpy(s.d, h.data(), s.n*sizeof(P), cudaMemcpyHostToDevice);
  Constant c(0.5f), e(0.25f); s.forces.push_back(&c); s.forces.push_back(&e); s.owned.push_back(std::make_unique<Constant>(1.f));
  s.run();
  cudaMemcpy(h.data(), s.d, s.n*sizeof(P), cudaMemcpyDeviceToHost);
  printf("%f\n", h[3].x);
}
