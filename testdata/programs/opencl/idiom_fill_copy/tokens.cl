// 16 bytes, so that a whole token can be a pattern of a fill
typedef struct {
    uint kind;
    int count;
    float low;
    float high;
} token_t;

kernel void scatter(global token_t *tokens, global const uint *kinds, const uint n)
{
    const uint i = get_global_id(0);
    if (i < n) {
        global token_t *t = &tokens[n - 1 - i];
        t->kind = kinds[i];
        t->count += 1 + i % 3;
        t->low = fmin(t->low, (float)kinds[i]);
        t->high = fmax(t->high, (float)kinds[i]);
    }
}

kernel void merge(global token_t *into, global const token_t *from, const uint n)
{
    const uint i = get_global_id(0);
    if (i < n) {
        token_t a = into[i], b = from[i];
        a.count += b.count;
        a.low = fmin(a.low, b.low);
        a.high = fmax(a.high, b.high);
        into[i] = a;
    }
}
