// Atomic operations. All threads of a program's kernels share one OS thread, so plain operations are atomic.
//
// Templates, so that a program's own overload (the `atomicAdd(double*)` of old code) wins without a clash.
#pragma once

#include "execution.hpp"

namespace layoutc_rt {
template <class T>
struct Same {
    using type = T;
};
template <class T>
using SameT = typename Same<T>::type;
template <class T>
inline T fetch(T* address) {
    return *const_cast<volatile T*>(address);
}
}  // namespace layoutc_rt

#define LAYOUTC_RT_ATOMIC(name, expression)                                          \
    template <class T>                                                               \
    inline T name(T* address, layoutc_rt::SameT<T> value) {                          \
        layoutc_rt::trace_atomic(address, sizeof(T));                                \
        T old = *address;                                                            \
        *address = (T)(expression);                                                  \
        layoutc_rt::trace_plain();                                                   \
        return old;                                                                  \
    }                                                                                \
    template <class T>                                                               \
    inline T name(volatile T* address, layoutc_rt::SameT<T> value) {                 \
        return name(const_cast<T*>(address), value);                                 \
    }                                                                                \
    template <class T>                                                               \
    inline T name##_block(T* address, layoutc_rt::SameT<T> value) {                  \
        return name(address, value);                                                 \
    }                                                                                \
    template <class T>                                                               \
    inline T name##_system(T* address, layoutc_rt::SameT<T> value) {                 \
        return name(address, value);                                                 \
    }
LAYOUTC_RT_ATOMIC(atomicAdd, old + value)
LAYOUTC_RT_ATOMIC(atomicSub, old - value)
LAYOUTC_RT_ATOMIC(atomicMin, old < value ? old : value)
LAYOUTC_RT_ATOMIC(atomicMax, old > value ? old : value)
LAYOUTC_RT_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
LAYOUTC_RT_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
LAYOUTC_RT_ATOMIC(atomicAnd, old & value)
LAYOUTC_RT_ATOMIC(atomicOr, old | value)
LAYOUTC_RT_ATOMIC(atomicXor, old ^ value)
#undef LAYOUTC_RT_ATOMIC

static inline float2 atomicAdd(float2* address, float2 value) {
    layoutc_rt::trace_atomic(address, sizeof *address);
    float2 old = *address;
    *address = make_float2(old.x + value.x, old.y + value.y);
    layoutc_rt::trace_plain();
    return old;
}
static inline float4 atomicAdd(float4* address, float4 value) {
    layoutc_rt::trace_atomic(address, sizeof *address);
    float4 old = *address;
    *address = make_float4(old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w);
    layoutc_rt::trace_plain();
    return old;
}

// A lock that is taken looks like an exchange that changes nothing or a compare that fails: let its owner run.
template <class T>
inline T atomicExch(T* address, layoutc_rt::SameT<T> value) {
    layoutc_rt::trace_atomic(address, sizeof(T));
    T old = *address;
    *address = value;
    layoutc_rt::trace_plain();
    if (memcmp(&old, &value, sizeof old) == 0) layoutc_rt::yield_thread();
    return old;
}
template <class T>
inline T atomicExch(volatile T* address, layoutc_rt::SameT<T> value) {
    return atomicExch(const_cast<T*>(address), value);
}
template <class T>
inline T atomicCAS(T* address, layoutc_rt::SameT<T> compare, layoutc_rt::SameT<T> value) {
    layoutc_rt::trace_atomic(address, sizeof(T));
    T old = *address;
    if (old == compare) *address = value;
    layoutc_rt::trace_plain();
    if (!(old == compare)) layoutc_rt::yield_thread();
    return old;
}
template <class T>
inline T atomicCAS(volatile T* address, layoutc_rt::SameT<T> compare, layoutc_rt::SameT<T> value) {
    return atomicCAS(const_cast<T*>(address), compare, value);
}
template <class T>
inline T atomicExch_block(T* address, layoutc_rt::SameT<T> value) { return atomicExch(address, value); }
template <class T>
inline T atomicExch_system(T* address, layoutc_rt::SameT<T> value) { return atomicExch(address, value); }
template <class T>
inline T atomicCAS_block(T* address, layoutc_rt::SameT<T> compare, layoutc_rt::SameT<T> value) { return atomicCAS(address, compare, value); }
template <class T>
inline T atomicCAS_system(T* address, layoutc_rt::SameT<T> compare, layoutc_rt::SameT<T> value) { return atomicCAS(address, compare, value); }

static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}
static inline void __nanosleep(unsigned) { layoutc_rt::yield_thread(); }
