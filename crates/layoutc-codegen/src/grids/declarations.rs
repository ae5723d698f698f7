//! The generated functions of a grid.

use super::{GridPlan, flatten};
use crate::hygiene::{local as local_mark, unmarked};
use crate::names::Names;
use layoutc_dataflow::classes::BuildOptions;
use layoutc_dataflow::grid::Grid;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::{ExprId, ExprKind, Program, Scalar};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Names of the generated functions, and which of them the program uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Functions {
    /// The flattening function.
    pub(super) place: String,
    /// The same, from the index in the order of the source.
    pub(super) linear: String,
    /// Bytes of an allocation.
    pub(super) bytes: String,
    /// Copies.
    pub(super) memcpy: String,
    /// Copies on a stream.
    pub(super) memcpy_async: String,
    /// Byte fills.
    pub(super) memset: String,
    /// The same from the index in the order of the source, as conversions compute it.
    of_number: String,
    kernel: String,
    fill: String,
    /// A macro that says that the text is there.
    pub(super) guard: String,
    /// Copies to a symbol.
    pub(super) to_symbol: String,
    /// Copies from a symbol.
    pub(super) from_symbol: String,
    /// The same on a stream.
    pub(super) to_symbol_async: String,
    /// The same on a stream.
    pub(super) from_symbol_async: String,
    pub(super) needs_to_symbol: bool,
    pub(super) needs_from_symbol: bool,
    pub(super) needs_to_symbol_async: bool,
    pub(super) needs_from_symbol_async: bool,
    pub(super) needs_place: bool,
    pub(super) needs_linear: bool,
    pub(super) needs_bytes: bool,
    pub(super) needs_memcpy: bool,
    /// A copy that waits is among them.
    pub(super) needs_memcpy_sync: bool,
    pub(super) needs_memcpy_ranges: bool,
    pub(super) needs_memcpy_stream: bool,
    pub(super) needs_memset: bool,
    pub(super) needs_memset_ranges: bool,
    /// Files with edits of the class, with a place in each.
    pub(super) files: BTreeSet<(FileId, Span)>,
    /// The type in which places are computed.
    index: &'static str,
    /// The text is OpenCL C: the host has functions of its own.
    is_opencl: bool,
    /// Begins names of the host's text.
    pub(super) base: String,
    /// Names of the extents that are no constants.
    extents: Vec<String>,
    coordinates: Vec<String>,
    /// Other names for parameters, where options may define these.
    pub(super) renamed: BTreeMap<String, String>,
}

/// Locals of the generated functions that have coordinates or extents, too.
const WORDS: [&str; 17] = [
    "now",
    "at",
    "before",
    "bytes",
    "count",
    "to",
    "from",
    "first",
    "n",
    "stage",
    "kind",
    "value",
    "toFirst",
    "fromFirst",
    "toAt",
    "fromAt",
    "stream",
];

impl Functions {
    /// Chooses names that nothing in the program has.
    pub(super) fn new(
        program: &Program,
        plan: &GridPlan,
        wish: &str,
        names: &mut Names,
        options: Option<&BuildOptions>,
    ) -> Self {
        let base = wish.trim_end_matches('_');
        let (coordinates, extents) = local_names(&plan.grid, &WORDS);
        let is_opencl = options.is_some();
        let renamed = options.map_or_else(BTreeMap::new, |options| {
            let local = |name: &String| unmarked(name);
            let words: Vec<String> = coordinates.iter().chain(&extents).map(local).collect();
            let words = words.iter().map(String::as_str).chain(["at"]);
            crate::opencl::renamed(options, words, base, names)
        });
        Functions {
            renamed,
            is_opencl,
            base: base.to_owned(),
            place: names.fresh(&format!("{base}At")),
            linear: names.fresh(&format!("{base}AtLinear")),
            bytes: names.fresh(&format!("{base}Bytes")),
            memcpy: names.fresh(&format!("{base}Memcpy")),
            memcpy_async: names.fresh(&format!("{base}MemcpyAsync")),
            memset: names.fresh(&format!("{base}Memset")),
            to_symbol: names.fresh(&format!("{base}ToSymbol")),
            from_symbol: names.fresh(&format!("{base}FromSymbol")),
            to_symbol_async: names.fresh(&format!("{base}ToSymbolAsync")),
            from_symbol_async: names.fresh(&format!("{base}FromSymbolAsync")),
            of_number: names.fresh(&format!("{base}AtNumber")),
            kernel: names.fresh(&format!("{base}Convert")),
            fill: names.fresh(&format!("{base}Fill")),
            guard: names.fresh(&format!("{}_LAYOUT", base.to_uppercase())),
            index: index_of(program, plan, is_opencl),
            extents,
            coordinates,
            ..Functions::default()
        }
    }

    /// Lets another class use the functions: places are computed in the wider type.
    pub(super) fn share(&mut self, program: &Program, plan: &GridPlan) {
        let other = index_of(program, plan, self.is_opencl);
        let width = |name: &str| ["int", "unsigned", "size_t"].iter().position(|own| *own == name);
        if width(other) > width(self.index) {
            self.index = other;
        }
    }

    /// How many values places can count, as C.
    pub(super) fn most(&self) -> &'static str {
        match self.index {
            "int" => "0x7fffffff",
            "unsigned" => "0xffffffffu",
            _ => "(size_t)-1 / 16",
        }
    }

    /// Names that the text declares.
    pub(super) fn names(&self) -> Vec<String> {
        [
            &self.place,
            &self.linear,
            &self.bytes,
            &self.memcpy,
            &self.memcpy_async,
            &self.memset,
            &self.of_number,
            &self.kernel,
            &self.fill,
            &self.guard,
            &self.to_symbol,
            &self.from_symbol,
            &self.to_symbol_async,
            &self.from_symbol_async,
        ]
        .map(String::clone)
        .into()
    }

    /// Names of the generated kernels.
    pub(super) fn kernels(&self) -> Vec<String> {
        let convert = self.needs_memcpy.then(|| self.kernel.clone());
        let fill = self.needs_memset.then(|| self.fill.clone());
        convert.into_iter().chain(fill).collect()
    }

    /// The extents behind the slowest dimension, constants included.
    fn extents(&self, grid: &Grid) -> Vec<String> {
        let mut names = self.extents.iter();
        grid.dimensions[1..]
            .iter()
            .map(|dimension| match dimension.extent {
                Some(extent) => extent.to_string(),
                None => names.next().cloned().unwrap_or_default(),
            })
            .collect()
    }

    fn parameters(&self, ty: &str, names: &[String]) -> String {
        names.iter().map(|name| format!("{ty} {name}")).collect::<Vec<_>>().join(", ")
    }

    /// `, int ny, int nx`, for functions of the host.
    fn more(&self, ty: &str) -> String {
        self.extents.iter().map(|name| format!(", {ty} {name}")).collect()
    }

    /// Whether a row, plane or the like holds no values; then the array is what it was.
    fn is_empty_text(&self) -> String {
        let empty: Vec<String> = self.extents.iter().map(|name| format!("{name} <= 0")).collect();
        empty.join(" || ")
    }

    fn arguments(&self) -> String {
        self.extents.iter().map(|name| format!(", {name}")).collect()
    }

    /// The type in which conversions count: 64-bit numbers take several times as long to divide.
    fn number(&self) -> &'static str {
        if self.index == "size_t" { "size_t" } else { "unsigned" }
    }

    /// `, (unsigned)(nx > 0 ? nx : 0)`: the extents as arguments of kernels.
    fn numbers(&self) -> String {
        let number = self.number();
        self.extents.iter().map(|name| format!(", ({number})({name} > 0 ? {name} : 0)")).collect()
    }

    /// Where a value lies: one division for each dimension behind the slowest.
    fn of_number_text(&self, plan: &GridPlan, out: &mut String) {
        let (number, extents) = (self.number(), self.extents(&plan.grid));
        let more: String = self.extents.iter().map(|name| format!(", {number} {name}")).collect();
        let _ = writeln!(
            out,
            "\n// The place of the value that the source calls number `at`.\n\
             static __device__ __forceinline__ {number} {}({number} at{more})\n{{",
            self.of_number
        );
        if !self.extents.is_empty() {
            let empty: Vec<String> =
                self.extents.iter().map(|name| format!("{name} == 0")).collect();
            // Without values in a row, the array is what it was.
            let _ = writeln!(out, "    if ({})\n        return at;", empty.join(" || "));
        }
        let (first, behind) = self.coordinates.split_at(1);
        for (name, extent) in behind.iter().zip(&extents).rev() {
            let _ =
                writeln!(out, "    const {number} {name} = at % {extent};\n    at /= {extent};");
        }
        let mut coordinates = vec!["at".to_owned()];
        coordinates.extend(behind.iter().cloned());
        debug_assert_eq!(first.len(), 1);
        let _ = writeln!(
            out,
            "    return {};\n}}",
            flatten::place(&plan.grid, &plan.digits, &coordinates, &extents)
        );
    }

    /// All that the program uses; `None` if it uses nothing.
    pub(super) fn text(&self, plan: &GridPlan) -> Option<String> {
        let (grid, digits, scalar) = (&plan.grid, &plan.digits, plan.scalar.spelling());
        let extents = self.extents(grid);
        // Not every version of OpenCL C has `static` functions.
        let specifiers =
            if self.is_opencl { "" } else { "static __host__ __device__ __forceinline__ " };
        let mut out = String::new();
        let _ = writeln!(out, "// Where a value lies: {}, slowest first.", plan.notation());
        if self.needs_place {
            let all: Vec<String> = self.coordinates.iter().chain(&self.extents).cloned().collect();
            let _ = writeln!(
                out,
                "{4}{0} {1}({2})\n{{\n    return {3};\n}}",
                self.index,
                self.place,
                self.parameters(self.index, &all),
                flatten::place(grid, digits, &self.coordinates, &extents),
                specifiers,
            );
        }
        let converts = self.needs_memcpy || self.needs_memset;
        if self.needs_linear || (self.is_opencl && converts) {
            let coordinates = flatten::unflatten(grid, "at", &extents);
            let _ = writeln!(
                out,
                "\n{}size_t {}(size_t at{})\n{{\n    return {}{};\n}}",
                specifiers,
                self.linear,
                self.more(if self.is_opencl { "long" } else { "long long" }),
                // Without values in a row, the array is what it was.
                if self.extents.is_empty() {
                    String::new()
                } else {
                    format!("{} ? at : ", self.is_empty_text())
                },
                flatten::place(grid, digits, &coordinates, &extents),
            );
        }
        if self.needs_bytes {
            let inner = extents.join(" * ");
            let empty = if self.extents.is_empty() {
                String::new()
            } else {
                format!("if ({})\n        return bytes;\n    ", self.is_empty_text())
            };
            let _ = writeln!(
                out,
                "\n// Bytes of an array of `bytes`, with its last tiles filled up.\n\
                 static inline size_t {}(size_t bytes{})\n{{\n    \
                 {empty}const size_t inner = {inner};\n    const size_t count = (bytes / sizeof({scalar}) + inner - 1) / inner;\n    \
                 const size_t n = {};\n    \
                 // Places are computed as `{}`: what that cannot count is not allocated.\n    \
                 return n > {} ? (size_t)-1 : n * sizeof({scalar});\n}}",
                self.bytes,
                self.more("long long"),
                flatten::count(grid, digits, "count", &extents),
                self.index,
                self.most(),
            );
        }
        if converts && !self.is_opencl {
            self.of_number_text(plan, &mut out);
        }
        if self.needs_memcpy {
            self.memcpy_text(plan.scalar, &mut out);
        }
        for (is_needed, is_async, name, from) in [
            (self.needs_to_symbol, false, &self.to_symbol, "from"),
            (self.needs_from_symbol, false, &self.from_symbol, "to"),
            (self.needs_to_symbol_async, true, &self.to_symbol_async, "from"),
            (self.needs_from_symbol_async, true, &self.from_symbol_async, "to"),
        ] {
            if is_needed {
                self.symbol_text(name, from, is_async, &mut out);
            }
        }
        if self.needs_memset {
            let (fill, memset, of_number) = (&self.fill, &self.memset, &self.of_number);
            let (number, more, numbers) = (self.number(), self.more("long long"), self.numbers());
            let (own, arguments) = (self.more(number), self.arguments());
            let (range, first, begin) = match self.needs_memset_ranges {
                true => (
                    ", size_t first = 0",
                    format!(", ({number})first"),
                    format!(", {number} first"),
                ),
                false => ("", String::new(), String::new()),
            };
            let at = if self.needs_memset_ranges { "first + i" } else { "i" };
            let _ = write!(
                out,
                "\nstatic __global__ void {fill}({scalar} *to, int value, size_t n{own}{begin})\n{{\n    \
                 const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;\n    if (i < n)\n        \
                 memset((void *)(to + {of_number}(({number})({at}){arguments})), value, sizeof(*to));\n}}\n\n\
                 static inline cudaError_t {memset}(void *to, int value, size_t bytes{more}{range})\n{{\n    \
                 const size_t n = bytes / sizeof({scalar});\n    if (n == 0)\n        return cudaSuccess;\n    \
                 const cudaError_t before = cudaPeekAtLastError();\n    \
                 {fill}<<<(unsigned)((n + 255) / 256), 256>>>(({scalar} *)to, value, n{numbers}{first});\n    \
                 const cudaError_t error = cudaPeekAtLastError();\n    \
                 return error == before ? cudaSuccess : error;\n}}\n",
            );
        }
        (self.needs_place || self.needs_linear || self.needs_bytes || self.needs_memcpy)
            .then_some(out)
    }

    /// Copies of whole symbols: `other` is the host's side.
    fn symbol_text(&self, name: &str, other: &str, is_async: bool, out: &mut String) {
        let (symbol, host, copy, kind) = match other {
            "from" => ("const T &to", "const void *from", "at, from", "cudaMemcpyHostToDevice"),
            _ => ("const T &from", "void *to", "to, at", "cudaMemcpyDeviceToHost"),
        };
        let parameters = match other {
            "from" => format!("{symbol}, {host}"),
            _ => format!("{host}, {symbol}"),
        };
        let of = if other == "from" { "to" } else { "from" };
        let (on, stream, memcpy) = match is_async {
            true => (", cudaStream_t stream = 0", ", stream", &self.memcpy_async),
            false => ("", "", &self.memcpy),
        };
        let _ = write!(
            out,
            "\ntemplate <class T>\n\
             static inline cudaError_t {name}({parameters}, size_t bytes, size_t = 0, cudaMemcpyKind = {kind}{on})\n{{\n    \
             void *at = NULL;\n    const cudaError_t error = cudaGetSymbolAddress(&at, {of});\n    \
             return error != cudaSuccess ? error : {memcpy}({copy}, bytes, {kind}{stream});\n}}\n",
        );
    }

    /// Copies between the host's order and the device's, a chunk at a time.
    fn memcpy_text(&self, scalar: Scalar, out: &mut String) {
        let scalar = scalar.spelling();
        let (kernel, of_number, number) = (&self.kernel, &self.of_number, self.number());
        let (more, arguments) = (self.more("long long"), self.arguments());
        let (own, numbers) = (self.more(number), self.numbers());
        // Ranges and streams are there only if the program uses them.
        let (range, to_first, from_first) = match self.needs_memcpy_ranges {
            true => (
                ", size_t toFirst = 0, size_t fromFirst = 0",
                format!("({number})(toFirst + first)"),
                format!("({number})(fromFirst + first)"),
            ),
            false => ("", format!("({number})first"), format!("({number})first")),
        };
        let (copy, stream, launch, name, on) = match self.needs_memcpy_stream {
            true => (
                "cudaMemcpyAsync",
                ", stream",
                ", 0, stream",
                &self.memcpy_async,
                ", cudaStream_t stream",
            ),
            false => ("cudaMemcpy", "", "", &self.memcpy, ""),
        };
        let wait = match self.needs_memcpy_stream {
            true => {
                "        if (error == cudaSuccess && stage)\n            error = cudaStreamSynchronize(stream);\n"
            }
            false => "",
        };
        let _ = write!(
            out,
            "\n// Values of a grid to plain memory, or back, or from grid to grid; `toFirst` and `fromFirst` count on the side of a grid.\n\
             static __global__ void {kernel}({scalar} *to, const {scalar} *from, {number} toFirst, {number} fromFirst, {number} n, int kind{own})\n{{\n    \
             const {number} i = blockIdx.x * ({number})blockDim.x + threadIdx.x;\n    if (i >= n)\n        return;\n    \
             const {number} toAt = kind == cudaMemcpyDeviceToHost ? i : {of_number}(toFirst + i{arguments});\n    \
             const {number} fromAt = kind == cudaMemcpyHostToDevice ? i : {of_number}(fromFirst + i{arguments});\n    \
             to[toAt] = from[fromAt];\n}}\n\n\
             static inline cudaError_t {name}(void *to, const void *from, size_t bytes, cudaMemcpyKind kind{on}{more}{range})\n{{\n    \
             const size_t n = bytes / sizeof({scalar}), chunk = n < (1 << 22) ? n : (1 << 22);\n    \
             const cudaError_t before = cudaPeekAtLastError();\n    \
             {scalar} *stage = NULL;\n    cudaError_t error = cudaSuccess;\n    \
             if (n > 0 && kind != cudaMemcpyDeviceToDevice)\n        \
             error = cudaMalloc((void **)&stage, chunk * sizeof({scalar}));\n    \
             for (size_t first = 0; first < n && error == cudaSuccess; first += chunk) {{\n        \
             const size_t count = n - first < chunk ? n - first : chunk;\n        \
             const unsigned blocks = (unsigned)((count + 255) / 256);\n        \
             if (kind == cudaMemcpyDeviceToDevice) {{\n            \
             {kernel}<<<blocks, 256{launch}>>>(({scalar} *)to, (const {scalar} *)from, {to_first}, {from_first}, ({number})count, kind{numbers});\n        \
             }} else if (kind == cudaMemcpyHostToDevice) {{\n            \
             error = {copy}(stage, (const {scalar} *)from + first, count * sizeof({scalar}), kind{stream});\n            \
             {kernel}<<<blocks, 256{launch}>>>(({scalar} *)to, stage, {to_first}, 0, ({number})count, kind{numbers});\n        \
             }} else {{\n            \
             {kernel}<<<blocks, 256{launch}>>>(stage, (const {scalar} *)from, 0, {from_first}, ({number})count, kind{numbers});\n            \
             error = {copy}(({scalar} *)to + first, stage, count * sizeof({scalar}), kind{stream});\n        \
             }}\n        \
             const cudaError_t now = cudaPeekAtLastError();\n        \
             if (error == cudaSuccess && now != before)\n            error = now;\n\
             {wait}    }}\n    \
             const cudaError_t freed = stage ? cudaFree(stage) : cudaSuccess;\n    \
             return error != cudaSuccess ? error : freed;\n}}\n",
        );
        if self.needs_memcpy_stream && self.needs_memcpy_sync {
            let memcpy = &self.memcpy;
            let firsts = if self.needs_memcpy_ranges { ", toFirst, fromFirst" } else { "" };
            let _ = write!(
                out,
                "\nstatic inline cudaError_t {memcpy}(void *to, const void *from, size_t bytes, cudaMemcpyKind kind{more}{range})\n{{\n    \
                 return {name}(to, from, bytes, kind, 0{arguments}{firsts});\n}}\n",
            );
        }
    }
}

/// Locals for the coordinates, and for the extents that are no constants, that are none of these words.
pub(crate) fn local_names(grid: &Grid, words: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut local: BTreeSet<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut unique = |name: &str| {
        let mut name = name.to_owned();
        while !local.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    let dimensions = &grid.dimensions;
    let coordinates =
        dimensions.iter().map(|dimension| local_mark(&unique(&dimension.name))).collect();
    let extents = dimensions[1..]
        .iter()
        .filter(|dimension| dimension.extent.is_none())
        .map(|dimension| local_mark(&unique(&format!("n{}", dimension.name))))
        .collect();
    (coordinates, extents)
}

/// What stands in the brackets of the accesses.
fn subscripts<'a>(program: &'a Program, grid: &'a Grid) -> impl Iterator<Item = ExprId> + 'a {
    grid.accesses.keys().filter_map(|access| match program.expr(*access).kind {
        ExprKind::Index { index, .. } => Some(index),
        _ => None,
    })
}

/// The type in which the places of a grid are computed.
fn index_of(program: &Program, plan: &GridPlan, is_opencl: bool) -> &'static str {
    let found = index_type(program, subscripts(program, &plan.grid));
    // Numbers of work-items are `size_t`, which the model does not say.
    if is_opencl && found == "unsigned" { "size_t" } else { found }
}

/// The widest type of some indices.
pub(crate) fn index_type(program: &Program, indices: impl Iterator<Item = ExprId>) -> &'static str {
    let mut found = "int";
    for index in indices {
        match program.types.as_scalar(program.expr(index).ty.id) {
            Some(scalar) if scalar.size() > 4 => return "size_t",
            Some(scalar) if scalar.is_unsigned() && scalar.size() == 4 => found = "unsigned",
            Some(_) => {}
            // A builtin: unsigned.
            None => found = "unsigned",
        }
    }
    found
}
