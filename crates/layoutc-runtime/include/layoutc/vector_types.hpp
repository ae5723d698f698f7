// CUDA's vector types, with the sizes and alignments that nvcc gives them.
#pragma once

#include "qualifiers.hpp"

typedef struct char1 { signed char x; } char1;
typedef struct __align__(2) char2 { signed char x, y; } char2;
typedef struct char3 { signed char x, y, z; } char3;
typedef struct __align__(4) char4 { signed char x, y, z, w; } char4;
static inline char1 make_char1(signed char x) { char1 v; v.x = x; return v; }
static inline char2 make_char2(signed char x, signed char y) { char2 v; v.x = x; v.y = y; return v; }
static inline char3 make_char3(signed char x, signed char y, signed char z) { char3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline char4 make_char4(signed char x, signed char y, signed char z, signed char w) { char4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct uchar1 { unsigned char x; } uchar1;
typedef struct __align__(2) uchar2 { unsigned char x, y; } uchar2;
typedef struct uchar3 { unsigned char x, y, z; } uchar3;
typedef struct __align__(4) uchar4 { unsigned char x, y, z, w; } uchar4;
static inline uchar1 make_uchar1(unsigned char x) { uchar1 v; v.x = x; return v; }
static inline uchar2 make_uchar2(unsigned char x, unsigned char y) { uchar2 v; v.x = x; v.y = y; return v; }
static inline uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { uchar3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { uchar4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct short1 { short x; } short1;
typedef struct __align__(4) short2 { short x, y; } short2;
typedef struct short3 { short x, y, z; } short3;
typedef struct __align__(8) short4 { short x, y, z, w; } short4;
static inline short1 make_short1(short x) { short1 v; v.x = x; return v; }
static inline short2 make_short2(short x, short y) { short2 v; v.x = x; v.y = y; return v; }
static inline short3 make_short3(short x, short y, short z) { short3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline short4 make_short4(short x, short y, short z, short w) { short4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct ushort1 { unsigned short x; } ushort1;
typedef struct __align__(4) ushort2 { unsigned short x, y; } ushort2;
typedef struct ushort3 { unsigned short x, y, z; } ushort3;
typedef struct __align__(8) ushort4 { unsigned short x, y, z, w; } ushort4;
static inline ushort1 make_ushort1(unsigned short x) { ushort1 v; v.x = x; return v; }
static inline ushort2 make_ushort2(unsigned short x, unsigned short y) { ushort2 v; v.x = x; v.y = y; return v; }
static inline ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) { ushort3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) { ushort4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct int1 { int x; } int1;
typedef struct __align__(8) int2 { int x, y; } int2;
typedef struct int3 { int x, y, z; } int3;
typedef struct __align__(16) int4 { int x, y, z, w; } int4;
static inline int1 make_int1(int x) { int1 v; v.x = x; return v; }
static inline int2 make_int2(int x, int y) { int2 v; v.x = x; v.y = y; return v; }
static inline int3 make_int3(int x, int y, int z) { int3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline int4 make_int4(int x, int y, int z, int w) { int4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct uint1 { unsigned int x; } uint1;
typedef struct __align__(8) uint2 { unsigned int x, y; } uint2;
typedef struct uint3 { unsigned int x, y, z; } uint3;
typedef struct __align__(16) uint4 { unsigned int x, y, z, w; } uint4;
static inline uint1 make_uint1(unsigned int x) { uint1 v; v.x = x; return v; }
static inline uint2 make_uint2(unsigned int x, unsigned int y) { uint2 v; v.x = x; v.y = y; return v; }
static inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { uint3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { uint4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct long1 { long x; } long1;
typedef struct __align__(16) long2 { long x, y; } long2;
typedef struct long3 { long x, y, z; } long3;
typedef struct __align__(16) long4 { long x, y, z, w; } long4;
static inline long1 make_long1(long x) { long1 v; v.x = x; return v; }
static inline long2 make_long2(long x, long y) { long2 v; v.x = x; v.y = y; return v; }
static inline long3 make_long3(long x, long y, long z) { long3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline long4 make_long4(long x, long y, long z, long w) { long4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct ulong1 { unsigned long x; } ulong1;
typedef struct __align__(16) ulong2 { unsigned long x, y; } ulong2;
typedef struct ulong3 { unsigned long x, y, z; } ulong3;
typedef struct __align__(16) ulong4 { unsigned long x, y, z, w; } ulong4;
static inline ulong1 make_ulong1(unsigned long x) { ulong1 v; v.x = x; return v; }
static inline ulong2 make_ulong2(unsigned long x, unsigned long y) { ulong2 v; v.x = x; v.y = y; return v; }
static inline ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) { ulong3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w) { ulong4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct longlong1 { long long x; } longlong1;
typedef struct __align__(16) longlong2 { long long x, y; } longlong2;
typedef struct longlong3 { long long x, y, z; } longlong3;
typedef struct __align__(16) longlong4 { long long x, y, z, w; } longlong4;
static inline longlong1 make_longlong1(long long x) { longlong1 v; v.x = x; return v; }
static inline longlong2 make_longlong2(long long x, long long y) { longlong2 v; v.x = x; v.y = y; return v; }
static inline longlong3 make_longlong3(long long x, long long y, long long z) { longlong3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline longlong4 make_longlong4(long long x, long long y, long long z, long long w) { longlong4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct ulonglong1 { unsigned long long x; } ulonglong1;
typedef struct __align__(16) ulonglong2 { unsigned long long x, y; } ulonglong2;
typedef struct ulonglong3 { unsigned long long x, y, z; } ulonglong3;
typedef struct __align__(16) ulonglong4 { unsigned long long x, y, z, w; } ulonglong4;
static inline ulonglong1 make_ulonglong1(unsigned long long x) { ulonglong1 v; v.x = x; return v; }
static inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { ulonglong2 v; v.x = x; v.y = y; return v; }
static inline ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z) { ulonglong3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) { ulonglong4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct float1 { float x; } float1;
typedef struct __align__(8) float2 { float x, y; } float2;
typedef struct float3 { float x, y, z; } float3;
typedef struct __align__(16) float4 { float x, y, z, w; } float4;
static inline float1 make_float1(float x) { float1 v; v.x = x; return v; }
static inline float2 make_float2(float x, float y) { float2 v; v.x = x; v.y = y; return v; }
static inline float3 make_float3(float x, float y, float z) { float3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline float4 make_float4(float x, float y, float z, float w) { float4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct double1 { double x; } double1;
typedef struct __align__(16) double2 { double x, y; } double2;
typedef struct double3 { double x, y, z; } double3;
typedef struct __align__(16) double4 { double x, y, z, w; } double4;
static inline double1 make_double1(double x) { double1 v; v.x = x; return v; }
static inline double2 make_double2(double x, double y) { double2 v; v.x = x; v.y = y; return v; }
static inline double3 make_double3(double x, double y, double z) { double3 v; v.x = x; v.y = y; v.z = z; return v; }
static inline double4 make_double4(double x, double y, double z, double w) { double4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct __align__(16) long4_16a { long x, y, z, w; } long4_16a;
static inline long4_16a make_long4_16a(long x, long y, long z, long w) { long4_16a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(32) long4_32a { long x, y, z, w; } long4_32a;
static inline long4_32a make_long4_32a(long x, long y, long z, long w) { long4_32a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(16) ulong4_16a { unsigned long x, y, z, w; } ulong4_16a;
static inline ulong4_16a make_ulong4_16a(unsigned long x, unsigned long y, unsigned long z, unsigned long w) { ulong4_16a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(32) ulong4_32a { unsigned long x, y, z, w; } ulong4_32a;
static inline ulong4_32a make_ulong4_32a(unsigned long x, unsigned long y, unsigned long z, unsigned long w) { ulong4_32a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(16) longlong4_16a { long long x, y, z, w; } longlong4_16a;
static inline longlong4_16a make_longlong4_16a(long long x, long long y, long long z, long long w) { longlong4_16a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(32) longlong4_32a { long long x, y, z, w; } longlong4_32a;
static inline longlong4_32a make_longlong4_32a(long long x, long long y, long long z, long long w) { longlong4_32a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(16) ulonglong4_16a { unsigned long long x, y, z, w; } ulonglong4_16a;
static inline ulonglong4_16a make_ulonglong4_16a(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) { ulonglong4_16a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(32) ulonglong4_32a { unsigned long long x, y, z, w; } ulonglong4_32a;
static inline ulonglong4_32a make_ulonglong4_32a(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) { ulonglong4_32a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(16) double4_16a { double x, y, z, w; } double4_16a;
static inline double4_16a make_double4_16a(double x, double y, double z, double w) { double4_16a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
typedef struct __align__(32) double4_32a { double x, y, z, w; } double4_32a;
static inline double4_32a make_double4_32a(double x, double y, double z, double w) { double4_32a v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;
