//! Between which memories a copy goes.

use super::calls::CallGraph;
use super::host_memory::HostMemory;
use crate::catalogue::Row;
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program};

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

/// The direction of a copy. Where the call does not say it (`cudaMemcpyDefault`, a variable), host
/// memory on one side decides.
pub(super) fn copy_direction(
    program: &Program,
    calls: &CallGraph,
    host: &HostMemory,
    row: &Row,
    arguments: &[ExprId],
) -> Direction {
    let Some(at) = row.copy_arguments() else { return Direction::Unknown };
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
