//! Arrays of scalars as arrays of records with one member, so that they are classes too.
//!
//! A grid is an array of numbers to which pointers are handed around as those to records are. In a copy
//! of the program, every pointer to the scalar type becomes a pointer to a record that
//! stands for it ([`Record::element`]): then slots, flows and uses are found and judged by the same
//! rules, and an access `f[e]` is a place, the one member of an element.
//!
//! *Invariant:* all pointers and arrays of the scalar type are replaced, so no flow is lost at
//! a pointer that was left out; members that are arrays keep their type, as they are no pointers.

use super::{Callee, resolve_callee};
use crate::catalogue::{self, Target};
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::{
    BinaryOp, DeclaratorSite, ExprId, ExprKind, Field, FieldId, Program, QualType, Record,
    RecordId, Scalar, TypeId, TypeKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// Replaces the pointers to the scalar types by pointers to records that stand for them.
pub fn type_scalar_arrays(program: &mut Program, scalars: &BTreeSet<Scalar>) {
    let ranges = ranges(program);
    type_arrays(program, scalars, &ranges);
}

/// The same for arrays of one index: `&u[e]` is `u + e` wherever it is no address for an atomic
/// operation or the like. Returns the expressions that became sums.
pub(super) fn type_flat_arrays(
    program: &mut Program,
    scalars: &BTreeSet<Scalar>,
) -> BTreeSet<ExprId> {
    let mut moved = ranges(program);
    moved.extend(addresses(program));
    type_arrays(program, scalars, &moved)
}

fn type_arrays(
    program: &mut Program,
    scalars: &BTreeSet<Scalar>,
    ranges: &BTreeSet<usize>,
) -> BTreeSet<ExprId> {
    let mut sums = BTreeSet::new();
    let records: BTreeMap<Scalar, RecordId> =
        scalars.iter().map(|scalar| (*scalar, record_of(program, *scalar))).collect();
    let mut types = Types { records, known: BTreeMap::new() };
    for at in 0..program.variables.len() {
        program.variables[at].ty = types.of(program, program.variables[at].ty);
    }
    for at in 0..program.fields.len() {
        let ty = program.fields[at].ty;
        if !matches!(program.types.kind(ty.id), TypeKind::Array(..)) {
            program.fields[at].ty = types.of(program, ty);
        }
    }
    for at in 0..program.functions.len() {
        program.functions[at].result = types.of(program, program.functions[at].result);
    }
    for at in 0..program.exprs.len() {
        // A member array is one of its record.
        let is_member = matches!(program.exprs[at].kind, ExprKind::Member { .. })
            && matches!(program.types.kind(program.exprs[at].ty.id), TypeKind::Array(..));
        if !is_member {
            program.exprs[at].ty = types.of(program, program.exprs[at].ty);
        }
        // `&u[e]` is `u + e` where a range begins: a value of an array has no members around it.
        if let ExprKind::AddressOf(element) = program.exprs[at].kind
            && ranges.contains(&at)
            && let Some((inner, base, index)) = element_of(program, element)
            && types.is_element_pointer(program, program.exprs[at].ty)
        {
            let ty = program.exprs[at].ty;
            program.exprs[at].kind = ExprKind::Paren(element);
            let mut around = element;
            while let ExprKind::Paren(next) = program.exprs[around.index()].kind {
                program.exprs[around.index()].ty = ty;
                around = next;
            }
            program.exprs[inner.index()].kind = ExprKind::Binary(BinaryOp::Add, base, index);
            program.exprs[inner.index()].ty = ty;
            sums.insert(ExprId(at as u32));
        }
        if let ExprKind::Cast { target, .. } = program.exprs[at].kind {
            let new = types.of(program, target);
            if let ExprKind::Cast { target, .. } = &mut program.exprs[at].kind {
                *target = new;
            }
        }
    }
    sums
}

/// The addresses that copies and fills are given, by position.
fn ranges(program: &Program) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for expr in &program.exprs {
        let ExprKind::Call { callee, arguments, .. } = &expr.kind else { continue };
        let is_transfer = matches!(
            resolve_callee(program, *callee, arguments),
            Callee::Library(name)
                if catalogue::row(&name)
                    .is_some_and(|row| row.is_of(Target::Cuda) && row.moves_bytes())
        );
        if !is_transfer {
            continue;
        }
        for argument in arguments {
            let mut at = *argument;
            while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
                program.expr(at).kind
            {
                at = inner;
            }
            if matches!(program.expr(at).kind, ExprKind::AddressOf(_)) {
                found.insert(at.index());
            }
        }
    }
    found
}

/// Addresses that are kept as pointers, by position.
fn addresses(program: &Program) -> BTreeSet<usize> {
    let mut found: BTreeSet<usize> = program
        .expr_ids()
        .filter(|id| matches!(program.expr(*id).kind, ExprKind::AddressOf(_)))
        .map(ExprId::index)
        .collect();
    for id in program.expr_ids() {
        let operands: Vec<ExprId> = match &program.expr(id).kind {
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Function(_) => continue,
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => {
                        arguments.to_vec()
                    }
                }
            }
            ExprKind::Deref(operand) => vec![*operand],
            ExprKind::Cast { operand, .. } => vec![*operand],
            ExprKind::MacroCall { .. } | ExprKind::Opaque(_) => program.expr(id).children(),
            _ => continue,
        };
        for mut at in operands {
            while let ExprKind::Paren(inner) = program.expr(at).kind {
                at = inner;
            }
            found.remove(&at.index());
        }
    }
    found
}

/// `u[e]` behind parentheses, its pointer and its index.
fn element_of(program: &Program, element: ExprId) -> Option<(ExprId, ExprId, ExprId)> {
    let mut at = element;
    while let ExprKind::Paren(inner) = program.expr(at).kind {
        if program.macro_role(at).is_some() {
            return None;
        }
        at = inner;
    }
    match program.expr(at).kind {
        ExprKind::Index { base, index, .. }
            if matches!(program.types.kind(program.expr(base).ty.id), TypeKind::Pointer(_)) =>
        {
            Some((at, base, index))
        }
        _ => None,
    }
}

/// Adds the record that stands for a scalar.
fn record_of(program: &mut Program, scalar: Scalar) -> RecordId {
    let nowhere = Span { file: FileId(0), start: 0, end: 0 };
    let record = RecordId(program.records.len() as u32);
    let field = FieldId(program.fields.len() as u32);
    program.records.push(Record {
        name: scalar.spelling().to_owned(),
        name_span: nowhere,
        fields: vec![field],
        bases: Vec::new(),
        body: None,
        declaration: None,
        explicit_align: None,
        pack: None,
        traits: Vec::new(),
        is_local: false,
        is_union: false,
        in_linkage_block: false,
        namespaces: Vec::new(),
        methods: Vec::new(),
        scope: BTreeMap::new(),
        private_names: BTreeSet::new(),
        bodiless: 0,
        unmodelled_members: BTreeSet::new(),
        has_defaulted: false,
        instance: None,
        shares_text: false,
        element: Some(scalar),
    });
    let ty = program.types.scalar(scalar);
    program.fields.push(Field {
        record,
        name: "value".to_owned(),
        ty,
        site: DeclaratorSite {
            declaration: None,
            index: 0,
            span: nowhere,
            pointers: Default::default(),
            reference: None,
            name: nowhere,
            full: nowhere,
        },
        is_bit_field: false,
        bits: None,
        has_initializer: false,
        explicit_align: None,
        null_initializer: None,
        is_untyped: false,
        inherited: None,
    });
    record
}

/// Types with the scalars replaced where something points to them.
struct Types {
    records: BTreeMap<Scalar, RecordId>,
    known: BTreeMap<TypeId, TypeId>,
}

impl Types {
    /// Whether a type is a pointer to one of the records.
    fn is_element_pointer(&self, program: &Program, ty: QualType) -> bool {
        matches!(program.types.kind(ty.id), TypeKind::Pointer(to)
        if program.types.as_record(to.id).is_some_and(|record| {
            self.records.values().any(|own| *own == record)
        }))
    }

    fn of(&mut self, program: &mut Program, ty: QualType) -> QualType {
        if let Some(known) = self.known.get(&ty.id) {
            return QualType { id: *known, ..ty };
        }
        let new = match program.types.kind(ty.id).clone() {
            TypeKind::Pointer(to) => {
                let to = self.pointee(program, to);
                program.types.intern(TypeKind::Pointer(to))
            }
            TypeKind::Array(to, length) => {
                let to = self.pointee(program, to);
                program.types.intern(TypeKind::Array(to, length))
            }
            TypeKind::Reference(to, is_rvalue) => {
                let to = self.of(program, to);
                program.types.intern(TypeKind::Reference(to, is_rvalue))
            }
            TypeKind::Unknown
            | TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Record(_)
            | TypeKind::Enum(..)
            | TypeKind::Function
            | TypeKind::Named(..)
            | TypeKind::TemplateParameter(_) => ty.id,
        };
        self.known.insert(ty.id, new);
        QualType { id: new, ..ty }
    }

    /// What is pointed to: the record for the scalar.
    fn pointee(&mut self, program: &mut Program, to: QualType) -> QualType {
        let scalar = program.types.as_scalar(to.id);
        match scalar.and_then(|scalar| self.records.get(&scalar).copied()) {
            Some(record) => QualType { id: program.types.intern(TypeKind::Record(record)), ..to },
            None => self.of(program, to),
        }
    }
}
