// Allocations with guard pages and red zones, and their protection.
#include "state.hpp"

#include <algorithm>
#include <map>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

namespace layoutc_rt {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = (size_t)2 << 20;
constexpr size_t kAlignment = 256;
constexpr size_t kTotalMemory = (size_t)8 << 30;
// Beyond this much of one allocation poisoning would only cost time and real memory.
constexpr size_t kPoisonLimit = (size_t)1 << 30;

// Device memory lies at the same addresses in every run, so that a printed or stored pointer does not differ.
uintptr_t next_region = 0x6c0000000000;
size_t used_bytes = 0;
unsigned ordinals = 0;
std::map<int, int> occurrences;

size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

bool mapped(const Allocation& a) { return a.kind == MemoryKind::Device || a.kind == MemoryKind::Managed || a.kind == MemoryKind::Pinned; }
bool protecting() {
    static const bool on = [] {
        const char* text = getenv("LAYOUTC_RT_PROTECT");
        return !text || strcmp(text, "0") != 0;
    }();
    return on;
}

const char* kind_name(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::Device: return "device";
        case MemoryKind::Managed: return "managed";
        case MemoryKind::Pinned: return "pinned host";
        case MemoryKind::Registered: return "registered host";
        default: return "symbol";
    }
}

// ---- allocation ----

void fill_red_zones(const Allocation& a) {
    memset((void*)a.pages, kRedZone, a.base - a.pages);
    memset((void*)(a.base + a.bytes), kRedZone, a.pages + a.page_bytes - a.base - a.bytes);
}

// Offset from the allocation's first byte of a damaged red-zone byte; false where all are whole.
bool damaged_red_zone(const Allocation& a, long long* offset) {
    for (uintptr_t p = a.pages; p < a.base; p++)
        if (*(unsigned char*)p != kRedZone) return *offset = (long long)p - (long long)a.base, true;
    for (uintptr_t p = a.base + a.bytes; p < a.pages + a.page_bytes; p++)
        if (*(unsigned char*)p != kRedZone) return *offset = (long long)p - (long long)a.base, true;
    return false;
}

void check_red_zone(const Allocation& a, const char* when) {
    long long offset;
    if (mapped(a) && damaged_red_zone(a, &offset)) {
        const char* kernel = current_kernel();
        std::string suffix = kernel ? std::string(" `") + kernel + "`" : "";
        report("out-of-bounds write found %s%s: byte %lld of %s", when, suffix.c_str(), offset, describe(a).c_str());
    }
}

void* map_region(size_t bytes) {
    // Protection changes with every launch; it costs a fiftieth where the memory is huge pages, which need the
    // end of the accessible part on a huge page's boundary (the start would put the guard page elsewhere).
    const bool huge = bytes >= 2 * kHugePage;
    if (huge) next_region = round_up(next_region + bytes - kPage, kHugePage) - (bytes - kPage);
    void* p = mmap((void*)next_region, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (huge && p != MAP_FAILED) madvise(p, bytes, MADV_HUGEPAGE);
    next_region += bytes + 16 * kPage;
    return p;
}

void at_exit() {
    for (auto& [region, a] : allocations()) {
        if (!a.live || !mapped(a)) continue;
        Opened open(&a, false);
        check_red_zone(a, "at exit");
    }
}

struct Startup {
    Startup() {
        install_fault_handler();
        allocations();
        atexit(at_exit);
    }
} startup;

cudaError_t release(const char* call, void* p, bool host) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    if (!p) return cudaSuccess;
    Allocation* a = find_allocation((uintptr_t)p);
    if (!a || a->base != (uintptr_t)p || !mapped(*a)) report("%s: %p was not allocated by the CUDA runtime", call, p);
    if (!a->live) report("%s: %s is freed already", call, describe(*a).c_str());
    if (host != (a->kind == MemoryKind::Pinned)) report("%s: %s is not for this call to free", call, describe(*a).c_str());
    {
        Opened open(a, false);
        check_red_zone(*a, call);
    }
    a->live = false;
    used_bytes -= a->bytes;
    // The addresses stay reserved, so that a later use is seen; the memory goes back.
    mmap((void*)a->region, a->region_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return cudaSuccess;
}

}  // namespace

bool guarded(const Allocation& a) { return a.kind == MemoryKind::Device; }
void protect(const Allocation& a, int protection) { mprotect((void*)a.pages, a.page_bytes, protection); }

std::recursive_mutex& global_lock() {
    static std::recursive_mutex mutex;
    return mutex;
}

void report(const char* format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "layoutc-rt: error: %s\n", text);
    fflush(stderr);
    _exit(kReportedStatus);
}

Allocations& allocations() {
    // Never destroyed: programs free device memory from their own static destructors.
    static Allocations* all = new Allocations;
    return *all;
}

Allocation* find_allocation(uintptr_t address) {
    Allocations& all = allocations();
    auto it = all.upper_bound(address);
    if (it == all.begin()) return nullptr;
    Allocation& a = std::prev(it)->second;
    return address - a.region < a.region_bytes ? &a : nullptr;
}

std::string describe(const Allocation& a) {
    char text[160];
    if (a.site != kNoSite)
        snprintf(text, sizeof text, "%s allocation #%u (%zu bytes, call site %d, occurrence %d)", kind_name(a.kind), a.ordinal, a.bytes, a.site, a.occurrence);
    else
        snprintf(text, sizeof text, "%s allocation #%u (%zu bytes)", kind_name(a.kind), a.ordinal, a.bytes);
    return text;
}

void open_for_kernel() {
    for (auto& [region, a] : allocations()) {
        if (!a.live || !guarded(a)) continue;
        // While a log is written, the first write to unchanged memory faults and marks it.
        if (logging() && !a.dirty)
            protect(a, PROT_READ);
        else if (protecting())
            protect(a, PROT_READ | PROT_WRITE);
    }
}

void close_after_kernel() {
    if (!protecting() && !logging()) return;
    for (auto& [region, a] : allocations())
        if (a.live && guarded(a)) protect(a, protecting() ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void check_red_zones(const char* when) {
    for (auto& [region, a] : allocations())
        if (a.live && mapped(a)) check_red_zone(a, when);
}

Opened::Opened(Allocation* allocation, bool writes) : allocation_(allocation) {
    if (!allocation_) return;
    if (writes) allocation_->dirty = true;
    // Both sides of a copy may lie in one allocation.
    if (guarded(*allocation_) && !in_kernel() && allocation_->opened++ == 0)
        protect(*allocation_, PROT_READ | PROT_WRITE);
}
Opened::~Opened() {
    if (!allocation_ || !guarded(*allocation_) || in_kernel() || --allocation_->opened > 0) return;
    check_red_zone(*allocation_, "after a copy");
    if (protecting()) protect(*allocation_, PROT_NONE);
}

cudaError_t allocate(void** out, size_t bytes, MemoryKind kind, int site) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    if (!out) return fail(cudaErrorInvalidValue);
    *out = nullptr;
    if (bytes > kTotalMemory || used_bytes + bytes > kTotalMemory) return fail(cudaErrorMemoryAllocation);
    int occurrence = site == kNoSite ? 0 : occurrences[site]++;
    if (bytes == 0) return cudaSuccess;
    Allocation a{};
    a.page_bytes = round_up(round_up(bytes, kAlignment), kPage);
    a.region_bytes = a.page_bytes + 2 * kPage;
    void* region = map_region(a.region_bytes);
    if (region == MAP_FAILED) return fail(cudaErrorMemoryAllocation);
    a.region = (uintptr_t)region;
    a.pages = a.region + kPage;
    a.base = a.pages + a.page_bytes - round_up(bytes, kAlignment);
    a.bytes = bytes;
    a.kind = kind;
    a.ordinal = ordinals++;
    a.site = site;
    a.occurrence = occurrence;
    a.live = true;
    a.dirty = true;
    protect(a, PROT_READ | PROT_WRITE);
    fill_red_zones(a);
    memset((void*)a.base, kPoison, std::min(bytes, kPoisonLimit));
    if (guarded(a) && protecting() && !in_kernel()) protect(a, PROT_NONE);
    used_bytes += bytes;
    allocations()[a.region] = a;
    if (site != kNoSite) log_allocation(a);
    trace_allocation(a);
    *out = (void*)a.base;
    return cudaSuccess;
}

cudaError_t allocate_pitch(void** out, size_t* pitch, size_t width, size_t height, int site) {
    *pitch = round_up(width, 512);
    return allocate(out, *pitch * height, MemoryKind::Device, site);
}

static void note_range(void* p, size_t bytes, MemoryKind kind) {
    Allocation a{};
    a.region = a.pages = a.base = (uintptr_t)p;
    a.region_bytes = a.page_bytes = a.bytes = bytes;
    a.kind = kind;
    a.site = kNoSite;
    a.live = true;
    a.ordinal = ordinals++;
    allocations()[a.region] = a;
}

cudaError_t symbol_address(void** out, const void* symbol, size_t bytes) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    Allocation* known = find_allocation((uintptr_t)symbol);
    if (!known) note_range(const_cast<void*>(symbol), bytes, MemoryKind::Symbol);
    *out = const_cast<void*>(symbol);
    return cudaSuccess;
}

}  // namespace layoutc_rt

using namespace layoutc_rt;

cudaError_t cudaMalloc(void** p, size_t bytes) { return allocate(p, bytes, MemoryKind::Device, kNoSite); }
cudaError_t cudaMallocHost(void** p, size_t bytes) { return allocate(p, bytes, MemoryKind::Pinned, kNoSite); }
cudaError_t cudaMalloc3D(cudaPitchedPtr* out, cudaExtent e) {
    size_t pitch = 0;
    void* p = nullptr;
    cudaError_t error = allocate_pitch(&p, &pitch, e.width, e.height * e.depth, kNoSite);
    *out = make_cudaPitchedPtr(p, pitch, e.width, e.height);
    return error;
}
cudaError_t cudaFree(void* p) { return release("cudaFree", p, false); }
cudaError_t cudaFreeAsync(void* p, cudaStream_t) { return release("cudaFreeAsync", p, false); }
cudaError_t cudaFreeHost(void* p) { return release("cudaFreeHost", p, true); }
cudaError_t cudaHostRegister(void* p, size_t bytes, unsigned) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    note_range(p, bytes, MemoryKind::Registered);
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* p) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    return allocations().erase((uintptr_t)p) ? cudaSuccess : fail(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
    // A round figure that does not follow allocations: programs size their work by it and print it.
    *total = kTotalMemory;
    *free_bytes = kTotalMemory - ((size_t)1 << 30);
    return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) { return cudaSuccess; }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    *out = cudaPointerAttributes{cudaMemoryTypeUnregistered, 0, nullptr, const_cast<void*>(p)};
    Allocation* a = find_allocation((uintptr_t)p);
    if (!a || !a->live) return cudaSuccess;
    out->devicePointer = const_cast<void*>(p);
    switch (a->kind) {
        case MemoryKind::Device:
        case MemoryKind::Symbol: out->type = cudaMemoryTypeDevice, out->hostPointer = nullptr; break;
        case MemoryKind::Managed: out->type = cudaMemoryTypeManaged; break;
        default: out->type = cudaMemoryTypeHost; break;
    }
    return cudaSuccess;
}
