// How a kernel runs: blocks one after another, the threads of a block as fibers on one OS thread.
//
// A thread runs until it waits for others (barrier, warp operation) or ends; the order is fixed, so every run
// of a program gives the same result. The built-in variables are plain globals that the scheduler sets.
#pragma once

#include "api_types.hpp"

inline uint3 threadIdx{0, 0, 0};
inline uint3 blockIdx{0, 0, 0};
inline dim3 blockDim(1, 1, 1);
inline dim3 gridDim(1, 1, 1);
static constexpr int warpSize = 32;

namespace layoutc_rt {

constexpr size_t kDynamicSharedLimit = 227 * 1024;
constexpr size_t kDynamicSharedSlack = 1024;

// The dynamic shared memory of the running block. Fixed storage, so that file-scope declarations can refer to it.
alignas(1024) inline unsigned char dynamic_shared[kDynamicSharedLimit + kDynamicSharedSlack];

struct LaunchConfig {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    bool cooperative;
};

inline LaunchConfig config(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr) {
    return LaunchConfig{grid, block, shared, stream, false};
}

// Runs `body(context)` once for each thread of the grid.
cudaError_t run_grid(const LaunchConfig& config, const char* kernel, void (*body)(void*), void* context);

// The trace of accesses: see runtime/trace.cpp. Programs that are compiled for it tell it what a call for each load
// and store does not: which of them are atomic, and how pointer arguments are aligned.
void note_atomic(const volatile void* address, size_t bytes);
void note_plain();
#ifdef __SANITIZE_THREAD__
// Inlined, so that the place that is noted is the caller's.
__attribute__((always_inline)) static inline void trace_atomic(const volatile void* address, size_t bytes) { note_atomic(address, bytes); }
__attribute__((always_inline)) static inline void trace_plain() { note_plain(); }
void trace_pointer(const void* p, size_t alignment);
template <class T, class = void>
struct Alignment {
    static constexpr size_t value = 1;
};
template <class T>
struct Alignment<T, std::void_t<decltype(sizeof(T))>> {
    static constexpr size_t value = alignof(T);
};
template <>
struct Alignment<void, void> {
    static constexpr size_t value = 1;
};
#else
static inline void trace_atomic(const volatile void*, size_t) {}
static inline void trace_plain() {}
#endif

// Notes on stderr and in the log that a kernel is given a pointer to host memory, which a GPU could not follow.
void check_pointer_argument(const char* kernel, int argument, const void* p);
template <class T>
inline void check_argument(const char* kernel, int argument, const T& value) {
    if constexpr (std::is_pointer<T>::value && !std::is_function<std::remove_pointer_t<T>>::value) {
#ifdef __SANITIZE_THREAD__
        trace_pointer(const_cast<const void*>(static_cast<const volatile void*>(value)), Alignment<std::remove_cv_t<std::remove_pointer_t<T>>>::value);
#endif
        check_pointer_argument(kernel, argument, const_cast<const void*>(static_cast<const volatile void*>(value)));
    }
}

// What `kernel<<<config>>>(args)` becomes: the arguments are copied once, here, and again for each thread by the call.
template <class Call, class... Args>
cudaError_t launch(const LaunchConfig& config, const char* kernel, Call call, Args... args) {
    int argument = 0;
    (check_argument(kernel, argument++, args), ...);
    auto body = [&] { call(args...); };
    return run_grid(config, kernel, [](void* context) { (*static_cast<decltype(body)*>(context))(); }, &body);
}

// Registers a block-scope `__shared__` variable with the running block, poisoning it on first sight in the block.
void shared_enter_bytes(unsigned& epoch, const volatile void* address, size_t bytes);
extern unsigned block_epoch;
template <class T>
inline void shared_enter(unsigned& epoch, const volatile T& variable) {
    if (epoch != block_epoch) shared_enter_bytes(epoch, &reinterpret_cast<const volatile char&>(variable), sizeof(T));
}

// Registers a file-scope `__shared__` variable.
struct SharedAtFileScope {
    SharedAtFileScope(const volatile void* address, size_t bytes);
};

enum class BarrierKind { Sync, Count, And, Or };
int block_barrier(BarrierKind kind, int predicate);
void grid_barrier();
bool in_kernel();
// Lets the other threads of the block run; called by atomics that look like a spin loop.
void yield_thread();

enum class WarpOp { Sync, Shuffle, Ballot, MatchAny, MatchAll, Add, Min, Max, UMin, UMax, And, Or, Xor };
struct WarpResult {
    uint64_t value;
    uint32_t lanes;  // the lanes that took part
};
// A rendezvous of the lanes in `mask`. `source` is the lane that a shuffle reads.
WarpResult warp_op(WarpOp op, uint32_t mask, uint64_t value, uint32_t source);
// The same among the lanes that reach `site` together, for the operations that have no mask.
WarpResult warp_op_active(WarpOp op, const void* site, uint64_t value, uint32_t source);
uint32_t lane_id();
unsigned thread_rank_in_block();

}  // namespace layoutc_rt

static inline void __syncthreads() { layoutc_rt::block_barrier(layoutc_rt::BarrierKind::Sync, 0); }
static inline int __syncthreads_count(int p) { return layoutc_rt::block_barrier(layoutc_rt::BarrierKind::Count, p); }
static inline int __syncthreads_and(int p) { return layoutc_rt::block_barrier(layoutc_rt::BarrierKind::And, p); }
static inline int __syncthreads_or(int p) { return layoutc_rt::block_barrier(layoutc_rt::BarrierKind::Or, p); }

namespace layoutc_rt {
template <class... P, size_t... I>
inline cudaError_t launch_pointers(void (*kernel)(P...), const LaunchConfig& config, void** args, std::index_sequence<I...>) {
    return launch(config, "cudaLaunchKernel", kernel, *static_cast<std::remove_cv_t<P>*>(args[I])...);
}
}  // namespace layoutc_rt
template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** args, size_t shared = 0, cudaStream_t stream = nullptr) {
    return layoutc_rt::launch_pointers(kernel, layoutc_rt::LaunchConfig{grid, block, shared, stream, false}, args, std::index_sequence_for<P...>{});
}
template <class... P>
inline cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** args, size_t shared = 0, cudaStream_t stream = nullptr) {
    return layoutc_rt::launch_pointers(kernel, layoutc_rt::LaunchConfig{grid, block, shared, stream, true}, args, std::index_sequence_for<P...>{});
}
