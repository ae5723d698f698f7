//! Making buffers, with flags that say who may do what, and the last look at what is in them.

use std::fmt::Write as _;

use super::super::kernels::Access;
use super::super::{Generator, Unit};
use super::{Pending, Steps};
use crate::random::program::Node;
use crate::random::text::Symbol;

/// A buffer of a unit.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) symbol: Symbol,
    pub(super) record: usize,
    /// A variable with its length, and what that is at least where it is not 0.
    pub(super) length: Symbol,
    pub(super) least: usize,
    pub(super) host_reads: bool,
    pub(super) host_writes: bool,
    pub(super) kernels_read: bool,
    pub(super) kernels_write: bool,
    pub(super) pending: Pending,
}

impl Buffer {
    pub(super) fn allows(&self, access: Access) -> bool {
        match access {
            Access::Read => self.kernels_read,
            Access::Write => self.kernels_write,
            Access::Both => self.kernels_read && self.kernels_write,
        }
    }
}

impl Generator {
    /// A buffer, and what is in it first; `is_plain`: everybody may do everything.
    pub(super) fn create(
        &mut self,
        unit: &mut Unit,
        steps: &mut Steps,
        record: usize,
        is_plain: bool,
    ) -> usize {
        let ty = self.records[record].host_type.clone();
        let make_array = self.records[record].array;
        let (symbol, declared) = match &steps.table {
            Some(table) => (self.symbol(format!("{table}[{}]", steps.buffers.len())), ""),
            None => (self.host_variable(&mut steps.scope), "cl_mem "),
        };
        let length = self.host_local(&mut steps.scope, "length");
        let least = self.random.below(4);
        let count = match self.random.below(4) {
            0 => format!("n + {least}u"),
            1 => format!("2u * n + {least}u"),
            2 => format!("{least}u + n / 2u"),
            _ => format!("{least} + (size_t)n"),
        };
        let mut buffer = Buffer {
            symbol,
            record,
            length,
            least,
            host_reads: true,
            host_writes: true,
            kernels_read: true,
            kernels_write: true,
            pending: Pending::default(),
        };
        let mut flags = Vec::new();
        match if is_plain { 9 } else { self.random.below(20) } {
            0 => {
                flags.push("CL_MEM_READ_ONLY");
                buffer.kernels_write = false;
                unit.features.insert("read-only-buffer");
            }
            1 => {
                flags.push("CL_MEM_WRITE_ONLY");
                buffer.kernels_read = false;
                unit.features.insert("write-only-buffer");
            }
            2 => {}
            _ => flags.push("CL_MEM_READ_WRITE"),
        }
        match if is_plain { 99 } else { self.random.below(100) } {
            0..4 => {
                flags.push("CL_MEM_HOST_WRITE_ONLY");
                buffer.host_reads = false;
                unit.features.insert("host-write-only");
            }
            4..8 => {
                flags.push("CL_MEM_HOST_READ_ONLY");
                buffer.host_writes = false;
                unit.features.insert("host-read-only");
            }
            8..12 => {
                flags.push("CL_MEM_HOST_NO_ACCESS");
                (buffer.host_reads, buffer.host_writes) = (false, false);
                unit.features.insert("host-no-access");
            }
            _ => {}
        }
        let mut text = format!("const size_t {length} = {count};\n");
        let mut declares = vec![length, symbol];
        let is_given = self.random.chance(35);
        let mut host = "NULL".to_owned();
        if is_given {
            let source = self.host_variable(&mut steps.scope);
            let salt = self.random.below(100);
            let _ = writeln!(text, "{ty} *{source} = {make_array}({length}, {salt}u);");
            declares.push(source);
            host = source.to_string();
            if self.random.chance(6) && !is_plain {
                unit.features.insert("use-host-ptr");
                flags.push("CL_MEM_USE_HOST_PTR");
            } else {
                flags.push("CL_MEM_COPY_HOST_PTR");
                unit.features.insert("copy-host-ptr");
            }
        }
        if self.random.chance(15) && !flags.contains(&"CL_MEM_USE_HOST_PTR") {
            flags.push("CL_MEM_ALLOC_HOST_PTR");
            unit.features.insert("alloc-host-ptr");
        }
        self.random.shuffle(&mut flags);
        let flags = if flags.is_empty() { "0".to_owned() } else { flags.join(" | ") };
        let flags = if self.random.chance(12) {
            let name = self.host_local(&mut steps.scope, "flags");
            let _ = writeln!(text, "const cl_mem_flags {name} = {flags};");
            declares.push(name);
            unit.features.insert("flags-in-variable");
            name.to_string()
        } else {
            flags
        };
        let bytes = match self.random.below(4) {
            0 => format!("sizeof({ty}) * {length}"),
            1 if is_given => format!("{length} * sizeof(*{host})"),
            _ => format!("{length} * sizeof({ty})"),
        };
        let (number, step) = (steps.unit, steps.step);
        let _ = writeln!(
            text,
            "{declared}{symbol} = clCreateBuffer(context, {flags}, {bytes}, {host}, &error);\n\
             printf(\"{number}.{step} create: %d\\n\", error);\nif ({symbol} == NULL) return;"
        );
        let at = steps.buffers.len();
        steps.buffers.push(buffer);
        if !is_given {
            let (more, first) = self.first_content(unit, steps, at);
            declares.extend(more);
            text.push_str(&first);
        }
        steps.line(declares, &text);
        at
    }

    /// The statements that set all elements of a new buffer.
    fn first_content(
        &mut self,
        unit: &mut Unit,
        steps: &mut Steps,
        at: usize,
    ) -> (Vec<Symbol>, String) {
        let Buffer { symbol, record, length, host_writes, .. } = steps.buffers[at].clone();
        let ty = self.records[record].host_type.clone();
        let make_array = self.records[record].array;
        let salt = self.random.below(100);
        let order = self.order(unit, steps, &[], &[at], host_writes);
        let queue = steps.queues[order.queue].symbol;
        let arguments = order.arguments();
        if !host_writes || (self.random.chance(25) && !order.is_blocking) {
            unit.features.insert("first-filled");
            let zero = self.host_local(&mut steps.scope, "zero");
            let call = format!(
                "clEnqueueFillBuffer({queue}, {symbol}, &{zero}, sizeof {zero}, 0, {length} * sizeof({ty}), {arguments})"
            );
            let (mut declares, text) = self.command(steps, &order, &call, "first fill");
            declares.push(zero);
            return (declares, format!("const cl_uchar {zero} = 0;\n{text}"));
        }
        let source = self.host_variable(&mut steps.scope);
        let blocking = order.blocking();
        let call = format!(
            "clEnqueueWriteBuffer({queue}, {symbol}, {blocking}, 0, {length} * sizeof({ty}), {source}, {arguments})"
        );
        let (mut declares, text) = self.command(steps, &order, &call, "first write");
        declares.push(source);
        (declares, format!("{ty} *{source} = {make_array}({length}, {salt}u);\n{text}"))
    }

    /// What is in a buffer at the end, as all queues are empty.
    pub(super) fn last_look(&mut self, steps: &mut Steps, at: usize) {
        let Buffer { symbol, record, length, host_reads, .. } = steps.buffers[at].clone();
        let ty = self.records[record].host_type.clone();
        let (make_array, sum) = (self.records[record].array, self.records[record].sum);
        let result = self.host_variable(&mut steps.scope);
        let queue = steps.queues[0].symbol;
        let unit = steps.unit;
        let mut text = format!("{ty} *{result} = {make_array}({length}, 1u);\n");
        let mut declares = vec![result];
        let read = |buffer: Symbol| {
            format!(
                "error = clEnqueueReadBuffer({queue}, {buffer}, CL_TRUE, 0, {length} * sizeof({ty}), {result}, 0, NULL, NULL);\n\
                 printf(\"{unit}.last read {at}: %d\\n\", error);\n{sum}(\"{unit}.last {at}\", {result}, {length});\n"
            )
        };
        text.push_str(&read(symbol));
        if !host_reads {
            let copy = self.host_local(&mut steps.scope, "copy");
            declares.push(copy);
            let _ = write!(
                text,
                "cl_mem {copy} = clCreateBuffer(context, CL_MEM_READ_WRITE, {length} * sizeof({ty}), NULL, &error);\n\
                 error |= clEnqueueCopyBuffer({queue}, {symbol}, {copy}, 0, 0, {length} * sizeof({ty}), 0, NULL, NULL);\n\
                 printf(\"{unit}.last copy {at}: %d\\n\", error);\nclFinish({queue});\n{}clReleaseMemObject({copy});\n",
                read(copy)
            );
        }
        let _ = writeln!(text, "free({result});\nclReleaseMemObject({symbol});");
        steps.late.push(Node { declares, ..Node::line(&text) });
    }
}
