/* REAL, GROUP and WEIGHT come from the options of the build */
#include "config.h"

typedef struct {
    REAL part[N_MEMBERS];
    REAL total;
    int rank;
} MIX_T;

#define MIX(i) mixes[(i)]
#define TOTAL(i) (MIX(i).total)
#define SWAP(type, a, b) { type t_ = a; a = b; b = t_; }
#define FOR_PARTS for (int k = 0; k < N_MEMBERS; k++)
#define GUARD(n) const int i = get_global_id(0); if (i >= (n)) return

#ifdef WEIGHT
#define WEIGHTED(v) ((v) * (REAL)WEIGHT)
#else
#define WEIGHTED(v) (v)
#endif

__kernel void add_up(__global MIX_T *mixes, int n)
{
    GUARD(n);
    TOTAL(i) = 0;
    FOR_PARTS TOTAL(i) += WEIGHTED(MIX(i).part[k]);
}

__kernel void reorder(__global MIX_T *mixes, int n)
{
    GUARD(n);
    if (MIX(i).part[0] > MIX(i).part[N_MEMBERS - 1]) SWAP(REAL, MIX(i).part[0], MIX(i).part[N_MEMBERS - 1])
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void rank_all(__global MIX_T *mixes, int n)
{
    GUARD(n);
    int rank = 0;
    for (int j = 0; j < n; j++) rank += TOTAL(j) < TOTAL(i) || (TOTAL(j) == TOTAL(i) && j < i);
    MIX(i).rank = rank;
}
