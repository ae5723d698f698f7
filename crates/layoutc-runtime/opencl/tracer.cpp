// Linked with an OpenCL program to trace it, behind guard.c: hands the kernels that the program builds to the reader of
// the trace, which puts calls in front of their accesses, and sends what these calls say to it.
//
// A program that is built is built as it is, for its log and its status, and then again: compiled for itself with debug
// information, which leaves its LLVM module in PoCL's cache, rewritten there by the reader, loaded again and linked.
// Kernels are made of this second one. Kernels call functions of this file by their addresses, so the cache is of use
// to this run only.
//
// With POCL_MAX_PTHREAD_COUNT=1 work-groups do not run side by side, and a launch is waited for: where a work-item of a
// group begins again, all others have ended. PoCL runs the work-items of a group one after another up to a barrier, so
// each has a list of its own.
//
// LAYOUTC_RT_TRACE  socket (Unix domain) that takes the trace
//
// Records are those of runtime/trace.cpp, and three more:
//   'T' place u32, kind u8, bytes u32, alignment u32    as 'S', with what the address is known to be aligned to
//   'U' u64                         the first eight bytes of the allocation that follows: the units of a divided buffer
//   'K' noted u64, begun u64, pointed u64, length u32, path
//                                   a module to rewrite, and the addresses of what is to be called; the answer is a byte,
//                                   0 if that is done, otherwise 1
// Addresses are places in one space of all buffers, in which each lies as an allocation of the CUDA runtime does: its
// end, rounded up to 256 bytes, at the end of a page.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <set>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

extern "C" int layoutc_is_on_cpus(cl_context context);
extern "C" void layoutc_recorder_finish(void);

namespace {

constexpr uint64_t kPage = 4096, kAlignment = 256;
constexpr size_t kItems = 4096;                     // of a group at most
constexpr size_t kPlaces = (size_t)1 << 24;
constexpr size_t kMostAccesses = (size_t)1 << 27;   // of one group

[[noreturn]] void failed(const std::string& sentence) {
    fprintf(stderr, "layoutc: %s\n", sentence.c_str());
    _exit(97);
}

uint64_t round_up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

struct Buffer {
    uint64_t end;   // behind its last byte
    uint64_t base;  // in the trace
    bool is_constant = false;  // in the launch that runs: behind a pointer to constant memory, which has a cache of its own
};

struct Tracer {
    int socket = -1;
    std::mutex lock;  // of all but what the work-items of the running group note
    std::vector<char> out;
    std::map<uint64_t, Buffer> buffers;
    uint64_t next_base = kPage;
    std::vector<bool> known;
    // The group that runs:
    std::vector<std::vector<uint64_t>> items;
    std::vector<bool> begun;
    size_t size = 0, total = 0;
    uint32_t group[3] = {};
    bool is_launched = false;
    std::vector<std::pair<uint64_t, uint32_t>> pointers;  // alignment 0: to constant memory
    uint64_t local_bytes = 0;
    // The buffer that was accessed last.
    uint64_t first = 1, end = 0, base = 0;
    bool is_constant = false;

    Tracer() {
        const char* path = getenv("LAYOUTC_RT_TRACE");
        if (!path) failed("$LAYOUTC_RT_TRACE names no socket");
        socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (strlen(path) >= sizeof address.sun_path) failed("the path of the trace's socket is too long");
        strcpy(address.sun_path, path);
        if (socket < 0 || connect(socket, (sockaddr*)&address, sizeof address) != 0) failed(std::string("cannot connect to ") + path);
        known.resize(kPlaces);
        items.resize(kItems);
        begun.resize(kItems);
        atexit(layoutc_recorder_finish);
    }

    void send(const void* data, size_t bytes) {
        const char* p = (const char*)data;
        while (bytes != 0) {
            const ssize_t sent = ::send(socket, p, bytes, MSG_NOSIGNAL);
            if (sent <= 0) failed("the trace is not read any more");
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
    void put_text(const char* text) {
        put((uint32_t)strlen(text));
        out.insert(out.end(), text, text + strlen(text));
    }

    // Whether an address is in a buffer; it is then counted from the buffer's place in the trace.
    bool translate(uint64_t& address) {
        if (address < first || address >= end) {
            auto behind = buffers.upper_bound(address);
            if (behind == buffers.begin()) return false;
            --behind;
            if (address >= behind->second.end) return false;
            first = behind->first, end = behind->second.end, base = behind->second.base;
            is_constant = behind->second.is_constant;
        }
        address = base + (address - first);
        return true;
    }

    void end_group() {
        if (size == 0) return;
        put('B');
        for (uint32_t n : group) put(n);
        put((uint64_t)0);  // local memory is in the launch's
        put((uint32_t)size);
        for (size_t i = 0; i < size; i++) put((uint32_t)items[i].size());
        flush();
        for (size_t i = 0; i < size; i++) {
            send(items[i].data(), items[i].size() * sizeof(uint64_t));
            items[i].clear();
            begun[i] = false;
        }
        size = total = 0;
    }
    void end_launch() {
        if (!is_launched) return;
        end_group();
        put('E');
        flush();
        is_launched = false;
    }
};

// Made at the first buffer or program; never destroyed, for PoCL's threads may run to the very end.
Tracer& tracer() {
    static Tracer* all = new Tracer;
    return *all;
}

// ---- what kernels call ----

void pointed(const void* pointer, uint32_t alignment) {
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    t.pointers.push_back({(uint64_t)pointer, alignment});
}

// `s`: work-items of a group, `g`: the group's index, `n`: groups, each along three axes.
void begun(const char* kernel, uint64_t item, uint64_t sx, uint64_t sy, uint64_t sz, uint64_t gx, uint64_t gy, uint64_t gz,
           uint64_t nx, uint64_t ny, uint64_t nz) {
    const uint64_t shape[9] = {sx, sy, sz, gx, gy, gz, nx, ny, nz};
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    const uint64_t size = shape[0] * shape[1] * shape[2];
    if (size > kItems) failed("a work-group is too large to be traced");
    const uint32_t group[3] = {(uint32_t)shape[3], (uint32_t)shape[4], (uint32_t)shape[5]};
    const bool is_first = group[0] == 0 && group[1] == 0 && group[2] == 0;
    const bool is_other = t.size != 0 && memcmp(group, t.group, sizeof group) != 0;
    const bool is_again = t.size != 0 && t.begun[item];
    if (is_again && !is_other) t.end_launch();
    if (is_other && is_first) t.end_launch();
    if (is_other) t.end_group();
    if (!t.is_launched) {
        for (auto& [first, buffer] : t.buffers) {
            auto is_meant = [&](const std::pair<uint64_t, uint32_t>& p) { return p.second == 0 && p.first >= first && p.first < buffer.end; };
            buffer.is_constant = std::any_of(t.pointers.begin(), t.pointers.end(), is_meant);
        }
        t.first = 1, t.end = 0;
        for (auto [address, alignment] : t.pointers) {
            if (alignment == 0 || !t.translate(address)) continue;
            t.put('P');
            t.put(address);
            t.put(alignment);
        }
        t.put('L');
        for (int axis = 6; axis < 9; axis++) t.put((uint32_t)shape[axis]);
        for (int axis = 0; axis < 3; axis++) t.put((uint32_t)shape[axis]);
        t.put(t.local_bytes);
        t.put_text(kernel);
        t.is_launched = true;
    }
    t.pointers.clear();
    memcpy(t.group, group, sizeof group);
    t.size = size;
    t.begun[item] = true;
}

// `what`: bytes, the exponent of the alignment (4 bits), and the kind (2 bits).
void noted(uint64_t item, uint32_t place, uint32_t what, uint64_t address) {
    Tracer& t = tracer();
    if (!t.translate(address) || t.is_constant) return;
    if (!t.known[place]) {
        std::lock_guard<std::mutex> held(t.lock);
        t.known[place] = true;
        t.put('T');
        t.put(place);
        t.put((uint8_t)(what & 3));
        t.put((uint32_t)(what >> 6));
        t.put((uint32_t)1 << (what >> 2 & 15));
    }
    if (++t.total > kMostAccesses) failed("a work-group makes too many accesses to trace");
    t.items[item].push_back(address << 24 | place);
}

// ---- programs ----

template <class F>
F* next_function(const char* name) {
    F* const found = (F*)dlsym(RTLD_NEXT, name);
    if (!found) failed(std::string("libOpenCL has no ") + name);
    return found;
}

std::map<cl_program, cl_program> rewritten;  // by the program that was built
std::mutex programs_lock;

void find_modules(const std::string& folder, std::set<std::string>& found) {
    DIR* const dir = opendir(folder.c_str());
    if (!dir) return;
    while (const dirent* entry = readdir(dir)) {
        const std::string name = entry->d_name, path = folder + "/" + name;
        if (name == "program.bc") found.insert(path);
        struct stat status;
        if (name[0] != '.' && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) find_modules(path, found);
    }
    closedir(dir);
}

void rewrite(const std::string& path) {
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    t.put('K');
    t.put((uint64_t)noted);
    t.put((uint64_t)begun);
    t.put((uint64_t)pointed);
    t.put_text(path.c_str());
    t.flush();
    char answer = 1;
    if (recv(t.socket, &answer, 1, MSG_WAITALL) != 1 || answer != 0) failed("a kernel cannot be rewritten to be traced");
}

// What a call of OpenCL for a second program says when it fails.
void check(cl_int error, const char* what, cl_program program = nullptr) {
    if (error == CL_SUCCESS) return;
    std::string text = std::string("a kernel cannot be traced: ") + what + " fails with " + std::to_string(error);
    cl_device_id device;
    if (program && clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device, &device, nullptr) == CL_SUCCESS) {
        std::vector<char> log(1 << 16);
        if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr) == CL_SUCCESS) text += std::string("\n") + log.data();
    }
    failed(text);
}

typedef cl_program Link(cl_context, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
                        void(CL_CALLBACK*)(cl_program, void*), void*, cl_int*);

// The same program with calls in front of its accesses.
cl_program rewritten_of(cl_program program, const char* options) {
    cl_context context;
    clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof context, &context, nullptr);
    if (!layoutc_is_on_cpus(context)) failed("kernels are traced on CPU devices only, and the program uses another one");
    size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, nullptr, &bytes) != CL_SUCCESS || bytes <= 1)
        failed("kernels are traced that are built of text, and the program builds others");
    std::vector<char> text(bytes);
    clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes, text.data(), nullptr);
    // What is compiled to be traced is no other program of the cache.
    const std::string own = std::string(options ? options : "") + " -g -DLAYOUTC_TRACED";
    const char* source = text.data();
    cl_int error;
    const char* folder = getenv("POCL_CACHE_DIR");
    if (!folder) failed("$POCL_CACHE_DIR names no folder");
    std::set<std::string> before, after;
    find_modules(folder, before);
    cl_program first = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clCompileProgram(first, 0, nullptr, own.c_str(), 0, nullptr, nullptr, nullptr, nullptr), "clCompileProgram", first);
    find_modules(folder, after);
    if (after.empty()) failed("kernels are traced on PoCL only, and the program uses another OpenCL");
    for (const std::string& path : after)
        if (!before.count(path)) rewrite(path);
    cl_program second = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clCompileProgram(second, 0, nullptr, own.c_str(), 0, nullptr, nullptr, nullptr, nullptr), "clCompileProgram", second);
    static Link* const link = next_function<Link>("clLinkProgram");
    cl_program linked = link(context, 0, nullptr, nullptr, 1, &second, nullptr, nullptr, &error);
    check(error, "clLinkProgram", linked);
    clReleaseProgram(first);
    clReleaseProgram(second);
    return linked;
}

}  // namespace

// ---- what the program calls ----

extern "C" cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                                 void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
    typedef cl_int Build(cl_program, cl_uint, const cl_device_id*, const char*, void(CL_CALLBACK*)(cl_program, void*), void*);
    static Build* const build = next_function<Build>("clBuildProgram");
    tracer();
    std::lock_guard<std::mutex> held(programs_lock);
    const cl_int error = build(program, count, devices, options, nullptr, nullptr);
    if (error == CL_SUCCESS) rewritten[program] = rewritten_of(program, options);
    if (notify) notify(program, data);
    return error;
}

extern "C" cl_program clLinkProgram(cl_context, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
                                    void(CL_CALLBACK*)(cl_program, void*), void*, cl_int*) {
    failed("programs that are compiled and linked apart (clLinkProgram) are not traced");
}

extern "C" cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error) {
    typedef cl_kernel Create(cl_program, const char*, cl_int*);
    static Create* const create = next_function<Create>("clCreateKernel");
    std::lock_guard<std::mutex> held(programs_lock);
    auto own = rewritten.find(program);
    return create(own == rewritten.end() ? program : own->second, name, error);
}

extern "C" cl_int clCreateKernelsInProgram(cl_program program, cl_uint count, cl_kernel* kernels, cl_uint* number) {
    typedef cl_int Create(cl_program, cl_uint, cl_kernel*, cl_uint*);
    static Create* const create = next_function<Create>("clCreateKernelsInProgram");
    std::lock_guard<std::mutex> held(programs_lock);
    auto own = rewritten.find(program);
    return create(own == rewritten.end() ? program : own->second, count, kernels, number);
}

// ---- what guard.c tells ----

extern "C" void layoutc_recorder_buffer(void* first, size_t size) {
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    const uint64_t start = (uint64_t)first, end = start + size;
    for (auto at = t.buffers.begin(); at != t.buffers.end();) at = at->first < end && start < at->second.end ? t.buffers.erase(at) : std::next(at);
    const uint64_t room = round_up(size, kAlignment), pages = round_up(room, kPage);
    const uint64_t base = t.next_base + pages - room;
    t.next_base += pages + 18 * kPage;
    t.buffers[start] = {end, base};
    t.first = 1, t.end = 0;
    if (size >= sizeof(uint64_t)) {
        t.put('U');
        uint64_t units;
        memcpy(&units, first, sizeof units);
        t.put(units);
    }
    t.put('A');
    t.put(base);
    t.put((uint64_t)size);
    t.put((uint8_t)0);
    t.put((int32_t)-1);
}

extern "C" void layoutc_recorder_release(void* first) {
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    t.buffers.erase((uint64_t)first);
    t.first = 1, t.end = 0;
}

extern "C" void layoutc_recorder_launching(cl_kernel kernel) {
    cl_device_id device;
    cl_context context;
    cl_ulong bytes = 0;
    if (clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, nullptr) == CL_SUCCESS &&
        clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, nullptr) == CL_SUCCESS)
        clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    t.local_bytes = bytes;
}

extern "C" void layoutc_recorder_waits(cl_command_queue queue, cl_uint waits, const cl_event* wait_list) {
    // What waits for the host cannot be waited for by it; the next launch ends it.
    for (cl_uint i = 0; i < waits; i++) {
        cl_command_type type = 0;
        cl_int status = CL_COMPLETE;
        clGetEventInfo(wait_list[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
        clGetEventInfo(wait_list[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        if (type == CL_COMMAND_USER && status > CL_COMPLETE) return;
    }
    clFinish(queue);
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    t.end_launch();
}

extern "C" void layoutc_recorder_finish(void) {
    Tracer& t = tracer();
    std::lock_guard<std::mutex> held(t.lock);
    t.end_launch();
}
