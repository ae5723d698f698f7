//! The C++ interface of OpenCL: `cl::Buffer`, `cl::Kernel` and the member functions of queues.

use super::handles::{Follow, Handle, Key, handle_of, is_plain_flags, member_call};
use super::{BufferApi, Form};
use crate::classes::operands::is_null;
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind};

/// The function that a member function of a queue is for, and where its buffers stand.
pub(super) fn queue_function(name: &str) -> Option<BufferApi> {
    Some(match name {
        "enqueueWriteBuffer" => BufferApi::Write,
        "enqueueReadBuffer" => BufferApi::Read,
        "enqueueCopyBuffer" => BufferApi::Copy,
        "enqueueFillBuffer" => BufferApi::Fill,
        "enqueueMapBuffer" => BufferApi::Map,
        "enqueueUnmapMemObject" => BufferApi::Unmap,
        _ => return None,
    })
}

/// Whether a member function of a kernel gives nobody else the kernel.
pub(super) fn is_kernel_function(name: &str) -> bool {
    matches!(name, "setArg" | "getInfo" | "getWorkGroupInfo")
}

/// Whether a buffer may be this argument.
pub(super) fn takes_buffer(api: BufferApi, position: usize) -> bool {
    position == 0 || (api == BufferApi::Copy && position == 1)
}

impl Follow<'_> {
    /// A call of a member function that the program does not define.
    pub(super) fn method(&mut self, at: Option<usize>, call: ExprId) {
        let program = self.program;
        let ExprKind::Call { arguments, .. } = &program.expr(call).kind else { return };
        let Some((object, name)) = member_call(program, call) else { return };
        self.build_of_cpp(at, call, name);
        if name == "setArg" {
            match *arguments.as_slice() {
                [index, value] => self.set_argument(at, call, object, index, None, value),
                [index, size, value] => {
                    self.set_argument(at, call, object, index, Some(size), value);
                }
                _ => {}
            }
        }
        if queue_function(name) == Some(BufferApi::Copy)
            && let [from, to, ..] = arguments.as_slice()
            && let (Some(from), Some(to)) = (self.node(at, *from), self.node(at, *to))
        {
            // Both sides have one layout, so that it stays a copy.
            self.union.union(from, to);
        }
    }

    /// A buffer or kernel that is constructed.
    pub(super) fn constructed(&mut self, at: Option<usize>, id: ExprId) {
        let program = self.program;
        let ExprKind::Construct { of, arguments } = &program.expr(id).kind else { return };
        let Some(handle) = handle_of(program, *of) else { return };
        let Some(node) = self.node(at, id) else { return };
        // A copy, or nothing yet.
        if arguments.len() < 2 {
            return;
        }
        match handle {
            Handle::Kernel => {
                let found = self.named_kernels(at, arguments[1]);
                if found.is_none() {
                    self.fail(
                        node,
                        id,
                        Code::OPENCL_KERNEL,
                        "the name of this kernel cannot be seen",
                    );
                }
                self.made_kernels.push((node, found));
            }
            Handle::Buffer => {
                self.made_buffers.push(node);
                let flags = self.resolved(at, arguments[1]).1;
                self.check_access(node, id, Some(flags));
                let is_plain = arguments.len() >= 3
                    && is_plain_flags(program, self.resolved(at, arguments[1]).1);
                let host = arguments.get(3).map(|host| self.resolved(at, *host).1);
                let has_host = host.is_some_and(|host| !is_null(program, host));
                if !is_plain || (has_host && arguments.len() < 4) {
                    self.fail(
                        node,
                        id,
                        Code::OPENCL_BUFFER,
                        "the buffer is made of something else than a context, flags and a size",
                    );
                }
                self.event(at, id, BufferApi::Create, Form::Construction, node);
                self.host_record(at, arguments.get(3).copied(), id, node);
            }
        }
    }

    /// A handle that is constructed: a copy of another one, or a new one.
    pub(super) fn constructed_node(
        &mut self,
        at: Option<usize>,
        id: ExprId,
        handle: Handle,
        arguments: &[ExprId],
    ) -> Option<usize> {
        match arguments {
            [only] => self.node(at, *only),
            _ => Some(self.node_of_key(Key::Made(id, at), handle)),
        }
    }
}
