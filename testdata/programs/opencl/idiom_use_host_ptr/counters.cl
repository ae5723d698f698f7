struct counter {
    int hits;
    int misses;
    long sum;
};

__kernel void tally(__global struct counter *counters, int count, __global const int *numbers, int length)
{
    int i = get_global_id(0);
    if (i >= count) return;
    for (int k = 0; k < length; k++) {
        if (numbers[k] % (i + 1) == 0) {
            counters[i].hits++;
            counters[i].sum += numbers[k];
        } else {
            counters[i].misses++;
        }
    }
}
