// 16-bit floating point: storage, conversion, and arithmetic through float.
#pragma once

#include "qualifiers.hpp"

namespace layoutc_rt {
inline float half_to_float(unsigned short h) {
    unsigned sign = (unsigned)(h & 0x8000) << 16;
    int exponent = (h >> 10) & 31;
    unsigned mantissa = h & 1023;
    float value;
    if (exponent == 0) {
        value = ldexpf((float)mantissa, -24);
    } else if (exponent == 31) {
        value = mantissa ? NAN : INFINITY;
    } else {
        value = ldexpf((float)(mantissa | 1024), exponent - 25);
    }
    return sign ? -value : value;
}
// Round to nearest even.
inline unsigned short float_to_half(float f) {
    unsigned short sign = signbit(f) ? 0x8000 : 0;
    float a = fabsf(f);
    if (a != a) return 0x7fff;
    if (a >= 65520.0f) return sign | 0x7c00;
    if (a < 6.103515625e-05f) return sign | (unsigned short)rintf(ldexpf(a, 24));
    int exponent;
    float fraction = frexpf(a, &exponent);
    unsigned mantissa = (unsigned)rintf(ldexpf(fraction, 11));
    return (unsigned short)(sign | (((unsigned)(exponent + 14) << 10) + (mantissa - 1024)));
}
}  // namespace layoutc_rt

struct __half_raw { unsigned short x; };
struct __attribute__((aligned(2))) __half {
    unsigned short x;
    __half() = default;
    __half(__half_raw raw) : x(raw.x) {}
    __half(float f) : x(layoutc_rt::float_to_half(f)) {}
    __half(double f) : x(layoutc_rt::float_to_half((float)f)) {}
    __half(int i) : x(layoutc_rt::float_to_half((float)i)) {}
    operator float() const { return layoutc_rt::half_to_float(x); }
    __half& operator+=(__half o) { return *this = __half((float)*this + (float)o); }
    __half& operator-=(__half o) { return *this = __half((float)*this - (float)o); }
    __half& operator*=(__half o) { return *this = __half((float)*this * (float)o); }
    __half& operator/=(__half o) { return *this = __half((float)*this / (float)o); }
};
typedef __half half;
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;

static inline __half operator+(__half a, __half b) { return __half((float)a + (float)b); }
static inline __half operator-(__half a, __half b) { return __half((float)a - (float)b); }
static inline __half operator*(__half a, __half b) { return __half((float)a * (float)b); }
static inline __half operator/(__half a, __half b) { return __half((float)a / (float)b); }
static inline __half __float2half(float f) { return __half(f); }
static inline __half __float2half_rn(float f) { return __half(f); }
static inline __half __double2half(double f) { return __half(f); }
static inline float __half2float(__half h) { return (float)h; }
static inline __half __hadd(__half a, __half b) { return a + b; }
static inline __half __hsub(__half a, __half b) { return a - b; }
static inline __half __hmul(__half a, __half b) { return a * b; }
static inline __half __hdiv(__half a, __half b) { return a / b; }
static inline __half __hfma(__half a, __half b, __half c) { return __half(fmaf((float)a, (float)b, (float)c)); }
static inline __half __hneg(__half a) { return __half(-(float)a); }
static inline __half __int2half_rn(int i) { return __half((float)i); }
static inline int __half2int_rz(__half h) { return (int)(float)h; }
static inline bool __hlt(__half a, __half b) { return (float)a < (float)b; }
static inline bool __hgt(__half a, __half b) { return (float)a > (float)b; }
static inline bool __heq(__half a, __half b) { return (float)a == (float)b; }
static inline __half2 __halves2half2(__half a, __half b) { return __half2{a, b}; }
static inline __half2 make_half2(__half a, __half b) { return __half2{a, b}; }
static inline __half2 __floats2half2_rn(float a, float b) { return __half2{__half(a), __half(b)}; }
static inline __half2 __float2half2_rn(float a) { return __half2{__half(a), __half(a)}; }
static inline __half2 __half2half2(__half a) { return __half2{a, a}; }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline float __low2float(__half2 a) { return (float)a.x; }
static inline float __high2float(__half2 a) { return (float)a.y; }
static inline __half2 __hadd2(__half2 a, __half2 b) { return __half2{a.x + b.x, a.y + b.y}; }
static inline __half2 __hsub2(__half2 a, __half2 b) { return __half2{a.x - b.x, a.y - b.y}; }
static inline __half2 __hmul2(__half2 a, __half2 b) { return __half2{a.x * b.x, a.y * b.y}; }
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
static inline __half2 operator+(__half2 a, __half2 b) { return __hadd2(a, b); }
static inline __half2 operator-(__half2 a, __half2 b) { return __hsub2(a, b); }
static inline __half2 operator*(__half2 a, __half2 b) { return __hmul2(a, b); }
