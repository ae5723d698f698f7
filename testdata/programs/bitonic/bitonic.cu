// Bitonic sort of 16-byte records. Strides that fit into one block are sorted in shared memory, longer
// ones in global memory; both move whole records.
//
//     bitonic [records]

#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CALL(x) {                                                            \
        const cudaError_t rc = (x);                                               \
        if (rc != cudaSuccess) {                                                  \
            std::printf("CUDA error %s in line %d\n", cudaGetErrorName(rc), __LINE__); \
            return EXIT_FAILURE;                                                  \
        } }

static const int THREADS = 64;
static const int CHUNK = 2 * THREADS;   // records that one block sorts in shared memory

struct Record {
        unsigned int key;
        unsigned int id;     // unique; breaks ties, so that there is only one sorted order
        float        value;
        int          parent;
};

__host__ __device__ inline bool less_than(const Record& a, const Record& b)
{
        return a.key < b.key || (a.key == b.key && a.id < b.id);
}

__device__ void compare_exchange(Record& a, Record& b, bool ascending)
{
        if (less_than(b, a) == ascending) {
                Record t = a;
                a = b;
                b = t;
        }
}

// all stages with k <= CHUNK, or the tail of a later stage whose stride has become small enough
__global__ void sort_shared(Record* data, int k_first, int k_last)
{
        __shared__ Record s[CHUNK];
        const int base = blockIdx.x * CHUNK;
        const int t = threadIdx.x;

        s[t] = data[base + t];
        s[t + THREADS] = data[base + t + THREADS];

        for (int k = k_first; k <= k_last; k <<= 1) {
                for (int j = (k < CHUNK ? k : CHUNK) >> 1; j > 0; j >>= 1) {
                        __syncthreads();
                        const int lo = 2 * t - (t & (j - 1));
                        const bool ascending = ((base + lo) & k) == 0;
                        compare_exchange(s[lo], s[lo + j], ascending);
                }
        }
        __syncthreads();

        data[base + t] = s[t];
        data[base + t + THREADS] = s[t + THREADS];
}

__global__ void merge_global(Record* data, int k, int j)
{
        const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
        const unsigned int l = i ^ j;

        if (l > i) {
                Record a = data[i];
                Record b = data[l];
                const bool ascending = (i & k) == 0;
                if (less_than(b, a) == ascending) {
                        data[i] = b;
                        data[l] = a;
                }
        }
}

int main(int argc, char** argv)
{
        const int n = (argc > 1) ? std::atoi(argv[1]) : 1000;
        if (n < 0) { std::puts("the number of records must not be negative"); return 2; }

        int padded = CHUNK;
        while (padded < n) padded *= 2;

        std::vector<Record> records(padded);
        unsigned int lcg = 1u;
        for (int i = 0; i < padded; ++i) {
                lcg = lcg * 22695477u + 1u;
                Record& r = records[i];
                r.key = i < n ? (lcg >> 16) % 500u : UINT_MAX;   // many equal keys; the padding sorts last
                r.id = i;
                r.value = 0.25f * (lcg >> 20);
                r.parent = i / 2 - 1;
        }
        std::vector<Record> expected(records);

        Record* d_records;
        CUDA_CALL(cudaMalloc(&d_records, padded * sizeof(Record)));
        CUDA_CALL(cudaMemcpy(d_records, &records[0], padded * sizeof(Record), cudaMemcpyHostToDevice));

        const dim3 block(THREADS);
        sort_shared<<<padded / CHUNK, block>>>(d_records, 2, CHUNK);
        for (int k = 2 * CHUNK; k <= padded; k *= 2) {
                for (int j = k / 2; j >= CHUNK; j /= 2)
                        merge_global<<<padded / THREADS, block>>>(d_records, k, j);
                sort_shared<<<padded / CHUNK, block>>>(d_records, k, k);
        }
        CUDA_CALL(cudaGetLastError());
        CUDA_CALL(cudaDeviceSynchronize());

        CUDA_CALL(cudaMemcpy(&records[0], d_records, padded * sizeof(Record), cudaMemcpyDeviceToHost));
        CUDA_CALL(cudaFree(d_records));

        std::sort(expected.begin(), expected.end(), less_than);
        int wrong = 0;
        unsigned int checksum = 0;
        for (int i = 0; i < padded; ++i) {
                const Record& a = records[i];
                const Record& b = expected[i];
                if (a.key != b.key || a.id != b.id || a.value != b.value || a.parent != b.parent) ++wrong;
                checksum = checksum * 31u + a.key;
                checksum = checksum * 31u + a.id;
                checksum = checksum * 31u + (unsigned int)(4.0f * a.value);
                checksum = checksum * 31u + (unsigned int)a.parent;
        }
        std::printf("sorted %d records (%d with padding), checksum %08x\n", n, padded, checksum);
        if (n > 0)
                std::printf("first %u/%u/%.2f/%d last %u/%u/%.2f/%d\n", records[0].key, records[0].id, records[0].value,
                            records[0].parent, records[n - 1].key, records[n - 1].id, records[n - 1].value,
                            records[n - 1].parent);
        std::printf("%s\n", wrong ? "FAILED" : "PASSED");
        return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
