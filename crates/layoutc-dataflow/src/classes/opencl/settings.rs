//! What the calls that set arguments say of the kernels' parameters.

use super::handles::{Frame, Setting};
use super::{Buffers, Instance, Kernels, are_alike, element_behind, pin};
use crate::classes::Element;
use crate::classes::Pin;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind, FunctionId, Program, RecordId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What the settings of arguments say of the kernels' parameters.
pub(super) struct Found<'a> {
    pub(super) kernels: &'a Kernels,
    pub(super) buffers: Buffers,
    pub(super) unseen: Vec<Pin>,
    /// Parameters that get each set of buffers, with a call that says so.
    pub(super) given: BTreeMap<usize, BTreeMap<VarId, ExprId>>,
    /// Other uses of the buffers by kernels.
    pub(super) others: BTreeMap<usize, Vec<Pin>>,
}

/// Whether a literal ends with the name of a file, perhaps behind folders.
fn names(literal: &str, file: &str) -> bool {
    literal.match_indices(file).any(|(at, _)| {
        let before = literal[..at].chars().next_back();
        let behind = literal[at + file.len()..].chars().next();
        matches!(before, Some('"' | '/' | '\\')) && behind == Some('"')
    })
}

impl<'a> Found<'a> {
    pub(super) fn new(kernels: &'a Kernels, unseen: Vec<Pin>) -> Self {
        Found {
            kernels,
            buffers: Buffers { parameters: kernels.parameters.clone(), ..Buffers::default() },
            unseen,
            given: BTreeMap::new(),
            others: BTreeMap::new(),
        }
    }

    fn pin_parameter(&mut self, id: VarId, pin: Pin) {
        self.buffers.pins.entry(id).or_default().push(pin);
    }

    pub(super) fn pin_kernel(&mut self, program: &Program, kernel: FunctionId, pin: &Pin) {
        for id in &program.function(kernel).parameters {
            if self.kernels.parameters.contains(id) {
                self.pin_parameter(*id, pin.clone());
            }
        }
    }

    /// One argument of kernels, or of a kernel that is not known.
    pub(super) fn set(
        &mut self,
        program: &Program,
        setting: &Setting,
        targets: Option<&BTreeSet<Option<FunctionId>>>,
        buffer: Option<usize>,
    ) {
        let span = program.expr_site(setting.call);
        if buffer.is_none() {
            self.buffers.numbers.set(program, self.kernels, setting, targets);
        }
        let Some(targets) = targets else {
            if buffer.is_some() || setting.may_be_buffer {
                let message = "it cannot be seen which kernel this argument is for";
                self.unseen.push(pin(span, Code::OPENCL_KERNEL, message));
            }
            return;
        };
        let indices: Vec<Option<usize>> = match &setting.indices {
            Some(all) => all.iter().map(|index| usize::try_from(*index).ok()).collect(),
            None => vec![None],
        };
        for kernel in targets {
            let Some(kernel) = kernel else {
                if let Some(root) = buffer {
                    let message = "the text of this kernel is not given";
                    let reason = pin(span, Code::OPENCL_SOURCE, message);
                    self.others.entry(root).or_default().push(reason);
                }
                continue;
            };
            for index in &indices {
                self.set_one(program, setting, *kernel, *index, buffer);
            }
        }
    }

    /// One argument of one kernel.
    fn set_one(
        &mut self,
        program: &Program,
        setting: &Setting,
        kernel: FunctionId,
        index: Option<usize>,
        buffer: Option<usize>,
    ) {
        let span = program.expr_site(setting.call);
        let parameters = &program.function(kernel).parameters;
        let Some(id) = index.and_then(|index| parameters.get(index)).copied() else {
            if buffer.is_some() || setting.may_be_buffer {
                let message = match index {
                    Some(_) => "the kernel does not have so many arguments",
                    None => "it cannot be seen which argument of the kernel this is",
                };
                let reason = pin(span, Code::OPENCL_ARGUMENT, message);
                self.pin_kernel(program, kernel, &reason);
                if let Some(root) = buffer {
                    self.others.entry(root).or_default().push(reason);
                }
            }
            return;
        };
        let is_array = self.kernels.parameters.contains(&id);
        match buffer {
            Some(root) if is_array => {
                self.given.entry(root).or_default().entry(id).or_insert(setting.call);
                if !setting.has_size_of_handle {
                    let message = "the size is not that of a buffer";
                    self.pin_parameter(id, pin(span, Code::OPENCL_ARGUMENT, message));
                }
            }
            Some(root) => {
                let message = format!(
                    "parameter `{}` of kernel `{}` takes the buffer for something else",
                    program.variable(id).name,
                    program.function(kernel).name
                );
                let reason = pin(span, Code::INCOMPATIBLE_CAST, message);
                self.others.entry(root).or_default().push(reason);
            }
            // Whatever else it is, it is no buffer that is followed.
            None if is_array && !setting.is_null => {
                let message = "it cannot be seen which buffer this is";
                self.pin_parameter(id, pin(span, Code::OPENCL_BUFFER, message));
            }
            None => {}
        }
    }

    /// The buffers of one set, with all that is done with them.
    pub(super) fn close(
        &mut self,
        program: &Program,
        given: &BTreeMap<VarId, ExprId>,
        mut pins: Vec<Pin>,
        is_made: bool,
        hosts: Option<&Vec<(RecordId, ExprId)>>,
    ) {
        let Some((first, call)) = given.first_key_value() else { return };
        let own = element_behind(program, *first);
        if !is_made {
            let span = program.expr_site(*call);
            let message = "no call that makes this buffer is seen";
            pins.push(pin(span, Code::UNKNOWN_MEMORY, message));
        }
        for (other, call) in given.iter().skip(1) {
            self.buffers.shared.push((*first, *other));
            if element_behind(program, *other) != own {
                let message = "another kernel takes this buffer for elements of another type";
                pins.push(pin(program.expr_site(*call), Code::INCOMPATIBLE_CAST, message));
            }
        }
        // Numbers are moved byte by byte, whatever the host has them for.
        let own = own.and_then(Element::record);
        for (host, call) in hosts.into_iter().flatten() {
            if let Some(own) = own
                && !are_alike(program, *host, own)
            {
                let message = format!(
                    "`{}` of the host and `{}` of the kernel are not the same bytes",
                    program.record(*host).name,
                    program.record(own).name
                );
                let mut reason = pin(program.expr_site(*call), Code::OPENCL_RECORD, message);
                let kernel = (program.record(own).name_span, "the kernel's is here".to_owned());
                reason.related.push(kernel);
                pins.push(reason);
            }
        }
        for id in given.keys() {
            self.buffers.reached.insert(*id);
            for reason in &pins {
                self.pin_parameter(*id, reason.clone());
            }
        }
    }

    pub(super) fn finish(mut self, program: &Program, frames: Vec<Frame>) -> Buffers {
        self.unread_sources(program);
        for reason in std::mem::take(&mut self.unseen) {
            let all: Vec<VarId> = self.kernels.parameters.iter().copied().collect();
            for id in all {
                self.pin_parameter(id, reason.clone());
            }
        }
        let mut buffers = self.buffers;
        buffers.instances = frames
            .into_iter()
            .map(|frame| Instance { function: frame.function, calls: frame.calls })
            .collect();
        buffers.calls.sort_by_key(|call| (call.instance, call.call, call.api, call.parameter));
        buffers.calls.dedup();
        buffers
    }

    /// Kernels in files that the host does not name: it may load another text.
    fn unread_sources(&mut self, program: &Program) {
        let literals: Vec<&str> = program
            .exprs
            .iter()
            .filter(|expr| matches!(expr.kind, ExprKind::Literal))
            .map(|expr| program.text(expr.span))
            .filter(|text| text.contains('"'))
            .collect();
        for (kernel, file) in
            self.kernels.all().map(|kernel| (kernel, program.function(kernel).sites[0].span.file))
        {
            let root = program.sources.file(file);
            let name = root.path().file_name().map(|name| name.to_string_lossy().into_owned());
            let is_named = name.is_some_and(|name| literals.iter().any(|text| names(text, &name)))
                // Included text belongs to the file that includes it.
                || !program.files[file.index()].is_root
                // It is in the program itself.
                || root.view().is_some();
            if !is_named {
                let span = program.function(kernel).sites[0].name;
                let message = "the host program names no file like the one with this kernel";
                self.pin_kernel(program, kernel, &pin(span, Code::OPENCL_SOURCE, message));
            }
        }
    }
}
