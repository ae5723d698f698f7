// Stands in for cuRAND's device header. The numbers are as good but not the same ones: a generator that counts,
// so that each (seed, sequence, offset) has its own stream.
#pragma once
#include "layoutc_runtime.hpp"

struct curandStateXORWOW {
    unsigned long long key, position;
    double spare;
    bool has_spare;
};
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandStatePhilox4_32_10;
typedef curandStateXORWOW curandStatePhilox4_32_10_t;
typedef curandStateXORWOW curandStateMRG32k3a;
typedef curandStateXORWOW curandStateMRG32k3a_t;

static inline unsigned long long layoutc_rt_mix(unsigned long long x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
static inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandState* s) {
    s->key = layoutc_rt_mix(seed ^ layoutc_rt_mix(sequence));
    s->position = offset;
    s->spare = 0;
    s->has_spare = false;
}
static inline void skipahead(unsigned long long n, curandState* s) { s->position += n; }
static inline unsigned int curand(curandState* s) { return (unsigned int)(layoutc_rt_mix(s->key + s->position++) >> 32); }
static inline float curand_uniform(curandState* s) { return ((curand(s) >> 8) + 1) * (1.0f / 16777216.0f); }
static inline double curand_uniform_double(curandState* s) { return ((layoutc_rt_mix(s->key + s->position++) >> 11) + 1) * (1.0 / 9007199254740992.0); }
static inline double curand_normal_double(curandState* s) {
    if (s->has_spare) {
        s->has_spare = false;
        return s->spare;
    }
    double radius = sqrt(-2.0 * log(curand_uniform_double(s)));
    double angle = 6.283185307179586 * curand_uniform_double(s);
    s->spare = radius * sin(angle);
    s->has_spare = true;
    return radius * cos(angle);
}
static inline float curand_normal(curandState* s) { return (float)curand_normal_double(s); }
static inline float2 curand_normal2(curandState* s) {
    float x = curand_normal(s);
    return make_float2(x, curand_normal(s));
}
static inline float4 curand_uniform4(curandState* s) {
    float x = curand_uniform(s), y = curand_uniform(s), z = curand_uniform(s);
    return make_float4(x, y, z, curand_uniform(s));
}
static inline float curand_log_normal(curandState* s, float mean, float deviation) { return expf(mean + deviation * curand_normal(s)); }
