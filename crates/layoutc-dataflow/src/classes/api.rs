//! Calls of the CUDA runtime that allocate, move and free arrays.

use super::calls::{CallGraph, Callee};
use super::direction::{Direction, copy_direction};
use super::host_arrays;
use super::host_memory::HostMemory;
use super::operands::strip_casts;
use super::places::Places;
use super::symbols::on_symbol;
use crate::catalogue::{self, Api, Effect, Role, Row};
use layoutc_syntax::{ExprId, ExprKind, Program};
use std::collections::BTreeSet;

/// A call of the runtime with a pointer into an array of records.
#[derive(Clone, Debug)]
pub struct ApiCall {
    /// The call expression.
    pub call: ExprId,
    /// The name that it calls.
    pub name: String,
    /// Which function.
    pub row: &'static Row,
    /// What codegen writes for it.
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
        self.row.position(role).and_then(|at| self.arguments.get(at)).copied()
    }

    pub(super) fn size_if_allocation(&self) -> Option<ExprId> {
        self.size().filter(|_| self.row.allocates())
    }

    /// Whether nothing stands between the arguments and what is added behind them: a stream that is left out is
    /// the default one.
    #[must_use]
    pub fn has_stream(&self) -> bool {
        !self.row.is_async() || self.row.has_stream(self.arguments.len())
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
        match self.row.role(position) {
            Role::PointerAddress | Role::Memory | Role::Symbol => true,
            // The other side of a symbol is the host's.
            Role::To | Role::From if !self.row.copies_memory() => false,
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
            | Role::PitchAddress
            | Role::ToPitch
            | Role::FromPitch
            | Role::HandedOn
            | Role::Other => false,
        }
    }

    /// Whether its device arguments may point behind the first element.
    #[must_use]
    pub fn takes_places(&self) -> bool {
        self.row.copies_memory() || self.row.effect == Effect::Fills
    }

    /// Whether an argument is the destination or the source of a copy.
    #[must_use]
    pub fn is_copied_side(&self, position: usize) -> bool {
        self.row.copy_arguments().is_some_and(|at| position == at.to || position == at.from)
    }

    /// The pitch of the rows on the device's side, in a copy of rows between host and device.
    #[must_use]
    pub fn device_pitch(&self) -> Option<ExprId> {
        if !self.row.copies_rows() {
            return None;
        }
        match self.direction {
            Direction::HostToDevice => self.argument(Role::ToPitch),
            Direction::DeviceToHost => self.argument(Role::FromPitch),
            Direction::DeviceToDevice | Direction::HostToHost | Direction::Unknown => None,
        }
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
        let Some((row, api)) = catalogue::on_device(&name)
            .or_else(|| {
                host_arrays::api_of_call(program, calls, places, native, call, &name, arguments)
            })
            .filter(|(row, _)| row.accepts(arguments))
        else {
            continue;
        };
        let (row, api) = on_symbol(program, row, api, arguments);
        let mut direction = match api {
            Api::LibraryMemcpy => Direction::HostToHost,
            _ => copy_direction(program, calls, host, row, arguments),
        };
        // Between arrays of one class that the host shares.
        let is_native = direction != Direction::DeviceToDevice
            && host_arrays::one_node(program, places, row, arguments)
                .is_some_and(|node| native.contains(&node));
        // Both sides are of one class, which has device memory only.
        if direction == Direction::Unknown
            && !is_native
            && let Some(at) = row.copy_arguments()
        {
            let side = |position: usize| places.value(strip_casts(program, arguments[position]));
            if let (Some(to), Some(from)) = (side(at.to), side(at.from))
                && to.depth == 1
                && to == from
            {
                direction = Direction::DeviceToDevice;
            }
        }
        let allocated_node = row
            .allocates()
            .then(|| places.value(strip_casts(program, arguments[0])))
            .flatten()
            .map(|value| value.node);
        let arguments = arguments.to_vec();
        found.push(ApiCall {
            call,
            name,
            row,
            api,
            arguments,
            direction,
            is_native,
            allocated_node,
        });
    }
    found
}
