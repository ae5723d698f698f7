//! Calls of the CUDA runtime that allocate, move and free arrays.

use super::calls::{CallGraph, Callee};
use super::places::Places;
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program};

/// A runtime function that codegen knows how to call on another layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// `cudaMalloc(&p, bytes)`.
    Malloc,
    /// `cudaMallocAsync(&p, bytes, stream)`.
    MallocAsync,
    /// `cudaMallocManaged(&p, bytes)`.
    MallocManaged,
    /// `cudaFree(p)`.
    Free,
    /// `cudaFreeAsync(p, stream)`.
    FreeAsync,
    /// `cudaMemcpy(to, from, bytes, kind)`.
    Memcpy,
    /// `cudaMemcpyAsync(to, from, bytes, kind, stream)`.
    MemcpyAsync,
    /// `cudaMemset(p, value, bytes)`.
    Memset,
    /// `cudaMemsetAsync(p, value, bytes, stream)`.
    MemsetAsync,
}

impl Api {
    /// The function of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Api> {
        Some(match name {
            "cudaMalloc" => Api::Malloc,
            "cudaMallocAsync" => Api::MallocAsync,
            "cudaMallocManaged" => Api::MallocManaged,
            "cudaFree" => Api::Free,
            "cudaFreeAsync" => Api::FreeAsync,
            "cudaMemcpy" => Api::Memcpy,
            "cudaMemcpyAsync" => Api::MemcpyAsync,
            "cudaMemset" => Api::Memset,
            "cudaMemsetAsync" => Api::MemsetAsync,
            _ => return None,
        })
    }

    /// Arguments without the stream.
    fn least_arguments(self) -> usize {
        match self {
            Api::Free => 1,
            Api::Malloc | Api::MallocManaged | Api::FreeAsync => 2,
            Api::Memset | Api::MallocAsync => 3,
            Api::Memcpy | Api::MemcpyAsync => 4,
            Api::MemsetAsync => 3,
        }
    }

    /// Whether it allocates memory.
    #[must_use]
    pub fn allocates(self) -> bool {
        matches!(self, Api::Malloc | Api::MallocAsync | Api::MallocManaged)
    }

    /// Whether it frees memory.
    #[must_use]
    pub fn frees(self) -> bool {
        matches!(self, Api::Free | Api::FreeAsync)
    }

    /// Whether it copies memory.
    #[must_use]
    pub fn copies(self) -> bool {
        matches!(self, Api::Memcpy | Api::MemcpyAsync)
    }
}

/// The direction of a copy, from its literal enumerator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named like the enumerators")]
pub enum Direction {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    HostToHost,
    /// `cudaMemcpyDefault`, or not a literal.
    Unknown,
}

/// A call of the runtime with a pointer into an array of records.
#[derive(Clone, Debug)]
pub struct ApiCall {
    /// The call expression.
    pub call: ExprId,
    /// Which function.
    pub api: Api,
    /// Its arguments.
    pub arguments: Vec<ExprId>,
    /// Direction of a copy.
    pub direction: Direction,
    /// Node of the allocated array.
    pub(super) allocated_node: Option<usize>,
}

impl ApiCall {
    /// The byte count, for calls that have one.
    #[must_use]
    pub fn size(&self) -> Option<ExprId> {
        match self.api {
            Api::Malloc | Api::MallocAsync | Api::MallocManaged => self.arguments.get(1),
            Api::Memcpy | Api::MemcpyAsync | Api::Memset | Api::MemsetAsync => {
                self.arguments.get(2)
            }
            Api::Free | Api::FreeAsync => None,
        }
        .copied()
    }

    pub(super) fn size_if_allocation(&self) -> Option<ExprId> {
        self.size().filter(|_| self.api.allocates())
    }

    /// Whether it copies between host and device: then any part of the array can be copied.
    #[must_use]
    pub fn is_host_transfer(&self) -> bool {
        matches!(self.direction, Direction::HostToDevice | Direction::DeviceToHost)
    }

    /// Position of an argument that holds device memory, by the call's meaning.
    #[must_use]
    pub fn is_device_argument(&self, position: usize) -> bool {
        match self.api {
            Api::Malloc
            | Api::MallocAsync
            | Api::MallocManaged
            | Api::Free
            | Api::FreeAsync
            | Api::Memset
            | Api::MemsetAsync => position == 0,
            Api::Memcpy | Api::MemcpyAsync => match self.direction {
                Direction::HostToDevice => position == 0,
                Direction::DeviceToHost => position == 1,
                Direction::DeviceToDevice => position < 2,
                Direction::HostToHost | Direction::Unknown => false,
            },
        }
    }
}

/// The operand behind parentheses and casts to `void*`, `void**` or the like.
pub(super) fn strip_casts(program: &Program, mut expr: ExprId) -> ExprId {
    loop {
        match &program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => expr = *inner,
            _ => return expr,
        }
    }
}

fn direction(program: &Program, expr: ExprId) -> Direction {
    match &program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Unknown(name)) => match name.as_str() {
            "cudaMemcpyHostToDevice" => Direction::HostToDevice,
            "cudaMemcpyDeviceToHost" => Direction::DeviceToHost,
            "cudaMemcpyDeviceToDevice" => Direction::DeviceToDevice,
            "cudaMemcpyHostToHost" => Direction::HostToHost,
            _ => Direction::Unknown,
        },
        _ => Direction::Unknown,
    }
}

/// Whether the arguments of a copy say that both sides are device memory.
pub(super) fn is_device_to_device(program: &Program, arguments: &[ExprId]) -> bool {
    arguments.get(3).is_some_and(|kind| direction(program, *kind) == Direction::DeviceToDevice)
}

/// All calls of runtime functions that codegen knows, in arena order.
pub(super) fn find_api_calls(
    program: &Program,
    calls: &CallGraph,
    places: &Places,
) -> Vec<ApiCall> {
    let mut found = Vec::new();
    for call in program.expr_ids() {
        let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else { continue };
        let Callee::Library(name) = calls.callee(program, *callee, arguments) else { continue };
        let Some(api) = Api::parse(&name).filter(|api| arguments.len() >= api.least_arguments())
        else {
            continue;
        };
        let direction =
            if api.copies() { direction(program, arguments[3]) } else { Direction::Unknown };
        let allocated_node = api
            .allocates()
            .then(|| places.value(strip_casts(program, arguments[0])))
            .flatten()
            .map(|value| value.node);
        found.push(ApiCall { call, api, arguments: arguments.clone(), direction, allocated_node });
    }
    found
}
