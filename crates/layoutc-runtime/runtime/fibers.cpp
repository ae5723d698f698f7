// The scheduler: threads of a block as fibers, blocks in order.
#include "warp.hpp"

namespace layoutc_rt {
namespace {

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

void trace_end_of(const Block& b) {
    size_t shared = 0;
    for (const SharedVariable& v : b.shared) shared += v.bytes;
    trace_block(b.index, shared, b.threads_total);
    profile_block(&b, b.threads_total, b.alive == 0);
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
        trace_end_of(b);
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
        trace_end_of(*b);
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
            trace_end_of(*b);
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
    const auto run_blocks = [&] { config.cooperative ? run_blocks_together(g) : run_blocks_in_order(g); };
    if (nested) {
        TracePause trace_pause;
        ProfilePause profile_pause;
        run_blocks();
    } else {
        trace_launch(config, kernel);
        profile_launch(config);
        run_blocks();
        profile_launch_end();
        trace_launch_end();
    }
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
