//@ layout = "* = soa"
// A static member function of a nested class, whose result nobody else asks for.
struct Cell { int state; float heat; };
struct Grid {
    struct Storage {
        static Cell *get(int half);
        static inline Cell *front = nullptr;
    };
};
Cell *Grid::Storage::get(int half) { return front; }
__global__ void step(Cell *cells, int n) { int i = threadIdx.x; if (i < n) cells[i].heat += cells[i].state; }
int main()
{
    Cell host[64] = {};
    cudaMalloc(&Grid::Storage::front, 64 * sizeof(Cell));
    cudaMemcpy(Grid::Storage::front, host, sizeof(host), cudaMemcpyHostToDevice);
    step<<<1, 64>>>(Grid::Storage::front, 64);
    cudaMemcpy(host, Grid::Storage::get(0), sizeof(host), cudaMemcpyDeviceToHost); //~ LC0077 this construct is not modelled and mentions `get`
    cudaFree(Grid::Storage::front);
    return host[0].state;
}
