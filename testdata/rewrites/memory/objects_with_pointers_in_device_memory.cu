//@ layouts = ["P = soa", "P = tiled(32)"]
#include <vector>
#include <cstring>
#include <cstdio>
#include <cstdlib>
struct P { float x, y; int id; };
struct Q { float a, b; };
struct Scene { P *ps; Q *qs; int n; float dt; };
struct World { Scene scene; int t; };
__global__ void step2(const Scene *s) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < s->n) { s->ps[i].x += s->ps[i].y * s->dt; s->qs[i].a += 1; } }
__global__ void step3(World *w) { int i = threadIdx.x; if (i < w->scene.n) w->scene.ps[i].id++; if (i == 0) w->t++; }
int main() {
  int n = 100; std::vector<P> h(n); std::vector<Q> q(n);
  for (int i = 0; i < n; i++) h[i] = {float(i), 1.f, i};
  Scene *s = (Scene *)malloc(sizeof(Scene)), *d;
  memset(s, 0, sizeof(Scene));
  s->n = n; s->dt = 1;
  cudaMalloc((void **)&s->ps, n * sizeof(P));
  cudaMalloc((void **)&s->qs, n * sizeof(Q));
  cudaMemcpy(s->ps, h.data(), n * sizeof(P), cudaMemcpyHostToDevice);
  cudaMemcpy(s->qs, q.data(), n * sizeof(Q), cudaMemcpyHostToDevice);
  cudaMalloc((void **)&d, sizeof(Scene));
  cudaMemcpy((void *)d, (void *)s, sizeof(Scene), cudaMemcpyHostToDevice);
  step2<<<1, 128>>>(d);
  World w, *dw; w.scene = *s; w.t = 0;
  cudaMalloc(&dw, sizeof *dw);
  cudaMemcpy(dw, &w, sizeof(w), cudaMemcpyHostToDevice);
  step3<<<1, 128>>>(dw);
  cudaMemcpy(&w, dw, sizeof(World), cudaMemcpyDeviceToHost);
  cudaMemcpy(h.data(), w.scene.ps, n * sizeof(P), cudaMemcpyDeviceToHost);
  cudaMemcpy(q.data(), s->qs, n * sizeof(Q), cudaMemcpyDeviceToHost);
  printf("%d %f %d %f\n", w.t, h[7].x, h[9].id, q[3].a);
  cudaFree(s->ps); cudaFree(s->qs); cudaFree(d); cudaFree(dw); free(s);
}
