// Copies and fills, with the checks on both of their sides.
#include "state.hpp"

namespace layoutc_rt {
namespace {

enum class Side { Host, Device };

// The allocation that [p, p + bytes) lies in, or null for host memory; anything wrong is reported.
Allocation* check_side(const char* call, const char* role, const void* p, size_t bytes, Side side) {
    uintptr_t address = (uintptr_t)p;
    Allocation* a = find_allocation(address);
    if (!a) {
        if (side == Side::Device) report("%s: the %s %p is not device memory", call, role, p);
        return nullptr;
    }
    if (!a->live) report("%s: the %s is freed memory, byte %lld of %s", call, role, (long long)(address - a->base), describe(*a).c_str());
    if (side == Side::Host && (a->kind == MemoryKind::Device || a->kind == MemoryKind::Symbol))
        report("%s: the %s should be host memory but is byte %lld of %s", call, role, (long long)(address - a->base), describe(*a).c_str());
    if (a->kind == MemoryKind::Registered) return side == Side::Host ? nullptr : a;
    if (address < a->base || address - a->base > a->bytes || bytes > a->bytes - (address - a->base))
        report("%s: the %s overruns its allocation: %zu bytes from byte %lld of %s", call, role, bytes, (long long)(address - a->base), describe(*a).c_str());
    return a;
}

Side side_of(const void* p) {
    Allocation* a = find_allocation((uintptr_t)p);
    return a && a->kind != MemoryKind::Registered && a->kind != MemoryKind::Pinned ? Side::Device : Side::Host;
}

cudaError_t copy_rows(const char* call, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    if (width == 0 || height == 0) return cudaSuccess;
    Side to_side, from_side;
    switch (kind) {
        case cudaMemcpyHostToHost: to_side = from_side = Side::Host; break;
        case cudaMemcpyHostToDevice: to_side = Side::Device, from_side = Side::Host; break;
        case cudaMemcpyDeviceToHost: to_side = Side::Host, from_side = Side::Device; break;
        case cudaMemcpyDeviceToDevice: to_side = from_side = Side::Device; break;
        case cudaMemcpyDefault: to_side = side_of(to), from_side = side_of(from); break;
        default: return fail(cudaErrorInvalidMemcpyDirection);
    }
    if (height > 1 && (to_pitch < width || from_pitch < width)) return fail(cudaErrorInvalidPitchValue);
    Allocation* target = check_side(call, "destination", to, (height - 1) * to_pitch + width, to_side);
    Allocation* source = check_side(call, "source", from, (height - 1) * from_pitch + width, from_side);
    Opened open_source(source, false);
    Opened open_target(target, true);
    if (height == 1) {
        memmove(to, from, width);
    } else {
        for (size_t row = 0; row < height; row++) memmove((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width);
    }
    return cudaSuccess;
}

cudaError_t set_rows(const char* call, void* to, size_t pitch, int value, size_t width, size_t height) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    if (width == 0 || height == 0) return cudaSuccess;
    Allocation* target = check_side(call, "destination", to, (height - 1) * pitch + width, Side::Device);
    Opened open(target, true);
    for (size_t row = 0; row < height; row++) memset((char*)to + row * pitch, value, width);
    return cudaSuccess;
}

}  // namespace

cudaError_t copy_symbol(void* symbol, size_t symbol_bytes, size_t offset, void* other, size_t bytes, bool to_symbol, cudaMemcpyKind kind) {
    std::lock_guard<std::recursive_mutex> lock(global_lock());
    const char* call = to_symbol ? "cudaMemcpyToSymbol" : "cudaMemcpyFromSymbol";
    if (offset > symbol_bytes || bytes > symbol_bytes - offset)
        report("%s: %zu bytes at offset %zu overrun the symbol of %zu bytes", call, bytes, offset, symbol_bytes);
    Side side = kind == cudaMemcpyDefault ? side_of(other) : kind == cudaMemcpyDeviceToDevice ? Side::Device : Side::Host;
    Allocation* a = check_side(call, to_symbol ? "source" : "destination", other, bytes, side);
    Opened open(a, !to_symbol);
    if (to_symbol)
        memmove((char*)symbol + offset, other, bytes);
    else
        memmove(other, (char*)symbol + offset, bytes);
    return cudaSuccess;
}

}  // namespace layoutc_rt

using namespace layoutc_rt;

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return copy_rows("cudaMemcpy", to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return copy_rows("cudaMemcpyAsync", to, bytes, from, bytes, bytes, 1, kind);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    return copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t) {
    return copy_rows("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
    if (p->srcArray || p->dstArray) return fail(cudaErrorNotSupported);
    for (size_t z = 0; z < p->extent.depth; z++) {
        char* to = (char*)p->dstPtr.ptr + ((p->dstPos.z + z) * p->dstPtr.ysize + p->dstPos.y) * p->dstPtr.pitch + p->dstPos.x;
        char* from = (char*)p->srcPtr.ptr + ((p->srcPos.z + z) * p->srcPtr.ysize + p->srcPos.y) * p->srcPtr.pitch + p->srcPos.x;
        cudaError_t error = copy_rows("cudaMemcpy3D", to, p->dstPtr.pitch, from, p->srcPtr.pitch, p->extent.width, p->extent.height, p->kind);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) { return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice); }
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t) {
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
cudaError_t cudaMemset(void* to, int value, size_t bytes) { return set_rows("cudaMemset", to, bytes, value, bytes, 1); }
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) { return set_rows("cudaMemsetAsync", to, bytes, value, bytes, 1); }
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) { return set_rows("cudaMemset2D", to, pitch, value, width, height); }
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t) {
    return set_rows("cudaMemset2DAsync", to, pitch, value, width, height);
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent e) {
    for (size_t z = 0; z < e.depth; z++) {
        cudaError_t error = set_rows("cudaMemset3D", (char*)to.ptr + z * to.ysize * to.pitch, to.pitch, value, e.width, e.height);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void* p, size_t bytes, int, cudaStream_t) {
    check_side("cudaMemPrefetchAsync", "range", p, bytes, Side::Device);
    return cudaSuccess;
}
