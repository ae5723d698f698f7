// The scheduler: threads of a block as fibers, blocks in order.
#include "state.hpp"

#include <deque>
#include <memory>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace layoutc_rt {
namespace {

// ---- stacks and switching ----

#ifdef __x86_64__
struct Context {
    void* stack_pointer = nullptr;
};
extern "C" void layoutc_rt_switch(void** save, void* load);
asm(R"(
.text
.globl layoutc_rt_switch
.type layoutc_rt_switch,@function
layoutc_rt_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size layoutc_rt_switch,.-layoutc_rt_switch
)");
void switch_context(Context& save, Context& load) { layoutc_rt_switch(&save.stack_pointer, load.stack_pointer); }
void prepare_context(Context& context, void* stack, size_t bytes, void (*entry)()) {
    // Six saved registers, the entry point, and an empty return address that keeps the stack aligned.
    void** top = reinterpret_cast<void**>(static_cast<char*>(stack) + bytes);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; i++) *--top = nullptr;
    context.stack_pointer = top;
}
#else
struct Context {
    ucontext_t context;
};
void switch_context(Context& save, Context& load) { swapcontext(&save.context, &load.context); }
void prepare_context(Context& context, void* stack, size_t bytes, void (*entry)()) {
    getcontext(&context.context);
    context.context.uc_stack.ss_sp = stack;
    context.context.uc_stack.ss_size = bytes;
    context.context.uc_link = nullptr;
    makecontext(&context.context, entry, 0);
}
#endif

struct Fiber {
    Context context;
    char* stack;
};

constexpr size_t kGuard = 4096;

size_t stack_bytes() {
    static const size_t bytes = [] {
        const char* text = getenv("LAYOUTC_RT_STACK");
        size_t wanted = text ? strtoull(text, nullptr, 10) : 0;
        return wanted >= 16384 ? (wanted + 4095) / 4096 * 4096 : 256 * 1024;
    }();
    return bytes;
}

std::vector<Fiber*> idle_fibers;
Fiber* starting_fiber = nullptr;  // read by fiber_main on its first entry
std::vector<std::unique_ptr<Fiber>> all_fibers;

void fiber_main();

Fiber* take_fiber() {
    if (!idle_fibers.empty()) {
        Fiber* fiber = idle_fibers.back();
        idle_fibers.pop_back();
        return fiber;
    }
    auto fiber = std::make_unique<Fiber>();
    size_t bytes = stack_bytes();
    void* memory = mmap(nullptr, bytes + kGuard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) report("cannot map a thread's stack");
    mprotect(memory, kGuard, PROT_NONE);
    fiber->stack = static_cast<char*>(memory);
    prepare_context(fiber->context, fiber->stack + kGuard, bytes, fiber_main);
    all_fibers.push_back(std::move(fiber));
    return all_fibers.back().get();
}

// ---- blocks, warps, threads ----

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

// ---- barriers ----

void release_block_barrier(Block& b, Thread* current) {
    b.last_count = b.count;
    b.last_all = b.all;
    b.last_any = b.any;
    b.count = 0;
    b.all = 1;
    b.any = 0;
    b.at_barrier = 0;
    for (unsigned i = 0; i < b.next; i++) {
        Thread& t = b.threads[i];
        if (t.state == State::AtBlockBarrier && &t != current) make_ready(b, t);
    }
    if (current) current->state = State::Ready;
}

// ---- warp operations ----

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

// ---- running ----

void start_thread(Block& b, Thread& t, unsigned rank, Fiber* fiber) {
    const dim3& shape = now.config->block;
    t.rank = rank;
    t.index = b.next_index;
    if (++b.next_index.x == shape.x) {
        b.next_index.x = 0;
        if (++b.next_index.y == shape.y) b.next_index.y = 0, b.next_index.z++;
    }
    t.state = State::Ready;
    t.fiber = fiber;
    enter_thread(t);
}

void finish_thread(Block& b, Thread& t) {
    t.state = State::Done;
    b.alive--;
    unsigned warp = t.rank / warpSize;
    Warp& w = b.warps[warp];
    w.alive &= ~(1u << (t.rank % warpSize));
    if (b.at_barrier != 0 && b.at_barrier == b.alive) release_block_barrier(b, nullptr);
    for (uint32_t rest = w.waiting; rest != 0; rest &= rest - 1)
        if (try_complete_masked(b, warp, __builtin_ctz(rest), nullptr)) break;
}

// A fiber runs threads to their end one after another; only a thread that waits needs a fiber of its own.
void fiber_main() {
    Fiber* const self = starting_fiber;
    for (;;) {
        Block* b = now.block;
        while (b->next < b->threads_total && b->ready.empty()) {
            Thread& t = b->threads[b->next];
            unsigned rank = b->next++;
            start_thread(*b, t, rank, self);
            now.body(now.context);
            b = now.block;
            finish_thread(*b, t);
        }
        idle_fibers.push_back(self);
        switch_context(self->context, *now.scheduler);
    }
}

[[noreturn]] void report_deadlock(const Block& b) {
    unsigned barrier = 0, grid = 0, warp = 0;
    for (unsigned i = 0; i < b.next; i++) {
        barrier += b.threads[i].state == State::AtBlockBarrier;
        grid += b.threads[i].state == State::AtGridBarrier;
        warp += b.threads[i].state == State::AtWarpOp;
    }
    report("deadlock in kernel `%s`, block (%u,%u,%u): of %u living threads %u wait at a block barrier, %u at a grid barrier, %u at a warp operation",
           now.kernel, b.index.x, b.index.y, b.index.z, b.alive, barrier, grid, warp);
}

// Runs the block until all its threads are done (true) or wait for the grid (false).
bool run_block(Block& b) {
    Context scheduler;
    now.block = &b;
    now.scheduler = &scheduler;
    blockIdx = b.index;
    block_epoch = b.epoch;
    for (;;) {
        if (b.ready.empty() && b.next >= b.threads_total && !resolve_converged(b, false) && !b.yielded.empty()) {
            b.ready.push_back(b.yielded.front());
            b.yielded.pop_front();
        }
        if (!b.ready.empty()) {
            Thread* t = b.ready.front();
            b.ready.pop_front();
            enter_thread(*t);
            switch_context(scheduler, t->fiber->context);
            continue;
        }
        if (b.next < b.threads_total) {
            Fiber* fiber = take_fiber();
            starting_fiber = fiber;
            switch_context(scheduler, fiber->context);
            continue;
        }
        if (b.alive == 0) return true;
        if (resolve_converged(b, true)) continue;
        if (b.at_grid_barrier == b.alive) return false;
        report_deadlock(b);
    }
}

unsigned epochs = 0;

void poison_shared(Block& b) {
    for (const FileScopeShared& v : file_scope_shared()) {
        memset(v.address, kPoison, v.bytes);
        b.shared.push_back(SharedVariable{v.address, v.bytes, {}});
    }
    size_t shared = now.config->shared;
    memset(dynamic_shared, kPoison, shared);
    memset(dynamic_shared + shared, kRedZone, kDynamicSharedSlack);
}

void prepare_block(Block& b, uint3 index) {
    const dim3& shape = now.config->block;
    unsigned threads = shape.x * shape.y * shape.z;
    b.index = index;
    b.threads_total = b.alive = threads;
    b.next = b.at_barrier = b.at_grid_barrier = 0;
    b.next_index = uint3{0, 0, 0};
    b.epoch = ++epochs;
    b.threads.resize(threads);
    b.warps.resize((threads + warpSize - 1) / warpSize);
    for (unsigned w = 0; w < b.warps.size(); w++) {
        unsigned lanes = threads - w * warpSize;
        b.warps[w] = Warp{lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1, 0};
    }
    b.shared.clear();
    poison_shared(b);
}

void check_dynamic_shared() {
    for (size_t i = 0; i < kDynamicSharedSlack; i++)
        if (dynamic_shared[now.config->shared + i] != kRedZone)
            report("kernel `%s` wrote dynamic shared memory at offset %zu, but its launch asked for %zu bytes", now.kernel, now.config->shared + i, now.config->shared);
}

void save_shared(Block& b) {
    for (SharedVariable& v : b.shared) v.saved.assign((unsigned char*)v.address, (unsigned char*)v.address + v.bytes);
    b.saved_dynamic.assign(dynamic_shared, dynamic_shared + now.config->shared);
}
void restore_shared(Block& b) {
    for (SharedVariable& v : b.shared) memcpy(v.address, v.saved.data(), v.bytes);
    memcpy(dynamic_shared, b.saved_dynamic.data(), b.saved_dynamic.size());
}

template <class Visit>
void for_each_block(const dim3& grid, Visit visit) {
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) visit(uint3{x, y, z});
}

void run_blocks_in_order(const dim3& grid) {
    Block b;
    for_each_block(grid, [&](uint3 index) {
        prepare_block(b, index);
        if (!run_block(b)) report("kernel `%s` waits for the grid but was not launched as a cooperative kernel", now.kernel);
        check_dynamic_shared();
    });
}

// All blocks are alive at once; each runs until it waits for the grid.
void run_blocks_together(const dim3& grid) {
    std::vector<std::unique_ptr<Block>> blocks;
    for_each_block(grid, [&](uint3 index) {
        auto b = std::make_unique<Block>();
        prepare_block(*b, index);
        run_block(*b);
        check_dynamic_shared();
        save_shared(*b);
        blocks.push_back(std::move(b));
    });
    for (;;) {
        bool any = false;
        for (auto& b : blocks) any = any || b->alive != 0;
        if (!any) return;
        for (auto& b : blocks) {
            if (b->alive == 0) continue;
            restore_shared(*b);
            b->at_grid_barrier = 0;
            for (Thread& t : b->threads)
                if (t.state == State::AtGridBarrier) make_ready(*b, t);
            run_block(*b);
            save_shared(*b);
        }
    }
}

}  // namespace

unsigned block_epoch = 0;

bool in_kernel() { return now.config != nullptr; }
const char* current_kernel() { return now.kernel; }

std::string where() {
    if (!in_kernel()) return "in host code";
    char text[512];
    snprintf(text, sizeof text, "in kernel `%s`, block (%u,%u,%u), thread (%u,%u,%u)", now.kernel, blockIdx.x, blockIdx.y, blockIdx.z,
             threadIdx.x, threadIdx.y, threadIdx.z);
    return text;
}

bool is_fiber_guard(uintptr_t address) {
    for (const auto& fiber : all_fibers) {
        uintptr_t start = reinterpret_cast<uintptr_t>(fiber->stack);
        if (address >= start && address < start + kGuard) return true;
    }
    return false;
}

uint32_t lane_id() { return now.thread ? now.thread->rank % warpSize : 0; }
unsigned thread_rank_in_block() { return now.thread ? now.thread->rank : 0; }

int block_barrier(BarrierKind kind, int predicate) {
    if (!in_kernel()) return 0;
    Block& b = *now.block;
    Thread& t = *now.thread;
    t.state = State::AtBlockBarrier;
    b.at_barrier++;
    b.count += predicate != 0;
    b.all = b.all && predicate;
    b.any = b.any || predicate;
    if (b.at_barrier == b.alive)
        release_block_barrier(b, &t);
    else
        suspend();
    switch (kind) {
        case BarrierKind::Count: return b.last_count;
        case BarrierKind::And: return b.last_all;
        case BarrierKind::Or: return b.last_any;
        default: return 0;
    }
}

void grid_barrier() {
    if (!in_kernel()) return;
    now.thread->state = State::AtGridBarrier;
    now.block->at_grid_barrier++;
    suspend();
}

void yield_thread() {
    if (!in_kernel()) return;
    now.block->yielded.push_back(now.thread);
    suspend();
}

static WarpResult wait_in_warp(const PendingOp& op) {
    if (!in_kernel()) return WarpResult{op.value, 1};
    Block& b = *now.block;
    Thread& t = *now.thread;
    unsigned warp = t.rank / warpSize, lane = t.rank % warpSize;
    t.op = op;
    t.state = State::AtWarpOp;
    b.warps[warp].waiting |= 1u << lane;
    if (!try_complete_masked(b, warp, lane, &t)) suspend();
    return t.op.result;
}

WarpResult warp_op(WarpOp op, uint32_t mask, uint64_t value, uint32_t source) {
    uint32_t own = 1u << lane_id();
    if (in_kernel() && !(mask & own)) mask |= own;
    return wait_in_warp(PendingOp{op, mask, source, false, nullptr, value, {}});
}
WarpResult warp_op_active(WarpOp op, const void* site, uint64_t value, uint32_t source) {
    return wait_in_warp(PendingOp{op, 0, source, true, site, value, {}});
}

void shared_enter_bytes(unsigned& epoch, const volatile void* address, size_t bytes) {
    if (!in_kernel()) return;
    void* p = const_cast<void*>(address);
    // A cooperative launch comes back to blocks it has left: only the first sight in a block poisons.
    epoch = block_epoch;
    for (const SharedVariable& v : now.block->shared)
        if (v.address == p) return;
    memset(p, kPoison, bytes);
    now.block->shared.push_back(SharedVariable{p, bytes, {}});
}

SharedAtFileScope::SharedAtFileScope(const volatile void* address, size_t bytes) {
    file_scope_shared().push_back(FileScopeShared{const_cast<void*>(address), bytes});
}

cudaError_t run_grid(const LaunchConfig& config, const char* kernel, void (*body)(void*), void* context) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    const dim3& g = config.grid;
    const dim3& b = config.block;
    unsigned long long threads = (unsigned long long)b.x * b.y * b.z;
    if (threads == 0 || threads > 1024 || b.x > 1024 || b.y > 1024 || b.z > 64 || g.x == 0 || g.y == 0 || g.z == 0 || g.x > 2147483647u ||
        g.y > 65535 || g.z > 65535)
        return fail(cudaErrorInvalidConfiguration);
    if (config.shared > kDynamicSharedLimit) return fail(cudaErrorInvalidValue);

    const Running outer = now;
    const uint3 outer_thread = threadIdx, outer_block = blockIdx;
    const dim3 outer_block_dim = blockDim, outer_grid_dim = gridDim;
    const unsigned outer_epoch = block_epoch;
    const bool nested = outer.config != nullptr;
    if (nested)
        save_shared(*outer.block);
    else
        open_for_kernel();
    now = Running{&config, kernel, body, context, nullptr, nullptr, nullptr};
    blockDim = b;
    gridDim = g;
    if (config.cooperative)
        run_blocks_together(g);
    else
        run_blocks_in_order(g);
    if (!nested) check_red_zones("after kernel");
    now = outer;
    threadIdx = outer_thread;
    blockIdx = outer_block;
    blockDim = outer_block_dim;
    gridDim = outer_grid_dim;
    block_epoch = outer_epoch;
    if (nested) {
        restore_shared(*outer.block);
    } else {
        log_launch(kernel);
        close_after_kernel();
    }
    return cudaSuccess;
}

}  // namespace layoutc_rt

[[noreturn]] void layoutc_rt_trap() { layoutc_rt::report("__trap() %s", layoutc_rt::where().c_str()); }
