//@ layouts = ["P = tiled(32)", "P = soa"]
// `Drawer` is defined in one file's headers and only declared in the other's: one class, which `mesh.h` means in both.
#include "drawer.h"
#include "mesh.h"
#include <cstdio>
void Drawer::draw(Mesh &mesh) { mesh.move(); }
int main()
{
    Mesh mesh;
    mesh.load(100);
    Drawer drawer;
    drawer.draw(mesh);
    mesh.draw(&drawer);
    printf("%g\n", mesh.first());
}
//- mesh.h
#pragma once
struct P { float x, y; int z; };
class Mesh {
public:
    void load(int n);
    void move();
    void draw(Drawer *drawer) { if (drawer) move(); }
    float first();
private:
    P *points = nullptr;
    int count = 0;
};
//- drawer.h
#pragma once
class Mesh;
class Drawer { public: void draw(Mesh &mesh); };
//- pass.h
#pragma once
class Drawer;
struct Pass { Drawer *drawer; };
//- mesh.cu
#include "pass.h"
#include "mesh.h"
#include <vector>
__global__ void step(P *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].x += p[i].y; }
void Mesh::load(int n)
{
    count = n;
    std::vector<P> host(n, P{1, 2, 3});
    cudaMalloc(&points, n * sizeof(P));
    cudaMemcpy(points, host.data(), n * sizeof(P), cudaMemcpyHostToDevice);
}
void Mesh::move() { step<<<(count + 63) / 64, 64>>>(points, count); }
float Mesh::first()
{
    P p;
    cudaMemcpy(&p, points, sizeof(P), cudaMemcpyDeviceToHost);
    return p.x;
}
