//! OpenCL buffers: from `clCreateBuffer` through the host program to the parameters of kernels.
//!
//! A `cl_mem` says nothing of what is in it: only kernels do. So buffers are followed apart from
//! pointers, by unification of the host's `cl_mem` variables, members, parameters and results, and
//! what reaches argument `i` of a kernel gives its `i`-th parameter memory. Host functions are
//! looked at once for each call that reaches them ([`Instance`]), because programs wrap the calls of
//! OpenCL: two buffers that go through one wrapper have nothing to do with each other.
//!
//! *Claims.* Each use of a buffer is one of [`BufferCall`], hands it on to what is followed too, or
//! is a reason ([`Pin`]) against the parameters that it reaches. A parameter of a kernel that is in
//! `reached` gets no other memory than the buffers that are followed to it: every call of
//! `clSetKernelArg` is resolved, or pins the parameters that it may set.

mod aliases;
mod api;
mod argument_tables;
mod arguments;
mod build;
mod cpp;
mod functors;
mod handles;
mod instances;
mod lists;
mod numbers;
mod options;
mod settings;
mod tables;
mod unseen;
mod values;

pub use build::BuildOptions;
pub use numbers::{Given, Numbers, Range};

use super::Element;
use super::calls::CallGraph;
use super::slots::SlotGraph;
use super::{ClassId, Classes, Pin, Slot};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::abi::record_layout;
use layoutc_syntax::{
    ExecutionSpace, ExprId, FunctionId, Program, RecordId, Space, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A function of OpenCL that works on one buffer, or on two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BufferApi {
    /// `clCreateBuffer(context, flags, bytes, host, error)`.
    Create,
    /// `clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, host, …)`.
    Write,
    /// `clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, host, …)`.
    Read,
    /// `clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, bytes, …)`.
    Copy,
    /// `clEnqueueFillBuffer(queue, buffer, pattern, pattern_bytes, offset, bytes, …)`.
    Fill,
    /// `clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, …)`.
    Map,
    /// `clEnqueueUnmapMemObject(queue, buffer, pointer, …)`.
    Unmap,
}

impl BufferApi {
    /// The function of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<BufferApi> {
        Some(match name {
            "clCreateBuffer" => BufferApi::Create,
            "clEnqueueWriteBuffer" => BufferApi::Write,
            "clEnqueueReadBuffer" => BufferApi::Read,
            "clEnqueueCopyBuffer" => BufferApi::Copy,
            "clEnqueueFillBuffer" => BufferApi::Fill,
            "clEnqueueMapBuffer" => BufferApi::Map,
            "clEnqueueUnmapMemObject" => BufferApi::Unmap,
            _ => return None,
        })
    }

    /// Positions of the buffers among its arguments.
    fn takes(self, position: usize) -> bool {
        match self {
            BufferApi::Create => false,
            BufferApi::Copy => matches!(position, 1 | 2),
            BufferApi::Write
            | BufferApi::Read
            | BufferApi::Fill
            | BufferApi::Map
            | BufferApi::Unmap => position == 1,
        }
    }

    /// Position of the host's memory.
    fn host(self) -> Option<usize> {
        match self {
            BufferApi::Create => Some(3),
            BufferApi::Write | BufferApi::Read => Some(5),
            BufferApi::Copy | BufferApi::Fill | BufferApi::Map | BufferApi::Unmap => None,
        }
    }
}

/// How a function of OpenCL is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Form {
    /// As a function of C.
    Function,
    /// As a member function of a queue.
    Method,
    /// As the construction of a `cl::Buffer`.
    Construction,
}

/// A function of the host as one chain of calls reaches it.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The function.
    pub function: FunctionId,
    /// The calls in it, with the instance that each reaches.
    pub calls: BTreeMap<ExprId, usize>,
}

/// A call of OpenCL on a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferCall {
    /// The call.
    pub call: ExprId,
    /// Position in [`Buffers::instances`] of the function that it stands in.
    pub instance: usize,
    /// What is called.
    pub api: BufferApi,
    /// How.
    pub form: Form,
    /// A parameter of a kernel that gets the buffer.
    pub parameter: VarId,
}

/// The buffers of a program and the kernels' parameters that they reach.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    /// Functions of the host, once for each chain of calls.
    pub instances: Vec<Instance>,
    /// Calls on buffers that reach kernels, by instance and place.
    pub calls: Vec<BufferCall>,
    /// Work-items of a group along each dimension, if all launches of a kernel give the same
    /// constants.
    pub blocks: BTreeMap<FunctionId, Option<[u64; 3]>>,
    /// The numbers that kernels are given.
    pub numbers: Numbers,
    /// Calls that make kernels which no text of the program defines.
    pub missing: Vec<Pin>,
    /// What kernels are built with.
    pub options: BuildOptions,
    /// Parameters of kernels that get the same buffer.
    pub(super) shared: Vec<(VarId, VarId)>,
    /// Parameters of kernels that get buffers.
    pub(super) reached: BTreeSet<VarId>,
    /// Why what the parameter is given must keep its layout.
    pub(super) pins: BTreeMap<VarId, Vec<Pin>>,
    /// Macros of kernel text that may mean something else once the kernels are built.
    changeable: BTreeSet<String>,
    /// Parameters that point to elements, of kernels in OpenCL C.
    pub(super) parameters: BTreeSet<VarId>,
}

impl Buffers {
    /// Follows the buffers of a program.
    pub(super) fn find(program: &Program, calls: &CallGraph) -> Buffers {
        let kernels = Kernels::new(program);
        let missing = arguments::missing_kernels(program, calls, &kernels);
        let found = if kernels.parameters.is_empty() {
            Buffers::default()
        } else {
            handles::follow(program, calls, &kernels)
        };
        let mut buffers = Buffers { missing, ..found };
        buffers.pin_words(program);
        buffers.pin_changeable(program);
        buffers.pin_mentioned(program);
        buffers
    }

    /// Joins the parameters that get the same buffers.
    pub(super) fn unite(&self, graph: &mut SlotGraph) {
        for (left, right) in &self.shared {
            let nodes = (graph.node(Slot::Variable(*left)), graph.node(Slot::Variable(*right)));
            if let (Some(left), Some(right)) = nodes {
                graph.unite(left, right);
            }
        }
    }

    /// Whether a parameter of a kernel gets buffers.
    #[must_use]
    pub fn reaches(&self, parameter: VarId) -> bool {
        self.reached.contains(&parameter)
    }

    /// Whether some of the slots are given OpenCL buffers.
    pub(super) fn is_of_buffers(&self, slots: &[Slot]) -> bool {
        slots.iter().any(|slot| matches!(slot, Slot::Variable(id) if self.reached.contains(id)))
    }

    /// Pins classes by what their buffers are used for.
    pub(super) fn pin(&self, classes: &mut Classes) {
        for class in &mut classes.classes {
            for slot in &class.slots {
                if let Slot::Variable(id) = slot {
                    class.pins.extend(self.pins.get(id).into_iter().flatten().cloned());
                }
            }
        }
    }

    /// The calls on buffers of a class.
    pub fn calls_of<'a>(
        &'a self,
        classes: &'a Classes,
        class: ClassId,
    ) -> impl Iterator<Item = &'a BufferCall> {
        self.calls.iter().filter(move |call| {
            classes.class_of_slot(Slot::Variable(call.parameter)) == Some(class)
        })
    }
}

/// The kernels that OpenCL C text of the program defines.
struct Kernels {
    by_name: BTreeMap<String, Vec<FunctionId>>,
    /// Their parameters that point to records or numbers.
    parameters: BTreeSet<VarId>,
}

impl Kernels {
    fn new(program: &Program) -> Self {
        let mut by_name: BTreeMap<String, Vec<FunctionId>> = BTreeMap::new();
        let mut parameters = BTreeSet::new();
        for id in program.function_ids() {
            let function = program.function(id);
            let is_defined_here = function.body.is_some()
                && function.space == ExecutionSpace::Kernel
                && function.copy_of.is_none()
                && (function.sites.iter())
                    .all(|site| program.files[site.span.file.index()].is_opencl);
            if is_defined_here {
                by_name.entry(function.name.clone()).or_default().push(id);
                // Local memory is no buffer.
                let is_array = |id: &&VarId| {
                    element_behind(program, **id).is_some()
                        && program.variable(**id).pointer_space != Space::Shared
                };
                parameters.extend(function.parameters.iter().filter(is_array));
            }
        }
        Kernels { by_name, parameters }
    }

    fn all(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.by_name.values().flatten().copied()
    }
}

/// Whether a type is a handle of a buffer, or holds some: pointers, arrays, containers.
#[must_use]
pub(crate) fn is_buffer(program: &Program, ty: layoutc_syntax::QualType) -> bool {
    handles::handle_of(program, ty) == Some(handles::Handle::Buffer)
}

/// Whether who has a value of this type may run kernels: a queue of commands, a kernel, or what leads to one.
pub(crate) fn runs_kernels(program: &Program, ty: layoutc_syntax::QualType) -> bool {
    handles::runs_kernels(program, ty)
}

/// What the array that a parameter points to consists of.
fn element_behind(program: &Program, parameter: VarId) -> Option<Element> {
    match *program.types.kind(program.variable(parameter).ty.id) {
        TypeKind::Pointer(to) => Element::of_item(program, to),
        _ => None,
    }
}

/// Whether records of host and kernel are the same bytes: members of the same sizes at the same
/// places, and the same size.
#[must_use]
pub fn are_alike(program: &Program, left: RecordId, right: RecordId) -> bool {
    if left == right {
        return true;
    }
    let layouts = (record_layout(program, left), record_layout(program, right));
    let (Some(own), Some(other)) = layouts else { return false };
    let mut leaves = (Vec::new(), Vec::new());
    let found = members(program, left, 0, &mut leaves.0, 0)
        .and_then(|()| members(program, right, 0, &mut leaves.1, 0));
    found.is_some() && own.size == other.size && leaves.0 == leaves.1
}

/// Place and size of each scalar, vector or array of such in a record.
fn members(
    program: &Program,
    record: RecordId,
    at: u64,
    found: &mut Vec<(u64, u64)>,
    depth: usize,
) -> Option<()> {
    let layout = record_layout(program, record).filter(|_| depth < 16)?;
    for (field, offset) in program.record(record).fields.iter().zip(layout.offsets) {
        let mut ty = program.field(*field).ty;
        let mut count = 1;
        while let TypeKind::Array(of, length) = *program.types.kind(ty.id) {
            count *= length?;
            ty = of;
        }
        match program.as_record(ty.id) {
            Some(inner) => {
                let size = record_layout(program, inner)?.size;
                for item in 0..count.min(4096) {
                    members(program, inner, at + offset + item * size, found, depth + 1)?;
                }
            }
            None => {
                let (size, _) = layoutc_syntax::abi::size_align(program, ty.id)?;
                found.push((at + offset, size * count));
            }
        }
    }
    Some(())
}

fn pin(span: Span, code: Code, message: impl Into<String>) -> Pin {
    Pin { span, code, message: message.into(), related: Vec::new() }
}
