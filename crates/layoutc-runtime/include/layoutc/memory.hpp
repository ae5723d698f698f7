// Device, managed and pinned memory, copies and symbols.
//
// Device allocations start filled with 0xA5, end at a guard page (up to 255 bytes of red zone between, since
// pointers are 256-byte aligned) and are inaccessible to host code outside API calls and kernels.
#pragma once

#include "api_functions.h"

namespace layoutc_rt {

enum class MemoryKind { Device, Managed, Pinned, Symbol, Registered };
constexpr int kNoSite = -1;

// `site` is the number of the textual allocation call, or kNoSite where it is not counted.
cudaError_t allocate(void** out, size_t bytes, MemoryKind kind, int site);
cudaError_t allocate_pitch(void** out, size_t* pitch, size_t width, size_t height, int site);
cudaError_t symbol_address(void** out, const void* symbol, size_t bytes);
cudaError_t copy_symbol(void* symbol, size_t symbol_bytes, size_t offset, void* other, size_t bytes, bool to_symbol, cudaMemcpyKind kind);

// `cudaMalloc(…)` of the program becomes `site(n).cudaMalloc(…)`.
struct AllocationSite {
    int id;
    template <class T>
    cudaError_t cudaMalloc(T** p, size_t bytes) const {
        return allocate((void**)p, bytes, MemoryKind::Device, id);
    }
    template <class T>
    cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaStream_t) const {
        return allocate((void**)p, bytes, MemoryKind::Device, id);
    }
    template <class T>
    cudaError_t cudaMallocFromPoolAsync(T** p, size_t bytes, cudaMemPool_t, cudaStream_t) const {
        return allocate((void**)p, bytes, MemoryKind::Device, id);
    }
    template <class T>
    cudaError_t cudaMallocManaged(T** p, size_t bytes, unsigned = cudaMemAttachGlobal) const {
        return allocate((void**)p, bytes, MemoryKind::Managed, id);
    }
    template <class T>
    cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) const {
        return allocate_pitch((void**)p, pitch, width, height, id);
    }
};
inline AllocationSite site(int id) { return AllocationSite{id}; }

}  // namespace layoutc_rt

template <class T>
inline cudaError_t cudaMalloc(T** p, size_t bytes) {
    return layoutc_rt::site(layoutc_rt::kNoSite).cudaMalloc(p, bytes);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** p, size_t bytes, cudaStream_t stream) {
    return layoutc_rt::site(layoutc_rt::kNoSite).cudaMallocAsync(p, bytes, stream);
}
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return layoutc_rt::site(layoutc_rt::kNoSite).cudaMallocFromPoolAsync(p, bytes, pool, stream);
}
template <class T>
inline cudaError_t cudaMallocManaged(T** p, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
    return layoutc_rt::site(layoutc_rt::kNoSite).cudaMallocManaged(p, bytes, flags);
}
template <class T>
inline cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
    return layoutc_rt::allocate_pitch((void**)p, pitch, width, height, layoutc_rt::kNoSite);
}
template <class T>
inline cudaError_t cudaMallocHost(T** p, size_t bytes, unsigned = 0) {
    return layoutc_rt::allocate((void**)p, bytes, layoutc_rt::MemoryKind::Pinned, layoutc_rt::kNoSite);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** p, size_t bytes, unsigned = 0) {
    return layoutc_rt::allocate((void**)p, bytes, layoutc_rt::MemoryKind::Pinned, layoutc_rt::kNoSite);
}

template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** out, void* host, unsigned) {
    *out = (T*)host;
    return cudaSuccess;
}

template <class P, class T>
inline cudaError_t cudaGetSymbolAddress(P** out, const T& symbol) {
    return layoutc_rt::symbol_address((void**)out, (const void*)&reinterpret_cast<const char&>(symbol), sizeof(T));
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* out, const T&) {
    *out = sizeof(T);
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return layoutc_rt::copy_symbol((void*)&reinterpret_cast<const char&>(symbol), sizeof(T), offset, (void*)from, bytes, true, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t = nullptr) {
    return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return layoutc_rt::copy_symbol((void*)&reinterpret_cast<const char&>(symbol), sizeof(T), offset, to, bytes, false, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t = nullptr) {
    return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
