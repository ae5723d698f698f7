//! Commands that succeed: launches, writes, reads, maps, copies and fills.

use std::fmt::Write as _;

use super::super::kernels::{Access, Kernel, Parameter};
use super::super::{Generator, Unit};
use super::Steps;
use super::buffers::Buffer;
use crate::random::program::Node;
use crate::random::text::Symbol;

/// Some elements of a buffer: never none of them.
struct Range {
    declares: Vec<Symbol>,
    before: String,
    /// Expressions.
    first: String,
    count: String,
    is_whole: bool,
}

/// Types of patterns: sizes are powers of two.
const PATTERNS: [(&str, usize); 8] = [
    ("cl_uchar", 1),
    ("cl_ushort", 2),
    ("cl_uint", 4),
    ("cl_ulong", 8),
    ("cl_uint4", 16),
    ("cl_uint8", 32),
    ("cl_uint16", 64),
    ("cl_ulong16", 128),
];

impl Generator {
    fn range(&mut self, steps: &mut Steps, length: Symbol) -> Range {
        if self.random.chance(40) {
            return Range {
                declares: Vec::new(),
                before: String::new(),
                first: "0".to_owned(),
                count: length.to_string(),
                is_whole: true,
            };
        }
        let first = self.host_local(&mut steps.scope, "first");
        let count = self.host_local(&mut steps.scope, "count");
        let (part, of) = (self.random.below(4), 4 + self.random.below(4));
        let (share, all) = (self.random.below(5), 4 + self.random.below(3));
        let before = format!(
            "const size_t {first} = {length} * {part} / {of};\n\
             const size_t {count} = 1 + ({length} - {first} - 1) * {} / {all};\n",
            share.min(all)
        );
        Range {
            declares: vec![first, count],
            before,
            first: first.to_string(),
            count: count.to_string(),
            is_whole: false,
        }
    }

    fn buffer(&mut self, steps: &Steps, fits: impl Fn(&Buffer) -> bool) -> Option<usize> {
        let all: Vec<usize> =
            (0..steps.buffers.len()).filter(|at| fits(&steps.buffers[*at])).collect();
        (!all.is_empty()).then(|| *self.random.pick(&all))
    }

    pub(super) fn write(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let Some(at) = self.buffer(steps, |buffer| buffer.host_writes) else {
            return;
        };
        let Buffer { symbol, record, length, .. } = steps.buffers[at].clone();
        let ty = self.records[record].host_type.clone();
        let make_array = self.records[record].array;
        let range = self.range(steps, length);
        let (first, count) = (&range.first, &range.count);
        let source = self.host_variable(&mut steps.scope);
        let salt = self.random.below(1000);
        let order = self.order(unit, steps, &[], &[at], true);
        let queue = steps.queues[order.queue].symbol;
        let mut before = range.before.clone();
        let mut offset = format!("{first} * sizeof({ty})");
        let mut bytes = format!("{count} * sizeof({ty})");
        let host = if range.is_whole || self.random.chance(50) {
            let _ = writeln!(before, "{ty} *{source} = {make_array}({count}, {salt}u);");
            source.to_string()
        } else {
            let _ = writeln!(before, "{ty} *{source} = {make_array}({length}, {salt}u);");
            if self.random.chance(50) {
                format!("{source} + {first}")
            } else {
                format!("&{source}[{first}]")
            }
        };
        let mut host = host;
        if self.random.chance(8) && self.has_no_double(record) {
            unit.features.insert("bytes-of-elements");
            let cut = 1 + self.random.below(self.size(&self.records[record].clone()).max(2) - 1);
            offset = format!("{offset} + {cut}");
            bytes = format!("{bytes} - {cut}");
            host = format!("(const char *)({host}) + {cut}");
        }
        let mut what = "write";
        if !range.is_whole {
            unit.features.insert("partial-write");
            what = "partial write";
        }
        let is_plain = order.is_blocking && order.event.is_none() && order.waits == "0, NULL";
        let call = match self.shared {
            Some(shared) if is_plain && self.random.chance(60) => {
                unit.features.insert("wrapped-call");
                format!("{}({queue}, {symbol}, {offset}, {bytes}, {host})", shared.write)
            }
            _ => format!(
                "clEnqueueWriteBuffer({queue}, {symbol}, {}, {offset}, {bytes}, {host}, {})",
                order.blocking(),
                order.arguments()
            ),
        };
        let (mut declares, text) = self.command(steps, &order, &call, what);
        declares.extend(range.declares);
        declares.push(source);
        steps.line(declares, &(before + &text));
    }

    pub(super) fn read(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let Some(at) = self.buffer(steps, |buffer| buffer.host_reads) else {
            return;
        };
        let Buffer { symbol, record, length, .. } = steps.buffers[at].clone();
        let ty = self.records[record].host_type.clone();
        let sum = self.records[record].sum;
        let range = self.range(steps, length);
        let (first, count) = (&range.first, &range.count);
        let result = self.host_variable(&mut steps.scope);
        let order = self.order(unit, steps, &[at], &[], true);
        let queue = steps.queues[order.queue].symbol;
        let before = format!(
            "{}{ty} *{result} = ({ty} *)calloc({count} + 1, sizeof({ty}));\n",
            range.before
        );
        let (mut offset, mut bytes) =
            (format!("{first} * sizeof({ty})"), format!("{count} * sizeof({ty})"));
        let mut host = result.to_string();
        if self.random.chance(8) && self.has_no_double(record) {
            unit.features.insert("bytes-of-elements");
            let cut = 1 + self.random.below(self.size(&self.records[record].clone()).max(2) - 1);
            offset = format!("{offset} + {cut}");
            bytes = format!("{bytes} - {cut}");
            host = format!("(char *){host} + {cut}");
        }
        let mut what = "read";
        if !range.is_whole {
            unit.features.insert("partial-read");
            what = "partial read";
        }
        let is_plain = order.is_blocking && order.event.is_none() && order.waits == "0, NULL";
        let call = match self.shared {
            Some(shared) if is_plain && self.random.chance(60) => {
                unit.features.insert("wrapped-call");
                format!("{}({queue}, {symbol}, {offset}, {bytes}, {host})", shared.read)
            }
            _ => format!(
                "clEnqueueReadBuffer({queue}, {symbol}, {}, {offset}, {bytes}, {host}, {})",
                order.blocking(),
                order.arguments()
            ),
        };
        let (mut declares, mut text) = self.command(steps, &order, &call, what);
        declares.extend(range.declares);
        declares.push(result);
        let shown = format!("{sum}(\"{}.{} {what}\", {result}, {count});", steps.unit, steps.step);
        if order.is_blocking {
            text.push_str(&shown);
        } else {
            steps.late.push(Node::line(&shown));
        }
        steps.line(declares, &(before + &text));
    }

    pub(super) fn map_buffer(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let form = self.random.below(3);
        let fits = |buffer: &Buffer| match form {
            0 => buffer.host_reads,
            1 => buffer.host_reads && buffer.host_writes,
            _ => buffer.host_writes,
        };
        let Some(at) = self.buffer(steps, fits) else {
            return;
        };
        let Buffer { symbol, record, length, .. } = steps.buffers[at].clone();
        let ty = self.records[record].host_type.clone();
        let (make, sum) = (self.records[record].make, self.records[record].sum);
        let range = self.range(steps, length);
        let (first, count) = (&range.first, &range.count);
        let mapped = self.host_variable(&mut steps.scope);
        let salt = self.random.below(1000);
        let label = format!("{}.{}", steps.unit, steps.step);
        let all = [at];
        let (flags, what, reads, writes): (&str, &str, &[usize], &[usize]) = match form {
            0 => ("CL_MAP_READ", "map to read", &all, &[]),
            1 => ("CL_MAP_READ | CL_MAP_WRITE", "map to change", &[], &all),
            _ => ("CL_MAP_WRITE_INVALIDATE_REGION", "map to write", &[], &all),
        };
        let flags = if form == 1 && self.random.chance(40) { "CL_MAP_WRITE" } else { flags };
        unit.features.insert(what);
        let order = self.order(unit, steps, reads, writes, false);
        let queue = steps.queues[order.queue].symbol;
        let mut declares = range.declares.clone();
        declares.push(mapped);
        let mut text = format!("{}{}", range.before, order.before);
        let (blocking, event) = if self.random.chance(20) {
            let event = self.host_local(&mut steps.scope, "event");
            declares.push(event);
            let _ = writeln!(text, "cl_event {event} = NULL;");
            ("CL_FALSE", Some(event))
        } else {
            ("CL_TRUE", None)
        };
        let given = event.map_or_else(|| "NULL".to_owned(), |event| format!("&{event}"));
        let _ = write!(
            text,
            "{ty} *{mapped} = ({ty} *)clEnqueueMapBuffer({queue}, {symbol}, {blocking}, {flags}, {first} * sizeof({ty}), \
             {count} * sizeof({ty}), {}, {given}, &error);\nprintf(\"{label} {what}: %d\\n\", error);\n",
            order.waits
        );
        if let Some(event) = event {
            let _ = writeln!(text, "CHECK(clWaitForEvents(1, &{event}));");
        }
        match form {
            0 => {
                let _ = writeln!(text, "{sum}(\"{label} mapped\", {mapped}, {count});");
            }
            1 => {
                let change = self.host_change(record, mapped);
                let _ = writeln!(
                    text,
                    "for (size_t at = 0; at < {count}; at += 2) {{\n    {change}\n}}\n{sum}(\"{label} mapped\", {mapped}, {count});"
                );
            }
            _ => {
                let _ = writeln!(
                    text,
                    "for (size_t at = 0; at < {count}; at++) {mapped}[at] = {make}(at, {salt}u);"
                );
            }
        }
        if let Some(event) = order.event {
            let _ = writeln!(text, "cl_event {event} = NULL;");
            declares.push(event);
        }
        let event = order.event.map_or_else(|| "NULL".to_owned(), |event| format!("&{event}"));
        let call =
            format!("clEnqueueUnmapMemObject({queue}, {symbol}, {mapped}, 0, NULL, {event})");
        text.push_str(&self.checked(steps, &call, "unmap"));
        if order.event.is_some() && steps.queues.len() > 1 {
            let _ = writeln!(text, "clFlush({queue});");
        }
        steps.line(declares, &text);
    }

    /// Another value for one member of a mapped element.
    fn host_change(&mut self, record: usize, mapped: Symbol) -> String {
        let leaves = self.leaves(record);
        let leaf = self.random.pick(&leaves).clone();
        let value =
            leaf.scalar.of_value(&format!("(cl_uint)at * 7u + {}u", self.random.below(50)), "cl_");
        format!("{mapped}[at].{} = {value};", leaf.on_host())
    }

    pub(super) fn copy(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let Some(from) = self.buffer(steps, |_| true) else {
            return;
        };
        let record = steps.buffers[from].record;
        let Some(to) = self.buffer(steps, |buffer| buffer.record == record) else {
            return;
        };
        let ty = self.records[record].host_type.clone();
        let (source, target) = (steps.buffers[from].clone(), steps.buffers[to].clone());
        if from == to && source.least < 2 {
            return;
        }
        let from_first = self.host_local(&mut steps.scope, "from_first");
        let to_first = self.host_local(&mut steps.scope, "to_first");
        let count = self.host_local(&mut steps.scope, "count");
        let (part, other) = (self.random.below(3), self.random.below(3));
        let mut what = "copy";
        let before = if from == to {
            unit.features.insert("copy-within");
            what = "copy within";
            format!(
                "const size_t {count} = {0} / 2;\nconst size_t {from_first} = 0;\nconst size_t {to_first} = {0} - {count};\n",
                source.length
            )
        } else {
            let whole = self.random.chance(35);
            let (part, other) = if whole { (0, 0) } else { (part, other) };
            format!(
                "const size_t {from_first} = {0} * {part} / 5;\nconst size_t {to_first} = {1} * {other} / 4;\n\
                 const size_t {count} = {0} - {from_first} < {1} - {to_first} ? {0} - {from_first} : {1} - {to_first};\n",
                source.length, target.length
            )
        };
        unit.features.insert("copy");
        let reads: &[usize] = if from == to { &[] } else { &[from] };
        let order = self.order(unit, steps, reads, &[to], false);
        let queue = steps.queues[order.queue].symbol;
        let call = format!(
            "clEnqueueCopyBuffer({queue}, {}, {}, {from_first} * sizeof({ty}), {to_first} * sizeof({ty}), {count} * sizeof({ty}), {})",
            source.symbol,
            target.symbol,
            order.arguments()
        );
        let (mut declares, text) = self.command(steps, &order, &call, what);
        declares.extend([from_first, to_first, count]);
        steps.line(declares, &(before + &text));
    }

    pub(super) fn fill(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let Some(at) = self.buffer(steps, |_| true) else {
            return;
        };
        unit.features.insert("fill");
        let Buffer { symbol, record, length, .. } = steps.buffers[at].clone();
        let ty = self.records[record].host_type.clone();
        let size = self.size(&self.records[record].clone());
        let range = self.range(steps, length);
        let pattern = self.host_local(&mut steps.scope, "pattern");
        let before = if size.is_power_of_two() && size <= 128 && self.random.chance(50) {
            unit.features.insert("fill-with-element");
            let make = self.records[record].make;
            format!("const {ty} {pattern} = {make}({}, 3u);\n", self.random.below(50))
        } else {
            let fitting: Vec<&str> = PATTERNS
                .iter()
                .filter(|(_, bytes)| size.is_multiple_of(*bytes))
                .map(|(name, _)| *name)
                .collect();
            let name = *self.random.pick(&fitting);
            let byte = if self.is_integral(record) { 1 + self.random.below(100) } else { 0 };
            format!("{name} {pattern};\nmemset(&{pattern}, {byte}, sizeof {pattern});\n")
        };
        let order = self.order(unit, steps, &[], &[at], false);
        let queue = steps.queues[order.queue].symbol;
        let call = format!(
            "clEnqueueFillBuffer({queue}, {symbol}, &{pattern}, sizeof {pattern}, {} * sizeof({ty}), {} * sizeof({ty}), {})",
            range.first,
            range.count,
            order.arguments()
        );
        let (mut declares, text) = self.command(steps, &order, &call, "fill");
        declares.extend(range.declares);
        declares.push(pattern);
        steps.line(declares, &(range.before + &before + &text));
    }

    pub(super) fn launch(&mut self, unit: &mut Unit, steps: &mut Steps, kernel: &Kernel) {
        let Some(buffers) = self.arguments(unit, steps, kernel) else {
            return;
        };
        for parameter in &kernel.parameters {
            if let Parameter::Array { record, .. } = parameter {
                self.records[*record].is_target = true;
            }
        }
        let handle = self.handle(steps, kernel.symbol);
        let (mut before, mut declares) = (String::new(), Vec::new());
        let (mut reads, mut writes, mut main) = (Vec::new(), Vec::new(), None);
        for (at, parameter) in kernel.parameters.iter().enumerate() {
            let call = match *parameter {
                Parameter::Array { access, .. } => {
                    let Some(buffer) = buffers[at] else { continue };
                    if access == Access::Read {
                        reads.push(buffer);
                    } else {
                        writes.push(buffer);
                        main = Some(buffer);
                    }
                    let name = steps.buffers[buffer].symbol;
                    let bytes = if self.random.chance(70) {
                        "sizeof(cl_mem)".to_owned()
                    } else {
                        format!("sizeof {name}")
                    };
                    let cast = if self.random.chance(25) { "(void *)" } else { "" };
                    format!("clSetKernelArg({handle}, {at}, {bytes}, {cast}&{name})")
                }
                Parameter::Length(of) => {
                    let Some(buffer) = buffers[of] else { continue };
                    let name = self.host_local(&mut steps.scope, "elements");
                    declares.push(name);
                    let length = steps.buffers[buffer].length;
                    let _ = writeln!(before, "const cl_uint {name} = (cl_uint){length};");
                    format!("clSetKernelArg({handle}, {at}, sizeof(cl_uint), &{name})")
                }
                Parameter::Number => {
                    let name = self.host_local(&mut steps.scope, "number");
                    declares.push(name);
                    let value = match self.host_constants.first() {
                        Some(constant) if self.random.chance(50) => constant.to_string(),
                        _ => format!("{}u", self.random.below(500)),
                    };
                    let _ = writeln!(before, "cl_uint {name} = {value};");
                    format!("clSetKernelArg({handle}, {at}, sizeof {name}, &{name})")
                }
            };
            before.push_str(&self.checked(steps, &call, "argument"));
        }
        let Some(main) = main else { return };
        let length = steps.buffers[main].length;
        let global = self.host_local(&mut steps.scope, "global");
        declares.push(global);
        let (mut offset, mut local) = ("NULL".to_owned(), "NULL".to_owned());
        let group = kernel.group.or_else(|| self.random.chance(60).then_some(4));
        if let Some(group) = group {
            let name = self.host_local(&mut steps.scope, "local");
            declares.push(name);
            let _ = write!(
                before,
                "const size_t {name} = {group};\nconst size_t {global} = ({length} + {name} - 1) / {name} * {name};\n"
            );
            local = format!("&{name}");
        } else if self.random.chance(40) {
            unit.features.insert("range-with-offset");
            let name = self.host_local(&mut steps.scope, "start");
            declares.push(name);
            let _ = write!(
                before,
                "const size_t {name} = {length} / 3;\nconst size_t {global} = {length} - {name};\n"
            );
            offset = format!("&{name}");
        } else {
            let _ = writeln!(before, "const size_t {global} = {length};");
        }
        let order = self.order(unit, steps, &reads, &writes, false);
        let queue = steps.queues[order.queue].symbol;
        let call = format!(
            "clEnqueueNDRangeKernel({queue}, {handle}, 1, {offset}, &{global}, {local}, {})",
            order.arguments()
        );
        let (more, text) = self.command(steps, &order, &call, "launch");
        declares.extend(more);
        steps.line(declares, &(before + &text));
    }

    /// A buffer for each array of a kernel, no one twice.
    fn arguments(
        &mut self,
        unit: &mut Unit,
        steps: &mut Steps,
        kernel: &Kernel,
    ) -> Option<Vec<Option<usize>>> {
        let mut chosen: Vec<Option<usize>> = Vec::new();
        for parameter in &kernel.parameters {
            let Parameter::Array { record, access } = *parameter else {
                chosen.push(None);
                continue;
            };
            let found = {
                let taken = chosen.clone();
                let free: Vec<usize> = (0..steps.buffers.len())
                    .filter(|at| {
                        let buffer = &steps.buffers[*at];
                        buffer.record == record
                            && buffer.allows(access)
                            && !taken.contains(&Some(*at))
                    })
                    .collect();
                (!free.is_empty()).then(|| *self.random.pick(&free))
            };
            let found = match found {
                Some(found) => found,
                None if steps.buffers.len() < 8 => self.create(unit, steps, record, true),
                None => return None,
            };
            chosen.push(Some(found));
        }
        Some(chosen)
    }

    /// The `cl_kernel` of a kernel.
    fn handle(&mut self, steps: &mut Steps, kernel: Symbol) -> Symbol {
        let known = steps.made.iter().find(|(name, _)| *name == kernel);
        if let Some((_, handle)) = known
            && self.random.chance(80)
        {
            return *handle;
        }
        let handle = self.host_local(&mut steps.scope, "kernel");
        let text = format!(
            "cl_kernel {handle} = clCreateKernel(program, \"{kernel}\", &error);\nCHECK(error);"
        );
        steps.line(vec![handle], &text);
        steps.made.push((kernel, handle));
        handle
    }
}
