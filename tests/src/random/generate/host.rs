//! The host function of a unit: arrays, launches, copies, checksums.

use std::collections::BTreeSet;

use super::holders::Holder;
use super::kernels::{Kernel, Mode, Shape};
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// An array on the device and its host copy.
#[derive(Clone, Debug)]
struct Array {
    record: usize,
    /// An expression for the device pointer.
    device: String,
    /// The same with its type, where it is declared as `void *`.
    typed: String,
    /// The variable that a layout can name.
    variable: Option<Symbol>,
    host: Symbol,
    /// An expression for the host pointer.
    host_pointer: String,
    /// The object that holds the memory, if it is one of a class template.
    holder: Option<(Holder, Symbol)>,
    /// Whether it has `n2` elements instead of `n`.
    is_long: bool,
}

impl Generator {
    /// Adds the host function.
    pub(super) fn host(&mut self, unit: &mut Unit) {
        self.locals.clear();
        let n = self.local("n");
        let n2 = self.local("n2");
        if self.random.chance(20) {
            unit.feature("host-context");
            unit.context = Some((self.local("ctx"), Vec::new()));
        }
        let mut body = vec![Node::declaration(
            n2,
            &format!("int {n2} = {n} {};", ["+ 3", "* 2 + 7", "+ 32"][self.random.below(3)]),
        )];
        let (perm, out) = self.index_arrays(&mut body, n, n2);
        let mut arrays = Vec::new();
        for record in unit.array_records.clone() {
            for number in 0..3 {
                let is_long = number == 2 && self.random.chance(60);
                arrays.push(self.array(unit, record, is_long, n, n2, &mut body));
            }
        }
        if let Some((record, table)) = unit.table {
            let (name, fill) = (self.record_symbol(record), self.records[record].fill);
            body.push(Node::line(&format!(
                "{{\n    {name} staging[8];\n    {fill}(staging, 8, 3u);\n    must(cudaMemcpyToSymbol({table}, staging, sizeof(staging)));\n}}"
            )));
        }
        if let Some((context, members)) = &unit.context
            && !members.is_empty()
        {
            let ty = self.named(Role::Type, &format!("Context{}", unit.number));
            let text = format!("struct {ty} {{\n    {}\n}};", members.join("\n    "));
            unit.nodes.push(Node::declaration(ty, &text));
            body.insert(0, Node::declaration(*context, &format!("{ty} {context};")));
        }
        let stream = self.random.chance(20).then(|| {
            unit.feature("stream");
            let stream = self.local("stream");
            let text = format!("cudaStream_t {stream};\nCHECK(cudaStreamCreate(&{stream}));");
            body.push(Node::declaration(stream, &text));
            stream
        });
        unit.stream = stream;
        let kernels = unit.kernels.clone();
        let mut launched = BTreeSet::new();
        for kernel in &kernels {
            if self.random.chance(35) {
                self.step(unit, &mut arrays, n, n2, &mut body);
            }
            let given = self.launch(unit, kernel, &arrays, [n, n2, perm, out], &mut body);
            launched.extend(given);
            if self.random.chance(8) {
                self.launch(unit, kernel, &arrays, [n, n2, perm, out], &mut body);
            }
        }
        // What no launch gets is no array of structs where its pointer has no type.
        let is_untyped = is_untyped(unit);
        let known = arrays.iter().filter(|array| !is_untyped || launched.contains(&array.device));
        let records: BTreeSet<usize> = known.clone().map(|array| array.record).collect();
        unit.untyped = unit
            .array_records
            .iter()
            .copied()
            .filter(|own| is_untyped && !records.contains(own))
            .collect();
        unit.arrays = known.filter_map(|array| Some((array.record, array.variable?))).collect();
        for _ in 0..2 {
            self.step(unit, &mut arrays, n, n2, &mut body);
        }
        for array in &arrays {
            self.check(unit, array, n, n2, &mut body);
        }
        body.push(Node::line(&format!("results(\"{} out\", {out}, {n2});", unit.number)));
        for array in &arrays {
            if let Some((holder, variable)) = &array.holder {
                if !holder.release.is_empty() {
                    body.push(Node::line(&holder.released(*variable)));
                }
            } else if !unit.has(Trait::OwningBuffer) {
                body.push(Node::line(&self.checked(&format!("cudaFree({})", array.device))));
            }
        }
        body.push(Node::line(&format!("cudaFree({perm});\ncudaFree({out});")));
        let head = format!("static void {}(int {n}) {{", unit.run);
        let mut node = Node::new(Kind::Function, &head, body, "}");
        node.declares.push(unit.run);
        unit.nodes.push(node);
    }

    /// A call in one of the forms of error checks.
    pub(super) fn checked(&mut self, call: &str) -> String {
        match self.random.below(14) {
            0 => format!("{call};"),
            1 => format!("CHECK({call});"),
            2 => format!("if ({call} != cudaSuccess) exit(3);"),
            _ => format!("must({call});"),
        }
    }

    fn index_arrays(&mut self, body: &mut Vec<Node>, n: Symbol, n2: Symbol) -> (Symbol, Symbol) {
        let (perm, out) = (self.local("d_perm"), self.local("d_out"));
        let factor = *self.random.pick(&[1, 7, 13, 101]);
        body.push(Node::declaration(perm, &format!("int *{perm} = permutation({n}, {factor}u);")));
        body.push(Node::declaration(out, &format!("unsigned *{out} = zeros({n2});")));
        (perm, out)
    }

    fn array(
        &mut self,
        unit: &mut Unit,
        record: usize,
        is_long: bool,
        n: Symbol,
        n2: Symbol,
        body: &mut Vec<Node>,
    ) -> Array {
        let count = if is_long { n2 } else { n };
        let (name, fill) = (self.record_symbol(record), self.records[record].fill);
        let base = *self.random.pick(&["items", "cells", "a", "old", "next", "parts"]);
        let (variable, host) = (self.local(&format!("d_{base}")), self.local(&format!("h_{base}")));
        let has_holder = [Trait::HolderTemplate, Trait::OwnerTemplate, Trait::AllocateTemplate]
            .into_iter()
            .any(|special| unit.has(special));
        let holder = has_holder.then(|| (self.holder(unit), variable));
        let in_context =
            unit.context.is_some() && !unit.has(Trait::OwningBuffer) && holder.is_none();
        let device = match (&unit.context, in_context) {
            (Some((context, _)), true) => format!("{context}.{variable}"),
            _ => variable.to_string(),
        };
        let instance = holder.as_ref().map(|(holder, _)| holder.instance(name, variable, count));
        let device = instance.as_ref().map_or(device, |(_, pointer)| pointer.clone());
        let (declared, host_pointer) = match self.random.below(12) {
            0 => (format!("std::vector<{name}> {host}({count});"), format!("{host}.data()")),
            1..=5 => (format!("{name} *{host} = new {name}[{count}];"), host.to_string()),
            _ => (
                format!("{name} *{host} = ({name} *)calloc({count} + 1, sizeof({name}));"),
                host.to_string(),
            ),
        };
        body.push(Node::declaration(host, &declared));
        let seed = self.random.below(1000);
        body.push(Node {
            kind: Kind::Frame,
            ..Node::line(&format!("{fill}({host_pointer}, {count}, {seed}u);"))
        });
        let is_untyped = is_untyped(unit);
        let pointer = if is_untyped { "void *".to_owned() } else { format!("{name} *") };
        let typed = if is_untyped { format!("({name} *){device}") } else { device.clone() };
        let bytes = self.bytes(&count.to_string(), name, &typed);
        let declaration = if let Some((declaration, _)) = instance {
            declaration
        } else if unit.has(Trait::OwningBuffer) {
            let buffer = self.buffer_class(unit, record);
            format!("{buffer} {host}_buffer({count});\n{name} *{device} = {host}_buffer.items;")
        } else if unit.has(Trait::AllocateByPointer) {
            let function = self.allocator(unit, record);
            format!("{function}(&{device}, {count});")
        } else {
            let target = *self.random.pick(&["&@", "(void **)&@", "&@"]);
            let function =
                if unit.has(Trait::Managed) { "cudaMallocManaged" } else { "cudaMalloc" };
            let call = format!("{function}({}, {bytes})", target.replace('@', &device));
            let null = if self.random.chance(30) { " = nullptr" } else { "" };
            let checked = self.checked(&call);
            if in_context { checked } else { format!("{pointer}{device}{null};\n{checked}") }
        };
        let declaration = if unit.has(Trait::AllocateByPointer)
            && !unit.has(Trait::OwningBuffer)
            && !in_context
        {
            format!("{name} *{device};\n{declaration}")
        } else {
            declaration
        };
        body.push(Node::declaration(variable, &declaration));
        if let (Some((_, members)), true) = (&mut unit.context, in_context) {
            members.push(format!("{pointer}{variable};"));
        }
        let call = format!("cudaMemcpy({device}, {host_pointer}, {bytes}, cudaMemcpyHostToDevice)");
        let upload = match &holder {
            Some((holder, variable)) if self.random.chance(60) => {
                holder.uploaded(*variable, &host_pointer, count)
            }
            _ => self.checked(&call),
        };
        body.push(Node { kind: Kind::Frame, ..Node::line(&upload) });
        Array {
            record,
            device,
            typed,
            variable: (!in_context && holder.is_none()).then_some(variable),
            holder,
            host,
            host_pointer,
            is_long,
        }
    }

    /// The size of `count` elements in bytes.
    fn bytes(&mut self, count: &str, record: Symbol, device: &str) -> String {
        match self.random.below(6) {
            0 => format!("sizeof({record}) * {count}"),
            1 => format!("{count} * sizeof(*{device})"),
            2 => format!("(size_t){count} * sizeof({record})"),
            3 => format!("{count} * (int)sizeof({record})"),
            _ => format!("{count} * sizeof({record})"),
        }
    }

    fn buffer_class(&mut self, unit: &mut Unit, record: usize) -> Symbol {
        let known = unit.declared.buffers.iter().find(|known| known.0 == record);
        if let Some((_, symbol)) = known {
            return *symbol;
        }
        let name = self.record_symbol(record);
        let symbol = self
            .named(Role::Type, &format!("Buffer{}_{}", unit.number, unit.declared.buffers.len()));
        unit.nodes.push(Node::declaration(
            symbol,
            &format!(
                "struct {symbol} {{\n    {name} *items;\n    explicit {symbol}(int n) : items(nullptr) {{ CHECK(cudaMalloc(&items, n * sizeof({name}))); }}\n    ~{symbol}() {{ cudaFree(items); }}\n    {symbol}(const {symbol} &) = delete;\n    {symbol} &operator=(const {symbol} &) = delete;\n}};"
            ),
        ));
        unit.declared.buffers.push((record, symbol));
        symbol
    }

    fn allocator(&mut self, unit: &mut Unit, record: usize) -> Symbol {
        let known = unit.declared.allocators.iter().find(|known| known.0 == record);
        if let Some((_, symbol)) = known {
            return *symbol;
        }
        let name = self.record_symbol(record);
        let symbol = self.named(
            Role::Global,
            &format!("allocate{}_{}", unit.number, unit.declared.allocators.len()),
        );
        unit.nodes.push(Node::declaration(
            symbol,
            &format!("static void {symbol}({name} **at, int n) {{\n    CHECK(cudaMalloc((void **)at, n * sizeof({name})));\n}}"),
        ));
        unit.declared.allocators.push((record, symbol));
        symbol
    }

    /// One thing that a host does with arrays between launches.
    fn step(
        &mut self,
        unit: &mut Unit,
        arrays: &mut [Array],
        n: Symbol,
        n2: Symbol,
        body: &mut Vec<Node>,
    ) {
        let array = self.random.pick(arrays).clone();
        let count = if array.is_long { n2 } else { n };
        let name = self.record_symbol(array.record);
        let (device, pointer) = (array.device.clone(), array.host_pointer.clone());
        let typed = array.typed.clone();
        let size = format!("sizeof({name})");
        let others: Vec<Array> = arrays
            .iter()
            .filter(|other| {
                other.record == array.record
                    && other.is_long == array.is_long
                    && other.device != device
            })
            .cloned()
            .collect();
        let text = match self.random.below(11) {
            0 => {
                unit.feature("upload-again");
                let fill = self.records[array.record].fill;
                let seed = self.random.below(1000);
                let call = format!(
                    "cudaMemcpy({device}, {pointer}, {count} * {size}, cudaMemcpyHostToDevice)"
                );
                format!("{fill}({pointer}, {count}, {seed}u);\n{}", self.checked(&call))
            }
            1 => {
                unit.feature("prefix-upload");
                let fill = self.records[array.record].fill;
                let call = format!(
                    "cudaMemcpy({device}, {pointer}, ({count} / 2) * {size}, cudaMemcpyHostToDevice)"
                );
                format!("{fill}({pointer}, {count} / 2, 77u);\n{}", self.checked(&call))
            }
            2 => {
                unit.feature("prefix-download");
                let call = format!(
                    "cudaMemcpy({pointer}, {device}, {size} * ({count} / 3), cudaMemcpyDeviceToHost)"
                );
                let sum = self.records[array.record].sum;
                format!(
                    "{}\n{sum}(\"{} prefix\", {pointer}, {count});",
                    self.checked(&call),
                    unit.number
                )
            }
            3 if !others.is_empty() => {
                unit.feature("device-to-device");
                let other = self.random.pick(&others).device.clone();
                let part = ["", " / 2"][self.random.below(2)];
                let call = format!(
                    "cudaMemcpy({device}, {other}, ({count}{part}) * {size}, cudaMemcpyDeviceToDevice)"
                );
                self.checked(&call)
            }
            4 => {
                unit.feature("memset");
                if let (Some((holder, variable)), true) = (&array.holder, self.random.chance(50)) {
                    body.push(Node::line(&holder.cleared(*variable, count)));
                    return;
                }
                let byte = if self.records[array.record].any_bytes {
                    *self.random.pick(&["0", "0", "0xff", "1", "0x5a"])
                } else {
                    "0"
                };
                let part = ["", "", " / 2"][self.random.below(3)];
                self.checked(&format!("cudaMemset({device}, {byte}, ({count}{part}) * {size})"))
            }
            5 | 6 if !others.is_empty() && !unit.has(Trait::OwningBuffer) => {
                unit.feature("pointer-swap");
                let other = self.random.pick(&others).clone();
                if let (Some((holder, one)), Some((_, other))) = (&array.holder, &other.holder)
                    && (!holder.is_assignable || self.random.chance(50))
                {
                    body.push(Node::line(&holder.swapped(*one, *other, name)));
                    return;
                }
                let (held, other) = (self.local("held"), other.device);
                let ty = pointee(unit, name);
                format!(
                    "{{\n    {ty} *{held} = {device};\n    {device} = {other};\n    {other} = {held};\n}}"
                )
            }
            7 => {
                unit.feature("async-copy");
                let stream = unit.stream.map_or("0".to_owned(), |stream| stream.to_string());
                let call = format!(
                    "cudaMemcpyAsync({pointer}, {device}, {count} * {size}, cudaMemcpyDeviceToHost, {stream})"
                );
                let sum = self.records[array.record].sum;
                let wait = match unit.stream {
                    Some(stream) => format!("cudaStreamSynchronize({stream})"),
                    None => "cudaDeviceSynchronize()".to_owned(),
                };
                format!(
                    "{}\nmust({wait});\n{sum}(\"{} async\", {pointer}, {count});",
                    self.checked(&call),
                    unit.number
                )
            }
            8 | 9 if unit.has(Trait::PartOfRecord) && self.records[array.record].any_bytes => {
                let (sum, fraction) = (self.records[array.record].sum, self.random.between(2, 5));
                let call = if self.random.chance(50) {
                    format!("cudaMemset({device}, 3, {count} * {size} / {fraction})")
                } else {
                    format!(
                        "cudaMemcpy({pointer}, {device}, {count} * {size} / {fraction}, cudaMemcpyDeviceToHost)"
                    )
                };
                format!(
                    "{}\n{sum}(\"{} part\", {pointer}, {count});",
                    self.checked(&call),
                    unit.number
                )
            }
            8 | 9 if unit.has(Trait::SubRangeCopy) => {
                let call = if self.random.chance(50) {
                    format!(
                        "cudaMemcpy({typed} + {count} / 4, {pointer} + {count} / 4, ({count} / 3) * {size}, cudaMemcpyHostToDevice)"
                    )
                } else {
                    format!(
                        "cudaMemcpy({pointer} + {count} / 4, {typed} + {count} / 4, ({count} / 3) * {size}, cudaMemcpyDeviceToHost)"
                    )
                };
                self.checked(&call)
            }
            _ => {
                self.check(unit, &array, n, n2, body);
                return;
            }
        };
        body.push(Node::line(&text));
    }

    /// Copies an array back and prints its checksum.
    fn check(
        &mut self,
        unit: &mut Unit,
        array: &Array,
        n: Symbol,
        n2: Symbol,
        body: &mut Vec<Node>,
    ) {
        let count = if array.is_long { n2 } else { n };
        let (name, sum) = (self.record_symbol(array.record), self.records[array.record].sum);
        let bytes = self.bytes(&count.to_string(), name, &array.typed);
        let call = format!(
            "cudaMemcpy({}, {}, {bytes}, cudaMemcpyDeviceToHost)",
            array.host_pointer, array.device
        );
        let label = format!("{} {}", unit.number, array.host.0);
        let download = match &array.holder {
            Some((holder, variable)) if self.random.chance(60) => {
                holder.downloaded(*variable, &array.host_pointer, count)
            }
            _ => self.checked(&call),
        };
        let text = format!("{download}\n{sum}(\"{label}\", {}, {count});", array.host_pointer);
        body.push(Node::line(&text));
    }

    /// A launch, if there are arrays for it; the pointers that it is given.
    fn launch(
        &mut self,
        unit: &mut Unit,
        kernel: &Kernel,
        arrays: &[Array],
        [n, n2, perm, out]: [Symbol; 4],
        body: &mut Vec<Node>,
    ) -> Vec<String> {
        let mut free: Vec<Array> = arrays.to_vec();
        self.random.shuffle(&mut free);
        let mut chosen: Vec<Array> = Vec::new();
        for parameter in &kernel.parameters {
            // An array that is only read may be given twice.
            let given = kernel.parameters.iter().zip(&chosen).find(|(other, array)| {
                other.mode == Mode::Read && array.record == parameter.record
            });
            if let (Mode::Read, Some((_, array))) = (parameter.mode, given)
                && self.random.chance(40)
            {
                chosen.push(array.clone());
                continue;
            }
            let found = free.iter().position(|array| array.record == parameter.record);
            let Some(at) = found else {
                return Vec::new();
            };
            chosen.push(free.remove(at));
        }
        let given = chosen.iter().map(|array| array.device.clone()).collect();
        let all_long = chosen.iter().all(|array| array.is_long) && kernel.shape != Shape::Permuted;
        let count = if all_long { n2.to_string() } else { n.to_string() };
        let offset = unit.has(Trait::OffsetLaunch)
            && !matches!(kernel.shape, Shape::Permuted)
            && kernel.handle.is_none()
            && self.random.chance(60);
        let shift = format!("{count} / 3");
        let mut arguments = Vec::new();
        let mut before = String::new();
        for (at, array) in chosen.iter().enumerate() {
            let pointer = array.typed.clone();
            if let (0, Some(handle)) = (at, &kernel.handle) {
                let view = self.local("view");
                before = format!(
                    "{handle} {view};\n{view}.items = {pointer};\n{view}.count = {count};\n"
                );
                arguments.push(view.to_string());
            } else if offset && (at == 0 || self.random.chance(40)) {
                arguments.push(format!("{pointer} + {shift}"));
            } else {
                arguments.push(pointer);
            }
        }
        arguments.push(format!("{perm}, {out}"));
        if let Some(record) = kernel.by_value {
            let (one, name, fill) =
                (self.local("one"), self.record_symbol(record), self.records[record].fill);
            let seed = self.random.below(1000);
            before.push_str(&format!("{name} {one};\n{fill}(&{one}, 1, {seed}u);\n"));
            arguments.push(one.to_string());
        }
        if kernel.handle.is_none() {
            arguments.push(if offset { format!("{count} - {shift}") } else { count.clone() });
        }
        arguments.push(format!("{}u", self.random.below(5000)));
        let block = *self.random.pick(&[8, 16, 32, 64]);
        let grid = match kernel.shape {
            Shape::Stride | Shape::StrideWalk => self.random.between(1, 3).to_string(),
            Shape::Serial => "1".to_owned(),
            Shape::Plane => format!("dim3(1, {count} / 32 + 1)"),
            _ => format!("{count} / {block} + 1"),
        };
        let template = if kernel.is_template {
            format!("<{}>", self.random.between(1, 6))
        } else {
            String::new()
        };
        let after = *self.random.pick(&[
            "",
            "",
            "\nmust(cudaGetLastError());",
            "\nmust(cudaDeviceSynchronize());",
        ]);
        let block =
            if kernel.shape == Shape::Plane { "dim3(8, 4)".to_owned() } else { block.to_string() };
        let on = match unit.stream {
            Some(stream) if self.random.chance(60) => format!(", 0, {stream}"),
            _ => String::new(),
        };
        let after = if on.is_empty() { after } else { "\nmust(cudaDeviceSynchronize());" };
        let text = match unit.launcher {
            Some(launcher) if !kernel.is_template => {
                format!(
                    "{before}{launcher}({}, ({grid}), ({block}), {});{after}",
                    kernel.symbol,
                    arguments.join(", ")
                )
            }
            _ => format!(
                "{before}{}{template}<<<{grid}, {block}{on}>>>({});{after}",
                kernel.symbol,
                arguments.join(", ")
            ),
        };
        let text = if before.is_empty() { text } else { format!("{{\n{text}\n}}") };
        // Two arrays that take turns.
        let turns = chosen.len() > 1
            && kernel.parameters[1].record == kernel.parameters[0].record
            && chosen[0].is_long == chosen[1].is_long
            && !unit.has(Trait::OwningBuffer);
        if turns && self.random.chance(35) {
            unit.feature("time-loop");
            let (t, held) = (self.local("t"), self.local("held"));
            let (one, other) = (&chosen[0].device, &chosen[1].device);
            let name = self.record_symbol(kernel.parameters[0].record);
            let swap = match (&chosen[0].holder, &chosen[1].holder) {
                (Some((holder, one)), Some((_, other))) if !holder.is_assignable => {
                    holder.swapped(*one, *other, name)
                }
                _ => {
                    let name = pointee(unit, name);
                    format!("{name} *{held} = {one};\n{one} = {other};\n{other} = {held};")
                }
            };
            let count = self.random.between(2, 4);
            let head = format!("for (int {t} = 0; {t} < {count}; ++{t}) {{");
            let lines = vec![Node::line(&text), Node::line(&swap)];
            body.push(Node::new(Kind::Block, &head, lines, "}"));
            return given;
        }
        body.push(Node::line(&text));
        given
    }
}

/// What a device pointer is declared to point to.
fn pointee(unit: &Unit, record: Symbol) -> String {
    if is_untyped(unit) { "void".to_owned() } else { record.to_string() }
}

/// Whether device pointers are declared as `void *`: where the unit's other traits leave it open.
fn is_untyped(unit: &Unit) -> bool {
    unit.has(Trait::UntypedPointer)
        && !unit.has(Trait::OwningBuffer)
        && !unit.has(Trait::AllocateByPointer)
}
