// cooperative_groups: thread blocks, tiles of a warp, coalesced groups, the grid, and `reduce`.
#pragma once

#include "warp.hpp"

namespace cooperative_groups {

class grid_group {
public:
    void sync() const { layoutc_rt::grid_barrier(); }
    bool is_valid() const { return true; }
    unsigned long long size() const { return num_threads(); }
    unsigned long long num_threads() const { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
    unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    unsigned long long block_rank() const { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    unsigned long long thread_rank() const {
        return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + layoutc_rt::thread_rank_in_block();
    }
    dim3 group_dim() const { return gridDim; }
    dim3 dim_blocks() const { return gridDim; }
};
inline grid_group this_grid() { return {}; }

class thread_block {
public:
    static void sync() { __syncthreads(); }
    static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned num_threads() { return size(); }
    static unsigned thread_rank() { return layoutc_rt::thread_rank_in_block(); }
    static dim3 group_index() { return dim3(blockIdx); }
    static dim3 thread_index() { return dim3(threadIdx); }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// A set of lanes of one warp with ranks in lane order; tiles and coalesced groups are both this.
class warp_group {
public:
    explicit warp_group(unsigned lanes) : lanes_(lanes) {}
    void sync() const { __syncwarp(lanes_); }
    unsigned size() const { return __builtin_popcount(lanes_); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return __builtin_popcount(lanes_ & ((1u << layoutc_rt::lane_id()) - 1)); }
    template <class T>
    T shfl(T value, unsigned rank) const { return read(value, rank < size() ? lane_of(rank) : layoutc_rt::lane_id()); }
    template <class T>
    T shfl_up(T value, unsigned delta) const {
        unsigned rank = thread_rank();
        return read(value, lane_of(rank >= delta ? rank - delta : rank));
    }
    template <class T>
    T shfl_down(T value, unsigned delta) const {
        unsigned rank = thread_rank();
        return read(value, lane_of(rank + delta < size() ? rank + delta : rank));
    }
    template <class T>
    T shfl_xor(T value, unsigned mask) const {
        unsigned rank = thread_rank();
        return read(value, lane_of((rank ^ mask) < size() ? rank ^ mask : rank));
    }
    int any(int p) const { return __any_sync(lanes_, p); }
    int all(int p) const { return __all_sync(lanes_, p); }
    unsigned ballot(int p) const { return to_ranks(__ballot_sync(lanes_, p)); }
    template <class T>
    unsigned match_any(T value) const { return to_ranks(__match_any_sync(lanes_, value)); }
    template <class T>
    unsigned match_all(T value, int& same) const { return to_ranks(__match_all_sync(lanes_, value, &same)); }
    unsigned lanes() const { return lanes_; }

private:
    unsigned lanes_;

    unsigned lane_of(unsigned rank) const {
        unsigned lanes = lanes_;
        for (; rank > 0; rank--) lanes &= lanes - 1;
        return __builtin_ctz(lanes);
    }
    unsigned to_ranks(unsigned lanes) const {
        unsigned ranks = 0;
        unsigned rank = 0;
        for (unsigned rest = lanes_; rest != 0; rest &= rest - 1, rank++)
            if (lanes & (rest & -rest)) ranks |= 1u << rank;
        return ranks;
    }
    // Values of any size travel eight bytes at a time.
    template <class T>
    T read(const T& value, unsigned lane) const {
        T result = value;
        for (size_t at = 0; at < sizeof(T); at += 8) {
            size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
            uint64_t word = 0;
            memcpy(&word, (const char*)&value + at, bytes);
            word = layoutc_rt::warp_op(layoutc_rt::WarpOp::Shuffle, lanes_, word, lane).value;
            memcpy((char*)&result + at, &word, bytes);
        }
        return result;
    }
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public warp_group {
public:
    static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "a tile has a power of two of at most 32 threads");
    thread_block_tile()
        : warp_group((Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1)) << (layoutc_rt::lane_id() / Size * Size)) {}
    template <class Other>
    thread_block_tile(const thread_block_tile<Size, Other>& other) : warp_group(other.lanes()) {}
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    unsigned thread_rank() const { return layoutc_rt::lane_id() % Size; }
    unsigned meta_group_rank() const { return layoutc_rt::thread_rank_in_block() / Size; }
    unsigned meta_group_size() const { return (thread_block::size() + Size - 1) / Size; }
};

class coalesced_group : public warp_group {
public:
    using warp_group::warp_group;
};
__attribute__((noinline)) inline coalesced_group coalesced_threads() {
    return coalesced_group(
        layoutc_rt::warp_op_active(layoutc_rt::WarpOp::Sync, __builtin_return_address(0), 0, 0).lanes);
}

// Splits a group by a value that each member gives.
template <class Group>
inline coalesced_group binary_partition(const Group& group, bool side) {
    unsigned yes = __ballot_sync(group.lanes(), side);
    return coalesced_group(side ? yes : group.lanes() & ~yes);
}
template <class Group, class Label>
inline coalesced_group labeled_partition(const Group& group, Label label) {
    return coalesced_group(__match_any_sync(group.lanes(), label));
}

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
    return {};
}

// The untyped group of old code.
class thread_group {
public:
    thread_group(const thread_block&) : block_(true), lanes_(0) {}
    thread_group(const warp_group& group) : block_(false), lanes_(group.lanes()) {}
    void sync() const { block_ ? __syncthreads() : lanes_.sync(); }
    unsigned size() const { return block_ ? thread_block::size() : lanes_.size(); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const { return block_ ? thread_block::thread_rank() : lanes_.thread_rank(); }
    template <class T>
    T shfl(T value, unsigned rank) const { return lanes_.shfl(value, rank); }
    template <class T>
    T shfl_down(T value, unsigned delta) const { return lanes_.shfl_down(value, delta); }
    template <class T>
    T shfl_up(T value, unsigned delta) const { return lanes_.shfl_up(value, delta); }

private:
    bool block_;
    warp_group lanes_;
};
inline thread_group tiled_partition(const thread_group&, unsigned size) {
    unsigned lane = layoutc_rt::lane_id();
    return warp_group((size == 32 ? 0xffffffffu : ((1u << size) - 1)) << (lane / size * size));
}

template <class Group>
inline void sync(const Group& group) { group.sync(); }
template <class Group>
inline unsigned thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group>
inline unsigned group_size(const Group& group) { return group.size(); }

template <class T>
struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T>
struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T>
struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T>
struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T>
struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T>
struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

// In rank order, so the result does not depend on the shape of a tree.
template <class Group, class T, class Op>
inline T reduce(const Group& group, T value, Op op) {
    T result = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); rank++) result = op(result, group.shfl(value, rank));
    return result;
}
template <class Group, class T, class Op>
inline T inclusive_scan(const Group& group, T value, Op op) {
    T result = value;
    for (unsigned rank = 0; rank + 1 < group.size(); rank++) {
        T other = group.shfl_up(result, 1);
        if (group.thread_rank() == rank + 1) result = op(other, result);
    }
    return result;
}

}  // namespace cooperative_groups
