// Warp shuffles, votes and reductions.
#pragma once

#include "execution.hpp"

namespace layoutc_rt {

template <class T>
inline uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8, "a warp operation moves at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T>
inline T from_bits(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

inline uint32_t shuffle_index(uint32_t lane, int source, int width) { return (lane & ~(width - 1)) + (source & (width - 1)); }
inline uint32_t shuffle_up(uint32_t lane, unsigned delta, int width) {
    return (lane & (width - 1)) >= delta ? lane - delta : lane;
}
inline uint32_t shuffle_down(uint32_t lane, unsigned delta, int width) {
    return (lane & (width - 1)) + delta < (unsigned)width ? lane + delta : lane;
}
inline uint32_t shuffle_xor(uint32_t lane, int mask, int width) {
    uint32_t source = lane ^ mask;
    return source < (lane & ~(width - 1)) + width ? source : lane;
}

}  // namespace layoutc_rt

#define LAYOUTC_RT_SHUFFLE(name, rule, argument)                                                                       \
    template <class T>                                                                                                 \
    inline T name##_sync(unsigned mask, T value, argument source, int width = warpSize) {                             \
        using namespace layoutc_rt;                                                                                    \
        return from_bits<T>(warp_op(WarpOp::Shuffle, mask, to_bits(value), rule(lane_id(), source, width)).value);     \
    }                                                                                                                  \
    template <class T>                                                                                                 \
    __attribute__((noinline)) T name(T value, argument source, int width = warpSize) {                                \
        using namespace layoutc_rt;                                                                                    \
        const void* site = __builtin_return_address(0);                                                               \
        return from_bits<T>(warp_op_active(WarpOp::Shuffle, site, to_bits(value), rule(lane_id(), source, width)).value); \
    }
LAYOUTC_RT_SHUFFLE(__shfl, shuffle_index, int)
LAYOUTC_RT_SHUFFLE(__shfl_up, shuffle_up, unsigned int)
LAYOUTC_RT_SHUFFLE(__shfl_down, shuffle_down, unsigned int)
LAYOUTC_RT_SHUFFLE(__shfl_xor, shuffle_xor, int)
#undef LAYOUTC_RT_SHUFFLE

static inline void __syncwarp(unsigned mask = 0xffffffffu) { layoutc_rt::warp_op(layoutc_rt::WarpOp::Sync, mask, 0, 0); }
static inline unsigned __ballot_sync(unsigned mask, int p) {
    return (unsigned)layoutc_rt::warp_op(layoutc_rt::WarpOp::Ballot, mask, p != 0, 0).value;
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) {
    layoutc_rt::WarpResult r = layoutc_rt::warp_op(layoutc_rt::WarpOp::Ballot, mask, p != 0, 0);
    return (r.value & r.lanes) == r.lanes;
}
static inline int __uni_sync(unsigned mask, int p) {
    layoutc_rt::WarpResult r = layoutc_rt::warp_op(layoutc_rt::WarpOp::Ballot, mask, p != 0, 0);
    return r.value == 0 || r.value == r.lanes;
}
__attribute__((noinline)) inline unsigned __ballot(int p) {
    return (unsigned)layoutc_rt::warp_op_active(layoutc_rt::WarpOp::Ballot, __builtin_return_address(0), p != 0, 0).value;
}
__attribute__((noinline)) inline int __any(int p) {
    return layoutc_rt::warp_op_active(layoutc_rt::WarpOp::Ballot, __builtin_return_address(0), p != 0, 0).value != 0;
}
__attribute__((noinline)) inline int __all(int p) {
    layoutc_rt::WarpResult r = layoutc_rt::warp_op_active(layoutc_rt::WarpOp::Ballot, __builtin_return_address(0), p != 0, 0);
    return r.value == r.lanes;
}
__attribute__((noinline)) inline unsigned __activemask() {
    return layoutc_rt::warp_op_active(layoutc_rt::WarpOp::Sync, __builtin_return_address(0), 0, 0).lanes;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
    return (unsigned)layoutc_rt::warp_op(layoutc_rt::WarpOp::MatchAny, mask, layoutc_rt::to_bits(value), 0).value;
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* same) {
    unsigned lanes = (unsigned)layoutc_rt::warp_op(layoutc_rt::WarpOp::MatchAll, mask, layoutc_rt::to_bits(value), 0).value;
    *same = lanes != 0;
    return lanes;
}
#define LAYOUTC_RT_REDUCE(name, T, op)                                                                        \
    static inline T name(unsigned mask, T value) {                                                            \
        return (T)layoutc_rt::warp_op(layoutc_rt::WarpOp::op, mask, (uint64_t)(int64_t)value, 0).value;       \
    }
LAYOUTC_RT_REDUCE(__reduce_add_sync, unsigned, Add)
LAYOUTC_RT_REDUCE(__reduce_add_sync, int, Add)
LAYOUTC_RT_REDUCE(__reduce_min_sync, unsigned, UMin)
LAYOUTC_RT_REDUCE(__reduce_min_sync, int, Min)
LAYOUTC_RT_REDUCE(__reduce_max_sync, unsigned, UMax)
LAYOUTC_RT_REDUCE(__reduce_max_sync, int, Max)
LAYOUTC_RT_REDUCE(__reduce_and_sync, unsigned, And)
LAYOUTC_RT_REDUCE(__reduce_or_sync, unsigned, Or)
LAYOUTC_RT_REDUCE(__reduce_xor_sync, unsigned, Xor)
#undef LAYOUTC_RT_REDUCE
static inline unsigned __lane_id() { return layoutc_rt::lane_id(); }
