// A clock that counts its own readings, and a start-up without address randomisation.
//
// What a program prints must depend on the program alone, or two runs could not be compared. The definitions
// here take the place of the C library's for the whole program. LAYOUTC_RT_CLOCK=real brings the true time back.
#include "state.hpp"

#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace layoutc_rt {
namespace {

bool real_clock() {
    static const bool real = [] {
        const char* text = getenv("LAYOUTC_RT_CLOCK");
        return text && strcmp(text, "real") == 0;
    }();
    return real;
}

// 2001-09-09 01:46:40 UTC, then one millisecond a reading.
constexpr long long kStart = 1000000000LL * 1000;
long long readings = 0;
long long next_milliseconds() { return kStart + ++readings; }

timespec true_time(clockid_t clock) {
    timespec t{};
    syscall(SYS_clock_gettime, clock, &t);
    return t;
}

// Runs before main: the same addresses in every run, so that pointers that get into data do not differ.
__attribute__((constructor)) void fix_addresses(int, char** argv, char**) {
    if (getenv("LAYOUTC_RT_ASLR")) return;
    int persona = personality(0xffffffff);
    if (persona == -1 || (persona & ADDR_NO_RANDOMIZE)) return;
    if (personality(persona | ADDR_NO_RANDOMIZE) == -1) return;
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    // Where the personality does not stick, a second start must not loop.
    setenv("LAYOUTC_RT_ASLR", "fixed", 1);
    execv(path, argv);
}

}  // namespace
}  // namespace layoutc_rt

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
    if (layoutc_rt::real_clock()) return (int)syscall(SYS_clock_gettime, clock, out);
    long long ms = layoutc_rt::next_milliseconds();
    out->tv_sec = ms / 1000;
    out->tv_nsec = ms % 1000 * 1000000;
    return 0;
}
int gettimeofday(timeval* out, void*) noexcept {
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    *out = timeval{t.tv_sec, t.tv_nsec / 1000};
    return 0;
}
time_t time(time_t* out) noexcept {
    timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (out) *out = t.tv_sec;
    return t.tv_sec;
}
clock_t clock() noexcept {
    timespec t = layoutc_rt::real_clock() ? layoutc_rt::true_time(CLOCK_PROCESS_CPUTIME_ID) : timespec{};
    if (layoutc_rt::real_clock()) return (clock_t)(t.tv_sec * CLOCKS_PER_SEC + t.tv_nsec / 1000);
    return (clock_t)((layoutc_rt::next_milliseconds() - layoutc_rt::kStart) * (CLOCKS_PER_SEC / 1000));
}

}  // extern "C"
