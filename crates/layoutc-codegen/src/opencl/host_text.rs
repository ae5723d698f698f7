//! The host's side of buffers in another layout, in C: functions with the parameters of those of
//! OpenCL that they take the place of, behind one that says how the array lies.

use crate::sections::{Sections, gcd};
use crate::storage::Storage;
use layoutc_dataflow::classes::{BufferApi, Form};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Ends of the names in the text that is generated for any arrays.
pub(super) const COMMON_NAMES: &[&str] = &[
    "Layout",
    "Mapping",
    "Transfer",
    "IsOutside",
    "CreateBuffer",
    "WriteBuffer",
    "ReadBuffer",
    "CopyBuffer",
    "FillBuffer",
    "MapBuffer",
    "UnmapMemObject",
    "Buffer",
    "Events",
];

/// Ends of the names in the generated text that only these arrays have.
pub(super) const NAMES: &[&str] =
    &["Section", "Member", "Move", "Parts", "Part", "End", "Units", "MoveBytes", "WriteSome"];

/// The name of the function that a program calls instead of OpenCL's: `arrayWriteBuffer`.
pub(crate) fn name(prefix: &str, api: BufferApi) -> String {
    let suffix = match api {
        BufferApi::Create => "CreateBuffer",
        BufferApi::Write => "WriteBuffer",
        BufferApi::Read => "ReadBuffer",
        BufferApi::Copy => "CopyBuffer",
        BufferApi::Fill => "FillBuffer",
        BufferApi::Map => "MapBuffer",
        BufferApi::Unmap => "UnmapMemObject",
    };
    format!("{prefix}{suffix}")
}

/// The function that makes a buffer of the C++ interface.
pub(crate) fn construction(prefix: &str) -> String {
    format!("{prefix}Buffer")
}

/// The texts that depend on what is in the buffers; the others are made of these.
pub(crate) struct Texts {
    pub(crate) types: &'static str,
    /// Moves bytes in the host's memory.
    pub(crate) moves: &'static str,
    /// What transfers are made of.
    pub(crate) parts: &'static str,
    /// Moves a range of bytes between the host and a buffer.
    pub(crate) transfer: &'static str,
    pub(crate) create: &'static str,
    pub(crate) copy: &'static str,
    /// Makes buffers of the C++ interface.
    pub(crate) construct: &'static str,
}

/// Those of arrays of structs.
pub(crate) const STRUCTS: Texts = Texts {
    types: TYPES,
    moves: MOVE,
    parts: PARTS,
    transfer: TRANSFER,
    create: CREATE,
    copy: COPY,
    construct: CPP_CREATE,
};

/// The functions that a file uses, with what they are made of; `prefix` begins all names.
pub(crate) fn functions(prefix: &str, texts: &Texts, used: &BTreeSet<(BufferApi, Form)>) -> String {
    let uses = |api: BufferApi| used.iter().any(|(own, _)| *own == api);
    let transfers = [BufferApi::Write, BufferApi::Read, BufferApi::Fill, BufferApi::Copy];
    let mut text = vec![texts.types, texts.moves];
    if maps(used) || transfers.into_iter().any(uses) {
        text.extend([texts.parts, texts.transfer]);
    }
    let others = [
        (BufferApi::Create, texts.create),
        (BufferApi::Write, WRITE),
        (BufferApi::Read, READ),
        (BufferApi::Copy, texts.copy),
        (BufferApi::Fill, FILL),
    ];
    text.extend(others.into_iter().filter(|(api, _)| uses(*api)).map(|(_, text)| text));
    text.extend(maps(used).then_some(MAP));
    text.extend(cpp_functions(texts.construct, used));
    named(prefix, &text.concat())
}

/// Whether buffers are mapped.
pub(super) fn maps(used: &BTreeSet<(BufferApi, Form)>) -> bool {
    used.iter().any(|(own, _)| matches!(own, BufferApi::Map | BufferApi::Unmap))
}

/// The functions that take the place of those of the C++ interface.
pub(super) fn cpp_functions(
    construct: &'static str,
    used: &BTreeSet<(BufferApi, Form)>,
) -> Vec<&'static str> {
    let of_cpp =
        |api: BufferApi| used.iter().any(|(own, form)| *own == api && *form != Form::Function);
    let others = [
        (BufferApi::Create, construct),
        (BufferApi::Write, CPP_WRITE),
        (BufferApi::Read, CPP_READ),
        (BufferApi::Copy, CPP_COPY),
        (BufferApi::Fill, CPP_FILL),
        (BufferApi::Map, CPP_MAP),
        (BufferApi::Unmap, CPP_UNMAP),
    ];
    let waits = used.iter().any(|(api, form)| *api != BufferApi::Create && *form != Form::Function);
    let mut text = Vec::new();
    text.extend(waits.then_some(CPP_EVENTS));
    text.extend(others.into_iter().filter(|(api, _)| of_cpp(*api)).map(|(_, text)| text));
    text
}

/// Text with the names that begin with `prefix`.
pub(super) fn named(prefix: &str, text: &str) -> String {
    let upper = crate::storage::upper_first(prefix);
    text.replace("$P", &upper).replace("$p", prefix)
}

/// How the arrays of a class lie: `bodyLayout`.
pub(crate) fn layout(prefix: &str, name: &str, storage: &Storage, sections: &Sections) -> String {
    let upper = crate::storage::upper_first(prefix);
    let record = &storage.record;
    let mut out = format!(
        "\n// Arrays of `{record}`: structs of so many elements, bytes of one, and where the section begins.\n\
         static const {upper}Section {name}Sections[] = {{\n"
    );
    for section in &sections.sections {
        let _ = writeln!(out, "    {{{}, {}, {}}},", section.tile, section.bytes, section.before);
    }
    let _ = write!(
        out,
        "}};\n// Section, bytes, and offsets in `{record}` and in the section's struct of each member.\n\
         static const {upper}Member {name}Members[] = {{\n"
    );
    let mut members = 0;
    for (at, section) in sections.sections.iter().enumerate() {
        for piece in &section.pieces {
            let _ = writeln!(out, "    {{{at}, {}, {}, {}}},", piece.bytes, piece.at, piece.stored);
            members += 1;
        }
    }
    // Whole structs of all sections.
    let whole = sections
        .sections
        .iter()
        .fold(1, |whole, section| whole / gcd(whole, section.tile) * section.tile);
    let _ = write!(
        out,
        "}};\nstatic const {upper}Layout {name} = {{\n    \
         {name}Sections, {}, {name}Members, {members}, {}, {}, {}, {}, {}\n}};\n",
        sections.sections.len(),
        sections.record,
        whole * sections.record,
        sections.header,
        sections.unit,
        sections.bytes.max(sections.unit * sections.record),
    );
    out
}

const TYPES: &str = "
#include <stdlib.h>
#include <string.h>

// Arrays of structs that kernels have in another layout than the host. The functions take the place
// of those of OpenCL with the same parameters; offsets and sizes are the host's, whose memory stays
// as it is.
typedef struct { size_t elements, bytes, before; } $PSection;
typedef struct { size_t section, bytes, at, stored; } $PMember;
typedef struct {
    const $PSection *section;
    size_t sections;
    const $PMember *member;
    size_t members;
    size_t element; // bytes on the host
    size_t whole;   // bytes of elements on the host that fill whole structs
    size_t header;  // bytes in front of the sections, which begin with the number of units
    size_t unit, unit_bytes; // elements of one unit, and its bytes in the buffer, no fewer than on the host
} $PLayout;
";

const MOVE: &str = "
// Moves a range of bytes between the host and the structs of one section, from number first on.
static void $pMove(const $PLayout *layout, int to_structs, size_t section, char *structs, size_t first,
                   char *host, size_t offset, size_t bytes)
{
    const size_t elements = layout->section[section].elements, size = layout->section[section].bytes;
    for (const $PMember *m = layout->member; m != layout->member + layout->members; ++m) {
        if (m->section != section)
            continue;
        for (size_t i = offset / layout->element; i <= (offset + bytes - 1) / layout->element; ++i) {
            char *stored = structs + (i / elements - first) * size + m->stored + i % elements * m->bytes;
            const size_t at = i * layout->element + m->at, end = at + m->bytes;
            // A member may be cut by the ends of the range.
            const size_t from = at < offset ? offset : at;
            const size_t to = end < offset + bytes ? end : offset + bytes;
            if (from < to && to_structs)
                memcpy(stored + (from - at), host + (from - offset), to - from);
            else if (from < to)
                memcpy(host + (from - offset), stored + (from - at), to - from);
        }
    }
}
";

/// Commands that have several parts.
const PARTS: &str = "
// A command in parts: each waits for the one before, so that the event of the last one is that of the command.
typedef struct { cl_uint waits; const cl_event *wait_list; cl_event done; } $PParts;

static cl_int $pPart($PParts *parts, cl_int status, cl_event done)
{
    if (status != CL_SUCCESS)
        return status;
    if (parts->done != NULL)
        clReleaseEvent(parts->done);
    parts->done = done;
    parts->waits = 1;
    parts->wait_list = &parts->done;
    return status;
}

static cl_int $pEnd($PParts *parts, cl_int status, cl_event *event)
{
    if (status == CL_SUCCESS && event != NULL)
        *event = parts->done;
    else if (parts->done != NULL)
        clReleaseEvent(parts->done);
    return status;
}
";

const TRANSFER: &str = "
// The units of a buffer, and the host's bytes: it is as much longer than its units as these hold more than the host.
static size_t $pUnits(const $PLayout *layout, cl_mem buffer, size_t *total, size_t *bytes)
{
    size_t units;
    *total = *bytes = 0;
    if (clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof *total, total, NULL) != CL_SUCCESS)
        return 0;
    units = (*total - layout->header) / layout->unit_bytes;
    *bytes = units * layout->unit * layout->element - (*total - layout->header) % layout->unit_bytes;
    return units;
}

// Whether OpenCL refuses a range of the host's bytes; the offset becomes one that it refuses in the buffer, too.
static int $pIsOutside(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, size_t *offset, size_t bytes)
{
    size_t total, own;
    (void)queue;
    $pUnits(layout, buffer, &total, &own);
    if (*offset <= own && bytes <= own - *offset)
        return 0;
    *offset = bytes > total ? 0 : total + 1;
    return 1;
}

static cl_int $pMoveBytes($PParts *parts, int to_device, cl_command_queue queue, cl_mem buffer, size_t start,
                          size_t length, char *host)
{
    cl_event done = NULL;
    const cl_int status = to_device
        ? clEnqueueWriteBuffer(queue, buffer, CL_TRUE, start, length, host, parts->waits, parts->wait_list, &done)
        : clEnqueueReadBuffer(queue, buffer, CL_TRUE, start, length, host, parts->waits, parts->wait_list, &done);
    return $pPart(parts, status, done);
}

// Writes what a range of the host's bytes has of one struct: other commands may work on the rest of it.
static cl_int $pWriteSome(const $PLayout *layout, $PParts *parts, cl_command_queue queue, cl_mem buffer, size_t section,
                          size_t number, size_t start, char *structs, size_t offset, size_t bytes)
{
    const size_t elements = layout->section[section].elements, size = layout->element, end = offset + bytes;
    size_t first = offset / size, last = (end - 1) / size;
    cl_int status = CL_SUCCESS;
    if (first < number * elements)
        first = number * elements;
    if (last > number * elements + elements - 1)
        last = number * elements + elements - 1;
    for (const $PMember *m = layout->member; m != layout->member + layout->members && status == CL_SUCCESS; ++m) {
        const size_t low = first * size + m->at, high = last * size + m->at;
        // A member may be cut by the ends of the range.
        const size_t skipped = low >= offset ? 0 : offset - low < m->bytes ? offset - low : m->bytes;
        const size_t kept = high >= end ? 0 : end - high < m->bytes ? end - high : m->bytes;
        const size_t from = m->stored + first % elements * m->bytes + skipped;
        const size_t to = m->stored + last % elements * m->bytes + kept;
        if (m->section == section && from < to)
            status = $pMoveBytes(parts, 1, queue, buffer, start + from, to - from, structs + from);
    }
    return status;
}

static cl_int $pTransfer(const $PLayout *layout, int to_device, cl_command_queue queue, cl_mem buffer,
                         size_t offset, size_t bytes, char *host,
                         cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    $PParts parts = {waits, wait_list, NULL};
    size_t total, own;
    const size_t units = $pUnits(layout, buffer, &total, &own), end = offset + bytes;
    cl_int status = CL_SUCCESS;
    for (size_t k = 0; k < layout->sections && status == CL_SUCCESS; ++k) {
        const size_t each = layout->section[k].elements * layout->element, size = layout->section[k].bytes;
        const size_t first = offset / each, last = (end - 1) / each;
        const size_t start = layout->header + units * layout->section[k].before;
        // Structs of which all is set. Behind the last byte of the host nobody has anything.
        const size_t from = first + (offset % each != 0), to = end == own ? last + 1 : end / each;
        char *structs = (char *)calloc(last - first + 1, size);
        if (structs == NULL) {
            status = CL_OUT_OF_HOST_MEMORY;
        } else if (!to_device) {
            status = $pMoveBytes(&parts, 0, queue, buffer, start + first * size, (last - first + 1) * size, structs);
            if (status == CL_SUCCESS)
                $pMove(layout, 0, k, structs, first, host, offset, bytes);
        } else {
            $pMove(layout, 1, k, structs, first, host, offset, bytes);
            if (from < to)
                status = $pMoveBytes(&parts, 1, queue, buffer, start + from * size, (to - from) * size,
                                     structs + (from - first) * size);
            if (status == CL_SUCCESS && first < from)
                status = $pWriteSome(layout, &parts, queue, buffer, k, first, start + first * size, structs, offset, bytes);
            if (status == CL_SUCCESS && last >= to && (last > first || first >= from))
                status = $pWriteSome(layout, &parts, queue, buffer, k, last, start + last * size,
                                     structs + (last - first) * size, offset, bytes);
        }
        free(structs);
    }
    return $pEnd(&parts, status, event);
}
";

const CREATE: &str = "
static cl_mem $pCreateBuffer(const $PLayout *layout, cl_context context, cl_mem_flags flags, size_t bytes,
                             void *host, cl_int *error)
{
    const size_t elements = bytes / layout->element + (bytes % layout->element != 0);
    const cl_ulong units = elements / layout->unit + (elements % layout->unit != 0);
    // What the units hold more than the host is added: so the size says how many bytes these are.
    const size_t more = units * layout->unit * layout->element - bytes;
    const size_t total = layout->header + units * layout->unit_bytes + more;
    const int has_error = bytes == 0 || (host == NULL) != !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR));
    cl_mem buffer = NULL;
    char *all = NULL;
    if (has_error || units >= (size_t)-1 / 2 / layout->unit_bytes)
        return clCreateBuffer(context, flags, bytes, host, error); // an error
    if (host == NULL && layout->header == 0)
        return clCreateBuffer(context, flags, total, NULL, error);
    all = (char *)calloc(total, 1);
    if (all == NULL) {
        // So much may be an error of another kind.
        buffer = clCreateBuffer(context, flags, bytes, host, error);
        if (buffer != NULL)
            clReleaseMemObject(buffer);
        if (buffer != NULL && error != NULL)
            *error = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    // Kernels find the sections by this.
    if (layout->header != 0)
        memcpy(all, &units, sizeof units);
    for (size_t k = 0; k < layout->sections && host != NULL; ++k)
        $pMove(layout, 1, k, all + layout->header + units * layout->section[k].before, 0, (char *)host, 0, bytes);
    buffer = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, total, all, error);
    free(all);
    return buffer;
}
";

const WRITE: &str = "
static cl_int $pWriteBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                            size_t offset, size_t bytes, const void *host,
                            cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    if ($pIsOutside(layout, queue, buffer, &offset, bytes) || bytes == 0 || host == NULL)
        return clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
    return $pTransfer(layout, 1, queue, buffer, offset, bytes, (char *)host, waits, wait_list, event);
}
";

const READ: &str = "
static cl_int $pReadBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                           size_t offset, size_t bytes, void *host,
                           cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    if ($pIsOutside(layout, queue, buffer, &offset, bytes) || bytes == 0 || host == NULL)
        return clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, host, waits, wait_list, event);
    return $pTransfer(layout, 0, queue, buffer, offset, bytes, (char *)host, waits, wait_list, event);
}
";

const COPY: &str = "
// Whole structs are copied on the device, the rest through the host.
static cl_int $pCopyBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem from, cl_mem to,
                           size_t from_offset, size_t to_offset, size_t bytes,
                           cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    const int is_outside = $pIsOutside(layout, queue, from, &from_offset, bytes);
    if ($pIsOutside(layout, queue, to, &to_offset, bytes) || is_outside || bytes == 0 ||
        (from == to && from_offset < to_offset + bytes && to_offset < from_offset + bytes))
        return clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, waits, wait_list, event);
    size_t total, from_own, to_own;
    const size_t from_units = $pUnits(layout, from, &total, &from_own), to_units = $pUnits(layout, to, &total, &to_own);
    const int is_whole = from_offset % layout->whole == 0 && to_offset % layout->whole == 0;
    // Behind the last byte of the host nobody has anything.
    const size_t rest = !is_whole ? bytes : to_offset + bytes == to_own ? 0 : bytes % layout->whole;
    $PParts parts = {waits, wait_list, NULL};
    cl_event done = NULL;
    cl_int status = CL_SUCCESS;
    for (size_t k = 0; k < layout->sections && bytes > rest && status == CL_SUCCESS; ++k) {
        const $PSection *section = &layout->section[k];
        const size_t each = section->elements * layout->element;
        status = clEnqueueCopyBuffer(
            queue, from, to,
            layout->header + from_units * section->before + from_offset / each * section->bytes,
            layout->header + to_units * section->before + to_offset / each * section->bytes,
            (bytes - rest + each - 1) / each * section->bytes, parts.waits, parts.wait_list, &done);
        status = $pPart(&parts, status, done);
    }
    if (status == CL_SUCCESS && rest > 0) {
        char *host = (char *)malloc(rest);
        const size_t whole = bytes - rest;
        status = host == NULL ? CL_OUT_OF_HOST_MEMORY
                              : $pTransfer(layout, 0, queue, from, from_offset + whole, rest, host, parts.waits,
                                           parts.wait_list, NULL);
        if (status == CL_SUCCESS) {
            status = $pTransfer(layout, 1, queue, to, to_offset + whole, rest, host, parts.waits, parts.wait_list, &done);
            status = $pPart(&parts, status, done);
        }
        free(host);
    }
    return $pEnd(&parts, status, event);
}
";

pub(super) const FILL: &str = "
static cl_int $pFillBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t pattern_bytes, size_t offset, size_t bytes,
                           cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    if ($pIsOutside(layout, queue, buffer, &offset, bytes) || bytes == 0 || pattern == NULL ||
        pattern_bytes == 0 || pattern_bytes > 128 || (pattern_bytes & (pattern_bytes - 1)) != 0 ||
        offset % pattern_bytes != 0 || bytes % pattern_bytes != 0)
        return clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset, bytes, waits, wait_list, event);
    char *host = (char *)malloc(bytes);
    if (host == NULL)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t at = 0; at < bytes; at += pattern_bytes)
        memcpy(host + at, pattern, pattern_bytes);
    cl_int status = $pTransfer(layout, 1, queue, buffer, offset, bytes, host, waits, wait_list, event);
    free(host);
    return status;
}
";

pub(super) const MAP: &str = "
// What is mapped is a copy; in front of it stands where it belongs.
typedef struct { char *memory, *mapped; cl_mem buffer; size_t offset, bytes; int is_written; } $PMapping;

static void *$pMapBuffer(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t bytes,
                         cl_uint waits, const cl_event *wait_list, cl_event *event, cl_int *error)
{
    char *memory = NULL, *mapped = NULL;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    if ($pIsOutside(layout, queue, buffer, &offset, bytes) || bytes == 0)
        return clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, waits, wait_list, event, error);
    memory = (char *)malloc(256 + bytes);
    if (memory != NULL) {
        mapped = memory + 256 - (size_t)memory % 128;
        $PMapping mapping = {memory, mapped, buffer, offset, bytes, flags != CL_MAP_READ};
        memcpy(mapped - 128, &mapping, sizeof mapping);
        status = $pTransfer(layout, 0, queue, buffer, offset, bytes, mapped, waits, wait_list, event);
    }
    if (status != CL_SUCCESS) {
        free(memory);
        mapped = NULL;
    }
    if (error != NULL)
        *error = status;
    return mapped;
}

static cl_int $pUnmapMemObject(const $PLayout *layout, cl_command_queue queue, cl_mem buffer, void *host,
                               cl_uint waits, const cl_event *wait_list, cl_event *event)
{
    $PMapping mapping = {NULL, NULL, NULL, 0, 0, 0};
    cl_int status = CL_SUCCESS;
    char byte;
    if (host != NULL)
        memcpy(&mapping, (char *)host - 128, sizeof mapping);
    if (host == NULL || mapping.mapped != host || mapping.buffer != buffer)
        return clEnqueueUnmapMemObject(queue, buffer, host, waits, wait_list, event); // an error
    if (mapping.is_written)
        status = $pTransfer(layout, 1, queue, buffer, mapping.offset, mapping.bytes, (char *)host,
                            waits, wait_list, event);
    else // waits for the same events
        status = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, waits, wait_list, event);
    if (status == CL_SUCCESS)
        free(mapping.memory);
    return status;
}
";

const CPP_EVENTS: &str = "
// The same for the C++ interface, with its errors and events.
struct $PEvents {
    const std::vector<cl::Event> *waits;
    cl::Event *event;
    cl_event done;
    cl_uint count() const { return waits == NULL ? 0 : (cl_uint)waits->size(); }
    const cl_event *list() const { return count() == 0 ? NULL : (const cl_event *)&waits->front(); }
    cl_event *made() { return event == NULL ? NULL : &done; }
    cl_int finish(cl_int status, const char *name)
    {
        if (event != NULL && status == CL_SUCCESS)
            *event = cl::Event(done);
        return cl::detail::errHandler(status, name);
    }
};
";

pub(super) const CPP_CREATE: &str = "
static cl::Buffer $pBuffer(const $PLayout *layout, const cl::Context &context, cl_mem_flags flags, size_t bytes,
                           void *host = NULL, cl_int *error = NULL)
{
    cl_int status = CL_SUCCESS;
    cl_mem buffer = $pCreateBuffer(layout, context(), flags, bytes, host, &status);
    if (error != NULL)
        *error = status;
    cl::detail::errHandler(status, \"clCreateBuffer\");
    return cl::Buffer(buffer);
}
";

const CPP_WRITE: &str = "
static cl_int $pWriteBuffer(const $PLayout *layout, const cl::CommandQueue &queue, const cl::Buffer &buffer,
                            cl_bool blocking, size_t offset, size_t bytes, const void *host,
                            const std::vector<cl::Event> *waits = NULL, cl::Event *event = NULL)
{
    $PEvents events = {waits, event, NULL};
    return events.finish($pWriteBuffer(layout, queue(), buffer(), blocking, offset, bytes, host,
                                       events.count(), events.list(), events.made()), \"clEnqueueWriteBuffer\");
}
";

const CPP_READ: &str = "
static cl_int $pReadBuffer(const $PLayout *layout, const cl::CommandQueue &queue, const cl::Buffer &buffer,
                           cl_bool blocking, size_t offset, size_t bytes, void *host,
                           const std::vector<cl::Event> *waits = NULL, cl::Event *event = NULL)
{
    $PEvents events = {waits, event, NULL};
    return events.finish($pReadBuffer(layout, queue(), buffer(), blocking, offset, bytes, host,
                                      events.count(), events.list(), events.made()), \"clEnqueueReadBuffer\");
}
";

const CPP_COPY: &str = "
static cl_int $pCopyBuffer(const $PLayout *layout, const cl::CommandQueue &queue, const cl::Buffer &from,
                           const cl::Buffer &to, size_t from_offset, size_t to_offset, size_t bytes,
                           const std::vector<cl::Event> *waits = NULL, cl::Event *event = NULL)
{
    $PEvents events = {waits, event, NULL};
    return events.finish($pCopyBuffer(layout, queue(), from(), to(), from_offset, to_offset, bytes,
                                      events.count(), events.list(), events.made()), \"clEnqueueCopyBuffer\");
}
";

const CPP_FILL: &str = "
template <typename Pattern>
static cl_int $pFillBuffer(const $PLayout *layout, const cl::CommandQueue &queue, const cl::Buffer &buffer,
                           Pattern pattern, size_t offset, size_t bytes,
                           const std::vector<cl::Event> *waits = NULL, cl::Event *event = NULL)
{
    $PEvents events = {waits, event, NULL};
    return events.finish($pFillBuffer(layout, queue(), buffer(), &pattern, sizeof pattern, offset, bytes,
                                      events.count(), events.list(), events.made()), \"clEnqueueFillBuffer\");
}
";

const CPP_MAP: &str = "
static void *$pMapBuffer(const $PLayout *layout, const cl::CommandQueue &queue, const cl::Buffer &buffer,
                         cl_bool blocking, cl_map_flags flags, size_t offset, size_t bytes,
                         const std::vector<cl::Event> *waits = NULL, cl::Event *event = NULL, cl_int *error = NULL)
{
    $PEvents events = {waits, event, NULL};
    cl_int status = CL_SUCCESS;
    void *mapped = $pMapBuffer(layout, queue(), buffer(), blocking, flags, offset, bytes,
                               events.count(), events.list(), events.made(), &status);
    if (error != NULL)
        *error = status;
    events.finish(status, \"clEnqueueMapBuffer\");
    return mapped;
}
";

const CPP_UNMAP: &str = "
static cl_int $pUnmapMemObject(const $PLayout *layout, const cl::CommandQueue &queue, const cl::Buffer &buffer,
                               void *host, const std::vector<cl::Event> *waits = NULL, cl::Event *event = NULL)
{
    $PEvents events = {waits, event, NULL};
    return events.finish($pUnmapMemObject(layout, queue(), buffer(), host,
                                          events.count(), events.list(), events.made()), \"clEnqueueUnmapMemObject\");
}
";
