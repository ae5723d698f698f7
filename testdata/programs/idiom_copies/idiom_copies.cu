// Every way to copy: inside device memory between places in two arrays, in rows, between devices, with the direction
// in a variable or left to the runtime, from and to pinned memory on a stream, and fills that start inside the array.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

struct Cell {
    double density;
    float flux[3];
    unsigned char flags;
    short state;
};

const int ROW = 7;

__global__ void advance(Cell *cells, int n, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cells[i].density += 0.5 * step;
        cells[i].flux[step % 3] += cells[i].density;
        cells[i].flags ^= 1;
        cells[i].state += i % 3;
    }
}

static double checksum(const Cell *cells, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const Cell &c = cells[i];
        sum += (i % 5 + 1) * (c.density + c.flux[0] + 2 * c.flux[1] + 3 * c.flux[2] + c.flags + 0.25 * c.state);
    }
    return sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 300;
    const int rows = n / ROW, blocks = (n + 31) / 32;
    Cell *cells = (Cell *)malloc((n + 1) * sizeof(Cell));
    for (int i = 0; i < n; i++) {
        cells[i].density = 0.25 * i;
        cells[i].flux[0] = i % 4;
        cells[i].flux[1] = i % 6;
        cells[i].flux[2] = -i;
        cells[i].flags = i % 200;
        cells[i].state = 7 - i % 14;
    }
    Cell *pinned;
    CHECK(cudaMallocHost((void **)&pinned, (n + 1) * sizeof(Cell)));
    std::vector<Cell> out(n + 1);
    Cell first[2];

    Cell *d_a, *d_b;
    CHECK(cudaMalloc(&d_a, (n + 1) * sizeof(Cell)));
    CHECK(cudaMalloc(&d_b, (n + 1) * sizeof(Cell)));
    CHECK(cudaMemset(d_a, 0, (n + 1) * sizeof(Cell)));
    CHECK(cudaMemset(d_b, 0, (n + 1) * sizeof(Cell)));

    // The direction is in a variable; the host's side says it as well.
    cudaMemcpyKind kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy(d_a, cells, n * sizeof(Cell), kind));
    if (n > 0)
        advance<<<blocks, 32>>>(d_a, n, 1);
    CHECK(cudaMemcpy(out.data(), d_a, n * sizeof(Cell), cudaMemcpyDefault));
    printf("default %.3f\n", checksum(out.data(), n));

    // Between places in two arrays.
    const int half = n / 2, from = n / 3;
    CHECK(cudaMemcpy(d_b + 1, d_a + from, half * sizeof(Cell), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(d_b, d_a + n - n % 2, (n % 2) * sizeof(Cell), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyPeer(&d_b[half + 1], 0, d_a, 0, (n - half) * sizeof(Cell)));
    if (n > 0)
        advance<<<blocks, 32>>>(d_b, n, 2);

    // Fills inside the array.
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    if (n > 10) {
        CHECK(cudaMemset(d_b + 3, 0x21, (n / 3) * sizeof(Cell)));
        CHECK(cudaMemsetAsync(&d_b[n - 5], 1, 2 * sizeof(Cell), stream));
    }

    // Pinned memory on a stream, in order.
    CHECK(cudaMemcpyAsync(pinned, d_b, n * sizeof(Cell), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("within %.3f\n", checksum(pinned, n));
    for (int i = 0; i < n; i++)
        pinned[i].state += 2;
    CHECK(cudaMemcpyAsync(d_a, pinned, n * sizeof(Cell), cudaMemcpyDefault, stream));
    if (n > 0)
        advance<<<blocks, 32, 0, stream>>>(d_a, n, 3);
    CHECK(cudaStreamSynchronize(stream));

    // Rows: the host's lie one record further apart than the device's.
    std::vector<Cell> padded(rows * (ROW + 1) + 1);
    CHECK(cudaMemcpy2D(padded.data(), (ROW + 1) * sizeof(Cell), d_a, ROW * sizeof(Cell), ROW * sizeof(Cell), rows,
                       cudaMemcpyDeviceToHost));
    double sum = 0.0;
    for (int row = 0; row < rows; row++)
        sum += (row + 1) * checksum(&padded[row * (ROW + 1)], ROW);
    printf("rows %.3f\n", sum);
    if (rows > 1)
        CHECK(cudaMemcpy2DAsync(d_a + 2, ROW * sizeof(Cell), &padded[0], (ROW + 1) * sizeof(Cell), 3 * sizeof(Cell), rows - 1,
                                cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    if (n > 1)
        CHECK(cudaMemcpy(first, d_a + 1, 1 * sizeof(Cell), cudaMemcpyDefault));
    kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy(cells, d_a, n * sizeof(Cell), kind));
    printf("variable %.3f %.3f\n", checksum(cells, n), n > 1 ? checksum(first, 1) : 0.0);

    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaStreamDestroy(stream));
    free(cells);
    return 0;
}
