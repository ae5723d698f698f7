#include "kernels/bug.cl"

/* those that sit where the one in front of them sits are born again */
kernel void meet(global const bug_t *old, global bug_t *fresh, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    bug_t b = old[i];
    int j = (i + 1) % n;
    if (abs(b.x - old[j].x) <= 1 && abs(b.y - old[j].y) <= 1 && j != i) {
        b.age = 0;
        b.x = -b.x;
    }
    fresh[i] = b;
}
