// Accesses that a macro produces: an index macro, a macro for one field, a macro that is a whole statement.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

struct Tile {
    float height;
    float rain;
    int   owner;
};

#define INDEX(r, c)          ((r) * width + (c))
#define HEIGHT(map, r, c)    map[INDEX(r, c)].height
#define TID                  (blockIdx.x * blockDim.x + threadIdx.x)
#define CLAIM(map, i, who)   do { (map)[i].owner = (who); (map)[i].rain += 1.0f; } while (0)

#define OR_DIE(call)                            \
    if ((call) != cudaSuccess) {                \
        fprintf(stderr, "%s failed\n", #call);  \
        exit(1);                                \
    }

__global__ void level(Tile *map, int width, int height)
{
    int r = TID / width;
    int c = TID % width;
    if (r >= height) return;
    if (c % 2 == 0) {
        float right = c + 1 < width ? HEIGHT(map, r, c + 1) : 0.0f;
        HEIGHT(map, r, c) = 0.5f * (HEIGHT(map, r, c) + right);
    }
}

__global__ void settle(Tile *map, int count)
{
    int i = TID;
    if (i < count && map[i].height < 20.0f) CLAIM(map, i, i % 4);
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 37;
    int height = argc > 2 ? atoi(argv[2]) : 27;
    int count = width * height;
    if (count <= 0) { printf("no map\nPASSED\n"); return 0; }

    Tile *map = (Tile *)malloc(count * sizeof(Tile));
    Tile *ref = (Tile *)malloc(count * sizeof(Tile));
    for (int i = 0; i < count; i++) {
        map[i].height = (float)((i * 11) % 64);
        map[i].rain = 0.5f * (i % 5);
        map[i].owner = -1;
        ref[i] = map[i];
    }

    Tile *d_map;
    OR_DIE(cudaMalloc((void **)&d_map, count * sizeof(Tile)))
    OR_DIE(cudaMemcpy(d_map, map, count * sizeof(Tile), cudaMemcpyHostToDevice))
    level<<<(count + 127) / 128, 128>>>(d_map, width, height);
    settle<<<(count + 127) / 128, 128>>>(d_map, count);
    OR_DIE(cudaGetLastError())
    OR_DIE(cudaMemcpy(map, d_map, count * sizeof(Tile), cudaMemcpyDeviceToHost))
    OR_DIE(cudaFree(d_map))

    int wrong = 0;
    double sum = 0;
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c += 2)
            HEIGHT(ref, r, c) = 0.5f * (HEIGHT(ref, r, c) + (c + 1 < width ? HEIGHT(ref, r, c + 1) : 0.0f));
    for (int i = 0; i < count; i++) {
        if (ref[i].height < 20.0f) CLAIM(ref, i, i % 4);
        wrong += map[i].height != ref[i].height || map[i].rain != ref[i].rain || map[i].owner != ref[i].owner;
        sum += (i % 7 + 1) * (map[i].height + 2.0 * map[i].rain + 3.0 * map[i].owner);
    }
    printf("%d x %d tiles, %.5f\n%s\n", width, height, sum, wrong ? "FAILED" : "PASSED");
    free(map);
    free(ref);
    return wrong ? 1 : 0;
}
