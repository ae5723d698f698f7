//! Calls of OpenCL's functions.

use super::handles::BufferEvent;
use super::handles::{Follow, Handle, Setting, handle_of, is_plain_flags};
use super::instances::variable;
use super::lists::holds_handles;
use super::{BufferApi, Form, pin};
use crate::classes::operands::is_null;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind, FunctionId, NameRef, TypeKind};
use std::collections::BTreeSet;

/// The kernel of which an argument is set.
#[derive(Clone, Copy)]
pub(super) struct KernelOf {
    /// The one of a table, by its place there.
    of_table: Option<Option<FunctionId>>,
    node: Option<usize>,
}

impl KernelOf {
    pub(super) fn node(node: usize) -> Self {
        KernelOf { of_table: None, node: Some(node) }
    }
}

impl Follow<'_> {
    /// A call of OpenCL, or of another library.
    pub(super) fn library(&mut self, at: Option<usize>, call: ExprId, name: &str) {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return };
        match name {
            "clCreateBuffer" => {
                let Some(node) = self.node(at, call) else { return };
                self.made_buffers.push(node);
                let flags = arguments.get(1).map(|flags| self.resolved(at, *flags).1);
                self.check_access(node, call, flags);
                if !flags.is_some_and(|flags| is_plain_flags(self.program, flags)) {
                    self.fail(
                        node,
                        call,
                        Code::OPENCL_BUFFER,
                        "the buffer is memory of the host, or its flags cannot be seen",
                    );
                }
                self.event(at, call, BufferApi::Create, Form::Function, node);
                self.host_side(at, call, BufferApi::Create, node);
            }
            "clCreateKernel" => {
                let Some(node) = self.node(at, call) else { return };
                let found = arguments.get(1).and_then(|name| self.named_kernels(at, *name));
                if found.is_none() {
                    self.fail(
                        node,
                        call,
                        Code::OPENCL_KERNEL,
                        "the name of this kernel cannot be seen",
                    );
                }
                self.made_kernels.push((node, found));
            }
            "clCreateProgramWithBinary"
            | "clCreateProgramWithIL"
            | "clCreateProgramWithBuiltInKernels" => {
                let span = self.program.expr_site(call);
                let message = "the kernels of this program are no text";
                self.unseen.push(pin(span, Code::OPENCL_SOURCE, message));
            }
            "clCreateUserEvent" => {
                let span = self.program.expr_site(call);
                let message = "calls that wait for an event of the host return at once here, and would not in another layout";
                self.unseen.push(pin(span, Code::OPENCL_BUFFER, message));
            }
            "clCreateKernelsInProgram" | "clCloneKernel" => {
                let span = self.program.expr_site(call);
                self.unseen.push(pin(
                    span,
                    Code::OPENCL_KERNEL,
                    "it cannot be seen which kernels this makes",
                ));
            }
            "clSetKernelArg" => self.setting(at, call),
            "clBuildProgram" | "clCompileProgram" => self.build(at, call, name),
            // Both sides have one layout, so that it stays a copy.
            "clEnqueueCopyBuffer" => {
                if let [_, from, to, ..] = arguments.as_slice()
                    && let (Some(from), Some(to)) = (self.node(at, *from), self.node(at, *to))
                {
                    self.union.union(from, to);
                }
            }
            "clSetKernelArgSVMPointer" => {
                let span = self.program.expr_site(call);
                self.unseen.push(pin(
                    span,
                    Code::OPENCL_BUFFER,
                    "shared virtual memory is not followed",
                ));
            }
            _ => {}
        }
    }

    /// What the host may do with a buffer is the program's to find out: generated transfers read and write more of it than
    /// the program does, so they would meet the limit elsewhere.
    pub(super) fn check_access(&mut self, node: usize, call: ExprId, flags: Option<ExprId>) {
        let program = self.program;
        let Some(flags) = flags else { return };
        let mut stack = vec![flags];
        while let Some(at) = stack.pop() {
            if let ExprKind::Name(NameRef::Unknown(name)) = &program.expr(at).kind
                && name.starts_with("CL_MEM_HOST_")
            {
                let message = format!("what the host may do with this buffer is limited: `{name}`");
                self.fail(node, call, Code::OPENCL_BUFFER, message);
            }
            stack.extend(program.expr(at).children());
        }
    }

    pub(super) fn setting(&mut self, at: Option<usize>, call: ExprId) {
        let program = self.program;
        let ExprKind::Call { arguments, .. } = &program.expr(call).kind else { return };
        let &[kernel, index, size, value] = arguments.as_slice() else { return };
        self.set_argument(at, call, kernel, index, Some(size), value);
    }

    /// An argument of a kernel: what lies at `value`, or `value` itself if it has no size.
    pub(super) fn set_argument(
        &mut self,
        at: Option<usize>,
        call: ExprId,
        kernel: ExprId,
        index: ExprId,
        size: Option<ExprId>,
        value: ExprId,
    ) {
        if self.set_from_table(at, call, kernel, index, size, value) {
            return;
        }
        let constant = || layoutc_syntax::evaluate::constant(self.program, index);
        let indices = at
            .and_then(|at| self.frames[at].integers.all(index).cloned())
            .or_else(|| constant().map(|index| BTreeSet::from([index])));
        let kernel = self.kernel_of(at, kernel);
        self.set_value(at, call, kernel, indices, size, value);
    }

    /// The kernel that a call is for.
    pub(super) fn kernel_of(&mut self, at: Option<usize>, kernel: ExprId) -> KernelOf {
        let of_table = self.kernel_of_table(at, kernel);
        let node = self.node(at, kernel);
        KernelOf { of_table, node: node.filter(|node| self.handles[*node] == Handle::Kernel) }
    }

    /// The same, for arguments with these indices.
    pub(super) fn set_value(
        &mut self,
        at: Option<usize>,
        call: ExprId,
        kernel: KernelOf,
        indices: Option<BTreeSet<i64>>,
        size: Option<ExprId>,
        value: ExprId,
    ) {
        let program = self.program;
        let (place, stripped) = self.resolved(at, value);
        let buffer = self
            .node(at, value)
            .or_else(|| self.node(place, stripped))
            .filter(|node| self.handles[*node] == Handle::Buffer);
        // A value of a known type is no handle.
        let ty = program.expr(stripped).ty;
        let is_plain = match *program.types.kind(ty.id) {
            // A value of its own.
            TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Enum(..)
            | TypeKind::Record(_)
                if size.is_none() =>
            {
                true
            }
            TypeKind::Pointer(to) | TypeKind::Array(to, _) => match program.types.kind(to.id) {
                TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(..) => true,
                // The address of an object is that of its first member.
                TypeKind::Record(record) => !holds_handles(program, *record),
                TypeKind::Named(name, _) => name.starts_with("cl_sampler"),
                _ => false,
            },
            _ => false,
        };
        let is_null = is_null(program, stripped);
        let number = self.number(at, value, size.is_some());
        let size = size.map(|size| self.resolved(at, size).1);
        let has_size_of_handle = size.is_none_or(|size| match &program.expr(size).kind {
            ExprKind::SizeOfType { of, .. } => {
                let bytes = layoutc_syntax::abi::size_align(program, of.id).map(|(size, _)| size);
                handle_of(program, *of).is_some() || bytes == Some(8)
            }
            ExprKind::SizeOfExpr(_) => true,
            _ => layoutc_syntax::evaluate::constant(program, size).is_none_or(|size| size == 8),
        });
        self.settings.push(Setting {
            call,
            of_table: kernel.of_table,
            kernel: kernel.node,
            indices,
            buffer,
            is_null,
            may_be_buffer: buffer.is_none() && !is_plain && !is_null,
            has_size_of_handle,
            number,
        });
    }

    pub(super) fn event(
        &mut self,
        at: Option<usize>,
        call: ExprId,
        api: BufferApi,
        form: Form,
        node: usize,
    ) {
        let Some(instance) = at else {
            self.fail(
                node,
                call,
                Code::OPENCL_BUFFER,
                "a call outside of functions is not rewritten",
            );
            return;
        };
        // Other instances have the same text, and not all of them are in the model.
        let program = self.program;
        let function = program.function(self.frames[instance].function);
        let of_class = function.record.is_some_and(|record| program.record(record).shares_text);
        let of_function = function
            .copy_of
            .as_ref()
            .is_some_and(|copy| !program.function(copy.original).template_parameters.is_empty());
        if of_class || of_function {
            self.fail(
                node,
                call,
                Code::TEMPLATE_USE,
                "the text of a template is not rewritten for one of its instances",
            );
            return;
        }
        self.events.push(BufferEvent { node, call, instance, api, form });
    }

    pub(super) fn library_argument(
        &mut self,
        at: Option<usize>,
        id: ExprId,
        node: usize,
        call: ExprId,
        name: &str,
        position: usize,
    ) {
        let is_launch = matches!(name, "clEnqueueNDRangeKernel" | "clEnqueueTask");
        if is_launch && self.handles[node] == Handle::Kernel {
            let block = self.group_size(at, call);
            let range = self.range(at, call).filter(|_| name == "clEnqueueNDRangeKernel");
            self.launches.push((node, block, range));
        }
        let is_known = match (self.handles[node], name) {
            (Handle::Kernel, "clSetKernelArg") => position == 0,
            (Handle::Kernel, "clEnqueueNDRangeKernel" | "clEnqueueTask") => position == 1,
            (Handle::Kernel, "clReleaseKernel" | "clRetainKernel") => true,
            (Handle::Kernel, "clGetKernelWorkGroupInfo" | "clGetKernelInfo") => position == 0,
            (Handle::Buffer, "clSetKernelArg") => position == 3,
            (Handle::Buffer, "clReleaseMemObject" | "clRetainMemObject") => true,
            (_, "free" | "assert") => true,
            (Handle::Buffer, _) => match BufferApi::parse(name).filter(|api| api.takes(position)) {
                Some(api) => {
                    self.event(at, call, api, Form::Function, node);
                    self.host_side(at, call, api, node);
                    true
                }
                None => false,
            },
            (Handle::Kernel, _) => false,
        };
        if !is_known {
            let message = format!("`{name}` is given the handle, and what it does is not modelled");
            self.fail(node, id, Code::OPENCL_BUFFER, message);
        }
    }

    /// Work-items of a group in a launch, if they are constants.
    pub(super) fn group_size(&self, at: Option<usize>, call: ExprId) -> Option<[u64; 3]> {
        let program = self.program;
        let ExprKind::Call { arguments, .. } = &program.expr(call).kind else { return None };
        let (_, local) = self.resolved(at, *arguments.get(5)?);
        let local = match program.expr(local).kind {
            ExprKind::AddressOf(inner) => inner,
            _ => local,
        };
        let id = variable(program, local).filter(|id| !self.functions.assigned.contains(id))?;
        let init = program.variable(id).init?;
        let of = |id: ExprId| {
            let value = layoutc_syntax::evaluate::constant(program, id)?;
            u64::try_from(value).ok().filter(|value| *value > 0)
        };
        let mut found = [1; 3];
        match &program.expr(init).kind {
            ExprKind::InitList(items) if items.len() <= 3 => {
                for (extent, item) in found.iter_mut().zip(items) {
                    *extent = of(*item)?;
                }
            }
            _ => found[0] = of(init)?,
        }
        Some(found)
    }

    /// Keeps what record the host has on its side of a call.
    pub(super) fn host_side(
        &mut self,
        at: Option<usize>,
        call: ExprId,
        api: BufferApi,
        node: usize,
    ) {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return };
        let host = api.host().and_then(|at| arguments.get(at)).copied();
        self.host_record(at, host, call, node);
    }
}
