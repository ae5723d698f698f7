//@ layout = "* = soa"
// What the constructor does with the pointer is not in the program.
struct P { float x, y; };
class View {
public:
    View(P *p, int n); //~ LC0010 a member function that holds the array has no body
    P *points;
    int count;
};
__global__ void step(P *p, int n) { int i = threadIdx.x; if (i < n) p[i].x += p[i].y; }
int main()
{
    P *d;
    cudaMalloc(&d, 64 * sizeof(P));
    View view(d, 64); //~ LC0010 `View` is not defined in the program
    step<<<1, 64>>>(view.points, view.count);
    cudaFree(d);
}
