//! Commands that must fail, and then do nothing.

use super::super::{Generator, Unit};
use super::buffers::Buffer;
use super::{Steps, printed};

impl Generator {
    pub(super) fn must_fail(&mut self, unit: &mut Unit, steps: &mut Steps) {
        let limited: Vec<usize> = (0..steps.buffers.len())
            .filter(|at| !steps.buffers[*at].host_reads || !steps.buffers[*at].host_writes)
            .collect();
        if !limited.is_empty() && self.random.chance(60) {
            let at = *self.random.pick(&limited);
            return self.not_allowed(unit, steps, at);
        }
        let at = self.random.below(steps.buffers.len());
        match self.random.below(10) {
            0 | 1 => self.transfer_out_of_range(unit, steps, at),
            2 | 3 => self.copy_out_of_range(unit, steps, at),
            4 | 5 => self.copy_overlaps(unit, steps, at),
            6 => self.fill_out_of_range(unit, steps, at),
            7 => self.map_out_of_range(unit, steps, at),
            8 => self.no_bytes(unit, steps, at),
            _ => self.no_buffer(unit, steps, at),
        }
    }

    /// A transfer that a flag of the buffer rules out.
    fn not_allowed(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        unit.features.insert("not-allowed");
        let buffer = steps.buffers[at].clone();
        let is_read = match (buffer.host_reads, buffer.host_writes) {
            (false, false) => self.random.chance(50),
            (reads, _) => !reads,
        };
        let queue = self.random.pick(&steps.queues.clone()).symbol;
        let ty = self.records[buffer.record].host_type.clone();
        if self.random.chance(30) {
            let flags = if is_read { "CL_MAP_READ" } else { "CL_MAP_WRITE" };
            let mapped = self.host_variable(&mut steps.scope);
            let (number, step, symbol) = (steps.unit, steps.step, buffer.symbol);
            let text = format!(
                "void *{mapped} = clEnqueueMapBuffer({queue}, {symbol}, CL_TRUE, {flags}, 0, sizeof({ty}), 0, NULL, NULL, &error);\n\
                 printf(\"{number}.{step} map that is not allowed: %d %d\\n\", error, {mapped} != NULL);\n\
                 if ({mapped} != NULL) clEnqueueUnmapMemObject({queue}, {symbol}, {mapped}, 0, NULL, NULL);"
            );
            return steps.line(vec![mapped], &text);
        }
        let what = if is_read { "read that is not allowed" } else { "write that is not allowed" };
        let bytes = format!("{} * sizeof({ty})", buffer.length);
        self.transfer(steps, &buffer, is_read, "0", &bytes, what);
    }

    /// A blocking transfer of which only the code, and the host's memory, is looked at.
    fn transfer(
        &mut self,
        steps: &mut Steps,
        buffer: &Buffer,
        is_read: bool,
        offset: &str,
        bytes: &str,
        what: &str,
    ) {
        let queue = self.random.pick(&steps.queues.clone()).symbol;
        let record = &self.records[buffer.record];
        let (ty, make_array, sum) = (record.host_type.clone(), record.array, record.sum);
        let host = self.host_variable(&mut steps.scope);
        let function = if is_read { "clEnqueueReadBuffer" } else { "clEnqueueWriteBuffer" };
        let call = format!(
            "{function}({queue}, {}, CL_TRUE, {offset}, {bytes}, {host}, 0, NULL, NULL)",
            buffer.symbol
        );
        let mut text = format!("{ty} *{host} = {make_array}({} + 8, 77u);\n", buffer.length);
        text.push_str(&printed(steps, &call, what));
        if is_read {
            text.push_str(&format!(
                "{sum}(\"{}.{} {what}\", {host}, 1);\n",
                steps.unit, steps.step
            ));
        }
        text.push_str(&format!("free({host});"));
        steps.line(vec![host], &text);
    }

    fn transfer_out_of_range(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        unit.features.insert("out-of-range");
        let buffer = steps.buffers[at].clone();
        let ty = self.records[buffer.record].host_type.clone();
        let length = buffer.length;
        let is_read = self.random.chance(50);
        let (offset, bytes) = self.beyond(&ty, &length.to_string());
        let what = if is_read { "read out of range" } else { "write out of range" };
        self.transfer(steps, &buffer, is_read, &offset, &bytes, what);
    }

    /// An offset and a size that end behind a buffer.
    fn beyond(&mut self, ty: &str, length: &str) -> (String, String) {
        match self.random.below(4) {
            0 => (format!("{length} * sizeof({ty})"), format!("sizeof({ty})")),
            1 => ("0".to_owned(), format!("({length} + 1) * sizeof({ty})")),
            2 => (format!("({length} - 1) * sizeof({ty})"), format!("2 * sizeof({ty})")),
            _ => (format!("({length} + 3) * sizeof({ty})"), format!("sizeof({ty})")),
        }
    }

    fn copy_out_of_range(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        unit.features.insert("out-of-range");
        let from = steps.buffers[at].clone();
        let others: Vec<Buffer> = steps
            .buffers
            .iter()
            .filter(|buffer| buffer.record == from.record && buffer.symbol != from.symbol)
            .cloned()
            .collect();
        if others.is_empty() {
            return self.transfer_out_of_range(unit, steps, at);
        }
        let to = self.random.pick(&others).clone();
        let ty = self.records[from.record].host_type.clone();
        let queue = self.random.pick(&steps.queues.clone()).symbol;
        let is_source = self.random.chance(50);
        let length = if is_source { from.length } else { to.length };
        let (offset, bytes) = self.beyond(&ty, &length.to_string());
        let offsets = if is_source { format!("{offset}, 0") } else { format!("0, {offset}") };
        let call = format!(
            "clEnqueueCopyBuffer({queue}, {}, {}, {offsets}, {bytes}, 0, NULL, NULL)",
            from.symbol, to.symbol
        );
        let text = printed(steps, &call, "copy out of range");
        steps.line(Vec::new(), &text);
    }

    fn copy_overlaps(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        let buffer = steps.buffers[at].clone();
        if buffer.least < 2 {
            return self.copy_out_of_range(unit, steps, at);
        }
        unit.features.insert("overlap");
        let ty = self.records[buffer.record].host_type.clone();
        let queue = self.random.pick(&steps.queues.clone()).symbol;
        let offsets = match self.random.below(3) {
            0 => format!("0, sizeof({ty})"),
            1 => format!("sizeof({ty}), 0"),
            _ => "0, 0".to_owned(),
        };
        let count = if offsets == "0, 0" || buffer.least < 3 {
            format!("({} - 1)", buffer.length)
        } else {
            "2".to_owned()
        };
        // One element overlaps nothing behind it.
        let what = "copy that overlaps";
        let call = format!(
            "clEnqueueCopyBuffer({queue}, {0}, {0}, {offsets}, {count} * sizeof({ty}), 0, NULL, NULL)",
            buffer.symbol
        );
        let text = printed(steps, &call, what);
        let text = if buffer.least < 3 {
            format!("if ({} > 2) {{\n{text}}}", buffer.length)
        } else {
            text
        };
        steps.line(Vec::new(), &text);
    }

    fn fill_out_of_range(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        unit.features.insert("bad-fill");
        let buffer = steps.buffers[at].clone();
        let ty = self.records[buffer.record].host_type.clone();
        let queue = self.random.pick(&steps.queues.clone()).symbol;
        let pattern = self.host_local(&mut steps.scope, "pattern");
        let (name, offset, bytes, what) = match self.random.below(3) {
            0 => {
                let (offset, bytes) = self.beyond(&ty, &buffer.length.to_string());
                ("cl_uchar", offset, bytes, "fill out of range")
            }
            1 => ("cl_uint", "1".to_owned(), "4".to_owned(), "fill at an odd place"),
            _ => (
                "struct { char a[3]; }",
                "0".to_owned(),
                "3".to_owned(),
                "fill with an odd pattern",
            ),
        };
        let call = format!(
            "clEnqueueFillBuffer({queue}, {}, &{pattern}, sizeof {pattern}, {offset}, {bytes}, 0, NULL, NULL)",
            buffer.symbol
        );
        let text = format!(
            "{name} {pattern};\nmemset(&{pattern}, 0, sizeof {pattern});\n{}",
            printed(steps, &call, what)
        );
        steps.line(vec![pattern], &text);
    }

    fn map_out_of_range(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        unit.features.insert("out-of-range");
        let buffer = steps.buffers[at].clone();
        let ty = self.records[buffer.record].host_type.clone();
        let queue = self.random.pick(&steps.queues.clone()).symbol;
        let (offset, bytes) = self.beyond(&ty, &buffer.length.to_string());
        let mapped = self.host_variable(&mut steps.scope);
        let flags = *self.random.pick(&["CL_MAP_READ", "CL_MAP_WRITE"]);
        let (number, step) = (steps.unit, steps.step);
        let text = format!(
            "void *{mapped} = clEnqueueMapBuffer({queue}, {}, CL_TRUE, {flags}, {offset}, {bytes}, 0, NULL, NULL, &error);\n\
             printf(\"{number}.{step} map out of range: %d %d\\n\", error, {mapped} != NULL);",
            buffer.symbol
        );
        steps.line(vec![mapped], &text);
    }

    /// Transfers of nothing, and of no memory.
    fn no_bytes(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        unit.features.insert("nothing-moved");
        let buffer = steps.buffers[at].clone();
        let is_read = self.random.chance(50);
        self.transfer(steps, &buffer, is_read, "0", "0", "transfer of no bytes");
    }

    /// Buffers that cannot be made.
    fn no_buffer(&mut self, unit: &mut Unit, steps: &mut Steps, at: usize) {
        unit.features.insert("no-buffer");
        let buffer = steps.buffers[at].clone();
        let ty = self.records[buffer.record].host_type.clone();
        let symbol = self.host_variable(&mut steps.scope);
        let length = buffer.length;
        let (flags, bytes, host) = match self.random.below(3) {
            0 => (
                "CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR",
                format!("{length} * sizeof({ty})"),
                "NULL",
            ),
            1 => ("CL_MEM_READ_WRITE", "0".to_owned(), "NULL"),
            _ => {
                ("CL_MEM_READ_WRITE | CL_MEM_READ_ONLY", format!("{length} * sizeof({ty})"), "NULL")
            }
        };
        let (number, step) = (steps.unit, steps.step);
        // The buffer is one of these arrays all the same.
        let copy = format!(
            "if ({symbol} != NULL) clEnqueueCopyBuffer({}, {}, {symbol}, 0, 0, sizeof({ty}), 0, NULL, NULL);",
            steps.queues[0].symbol, buffer.symbol
        );
        let text = format!(
            "cl_mem {symbol} = clCreateBuffer(context, {flags}, {bytes}, {host}, &error);\n\
             printf(\"{number}.{step} no buffer: %d %d\\n\", error, {symbol} != NULL);\n{copy}\nif ({symbol} != NULL) clReleaseMemObject({symbol});"
        );
        steps.line(vec![symbol], &text);
    }
}
