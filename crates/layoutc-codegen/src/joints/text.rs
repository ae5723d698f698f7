//! The generated declarations of a merge: its record, and the functions that copy and fill one of its
//! members.

use super::Record;
use crate::hygiene::member;
use layoutc_syntax::Scalar;
use std::fmt::Write as _;

/// The functions that a program uses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Needs {
    pub(super) copy_in: bool,
    pub(super) copy_out: bool,
    pub(super) copy_within: bool,
    pub(super) fill: bool,
    /// Some copy is on a stream.
    pub(super) stream: bool,
    /// Some byte count may be no whole number of values.
    pub(super) partial: bool,
}

impl Needs {
    fn moves(self) -> bool {
        self.copy_in || self.copy_out || self.copy_within
    }
}

/// Ends of the names of the functions of a joint array.
pub(super) const FUNCTIONS: [&str; 6] =
    ["Move", "FillKernel", "Fill", "CopyIn", "CopyOut", "CopyWithin"];

impl Record {
    /// Names that the text declares.
    pub(super) fn names(&self) -> Vec<String> {
        let functions = FUNCTIONS.iter().map(|suffix| format!("{}{suffix}", self.prefix));
        functions.chain([self.type_name.clone(), self.guard.clone()]).collect()
    }

    /// Names of the generated kernels.
    pub(super) fn kernels(&self, needs: Needs) -> Vec<String> {
        let moves = needs.moves().then(|| format!("{}Move", self.prefix));
        let fill = needs.fill.then(|| format!("{}FillKernel", self.prefix));
        moves.into_iter().chain(fill).collect()
    }

    /// All that the program uses.
    pub(super) fn text(&self, needs: Needs) -> String {
        let mut out = String::new();
        self.structure(&mut out);
        if needs.moves() {
            self.move_kernel(&mut out);
        }
        // What a program copies on streams and otherwise has one function.
        let (stream, copy, on, launch, more) = match needs.stream {
            true => (
                ", cudaStream_t stream = 0",
                "cudaMemcpyAsync",
                ", stream",
                ", 0, stream",
                "        if (error == cudaSuccess)\n            error = cudaStreamSynchronize(stream);\n",
            ),
            false => ("", "cudaMemcpy", "", "", ""),
        };
        let on = Stream { parameter: stream, copy, argument: on, launch, wait: more };
        if needs.copy_in {
            self.copy(true, needs.partial, &on, &mut out);
        }
        if needs.copy_out {
            self.copy(false, needs.partial, &on, &mut out);
        }
        if needs.copy_within {
            self.copy_within(needs.partial, &on, &mut out);
        }
        if needs.fill {
            self.fill(needs.partial, &mut out);
        }
        out
    }

    /// The members in the order of the struct, by position: without gaps.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.members[*at].1.size()));
        order
    }

    /// The declaration in OpenCL C.
    pub(super) fn opencl_text(&self) -> String {
        let names: Vec<String> = self.members.iter().map(|(name, _)| format!("`{name}`")).collect();
        let mut out = format!(
            "// Values of {} that lie together in one buffer.\ntypedef struct {{\n",
            names.join(", ")
        );
        for at in self.in_order() {
            let (name, scalar) = &self.members[at];
            // Numbers of the host have other names for the same sizes.
            let spelling = match scalar {
                Scalar::LongLong => "long",
                Scalar::UnsignedLongLong => "unsigned long",
                other => other.spelling(),
            };
            let _ = writeln!(out, "    {spelling} {};", member(name));
        }
        let align = self.align.map(|align| format!(" __attribute__((aligned({align})))"));
        let _ = writeln!(out, "}}{} {};", align.unwrap_or_default(), self.type_name);
        out
    }

    fn structure(&self, out: &mut String) {
        let names: Vec<String> = self.members.iter().map(|(name, _)| format!("`{name}`")).collect();
        let align = self.align.map_or_else(String::new, |align| format!(" __align__({align})"));
        let _ = write!(
            out,
            "// Values of {} that lie together in device memory.\nstruct{align} {} {{\n",
            names.join(", "),
            self.type_name
        );
        for at in self.in_order() {
            let (name, scalar) = &self.members[at];
            let _ = writeln!(out, "    {} {};", scalar.spelling(), member(name));
        }
        out.push_str("};\n");
    }

    fn move_kernel(&self, out: &mut String) {
        let _ = write!(
            out,
            "\n// Copies values that are some bytes apart.\n\
             template <typename T>\n\
             static __global__ void {}Move(T *to, size_t toStep, const T *from, size_t fromStep, size_t n)\n\
             {{\n    \
             size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n    \
             if (i < n)\n        \
             *(T *)((char *)to + i * toStep) = *(const T *)((const char *)from + i * fromStep);\n\
             }}\n",
            self.prefix
        );
    }

    /// Between an array of the host and a member, a chunk at a time.
    fn copy(&self, is_in: bool, is_partial: bool, on: &Stream, out: &mut String) {
        let (prefix, record) = (&self.prefix, &self.type_name);
        let Stream { parameter, copy, argument, launch, wait } = on;
        let (name, what, to, from, kind) = match is_in {
            true => (
                "CopyIn",
                "values of the host to a member",
                "T *to",
                "const void *from",
                "cudaMemcpyHostToDevice",
            ),
            false => (
                "CopyOut",
                "a member to values of the host",
                "void *to",
                "const T *from",
                "cudaMemcpyDeviceToHost",
            ),
        };
        let _ = write!(
            out,
            "\n// Copies {what}, a chunk at a time; the types say which way, so the kind has no name.\n\
             template <typename T>\n\
             static inline cudaError_t {prefix}{name}({to}, {from}, size_t bytes, cudaMemcpyKind{parameter})\n\
             {{\n    \
             const size_t n = bytes / sizeof(T), chunk = n < (1 << 22) ? n : (1 << 22), step = sizeof({record});\n    \
             T *stage = NULL;\n    \
             cudaError_t error = n > 0 ? cudaMalloc((void **)&stage, chunk * sizeof(T)) : cudaSuccess;\n    \
             for (size_t first = 0; first < n && error == cudaSuccess; first += chunk) {{\n        \
             const size_t count = n - first < chunk ? n - first : chunk;\n"
        );
        let blocks = "(unsigned)((count + 255) / 256), 256";
        if is_in {
            let _ = write!(
                out,
                "        error = {copy}(stage, (const T *)from + first, count * sizeof(T), {kind}{argument});\n        \
                 if (error == cudaSuccess)\n            \
                 {prefix}Move<<<{blocks}{launch}>>>((T *)((char *)to + first * step), step, stage, sizeof(T), count);\n"
            );
        } else {
            let _ = write!(
                out,
                "        {prefix}Move<<<{blocks}{launch}>>>(stage, sizeof(T), (const T *)((const char *)from + first * step), step, count);\n        \
                 error = {copy}((T *)to + first, stage, count * sizeof(T), {kind}{argument});\n"
            );
        }
        let _ = write!(
            out,
            "{wait}    }}\n    \
             const cudaError_t freed = stage ? cudaFree(stage) : cudaSuccess;\n"
        );
        if is_partial {
            let ends = match is_in {
                true => "(char *)to + n * step, (const T *)from + n",
                false => "(T *)to + n, (const char *)from + n * step",
            };
            let _ = write!(
                out,
                "    const size_t rest = bytes % sizeof(T);\n    \
                 if (rest > 0 && error == cudaSuccess)\n        \
                 error = {copy}({ends}, rest, {kind}{argument});\n"
            );
        }
        out.push_str("    return error != cudaSuccess ? error : freed;\n}\n");
    }

    fn copy_within(&self, is_partial: bool, on: &Stream, out: &mut String) {
        let (prefix, Stream { parameter, copy, argument, launch, .. }) = (&self.prefix, on);
        let _ = write!(
            out,
            "\n// Copies values within device memory; the types say which way, so the kind has no name.\n\
             template <typename T>\n\
             static inline cudaError_t {prefix}CopyWithin(T *to, size_t toStep, const T *from, size_t fromStep, size_t bytes, cudaMemcpyKind{parameter})\n\
             {{\n    \
             const size_t n = bytes / sizeof(T);\n    \
             if (n > 0)\n        \
             {prefix}Move<<<(unsigned)((n + 255) / 256), 256{launch}>>>(to, toStep, from, fromStep, n);\n"
        );
        if is_partial {
            let _ = write!(
                out,
                "    const size_t rest = bytes % sizeof(T);\n    \
                 if (rest > 0)\n        \
                 return {copy}((char *)to + n * toStep, (const char *)from + n * fromStep, rest, cudaMemcpyDeviceToDevice{argument});\n"
            );
        }
        out.push_str("    return cudaSuccess;\n}\n");
    }

    fn fill(&self, is_partial: bool, out: &mut String) {
        let (prefix, record) = (&self.prefix, &self.type_name);
        let (parameter, rest, argument, count) = match is_partial {
            true => (
                ", size_t rest",
                "    else if (i == n && rest > 0)\n        memset((char *)to + i * step, value, rest);\n",
                ", bytes % sizeof(T)",
                "n / 256 + 1",
            ),
            false => ("", "", "", "(n + 255) / 256"),
        };
        let _ = write!(
            out,
            "\ntemplate <typename T>\n\
             static __global__ void {prefix}FillKernel(T *to, size_t step, int value, size_t n{parameter})\n\
             {{\n    \
             size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n    \
             if (i < n)\n        \
             memset((char *)to + i * step, value, sizeof(T));\n{rest}\
             }}\n\n\
             // Sets the bytes of a member.\n\
             template <typename T>\n\
             static inline cudaError_t {prefix}Fill(T *to, int value, size_t bytes)\n\
             {{\n    \
             const size_t n = bytes / sizeof(T);\n    \
             if (bytes > 0)\n        \
             {prefix}FillKernel<<<(unsigned)({count}), 256>>>(to, sizeof({record}), value, n{argument});\n    \
             return cudaSuccess;\n\
             }}\n"
        );
    }
}

/// What copies on a stream say more.
struct Stream {
    parameter: &'static str,
    copy: &'static str,
    argument: &'static str,
    launch: &'static str,
    wait: &'static str,
}
