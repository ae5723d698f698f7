// What instrumented programs call: `layoutcAt(7, p[i].x)` is `p[i].x`, and notes where that is; `layoutcTo(7, q)` is the
// pointer `q`, and notes where it points to.
//
// On the CPU runtime the runtime does the counting. Elsewhere (nvcc) this header does it, in the warp: a few words for
// each access of the text, however long the program runs. In front of it the generated part defines
//   LAYOUTC_PROFILE_KERNELS, _LOOPS, _INSTRUCTIONS    how many there are
//   LAYOUTC_PROFILE_ACCESSES    of each instruction the bytes of its elements and the position of its first range,
//                               and behind the last one their number: `{44, 0}, {12, 1}, {0, 3}`
//   LAYOUTC_PROFILE_RANGES      what instructions access, from the noted address: offset and length, `{0, 4}, {0, 4}, {8, 4}`
// and the program writes the file $LAYOUTC_PROFILE (or layoutc.profile.counts) when it ends: lines of numbers.
#pragma once

#ifdef LAYOUTC_RUNTIME

#include "layoutc_runtime.hpp"

namespace layoutc_rt {
void profile_kernel(unsigned kernel);
void profile_access(unsigned instruction, const volatile void* place);
void profile_enter(unsigned loop);
void profile_next(unsigned loop);
void profile_leave(unsigned loop);
}  // namespace layoutc_rt

template <class T>
static inline void layoutcNote(unsigned instruction, T& place) {
    layoutc_rt::profile_access(instruction, &reinterpret_cast<const volatile char&>(place));
}
// Constant expressions of C++11, too, in which nothing is noted.
template <class T>
static inline constexpr T& layoutcAt(unsigned instruction, T& place) {
    return (__builtin_is_constant_evaluated() ? (void)0 : layoutcNote(instruction, place)), place;
}
template <class T>
static inline constexpr T* layoutcTo(unsigned instruction, T* pointer) {
    return (__builtin_is_constant_evaluated() ? (void)0 : layoutcNote(instruction, *pointer)), pointer;
}
static inline void layoutcKernel(unsigned kernel) { layoutc_rt::profile_kernel(kernel); }
namespace {
class LayoutcLoop {
public:
    explicit LayoutcLoop(unsigned loop) : loop_(loop) { layoutc_rt::profile_enter(loop); }
    ~LayoutcLoop() { layoutc_rt::profile_leave(loop_); }
    LayoutcLoop(const LayoutcLoop&) = delete;
    void next() { layoutc_rt::profile_next(loop_); }

private:
    unsigned loop_;
};
}  // namespace

#elif defined(__CUDACC__)

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace layoutc_profile {

typedef unsigned long long Count;

constexpr int kLevels = 13;
// As in the runtime: requests, lanes, lanes on the first's line, requests that share its address, lanes at it, lines,
// sectors, requests with a stride, the stride, its votes, and the distinct blocks of each power of two.
enum { kRequests, kLanes, kLineLanes, kShared, kAddressLanes, kLines, kSectors, kStrided, kStride, kVotes, kBlocks, kCounts = kBlocks + kLevels };

struct Instruction {
    unsigned element_bytes, first;
};
struct Range {
    unsigned offset, bytes;
};
static __device__ const Instruction instructions[] = {LAYOUTC_PROFILE_ACCESSES};
static __device__ const Range ranges[] = {LAYOUTC_PROFILE_RANGES};
static __device__ Count accesses[LAYOUTC_PROFILE_KERNELS * LAYOUTC_PROFILE_INSTRUCTIONS + 1][kCounts];
static __device__ Count loops[LAYOUTC_PROFILE_KERNELS * LAYOUTC_PROFILE_LOOPS + 1][2];
// Shapes of launches: a kernel's first few are kept apart.
constexpr int kShapes = 16;
static __device__ unsigned shapes[LAYOUTC_PROFILE_KERNELS][kShapes][6];
static __device__ Count launches[LAYOUTC_PROFILE_KERNELS][kShapes];

#ifdef __CUDA_ARCH__
// The kernel that runs; one for each block, and each thread writes it before it reads it.
__device__ inline unsigned& kernel_of_block() {
    __shared__ unsigned kernel;
    return kernel;
}

__device__ inline unsigned lane_id() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// How many different values the lanes of `mask` have.
__device__ inline unsigned distinct(unsigned mask, Count value) {
#if __CUDA_ARCH__ >= 700
    const unsigned same = __match_any_sync(mask, value);
    return __popc(__ballot_sync(mask, (same & ((1u << lane_id()) - 1)) == 0));
#else
    bool is_first = true;
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = __ffs(rest) - 1;
        const Count other = __shfl_sync(mask, value, lane);
        if (lane < lane_id() && other == value) is_first = false;
    }
    return __popc(__ballot_sync(mask, is_first));
#endif
}

// How many different blocks of 2^shift bytes the lanes of `mask` touch, whose first bytes are at `address`.
__device__ inline unsigned touched(unsigned mask, unsigned instruction, Count address, unsigned shift) {
    const unsigned begin = instructions[instruction].first, end = instructions[instruction + 1].first;
    const unsigned start = ranges[begin].offset;
    if (end == begin + 1) {
        const Count last = (address + ranges[begin].bytes - 1) >> shift;
        if (!__any_sync(mask, last != address >> shift)) return distinct(mask, last);
    }
    unsigned found = 0;
    Count next = 0;  // of this lane's own blocks those below are counted
    for (unsigned n = begin; n < end; n++) {
        const Count first = (address + (ranges[n].offset - start)) >> shift;
        const Count last = (address + (ranges[n].offset - start) + ranges[n].bytes - 1) >> shift;
        // As many as a range can touch wherever it begins, so that lanes go round equally often.
        const unsigned most = ((ranges[n].bytes - 1) >> shift) + 2;
        for (unsigned step = 0; step < most; step++) {
            const Count block = first + step;
            // A block is counted by the first lane that touches it.
            bool is_own = block <= last && block >= next;
            for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
                const unsigned other = __ffs(rest) - 1;
                const Count there = __shfl_sync(mask, address, other);
                if (other >= lane_id()) continue;
                for (unsigned m = begin; m < end; m++) {
                    const Count from = there + (ranges[m].offset - start);
                    if (block >= from >> shift && block <= (from + ranges[m].bytes - 1) >> shift) is_own = false;
                }
            }
            found += __popc(__ballot_sync(mask, is_own));
        }
        next = last + 1;
    }
    return found;
}

__device__ __noinline__ void access(unsigned instruction, Count address) {
    address += ranges[instructions[instruction].first].offset;
    const unsigned mask = __activemask();
    const unsigned leader = __ffs(mask) - 1, lane = lane_id();
    const unsigned lanes = __popc(mask);
    const Count first = __shfl_sync(mask, address, leader);
    const unsigned line = __popc(__ballot_sync(mask, address >> 7 == first >> 7));
    const unsigned same = __popc(__ballot_sync(mask, address == first));
    const unsigned lines = touched(mask, instruction, address, 7);
    const unsigned sectors = touched(mask, instruction, address, 5);
    // Where the array begins is not known here, so elements are counted from address 0.
    const Count index = address / instructions[instruction].element_bytes;
    const unsigned above = mask & ~((2u << lane) - 1);
    const unsigned next = above ? __ffs(above) - 1 : lane;
    const long long step = (long long)(__shfl_sync(mask, index, next) - index);
    const long long apart = next == lane ? 1 : next - lane;
    const long long stride = __shfl_sync(mask, step / apart, leader);
    const bool is_strided = lanes > 1 && __all_sync(mask, next == lane || (step == stride * apart));
    Count* const c = accesses[kernel_of_block() * LAYOUTC_PROFILE_INSTRUCTIONS + instruction];
    unsigned blocks[kLevels];
    for (int k = 0; k < kLevels; k++) blocks[k] = distinct(mask, index >> k);
    if (lane != leader) return;
    atomicAdd(&c[kRequests], (Count)1);
    atomicAdd(&c[kLanes], (Count)lanes);
    atomicAdd(&c[kLineLanes], (Count)line);
    atomicAdd(&c[kShared], (Count)(same > 1));
    atomicAdd(&c[kAddressLanes], (Count)same);
    atomicAdd(&c[kLines], (Count)lines);
    atomicAdd(&c[kSectors], (Count)sectors);
    for (int k = 0; k < kLevels; k++) atomicAdd(&c[kBlocks + k], (Count)blocks[k]);
    if (is_strided) {
        // The first stride that is seen is the one that is counted.
        if (atomicCAS(&c[kVotes], (Count)0, (Count)1) == 0) atomicExch(&c[kStride], (Count)stride);
        if (atomicAdd(&c[kStride], (Count)0) == (Count)stride) atomicAdd(&c[kStrided], (Count)1);
    }
}

__device__ inline void launch(unsigned kernel) {
    if (blockIdx.x != 0 || blockIdx.y != 0 || blockIdx.z != 0 || threadIdx.x != 0 || threadIdx.y != 0 || threadIdx.z != 0) return;
    const unsigned shape[6] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z};
    for (int s = 0; s < kShapes; s++) {
        // Two launches at once may both take an empty place; then both write, and one shape is lost.
        if (launches[kernel][s] == 0)
            for (int i = 0; i < 6; i++) shapes[kernel][s][i] = shape[i];
        bool is_same = true;
        for (int i = 0; i < 6; i++) is_same = is_same && shapes[kernel][s][i] == shape[i];
        if (is_same) {
            atomicAdd(&launches[kernel][s], (Count)1);
            return;
        }
    }
}
#endif

// Writes what was counted; each file of the program appends its part.
inline void save() {
    static bool is_saved = false;
    if (is_saved) return;
    is_saved = true;
    static Count own_accesses[LAYOUTC_PROFILE_KERNELS * LAYOUTC_PROFILE_INSTRUCTIONS + 1][kCounts];
    static Count own_loops[LAYOUTC_PROFILE_KERNELS * LAYOUTC_PROFILE_LOOPS + 1][2];
    static unsigned own_shapes[LAYOUTC_PROFILE_KERNELS][kShapes][6];
    static Count own_launches[LAYOUTC_PROFILE_KERNELS][kShapes];
    cudaDeviceProp device;
    int current = 0;
    cudaError_t error = cudaGetDevice(&current);
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&device, current);
    if (error == cudaSuccess) error = cudaMemcpyFromSymbol(own_accesses, accesses, sizeof own_accesses);
    if (error == cudaSuccess) error = cudaMemcpyFromSymbol(own_loops, loops, sizeof own_loops);
    if (error == cudaSuccess) error = cudaMemcpyFromSymbol(own_shapes, shapes, sizeof own_shapes);
    if (error == cudaSuccess) error = cudaMemcpyFromSymbol(own_launches, launches, sizeof own_launches);
    const char* path = getenv("LAYOUTC_PROFILE");
    if (!path) path = "layoutc.profile.counts";
    FILE* file = error == cudaSuccess ? fopen(path, "a") : nullptr;
    if (!file) {
        fprintf(stderr, "layoutc: the profile %s was not written: %s\n", path, error == cudaSuccess ? "the file cannot be opened" : cudaGetErrorString(error));
        return;
    }
    fprintf(file, "device %s\n", device.name);
    for (int k = 0; k < LAYOUTC_PROFILE_KERNELS; k++) {
        for (int s = 0; s < kShapes; s++)
            if (own_launches[k][s])
                fprintf(file, "launch %d %u %u %u %u %u %u %llu\n", k, own_shapes[k][s][0], own_shapes[k][s][1], own_shapes[k][s][2], own_shapes[k][s][3],
                        own_shapes[k][s][4], own_shapes[k][s][5], own_launches[k][s]);
        for (int i = 0; i < LAYOUTC_PROFILE_LOOPS; i++)
            if (own_loops[k * LAYOUTC_PROFILE_LOOPS + i][0])
                fprintf(file, "loop %d %d %llu %llu\n", k, i, own_loops[k * LAYOUTC_PROFILE_LOOPS + i][0], own_loops[k * LAYOUTC_PROFILE_LOOPS + i][1]);
        for (int i = 0; i < LAYOUTC_PROFILE_INSTRUCTIONS; i++) {
            const Count* c = own_accesses[k * LAYOUTC_PROFILE_INSTRUCTIONS + i];
            if (!c[kRequests]) continue;
            fprintf(file, "access %d %d", k, i);
            for (int n = 0; n < kCounts; n++) fprintf(file, " %lld", (long long)c[n]);
            fprintf(file, "\n");
        }
    }
    fprintf(file, "end\n");
    fclose(file);
}
static const int will_save = atexit(save);

}  // namespace layoutc_profile

// What it counted is gone with the device's memory.
#define cudaDeviceReset() (layoutc_profile::save(), cudaDeviceReset())

template <class T>
static __host__ __device__ inline void layoutcNote(unsigned instruction, T& place) {
#ifdef __CUDA_ARCH__
    const void* address = const_cast<const char*>(&reinterpret_cast<const volatile char&>(place));
    if (__isGlobal(address)) layoutc_profile::access(instruction, (unsigned long long)address);
#else
    (void)instruction;
    (void)place;
#endif
}
// Constant expressions of C++11, too, in which nothing is noted.
template <class T>
static __host__ __device__ inline constexpr T& layoutcAt(unsigned instruction, T& place) {
    return (__builtin_is_constant_evaluated() ? (void)0 : layoutcNote(instruction, place)), place;
}
template <class T>
static __host__ __device__ inline constexpr T* layoutcTo(unsigned instruction, T* pointer) {
    return (__builtin_is_constant_evaluated() ? (void)0 : layoutcNote(instruction, *pointer)), pointer;
}
static __host__ __device__ inline void layoutcKernel(unsigned kernel) {
#ifdef __CUDA_ARCH__
    layoutc_profile::kernel_of_block() = kernel;
    layoutc_profile::launch(kernel);
#else
    (void)kernel;
#endif
}
namespace {
class LayoutcLoop {
public:
    __host__ __device__ explicit LayoutcLoop(unsigned loop) : loop_(loop) {}
    __host__ __device__ ~LayoutcLoop() {
#ifdef __CUDA_ARCH__
        unsigned long long* counts = layoutc_profile::loops[layoutc_profile::kernel_of_block() * LAYOUTC_PROFILE_LOOPS + loop_];
        atomicAdd(&counts[0], 1ull);
        atomicAdd(&counts[1], iterations_);
#endif
    }
    LayoutcLoop(const LayoutcLoop&) = delete;
    __host__ __device__ void next() { iterations_++; }

private:
    unsigned loop_;
    unsigned long long iterations_ = 0;
};
}  // namespace

#elif defined(__cplusplus)

// Code of the host alone.
template <class T>
static inline constexpr T& layoutcAt(unsigned, T& place) {
    return place;
}
template <class T>
static inline constexpr T* layoutcTo(unsigned, T* pointer) {
    return pointer;
}
namespace {
class LayoutcLoop {
public:
    explicit LayoutcLoop(unsigned) {}
    ~LayoutcLoop() {}
    void next() {}
};
}  // namespace

#endif
