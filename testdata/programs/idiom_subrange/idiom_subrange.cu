// Work in pieces: sub-ranges copied to and from the middle of the device array, and kernels launched on
// `d_items + offset`. No piece starts at a round number.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

struct Item {
    int key;
    float mass;
    float volume;
};

const int PIECE = 77;

__global__ void weigh(Item *items, int count, float density)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        items[i].mass = items[i].volume * density;
        items[i].key += i;
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    std::vector<Item> items(n), result(n);
    for (int i = 0; i < n; i++) {
        items[i].key = 3 * i;
        items[i].mass = 0.0f;
        items[i].volume = 0.5f * (i % 21);
    }

    Item *d_items;
    CHECK(cudaMalloc((void **)&d_items, n * sizeof(Item)));
    for (int offset = 0; offset < n; offset += PIECE) {
        int count = n - offset < PIECE ? n - offset : PIECE;
        CHECK(cudaMemcpy(d_items + offset, items.data() + offset, count * sizeof(Item), cudaMemcpyHostToDevice));
        weigh<<<(count + 31) / 32, 32>>>(d_items + offset, count, 1.0f + offset / PIECE);
        CHECK(cudaGetLastError());
    }
    for (int offset = 0; offset < n; offset += 2 * PIECE) {
        int count = n - offset < 2 * PIECE ? n - offset : 2 * PIECE;
        CHECK(cudaMemcpy(&result[offset], &d_items[offset], count * sizeof(Item), cudaMemcpyDeviceToHost));
    }
    CHECK(cudaFree(d_items));

    int wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        const Item &r = result[i];
        if (r.key != 3 * i + i % PIECE || r.volume != items[i].volume || r.mass != items[i].volume * (1.0f + i / PIECE))
            wrong++;
        sum += (i % 5 + 1) * (r.key + 2.0 * r.mass + 3.0 * r.volume);
    }
    printf("%d items, %.3f\n%s\n", n, sum, wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
