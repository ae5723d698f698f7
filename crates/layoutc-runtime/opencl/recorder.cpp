// Linked with an instrumented OpenCL program, behind guard.c: puts what the instruments stand for in front of each text
// that the program builds, and sums up what its kernels then do.
//
// Kernels can call no function of the host. They write into a ring, in memory that a CPU device shares with the host, and
// a thread of the host reads it: two words for each access, the beginning and the end of each loop, each of its trips,
// and the beginning of each work-item. A kernel waits where the ring is full.
//
// PoCL runs the work-items of a work-group one after another, each to the next barrier; with POCL_MAX_PTHREAD_COUNT=1
// work-groups do not run side by side. So the logs of a warp's work-items (32 of them, by local linear id) are put
// together when the next warp's turn comes. Where a work-item does a great deal between two barriers, only some of the
// trips of its loops are kept, the same for all of its warp, and they stand for the others.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CL_TARGET_OPENCL_VERSION 120
#include "profile_sums.hpp"

#include <CL/cl.h>

#include <atomic>
#include <dlfcn.h>
#include <iterator>
#include <mutex>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <thread>

extern "C" int layoutc_is_on_cpus(cl_context context);

namespace layoutc_rt {

void profile_failed(const std::string& sentence) {
    fprintf(stderr, "layoutc: %s\n", sentence.c_str());
    _exit(97);
}

namespace {

constexpr uint64_t kPlaces = 1 << 16;       // of the ring
constexpr size_t kWarpLog = (size_t)1 << 20;  // accesses in the logs of one warp
constexpr uint32_t kMostRate = 1 << 14;
// Where the ring lies if the system agrees: PoCL's cache knows kernels by their text, which names the address.
void* const kRingAddress = (void*)0x6d0000000000;

// The first of the two words: what, and the number of the access, loop or kernel; the work-item's local linear id.
enum Event : uint32_t { kAccessed = 0, kEntered = 1, kNext = 2, kLeft = 3, kBegun = 4, kShape = 5 };

struct Ring {
    alignas(64) uint64_t written;
    alignas(64) uint64_t read;
    alignas(64) uint64_t words[2 * kPlaces];
};

const char kPrelude[] = R"(
#ifndef layoutcAt
#define layoutcRing ((volatile __global ulong *)0x%lxUL)
#define layoutcItem (get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)))
#define layoutcNote(what, number, place) ({ \
    const ulong layoutcTurn = layoutcRing[0]; \
    while (layoutcTurn - __atomic_load_n(layoutcRing + 8, __ATOMIC_ACQUIRE) >= %lu) {} \
    layoutcRing[16 + 2 * (layoutcTurn %% %lu)] = (ulong)(what) << 60 | (ulong)(number) << 32 | (uint)layoutcItem; \
    layoutcRing[17 + 2 * (layoutcTurn %% %lu)] = (ulong)(place); \
    __atomic_store_n(layoutcRing, layoutcTurn + 1, __ATOMIC_RELEASE); })
#define layoutcAt(number, ...) (*({ __auto_type layoutcPlace = &(__VA_ARGS__); layoutcNote(0, number, layoutcPlace); layoutcPlace; }))
#define layoutcEnter(number) layoutcNote(1, number, 0)
#define layoutcNext(number) layoutcNote(2, number, 0)
#define layoutcLeave(number) layoutcNote(3, number, 0)
#define layoutcResult(number, ...) ({ __auto_type layoutcValue = (__VA_ARGS__); layoutcLeave(number); layoutcValue; })
#define layoutcShape(axis) layoutcNote(5, axis, (ulong)get_num_groups(axis) << 32 | (uint)get_local_size(axis))
#define layoutcKernel(number) ({ layoutcNote(4, number, 0); \
    if (layoutcItem == 0 && get_group_id(0) == 0 && get_group_id(1) == 0 && get_group_id(2) == 0) { \
        layoutcShape(0); layoutcShape(1); layoutcShape(2); } })
#endif
#line 1
)";

std::mutex buffers_lock;
std::map<uint64_t, uint64_t> buffers;  // first bytes, and those behind the last
std::vector<uint64_t> released;        // that logs may still speak of
std::atomic<unsigned> generation{1};   // changes with `buffers`

// Where the buffer begins that an address is in; 0 if it is in none. The thread that reads the ring asks, and no other.
uint64_t base_of_buffer(uint64_t address) {
    static uint64_t first = 0, end = 0;
    static unsigned known = 0;
    if (known == generation && address >= first && address < end) return first;
    std::lock_guard<std::mutex> held(buffers_lock);
    auto behind = buffers.upper_bound(address);
    if (behind == buffers.begin()) return 0;
    --behind;
    if (address >= behind->second) return 0;
    known = generation, first = behind->first, end = behind->second;
    return first;
}

struct Recorder : ProfileSums {
    Ring* ring;
    std::atomic<unsigned> asked{0}, done{0};  // times that the sums were wanted as they are, and that they were
    // Of the thread that reads the ring:
    std::vector<ThreadLog> items;
    std::vector<bool> begun;
    unsigned highest = 0;  // behind the last work-item that has begun
    unsigned warp = 0;     // the one whose turn it is
    size_t logged = 0;     // accesses in its logs
    uint32_t rate = 1;
    unsigned shape[6] = {};
    std::string prelude;

    Recorder() : ProfileSums(base_of_buffer) {
        void* memory = mmap(kRingAddress, sizeof(Ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) profile_failed("there is no memory to record in");
        ring = (Ring*)memory;
        char text[sizeof kPrelude + 64];
        snprintf(text, sizeof text, kPrelude, (unsigned long)(uintptr_t)ring, (unsigned long)kPlaces, (unsigned long)kPlaces,
                 (unsigned long)kPlaces);
        prelude = text + 1;
        items.resize(4096);
        begun.resize(4096);
        std::thread([this] { run(); }).detach();
    }

    void run() {
        for (unsigned idle = 0;; idle++) {
            const unsigned wanted = asked;
            const uint64_t end = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
            uint64_t at = ring->read;
            if (at != end) idle = 0;
            while (at != end) {
                // In parts, so that kernels need not wait for the last one.
                const uint64_t stop = std::min(end, at + 4096);
                for (; at != stop; at++) take(ring->words[2 * (at % kPlaces)], ring->words[2 * (at % kPlaces) + 1]);
                __atomic_store_n(&ring->read, at, __ATOMIC_RELEASE);
            }
            if (wanted != done) {
                end_group();
                done = wanted;
            }
            if (idle < 1000)
                sched_yield();
            else
                usleep(200);
        }
    }

    void take(uint64_t first, uint64_t second) {
        const unsigned item = (uint32_t)first, number = first >> 32 & 0x0fffffff;
        if (item >= items.size()) {
            items.resize(item + 1);
            begun.resize(item + 1);
        }
        if (first >> 60 == kBegun) {
            if (begun[item] || (int)number != kernel) end_group();
            kernel = (int)number;
            begun[item] = true;
            highest = std::max(highest, item + 1);
        }
        if (item / 32 != warp) {
            drain();
            warp = item / 32;
        }
        ThreadLog& log = items[item];
        switch (first >> 60) {
        case kAccessed: accessed(log, number, second); break;
        case kEntered: enter(log, number); break;
        case kNext: next(log, number); break;
        case kLeft: leave(log, number); break;
        case kBegun: break;
        case kShape:
            if (number > 2) break;
            shape[number] = second >> 32;
            shape[3 + number] = (uint32_t)second;
            if (number == 2) launched(kernel, shape);
            break;
        }
    }

    void accessed(ThreadLog& log, unsigned instruction, uint64_t address) {
        // Memory of the work-group or the work-item is no global memory.
        if (instruction >= header->instructions || base_of(address) == 0) return;
        if (!is_in_sample(lot_of(log.position), rate)) return;
        access(log, instruction, address);
        if (++logged < kWarpLog || rate == kMostRate) return;
        rate *= 2;
        logged = 0;
        for (unsigned lane = 0; lane < 32 && 32 * warp + lane < items.size(); lane++) {
            auto& kept = items[32 * warp + lane].log;
            auto is_out = [this](const LoggedAccess& a) { return !is_in_sample(a.key >> 48, rate); };
            kept.erase(std::remove_if(kept.begin(), kept.end(), is_out), kept.end());
            logged += kept.size();
        }
    }

    void drain() {
        if (logged != 0) drain_warp(&items[32 * warp], std::min<size_t>(32, items.size() - 32 * warp), warp, rate);
        logged = 0;
        rate = 1;
    }

    void end_group() {
        drain();
        end_block(highest);
        for (unsigned item = 0; item < highest; item++) {
            items[item].restart();
            begun[item] = false;
        }
        highest = warp = 0;
        std::lock_guard<std::mutex> held(buffers_lock);
        if (released.empty()) return;
        for (uint64_t first : released) buffers.erase(first);
        released.clear();
        generation++;
    }

    // Until all that is in the ring now was taken.
    void catch_up() {
        const uint64_t end = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE);
        while ((int64_t)(__atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) - end) < 0) sched_yield();
    }

    // Until the sums have all that was written to the ring before, but no longer than `milliseconds`.
    void finish(unsigned milliseconds) {
        const unsigned own = ++asked;
        for (unsigned waited = 0; (int)(done - own) < 0 && waited < milliseconds; waited++) usleep(1000);
    }
};

// Null until the program builds its first text, and where nothing is recorded.
Recorder* recorder = nullptr;

void finish() {
    if (recorder) recorder->finish(60000);
}

constexpr int kSignals[] = {SIGABRT, SIGBUS, SIGSEGV};
struct sigaction others[std::size(kSignals)];  // what was to be done at them

// A program that ends by a signal ends by it; what was recorded is kept. The signal may have met the thread that reads
// the ring, or one that holds what that needs, so it is not waited for long.
void end_by(int signal, siginfo_t* info, void*) {
    if (recorder) recorder->finish(1000);
    for (size_t i = 0; i < std::size(kSignals); i++)
        if (kSignals[i] == signal) sigaction(signal, &others[i], nullptr);
    // A fault comes again, as it was.
    if (signal == SIGABRT || info->si_code <= 0) raise(signal);
}

// Compilers of kernels set handlers of their own, so it is said again behind them.
void watch_signals() {
    for (size_t i = 0; i < std::size(kSignals); i++) {
        struct sigaction own = {}, before = {};
        own.sa_sigaction = end_by;
        own.sa_flags = SA_SIGINFO;
        if (sigaction(kSignals[i], &own, &before) == 0 && before.sa_sigaction != end_by) others[i] = before;
    }
}

}  // namespace
}  // namespace layoutc_rt

using namespace layoutc_rt;

// What guard.c tells.
extern "C" void layoutc_recorder_buffer(void* first, size_t size) {
    std::lock_guard<std::mutex> held(buffers_lock);
    const uint64_t start = (uint64_t)first, end = start + size;
    for (auto at = buffers.begin(); at != buffers.end();) at = at->first < end && start < at->second ? buffers.erase(at) : std::next(at);
    released.erase(std::remove(released.begin(), released.end(), start), released.end());
    buffers[start] = end;
    generation++;
}
extern "C" void layoutc_recorder_release(void* first) {
    if (recorder) recorder->catch_up();
    std::lock_guard<std::mutex> held(buffers_lock);
    released.push_back((uint64_t)first);
}
extern "C" void layoutc_recorder_launched(void) {
    if (recorder) watch_signals();
}
extern "C" void layoutc_recorder_finish(void) { finish(); }

extern "C" cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** strings, const size_t* lengths, cl_int* error) {
    typedef cl_program Create(cl_context, cl_uint, const char**, const size_t*, cl_int*);
    Create* const create = (Create*)dlsym(RTLD_NEXT, "clCreateProgramWithSource");
    if (!create) profile_failed("libOpenCL has no clCreateProgramWithSource");
    static std::once_flag once;
    std::call_once(once, [] {
        recorder = new Recorder;
        if (!recorder->header) profile_failed("$LAYOUTC_RT_PROFILE names no file");
        atexit(finish);
    });
    if (!layoutc_is_on_cpus(context)) profile_failed("kernels are recorded on CPU devices only, and the program uses another one");
    if (count == 0 || !strings) return create(context, count, strings, lengths, error);
    std::vector<const char*> texts(strings, strings + count);
    texts.insert(texts.begin(), recorder->prelude.c_str());
    std::vector<size_t> sizes(count + 1);
    sizes[0] = recorder->prelude.size();
    for (cl_uint i = 0; i < count; i++) sizes[i + 1] = lengths ? lengths[i] : 0;
    return create(context, count + 1, texts.data(), sizes.data(), error);
}
