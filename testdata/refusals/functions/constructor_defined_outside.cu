//@ layout = "* = soa"
// The prototype of a constructor is not modelled.
struct P { float x, y; };
class View {
public:
    View(P *p, int n);
    P *points;
    int count;
};
View::View(P *p, int n) : points(p), count(n) {} //~ LC0078 the declaration of this function in its class is not modelled
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main()
{
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    View view(d, 64);
    step<<<1, 64>>>(view.points, view.count);
    cudaFree(d);
}
