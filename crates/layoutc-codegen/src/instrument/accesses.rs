//! Accesses of device code to elements.

use super::bodies::{InBodies, shared};
use super::lanes::{ranges_of, vector_of};
use super::noted::{Noted, around, bytes_of, is_unbindable};
use super::ranges::{joined, ranges};
use super::shapes::{members_of, shape_of};
use layoutc_analysis::cost_model::{ArraySource, CostModel};
use layoutc_analysis::profile::{Kind, Range};
use layoutc_dataflow::catalogue::intrinsics::{self, AccessKind};
use layoutc_dataflow::classes::{Callee, ClassId, ClassShape, Classes, PlaceKind, resolve_callee};
use layoutc_diagnostics::Span;
use layoutc_syntax::{
    ExpansionId, ExprId, ExprKind, FunctionId, Program, StmtId, StmtKind, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// An access.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) span: Span,
    /// What is handed to the recorder, within it.
    pub(super) noted: Noted,
    pub(super) class: ClassId,
    /// Positions of leaves, in order.
    pub(super) leaves: Vec<u32>,
    /// Bytes from the start of the object that the text is.
    pub(super) ranges: Vec<Range>,
    pub(super) kind: Kind,
    pub(super) function: FunctionId,
    /// The text in the functions that run it: its own, or the uses of the macro in whose body it stands.
    pub(super) uses: Vec<Span>,
}

/// What an expression stands in.
#[derive(Clone, Copy)]
enum Context {
    Operand(ExprId, usize),
    Init(VarId),
    Returned,
    Other,
}

/// All accesses by their text, in functions or in bodies of macros, and the places of those that have none to be noted in,
/// with the reason.
pub(super) fn find(
    program: &Program,
    classes: &Classes,
    model: &CostModel,
) -> (BTreeMap<Span, Found>, BTreeMap<Span, &'static str>) {
    let mut finder = Finder {
        program,
        classes,
        contexts: contexts(program),
        shapes: BTreeMap::new(),
        used: used_leaves(model),
        found: BTreeMap::new(),
        in_bodies: InBodies::new(),
        omitted: BTreeMap::new(),
        reader: None,
    };
    for function in program.function_ids() {
        let own = program.function(function);
        if own.body.is_none() || !own.space.on_device() {
            continue;
        }
        for expr in program.function_parts(function).exprs {
            finder.visit(function, expr);
        }
    }
    let (shared, omitted) = shared(program, std::mem::take(&mut finder.in_bodies));
    finder.found.extend(shared.into_iter().map(|own| (own.span, own)));
    finder.omitted.extend(omitted);
    finder.omitted.retain(|span, _| !finder.found.contains_key(span));
    (finder.found, finder.omitted)
}

/// What the model of costs takes of whole elements: of a copy only the members that are used.
fn used_leaves(model: &CostModel) -> BTreeMap<(Span, ClassId), BTreeSet<u32>> {
    let mut used: BTreeMap<(Span, ClassId), BTreeSet<u32>> = BTreeMap::new();
    for access in model.kernels.iter().flat_map(|kernel| &kernel.code.accesses) {
        if let ArraySource::Class(class) = model.arrays[access.array.0 as usize].source {
            let leaves = access.leaves.iter().map(|leaf| leaf.0);
            used.entry((access.text, class)).or_default().extend(leaves);
        }
    }
    used
}

fn contexts(program: &Program) -> Vec<Context> {
    let mut found = vec![Context::Other; program.exprs.len()];
    for id in program.expr_ids() {
        for (child, at) in program.expr(id).children().zip(0..) {
            found[child.index()] = Context::Operand(id, at);
        }
    }
    for id in program.variable_ids() {
        if let Some(init) = program.variable(id).init {
            found[init.index()] = Context::Init(id);
        }
    }
    for at in 0..program.stmts.len() as u32 {
        if let StmtKind::Return(Some(value)) = program.stmt(StmtId(at)).kind {
            found[value.index()] = Context::Returned;
        }
    }
    found
}

struct Finder<'a> {
    program: &'a Program,
    classes: &'a Classes,
    contexts: Vec<Context>,
    shapes: BTreeMap<ClassId, Option<ClassShape>>,
    used: BTreeMap<(Span, ClassId), BTreeSet<u32>>,
    found: BTreeMap<Span, Found>,
    in_bodies: InBodies,
    omitted: BTreeMap<Span, &'static str>,
    /// The parameter that the access which is looked at is a reference for, whose function only reads.
    reader: Option<VarId>,
}

/// What is done with a place.
enum Use {
    Access(Kind),
    /// Its address is taken, or a reference made of it: others access it, or it is a part of what is accessed.
    None,
    /// It is accessed where it cannot be noted.
    Unseen(&'static str),
}

impl Finder<'_> {
    fn visit(&mut self, function: FunctionId, expr: ExprId) {
        let (program, classes) = (self.program, self.classes);
        let Some((class, place)) = classes.place(expr) else { return };
        if matches!(program.expr(expr).kind, ExprKind::Paren(_)) {
            return;
        }
        // The outermost parentheses around it, and the outermost of those whose text is in the fewest bodies of macros.
        let (whole, mut outer, mut text) = (expr, expr, expr);
        loop {
            if self.depth(outer) <= self.depth(text) {
                text = outer;
            }
            match self.contexts[outer.index()] {
                Context::Operand(parent, _)
                    if matches!(program.expr(parent).kind, ExprKind::Paren(_)) =>
                {
                    outer = parent;
                }
                _ => break,
            }
        }
        let access = match self.use_of(function, outer, place) {
            Use::None => return,
            Use::Access(kind) => Ok(kind),
            Use::Unseen(because) => Err(because),
        };
        let hidden = self.hidden_in(outer);
        let expr = vector_of(program, expr);
        if expr != whole {
            text = expr;
        }
        let (span, home, site) =
            (program.expr(text).span, program.home(text), program.expr_site(text));
        let is_row = matches!(program.expr(expr).kind, ExprKind::Index { base, .. } | ExprKind::Deref(base)
            if program.row_of(base).is_some());
        let hidden = hidden.or(is_row.then_some("it goes through a pointer to a member array"));
        let access = match (access, hidden) {
            (Ok(_), Some(because)) | (Err(because), _) => Err(because),
            (Ok(kind), None) if is_unbindable(program, expr) => {
                around(program, expr, home).map(|(noted, offset)| (kind, noted, offset))
            }
            (Ok(kind), None) => Ok((kind, Noted::object(span), 0)),
        };
        let (kind, noted, offset) = match access {
            Ok(found) => found,
            Err(because) => {
                self.omitted.entry(site).or_insert(because);
                return;
            }
        };
        if self.shape(class).is_none() {
            self.omitted.entry(site).or_insert("the layout of its struct is not modelled");
            return;
        }
        let Some(leaves) = self.leaves(span, expr, class) else { return };
        let ranges = match program.expr(expr).kind {
            ExprKind::Member { field: Some(field), .. } if program.field(field).is_bit_field => {
                bytes_of(program, field).map(|(_, bytes)| vec![Range { offset: 0, bytes }])
            }
            _ => (ranges_of(program, whole, expr).filter(|_| expr != whole)).or_else(|| {
                self.shape(class).and_then(|own| ranges(program, own, expr, place, &leaves))
            }),
        };
        let Some(ranges) = ranges else {
            self.omitted.entry(site).or_insert("the size of its type is not known");
            return;
        };
        let from_noted = |own: Range| Range { offset: own.offset + offset, ..own };
        let ranges = ranges.into_iter().map(from_noted).collect();
        let uses = vec![site];
        let own = Found { span, noted, class, leaves, ranges, kind, function, uses };
        if let Some(home) = home {
            self.in_bodies.entry(span).or_default().push((home, own));
            return;
        }
        let known = self.found.entry(span).or_insert_with(|| own.clone());
        // Copies of a function access other arrays, perhaps; the first counts.
        if known.class == class {
            known.leaves.extend(own.leaves);
            known.leaves.sort_unstable();
            known.leaves.dedup();
            known.ranges.extend(own.ranges);
            known.ranges = joined(std::mem::take(&mut known.ranges));
        }
    }

    fn shape(&mut self, class: ClassId) -> Option<&ClassShape> {
        let (program, classes) = (self.program, self.classes);
        let shape =
            self.shapes.entry(class).or_insert_with(|| shape_of(program, classes.class(class)));
        shape.as_ref()
    }

    fn leaves(&mut self, span: Span, expr: ExprId, class: ClassId) -> Option<Vec<u32>> {
        self.shape(class);
        let (program, classes) = (self.program, self.classes);
        let shape = self.shapes.get(&class)?.as_ref()?;
        let (_, kind) = classes.place(expr)?;
        let leaves: Vec<u32> = match kind {
            PlaceKind::Element => {
                let used = self.used.get(&(program.expr(expr).span, class));
                let used = used.or_else(|| self.used.get(&(span, class)));
                let read = self.reader.map(|reader| members_of(program, reader));
                match (read, used) {
                    (Some(Some(fields)), _) => (shape.members.iter().zip(0..))
                        .filter(|(own, _)| own.path.first().is_some_and(|id| fields.contains(id)))
                        .map(|(_, at)| at)
                        .collect(),
                    (None, Some(used)) => used.iter().copied().collect(),
                    _ => shape.shape.leaf_ids().map(|leaf| leaf.0).collect(),
                }
            }
            PlaceKind::Part(path) => (shape.members.iter().zip(0..))
                .filter(|(own, _)| own.path.starts_with(path) || path.starts_with(&own.path))
                .map(|(_, at)| at)
                .collect(),
        };
        (!leaves.is_empty()).then_some(leaves)
    }

    /// What is done with a place that stands in `outer`.
    fn use_of(&mut self, function: FunctionId, outer: ExprId, kind: &PlaceKind) -> Use {
        self.reader = None;
        let program = self.program;
        let ty = program.expr(outer).ty;
        let is_array = matches!(program.types.kind(ty.id), TypeKind::Array(..));
        let read = || match is_array {
            true => Use::Unseen("a pointer to it is made"),
            false => Use::Access(Kind::Read),
        };
        match self.contexts[outer.index()] {
            Context::Other => read(),
            Context::Returned => {
                let result = program.function(function).result;
                match program.types.kind(result.id) {
                    TypeKind::Reference(..) => Use::None,
                    _ => read(),
                }
            }
            Context::Init(variable) => match program.types.kind(program.variable(variable).ty.id) {
                TypeKind::Reference(..) => Use::None,
                _ => read(),
            },
            Context::Operand(parent, position) => {
                let is_part = self.classes.place(parent).is_some();
                match &program.expr(parent).kind {
                    ExprKind::Member { methods, .. } if !methods.is_empty() => {
                        match methods.iter().any(|id| self.classes.reader_methods.contains(id)) {
                            true => read(),
                            false => Use::None,
                        }
                    }
                    ExprKind::Member { arrow: false, .. } if is_part => Use::None,
                    ExprKind::Index { .. } if position == 0 && (is_part || is_array) => Use::None,
                    ExprKind::Deref(_) if is_part => Use::None,
                    ExprKind::Conditional(..) if position > 0 && is_part => Use::None,
                    ExprKind::SizeOfExpr(_) => Use::None,
                    ExprKind::AddressOf(_) => self.use_of_address(parent),
                    ExprKind::Assign(op, ..) if position == 0 => match op {
                        None => Use::Access(Kind::Write),
                        Some(_) => Use::Access(Kind::Update),
                    },
                    ExprKind::Unary(op, _) if op.is_update() => Use::Access(Kind::Update),
                    ExprKind::Call { callee, arguments, .. } if position > 0 => {
                        match resolve_callee(program, *callee, arguments) {
                            Callee::Function(called) => {
                                let parameters = &program.function(called).parameters;
                                let parameter = parameters.get(position - 1).copied();
                                let ty = parameter
                                    .map(|id| program.types.kind(program.variable(id).ty.id));
                                // Inside, it is an object like any other.
                                let readers = &self.classes.reader_parameters;
                                self.reader = parameter.filter(|id| readers.contains(id));
                                match (ty, kind) {
                                    _ if self.reader.is_some() => read(),
                                    (Some(TypeKind::Reference(..)), PlaceKind::Element) => {
                                        Use::None
                                    }
                                    (Some(TypeKind::Reference(to, _)), PlaceKind::Part(_))
                                        if !to.is_const && !is_array =>
                                    {
                                        Use::Access(Kind::Update)
                                    }
                                    _ => read(),
                                }
                            }
                            Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => read(),
                        }
                    }
                    // An operator of the program takes references mostly; what it does is noted in it.
                    _ if program.operators.contains_key(&parent)
                        && matches!(kind, PlaceKind::Element) =>
                    {
                        Use::None
                    }
                    ExprKind::Lambda { .. } => Use::None,
                    _ => read(),
                }
            }
        }
    }

    /// What functions of the library do with an address: `atomicAdd(&p[i].x, 1)`.
    fn use_of_address(&self, address: ExprId) -> Use {
        let program = self.program;
        let mut outer = address;
        loop {
            let Context::Operand(parent, position) = self.contexts[outer.index()] else {
                return Use::None;
            };
            match &program.expr(parent).kind {
                ExprKind::Paren(_) | ExprKind::Cast { .. } => outer = parent,
                ExprKind::Call { callee, arguments, .. } if position == 1 => {
                    return match resolve_callee(program, *callee, arguments) {
                        Callee::Library(name) => match intrinsics::access(&name) {
                            Some(AccessKind::Read) => Use::Access(Kind::Read),
                            Some(AccessKind::Write) => Use::Access(Kind::Write),
                            Some(AccessKind::Atomic) => Use::Access(Kind::Atomic),
                            None => Use::None,
                        },
                        Callee::Function(_) | Callee::Ambiguous(_) | Callee::Unknown => Use::None,
                    };
                }
                _ => return Use::None,
            }
        }
    }

    /// In how many bodies of macros the text of an expression is.
    fn depth(&self, expr: ExprId) -> usize {
        let home = |id: &ExpansionId| self.program.expansion(*id).home;
        std::iter::successors(self.program.home(expr), home).count()
    }

    /// What around an expression is not known to evaluate it as it is written: a macro whose body is not in the model may
    /// make a string of it, and something without a form may ask for its type alone.
    fn hidden_in(&self, expr: ExprId) -> Option<&'static str> {
        let mut at = expr;
        while let Context::Operand(parent, _) = self.contexts[at.index()] {
            match self.program.expr(parent).kind {
                ExprKind::MacroCall { .. } => return Some("it goes through a macro"),
                ExprKind::Opaque(_) => return Some("it stands in something that is not modelled"),
                _ => at = parent,
            }
        }
        None
    }
}
