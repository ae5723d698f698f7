// The state of a running block, its warps and its threads.
#pragma once

#include "context.hpp"

#include <deque>

namespace layoutc_rt {
namespace {

enum class State : uint8_t { Ready, AtBlockBarrier, AtGridBarrier, AtWarpOp, Done };

struct PendingOp {
    WarpOp op;
    uint32_t mask;
    uint32_t source;
    bool active;       // no mask: whoever comes to `site`
    const void* site;
    uint64_t value;
    WarpResult result;
};

struct Thread {
    uint3 index;
    unsigned rank;
    State state;
    Fiber* fiber;
    PendingOp op;
};

struct Warp {
    uint32_t alive;
    uint32_t waiting;
};

struct SharedVariable {
    void* address;
    size_t bytes;
    std::vector<unsigned char> saved;
};

struct Block {
    uint3 index;
    unsigned threads_total = 0;
    unsigned next = 0;
    uint3 next_index{0, 0, 0};
    unsigned alive = 0;
    unsigned at_barrier = 0;
    unsigned at_grid_barrier = 0;
    int count = 0, all = 1, any = 0;              // of the barrier in progress
    int last_count = 0, last_all = 0, last_any = 0;  // of the last one completed
    unsigned epoch = 0;
    std::vector<Thread> threads;
    std::vector<Warp> warps;
    std::deque<Thread*> ready, yielded;
    std::vector<SharedVariable> shared;
    std::vector<unsigned char> saved_dynamic;
};

// Everything that a launch from within a kernel has to put aside.
struct Running {
    const LaunchConfig* config = nullptr;
    const char* kernel = nullptr;
    void (*body)(void*) = nullptr;
    void* context = nullptr;
    Block* block = nullptr;
    Thread* thread = nullptr;
    Context* scheduler = nullptr;
};
Running now;

struct FileScopeShared {
    void* address;
    size_t bytes;
};
std::vector<FileScopeShared>& file_scope_shared() {
    static std::vector<FileScopeShared> list;
    return list;
}

void enter_thread(Thread& t) {
    now.thread = &t;
    threadIdx = t.index;
}

// Leaves the current thread's fiber, for the next thread that can run or for the scheduler where there is none;
// returns when the thread is resumed.
void suspend() {
    Thread* self = now.thread;
    std::deque<Thread*>& ready = now.block->ready;
    if (ready.empty()) return switch_context(self->fiber->context, *now.scheduler);
    Thread* next = ready.front();
    ready.pop_front();
    enter_thread(*next);
    switch_context(self->fiber->context, next->fiber->context);
}

void make_ready(Block& b, Thread& t) {
    t.state = State::Ready;
    b.ready.push_back(&t);
}

}  // namespace
}  // namespace layoutc_rt
