/*
 * Inverse distance weighting: the height at each query point is the mean of all known heights, weighted by
 * 1 / distance^2. Known points and query points are the same kind of record.
 *
 *   ./idw [queries] [known points]
 */
#include <cuda_runtime.h>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <cmath>

#define TILE 96

struct Point
{
    float x;
    float y;
    float z;
};

static void HandleError(cudaError_t err, const char *file, int line)
{
    if (err != cudaSuccess)
    {
        std::cerr << cudaGetErrorString(err) << " in " << file << " at line " << line << std::endl;
        exit(EXIT_FAILURE);
    }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

// One thread per query, all known points read directly.
__global__ void idwDirect(const Point * __restrict__ known, int nKnown, Point *queries, int nQueries)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q < nQueries)
    {
        float sum = 0.0f, weight = 0.0f;
        float qx = queries[q].x;
        float qy = queries[q].y;
        for (int k = 0; k < nKnown; k++)
        {
            float dx = qx - known[k].x, dy = qy - known[k].y;
            float w = 1.0f / (dx * dx + dy * dy + 1e-6f);
            weight += w;
            sum += w * known[k].z;
        }
        queries[q].z = nKnown > 0 ? sum / weight : 0.0f;
    }
}

// The same through shared memory: a block loads TILE known points at a time.
__global__ void idwTiled(const Point * __restrict__ known, int nKnown, Point *queries, int nQueries)
{
    __shared__ Point tile[TILE];

    int q = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f, weight = 0.0f;
    float qx = 0.0f, qy = 0.0f;
    if (q < nQueries)
    {
        qx = queries[q].x;
        qy = queries[q].y;
    }

    for (int start = 0; start < nKnown; start += TILE)
    {
        int k = start + threadIdx.x;
        if (k < nKnown)
            tile[threadIdx.x] = known[k];
        __syncthreads();

        int end = min(TILE, nKnown - start);
        for (int t = 0; t < end; t++)
        {
            float dx = qx - tile[t].x, dy = qy - tile[t].y;
            float w = 1.0f / (dx * dx + dy * dy + 1e-6f);
            weight += w;
            sum += w * tile[t].z;
        }
        __syncthreads();
    }

    if (q < nQueries)
        queries[q].z = nKnown > 0 ? sum / weight : 0.0f;
}

static unsigned long rngState = 1234567ul;
static float rnd()
{
    rngState = (rngState * 16807ul) % 2147483647ul;
    return rngState / 2147483648.0f;
}

int main(int argc, char **argv)
{
    int nQueries = 1000, nKnown = 300;
    if (argc >= 2) nQueries = nKnown = atoi(argv[1]);
    if (argc >= 3) nKnown = atoi(argv[2]);
    if (nQueries < 0 || nKnown < 0) { std::cerr << "negative size" << std::endl; return 2; }

    Point *known = new Point[nKnown];
    Point *queries = new Point[nQueries];
    Point *again = new Point[nQueries];
    for (int i = 0; i < nKnown; i++)
    {
        known[i].x = rnd();
        known[i].y = rnd();
        known[i].z = sinf(3.0f * known[i].x) + known[i].y;
    }
    for (int i = 0; i < nQueries; i++)
    {
        queries[i].x = rnd();
        queries[i].y = rnd();
        queries[i].z = -999.0f;
    }

    Point *dKnown, *dQueries;
    HANDLE_ERROR(cudaMalloc((void **)&dKnown, nKnown * sizeof(Point)));
    HANDLE_ERROR(cudaMalloc((void **)&dQueries, nQueries * sizeof(Point)));
    HANDLE_ERROR(cudaMemcpy(dKnown, known, nKnown * sizeof(Point), cudaMemcpyHostToDevice));
    HANDLE_ERROR(cudaMemcpy(dQueries, queries, nQueries * sizeof(Point), cudaMemcpyHostToDevice));

    int grid = nQueries / TILE + 1;
    idwDirect<<<grid, TILE>>>(dKnown, nKnown, dQueries, nQueries);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaMemcpy(again, dQueries, nQueries * sizeof(Point), cudaMemcpyDeviceToHost));

    // a second time with the answers wiped out
    HANDLE_ERROR(cudaMemcpy(dQueries, queries, nQueries * sizeof(Point), cudaMemcpyHostToDevice));
    idwTiled<<<grid, TILE>>>(dKnown, nKnown, dQueries, nQueries);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaDeviceSynchronize());
    HANDLE_ERROR(cudaMemcpy(queries, dQueries, nQueries * sizeof(Point), cudaMemcpyDeviceToHost));

    HANDLE_ERROR(cudaFree(dKnown));
    HANDLE_ERROR(cudaFree(dQueries));

    int wrong = 0;
    double direct = 0.0, tiled = 0.0, where = 0.0;
    for (int i = 0; i < nQueries; i++)
    {
        double sum = 0.0, weight = 0.0;
        for (int k = 0; k < nKnown; k++)
        {
            double dx = queries[i].x - known[k].x, dy = queries[i].y - known[k].y;
            double w = 1.0 / (dx * dx + dy * dy + 1e-6);
            weight += w;
            sum += w * known[k].z;
        }
        double z = nKnown > 0 ? sum / weight : 0.0;
        if (!(fabs(queries[i].z - z) < 1e-3) || !(fabs(again[i].z - z) < 1e-3)) wrong++;
        if (again[i].x != queries[i].x || again[i].y != queries[i].y) wrong++;
        direct += (i % 23 + 1) * (double)again[i].z;
        tiled += (i % 29 + 1) * (double)queries[i].z;
        where += (i % 31 + 1) * (queries[i].x + 2.0 * queries[i].y);
    }

    std::cout << nQueries << " queries, " << nKnown << " known points" << std::endl;
    std::cout << std::scientific << std::setprecision(14);
    std::cout << "direct " << direct << " tiled " << tiled << " where " << where << std::endl;
    std::cout << (wrong ? "FAILED" : "PASSED") << std::endl;

    delete[] known;
    delete[] queries;
    delete[] again;
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
