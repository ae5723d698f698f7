//! Calls of the CUDA runtime that allocate, move and free arrays.

use super::calls::{CallGraph, Callee};
use super::host_arrays;
use super::host_memory::HostMemory;
use super::places::Places;
use crate::catalogue::{self, Effect, Role, Row};
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, TypeKind};
use std::collections::BTreeSet;

/// A runtime function that codegen knows how to call on another layout. Its row in the [`catalogue`] says what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// `cudaMalloc(&p, bytes)`.
    Malloc,
    /// `cudaMallocAsync(&p, bytes, stream)`.
    MallocAsync,
    /// `cudaMallocManaged(&p, bytes)`.
    MallocManaged,
    /// `cudaMemPrefetchAsync(p, bytes, …)`.
    Prefetch,
    /// `cudaMemAdvise(p, bytes, …)`.
    Advise,
    /// `cudaStreamAttachMemAsync(stream, p, 0, …)`.
    Attach,
    /// `cudaFree(p)`.
    Free,
    /// `cudaFreeAsync(p, stream)`.
    FreeAsync,
    /// `cudaMemcpy(to, from, bytes, kind)`.
    Memcpy,
    /// `cudaMemcpyAsync(to, from, bytes, kind, stream)`.
    MemcpyAsync,
    /// `cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind)`.
    Memcpy2D,
    /// `cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream)`.
    Memcpy2DAsync,
    /// `cudaMemcpyPeer(to, to_device, from, from_device, bytes)`.
    MemcpyPeer,
    /// `cudaMemcpyToSymbol(array, from, bytes, offset, kind)`.
    ToSymbol,
    /// `cudaMemcpyFromSymbol(to, array, bytes, offset, kind)`.
    FromSymbol,
    /// `cudaMemcpyToSymbol(pointer, &p, sizeof p)`.
    PointerToSymbol,
    /// `cudaMemcpyFromSymbol(&p, pointer, sizeof p)`.
    PointerFromSymbol,
    /// `cudaGetSymbolAddress(&p, array)`.
    SymbolAddress,
    /// `cudaMemset(p, value, bytes)`.
    Memset,
    /// `cudaMemsetAsync(p, value, bytes, stream)`.
    MemsetAsync,
    /// `cudaMallocHost(&p, bytes)`.
    MallocHost,
    /// `cudaHostAlloc(&p, bytes, flags)`.
    HostAlloc,
    /// `cudaFreeHost(p)`.
    FreeHost,
    /// `free(p)` in host code.
    LibraryFree,
    /// `memset(p, value, bytes)` in host code.
    LibraryMemset,
    /// `memcpy(to, from, bytes)` in host code.
    LibraryMemcpy,
}

impl Api {
    /// What it does and what its arguments are.
    #[must_use]
    pub fn row(self) -> &'static Row {
        catalogue::row_of(self)
    }

    /// The function of that name on memory of the device.
    #[must_use]
    pub fn parse(name: &str) -> Option<Api> {
        catalogue::row(name).filter(|row| !row.is_of_host()).and_then(|row| row.api)
    }

    /// The function of that name, if it is one on memory of the host.
    pub(super) fn parse_host(name: &str) -> Option<Api> {
        catalogue::row(name).filter(|row| row.is_of_host()).and_then(|row| row.api)
    }

    /// The same call, told apart by whether the symbol is a pointer.
    pub(super) fn on_symbol(self, program: &Program, arguments: &[ExprId]) -> Api {
        let is_pointer = self.symbol().is_some_and(|at| {
            let symbol = program.expr(program.strip_parens(arguments[at]));
            matches!(program.types.kind(symbol.ty.id), TypeKind::Pointer(_))
        });
        match self {
            Api::ToSymbol if is_pointer => Api::PointerToSymbol,
            Api::FromSymbol if is_pointer => Api::PointerFromSymbol,
            other => other,
        }
    }

    /// Whether these arguments are enough.
    pub(super) fn accepts(self, arguments: &[ExprId]) -> bool {
        arguments.len() >= self.row().required
    }

    /// Whether it allocates memory.
    #[must_use]
    pub fn allocates(self) -> bool {
        matches!(self.row().effect, Effect::Allocates(_))
    }

    /// Whether it frees memory.
    #[must_use]
    pub fn frees(self) -> bool {
        self.row().effect == Effect::Frees
    }

    /// Whether it copies memory.
    #[must_use]
    pub fn copies(self) -> bool {
        self.row().copies_memory()
    }

    /// Whether its rows have pitches.
    #[must_use]
    pub fn copies_rows(self) -> bool {
        self.copies() && self.row().position(Role::ToPitch).is_some()
    }

    /// Whether it works on a stream.
    #[must_use]
    pub fn is_async(self) -> bool {
        self.row().position(Role::Stream).is_some() && !self.advises()
    }

    /// Positions of destination, source, byte count (of a row) and direction of a copy.
    #[must_use]
    pub fn copy_arguments(self) -> Option<CopyArguments> {
        let position = |role| self.row().position(role);
        Some(CopyArguments {
            to: position(Role::To)?,
            from: position(Role::From)?,
            size: position(Role::Bytes)?,
            kind: position(Role::Direction),
        })
    }

    /// Position of the symbol that it names.
    #[must_use]
    pub fn symbol(self) -> Option<usize> {
        self.row().position(Role::Symbol)
    }

    /// Position of the address of a pointer that it reads or sets.
    #[must_use]
    pub fn pointer_address(self) -> Option<usize> {
        self.row().position(Role::PointerAddress)
    }

    /// Whether it only says how managed memory will be used.
    #[must_use]
    pub fn advises(self) -> bool {
        self.row().effect == Effect::Advises
    }
}

/// Where the arguments of a copy stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopyArguments {
    /// The destination.
    pub to: usize,
    /// The source.
    pub from: usize,
    /// The byte count, of one row if there are rows.
    pub size: usize,
    /// The direction; a copy between devices has none.
    pub kind: Option<usize>,
}

/// The direction of a copy, from its literal enumerator or from what its arguments are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named like the enumerators")]
pub enum Direction {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    HostToHost,
    /// Neither the call nor its arguments say it.
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
    /// A copy between arrays of one class, of which some are the host's: no conversion.
    pub is_native: bool,
    /// Node of the allocated array.
    pub(super) allocated_node: Option<usize>,
}

impl ApiCall {
    /// The byte count, for calls that have one.
    #[must_use]
    pub fn size(&self) -> Option<ExprId> {
        self.argument(Role::Bytes)
    }

    /// The argument with a role.
    #[must_use]
    pub fn argument(&self, role: Role) -> Option<ExprId> {
        self.api.row().position(role).and_then(|at| self.arguments.get(at)).copied()
    }

    pub(super) fn size_if_allocation(&self) -> Option<ExprId> {
        self.size().filter(|_| self.api.allocates())
    }

    /// Whether it copies between host and device: then any part of the array can be copied.
    #[must_use]
    pub fn is_host_transfer(&self) -> bool {
        !self.is_native
            && matches!(self.direction, Direction::HostToDevice | Direction::DeviceToHost)
    }

    /// Position of an argument that holds memory in the array's layout, by the call's meaning:
    /// device memory, or the host's where that has the layout too.
    #[must_use]
    pub fn is_device_argument(&self, position: usize) -> bool {
        match self.api.row().role(position) {
            Role::PointerAddress | Role::Memory | Role::Symbol => true,
            // The other side of a symbol is the host's.
            Role::To | Role::From if !self.api.copies() => false,
            Role::To | Role::From if self.is_native => true,
            Role::To => {
                matches!(self.direction, Direction::HostToDevice | Direction::DeviceToDevice)
            }
            Role::From => {
                matches!(self.direction, Direction::DeviceToHost | Direction::DeviceToDevice)
            }
            Role::Bytes
            | Role::Direction
            | Role::Stream
            | Role::ToPitch
            | Role::FromPitch
            | Role::HandedOn
            | Role::Other => false,
        }
    }

    /// Whether its device arguments may point behind the first element.
    #[must_use]
    pub fn takes_places(&self) -> bool {
        self.api.copies() || self.api.row().effect == Effect::Fills
    }

    /// Whether an argument is the destination or the source of a copy.
    #[must_use]
    pub fn is_copied_side(&self, position: usize) -> bool {
        self.api.copy_arguments().is_some_and(|at| position == at.to || position == at.from)
    }

    /// The pitch of the rows on the device's side, in a copy of rows between host and device.
    #[must_use]
    pub fn device_pitch(&self) -> Option<ExprId> {
        if !self.api.copies_rows() {
            return None;
        }
        match self.direction {
            Direction::HostToDevice => self.argument(Role::ToPitch),
            Direction::DeviceToHost => self.argument(Role::FromPitch),
            Direction::DeviceToDevice | Direction::HostToHost | Direction::Unknown => None,
        }
    }
}

/// The operand behind parentheses and casts to `void*`, `void**` or the like.
#[must_use]
pub fn strip_casts(program: &Program, mut expr: ExprId) -> ExprId {
    loop {
        match &program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => expr = *inner,
            _ => return expr,
        }
    }
}

pub(super) fn literal_direction(program: &Program, expr: ExprId) -> Option<Direction> {
    match &program.expr(program.strip_parens(expr)).kind {
        ExprKind::Name(NameRef::Unknown(name)) => match name.as_str() {
            "cudaMemcpyHostToDevice" => Some(Direction::HostToDevice),
            "cudaMemcpyDeviceToHost" => Some(Direction::DeviceToHost),
            "cudaMemcpyDeviceToDevice" => Some(Direction::DeviceToDevice),
            "cudaMemcpyHostToHost" => Some(Direction::HostToHost),
            _ => None,
        },
        _ => None,
    }
}

/// The direction of a copy. Where the call does not say it (`cudaMemcpyDefault`, a variable), host
/// memory on one side decides.
pub(super) fn copy_direction(
    program: &Program,
    calls: &CallGraph,
    host: &HostMemory,
    api: Api,
    arguments: &[ExprId],
) -> Direction {
    let Some(at) = api.copy_arguments() else { return Direction::Unknown };
    let Some(kind) = at.kind else { return Direction::DeviceToDevice };
    if let Some(literal) = literal_direction(program, arguments[kind]) {
        return literal;
    }
    let is_host = |position: usize| host.holds(program, calls, arguments[position]);
    match (is_host(at.to), is_host(at.from)) {
        (true, true) => Direction::HostToHost,
        (true, false) => Direction::DeviceToHost,
        (false, true) => Direction::HostToDevice,
        (false, false) => Direction::Unknown,
    }
}

/// All calls of runtime functions that codegen knows, in arena order; those on memory of the host
/// if that is in one of the `native` nodes.
pub(super) fn find_api_calls(
    program: &Program,
    calls: &CallGraph,
    host: &HostMemory,
    places: &Places,
    native: &BTreeSet<usize>,
) -> Vec<ApiCall> {
    let mut found = Vec::new();
    for call in program.expr_ids() {
        let ExprKind::Call { callee, arguments, .. } = &program.expr(call).kind else { continue };
        let Callee::Library(name) = calls.callee(program, *callee, arguments) else { continue };
        let Some(api) = Api::parse(&name)
            .or_else(|| {
                host_arrays::api_of_call(program, calls, places, native, call, &name, arguments)
            })
            .filter(|api| api.accepts(arguments))
        else {
            continue;
        };
        let api = api.on_symbol(program, arguments);
        let mut direction = match api {
            Api::LibraryMemcpy => Direction::HostToHost,
            _ => copy_direction(program, calls, host, api, arguments),
        };
        // Between arrays of one class that the host shares.
        let is_native = direction != Direction::DeviceToDevice
            && host_arrays::one_node(program, places, api, arguments)
                .is_some_and(|node| native.contains(&node));
        // Both sides are of one class, which has device memory only.
        if direction == Direction::Unknown
            && !is_native
            && let Some(at) = api.copy_arguments()
        {
            let side = |position: usize| places.value(strip_casts(program, arguments[position]));
            if let (Some(to), Some(from)) = (side(at.to), side(at.from))
                && to.depth == 1
                && to == from
            {
                direction = Direction::DeviceToDevice;
            }
        }
        let allocated_node = api
            .allocates()
            .then(|| places.value(strip_casts(program, arguments[0])))
            .flatten()
            .map(|value| value.node);
        let arguments = arguments.to_vec();
        found.push(ApiCall { call, api, arguments, direction, is_native, allocated_node });
    }
    found
}
