//! Pointers declared as `void *` that the program only ever takes for pointers to one record.
//!
//! `void *` members, variables and parameters hold arrays in many programs, which are cast where
//! they are used (`kernel<<<…>>>((Particle *)plan->particles)`) or only copied. Giving such a variable the type that it is cast
//! to makes it a slot like any other: then every use of it is accepted or pinned as if it had been
//! declared so, and nothing that this module decides can make an analysis less careful. It only
//! decides which variables are worth it.

use super::calls::{CallGraph, Callee, Context};
use super::element::record_of;
use super::operands::strip_casts;
use super::slots::Slot;
use super::unify::slot_of;
use crate::catalogue;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FieldId, Program, QualType, RecordId, TypeId, TypeKind, TypeTable,
    VarId,
};
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a set of `void *` slots between which pointers flow.
#[derive(Default)]
struct Evidence {
    /// The records to whose pointers they are cast.
    casts: BTreeSet<RecordId>,
    /// The records pointers to which are stored in them.
    stored: BTreeSet<RecordId>,
    /// The runtime allocates memory through one of them.
    is_allocated: bool,
    /// Some compilers move such a pointer by bytes; a typed one would move by elements.
    is_moved: bool,
}

/// Gives each `void *` variable and member that only holds pointers to one record the type `T *`.
///
/// Says whether there are any.
pub fn type_untyped_pointers(program: &mut Program) -> bool {
    let slots = candidates(program);
    if slots.is_empty() {
        return false;
    }
    let found = records(program, &slots);
    if found.is_empty() {
        return false;
    }
    for (slot, record) in &found {
        let to = program.types.intern(TypeKind::Record(*record));
        match *slot {
            Slot::Variable(id) => {
                let ty = pointer_to(program, program.variable(id).ty, to);
                let variable = &mut program.variables[id.index()];
                variable.ty = ty;
                variable.is_untyped = true;
            }
            Slot::Field(id) => {
                let ty = pointer_to(program, program.field(id).ty, to);
                let field = &mut program.fields[id.index()];
                field.ty = ty;
                field.is_untyped = true;
            }
            Slot::Result(_) => {}
        }
    }
    retype_expressions(program, &found);
    true
}

/// The pointer type with another pointee; qualifiers stay.
fn pointer_to(program: &mut Program, old: QualType, record: TypeId) -> QualType {
    let to = program.types.pointee(old.id).unwrap_or(QualType::plain(TypeTable::VOID));
    let ty = program.types.pointer(QualType { id: record, ..to });
    QualType { id: ty.id, ..old }
}

/// Variables and members of type `void *`, each with a number.
fn candidates(program: &Program) -> BTreeMap<Slot, usize> {
    let is_untyped = |ty: QualType| {
        matches!(*program.types.kind(ty.id),
            TypeKind::Pointer(to) if to.id == TypeTable::VOID && !to.is_volatile)
    };
    let variables = program
        .variable_ids()
        .filter(|id| is_untyped(program.variable(*id).ty))
        .map(Slot::Variable);
    let fields = (0..program.fields.len() as u32)
        .map(FieldId)
        .filter(|id| is_untyped(program.field(*id).ty))
        .map(Slot::Field);
    variables.chain(fields).enumerate().map(|(at, slot)| (slot, at)).collect()
}

/// The record of each slot that only holds pointers to it.
fn records(program: &Program, slots: &BTreeMap<Slot, usize>) -> BTreeMap<Slot, RecordId> {
    let calls = CallGraph::new(program);
    let node = |expr: ExprId| slots.get(&slot_of(program, strip_casts(program, expr))?).copied();
    let variable = |id: VarId| slots.get(&Slot::Variable(id)).copied();
    let mut union = UnionFind::new(slots.len());
    let mut casts: Vec<(usize, RecordId)> = Vec::new();
    let mut stored: Vec<(usize, RecordId)> = Vec::new();
    let mut allocated: Vec<usize> = Vec::new();
    let mut moved: Vec<usize> = Vec::new();
    let untyped = |expr: ExprId| slots.get(&slot_of(program, program.strip_parens(expr))?).copied();
    let mut flow = |to: usize, from: ExprId, union: &mut UnionFind<usize>| match node(from) {
        Some(from) => {
            union.union(to, from);
        }
        None => {
            let pointer = program.expr(strip_casts(program, from)).ty;
            if let Some((record, 1)) = record_of(program, pointer) {
                stored.push((to, record));
            }
        }
    };
    for function in &program.functions {
        for site in &function.sites {
            for (own, theirs) in function.parameters.iter().zip(&site.parameters) {
                if let (Some(own), Some(theirs)) = (variable(*own), variable(*theirs)) {
                    union.union(own, theirs);
                }
            }
        }
    }
    for id in program.variable_ids() {
        if let (Some(to), Some(init)) = (variable(id), program.variable(id).init) {
            flow(to, init, &mut union);
        }
    }
    for id in program.expr_ids() {
        match &program.expr(id).kind {
            ExprKind::Assign(None, left, right) => {
                if let Some(to) = node(*left) {
                    flow(to, *right, &mut union);
                }
            }
            ExprKind::Call { callee, arguments, .. }
            | ExprKind::Launch { kernel: callee, arguments, .. } => {
                match calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        let parameters = &program.function(function).parameters;
                        for (parameter, argument) in parameters.iter().zip(arguments) {
                            if let Some(to) = variable(*parameter) {
                                flow(to, *argument, &mut union);
                            }
                        }
                    }
                    Callee::Library(name) => {
                        let is_allocation = catalogue::on_device(&name)
                            .is_some_and(|(row, _)| row.accepts(arguments) && row.allocates());
                        if is_allocation
                            && let ExprKind::AddressOf(pointer) =
                                program.expr(strip_casts(program, arguments[0])).kind
                        {
                            allocated.extend(node(pointer));
                        }
                    }
                    Callee::Ambiguous(_) | Callee::Unknown => {}
                }
            }
            ExprKind::Cast { target, operand, .. } => {
                if let (Some(from), Some((record, 1))) =
                    (node(*operand), record_of(program, *target))
                    && !matches!(calls.context(id), Context::Dropped)
                {
                    casts.push((from, record));
                }
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                moved.extend([*left, *right].into_iter().filter_map(untyped));
            }
            ExprKind::Unary(op, operand) if op.is_update() => moved.extend(untyped(*operand)),
            ExprKind::Assign(Some(_), operand, _)
            | ExprKind::Deref(operand)
            | ExprKind::Index { base: operand, .. } => moved.extend(untyped(*operand)),
            // No pointer flows into a slot here, or it is none that the others do not show.
            _ => {}
        }
    }
    let mut evidence: BTreeMap<usize, Evidence> = BTreeMap::new();
    for (slot, record) in casts {
        evidence.entry(union.find(slot)).or_default().casts.insert(record);
    }
    for (slot, record) in stored {
        evidence.entry(union.find(slot)).or_default().stored.insert(record);
    }
    for slot in allocated {
        evidence.entry(union.find(slot)).or_default().is_allocated = true;
    }
    for slot in moved {
        evidence.entry(union.find(slot)).or_default().is_moved = true;
    }
    slots
        .iter()
        .filter_map(|(slot, at)| {
            let evidence = evidence.get(&union.find(*at))?;
            // Without memory, or with that of several records, it is a buffer for anything.
            let is_filled = evidence.is_allocated || !evidence.stored.is_empty();
            let mut all = evidence.casts.union(&evidence.stored);
            let record = *all.next()?;
            let is_one = all.next().is_none();
            let is_defined = program.record(record).body.is_some();
            let is_kept = is_filled && is_one && is_defined && !evidence.is_moved;
            is_kept.then_some((*slot, record))
        })
        .collect()
}

/// The types of the expressions that name the slots, and of those that follow from them.
fn retype_expressions(program: &mut Program, found: &BTreeMap<Slot, RecordId>) {
    let mut changed = vec![false; program.exprs.len()];
    // Operands come before the expressions that hold them.
    for at in 0..program.exprs.len() {
        let ty = match program.exprs[at].kind {
            ExprKind::Name(layoutc_syntax::NameRef::Variable(id))
                if found.contains_key(&Slot::Variable(id)) =>
            {
                program.variable(id).ty
            }
            ExprKind::Member { field: Some(id), .. } if found.contains_key(&Slot::Field(id)) => {
                program.field(id).ty
            }
            ExprKind::Paren(inner) | ExprKind::Assign(None, inner, _) if changed[inner.index()] => {
                program.expr(inner).ty
            }
            ExprKind::AddressOf(inner) if changed[inner.index()] => {
                let to = program.expr(inner).ty;
                program.types.pointer(to)
            }
            _ => continue,
        };
        program.exprs[at].ty.id = ty.id;
        changed[at] = true;
    }
}
