//! The host's side of arrays that share a buffer, in C: functions with the parameters of those of OpenCL that they take
//! the place of, behind one that says where the values of the array lie.
//!
//! Values are moved as rectangles with one value in a row (`clEnqueueWriteBufferRect`), which leave what lies between them
//! alone, whoever changes it meanwhile.

use super::Used;
use super::host_text::{CPP_CREATE, FILL, MAP, cpp_functions, maps, named};
use crate::marker::Marker;
use crate::storage::upper_first;
use layoutc_dataflow::classes::{BufferApi, Form};

/// Ends of the names in the generated text that only these arrays have.
pub(super) const NAMES: &[&str] = &["Rows", "Queue", "ShareBuffer", "SharedBuffer", "TakeBuffer"];

/// An array in a buffer that it shares with others.
#[derive(Clone, Debug)]
pub(crate) struct JointMember {
    /// Its name: `x`.
    pub(crate) name: String,
    /// The type of the buffer's elements: `XVx`.
    pub(crate) record: String,
    /// What stands around its text.
    pub(crate) marker: Marker,
    /// Bytes of one of its values.
    pub(crate) value: u64,
    /// Bytes from one of its values to the next.
    pub(crate) step: u64,
    /// Bytes in front of its first value.
    pub(crate) at: u64,
}

impl JointMember {
    /// The constant that says so, under a name.
    pub(super) fn text(&self, prefix: &str, name: &str) -> String {
        let JointMember { name: member, record, value, step, at, .. } = self;
        format!(
            "\n// `{member}` of `{record}`.\n\
             static const {}Layout {name} = {{{value}, {step}, {at}}};\n",
            upper_first(prefix)
        )
    }
}

/// The function that takes over a buffer which another call made.
pub(super) fn share(prefix: &str, form: Form) -> String {
    match form {
        Form::Function | Form::Method => format!("{prefix}ShareBuffer"),
        Form::Construction => format!("{prefix}SharedBuffer"),
    }
}

/// The function that puts the values of a buffer into the joint one.
pub(super) fn take(prefix: &str) -> String {
    format!("{prefix}TakeBuffer")
}

/// The functions that a file uses, with what they are made of; `prefix` begins all names.
pub(super) fn functions(prefix: &str, used: &Used) -> String {
    let Used { functions: used, shares, takes, .. } = used;
    let uses = |api: BufferApi| used.iter().any(|(own, _)| *own == api);
    let mut text = vec![TYPES];
    let blocks = !shares.is_empty() || maps(used) || uses(BufferApi::Fill) || uses(BufferApi::Copy);
    let moves = blocks || uses(BufferApi::Write) || uses(BufferApi::Read);
    text.extend(moves.then_some(ROWS));
    let ranges = [BufferApi::Write, BufferApi::Read, BufferApi::Fill, BufferApi::Copy];
    text.extend((maps(used) || ranges.into_iter().any(uses)).then_some(OUTSIDE));
    text.extend(blocks.then_some(TRANSFER));
    let others = [
        (BufferApi::Create, CREATE),
        (BufferApi::Write, WRITE),
        (BufferApi::Read, READ),
        (BufferApi::Copy, COPY),
        (BufferApi::Fill, FILL),
    ];
    text.extend(others.into_iter().filter(|(api, _)| uses(*api)).map(|(_, text)| text));
    text.extend((!shares.is_empty() || *takes).then_some(QUEUE));
    text.extend((!shares.is_empty()).then_some(SHARE));
    text.extend(takes.then_some(TAKE));
    text.extend(maps(used).then_some(MAP));
    text.extend(cpp_functions(CPP_CREATE, used));
    text.extend(shares.contains(&Form::Construction).then_some(CPP_SHARE));
    named(prefix, &text.concat())
}

const TYPES: &str = "
#include <stdlib.h>
#include <string.h>

// Arrays of numbers that lie together in one buffer, as the members of structs. Each keeps a handle, which is a reference
// to that buffer. The functions take the place of those of OpenCL with the same parameters; offsets and
// sizes are those of the array by itself.
typedef struct {
    size_t value; // bytes of a value
    size_t step;  // bytes from one value to the next
    size_t at;    // bytes in front of the first value
} $PLayout;
";

const ROWS: &str = "
// Moves bytes of values: some of the first one, whole ones, some of the last one.
static cl_int $pRows(const $PLayout *layout, int to_device, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                     size_t offset, size_t bytes, char *host,
                     cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    const size_t value = layout->value;
    const size_t host_origin[3] = {0, 0, 0};
    cl_int status = CL_SUCCESS;
    size_t done = 0;
    while (done < bytes && status == CL_SUCCESS) {
        const size_t inside = (offset + done) % value, rest = bytes - done;
        const size_t width = inside == 0 && rest >= value ? value : rest < value - inside ? rest : value - inside;
        const size_t rows = width == value ? rest / value : 1;
        const size_t origin[3] = {layout->at + inside, (offset + done) / value, 0};
        const size_t region[3] = {width, rows, 1};
        const int is_last = done + width * rows == bytes, is_all = done == 0 && is_last;
        const cl_bool blocks = is_all ? blocking : CL_TRUE;
        cl_event *made = is_last ? event : NULL;
        status = to_device
            ? clEnqueueWriteBufferRect(queue, buffer, blocks, origin, host_origin, region, layout->step, 0, width, 0,
                                       host + done, waits, wait_list, made)
            : clEnqueueReadBufferRect(queue, buffer, blocks, origin, host_origin, region, layout->step, 0, width, 0,
                                      host + done, waits, wait_list, made);
        done += width * rows;
        waits = 0;
        wait_list = NULL;
    }
    return status;
}
";

const OUTSIDE: &str = "
// Whether OpenCL refuses a range of the bytes of one array; the offset becomes one that it refuses in the buffer, too.
static int $pIsOutside(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, size_t *offset, size_t bytes)
{
    size_t total = 0, own;
    (void)queue;
    clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof total, &total, NULL);
    own = total / layout->step * layout->value;
    if (*offset <= own && bytes <= own - *offset)
        return 0;
    *offset = bytes > total ? 0 : total + 1;
    return 1;
}
";

const TRANSFER: &str = "
static cl_int $pTransfer(const $PLayout *layout, int to_device, cl_command_queue queue, cl_mem buffer,
                         size_t offset, size_t bytes, char *host,
                         cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    return $pRows(layout, to_device, queue, buffer, CL_TRUE, offset, bytes, host, waits, wait_list, event);
}
";

const CREATE: &str = "
// The buffer of all members; each kernel may use it as it likes.
static cl_mem $pCreateBuffer(const $PLayout *layout, cl_context context, cl_mem_flags flags, size_t bytes,
                             void *host, cl_int *error)
{
    const size_t values = bytes / layout->value + (bytes % layout->value != 0), total = values * layout->step;
    const cl_mem_flags kept = CL_MEM_READ_WRITE | (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
    cl_mem buffer = NULL;
    char *all = NULL;
    if (bytes == 0 || values >= (size_t)-1 / 2 / layout->step ||
        (host == NULL) != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return clCreateBuffer(context, flags, bytes, host, error); // an error
    if (host == NULL)
        return clCreateBuffer(context, kept, total, NULL, error);
    all = (char *)calloc(total, 1);
    if (all == NULL) {
        if (error != NULL)
            *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    for (size_t i = 0; i < values; ++i) {
        const size_t from = i * layout->value, rest = bytes - from;
        memcpy(all + layout->at + i * layout->step, (const char *)host + from, rest < layout->value ? rest : layout->value);
    }
    buffer = clCreateBuffer(context, kept, total, all, error);
    free(all);
    return buffer;
}
";

const QUEUE: &str = "
// A queue for values that go to a buffer when it is made.
static cl_command_queue $pQueue(cl_context context, cl_int *status)
{
    cl_device_id devices[64];
    *status = clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL);
    if (*status != CL_SUCCESS)
        return NULL;
#ifdef CL_VERSION_2_0
    return clCreateCommandQueueWithProperties(context, devices[0], NULL, status);
#else
    return clCreateCommandQueue(context, devices[0], 0, status);
#endif
}
";

const SHARE: &str = "
// Another reference to the buffer that holds this array, too.
static cl_mem $pShareBuffer(const $PLayout *layout, cl_mem joint, cl_context context, cl_mem_flags flags, size_t bytes,
                            void *host, cl_int *error)
{
    cl_int status = joint == NULL ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
    if (bytes == 0 || (host == NULL) != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return clCreateBuffer(context, flags, bytes, host, error); // an error
    if (status == CL_SUCCESS && host != NULL) {
        cl_command_queue queue = $pQueue(context, &status);
        if (status == CL_SUCCESS)
            status = $pTransfer(layout, 1, queue, joint, 0, bytes, (char *)host, 0, NULL, NULL);
        if (queue != NULL)
            clReleaseCommandQueue(queue);
    }
    if (status == CL_SUCCESS)
        status = clRetainMemObject(joint);
    if (error != NULL)
        *error = status;
    return status == CL_SUCCESS ? joint : NULL;
}
";

const TAKE: &str = "
// The values of a buffer go to the one that holds this array, too, which is made if there is none yet.
static cl_mem $pTakeBuffer(const $PLayout *layout, cl_mem joint, cl_mem own)
{
    cl_context context = NULL;
    cl_mem_flags flags = 0;
    size_t bytes = 0;
    const int is_first = joint == NULL;
    cl_int status = CL_SUCCESS;
    if (own == NULL)
        return NULL;
    status = clGetMemObjectInfo(own, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (status == CL_SUCCESS)
        status = clGetMemObjectInfo(own, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (status == CL_SUCCESS)
        status = clGetMemObjectInfo(own, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (status == CL_SUCCESS && is_first)
        joint = clCreateBuffer(context, CL_MEM_READ_WRITE | (flags & CL_MEM_ALLOC_HOST_PTR),
                               (bytes + layout->value - 1) / layout->value * layout->step, NULL, &status);
    else if (status == CL_SUCCESS)
        status = clRetainMemObject(joint);
    // Not every OpenCL tells whether it holds values of the host.
    if (status == CL_SUCCESS) {
        const size_t whole = bytes / layout->value, rest = bytes % layout->value;
        const size_t from[3] = {0, 0, 0}, to[3] = {layout->at, 0, 0}, region[3] = {layout->value, whole, 1};
        cl_command_queue queue = $pQueue(context, &status);
        if (status == CL_SUCCESS && whole > 0)
            status = clEnqueueCopyBufferRect(queue, own, joint, from, to, region, layout->value, 0, layout->step, 0,
                                             0, NULL, NULL);
        if (status == CL_SUCCESS && rest > 0)
            status = clEnqueueCopyBuffer(queue, own, joint, whole * layout->value, layout->at + whole * layout->step,
                                         rest, 0, NULL, NULL);
        if (status == CL_SUCCESS)
            status = clFinish(queue);
        if (queue != NULL)
            clReleaseCommandQueue(queue);
    }
    clReleaseMemObject(own);
    return status == CL_SUCCESS ? joint : NULL;
}
";

const WRITE: &str = "
static cl_int $pWriteBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                            size_t offset, size_t bytes, const void *host,
                            cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    if ($pIsOutside(layout, queue, buffer, &offset, bytes) || bytes == 0 || host == NULL)
        return clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
    return $pRows(layout, 1, queue, buffer, blocking, offset, bytes, (char *)host, waits, wait_list, event);
}
";

const READ: &str = "
static cl_int $pReadBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                           size_t offset, size_t bytes, void *host,
                           cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    if ($pIsOutside(layout, queue, buffer, &offset, bytes) || bytes == 0 || host == NULL)
        return clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
    return $pRows(layout, 0, queue, buffer, blocking, offset, bytes, (char *)host, waits, wait_list, event);
}
";

const COPY: &str = "
// Whole values are copied on the device, others through the host.
static cl_int $pCopyBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t bytes,
                           cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    const size_t value = layout->value;
    cl_int status = CL_SUCCESS;
    char *host = NULL;
    const int is_outside = $pIsOutside(layout, queue, from, &from_offset, bytes);
    if ($pIsOutside(layout, queue, to, &to_offset, bytes) || is_outside || bytes == 0 ||
        (from == to && from_offset < to_offset + bytes && to_offset < from_offset + bytes))
        return clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, waits, wait_list, event);
    if (from_offset % value == 0 && to_offset % value == 0 && bytes % value == 0) {
        const size_t from_origin[3] = {layout->at, from_offset / value, 0};
        const size_t to_origin[3] = {layout->at, to_offset / value, 0};
        const size_t region[3] = {value, bytes / value, 1};
        return clEnqueueCopyBufferRect(queue, from, to, from_origin, to_origin, region, layout->step, 0,
                                       layout->step, 0, waits, wait_list, event);
    }
    host = (char *)malloc(bytes);
    if (host == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    status = $pTransfer(layout, 0, queue, from, from_offset, bytes, host, waits, wait_list, NULL);
    if (status == CL_SUCCESS)
        status = $pTransfer(layout, 1, queue, to, to_offset, bytes, host, 0, NULL, event);
    free(host);
    return status;
}
";

const CPP_SHARE: &str = "
static cl::Buffer $pSharedBuffer(const $PLayout *layout, const cl::Buffer &joint, const cl::Context &context,
                                 cl_mem_flags flags, size_t bytes, void *host = NULL, cl_int *error = NULL)
{
    cl_int status = CL_SUCCESS;
    cl_mem buffer = $pShareBuffer(layout, joint(), context(), flags, bytes, host, &status);
    if (error != NULL)
        *error = status;
    cl::detail::errHandler(status, \"clCreateBuffer\");
    return cl::Buffer(buffer);
}
";
