// Records of many sizes and alignments, copied whole, in parts and on a stream: conversions move them as words.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t e = (call);                                                          \
        if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } \
    } while (0)

// 3 bytes, alignment 1
struct Rgb {
    unsigned char r, g, b;
};

// 6 bytes, alignment 2, one of padding
struct Step {
    short left, right;
    signed char turn;
};

// 32 bytes: an even number of words
struct Ring {
    float at[6];
    int turns, kind;
};

// 16 bytes, alignment 8
struct Wave {
    double phase;
    float height;
};

// 32 bytes, alignment 16
struct __align__(16) Quad {
    float x, y, z, w;
    int id;
};

// 404 bytes: a block has fewer threads
struct Sheet {
    float cells[100];
    short rows;
};

// 1604 bytes: too many for shared memory
struct Table {
    float cells[400];
    int id;
};

__global__ void turnRgb(int n, Rgb *rgbs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        rgbs[i].r += 1;
        rgbs[i].b ^= rgbs[i].g;
    }
}

static double sumOfRgb(const std::vector<Rgb> &all)
{
    double sum = 0.0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (i % 7 + 1) * (double)(all[i].r + 2 * all[i].g + 3 * all[i].b);
    return sum;
}

__global__ void turnStep(int n, Step *steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        steps[i].left += steps[i].turn;
        steps[i].turn = -steps[i].turn;
    }
}

static double sumOfStep(const std::vector<Step> &all)
{
    double sum = 0.0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (i % 7 + 1) * (double)(all[i].left + 2 * all[i].right + 3 * all[i].turn);
    return sum;
}

__global__ void turnRing(int n, Ring *rings)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        rings[i].at[rings[i].kind] += 1.0f;
        rings[i].turns -= rings[i].kind;
    }
}

static double sumOfRing(const std::vector<Ring> &all)
{
    double sum = 0.0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (i % 7 + 1) * (double)(all[i].at[0] + 2 * all[i].at[1] + 3 * all[i].at[2] + all[i].at[5] + all[i].turns + all[i].kind);
    return sum;
}

__global__ void turnWave(int n, Wave *waves)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        waves[i].phase += waves[i].height;
        waves[i].height *= 2.0f;
    }
}

static double sumOfWave(const std::vector<Wave> &all)
{
    double sum = 0.0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (i % 7 + 1) * (double)(all[i].phase + 3 * all[i].height);
    return sum;
}

__global__ void turnQuad(int n, Quad *quads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        quads[i].x += quads[i].y;
        quads[i].w = quads[i].z;
        quads[i].id -= 1;
    }
}

static double sumOfQuad(const std::vector<Quad> &all)
{
    double sum = 0.0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (i % 7 + 1) * (double)(all[i].x + 2 * all[i].y + 3 * all[i].z + 4 * all[i].w + all[i].id);
    return sum;
}

__global__ void turnSheet(int n, Sheet *sheets)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sheets[i].cells[sheets[i].rows] += 1.0f;
        sheets[i].rows += 1;
    }
}

static double sumOfSheet(const std::vector<Sheet> &all)
{
    double sum = 0.0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (i % 7 + 1) * (double)(all[i].cells[0] + all[i].cells[39] + all[i].cells[99] + all[i].rows);
    return sum;
}

__global__ void turnTable(int n, Table *tables)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        tables[i].cells[tables[i].id % 400] -= 2.0f;
        tables[i].id *= 2;
    }
}

static double sumOfTable(const std::vector<Table> &all)
{
    double sum = 0.0;
    for (size_t i = 0; i < all.size(); i++)
        sum += (i % 7 + 1) * (double)(all[i].cells[0] + all[i].cells[200] + all[i].cells[399] + all[i].id);
    return sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 301;
    const int first = n / 3, some = n / 2, blocks = (n + 63) / 64;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int wrong = 0;

    std::vector<Rgb> rgbs(n), rgbBack(n), rgbPart(some);
    for (int i = 0; i < n; i++) {
        rgbs[i].r = i % 251;
        rgbs[i].g = i % 13;
        rgbs[i].b = 7 * i % 101;
    }
    Rgb *d_rgbs;
    CHECK(cudaMalloc(&d_rgbs, (n + 1) * sizeof(Rgb)));
    CHECK(cudaMemcpy(d_rgbs, rgbs.data(), n * sizeof(Rgb), cudaMemcpyHostToDevice));
    if (n > 0)
        turnRgb<<<blocks, 64>>>(n, d_rgbs);
    CHECK(cudaMemcpy(rgbBack.data(), d_rgbs, n * sizeof(Rgb), cudaMemcpyDeviceToHost));
    // Half of them, from another place on.
    CHECK(cudaMemcpyAsync(rgbPart.data(), d_rgbs + first, some * sizeof(Rgb), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(d_rgbs + 1, rgbPart.data(), (some > 0 ? some - 1 : 0) * sizeof(Rgb), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("rgbs %.3f %.3f", sumOfRgb(rgbBack), sumOfRgb(rgbPart));
    for (int i = 0; i < some; i++) {
        std::vector<Rgb> one(1, rgbPart[i]), same(1, rgbBack[first + i]);
        wrong += sumOfRgb(one) != sumOfRgb(same);
    }
    CHECK(cudaMemcpy(rgbBack.data(), d_rgbs, n * sizeof(Rgb), cudaMemcpyDeviceToHost));
    printf(" %.3f\n", sumOfRgb(rgbBack));
    CHECK(cudaFree(d_rgbs));

    std::vector<Step> steps(n), stepBack(n), stepPart(some);
    for (int i = 0; i < n; i++) {
        steps[i].left = i % 300;
        steps[i].right = -i;
        steps[i].turn = i % 50;
    }
    Step *d_steps;
    CHECK(cudaMalloc(&d_steps, (n + 1) * sizeof(Step)));
    CHECK(cudaMemcpy(d_steps, steps.data(), n * sizeof(Step), cudaMemcpyHostToDevice));
    if (n > 0)
        turnStep<<<blocks, 64>>>(n, d_steps);
    CHECK(cudaMemcpy(stepBack.data(), d_steps, n * sizeof(Step), cudaMemcpyDeviceToHost));
    // Half of them, from another place on.
    CHECK(cudaMemcpyAsync(stepPart.data(), d_steps + first, some * sizeof(Step), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(d_steps + 1, stepPart.data(), (some > 0 ? some - 1 : 0) * sizeof(Step), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("steps %.3f %.3f", sumOfStep(stepBack), sumOfStep(stepPart));
    for (int i = 0; i < some; i++) {
        std::vector<Step> one(1, stepPart[i]), same(1, stepBack[first + i]);
        wrong += sumOfStep(one) != sumOfStep(same);
    }
    CHECK(cudaMemcpy(stepBack.data(), d_steps, n * sizeof(Step), cudaMemcpyDeviceToHost));
    printf(" %.3f\n", sumOfStep(stepBack));
    CHECK(cudaFree(d_steps));

    std::vector<Ring> rings(n), ringBack(n), ringPart(some);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 6; k++) rings[i].at[k] = 0.5f * ((i + k) % 17);
        rings[i].turns = i;
        rings[i].kind = i % 3;
    }
    Ring *d_rings;
    CHECK(cudaMalloc(&d_rings, (n + 1) * sizeof(Ring)));
    CHECK(cudaMemcpy(d_rings, rings.data(), n * sizeof(Ring), cudaMemcpyHostToDevice));
    if (n > 0)
        turnRing<<<blocks, 64>>>(n, d_rings);
    CHECK(cudaMemcpy(ringBack.data(), d_rings, n * sizeof(Ring), cudaMemcpyDeviceToHost));
    // Half of them, from another place on.
    CHECK(cudaMemcpyAsync(ringPart.data(), d_rings + first, some * sizeof(Ring), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(d_rings + 1, ringPart.data(), (some > 0 ? some - 1 : 0) * sizeof(Ring), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("rings %.3f %.3f", sumOfRing(ringBack), sumOfRing(ringPart));
    for (int i = 0; i < some; i++) {
        std::vector<Ring> one(1, ringPart[i]), same(1, ringBack[first + i]);
        wrong += sumOfRing(one) != sumOfRing(same);
    }
    CHECK(cudaMemcpy(ringBack.data(), d_rings, n * sizeof(Ring), cudaMemcpyDeviceToHost));
    printf(" %.3f\n", sumOfRing(ringBack));
    CHECK(cudaFree(d_rings));

    std::vector<Wave> waves(n), waveBack(n), wavePart(some);
    for (int i = 0; i < n; i++) {
        waves[i].phase = 0.25 * i;
        waves[i].height = i % 9;
    }
    Wave *d_waves;
    CHECK(cudaMalloc(&d_waves, (n + 1) * sizeof(Wave)));
    CHECK(cudaMemcpy(d_waves, waves.data(), n * sizeof(Wave), cudaMemcpyHostToDevice));
    if (n > 0)
        turnWave<<<blocks, 64>>>(n, d_waves);
    CHECK(cudaMemcpy(waveBack.data(), d_waves, n * sizeof(Wave), cudaMemcpyDeviceToHost));
    // Half of them, from another place on.
    CHECK(cudaMemcpyAsync(wavePart.data(), d_waves + first, some * sizeof(Wave), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(d_waves + 1, wavePart.data(), (some > 0 ? some - 1 : 0) * sizeof(Wave), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("waves %.3f %.3f", sumOfWave(waveBack), sumOfWave(wavePart));
    for (int i = 0; i < some; i++) {
        std::vector<Wave> one(1, wavePart[i]), same(1, waveBack[first + i]);
        wrong += sumOfWave(one) != sumOfWave(same);
    }
    CHECK(cudaMemcpy(waveBack.data(), d_waves, n * sizeof(Wave), cudaMemcpyDeviceToHost));
    printf(" %.3f\n", sumOfWave(waveBack));
    CHECK(cudaFree(d_waves));

    std::vector<Quad> quads(n), quadBack(n), quadPart(some);
    for (int i = 0; i < n; i++) {
        quads[i].x = i % 5;
        quads[i].y = i % 7;
        quads[i].z = -i;
        quads[i].w = 1.0f;
        quads[i].id = 3 * i;
    }
    Quad *d_quads;
    CHECK(cudaMalloc(&d_quads, (n + 1) * sizeof(Quad)));
    CHECK(cudaMemcpy(d_quads, quads.data(), n * sizeof(Quad), cudaMemcpyHostToDevice));
    if (n > 0)
        turnQuad<<<blocks, 64>>>(n, d_quads);
    CHECK(cudaMemcpy(quadBack.data(), d_quads, n * sizeof(Quad), cudaMemcpyDeviceToHost));
    // Half of them, from another place on.
    CHECK(cudaMemcpyAsync(quadPart.data(), d_quads + first, some * sizeof(Quad), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(d_quads + 1, quadPart.data(), (some > 0 ? some - 1 : 0) * sizeof(Quad), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("quads %.3f %.3f", sumOfQuad(quadBack), sumOfQuad(quadPart));
    for (int i = 0; i < some; i++) {
        std::vector<Quad> one(1, quadPart[i]), same(1, quadBack[first + i]);
        wrong += sumOfQuad(one) != sumOfQuad(same);
    }
    CHECK(cudaMemcpy(quadBack.data(), d_quads, n * sizeof(Quad), cudaMemcpyDeviceToHost));
    printf(" %.3f\n", sumOfQuad(quadBack));
    CHECK(cudaFree(d_quads));

    std::vector<Sheet> sheets(n), sheetBack(n), sheetPart(some);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 100; k++) sheets[i].cells[k] = (i + k) % 23;
        sheets[i].rows = i % 40;
    }
    Sheet *d_sheets;
    CHECK(cudaMalloc(&d_sheets, (n + 1) * sizeof(Sheet)));
    CHECK(cudaMemcpy(d_sheets, sheets.data(), n * sizeof(Sheet), cudaMemcpyHostToDevice));
    if (n > 0)
        turnSheet<<<blocks, 64>>>(n, d_sheets);
    CHECK(cudaMemcpy(sheetBack.data(), d_sheets, n * sizeof(Sheet), cudaMemcpyDeviceToHost));
    // Half of them, from another place on.
    CHECK(cudaMemcpyAsync(sheetPart.data(), d_sheets + first, some * sizeof(Sheet), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(d_sheets + 1, sheetPart.data(), (some > 0 ? some - 1 : 0) * sizeof(Sheet), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("sheets %.3f %.3f", sumOfSheet(sheetBack), sumOfSheet(sheetPart));
    for (int i = 0; i < some; i++) {
        std::vector<Sheet> one(1, sheetPart[i]), same(1, sheetBack[first + i]);
        wrong += sumOfSheet(one) != sumOfSheet(same);
    }
    CHECK(cudaMemcpy(sheetBack.data(), d_sheets, n * sizeof(Sheet), cudaMemcpyDeviceToHost));
    printf(" %.3f\n", sumOfSheet(sheetBack));
    CHECK(cudaFree(d_sheets));

    std::vector<Table> tables(n), tableBack(n), tablePart(some);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 400; k++) tables[i].cells[k] = (i + k) % 29;
        tables[i].id = i;
    }
    Table *d_tables;
    CHECK(cudaMalloc(&d_tables, (n + 1) * sizeof(Table)));
    CHECK(cudaMemcpy(d_tables, tables.data(), n * sizeof(Table), cudaMemcpyHostToDevice));
    if (n > 0)
        turnTable<<<blocks, 64>>>(n, d_tables);
    CHECK(cudaMemcpy(tableBack.data(), d_tables, n * sizeof(Table), cudaMemcpyDeviceToHost));
    // Half of them, from another place on.
    CHECK(cudaMemcpyAsync(tablePart.data(), d_tables + first, some * sizeof(Table), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyAsync(d_tables + 1, tablePart.data(), (some > 0 ? some - 1 : 0) * sizeof(Table), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("tables %.3f %.3f", sumOfTable(tableBack), sumOfTable(tablePart));
    for (int i = 0; i < some; i++) {
        std::vector<Table> one(1, tablePart[i]), same(1, tableBack[first + i]);
        wrong += sumOfTable(one) != sumOfTable(same);
    }
    CHECK(cudaMemcpy(tableBack.data(), d_tables, n * sizeof(Table), cudaMemcpyDeviceToHost));
    printf(" %.3f\n", sumOfTable(tableBack));
    CHECK(cudaFree(d_tables));

    CHECK(cudaStreamDestroy(stream));
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong ? 1 : 0;
}
