/* One loop over elements of FIELDS values each, which lie as LAYOUT says. Written by `layoutc calibrate tiles`.
 *
 * -D TRIPS=n, FIELDS=m, ELEMENTS=e (a power of two), VALUE=uint or ulong, and
 * LAYOUT=0: an array for each field, 1: an array of structs, otherwise: tiles of so many elements. */
#if LAYOUT == 0
#define PLACE(element, field) ((field) * (ulong)ELEMENTS + (element))
#elif LAYOUT == 1
#define PLACE(element, field) ((element) * (ulong)FIELDS + (field))
#else
#define PLACE(element, field) \
    ((element) / LAYOUT * (ulong)(LAYOUT * FIELDS) + (field) * LAYOUT + (element) % LAYOUT)
#endif

__kernel void accumulate(__global const VALUE *data, __global VALUE *sums)
{
    uint id = get_global_id(0);
    uint all = get_global_size(0);
    VALUE sum = 0;
    for (uint trip = 0; trip < TRIPS; trip++) {
        uint element = (id + trip * all) & (ELEMENTS - 1);
        for (uint field = 0; field < FIELDS; field++)
            sum += data[PLACE(element, field)] * (field + 1);
    }
    sums[id] = sum;
}
