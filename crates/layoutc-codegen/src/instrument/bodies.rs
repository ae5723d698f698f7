//! Accesses in the bodies of macros.
//!
//! A `#define` has one text for all of its uses, so an access in it is noted there, for all of them at once. That does
//! what it should if the text is the same access everywhere: every mention of the macro is a use that the model
//! has, and in each of them the text is, in device code, an access of one kind to the same members of one array, and in
//! host code, where nothing is noted, an object that a reference can be bound to. C knows no `layoutcAt` but in
//! kernels. So no use is a text to be printed, a
//! condition of the preprocessor, or what has no address.

use super::accesses::Found;
use crate::macro_uses::is_accounted;
use layoutc_diagnostics::Span;
use layoutc_syntax::{ExpansionId, ExprId, ExprKind, Macro, NameRef, Program, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// The accesses by their text in the `#define`, each with the use of the macro that it is in.
pub(super) type InBodies = BTreeMap<Span, Vec<(ExpansionId, Found)>>;

/// Those that can be noted, and the uses of the others with the reason.
pub(super) fn shared(
    program: &Program,
    in_bodies: InBodies,
) -> (Vec<Found>, BTreeMap<Span, &'static str>) {
    let mut of_body: BTreeMap<Span, Vec<ExpansionId>> = BTreeMap::new();
    for (expansion, at) in program.expansions.iter().zip(0..) {
        of_body.entry(expansion.body).or_default().push(ExpansionId(at));
    }
    let bodies = Bodies {
        program,
        of_body,
        on_host: host_expressions(program, &in_bodies),
        printing: printing_arguments(program),
        has_c: program.files.iter().any(|file| {
            let path = program.sources.file(file.id).path();
            file.is_root && path.extension().is_some_and(|extension| extension == "c")
        }),
    };
    let (mut found, mut omitted) = (Vec::new(), BTreeMap::new());
    for (span, uses) in in_bodies {
        match bodies.common(span, &uses) {
            Ok(one) => found.push(one),
            Err(because) => {
                let sites = uses.iter().flat_map(|(_, own)| &own.uses);
                omitted.extend(sites.map(|site| (*site, because)));
            }
        }
    }
    (found, omitted)
}

struct Bodies<'a> {
    program: &'a Program,
    /// The uses of each body.
    of_body: BTreeMap<Span, Vec<ExpansionId>>,
    /// Expressions of host code, by the use of the macro and the text in its body.
    on_host: BTreeMap<(ExpansionId, Span), Vec<ExprId>>,
    /// Arguments that macros may make strings of, with the bodies of the macros that are used in them.
    printing: Vec<Span>,
    /// Code in C, which does not know `layoutcAt`, may use a macro of a header.
    has_c: bool,
}

impl Bodies<'_> {
    /// What a text in a body is in all uses.
    fn common(&self, span: Span, uses: &[(ExpansionId, Found)]) -> Result<Found, &'static str> {
        let program = self.program;
        let Some((id, first)) = uses.first() else { return Err("it is written in a macro") };
        let body = program.expansion(*id).body;
        if !is_of_kernels(program, span) && self.has_c {
            return Err("it is written in a macro of C");
        }
        if !is_accounted(program, body) {
            return Err("it is written in a macro with uses that are not modelled");
        }
        let mut one = first.clone();
        for (_, other) in uses {
            let is_same = (other.class, other.kind, &other.leaves, &other.ranges, other.noted)
                == (one.class, one.kind, &one.leaves, &one.ranges, one.noted);
            if !is_same {
                return Err("it is written in a macro that accesses several arrays or members");
            }
            one.uses.extend(&other.uses);
        }
        for use_of in self.of_body.get(&body).into_iter().flatten() {
            if self.is_printed(*use_of) {
                return Err("it is written in a macro whose text may be printed");
            }
            let is_noted = uses.iter().any(|(own, _)| own == use_of);
            if !is_noted && !self.is_harmless(*use_of, span) {
                return Err("it is written in a macro that does something else in another use");
            }
        }
        one.uses.sort();
        one.uses.dedup();
        Ok(one)
    }

    /// Whether a use, or one around it, stands in an argument that may be made a string.
    fn is_printed(&self, use_of: ExpansionId) -> bool {
        let around = |id: &ExpansionId| self.program.expansion(*id).home;
        std::iter::successors(Some(use_of), around).any(|id| {
            let name = self.program.expansion(id).name_span;
            self.printing.iter().any(|argument| argument.contains(name))
        })
    }

    /// Whether the text is, in a use by host code, an object that a reference can be bound to.
    fn is_harmless(&self, use_of: ExpansionId, span: Span) -> bool {
        let exprs = self.on_host.get(&(use_of, span));
        exprs.is_some_and(|exprs| exprs.iter().any(|expr| is_object(self.program, *expr)))
    }
}

/// Whether a text is that of kernels in OpenCL C alone: what puts `layoutcAt` in front of them sees it all.
fn is_of_kernels(program: &Program, span: Span) -> bool {
    let (own, source) = (&program.files[span.file.index()], program.sources.file(span.file));
    let is_named = source.path().extension().is_some_and(|extension| extension == "cl");
    own.is_opencl && (own.is_root && is_named || source.view().is_some())
}

/// Whether an expression is a variable, what a pointer points to, or a member of one of these other than a bit-field.
fn is_object(program: &Program, expr: ExprId) -> bool {
    let is_pointer =
        |expr: ExprId| matches!(program.types.kind(program.expr(expr).ty.id), TypeKind::Pointer(_));
    match program.expr(expr).kind {
        ExprKind::Paren(inner) => is_object(program, inner),
        ExprKind::Name(NameRef::Variable(_)) => true,
        _ if program.operators.contains_key(&expr) => false,
        ExprKind::Deref(base) | ExprKind::Index { base, .. } => {
            let ty = program.expr(base).ty;
            let is_array = matches!(program.types.kind(ty.id), TypeKind::Array(..));
            is_pointer(base) || (is_array && is_object(program, base))
        }
        ExprKind::Member { base, arrow, field: Some(field), .. } => {
            let is_reached = if arrow { is_pointer(base) } else { is_object(program, base) };
            is_reached && !program.field(field).is_bit_field
        }
        _ => false,
    }
}

/// The arguments of macros that make strings of parameters or paste them, or mention one that does.
fn printing_arguments(program: &Program) -> Vec<Span> {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    loop {
        let known = names.len();
        let prints = |own: &&Macro| {
            own.parameter_uses.iter().any(|one| one.stringized + one.pasted > 0)
                || own.body_identifiers.iter().any(|word| names.contains(word.as_str()))
        };
        let found: Vec<&str> =
            program.macros.iter().filter(prints).map(|own| own.name.as_str()).collect();
        names.extend(found);
        if names.len() == known {
            break;
        }
    }
    let prints = program.expansions.iter().filter(|own| names.contains(own.name.as_str()));
    prints.flat_map(|own| own.arguments.clone()).collect()
}

/// Expressions of host code in bodies of macros that have one of these texts.
fn host_expressions(
    program: &Program,
    in_bodies: &InBodies,
) -> BTreeMap<(ExpansionId, Span), Vec<ExprId>> {
    let mut found: BTreeMap<(ExpansionId, Span), Vec<ExprId>> = BTreeMap::new();
    let host = program.function_ids().filter(|id| !program.function(*id).space.on_device());
    let exprs: BTreeSet<ExprId> = match in_bodies.is_empty() {
        true => BTreeSet::new(),
        false => host.flat_map(|id| program.function_parts(id).exprs).collect(),
    };
    for expr in exprs {
        let span = program.expr(expr).span;
        if let Some(home) = program.home(expr).filter(|_| in_bodies.contains_key(&span)) {
            found.entry((home, span)).or_default().push(expr);
        }
    }
    found
}
