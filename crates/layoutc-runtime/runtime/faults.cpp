// Faults: what the memory protection catches becomes a report, or marks an allocation as written.
#include "state.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace layoutc_rt {
namespace {

void handle_fault(int signal, siginfo_t* info, void* context) {
    uintptr_t address = (uintptr_t)info->si_addr;
    Allocation* a = find_allocation(address);
#ifdef __x86_64__
    const bool write = ((ucontext_t*)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
    const bool write = true;
#endif
    const char* verb = write ? "write" : "read";
    if (a && in_kernel()) {
        bool inside = a->live && address >= a->pages && address < a->pages + a->page_bytes;
        if (inside && write && logging() && !a->dirty) {
            a->dirty = true;
            protect(*a, PROT_READ | PROT_WRITE);
            return;
        }
        if (!a->live)
            report("%s: %s of freed memory, byte %lld of %s", where().c_str(), verb, (long long)(address - a->base), describe(*a).c_str());
        report("%s: out-of-bounds %s at byte %lld of %s", where().c_str(), verb, (long long)(address - a->base), describe(*a).c_str());
    }
    if (a && guarded(*a))
        report("host code %ss device memory: byte %lld of %s", verb, (long long)(address - a->base), describe(*a).c_str());
    if (a) report("host code: out-of-bounds %s at byte %lld of %s", verb, (long long)(address - a->base), describe(*a).c_str());
    if (is_fiber_guard(address)) report("%s: stack overflow; LAYOUTC_RT_STACK sets the bytes for each thread", where().c_str());
    if (in_kernel()) report("%s: %s of address %p, which is no device memory", where().c_str(), verb, (void*)address);
    // An ordinary crash of host code: let it be one.
    ::signal(signal, SIG_DFL);
}

// The executable's own image: code, and the variables of the program.
extern "C" char __executable_start, _end;
bool in_program_image(const void* p) { return p >= (const void*)&__executable_start && p < (const void*)&_end; }

}  // namespace

void install_fault_handler() {
    static unsigned char stack[64 * 1024];
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_sigaction = handle_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
}

void check_pointer_argument(const char* kernel, int argument, const void* p) {
    // Variables of the program may be managed ones; everything else outside the allocations is the host's.
    if (!p || in_program_image(p) || find_allocation((uintptr_t)p)) return;
    static bool told = false;
    if (!told) fprintf(stderr, "layoutc-rt: note: argument %d of kernel `%s` is a pointer to host memory\n", argument + 1, kernel);
    told = true;
    log_host_pointer(kernel, argument);
}

}  // namespace layoutc_rt
