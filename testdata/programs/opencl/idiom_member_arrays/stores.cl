// Members of all sizes with holes between them: arrays, nested structs, atomics.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef struct {
    short shelf;
    uchar level;
} place_t;

typedef struct {
    char kind;
    place_t place;
    int stock[3];
    double price;
    uchar flags;
    long sold;
    ushort codes[2][2];
} store_t;

__kernel void sell(__global store_t *stores, const int n, __global const int *orders, const int order_count)
{
    const int o = get_global_id(0);
    if (o >= order_count) return;
    const int s = orders[o] % n;
    const int which = orders[o] % 3;
    atomic_sub(&stores[s].stock[which], 1);
    atomic_or(&stores[s].stock[2], 1 << 20);
}

__kernel void book(__global store_t *stores, const int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    __global store_t *s = &stores[i];
    long sum = 0;
    for (int k = 0; k < 3; k++) sum += s->stock[k];
    s->sold = 1000 - sum;
    s->price *= s->kind == 'a' ? 0.5 : 2.0;
    s->place.shelf = -s->place.shelf;
    s->place.level++;
    s->flags |= 0x80;
    const place_t p = s->place;
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) s->codes[r][c] += p.shelf * r + p.level * c;
}
