// Linked with an instrumented OpenCL program, behind guard.c: puts what the instruments stand for in front of each text
// that the program builds, and sums up what its kernels then do.
//
// Kernels can call no function of the host. They write into queues, in memory that a CPU device shares with the host, and a
// thread of the host reads them: two words for each access, the beginning and the end of each loop, each of its trips,
// and the beginning of each work-item. A kernel waits where a queue is full.
//
// Each work-item of a group has a queue of its own: PoCL may split a note at a barrier, for compilers move what both ways of a
// branch begin with in front of it, and runs the first half for all work-items before the second. What one work-item
// does stays in order.
//
// With POCL_MAX_PTHREAD_COUNT=1 work-groups do not run side by side: where a work-item begins again, all others of its
// group have ended. Then the logs of a warp's work-items (32 of them, by local linear id) are put together. Where a
// group does a great deal, only some of the trips of its loops are kept, the same for all, and they stand for the others.
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
extern "C" size_t layoutc_largest_group(cl_context context);

namespace layoutc_rt {

void profile_failed(const std::string& sentence) {
    fprintf(stderr, "layoutc: %s\n", sentence.c_str());
    _exit(97);
}

namespace {

constexpr uint64_t kItems = 8192;            // of a group at most
constexpr uint64_t kPlaces = 512;            // of a queue
constexpr size_t kGroupLog = (size_t)1 << 22;  // accesses in the logs of one group
constexpr uint32_t kMostRate = 1 << 14;
// Where the queues lie if the system agrees: PoCL's cache knows kernels by their text, which names the address.
void* const kQueuesAddress = (void*)0x6d0000000000;

// The first of the two words: what (4 bits), the number of the access, loop or kernel (28 bits).
enum Event : uint32_t { kAccessed = 0, kEntered = 1, kNext = 2, kLeft = 3, kBegun = 4, kShape = 5 };

struct Head {
    alignas(64) uint64_t written;
    alignas(64) uint64_t read;
};
struct Queues {
    Head heads[kItems];
    uint64_t words[kItems][kPlaces][2];
};

const char kPrelude[] = R"(
#ifndef layoutcAt
#define layoutcItem (get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)))
#define layoutcHead ((volatile __global ulong *)0x%lxUL + 16 * layoutcItem)
#define layoutcNote(what, number, place) ({ \
    const ulong layoutcTurn = layoutcHead[0]; \
    while (layoutcTurn - __atomic_load_n(layoutcHead + 8, __ATOMIC_ACQUIRE) >= %lu) {} \
    volatile __global ulong *layoutcWords = (volatile __global ulong *)0x%lxUL + 2 * (%lu * layoutcItem + layoutcTurn %% %lu); \
    layoutcWords[0] = (ulong)(what) << 28 | (number); \
    layoutcWords[1] = (ulong)(place); \
    __atomic_store_n(layoutcHead, layoutcTurn + 1, __ATOMIC_RELEASE); })
#define layoutcAt(number, ...) (*layoutcTo(number, &(__VA_ARGS__)))
#define layoutcTo(number, ...) ({ __auto_type layoutcPlace = (__VA_ARGS__); layoutcNote(0, number, layoutcPlace); layoutcPlace; })
#define layoutcEnter(number) layoutcNote(1, number, 0)
#define layoutcNext(number) layoutcNote(2, number, 0)
#define layoutcLeave(number) layoutcNote(3, number, 0)
#define layoutcResult(number, ...) ({ __auto_type layoutcValue = (__VA_ARGS__); layoutcLeave(number); layoutcValue; })
#define layoutcShape(axis) layoutcNote(5, axis, (ulong)get_num_groups(axis) << 32 | (uint)get_local_size(axis))
#define layoutcKernel(number) ({ \
    layoutcNote(4, number, get_local_size(0) * get_local_size(1) * get_local_size(2)); \
    if (layoutcItem == 0 && get_group_id(0) == 0 && get_group_id(1) == 0 && get_group_id(2) == 0) { \
        layoutcShape(0); layoutcShape(1); layoutcShape(2); } })
#endif
#line 1
)";

std::mutex buffers_lock;
std::map<uint64_t, uint64_t> buffers;  // first bytes, and those behind the last
std::vector<uint64_t> released;        // that logs may still speak of
std::atomic<unsigned> generation{1};   // changes with `buffers`

// Where the buffer begins that an address is in; 0 if it is in none. The thread that reads the queues asks, and no other.
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
    Queues* queues;
    std::atomic<unsigned> asked{0}, done{0};    // times that all that was written was to be read, and that it was
    std::atomic<unsigned> closed_for{0};        // the last time that the group was to be closed, too
    // Of the thread that reads the queues:
    std::vector<ThreadLog> items;
    std::vector<bool> begun;
    size_t size = 0;    // of the group that runs; 0 where none does
    size_t logged = 0;  // accesses in its logs
    uint32_t rate = 1;
    unsigned shape[6] = {};
    std::string prelude;

    Recorder() : ProfileSums(base_of_buffer) {
        void* memory = mmap(kQueuesAddress, sizeof(Queues), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) profile_failed("there is no memory to record in");
        queues = (Queues*)memory;
        char text[sizeof kPrelude + 128];
        typedef unsigned long Word;
        snprintf(text, sizeof text, kPrelude, (Word)queues->heads, (Word)kPlaces, (Word)queues->words, (Word)kPlaces, (Word)kPlaces);
        prelude = text + 1;
        items.resize((kItems + 31) / 32 * 32);
        begun.resize(items.size());
        std::thread([this] { run(); }).detach();
    }

    void run() {
        for (unsigned idle = 0;; idle++) {
            const unsigned wanted = asked;
            if (read_group()) {
                idle = 0;
            } else if (wanted != done) {
                if ((int)(closed_for - done) > 0) end_group();
                done = wanted;
            } else if (idle < 1000) {
                sched_yield();
            } else {
                usleep(200);
            }
        }
    }

    // Reads what there is of the group that runs, and ends it where the next one has begun. Whether there was anything.
    bool read_group() {
        // Looked at first: what is behind it was written after all of this group.
        const bool is_over = size != 0 && begins_again(0);
        bool is_any = size == 0 && read_item(0);
        for (size_t item = 0; item < size; item++) is_any |= read_item(item);
        if (!is_over) return is_any;
        end_group();
        return true;
    }

    bool begins_again(size_t item) const {
        const Head& head = queues->heads[item];
        if (!begun[item] || head.read == __atomic_load_n(&head.written, __ATOMIC_ACQUIRE)) return false;
        return queues->words[item][head.read % kPlaces][0] >> 28 == kBegun;
    }

    // To where the work-item begins again.
    bool read_item(size_t item) {
        Head& head = queues->heads[item];
        const uint64_t start = head.read, end = __atomic_load_n(&head.written, __ATOMIC_ACQUIRE);
        uint64_t at = start;
        for (; at != end; at++) {
            const uint64_t* words = queues->words[item][at % kPlaces];
            const unsigned number = words[0] & 0xfffffff;
            if (words[0] >> 28 == kBegun) {
                if (begun[item]) break;
                begun[item] = true;
                if (size == 0) kernel = (int)number, size = std::min<uint64_t>(words[1], kItems);
            } else {
                take(items[item], words[0] >> 28, number, words[1]);
            }
        }
        __atomic_store_n(&head.read, at, __ATOMIC_RELEASE);
        return at != start;
    }

    void take(ThreadLog& log, uint64_t what, unsigned number, uint64_t word) {
        switch (what) {
        case kAccessed: accessed(log, number, word); break;
        case kEntered: enter(log, number); break;
        case kNext: next(log, number); break;
        case kLeft: leave(log, number); break;
        case kShape:
            if (number > 2) break;
            shape[number] = word >> 32;
            shape[3 + number] = (uint32_t)word;
            if (number == 2) launched(kernel, shape);
            break;
        }
    }

    void accessed(ThreadLog& log, unsigned instruction, uint64_t address) {
        // Memory of the work-group or the work-item is no global memory.
        if (instruction >= header->instructions || base_of(address) == 0) return;
        if (!is_in_sample(lot_of(log.position), rate)) return;
        access(log, instruction, address);
        if (++logged < kGroupLog || rate == kMostRate) return;
        rate *= 2;
        logged = 0;
        for (size_t item = 0; item < size; item++) {
            auto& kept = items[item].log;
            auto is_out = [this](const LoggedAccess& a) { return !is_in_sample(a.key >> 48, rate); };
            kept.erase(std::remove_if(kept.begin(), kept.end(), is_out), kept.end());
            logged += kept.size();
        }
    }

    void end_group() {
        for (size_t first = 0; first < size; first += 32) drain_warp(&items[first], std::min<size_t>(32, size - first), first / 32, rate);
        end_block(size);
        for (size_t item = 0; item < size; item++) {
            items[item].restart();
            begun[item] = false;
        }
        size = logged = 0;
        rate = 1;
        std::lock_guard<std::mutex> held(buffers_lock);
        if (released.empty()) return;
        for (uint64_t first : released) buffers.erase(first);
        released.clear();
        generation++;
    }

    // Until all was read that had been written, but no longer than `milliseconds`; also into the sums, if nothing more comes.
    void finish(unsigned milliseconds, bool closes) {
        const unsigned own = ++asked;
        if (closes) closed_for = own;
        for (unsigned waited = 0; (int)(done - own) < 0 && waited < 10 * milliseconds; waited++) usleep(100);
    }
};

// Null until the program builds its first text, and where nothing is recorded.
Recorder* recorder = nullptr;

void finish() {
    if (recorder) recorder->finish(60000, true);
}

constexpr int kSignals[] = {SIGABRT, SIGBUS, SIGSEGV};
struct sigaction others[std::size(kSignals)];  // what was to be done at them

// A program that ends by a signal ends by it; what was recorded is kept. The signal may have met the thread that reads
// the queues, or one that holds what that needs, so it is not waited for long.
void end_by(int signal, siginfo_t* info, void*) {
    if (recorder) recorder->finish(1000, true);
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
    if (recorder) recorder->finish(100, false);
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
    if (layoutc_largest_group(context) > kItems) profile_failed("the device's work-groups are too large to be recorded");
    if (count == 0 || !strings) return create(context, count, strings, lengths, error);
    std::vector<const char*> texts(strings, strings + count);
    texts.insert(texts.begin(), recorder->prelude.c_str());
    std::vector<size_t> sizes(count + 1);
    sizes[0] = recorder->prelude.size();
    for (cl_uint i = 0; i < count; i++) sizes[i + 1] = lengths ? lengths[i] : 0;
    return create(context, count + 1, texts.data(), sizes.data(), error);
}
