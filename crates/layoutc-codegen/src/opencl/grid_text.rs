//! The host's side of buffers that are grids in another order, in C.

use super::host_text::Texts;
use crate::grids::flatten;
use crate::marker::Marker;
use crate::storage::upper_first;
use layoutc_analysis::grid_plan::GridPlan;
use layoutc_dataflow::layout::{Digit, DimensionId};

/// Extents that are no constants have so many places.
pub(crate) const MOST_EXTENTS: usize = 3;

/// The texts of grids.
pub(super) const GRIDS: Texts = Texts {
    types: TYPES,
    moves: MOVE,
    parts: "",
    transfer: TRANSFER,
    create: CREATE,
    copy: COPY,
    construct: CPP_CREATE,
};

/// Ends of the names in the generated text that only these arrays have.
pub(super) const NAMES: &[&str] = &["Move", "Tail", "Window", "Extents"];

/// A grid in another order.
pub(crate) struct HostGrid {
    /// Begins names.
    pub(crate) name: String,
    /// What stands around its text.
    pub(crate) marker: Marker,
    /// The order.
    pub(crate) plan: GridPlan,
    /// How many values kernels can count, as C.
    pub(crate) most: &'static str,
}

/// The extents as the next argument: `gridExtents(ny, nx, 1), `.
pub(super) fn extents(prefix: &str, extents: &[String]) -> String {
    let mut all = extents.to_vec();
    all.resize(MOST_EXTENTS, "1".to_owned());
    format!("{prefix}Extents({}), ", all.join(", "))
}

impl HostGrid {
    /// How the values of a grid lie: `uLayout`.
    pub(super) fn text(&self, prefix: &str, name: &str) -> String {
        let plan = &self.plan;
        let (grid, digits) = (&plan.grid, &plan.digits);
        let mut named = Vec::new();
        let extents: Vec<String> = grid.dimensions[1..]
            .iter()
            .map(|dimension| {
                dimension.extent.map_or_else(
                    || {
                        named.push(format!("extent[{}]", named.len()));
                        format!("extent[{}]", named.len() - 1)
                    },
                    |extent| extent.to_string(),
                )
            })
            .collect();
        let is_empty: Vec<String> = named.iter().map(|own| format!("{own} == 0")).collect();
        let guard = |then: &str| match is_empty.as_slice() {
            [] => "    (void)extent;\n".to_owned(),
            some => format!("    if ({})\n        return {then};\n", some.join(" || ")),
        };
        let coordinates = flatten::unflatten(grid, "at", &extents);
        let place = flatten::place(grid, digits, &coordinates, &extents);
        // Neighbours along the fastest dimension, if it is the last digit.
        let last = grid.dimensions.len() - 1;
        let run = match digits.last() {
            Some(Digit::Slice { dimension: DimensionId(dimension), divisor: 1, modulus })
                if *dimension as usize == last =>
            {
                let (x, extent) = (&coordinates[last], &extents[last - 1]);
                let rest = format!("{extent} - {x}");
                Some(match modulus {
                    Some(tile) => {
                        format!("{tile} - {x} % {tile} < {rest} ? {tile} - {x} % {tile} : {rest}")
                    }
                    None => rest,
                })
            }
            _ => None,
        };
        let run = run.map_or_else(String::new, |run| format!("    *run = {run};\n"));
        let inner = extents.join(" * ");
        let count = flatten::count(grid, digits, "rows", &extents);
        let upper = upper_first(prefix);
        format!(
            "\n// Where a value lies: {notation}, slowest first.\n\
         static size_t {name}Place(const cl_ulong *extent, size_t at, size_t *run)\n{{\n    \
         *run = 1;\n{at}{run}    return {place};\n}}\n\n\
         static size_t {name}Count(const cl_ulong *extent, size_t values)\n{{\n\
         {values}    const size_t inner = {inner}, rows = (values + inner - 1) / inner;\n    \
         return {count};\n}}\n\n\
         static const {upper}Layout {name} = {{ {bytes}, {extents}, {most}, {name}Place, {name}Count }};\n",
            notation = plan.notation(),
            at = guard("at"),
            values = guard("values"),
            bytes = plan.scalar.size(),
            extents = named.len(),
            most = self.most,
        )
    }
}

const TYPES: &str = "
#include <stdlib.h>
#include <string.h>

// Grids that kernels have in another order than the host. The functions take the place of those of OpenCL
// with the same parameters; offsets and sizes are the host's, whose memory stays as it is. Behind its
// values a buffer holds how many bytes the host has, and the extents.
typedef struct {
    size_t value;   // bytes
    size_t extents; // that are no constants
    size_t most;    // values that kernels can count
    // Where a value lies, and how many behind it lie in a row; and how many values there are with the padding.
    size_t (*place)(const cl_ulong *extent, size_t at, size_t *run);
    size_t (*count)(const cl_ulong *extent, size_t values);
} $PLayout;
";

const MOVE: &str = "
// Moves a range of bytes between the host and the values of a buffer from number low on.
static void $pMove(const $PLayout *layout, const cl_ulong *extent, int to_values, char *values, size_t low,
                   char *host, size_t offset, size_t bytes)
{
    size_t at, part, run;
    for (at = offset; at < offset + bytes; at += part) {
        const size_t within = at % layout->value;
        char *value = values + (layout->place(extent, at / layout->value, &run) - low) * layout->value + within;
        part = run * layout->value - within;
        if (part > offset + bytes - at)
            part = offset + bytes - at;
        if (to_values)
            memcpy(value, host + (at - offset), part);
        else
            memcpy(host + (at - offset), value, part);
    }
}
";

const TRANSFER: &str = "
// What stands behind the values: the host's bytes and the extents.
static cl_int $pTail(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes,
                     cl_ulong *own, cl_uint waits, const cl_event *wait_list)
{
    const size_t tail = (1 + layout->extents) * sizeof *own;
    size_t total = 0;
    cl_int status = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof total, &total, NULL);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, total - tail, tail, own, waits, wait_list, NULL);
    if (status == CL_SUCCESS && (offset > own[0] || bytes > own[0] - offset))
        status = CL_INVALID_VALUE;
    return status;
}

// Whether OpenCL refuses nothing at a place that the host does not have; the offset becomes one that it refuses in the
// buffer, too. Other ranges are looked at where they are moved.
static int $pIsOutside(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, size_t *offset, size_t bytes)
{
    cl_ulong own[4];
    if (bytes != 0 || $pTail(layout, queue, buffer, *offset, bytes, own, 0, NULL) != CL_INVALID_VALUE)
        return 0;
    *offset = (size_t)-1;
    return 1;
}

// The first and the last place of a range of bytes; whether there is something else between them.
static int $pWindow(const $PLayout *layout, const cl_ulong *own, size_t offset, size_t bytes, size_t *low, size_t *high)
{
    const size_t values = (own[0] + layout->value - 1) / layout->value;
    const size_t first = offset / layout->value, last = (offset + bytes - 1) / layout->value;
    size_t i, run, place;
    *low = (size_t)-1;
    *high = 0;
    for (i = first; i <= last; i += run) {
        place = layout->place(own + 1, i, &run);
        if (run > last - i + 1)
            run = last - i + 1;
        if (place < *low)
            *low = place;
        if (place + run - 1 > *high)
            *high = place + run - 1;
    }
    if (offset % layout->value != 0 || (offset + bytes) % layout->value != 0)
        return 1;
    for (i = 0; i < values; i += run) {
        if (i == first) {
            run = last - first + 1;
            continue;
        }
        place = layout->place(own + 1, i, &run);
        if (i < first && run > first - i)
            run = first - i;
        if (place <= *high && place + run > *low)
            return 1;
    }
    return 0;
}

static cl_int $pTransfer(const $PLayout *layout, int to_device, cl_command_queue queue, cl_mem buffer,
                         size_t offset, size_t bytes, char *host,
                         cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    cl_ulong own[4];
    size_t low, high, at, part, run, place;
    char *values;
    cl_int status = $pTail(layout, queue, buffer, offset, bytes, own, waits, wait_list);
    if (status != CL_SUCCESS)
        return status;
    if ($pWindow(layout, own, offset, bytes, &low, &high) && to_device) {
        // Run by run, because other commands may work on what is between.
        for (at = offset; at < offset + bytes && status == CL_SUCCESS; at += part) {
            place = layout->place(own + 1, at / layout->value, &run);
            part = run * layout->value - at % layout->value;
            if (part > offset + bytes - at)
                part = offset + bytes - at;
            status = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, place * layout->value + at % layout->value, part,
                                          host + (at - offset), 0, NULL, at + part == offset + bytes ? event : NULL);
        }
        return status;
    }
    values = (char *)calloc(high - low + 1, layout->value);
    if (values == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    if (to_device) {
        $pMove(layout, own + 1, 1, values, low, host, offset, bytes);
        status = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, low * layout->value, (high - low + 1) * layout->value,
                                      values, 0, NULL, event);
    } else {
        status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, low * layout->value, (high - low + 1) * layout->value,
                                     values, 0, NULL, event);
        if (status == CL_SUCCESS)
            $pMove(layout, own + 1, 0, values, low, host, offset, bytes);
    }
    free(values);
    return status;
}
";

const CREATE: &str = "
typedef struct { cl_ulong extent[3]; } $PExtents;

// Without values in a row, the buffer is what it was.
static $PExtents $pExtents(cl_long a, cl_long b, cl_long c)
{
    $PExtents extents;
    extents.extent[0] = a > 0 ? a : 0;
    extents.extent[1] = b > 0 ? b : 0;
    extents.extent[2] = c > 0 ? c : 0;
    return extents;
}

static cl_mem $pCreateBuffer(const $PLayout *layout, $PExtents extents, cl_context context, cl_mem_flags flags,
                             size_t bytes, void *host, cl_int *error)
{
    const size_t values = bytes / layout->value + (bytes % layout->value != 0);
    const size_t tail = (1 + layout->extents) * sizeof(cl_ulong);
    size_t count;
    cl_ulong own[4];
    char *all;
    cl_mem buffer;
    if (bytes == 0 || values > layout->most || (host == NULL) != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return clCreateBuffer(context, flags, bytes, host, error); // an error
    count = layout->count(extents.extent, values);
    all = count > layout->most ? NULL : (char *)calloc(count * layout->value + tail, 1);
    if (all == NULL) {
        if (error != NULL)
            *error = count > layout->most ? CL_INVALID_BUFFER_SIZE : CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    if (host != NULL)
        $pMove(layout, extents.extent, 1, all, 0, (char *)host, 0, bytes);
    own[0] = bytes;
    memcpy(own + 1, extents.extent, sizeof extents.extent);
    memcpy(all + count * layout->value, own, tail);
    buffer = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, count * layout->value + tail, all, error);
    free(all);
    return buffer;
}
";

const COPY: &str = "
// On the device, if the values lie alike and nothing is between them; otherwise through the host.
static cl_int $pCopyBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t bytes,
                           cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    cl_ulong own[4], other[4];
    size_t low, high;
    char *host;
    cl_int status;
    const int is_outside = $pIsOutside(layout, queue, from, &from_offset, bytes);
    if ($pIsOutside(layout, queue, to, &to_offset, bytes) || is_outside || bytes == 0)
        return clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, waits, wait_list, event);
    status = $pTail(layout, queue, from, from_offset, bytes, own, waits, wait_list);
    if (status == CL_SUCCESS)
        status = $pTail(layout, queue, to, to_offset, bytes, other, 0, NULL);
    if (status == CL_SUCCESS && from == to && from_offset < to_offset + bytes && to_offset < from_offset + bytes)
        status = CL_MEM_COPY_OVERLAP;
    if (status != CL_SUCCESS)
        return status;
    if (from_offset == to_offset && memcmp(own + 1, other + 1, layout->extents * sizeof *own) == 0 &&
        !$pWindow(layout, other, to_offset, bytes, &low, &high))
        return clEnqueueCopyBuffer(queue, from, to, low * layout->value, low * layout->value,
                                   (high - low + 1) * layout->value, 0, NULL, event);
    host = (char *)malloc(bytes);
    if (host == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    status = $pTransfer(layout, 0, queue, from, from_offset, bytes, host, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = $pTransfer(layout, 1, queue, to, to_offset, bytes, host, 0, NULL, event);
    free(host);
    return status;
}
";

const CPP_CREATE: &str = "
static cl::Buffer $pBuffer(const $PLayout *layout, $PExtents extents, const cl::Context &context, cl_mem_flags flags,
                           size_t bytes, void *host = NULL, cl_int *error = NULL)
{
    cl_int status = CL_SUCCESS;
    cl_mem buffer = $pCreateBuffer(layout, extents, context(), flags, bytes, host, &status);
    if (error != NULL)
        *error = status;
    cl::detail::errHandler(status, \"clCreateBuffer\");
    return cl::Buffer(buffer);
}
";
