// Warp operations: a rendezvous of lanes, and what each gets from it.
#pragma once

#include "block.hpp"

namespace layoutc_rt {
namespace {

uint64_t reduce_lanes(WarpOp op, const Thread* lanes, uint32_t members) {
    bool first = true;
    uint64_t result = 0;
    for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
        uint64_t v = lanes[__builtin_ctz(rest)].op.value;
        if (first) {
            result = v;
            first = false;
            continue;
        }
        switch (op) {
            case WarpOp::Add: result += v; break;
            case WarpOp::Min: result = (int64_t)v < (int64_t)result ? v : result; break;
            case WarpOp::Max: result = (int64_t)v > (int64_t)result ? v : result; break;
            case WarpOp::UMin: result = v < result ? v : result; break;
            case WarpOp::UMax: result = v > result ? v : result; break;
            case WarpOp::And: result &= v; break;
            case WarpOp::Or: result |= v; break;
            default: result ^= v; break;
        }
    }
    return result;
}

void complete_warp_op(Block& b, unsigned warp, uint32_t members, Thread* current) {
    Thread* lanes = &b.threads[warp * warpSize];
    const WarpOp op = lanes[__builtin_ctz(members)].op.op;
    uint32_t ballot = 0;
    bool same = true;
    const uint64_t first = lanes[__builtin_ctz(members)].op.value;
    for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
        unsigned lane = __builtin_ctz(rest);
        if (lanes[lane].op.value) ballot |= 1u << lane;
        same = same && lanes[lane].op.value == first;
    }
    uint64_t common = 0;
    if (op == WarpOp::Ballot) common = ballot;
    if (op == WarpOp::MatchAll) common = same ? members : 0;
    if (op >= WarpOp::Add) common = reduce_lanes(op, lanes, members);
    for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
        unsigned lane = __builtin_ctz(rest);
        PendingOp& pending = lanes[lane].op;
        uint64_t value = common;
        if (op == WarpOp::Shuffle) {
            // A lane that does not take part has no value to give; the reader keeps its own.
            uint32_t source = pending.source & 31;
            value = (members >> source) & 1 ? lanes[source].op.value : pending.value;
        } else if (op == WarpOp::MatchAny) {
            for (uint32_t other = members; other != 0; other &= other - 1)
                if (lanes[__builtin_ctz(other)].op.value == pending.value) value |= 1u << __builtin_ctz(other);
        }
        pending.result = WarpResult{value, members};
    }
    b.warps[warp].waiting &= ~members;
    for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
        Thread& t = lanes[__builtin_ctz(rest)];
        if (&t != current) make_ready(b, t);
    }
    if (current) current->state = State::Ready;
}

// Completes the operation that `lane` waits for if all of its mask's living lanes wait for it too.
bool try_complete_masked(Block& b, unsigned warp, unsigned lane, Thread* current) {
    Warp& w = b.warps[warp];
    Thread* lanes = &b.threads[warp * warpSize];
    const PendingOp& op = lanes[lane].op;
    uint32_t members = op.mask & w.alive;
    if (op.active || (w.waiting & members) != members) return false;
    for (uint32_t rest = members; rest != 0; rest &= rest - 1) {
        const PendingOp& other = lanes[__builtin_ctz(rest)].op;
        if (other.active || other.mask != op.mask || other.op != op.op) return false;
    }
    complete_warp_op(b, warp, members, current);
    return true;
}

// Called when no thread of the block can run: the lanes that wait at one place are the ones that converged there.
bool resolve_converged(Block& b, bool masked_too) {
    for (unsigned warp = 0; warp < b.warps.size(); warp++) {
        Thread* lanes = &b.threads[warp * warpSize];
        for (uint32_t rest = b.warps[warp].waiting; rest != 0; rest &= rest - 1) {
            const PendingOp& op = lanes[__builtin_ctz(rest)].op;
            if (!op.active && !masked_too) continue;
            uint32_t members = 0;
            for (uint32_t other = rest; other != 0; other &= other - 1) {
                const PendingOp& o = lanes[__builtin_ctz(other)].op;
                if (o.active == op.active && o.op == op.op && o.mask == op.mask && o.site == op.site) members |= other & -other;
            }
            if (!op.active) {
                static bool told = false;
                if (!told)
                    fprintf(stderr, "layoutc-rt: note: a warp operation of kernel `%s` names lanes that do not take part (mask %08x, present %08x)\n",
                            now.kernel, op.mask, members);
                told = true;
            }
            complete_warp_op(b, warp, members, nullptr);
            return true;
        }
    }
    return false;
}

}  // namespace
}  // namespace layoutc_rt
