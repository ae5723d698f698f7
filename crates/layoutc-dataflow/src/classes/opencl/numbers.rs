//! The numbers that kernels are given: what the host says of extents.
//!
//! *Claim:* a parameter with a list in [`Numbers::given`] is set by no other call than those of the
//! list, unless something that sets arguments unseen pins all arrays of its kernel.

use super::Kernels;
use super::handles::{Follow, Setting};
use super::instances::variable;
use crate::classes::operands::is_null;
use layoutc_syntax::evaluate::constant;
use layoutc_syntax::{ExprId, ExprKind, FunctionId, Program, QualType, TypeKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A number that a call gives a parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Given {
    /// The instance of the function in which the number is computed.
    pub instance: usize,
    /// The number.
    pub value: ExprId,
}

/// A call that launches a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    /// The instance of the function in which the numbers are computed.
    pub instance: usize,
    /// The launching call.
    pub call: ExprId,
    /// Work-items along each dimension, from number 0 on.
    pub items: Vec<ExprId>,
    /// A variable that holds the number, and that the launch takes it from.
    pub holder: Option<VarId>,
}

/// What the host says of the numbers of kernels.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// By parameter that is a number: what sets it, or nothing if not all of it can be seen.
    pub given: BTreeMap<VarId, Option<Vec<Given>>>,
    /// By kernel: all launches, or nothing if the range of one cannot be seen.
    pub ranges: BTreeMap<FunctionId, Option<Vec<Range>>>,
    /// Some call may set any parameter.
    unseen: bool,
    /// Some call may launch any kernel.
    launched_unseen: bool,
}

impl Numbers {
    /// What sets a parameter, if all of it is seen.
    #[must_use]
    pub fn of(&self, parameter: VarId) -> Option<&[Given]> {
        self.given.get(&parameter).filter(|_| !self.unseen)?.as_deref()
    }

    /// The launches of a kernel, if the range of each is seen.
    #[must_use]
    pub fn ranges_of(&self, kernel: FunctionId) -> Option<&[Range]> {
        self.ranges.get(&kernel).filter(|_| !self.launched_unseen)?.as_deref()
    }

    /// A call that sets an argument which is no buffer that is followed.
    pub(super) fn set(
        &mut self,
        program: &Program,
        kernels: &Kernels,
        setting: &Setting,
        targets: Option<&BTreeSet<Option<FunctionId>>>,
    ) {
        let Some(targets) = targets else {
            self.unseen = true;
            return;
        };
        let given = setting.number;
        for kernel in targets.iter().flatten() {
            let parameters = &program.function(*kernel).parameters;
            let meant: Vec<VarId> = match &setting.indices {
                Some(indices) => indices
                    .iter()
                    .filter_map(|index| parameters.get(usize::try_from(*index).ok()?))
                    .copied()
                    .collect(),
                None => parameters.clone(),
            };
            let is_known = setting.indices.is_some();
            for id in meant.into_iter().filter(|id| !kernels.parameters.contains(id)) {
                let known = self.given.entry(id).or_insert_with(|| Some(Vec::new()));
                match (known.as_mut(), given.filter(|_| is_known)) {
                    (Some(all), Some(given)) => {
                        if !all.contains(&given) {
                            all.push(given);
                        }
                    }
                    _ => *known = None,
                }
            }
        }
    }

    /// A launch of a kernel that cannot be told.
    pub(super) fn launch_any(&mut self) {
        self.launched_unseen = true;
    }

    /// A launch of a kernel.
    pub(super) fn launch(&mut self, kernel: FunctionId, range: Option<&Range>) {
        let known = self.ranges.entry(kernel).or_insert_with(|| Some(Vec::new()));
        match (known.as_mut(), range) {
            (Some(all), Some(range)) => all.push(range.clone()),
            _ => *known = None,
        }
    }
}

impl Follow<'_> {
    /// The number that lies at an address, or that a value without a size is.
    pub(super) fn number(&self, at: Option<usize>, value: ExprId, has_size: bool) -> Option<Given> {
        if !has_size {
            return at.map(|instance| Given { instance, value });
        }
        let (place, pointer) = self.resolved(at, value);
        let ExprKind::AddressOf(value) = self.program.expr(pointer).kind else { return None };
        place.map(|instance| Given { instance, value })
    }

    /// The work-items of a launch along each dimension, if they begin at number 0 and the numbers are
    /// those with which an object begins that nothing changes.
    pub(super) fn range(&self, at: Option<usize>, call: ExprId) -> Option<Range> {
        let program = self.program;
        let ExprKind::Call { arguments, .. } = &program.expr(call).kind else { return None };
        let &[_, _, dimensions, offset, global, ..] = arguments.as_slice() else { return None };
        if !is_null(program, self.resolved(at, offset).1) {
            return None;
        }
        let (place, global) = self.resolved(at, global);
        let count = usize::try_from(constant(program, dimensions)?).ok()?;
        let instance = place?;
        // The number itself.
        if let ExprKind::AddressOf(item) = program.expr(global).kind {
            let holder = Some(variable(program, item).filter(|_| count == 1)?);
            return Some(Range { instance, call, items: vec![item], holder });
        }
        // What an array that nothing changes begins with.
        let ExprKind::InitList(items) = &program.expr(global).kind else { return None };
        let holder = program.variables.iter().find(|own| own.init == Some(global))?;
        let is_size = |of: &QualType| {
            program.types.as_scalar(of.id).is_some_and(|of| of.is_integer() && of.size() == 8)
        };
        let is_local = holder.function.is_some()
            && matches!(program.types.kind(holder.ty.id), TypeKind::Array(of, _) if is_size(of));
        let items: Vec<ExprId> = items.iter().copied().take(count).collect();
        let is_whole = is_local && items.len() == count;
        is_whole.then_some(Range { instance, call, items, holder: None })
    }

    /// The work-items of `queue.enqueueNDRangeKernel(kernel, offset, global, …)`.
    pub(super) fn range_of_method(&self, at: Option<usize>, call: ExprId) -> Option<Range> {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return None };
        let &[_, offset, global, ..] = arguments.as_slice() else { return None };
        self.range_of_cpp(at, call, Some(offset), global)
    }

    /// The work-items of `cl::EnqueueArgs(queue, global)`, or with an offset and a group's.
    pub(super) fn range_of_arguments(
        &self,
        at: Option<usize>,
        call: ExprId,
        made: ExprId,
    ) -> Option<Range> {
        let made = &self.program.expr(self.resolved(at, made).1).kind;
        let (ExprKind::Construct { arguments, .. } | ExprKind::Call { arguments, .. }) = made
        else {
            return None;
        };
        // Behind the queue there may be an event; then this is not looked at.
        match *arguments.as_slice() {
            [_, global] | [_, global, _] => self.range_of_cpp(at, call, None, global),
            [_, offset, global, _] => self.range_of_cpp(at, call, Some(offset), global),
            _ => None,
        }
    }

    /// Work-items that `cl::NDRange`s say.
    fn range_of_cpp(
        &self,
        at: Option<usize>,
        call: ExprId,
        offset: Option<ExprId>,
        global: ExprId,
    ) -> Option<Range> {
        let program = self.program;
        let has_no_offset = offset.is_none_or(|offset| {
            matches!(program.text(program.expr(offset).span), "cl::NullRange" | "NullRange")
        });
        let (place, global) = self.resolved(at, global);
        let items = match &program.expr(global).kind {
            ExprKind::Construct { of, arguments } if is_range(program, *of) => arguments.clone(),
            ExprKind::Call { callee, arguments, .. }
                if program.text(program.expr(*callee).span) == "cl::NDRange" =>
            {
                arguments.clone()
            }
            _ => return None,
        };
        let is_whole = has_no_offset && (1..=3).contains(&items.len());
        let instance = place.filter(|_| is_whole)?;
        Some(Range { instance, call, items: items.to_vec(), holder: None })
    }
}

/// Whether a type is that of ranges.
fn is_range(program: &Program, of: QualType) -> bool {
    matches!(program.types.kind(of.id), TypeKind::Named(name, _) if name == "cl::NDRange")
}
