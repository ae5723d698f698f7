// Recording on the runtime: what programs with include/layoutc/profile.hpp call.
#include "profile_sums.hpp"
#include "state.hpp"

namespace layoutc_rt {
namespace {

constexpr uint64_t kDeviceAddresses = 0x6c0000000000;
// Records that the logs of a block hold together, unless each thread has fewer than kLeastLog.
constexpr size_t kBlockLog = (size_t)1 << 21, kLeastLog = 512;

const Allocation* last_allocation = nullptr;

uint64_t base_of_allocation(uint64_t address) {
    const Allocation*& last = last_allocation;
    if (!last || !last->live || address < last->base || address >= last->base + last->bytes) last = find_allocation(address);
    return last ? last->base : 0;
}

struct Profile : ProfileSums {
    std::map<const void*, std::vector<ThreadLog>> blocks;  // those of a cooperative launch run in turns
    const void* block = nullptr;
    std::vector<ThreadLog>* threads = nullptr;  // of `block`

    Profile() : ProfileSums(base_of_allocation) {}

    ThreadLog& log_of(const void* of, unsigned rank) {
        if (of != block) {
            block = of;
            threads = &blocks[of];
        }
        if (threads->size() <= rank) threads->resize(1024);
        return (*threads)[rank];
    }

    void drain(const void* of, unsigned count, bool is_end) {
        for (unsigned start = 0; start < count; start += 32) {
            ThreadLog* const warp = &log_of(of, start);
            drain_warp(warp, std::min(32u, count - start), start / 32);
            if (is_end)
                for (unsigned lane = 0; lane < 32; lane++) warp[lane].restart();
        }
        if (is_end) end_block(count);
    }
};

Profile& profile() {
    static Profile* all = new Profile;
    return *all;
}
// While the blocks of a launch run that the host made; else null.
Profile* active_profile = nullptr;
unsigned launch_shape[6];
bool launch_is_counted = false;

ThreadLog* thread_log() {
    return active_profile && now.thread ? &active_profile->log_of(now.block, now.thread->rank) : nullptr;
}

// Shared memory, stacks and constants' copies on them are no global memory.
bool is_device_variable(uintptr_t address) {
    if (address < (uintptr_t)&__executable_start || address >= (uintptr_t)&_end) return false;
    const uintptr_t dynamic = (uintptr_t)dynamic_shared;
    if (address >= dynamic && address < dynamic + now.config->shared + kDynamicSharedSlack) return false;
    for (const SharedVariable& v : now.block->shared)
        if (address >= (uintptr_t)v.address && address < (uintptr_t)v.address + v.bytes) return false;
    return true;
}

}  // namespace

void profile_launch(const LaunchConfig& config) {
    Profile& p = profile();
    if (!p.header) return;
    active_profile = &p;
    p.kernel = -1;
    last_allocation = nullptr;
    const unsigned shape[6] = {config.grid.x, config.grid.y, config.grid.z, config.block.x, config.block.y, config.block.z};
    memcpy(launch_shape, shape, sizeof shape);
    launch_is_counted = false;
}
void profile_launch_end() {
    if (!active_profile) return;
    active_profile->blocks.clear();
    active_profile->block = nullptr;
    active_profile = nullptr;
}
void profile_block(const void* block, unsigned threads, bool is_done) {
    if (active_profile) active_profile->drain(block, threads, is_done);
}

ProfilePause::ProfilePause() : was_(active_profile) { active_profile = nullptr; }
ProfilePause::~ProfilePause() { active_profile = (Profile*)was_; }

void profile_kernel(unsigned kernel) {
    if (!active_profile || !now.thread) return;
    active_profile->kernel = (int)kernel;
    if (launch_is_counted) return;
    launch_is_counted = true;
    active_profile->launched(kernel, launch_shape);
}

void profile_access(unsigned instruction, const volatile void* place) {
    ThreadLog* t = thread_log();
    uintptr_t address = (uintptr_t)place;
    if (!t || instruction >= active_profile->header->instructions) return;
    if ((address - kDeviceAddresses) >> 40 != 0 && !is_device_variable(address)) return;
    active_profile->access(*t, instruction, address);
    const dim3& block = now.config->block;
    size_t threads = (size_t)block.x * block.y * block.z, most = std::max(kLeastLog, kBlockLog / threads);
    if (t->log.size() < most) return;
    // The others catch up, so that their logs can be put together.
    yield_thread();
    if (t->log.size() >= most) active_profile->drain(now.block, (unsigned)threads, false);
}

void profile_enter(unsigned loop) {
    if (ThreadLog* t = thread_log()) active_profile->enter(*t, loop);
}
void profile_next(unsigned loop) {
    if (ThreadLog* t = thread_log()) Profile::next(*t, loop);
}
void profile_leave(unsigned loop) {
    if (ThreadLog* t = thread_log()) Profile::leave(*t, loop);
}
void profile_failed(const std::string& sentence) { report("%s", sentence.c_str()); }

}  // namespace layoutc_rt
