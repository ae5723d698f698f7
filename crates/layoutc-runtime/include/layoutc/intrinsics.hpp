// Device intrinsics and the mathematical functions that CUDA has beyond the C library.
//
// glibc declares names such as `__expf` without exporting them all, so the fast forms are our own functions
// behind macros.
#pragma once

#include "atomics.hpp"

#define LAYOUTC_RT_FN static inline __attribute__((always_inline))

// min and max as CUDA overloads them: mixed signedness goes to unsigned, mixed precision to double.

LAYOUTC_RT_FN int min(int a, int b) { return (int)a < (int)b ? (int)a : (int)b; }
LAYOUTC_RT_FN int max(int a, int b) { return (int)a > (int)b ? (int)a : (int)b; }
LAYOUTC_RT_FN unsigned int min(unsigned int a, unsigned int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
LAYOUTC_RT_FN unsigned int max(unsigned int a, unsigned int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
LAYOUTC_RT_FN unsigned int min(int a, unsigned int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
LAYOUTC_RT_FN unsigned int max(int a, unsigned int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
LAYOUTC_RT_FN unsigned int min(unsigned int a, int b) { return (unsigned int)a < (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
LAYOUTC_RT_FN unsigned int max(unsigned int a, int b) { return (unsigned int)a > (unsigned int)b ? (unsigned int)a : (unsigned int)b; }
LAYOUTC_RT_FN long min(long a, long b) { return (long)a < (long)b ? (long)a : (long)b; }
LAYOUTC_RT_FN long max(long a, long b) { return (long)a > (long)b ? (long)a : (long)b; }
LAYOUTC_RT_FN unsigned long min(unsigned long a, unsigned long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
LAYOUTC_RT_FN unsigned long max(unsigned long a, unsigned long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
LAYOUTC_RT_FN unsigned long min(long a, unsigned long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
LAYOUTC_RT_FN unsigned long max(long a, unsigned long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
LAYOUTC_RT_FN unsigned long min(unsigned long a, long b) { return (unsigned long)a < (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
LAYOUTC_RT_FN unsigned long max(unsigned long a, long b) { return (unsigned long)a > (unsigned long)b ? (unsigned long)a : (unsigned long)b; }
LAYOUTC_RT_FN long long min(long long a, long long b) { return (long long)a < (long long)b ? (long long)a : (long long)b; }
LAYOUTC_RT_FN long long max(long long a, long long b) { return (long long)a > (long long)b ? (long long)a : (long long)b; }
LAYOUTC_RT_FN unsigned long long min(unsigned long long a, unsigned long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
LAYOUTC_RT_FN unsigned long long max(unsigned long long a, unsigned long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
LAYOUTC_RT_FN unsigned long long min(long long a, unsigned long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
LAYOUTC_RT_FN unsigned long long max(long long a, unsigned long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
LAYOUTC_RT_FN unsigned long long min(unsigned long long a, long long b) { return (unsigned long long)a < (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }
LAYOUTC_RT_FN unsigned long long max(unsigned long long a, long long b) { return (unsigned long long)a > (unsigned long long)b ? (unsigned long long)a : (unsigned long long)b; }

// NaN loses against a number, as in fminf and fmaxf.
LAYOUTC_RT_FN float min(float a, float b) { return fminf(a, b); }
LAYOUTC_RT_FN float max(float a, float b) { return fmaxf(a, b); }
LAYOUTC_RT_FN double min(double a, double b) { return fmin(a, b); }
LAYOUTC_RT_FN double max(double a, double b) { return fmax(a, b); }
LAYOUTC_RT_FN double min(float a, double b) { return fmin(a, b); }
LAYOUTC_RT_FN double max(float a, double b) { return fmax(a, b); }
LAYOUTC_RT_FN double min(double a, float b) { return fmin(a, b); }
LAYOUTC_RT_FN double max(double a, float b) { return fmax(a, b); }

LAYOUTC_RT_FN unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
LAYOUTC_RT_FN unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
LAYOUTC_RT_FN long long llmin(long long a, long long b) { return a < b ? a : b; }
LAYOUTC_RT_FN long long llmax(long long a, long long b) { return a > b ? a : b; }

namespace layoutc_rt {
template <class To, class From>
LAYOUTC_RT_FN To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
// Conversion with CUDA's saturation: out of range goes to the nearest bound, NaN to 0.
template <class To, class From>
LAYOUTC_RT_FN To saturate_to(From value) {
    if (value != value) return 0;
    const To lowest = (To)((To)-1 < (To)0 ? (To)1 << (sizeof(To) * 8 - 1) : 0);
    const To highest = (To)~lowest;
    if (value <= (From)lowest) return lowest;
    if (value >= (From)highest) return highest;
    return (To)value;
}
}  // namespace layoutc_rt

// Fast forms.
LAYOUTC_RT_FN float layoutc_rt_fast_expf(float x) { return expf(x); }
#define __expf layoutc_rt_fast_expf
LAYOUTC_RT_FN float layoutc_rt_fast_exp10f(float x) { return powf(10.0f, x); }
#define __exp10f layoutc_rt_fast_exp10f
LAYOUTC_RT_FN float layoutc_rt_fast_logf(float x) { return logf(x); }
#define __logf layoutc_rt_fast_logf
LAYOUTC_RT_FN float layoutc_rt_fast_log2f(float x) { return log2f(x); }
#define __log2f layoutc_rt_fast_log2f
LAYOUTC_RT_FN float layoutc_rt_fast_log10f(float x) { return log10f(x); }
#define __log10f layoutc_rt_fast_log10f
LAYOUTC_RT_FN float layoutc_rt_fast_sinf(float x) { return sinf(x); }
#define __sinf layoutc_rt_fast_sinf
LAYOUTC_RT_FN float layoutc_rt_fast_cosf(float x) { return cosf(x); }
#define __cosf layoutc_rt_fast_cosf
LAYOUTC_RT_FN float layoutc_rt_fast_tanf(float x) { return tanf(x); }
#define __tanf layoutc_rt_fast_tanf
LAYOUTC_RT_FN float layoutc_rt_fast_powf(float x, float y) { return powf(x, y); }
#define __powf layoutc_rt_fast_powf
LAYOUTC_RT_FN void layoutc_rt_fast_sincosf(float x, float* s, float* c) { *s = sinf(x); *c = cosf(x); }
#define __sincosf layoutc_rt_fast_sincosf
LAYOUTC_RT_FN float __fdividef(float a, float b) { return a / b; }
LAYOUTC_RT_FN float fdividef(float a, float b) { return a / b; }
LAYOUTC_RT_FN double fdivide(double a, double b) { return a / b; }
LAYOUTC_RT_FN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
LAYOUTC_RT_FN float saturate(float x) { return __saturatef(x); }
LAYOUTC_RT_FN float rsqrtf(float x) { return 1.0f / sqrtf(x); }
LAYOUTC_RT_FN double rsqrt(double x) { return 1.0 / sqrt(x); }
LAYOUTC_RT_FN float rsqrt(float x) { return 1.0f / sqrtf(x); }
LAYOUTC_RT_FN float rcbrtf(float x) { return 1.0f / cbrtf(x); }
LAYOUTC_RT_FN double rcbrt(double x) { return 1.0 / cbrt(x); }
LAYOUTC_RT_FN float sinpif(float x) { return (float)sin((double)x * 3.14159265358979323846); }
LAYOUTC_RT_FN double sinpi(double x) { return sin(x * 3.14159265358979323846); }
LAYOUTC_RT_FN float cospif(float x) { return (float)cos((double)x * 3.14159265358979323846); }
LAYOUTC_RT_FN double cospi(double x) { return cos(x * 3.14159265358979323846); }
LAYOUTC_RT_FN void sincospif(float x, float* s, float* c) { *s = sinpif(x); *c = cospif(x); }
LAYOUTC_RT_FN void sincospi(double x, double* s, double* c) { *s = sinpi(x); *c = cospi(x); }
LAYOUTC_RT_FN float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
LAYOUTC_RT_FN double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
LAYOUTC_RT_FN float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
LAYOUTC_RT_FN double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
LAYOUTC_RT_FN float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
LAYOUTC_RT_FN double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
LAYOUTC_RT_FN float rhypotf(float a, float b) { return 1.0f / hypotf(a, b); }
LAYOUTC_RT_FN double rhypot(double a, double b) { return 1.0 / hypot(a, b); }

// Rounding modes: every form rounds to nearest, which is the only mode the host is in.
LAYOUTC_RT_FN float __fadd_rn(float a, float b) { return a + b; }
LAYOUTC_RT_FN float __fsub_rn(float a, float b) { return a - b; }
LAYOUTC_RT_FN float __fmul_rn(float a, float b) { return a * b; }
LAYOUTC_RT_FN float __fdiv_rn(float a, float b) { return a / b; }
LAYOUTC_RT_FN float __fsqrt_rn(float a) { return sqrtf(a); }
LAYOUTC_RT_FN float __frcp_rn(float a) { return 1 / a; }
LAYOUTC_RT_FN double __dadd_rn(double a, double b) { return a + b; }
LAYOUTC_RT_FN double __dsub_rn(double a, double b) { return a - b; }
LAYOUTC_RT_FN double __dmul_rn(double a, double b) { return a * b; }
LAYOUTC_RT_FN double __ddiv_rn(double a, double b) { return a / b; }
LAYOUTC_RT_FN double __dsqrt_rn(double a) { return sqrt(a); }
LAYOUTC_RT_FN double __drcp_rn(double a) { return 1 / a; }
LAYOUTC_RT_FN float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
LAYOUTC_RT_FN double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
LAYOUTC_RT_FN float __fadd_rz(float a, float b) { return a + b; }
LAYOUTC_RT_FN float __fsub_rz(float a, float b) { return a - b; }
LAYOUTC_RT_FN float __fmul_rz(float a, float b) { return a * b; }
LAYOUTC_RT_FN float __fdiv_rz(float a, float b) { return a / b; }
LAYOUTC_RT_FN float __fsqrt_rz(float a) { return sqrtf(a); }
LAYOUTC_RT_FN float __frcp_rz(float a) { return 1 / a; }
LAYOUTC_RT_FN double __dadd_rz(double a, double b) { return a + b; }
LAYOUTC_RT_FN double __dsub_rz(double a, double b) { return a - b; }
LAYOUTC_RT_FN double __dmul_rz(double a, double b) { return a * b; }
LAYOUTC_RT_FN double __ddiv_rz(double a, double b) { return a / b; }
LAYOUTC_RT_FN double __dsqrt_rz(double a) { return sqrt(a); }
LAYOUTC_RT_FN double __drcp_rz(double a) { return 1 / a; }
LAYOUTC_RT_FN float __fmaf_rz(float a, float b, float c) { return fmaf(a, b, c); }
LAYOUTC_RT_FN double __fma_rz(double a, double b, double c) { return fma(a, b, c); }
LAYOUTC_RT_FN float __fadd_ru(float a, float b) { return a + b; }
LAYOUTC_RT_FN float __fsub_ru(float a, float b) { return a - b; }
LAYOUTC_RT_FN float __fmul_ru(float a, float b) { return a * b; }
LAYOUTC_RT_FN float __fdiv_ru(float a, float b) { return a / b; }
LAYOUTC_RT_FN float __fsqrt_ru(float a) { return sqrtf(a); }
LAYOUTC_RT_FN float __frcp_ru(float a) { return 1 / a; }
LAYOUTC_RT_FN double __dadd_ru(double a, double b) { return a + b; }
LAYOUTC_RT_FN double __dsub_ru(double a, double b) { return a - b; }
LAYOUTC_RT_FN double __dmul_ru(double a, double b) { return a * b; }
LAYOUTC_RT_FN double __ddiv_ru(double a, double b) { return a / b; }
LAYOUTC_RT_FN double __dsqrt_ru(double a) { return sqrt(a); }
LAYOUTC_RT_FN double __drcp_ru(double a) { return 1 / a; }
LAYOUTC_RT_FN float __fmaf_ru(float a, float b, float c) { return fmaf(a, b, c); }
LAYOUTC_RT_FN double __fma_ru(double a, double b, double c) { return fma(a, b, c); }
LAYOUTC_RT_FN float __fadd_rd(float a, float b) { return a + b; }
LAYOUTC_RT_FN float __fsub_rd(float a, float b) { return a - b; }
LAYOUTC_RT_FN float __fmul_rd(float a, float b) { return a * b; }
LAYOUTC_RT_FN float __fdiv_rd(float a, float b) { return a / b; }
LAYOUTC_RT_FN float __fsqrt_rd(float a) { return sqrtf(a); }
LAYOUTC_RT_FN float __frcp_rd(float a) { return 1 / a; }
LAYOUTC_RT_FN double __dadd_rd(double a, double b) { return a + b; }
LAYOUTC_RT_FN double __dsub_rd(double a, double b) { return a - b; }
LAYOUTC_RT_FN double __dmul_rd(double a, double b) { return a * b; }
LAYOUTC_RT_FN double __ddiv_rd(double a, double b) { return a / b; }
LAYOUTC_RT_FN double __dsqrt_rd(double a) { return sqrt(a); }
LAYOUTC_RT_FN double __drcp_rd(double a) { return 1 / a; }
LAYOUTC_RT_FN float __fmaf_rd(float a, float b, float c) { return fmaf(a, b, c); }
LAYOUTC_RT_FN double __fma_rd(double a, double b, double c) { return fma(a, b, c); }
LAYOUTC_RT_FN float __frsqrt_rn(float a) { return 1.0f / sqrtf(a); }

// Conversions.
LAYOUTC_RT_FN int __float2int_rn(float x) { return layoutc_rt::saturate_to<int>(rintf(x)); }
LAYOUTC_RT_FN int __double2int_rn(double x) { return layoutc_rt::saturate_to<int>(rint(x)); }
LAYOUTC_RT_FN float __int2float_rn(int x) { return (float)x; }
LAYOUTC_RT_FN double __int2double_rn(int x) { return (double)x; }
LAYOUTC_RT_FN unsigned int __float2uint_rn(float x) { return layoutc_rt::saturate_to<unsigned int>(rintf(x)); }
LAYOUTC_RT_FN unsigned int __double2uint_rn(double x) { return layoutc_rt::saturate_to<unsigned int>(rint(x)); }
LAYOUTC_RT_FN float __uint2float_rn(unsigned int x) { return (float)x; }
LAYOUTC_RT_FN double __uint2double_rn(unsigned int x) { return (double)x; }
LAYOUTC_RT_FN long long __float2ll_rn(float x) { return layoutc_rt::saturate_to<long long>(rintf(x)); }
LAYOUTC_RT_FN long long __double2ll_rn(double x) { return layoutc_rt::saturate_to<long long>(rint(x)); }
LAYOUTC_RT_FN float __ll2float_rn(long long x) { return (float)x; }
LAYOUTC_RT_FN double __ll2double_rn(long long x) { return (double)x; }
LAYOUTC_RT_FN unsigned long long __float2ull_rn(float x) { return layoutc_rt::saturate_to<unsigned long long>(rintf(x)); }
LAYOUTC_RT_FN unsigned long long __double2ull_rn(double x) { return layoutc_rt::saturate_to<unsigned long long>(rint(x)); }
LAYOUTC_RT_FN float __ull2float_rn(unsigned long long x) { return (float)x; }
LAYOUTC_RT_FN double __ull2double_rn(unsigned long long x) { return (double)x; }
LAYOUTC_RT_FN float __double2float_rn(double x) { return (float)x; }
LAYOUTC_RT_FN int __float2int_rz(float x) { return layoutc_rt::saturate_to<int>(truncf(x)); }
LAYOUTC_RT_FN int __double2int_rz(double x) { return layoutc_rt::saturate_to<int>(trunc(x)); }
LAYOUTC_RT_FN float __int2float_rz(int x) { return (float)x; }
LAYOUTC_RT_FN double __int2double_rz(int x) { return (double)x; }
LAYOUTC_RT_FN unsigned int __float2uint_rz(float x) { return layoutc_rt::saturate_to<unsigned int>(truncf(x)); }
LAYOUTC_RT_FN unsigned int __double2uint_rz(double x) { return layoutc_rt::saturate_to<unsigned int>(trunc(x)); }
LAYOUTC_RT_FN float __uint2float_rz(unsigned int x) { return (float)x; }
LAYOUTC_RT_FN double __uint2double_rz(unsigned int x) { return (double)x; }
LAYOUTC_RT_FN long long __float2ll_rz(float x) { return layoutc_rt::saturate_to<long long>(truncf(x)); }
LAYOUTC_RT_FN long long __double2ll_rz(double x) { return layoutc_rt::saturate_to<long long>(trunc(x)); }
LAYOUTC_RT_FN float __ll2float_rz(long long x) { return (float)x; }
LAYOUTC_RT_FN double __ll2double_rz(long long x) { return (double)x; }
LAYOUTC_RT_FN unsigned long long __float2ull_rz(float x) { return layoutc_rt::saturate_to<unsigned long long>(truncf(x)); }
LAYOUTC_RT_FN unsigned long long __double2ull_rz(double x) { return layoutc_rt::saturate_to<unsigned long long>(trunc(x)); }
LAYOUTC_RT_FN float __ull2float_rz(unsigned long long x) { return (float)x; }
LAYOUTC_RT_FN double __ull2double_rz(unsigned long long x) { return (double)x; }
LAYOUTC_RT_FN float __double2float_rz(double x) { return (float)x; }
LAYOUTC_RT_FN int __float2int_ru(float x) { return layoutc_rt::saturate_to<int>(ceilf(x)); }
LAYOUTC_RT_FN int __double2int_ru(double x) { return layoutc_rt::saturate_to<int>(ceil(x)); }
LAYOUTC_RT_FN float __int2float_ru(int x) { return (float)x; }
LAYOUTC_RT_FN double __int2double_ru(int x) { return (double)x; }
LAYOUTC_RT_FN unsigned int __float2uint_ru(float x) { return layoutc_rt::saturate_to<unsigned int>(ceilf(x)); }
LAYOUTC_RT_FN unsigned int __double2uint_ru(double x) { return layoutc_rt::saturate_to<unsigned int>(ceil(x)); }
LAYOUTC_RT_FN float __uint2float_ru(unsigned int x) { return (float)x; }
LAYOUTC_RT_FN double __uint2double_ru(unsigned int x) { return (double)x; }
LAYOUTC_RT_FN long long __float2ll_ru(float x) { return layoutc_rt::saturate_to<long long>(ceilf(x)); }
LAYOUTC_RT_FN long long __double2ll_ru(double x) { return layoutc_rt::saturate_to<long long>(ceil(x)); }
LAYOUTC_RT_FN float __ll2float_ru(long long x) { return (float)x; }
LAYOUTC_RT_FN double __ll2double_ru(long long x) { return (double)x; }
LAYOUTC_RT_FN unsigned long long __float2ull_ru(float x) { return layoutc_rt::saturate_to<unsigned long long>(ceilf(x)); }
LAYOUTC_RT_FN unsigned long long __double2ull_ru(double x) { return layoutc_rt::saturate_to<unsigned long long>(ceil(x)); }
LAYOUTC_RT_FN float __ull2float_ru(unsigned long long x) { return (float)x; }
LAYOUTC_RT_FN double __ull2double_ru(unsigned long long x) { return (double)x; }
LAYOUTC_RT_FN float __double2float_ru(double x) { return (float)x; }
LAYOUTC_RT_FN int __float2int_rd(float x) { return layoutc_rt::saturate_to<int>(floorf(x)); }
LAYOUTC_RT_FN int __double2int_rd(double x) { return layoutc_rt::saturate_to<int>(floor(x)); }
LAYOUTC_RT_FN float __int2float_rd(int x) { return (float)x; }
LAYOUTC_RT_FN double __int2double_rd(int x) { return (double)x; }
LAYOUTC_RT_FN unsigned int __float2uint_rd(float x) { return layoutc_rt::saturate_to<unsigned int>(floorf(x)); }
LAYOUTC_RT_FN unsigned int __double2uint_rd(double x) { return layoutc_rt::saturate_to<unsigned int>(floor(x)); }
LAYOUTC_RT_FN float __uint2float_rd(unsigned int x) { return (float)x; }
LAYOUTC_RT_FN double __uint2double_rd(unsigned int x) { return (double)x; }
LAYOUTC_RT_FN long long __float2ll_rd(float x) { return layoutc_rt::saturate_to<long long>(floorf(x)); }
LAYOUTC_RT_FN long long __double2ll_rd(double x) { return layoutc_rt::saturate_to<long long>(floor(x)); }
LAYOUTC_RT_FN float __ll2float_rd(long long x) { return (float)x; }
LAYOUTC_RT_FN double __ll2double_rd(long long x) { return (double)x; }
LAYOUTC_RT_FN unsigned long long __float2ull_rd(float x) { return layoutc_rt::saturate_to<unsigned long long>(floorf(x)); }
LAYOUTC_RT_FN unsigned long long __double2ull_rd(double x) { return layoutc_rt::saturate_to<unsigned long long>(floor(x)); }
LAYOUTC_RT_FN float __ull2float_rd(unsigned long long x) { return (float)x; }
LAYOUTC_RT_FN double __ull2double_rd(unsigned long long x) { return (double)x; }
LAYOUTC_RT_FN float __double2float_rd(double x) { return (float)x; }
LAYOUTC_RT_FN int __float_as_int(float x) { return layoutc_rt::bit_cast<int>(x); }
LAYOUTC_RT_FN float __int_as_float(int x) { return layoutc_rt::bit_cast<float>(x); }
LAYOUTC_RT_FN unsigned int __float_as_uint(float x) { return layoutc_rt::bit_cast<unsigned int>(x); }
LAYOUTC_RT_FN float __uint_as_float(unsigned int x) { return layoutc_rt::bit_cast<float>(x); }
LAYOUTC_RT_FN long long __double_as_longlong(double x) { return layoutc_rt::bit_cast<long long>(x); }
LAYOUTC_RT_FN double __longlong_as_double(long long x) { return layoutc_rt::bit_cast<double>(x); }
LAYOUTC_RT_FN int __double2hiint(double x) { return (int)(layoutc_rt::bit_cast<unsigned long long>(x) >> 32); }
LAYOUTC_RT_FN int __double2loint(double x) { return (int)layoutc_rt::bit_cast<unsigned long long>(x); }
LAYOUTC_RT_FN double __hiloint2double(int hi, int lo) {
    return layoutc_rt::bit_cast<double>(((unsigned long long)(unsigned)hi << 32) | (unsigned)lo);
}

// Integers.
LAYOUTC_RT_FN int __popc(unsigned x) { return __builtin_popcount(x); }
LAYOUTC_RT_FN int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LAYOUTC_RT_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
LAYOUTC_RT_FN int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
LAYOUTC_RT_FN int __ffs(int x) { return __builtin_ffs(x); }
LAYOUTC_RT_FN int __ffsll(long long x) { return __builtin_ffsll(x); }
LAYOUTC_RT_FN unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= ((x >> i) & 1u) << (31 - i);
    return r;
}
LAYOUTC_RT_FN unsigned long long __brevll(unsigned long long x) {
    return ((unsigned long long)__brev((unsigned)x) << 32) | __brev((unsigned)(x >> 32));
}
LAYOUTC_RT_FN unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned long long bytes = ((unsigned long long)y << 32) | x;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) {
        unsigned s = (selector >> (4 * i)) & 15;
        unsigned byte = (bytes >> (8 * (s & 7))) & 255;
        if (s & 8) byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
}
LAYOUTC_RT_FN unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)(((((unsigned long long)hi << 32) | lo) << (n & 31)) >> 32);
}
LAYOUTC_RT_FN unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)((((unsigned long long)hi << 32) | lo) >> (n & 31));
}
LAYOUTC_RT_FN int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
LAYOUTC_RT_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
LAYOUTC_RT_FN long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
LAYOUTC_RT_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
LAYOUTC_RT_FN int __mul24(int a, int b) {
    return (int)((unsigned)((int)((unsigned)a << 8) >> 8) * (unsigned)((int)((unsigned)b << 8) >> 8));
}
LAYOUTC_RT_FN unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
LAYOUTC_RT_FN unsigned __sad(int a, int b, unsigned c) { return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a); }
LAYOUTC_RT_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
LAYOUTC_RT_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
LAYOUTC_RT_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
LAYOUTC_RT_FN unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
LAYOUTC_RT_FN unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
LAYOUTC_RT_FN int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; i++) c += (int)(signed char)(a >> (8 * i)) * (signed char)(b >> (8 * i));
    return c;
}
LAYOUTC_RT_FN unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 4; i++) c += ((a >> (8 * i)) & 255) * ((b >> (8 * i)) & 255);
    return c;
}

// Loads and stores with cache hints.
template <class T>
LAYOUTC_RT_FN T __ldg(const T* p) { return *p; }
template <class T>
LAYOUTC_RT_FN T __ldcg(const T* p) { return *p; }
template <class T>
LAYOUTC_RT_FN T __ldca(const T* p) { return *p; }
template <class T>
LAYOUTC_RT_FN T __ldcs(const T* p) { return *p; }
template <class T>
LAYOUTC_RT_FN T __ldlu(const T* p) { return *p; }
template <class T>
LAYOUTC_RT_FN T __ldcv(const T* p) { return *p; }
template <class T>
LAYOUTC_RT_FN void __stcg(T* p, layoutc_rt::SameT<T> v) { *p = v; }
template <class T>
LAYOUTC_RT_FN void __stwb(T* p, layoutc_rt::SameT<T> v) { *p = v; }
template <class T>
LAYOUTC_RT_FN void __stcs(T* p, layoutc_rt::SameT<T> v) { *p = v; }
template <class T>
LAYOUTC_RT_FN void __stwt(T* p, layoutc_rt::SameT<T> v) { *p = v; }

// Clocks count their own calls: what a program prints must not depend on the machine.
long long int layoutc_rt_device_clock();
static inline long long int clock64() { return layoutc_rt_device_clock(); }
static inline unsigned long long __nv_ptx_globaltimer() { return (unsigned long long)layoutc_rt_device_clock(); }

[[noreturn]] void layoutc_rt_trap();
static inline void __trap() { layoutc_rt_trap(); }
static inline void __brkpt() {}
static inline void __prof_trigger(int) {}
#define __builtin_assume(condition) ((void)0)
#define __nv_associate_access_property(p, property) (p)
