//! Tables of arguments: `struct { size_t size; void *value; } args[] = {{sizeof(cl_mem), &buffer}, …}`, which a loop gives to
//! a kernel.

use super::super::calls::{CallGraph, Callee, Context};
use super::handles::Follow;
use super::instances::{Functions, variable};
use super::lists::is_aggregate;
use layoutc_diagnostics::Code;
use layoutc_syntax::evaluate::constant;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FieldId, NameRef, Program, QualType, Storage, TypeKind, TypeTable,
    VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// An item of a table, or a member of it.
struct Place {
    table: VarId,
    /// Where the table is declared.
    at: Option<usize>,
    subscript: ExprId,
    field: Option<FieldId>,
}

/// Arrays of pointers without type, or of records with such, that keep the list they begin with, and parameters that get
/// them.
///
/// *Claim:* each occurrence of one is an argument of `clSetKernelArg`, asks for a size, or is an argument for such a
/// parameter, so that its items go nowhere else, and nothing changes them.
pub(super) fn argument_tables(
    program: &Program,
    calls: &CallGraph,
    functions: &Functions,
) -> BTreeSet<VarId> {
    let mut found: BTreeSet<VarId> = program
        .variable_ids()
        .filter(|id| {
            let own = program.variable(*id);
            let rows = own.init.map(|init| &program.expr(init).kind);
            let TypeKind::Array(of, _) = *program.types.kind(own.ty.id) else { return false };
            let Some(ExprKind::InitList(rows)) = rows else { return false };
            !own.is_extern && rows.iter().all(|row| is_row(program, of, *row))
        })
        .collect();
    if found.is_empty() {
        return found;
    }
    let parameters = functions.exprs.keys().flat_map(|id| &program.function(*id).parameters);
    found.extend(parameters.filter(|id| {
        program
            .types
            .pointee(program.variable(**id).ty.id)
            .is_some_and(|of| is_untyped_pointer(program, of) || program.as_record(of.id).is_some())
    }));
    let mut occurrences: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
    for id in program.expr_ids() {
        if let ExprKind::Name(NameRef::Variable(variable)) = program.expr(id).kind
            && found.contains(&variable)
        {
            occurrences.entry(variable).or_default().push(id);
        }
    }
    // Parameters hand them on to others: the greatest set.
    loop {
        let is_other = |id: &VarId| {
            let mut all = occurrences.get(id).into_iter().flatten();
            !all.all(|id| is_given_only(program, calls, &found, *id))
        };
        let others: Vec<VarId> = found.iter().copied().filter(is_other).collect();
        if others.is_empty() {
            return found;
        }
        for id in others {
            found.remove(&id);
        }
    }
}

fn is_untyped_pointer(program: &Program, ty: QualType) -> bool {
    matches!(*program.types.kind(ty.id), TypeKind::Pointer(to) if to.id == TypeTable::VOID)
}

/// Whether an item of a list makes one row: a pointer, or the members of a record one by one.
fn is_row(program: &Program, of: QualType, row: ExprId) -> bool {
    if is_untyped_pointer(program, of) {
        return !matches!(program.expr(row).kind, ExprKind::InitList(_));
    }
    let Some(record) = program.as_record(of.id) else { return false };
    let ExprKind::InitList(items) = &program.expr(row).kind else { return false };
    let fields = &program.record(record).fields;
    let of_field = |field: &FieldId| program.field(*field).ty;
    let is_plain = |ty: QualType| match program.types.kind(ty.id) {
        TypeKind::Scalar(_) => true,
        TypeKind::Named(name, _) => name.trim_start_matches("std::") == "size_t",
        _ => is_untyped_pointer(program, ty),
    };
    is_aggregate(program, record)
        && items.len() <= fields.len()
        && fields.iter().map(of_field).all(is_plain)
        && fields.iter().map(of_field).any(|ty| is_untyped_pointer(program, ty))
        && !items.iter().any(|item| matches!(program.expr(*item).kind, ExprKind::InitList(_)))
}

/// Whether an occurrence of a table is an argument of `clSetKernelArg`, or of a function whose parameter is such a table,
/// or asks for a size.
fn is_given_only(
    program: &Program,
    calls: &CallGraph,
    tables: &BTreeSet<VarId>,
    id: ExprId,
) -> bool {
    let mut at = id;
    let mut has_item = false;
    loop {
        let Context::Operand(parent, position) = calls.context(at) else { return false };
        match &program.expr(parent).kind {
            ExprKind::SizeOfExpr(_) => return true,
            ExprKind::Paren(_) => {}
            ExprKind::Index { .. } | ExprKind::Deref(_) if position == 0 && !has_item => {
                has_item = true;
            }
            ExprKind::Member { arrow: false, field: Some(_), .. } if has_item => {}
            ExprKind::Call { callee, arguments, .. } => {
                return match calls.callee(program, *callee, arguments) {
                    Callee::Library(name) => {
                        has_item && matches!(position, 3 | 4) && name == "clSetKernelArg"
                    }
                    Callee::Function(function) => {
                        let parameters = &program.function(function).parameters;
                        let own = position.checked_sub(1).and_then(|at| parameters.get(at));
                        !has_item && own.is_some_and(|id| tables.contains(id))
                    }
                    Callee::Ambiguous(_) | Callee::Unknown => false,
                };
            }
            _ => return false,
        }
        at = parent;
    }
}

/// A variable plus a number, or a number.
fn linear(program: &Program, id: ExprId) -> Option<(Option<VarId>, i64)> {
    if let Some(value) = constant(program, id) {
        return Some((None, value));
    }
    match program.expr(program.strip_parens(id)).kind {
        ExprKind::Cast { target, operand, .. } => {
            let is_wide = matches!(program.types.kind(target.id),
                TypeKind::Scalar(scalar) if scalar.is_integer() && scalar.size() >= 4);
            linear(program, operand).filter(|_| is_wide)
        }
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
            let (name, value) = linear(program, left)?;
            let by = constant(program, right)?;
            let value = match op {
                BinaryOp::Add => value.checked_add(by)?,
                _ => value.checked_sub(by)?,
            };
            Some((name, value))
        }
        _ => Some((Some(variable(program, id)?), 0)),
    }
}

/// Whether evaluating an expression changes nothing.
fn is_read_only(program: &Program, id: ExprId) -> bool {
    let expr = program.expr(id);
    let is_plain = match &expr.kind {
        ExprKind::Name(_)
        | ExprKind::Integer(_)
        | ExprKind::Literal
        | ExprKind::Null
        | ExprKind::This
        | ExprKind::Paren(_)
        | ExprKind::Member { .. }
        | ExprKind::Index { .. }
        | ExprKind::Cast { .. }
        | ExprKind::AddressOf(_)
        | ExprKind::Deref(_)
        | ExprKind::Binary(..)
        | ExprKind::SizeOfExpr(_)
        | ExprKind::SizeOfType { .. } => !program.operators.contains_key(&id),
        _ => false,
    };
    is_plain && expr.children().all(|child| is_read_only(program, child))
}

impl Follow<'_> {
    /// Whether a list is, or is in, that of a table of arguments.
    pub(super) fn is_in_argument_table(&self, list: ExprId) -> bool {
        let mut at = list;
        loop {
            match self.calls.context(at) {
                Context::Operand(parent, _)
                    if matches!(self.program.expr(parent).kind, ExprKind::InitList(_)) =>
                {
                    at = parent;
                }
                Context::Init(variable) => return self.argument_tables.contains(&variable),
                _ => return false,
            }
        }
    }

    /// Arguments that a table has: each as if its row were given. False if it is no table, or cannot be seen which rows these
    /// are; then all handles in it have a reason.
    pub(super) fn set_from_table(
        &mut self,
        at: Option<usize>,
        call: ExprId,
        kernel: ExprId,
        index: ExprId,
        size: Option<ExprId>,
        value: ExprId,
    ) -> bool {
        let Some(place) = self.place_in_table(at, value) else { return false };
        let rows = self.rows(at, call, index, &place);
        let size_place = size.and_then(|size| self.place_in_table(at, size));
        let mut given = Vec::new();
        for (index, row) in rows.unwrap_or_default() {
            let Some(value) = self.item(&place, row) else {
                given.clear();
                break;
            };
            let size = match &size_place {
                Some(other) if other.table == place.table => self.item(other, row),
                Some(_) | None => size,
            };
            given.push((index, size, value));
        }
        if given.is_empty() {
            self.fail_table(place.at, place.table, call);
            return false;
        }
        let kernel = self.kernel_of(at, kernel);
        for (index, size, value) in given {
            self.set_value(place.at, call, kernel, Some(BTreeSet::from([index])), size, value);
        }
        true
    }

    /// Tables that a call gives to a function of which another call is looked at, or none, have a reason.
    pub(super) fn tables_given(&mut self, at: Option<usize>, call: ExprId, is_followed: bool) {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return };
        for argument in arguments.iter().filter(|_| !is_followed) {
            if let Some((at, table)) = self.table_behind(at, *argument) {
                self.fail_table(at, table, call);
            }
        }
    }

    /// The table that an expression is, perhaps a parameter that gets it.
    fn table_behind(&self, at: Option<usize>, id: ExprId) -> Option<(Option<usize>, VarId)> {
        let program = self.program;
        let (mut at, mut id) = (at, id);
        loop {
            let name = variable(program, id).filter(|id| self.argument_tables.contains(id))?;
            let Storage::Parameter { index } = program.variable(name).storage else {
                return Some((at, name));
            };
            let (caller, call) = self.frames[at?].caller?;
            let ExprKind::Call { arguments, .. } = &program.expr(call).kind else { return None };
            (at, id) = (Some(caller), *arguments.get(index)?);
        }
    }

    fn place_in_table(&self, at: Option<usize>, id: ExprId) -> Option<Place> {
        let program = self.program;
        let mut id = program.strip_parens(id);
        let mut field = None;
        if let ExprKind::Member { base, arrow: false, field: Some(own), .. } = program.expr(id).kind
        {
            (id, field) = (program.strip_parens(base), Some(own));
        }
        let ExprKind::Index { base, index, .. } = program.expr(id).kind else { return None };
        let (at, table) = self.table_behind(at, base)?;
        Some(Place { table, at, subscript: index, field })
    }

    /// The arguments that a call sets, each with the row of the table for it.
    fn rows(
        &self,
        at: Option<usize>,
        call: ExprId,
        index: ExprId,
        place: &Place,
    ) -> Option<Vec<(i64, usize)>> {
        let program = self.program;
        let ExprKind::Call { arguments, .. } = &program.expr(call).kind else { return None };
        let integers = &self.frames[at?].integers;
        let indices = match integers.all(index) {
            Some(all) => all.clone(),
            None => BTreeSet::from([constant(program, index)?]),
        };
        // Both are evaluated in one call, which changes no variable.
        let is_read_only = arguments.iter().all(|id| is_read_only(program, *id));
        let (own, row) = (linear(program, index)?, linear(program, place.subscript)?);
        let is_same = own.0 == row.0 && (own.0.is_some() || indices.len() == 1);
        if !is_read_only || !is_same {
            return None;
        }
        let distance = row.1.checked_sub(own.1)?;
        indices
            .into_iter()
            .map(|index| Some((index, usize::try_from(index.checked_add(distance)?).ok()?)))
            .collect()
    }

    /// What a row of a table holds.
    fn item(&self, place: &Place, row: usize) -> Option<ExprId> {
        let program = self.program;
        let ExprKind::InitList(rows) = &program.expr(program.variable(place.table).init?).kind
        else {
            return None;
        };
        let row = *rows.get(row)?;
        match (place.field, &program.expr(row).kind) {
            (None, ExprKind::InitList(_)) => None,
            (None, _) => Some(row),
            (Some(field), ExprKind::InitList(items)) => {
                let fields = &program.record(program.field(field).record).fields;
                items.get(fields.iter().position(|own| *own == field)?).copied()
            }
            (Some(_), _) => None,
        }
    }

    fn fail_table(&mut self, at: Option<usize>, table: VarId, call: ExprId) {
        let mut items: Vec<ExprId> = self.program.variable(table).init.into_iter().collect();
        while let Some(item) = items.pop() {
            if let ExprKind::InitList(inner) = &self.program.expr(item).kind {
                items.extend(inner);
            } else if let Some(node) = self.node(at, item) {
                let message = "it cannot be seen which item of the table this is";
                self.fail(node, call, Code::OPENCL_ARGUMENT, message);
            }
        }
    }
}
