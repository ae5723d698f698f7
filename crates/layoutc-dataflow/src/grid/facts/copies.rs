//! Where OpenCL programs hand numbers to the library, which copies them: nothing keeps hold of the
//! variables that hold them.

use crate::classes::{Callee, resolve_callee, strip_casts};
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, QualType, Storage, TypeKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Addresses, lists and calls that give copies of values away and change nothing.
pub(crate) fn copied(program: &Program) -> BTreeSet<ExprId> {
    let mut found = BTreeSet::new();
    for variable in &program.variables {
        if let Some(init) = variable.init
            && is_array_of_numbers(program, variable.ty)
        {
            lists(program, init, &mut found);
        }
    }
    let read = read_parameters(program);
    for id in program.expr_ids() {
        match &program.expr(id).kind {
            ExprKind::Construct { of, .. } if is_of_opencl(program, *of) => {
                found.insert(id);
            }
            ExprKind::Call { callee, arguments, .. } => {
                if takes_copies(program, *callee) {
                    found.insert(id);
                }
                for (at, argument) in arguments.iter().enumerate() {
                    let pointer = strip_casts(program, *argument);
                    let is_address = matches!(program.expr(pointer).kind, ExprKind::AddressOf(_));
                    if is_address
                        && match reader(program, *callee, arguments, at) {
                            Reader::Certain => true,
                            Reader::Parameter(id) => read.contains(&id),
                            Reader::Unknown => false,
                        }
                    {
                        found.insert(pointer);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// A list and those in it.
fn lists(program: &Program, list: ExprId, found: &mut BTreeSet<ExprId>) {
    if let ExprKind::InitList(items) = &program.expr(list).kind {
        found.insert(list);
        for item in items {
            lists(program, *item, found);
        }
    }
}

fn is_array_of_numbers(program: &Program, ty: QualType) -> bool {
    match program.types.kind(ty.id) {
        TypeKind::Array(of, _) => {
            program.types.as_scalar(of.id).is_some() || is_array_of_numbers(program, *of)
        }
        _ => false,
    }
}

/// Whether a type is one of the C++ interface.
fn is_of_opencl(program: &Program, ty: QualType) -> bool {
    matches!(program.types.kind(ty.id), TypeKind::Named(name, _) if name.starts_with("cl::"))
}

/// Whether a call is one of a member function of the C++ interface, of an object that stands for a
/// kernel, or makes an object: they copy the numbers that they are given.
fn takes_copies(program: &Program, callee: ExprId) -> bool {
    match &program.expr(program.strip_parens(callee)).kind {
        ExprKind::Member { base, field: None, methods, .. } => {
            let ty = program.expr(*base).ty;
            let ty = match program.types.kind(ty.id) {
                TypeKind::Pointer(to) | TypeKind::Reference(to, _) => *to,
                _ => ty,
            };
            methods.is_empty() && is_of_opencl(program, ty)
        }
        ExprKind::Name(NameRef::Variable(id)) => is_of_opencl(program, program.variable(*id).ty),
        // `cl::NDRange(nx, ny)`
        ExprKind::Name(NameRef::Unknown(_) | NameRef::Functions(_)) => {
            let name = program.text(program.expr(callee).span);
            name.strip_prefix("cl::").is_some_and(|rest| rest.starts_with(char::is_uppercase))
        }
        _ => false,
    }
}

/// Whether a call is `kernel.setArg(…)`.
fn sets_argument(program: &Program, callee: ExprId) -> bool {
    match &program.expr(program.strip_parens(callee)).kind {
        ExprKind::Member { name, .. } => {
            takes_copies(program, callee) && program.text(*name) == "setArg"
        }
        _ => false,
    }
}

/// What a call does with what lies at an address that it is given.
enum Reader {
    /// It reads it, and no more.
    Certain,
    /// What is done with the parameter.
    Parameter(VarId),
    /// That is not known.
    Unknown,
}

fn reader(program: &Program, callee: ExprId, arguments: &[ExprId], at: usize) -> Reader {
    let is_certain = match resolve_callee(program, callee, arguments) {
        Callee::Library(name) => match name.as_str() {
            "clSetKernelArg" => at == 3,
            "clEnqueueNDRangeKernel" => matches!(at, 3..=5),
            _ => false,
        },
        Callee::Function(function) => {
            let parameter = program.function(function).parameters.get(at).copied();
            return parameter.map_or(Reader::Unknown, Reader::Parameter);
        }
        Callee::Ambiguous(_) | Callee::Unknown => {
            sets_argument(program, callee) && at + 1 == arguments.len()
        }
    };
    if is_certain { Reader::Certain } else { Reader::Unknown }
}

/// Parameters of which every use in the program is an argument that is only read.
fn read_parameters(program: &Program) -> BTreeSet<VarId> {
    let unmodelled = super::Changes::unmodelled(program);
    let mut pointers: BTreeSet<VarId> = program
        .variable_ids()
        .filter(|id| {
            let own = program.variable(*id);
            matches!(own.storage, Storage::Parameter { .. })
                && matches!(program.types.kind(own.ty.id), TypeKind::Pointer(_))
                && !unmodelled.contains(own.name.as_str())
        })
        .collect();
    if pointers.is_empty() {
        return pointers;
    }
    // Uses other than as an argument that may only be read, and the parameters that others are handed on to.
    let mut handed: BTreeMap<ExprId, Option<VarId>> = BTreeMap::new();
    for id in program.expr_ids() {
        let ExprKind::Call { callee, arguments, .. } = &program.expr(id).kind else { continue };
        for (at, argument) in arguments.iter().enumerate() {
            let name = strip_casts(program, *argument);
            let ExprKind::Name(NameRef::Variable(own)) = program.expr(name).kind else { continue };
            if pointers.contains(&own) {
                match reader(program, *callee, arguments, at) {
                    Reader::Certain => drop(handed.insert(name, None)),
                    Reader::Parameter(to) => drop(handed.insert(name, Some(to))),
                    Reader::Unknown => {}
                }
            }
        }
    }
    let mut steps: Vec<(VarId, VarId)> = Vec::new();
    for id in program.expr_ids() {
        if let ExprKind::Name(NameRef::Variable(name)) = program.expr(id).kind {
            match handed.get(&id) {
                Some(Some(to)) => steps.push((name, *to)),
                Some(None) => {}
                None => drop(pointers.remove(&name)),
            }
        }
    }
    // The greatest set of parameters that hand on to each other and to the library.
    loop {
        let before = pointers.len();
        let next: BTreeSet<VarId> = (steps.iter())
            .filter(|(_, to)| !pointers.contains(to))
            .map(|(from, _)| *from)
            .collect();
        pointers.retain(|id| !next.contains(id));
        if pointers.len() == before {
            return pointers;
        }
    }
}
