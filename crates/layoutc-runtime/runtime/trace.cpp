// The trace: every access of kernels to global memory, as the compiled program makes it.
//
// Programs are compiled for it with `-fsanitize=thread`, which puts a call in front of each load and store, and
// linked without the sanitiser's library: the calls come here. Shared memory, stacks and constants are left out.
//
// LAYOUTC_RT_TRACE          socket (Unix domain) that takes the trace; without it nothing is traced
// LAYOUTC_RT_TRACE_SYMBOLS  `OFFSET:BYTES,…`: variables in global memory, as offsets from the start of the image
//
// Records, all numbers little-endian, each after a byte that names it:
//   'S' place u32, kind u8, bytes u32                        a place of the code, before its first access
//   'A' base u64, bytes u64, kind u8, site i32               an allocation
//   'P' address u64, alignment u32                           a pointer argument of the launch that follows
//   'L' grid u32*3, block u32*3, dynamic shared u64, length u32, name
//   'B' block u32*3, static shared u64, threads u32, count u32 per thread, then the accesses thread by thread,
//       u64 each: address << 24 | place. A place is an offset from the start of the image.
//   'E'                                                      the launch has ended
// Addresses are offsets from kTraceBase, except those of variables: kTraceSymbols + offset in the image.
#include "state.hpp"

#include <algorithm>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern "C" char __executable_start;
extern "C" char _end;

namespace layoutc_rt {
namespace {

constexpr uintptr_t kTraceBase = 0x6c0000000000;
constexpr uint64_t kTraceSymbols = 0xf000000000;
constexpr size_t kPlaces = (size_t)1 << 24;
// Accesses of one block that are kept; more of them end the run with a message.
constexpr size_t kMostAccesses = (size_t)1 << 27;

enum AccessKind : uint8_t { kRead = 0, kWrite = 1, kAtomic = 2 };

struct SymbolRange {
    uintptr_t start, end;
};

struct Trace {
    int socket = -1;
    std::vector<SymbolRange> symbols;
    std::vector<std::vector<uint64_t>> threads;
    size_t total = 0;
    bool atomic = false;  // what follows is part of an atomic operation that is recorded
    bool on = false;      // a kernel's block is running and is no launch from within a kernel
    std::vector<bool> known;
    std::vector<char> out;

    Trace() {
        const char* path = getenv("LAYOUTC_RT_TRACE");
        if (!path) return;
        socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (strlen(path) >= sizeof address.sun_path) report("the path of the trace's socket is too long");
        strcpy(address.sun_path, path);
        if (socket < 0 || connect(socket, (sockaddr*)&address, sizeof address) != 0) report("cannot connect to %s", path);
        known.resize(kPlaces);
        threads.resize(1024);
        for (const char* text = getenv("LAYOUTC_RT_TRACE_SYMBOLS"); text && *text;) {
            char* next;
            uintptr_t start = (uintptr_t)&__executable_start + strtoull(text, &next, 10);
            uintptr_t bytes = *next == ':' ? strtoull(next + 1, &next, 10) : 0;
            symbols.push_back({start, start + bytes});
            text = *next == ',' ? next + 1 : "";
        }
        std::sort(symbols.begin(), symbols.end(), [](const SymbolRange& a, const SymbolRange& b) { return a.start < b.start; });
    }

    void send(const void* data, size_t bytes) {
        const char* p = (const char*)data;
        while (bytes != 0) {
            ssize_t sent = ::send(socket, p, bytes, MSG_NOSIGNAL);
            if (sent <= 0) report("the trace is not read any more");
            p += sent;
            bytes -= sent;
        }
    }
    void flush() {
        send(out.data(), out.size());
        out.clear();
    }
    template <class T>
    void put(T value) {
        out.insert(out.end(), (const char*)&value, (const char*)&value + sizeof value);
    }

    bool in_symbol(uintptr_t address) const {
        if (symbols.empty() || address < symbols.front().start || address >= symbols.back().end) return false;
        auto after = std::upper_bound(symbols.begin(), symbols.end(), address, [](uintptr_t a, const SymbolRange& r) { return a < r.start; });
        return after != symbols.begin() && address < std::prev(after)->end;
    }
};

Trace& trace() {
    static Trace* all = new Trace;
    return *all;
}
Trace* active_trace = nullptr;  // while the threads of a block run and are traced

__attribute__((noinline)) void note_place(Trace& t, uintptr_t place, AccessKind kind, size_t bytes) {
    if (place >= kPlaces) report("the program is too large to be traced");
    t.known[place] = true;
    t.put('S');
    t.put((uint32_t)place);
    t.put((uint8_t)kind);
    t.put((uint32_t)bytes);
}

inline void note(const volatile void* pointer, AccessKind kind, size_t bytes, void* caller) {
    Trace* t = active_trace;
    if (!t) return;
    uintptr_t address = (uintptr_t)pointer;
    uint64_t offset = address - kTraceBase;
    if (offset >> 40 != 0) {
        if (!t->in_symbol(address)) return;
        offset = kTraceSymbols + (address - (uintptr_t)&__executable_start);
    }
    if (!now.thread || (t->atomic && kind != kAtomic)) return;
    uintptr_t place = (uintptr_t)caller - (uintptr_t)&__executable_start;
    if (place >= kPlaces || !t->known[place]) note_place(*t, place, kind, bytes);
    if (++t->total > kMostAccesses) report("a block of kernel `%s` makes more than %zu accesses, too many to trace", now.kernel, kMostAccesses);
    t->threads[now.thread->rank].push_back(offset << 24 | place);
}

}  // namespace

void trace_allocation(const Allocation& a) {
    Trace& t = trace();
    if (t.socket < 0) return;
    t.put('A');
    t.put((uint64_t)(a.base - kTraceBase));
    t.put((uint64_t)a.bytes);
    t.put((uint8_t)a.kind);
    t.put((int32_t)a.site);
}

void trace_pointer(const void* p, size_t alignment) {
    Trace& t = trace();
    if (t.socket < 0 || in_kernel()) return;
    t.put('P');
    t.put((uint64_t)((uintptr_t)p - kTraceBase));
    t.put((uint32_t)alignment);
}

// Launches from kernels are not traced.
void trace_launch(const LaunchConfig& config, const char* kernel) {
    Trace& t = trace();
    if (t.socket < 0) return;
    t.put('L');
    for (unsigned n : {config.grid.x, config.grid.y, config.grid.z, config.block.x, config.block.y, config.block.z}) t.put((uint32_t)n);
    t.put((uint64_t)config.shared);
    t.put((uint32_t)strlen(kernel));
    t.out.insert(t.out.end(), kernel, kernel + strlen(kernel));
    active_trace = &t;
}

void trace_launch_end() {
    Trace& t = trace();
    active_trace = nullptr;
    if (t.socket < 0) return;
    t.put('E');
    t.flush();
}

void trace_block(const uint3& index, size_t shared, unsigned threads) {
    if (!active_trace) return;
    Trace& t = *active_trace;
    t.put('B');
    for (unsigned n : {index.x, index.y, index.z}) t.put((uint32_t)n);
    t.put((uint64_t)shared);
    t.put((uint32_t)threads);
    for (unsigned i = 0; i < threads; i++) t.put((uint32_t)t.threads[i].size());
    t.flush();
    for (unsigned i = 0; i < threads; i++) {
        t.send(t.threads[i].data(), t.threads[i].size() * sizeof(uint64_t));
        t.threads[i].clear();
    }
    t.total = 0;
}

TracePause::TracePause() : was_(active_trace) { active_trace = nullptr; }
TracePause::~TracePause() { active_trace = (Trace*)was_; }

void note_atomic(const volatile void* address, size_t bytes) {
    note(address, kAtomic, bytes, __builtin_return_address(0));
    if (active_trace) active_trace->atomic = true;
}
void note_plain() {
    if (active_trace) active_trace->atomic = false;
}

}  // namespace layoutc_rt

// ---- what the compiler calls ----

#define LAYOUTC_RT_NOTED(name, kind, bytes) \
    extern "C" void name(void* p) { layoutc_rt::note(p, layoutc_rt::kind, bytes, __builtin_return_address(0)); }
#define LAYOUTC_RT_NOTED_SIZES(prefix, kind) \
    LAYOUTC_RT_NOTED(prefix##1, kind, 1)     \
    LAYOUTC_RT_NOTED(prefix##2, kind, 2)     \
    LAYOUTC_RT_NOTED(prefix##4, kind, 4)     \
    LAYOUTC_RT_NOTED(prefix##8, kind, 8)     \
    LAYOUTC_RT_NOTED(prefix##16, kind, 16)
LAYOUTC_RT_NOTED_SIZES(__tsan_read, kRead)
LAYOUTC_RT_NOTED_SIZES(__tsan_write, kWrite)
LAYOUTC_RT_NOTED_SIZES(__tsan_unaligned_read, kRead)
LAYOUTC_RT_NOTED_SIZES(__tsan_unaligned_write, kWrite)
LAYOUTC_RT_NOTED_SIZES(__tsan_volatile_read, kRead)
LAYOUTC_RT_NOTED_SIZES(__tsan_volatile_write, kWrite)
LAYOUTC_RT_NOTED_SIZES(__tsan_unaligned_volatile_read, kRead)
LAYOUTC_RT_NOTED_SIZES(__tsan_unaligned_volatile_write, kWrite)
extern "C" void __tsan_read_range(void* p, size_t bytes) { layoutc_rt::note(p, layoutc_rt::kRead, bytes, __builtin_return_address(0)); }
extern "C" void __tsan_write_range(void* p, size_t bytes) { layoutc_rt::note(p, layoutc_rt::kWrite, bytes, __builtin_return_address(0)); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void**, void*) {}
extern "C" void __tsan_vptr_read(void**) {}
extern "C" void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
extern "C" void __tsan_atomic_signal_fence(int) {}

// The compiler's own atomic operations come from host code, or are volatile accesses of a program's own making.
#define LAYOUTC_RT_FETCH(bits, T, name)                                                       \
    extern "C" T __tsan_atomic##bits##_fetch_##name(volatile T* p, T v, int) {                \
        layoutc_rt::note(p, layoutc_rt::kAtomic, sizeof(T), __builtin_return_address(0));     \
        return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                                 \
    }
#define LAYOUTC_RT_COMPARE(bits, T, name)                                                     \
    extern "C" int __tsan_atomic##bits##_compare_exchange_##name(volatile T* p, T* c, T v, int, int) { \
        layoutc_rt::note(p, layoutc_rt::kAtomic, sizeof(T), __builtin_return_address(0));     \
        return __atomic_compare_exchange_n(p, c, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    }
#define LAYOUTC_RT_ATOMICS(bits, T)                                                           \
    extern "C" T __tsan_atomic##bits##_load(const volatile T* p, int) {                       \
        layoutc_rt::note(p, layoutc_rt::kRead, sizeof(T), __builtin_return_address(0));       \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                          \
    }                                                                                         \
    extern "C" void __tsan_atomic##bits##_store(volatile T* p, T v, int) {                    \
        layoutc_rt::note(p, layoutc_rt::kWrite, sizeof(T), __builtin_return_address(0));      \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                             \
    }                                                                                         \
    extern "C" T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) {                    \
        layoutc_rt::note(p, layoutc_rt::kAtomic, sizeof(T), __builtin_return_address(0));     \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                   \
    }                                                                                         \
    LAYOUTC_RT_FETCH(bits, T, add)                                                            \
    LAYOUTC_RT_FETCH(bits, T, sub)                                                            \
    LAYOUTC_RT_FETCH(bits, T, and)                                                            \
    LAYOUTC_RT_FETCH(bits, T, or)                                                             \
    LAYOUTC_RT_FETCH(bits, T, xor)                                                            \
    LAYOUTC_RT_FETCH(bits, T, nand)                                                           \
    LAYOUTC_RT_COMPARE(bits, T, strong)                                                       \
    LAYOUTC_RT_COMPARE(bits, T, weak)
LAYOUTC_RT_ATOMICS(8, uint8_t)
LAYOUTC_RT_ATOMICS(16, uint16_t)
LAYOUTC_RT_ATOMICS(32, uint32_t)
LAYOUTC_RT_ATOMICS(64, uint64_t)
