// Texture references over linear memory: what `tex1Dfetch` needs, and no filtering.
#pragma once

#include "api_functions.h"
#include "execution.hpp"

enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureAddressMode { cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2, cudaAddressModeBorder = 3 };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned = 1, cudaChannelFormatKindFloat = 2, cudaChannelFormatKindNone = 3 };
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return {x, y, z, w, f}; }
template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return {(int)sizeof(T) * 8, 0, 0, 0, std::is_floating_point<T>::value ? cudaChannelFormatKindFloat : cudaChannelFormatKindSigned};
}

constexpr int cudaTextureType1D = 1, cudaTextureType2D = 2;

template <class T, int Dimensions = 1, cudaTextureReadMode Mode = cudaReadModeElementType>
struct texture {
    int normalized = 0;
    cudaTextureFilterMode filterMode = cudaFilterModePoint;
    cudaTextureAddressMode addressMode[3] = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp};
    cudaChannelFormatDesc channelDesc{};
    mutable const T* data = nullptr;
    mutable size_t count = 0;
};

// Beyond the bound range a fetch gives zero, as the hardware does.
template <class T>
inline T tex1Dfetch(const texture<T, 1, cudaReadModeElementType>& t, int i) {
    return i >= 0 && (size_t)i < t.count ? t.data[i] : T();
}
template <class T>
inline cudaError_t cudaBindTexture(size_t* offset, const texture<T, 1, cudaReadModeElementType>& t, const void* p, size_t bytes = UINT_MAX) {
    if (offset) *offset = 0;
    t.data = (const T*)p;
    t.count = bytes / sizeof(T);
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaBindTexture(size_t* offset, const texture<T, 1, cudaReadModeElementType>& t, const void* p, const cudaChannelFormatDesc&, size_t bytes = UINT_MAX) {
    return cudaBindTexture(offset, t, p, bytes);
}
template <class T>
inline cudaError_t cudaUnbindTexture(const texture<T, 1, cudaReadModeElementType>& t) {
    t.data = nullptr;
    t.count = 0;
    return cudaSuccess;
}

// The same with pointers, as the C form of the API has them.
template <class T>
inline cudaError_t cudaBindTexture(size_t* offset, const texture<T, 1, cudaReadModeElementType>* t, const void* p, const cudaChannelFormatDesc*, size_t bytes = UINT_MAX) {
    return cudaBindTexture(offset, *t, p, bytes);
}
template <class T>
inline cudaError_t cudaUnbindTexture(const texture<T, 1, cudaReadModeElementType>* t) {
    return cudaUnbindTexture(*t);
}
