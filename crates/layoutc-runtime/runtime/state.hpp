// What the parts of the runtime share.
#pragma once

#include "layoutc_runtime.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace layoutc_rt {

// Exit status of a program that the runtime stops: a memory error or a deadlock.
constexpr int kReportedStatus = 97;
constexpr unsigned char kPoison = 0xA5;
constexpr unsigned char kRedZone = 0xCB;

std::recursive_mutex& global_lock();
cudaError_t fail(cudaError_t error);  // remembers `error` for cudaGetLastError and returns it

// Prints one report on stderr and ends the process with kReportedStatus.
[[noreturn]] void report(const char* format, ...) __attribute__((format(printf, 1, 2)));
// "in kernel `k`, block (0,0,0), thread (1,0,0)" or "in host code".
std::string where();
const char* current_kernel();

struct Allocation {
    uintptr_t region;       // start of the mapping, guard page included
    size_t region_bytes;    // whole mapping
    uintptr_t pages;        // first accessible byte
    size_t page_bytes;      // accessible bytes
    uintptr_t base;         // what the program holds
    size_t bytes;           // what the program asked for
    MemoryKind kind;
    unsigned ordinal;       // in order of allocation
    int site, occurrence;   // kNoSite: not compared
    bool live;
    int opened = 0;         // how many `Opened` hold it
    bool dirty;             // content may differ from `hash`
    uint64_t hash;
};

using Allocations = std::map<uintptr_t, Allocation>;
Allocations& allocations();
Allocation* find_allocation(uintptr_t address);
std::string describe(const Allocation& a);

bool guarded(const Allocation& a);  // closed to host code
void protect(const Allocation& a, int protection);
void install_fault_handler();

void open_for_kernel();
void close_after_kernel();
void check_red_zones(const char* when);

// Fault handling needs to know where fiber stacks end.
bool is_fiber_guard(uintptr_t address);

// Makes one allocation accessible for the length of an API call.
class Opened {
public:
    Opened(Allocation* allocation, bool writes);
    ~Opened();

private:
    Allocation* allocation_;
};

bool logging();
void log_allocation(const Allocation& a);
void log_launch(const char* kernel);
void log_host_pointer(const char* kernel, int argument);

void trace_allocation(const Allocation& a);
void trace_launch(const LaunchConfig& config, const char* kernel);
void trace_block(const uint3& index, size_t shared, unsigned threads);
void trace_launch_end();
// Nothing is traced while it lives.
class TracePause {
public:
    TracePause();
    ~TracePause();

private:
    void* was_;
};

void profile_launch(const LaunchConfig& config);
void profile_launch_end();
// The threads of a block have run: to their end, or to a grid barrier.
void profile_block(const void* block, unsigned threads, bool is_done);
// Nothing is recorded while it lives.
class ProfilePause {
public:
    ProfilePause();
    ~ProfilePause();

private:
    void* was_;
};

}  // namespace layoutc_rt
