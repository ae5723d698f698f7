//! Pointers to member arrays that are taken for pointers to the elements around them.
//!
//! `rho(p[i].f)` with `float rho(const float *f) { … f[q] … }` would keep `f` whole in every layout, because the
//! pointer leads to its items one behind the other. But `rho` asks for nothing but `f[q]`, so it may as well be
//! given the element: `float rho(const T *f) { … f->f[q] … }`. That is what the model says of such a variable from
//! then on ([`MemberRows`](layoutc_syntax::MemberRows)), and it is a slot like any other: every use of it is
//! accepted or pinned as that of a pointer to an element, and nothing that this module decides can make an analysis less careful.
//!
//! A variable is a *row* of a member if
//! - every use of it is a subscript down to one value, of which nothing around it is reached, or an argument whose
//!   parameter is a row of the same member (the greatest such set);
//! - every value that it gets is that member of an element (`p[i].f`, `q->f`, `&p[i].f[0]`), or another such row.
//!
//! Claim: such a variable means the element as well as the array, since the path between them is one.
//! Functions that are called with a row here and with something else there get copies, which codegen writes beside
//! the original if the array changes.

use super::calls::{CallGraph, Callee, Context};
use super::single_object::{Hidden, SingleObjects};
use super::slots::is_reference;
use super::versions::named_otherwise;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::{
    ExecutionSpace, ExprId, ExprKind, FunctionId, MemberRow, NameRef, Program, QualType, RecordId,
    RecordTrait, Space, StmtKind, Storage, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// How often copies may need copies of what they call.
const ROUNDS: usize = 8;

/// How many copies a program may have for rows.
const MOST_COPIES: usize = 64;

/// Which member a row leads to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Member {
    record: RecordId,
    row: MemberRow,
}

/// Where a pointer to a member array begins.
struct Start {
    /// The expression that becomes the pointer to the element.
    expr: ExprId,
    /// The element, or the pointer to it.
    element: ExprId,
    /// What lies between.
    inside: Vec<ExprId>,
    member: Member,
    /// The type of the array.
    array: QualType,
}

/// The program with rows of the pointers that can be; none if there are none.
#[must_use]
pub fn with_member_rows(program: &Program) -> Option<Program> {
    let has_arrays = program.fields.iter().any(|field| array_item(program, field.ty).is_some());
    let refused = BTreeSet::new();
    let calls = has_arrays.then(|| CallGraph::new(program))?;
    if !Finder::new(program, &calls, &refused).has_starts() {
        return None;
    }
    let mut with_rows = program.clone();
    type_member_rows(&mut with_rows).then_some(with_rows)
}

/// Makes rows of the pointers that can be, with copies of functions where they are needed, and says whether there are any.
fn type_member_rows(program: &mut Program) -> bool {
    let mut refused = BTreeSet::new();
    let mut copies = 0;
    for _ in 0..ROUNDS {
        let calls = CallGraph::new(program);
        let mut finder = Finder::new(program, &calls, &refused);
        finder.find_members();
        let wanted = finder.wanted_copies();
        if wanted.is_empty() {
            finder.settle();
            finder.drop_whole_arrays();
            finder.declare_alike();
            let members = std::mem::take(&mut finder.members);
            let starts = finder.starts_of(&members);
            apply(program, &members, starts);
            return !members.is_empty();
        }
        for (function, calls) in wanted {
            copies += 1;
            if copies > MOST_COPIES {
                return false;
            }
            match program.copy_function(function, None, false) {
                Ok(copy) => calls.into_iter().for_each(|call| program.redirect_call(call, copy)),
                Err(_) => {
                    refused.insert(function);
                }
            }
        }
    }
    false
}

/// Gives the variables the type of a pointer to the element, and notes what begins them.
fn apply(program: &mut Program, members: &BTreeMap<VarId, Member>, starts: Vec<(Start, VarId)>) {
    let deduced = deduced_constness(program, members, &starts);
    for (id, member) in members {
        let own = program.variable(*id).ty;
        let is_const = is_to_const(program, own) || deduced.contains(id);
        let ty = pointer_to(program, member.record, is_const);
        program.variables[id.index()].ty = QualType { id: ty.id, ..own };
        program.rows.variables.insert(*id, member.row.clone());
    }
    for (start, to) in starts {
        program.exprs[start.expr.index()].ty = program.variable(to).ty;
        program.rows.starts.insert(start.expr, start.element);
        program.rows.inside.extend(start.inside);
    }
    // Operands come before the expressions that hold them.
    for at in 0..program.exprs.len() {
        let id = ExprId(at as u32);
        let ty = match program.exprs[at].kind {
            ExprKind::Name(NameRef::Variable(variable)) if members.contains_key(&variable) => {
                program.variable(variable).ty
            }
            ExprKind::Paren(inner)
                if program.row_start(program.strip_parens(inner)).is_some()
                    || program.row_of(id).is_some() =>
            {
                program.expr(inner).ty
            }
            _ => continue,
        };
        program.exprs[at].ty = ty;
    }
}

/// Variables declared with `auto` that lead to constant elements: the constness of an array is that of the object around it.
fn deduced_constness(
    program: &Program,
    members: &BTreeMap<VarId, Member>,
    starts: &[(Start, VarId)],
) -> BTreeSet<VarId> {
    let is_auto = |id: VarId| program.variable(id).is_auto;
    let is_of_constant = |start: &Start| {
        let ty = program.types.strip_reference(program.expr(start.element).ty);
        match *program.types.kind(ty.id) {
            TypeKind::Pointer(to) => to.is_const,
            _ => ty.is_const,
        }
    };
    let mut found: BTreeSet<VarId> = starts
        .iter()
        .filter(|(start, to)| is_auto(*to) && is_of_constant(start))
        .map(|(_, to)| *to)
        .collect();
    loop {
        let before = found.len();
        for id in members.keys().filter(|id| is_auto(**id)) {
            let from = program.variable(*id).init.map(|init| program.strip_parens(init));
            if let Some(ExprKind::Name(NameRef::Variable(from))) =
                from.map(|from| &program.expr(from).kind)
                && (found.contains(from) || is_to_const(program, program.variable(*from).ty))
            {
                found.insert(*id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn pointer_to(program: &mut Program, record: RecordId, is_const: bool) -> QualType {
    let record = QualType::plain(program.types.intern(TypeKind::Record(record)));
    program.types.pointer(QualType { is_const, ..record })
}

/// Whether what a pointer, reference or array leads to is constant.
fn is_to_const(program: &Program, ty: QualType) -> bool {
    let mut at = ty;
    loop {
        at = match *program.types.kind(at.id) {
            TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) => to,
            _ => return at.is_const,
        };
        if at.is_const {
            return true;
        }
    }
}

struct Finder<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    /// The variables that are used as rows are.
    usable: BTreeSet<VarId>,
    /// The member that each row leads to.
    members: BTreeMap<VarId, Member>,
    /// The calls of each function.
    called: BTreeMap<FunctionId, Vec<ExprId>>,
    /// Functions without copies.
    refused: &'a BTreeSet<FunctionId>,
}

impl<'a> Finder<'a> {
    fn new(program: &'a Program, calls: &'a CallGraph, refused: &'a BTreeSet<FunctionId>) -> Self {
        let mut names: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        let mut called: BTreeMap<FunctionId, Vec<ExprId>> = BTreeMap::new();
        let mut closed = named_otherwise(program, calls);
        for id in program.expr_ids() {
            match &program.expr(id).kind {
                ExprKind::Name(NameRef::Variable(variable)) => {
                    names.entry(*variable).or_default().push(id);
                }
                ExprKind::Call { callee, arguments, .. } => {
                    match calls.callee(program, *callee, arguments) {
                        Callee::Function(function) => called.entry(function).or_default().push(id),
                        Callee::Ambiguous(functions) => closed.extend(functions),
                        Callee::Library(_) | Callee::Unknown => {}
                    }
                }
                ExprKind::Launch { kernel, arguments, .. } => {
                    match calls.callee(program, *kernel, arguments) {
                        Callee::Function(function) => {
                            closed.insert(function);
                        }
                        Callee::Ambiguous(functions) => closed.extend(functions),
                        Callee::Library(_) | Callee::Unknown => {}
                    }
                }
                _ => {}
            }
        }
        closed.extend(program.operators.values());
        let mut this = Finder {
            program,
            calls,
            usable: BTreeSet::new(),
            members: BTreeMap::new(),
            called,
            refused,
        };
        this.usable = this.candidates(&closed);
        this.keep_usable(&names);
        this
    }

    /// Whether any array is given to a variable that could be a row.
    fn has_starts(&self) -> bool {
        self.usable
            .iter()
            .any(|id| self.values(*id).into_iter().any(|value| self.start(value).is_some()))
    }

    /// Variables of a type and place that rows may have.
    fn candidates(&self, closed: &BTreeSet<FunctionId>) -> BTreeSet<VarId> {
        let program = self.program;
        let hidden = Hidden::new(program);
        let heads = heads(program);
        let open: BTreeSet<FunctionId> =
            program.function_ids().filter(|id| !closed.contains(id) && self.is_open(*id)).collect();
        program
            .variable_ids()
            .filter(|id| {
                let variable = program.variable(*id);
                let is_plain = variable.space == Space::Default
                    && variable.pointer_space == Space::Default
                    && variable.redeclarations.is_empty()
                    && !variable.name.is_empty()
                    && !program.files[variable.site.name.file.index()].is_opencl
                    && program.declaration_home(&variable.site).is_none()
                    && item_of(program, variable.ty).is_some();
                let fits = match (variable.storage, variable.function) {
                    (Storage::Local, Some(_)) => {
                        variable.init.is_some()
                            && variable.site.declaration.is_some_and(|declaration| {
                                program.declaration(declaration).count == 1
                                    && !heads.contains(&declaration.0)
                            })
                    }
                    (Storage::Parameter { index }, Some(function)) => {
                        open.contains(&function)
                            && index < program.function(function).required_parameters
                            && program.function(function).parameters.get(index) == Some(id)
                    }
                    _ => false,
                };
                is_plain && fits && !hidden.mentions(program, *id)
            })
            .collect()
    }

    /// Whether all calls of a function are known, and its text is its own.
    fn is_open(&self, id: FunctionId) -> bool {
        let program = self.program;
        let function = program.function(id);
        let is_virtual = function.record.is_some_and(|record| {
            let traits = &program.record(record).traits;
            traits.iter().any(|(which, _)| *which == RecordTrait::Virtual)
        });
        function.body.is_some()
            && function.space != ExecutionSpace::Kernel
            && function.template_parameters.is_empty()
            && function.record.is_none()
            && !is_virtual
            && !function.is_variadic
            && !function.has_c_linkage
            && !function.name.starts_with("operator")
            && function.name != "main"
            && !self.is_overloaded(id)
            && function.sites.iter().all(|site| {
                program.files[site.span.file.index()].foreign.is_none()
                    && site.parameters.len() == function.parameters.len()
            })
    }

    /// Whether another function has the name: a version could have its parameters.
    fn is_overloaded(&self, id: FunctionId) -> bool {
        let program = self.program;
        let original = |id: FunctionId| {
            program.function(id).copy_of.as_ref().map_or(id, |copy_of| copy_of.original)
        };
        let own = program.function(id);
        program.function_ids().any(|other| {
            program.function(other).name == own.name
                && program.function(other).record.is_none()
                && original(other) != original(id)
        })
    }

    /// The greatest set of candidates whose every use is that of a row.
    fn keep_usable(&mut self, names: &BTreeMap<VarId, Vec<ExprId>>) {
        let singles = SingleObjects::find(self.program, self.calls);
        let lambdas: Vec<Span> = self
            .program
            .exprs
            .iter()
            .filter(|expr| matches!(expr.kind, ExprKind::Lambda { .. }))
            .map(|expr| expr.span)
            .collect();
        loop {
            let kept: BTreeSet<VarId> = self
                .usable
                .iter()
                .copied()
                .filter(|id| {
                    let site = self.program.variable(*id).site.name;
                    let mut uses = names.get(id).into_iter().flatten();
                    uses.all(|name| {
                        let at = self.program.expr(*name).span;
                        let is_captured = lambdas
                            .iter()
                            .any(|lambda| lambda.contains(at) && !lambda.contains(site));
                        !is_captured && self.is_use_of_row(*name, *id, &singles)
                    })
                })
                .collect();
            let is_done = kept.len() == self.usable.len();
            self.usable = kept;
            if is_done {
                return;
            }
        }
    }

    /// Whether one mention of a variable asks for one item of the array, or passes it on.
    fn is_use_of_row(&self, name: ExprId, id: VarId, singles: &SingleObjects) -> bool {
        let program = self.program;
        let Some(name) = self.outermost(name) else { return false };
        let alike = |id: VarId| item_of(program, program.variable(id).ty);
        let takes = |to: VarId| self.usable.contains(&to) && is_same(program, alike(to), alike(id));
        let (parent, position) = match self.calls.context(name) {
            Context::Operand(parent, position) => (parent, position),
            Context::Init(to) => return takes(to),
            _ => return false,
        };
        match &program.expr(parent).kind {
            ExprKind::Index { .. } if program.operators.contains_key(&parent) => false,
            ExprKind::Index { .. } if position != 0 => false,
            ExprKind::Index { .. } | ExprKind::Deref(_) => self.is_one_item(parent, singles),
            ExprKind::Call { callee, arguments, .. } => {
                let Callee::Function(function) = self.calls.callee(program, *callee, arguments)
                else {
                    return false;
                };
                position
                    .checked_sub(1)
                    .and_then(|at| program.function(function).parameters.get(at))
                    .is_some_and(|to| takes(*to))
            }
            _ => false,
        }
    }

    /// Whether a subscript leads to one value, or to an array of which another one does.
    fn is_one_item(&self, item: ExprId, singles: &SingleObjects) -> bool {
        let program = self.program;
        let Some(outer) = self.outermost(item) else { return false };
        if !matches!(program.types.kind(program.expr(item).ty.id), TypeKind::Array(..)) {
            return singles.object(item);
        }
        let Context::Operand(parent, 0) = self.calls.context(outer) else { return false };
        matches!(program.expr(parent).kind, ExprKind::Index { .. } | ExprKind::Deref(_))
            && self.is_one_item(parent, singles)
    }

    /// The expression with the parentheses around it; none if it stands in the text of a macro.
    fn outermost(&self, mut expr: ExprId) -> Option<ExprId> {
        let program = self.program;
        loop {
            if program.home(expr).is_some() || program.macro_role(expr).is_some() {
                return None;
            }
            match self.calls.context(expr) {
                Context::Operand(parent, _)
                    if matches!(program.expr(parent).kind, ExprKind::Paren(_)) =>
                {
                    expr = parent;
                }
                _ => return Some(expr),
            }
        }
    }

    /// All that a variable gets.
    fn values(&self, id: VarId) -> Vec<ExprId> {
        let variable = self.program.variable(id);
        match (variable.storage, variable.function) {
            (Storage::Parameter { index }, Some(function)) => self
                .called
                .get(&function)
                .into_iter()
                .flatten()
                .filter_map(|call| self.argument(*call, index))
                .collect(),
            _ => variable.init.into_iter().collect(),
        }
    }

    fn argument(&self, call: ExprId, at: usize) -> Option<ExprId> {
        match &self.program.expr(call).kind {
            ExprKind::Call { arguments, .. } => arguments.get(at).copied(),
            _ => None,
        }
    }

    /// The member array of an element that an expression is, or points to the first item of.
    fn start(&self, expr: ExprId) -> Option<Start> {
        let program = self.program;
        let bare = |mut at: ExprId| loop {
            if program.home(at).is_some() || program.macro_role(at).is_some() {
                return None;
            }
            match program.expr(at).kind {
                ExprKind::Paren(inner) => at = inner,
                _ => return Some(at),
            }
        };
        let expr = bare(expr)?;
        let mut inside = Vec::new();
        let mut at = expr;
        if let ExprKind::AddressOf(item) = program.expr(expr).kind {
            let first = bare(item)?;
            let ExprKind::Index { base, index, .. } = program.expr(first).kind else { return None };
            let is_first = matches!(program.expr(bare(index)?).kind, ExprKind::Integer(Some(0)));
            if !is_first || program.operators.contains_key(&first) {
                return None;
            }
            at = bare(base)?;
            inside.extend(parens(program, item).chain(parens(program, base)));
        }
        let array = program.expr(at).ty;
        let TypeKind::Array(..) = program.types.kind(array.id) else { return None };
        let mut fixed = Vec::new();
        while let ExprKind::Index { base, index, .. } = program.expr(at).kind {
            let ExprKind::Integer(Some(value)) = program.expr(bare(index)?).kind else {
                return None;
            };
            if program.operators.contains_key(&at) {
                return None;
            }
            fixed.insert(0, u64::try_from(value).ok()?);
            // The array that the row is of is an operand of the subscript and no more.
            if at != expr {
                inside.push(at);
            }
            at = bare(base)?;
        }
        let mut path = Vec::new();
        let element = loop {
            let ExprKind::Member { base, arrow, field: Some(field), .. } = program.expr(at).kind
            else {
                return None;
            };
            path.insert(0, field);
            if arrow {
                break base;
            }
            let inner = bare(base)?;
            match program.expr(inner).kind {
                ExprKind::Member { field: Some(_), .. } => at = inner,
                _ => break base,
            }
        };
        let inner = bare(element)?;
        let ty = program.expr(element).ty;
        let record = match program.expr(at).kind {
            ExprKind::Member { arrow: true, .. } => {
                let to = program.types.pointee(ty.id)?;
                let is_pointer = matches!(program.types.kind(ty.id), TypeKind::Pointer(_));
                program.types.as_record(to.id).filter(|_| is_pointer && self.is_named(inner))?
            }
            _ => {
                let record = program.types.as_record(ty.id)?;
                self.is_element(inner).then_some(record)?
            }
        };
        let is_whole = !program.record(record).is_union && program.record(record).body.is_some();
        let member = Member { record, row: MemberRow { path, fixed } };
        is_whole.then_some(Start { expr, element, inside, member, array })
    }

    /// Whether a pointer is one that the model follows.
    fn is_named(&self, pointer: ExprId) -> bool {
        matches!(
            self.program.expr(pointer).kind,
            ExprKind::Name(NameRef::Variable(_))
                | ExprKind::Member { field: Some(_), .. }
                | ExprKind::Index { .. }
                | ExprKind::Binary(..)
        )
    }

    /// Whether an expression is an element that is reached through a pointer or reference, no object of its own.
    fn is_element(&self, expr: ExprId) -> bool {
        let program = self.program;
        match program.expr(expr).kind {
            ExprKind::Index { .. } if program.operators.contains_key(&expr) => false,
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => {
                let base = program.strip_parens(base);
                let is_array =
                    matches!(program.types.kind(program.expr(base).ty.id), TypeKind::Array(..));
                match program.expr(base).kind {
                    ExprKind::Name(NameRef::Variable(id)) => {
                        let variable = program.variable(id);
                        let is_symbol = variable.function.is_none()
                            && matches!(variable.space, Space::Device | Space::Managed);
                        !is_array
                            || is_symbol
                            || matches!(variable.storage, Storage::Parameter { .. })
                    }
                    _ => !is_array,
                }
            }
            ExprKind::Name(NameRef::Variable(id)) => is_reference(program, id),
            _ => false,
        }
    }

    /// The member that a value leads to, if it is a row of the variable's type.
    fn member_of(&self, value: ExprId, to: VarId) -> Option<Member> {
        let program = self.program;
        if let ExprKind::Name(NameRef::Variable(id)) =
            program.expr(program.strip_parens(value)).kind
        {
            return self.members.get(&id).cloned();
        }
        let start = self.start(value)?;
        let own = array_item(program, start.array);
        is_same(program, own, item_of(program, program.variable(to).ty)).then_some(start.member)
    }

    /// Finds the member of each row: a least fixpoint.
    fn find_members(&mut self) {
        let program = self.program;
        loop {
            let mut changed = false;
            for id in &self.usable {
                if self.members.contains_key(id) {
                    continue;
                }
                // What a function passes on to itself is what it was given.
                let is_own = |value: &ExprId| {
                    matches!(program.expr(program.strip_parens(*value)).kind,
                        ExprKind::Name(NameRef::Variable(own)) if own == *id)
                };
                let mut values = self.values(*id);
                values.retain(|value| !is_own(value));
                let mut found = values.iter().map(|value| self.member_of(*value, *id));
                let Some(Some(member)) = found.next() else { continue };
                if found.all(|other| other.as_ref() == Some(&member)) {
                    self.members.insert(*id, member);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The functions that rows and other pointers share, or rows of several members, with the calls that each copy is for.
    fn wanted_copies(&self) -> Vec<(FunctionId, Vec<ExprId>)> {
        let mut found = Vec::new();
        for (function, calls) in &self.called {
            let own = self.program.function(*function);
            let parameters: Vec<(usize, VarId)> = (own.parameters.iter().copied().enumerate())
                .filter(|(_, id)| self.usable.contains(id))
                .collect();
            if parameters.is_empty() || self.refused.contains(function) {
                continue;
            }
            let mut by_members: BTreeMap<Vec<Option<Member>>, Vec<ExprId>> = BTreeMap::new();
            for call in calls {
                let members = parameters.iter().map(|(at, id)| {
                    self.argument(*call, *at).and_then(|value| self.member_of(value, *id))
                });
                by_members.entry(members.collect()).or_default().push(*call);
            }
            let is_shared = by_members.len() > 1;
            for (members, calls) in by_members {
                let record = members.iter().flatten().map(|member| member.record).next();
                let Some(record) = record else { continue };
                // In front of the struct only a version can name what is generated behind it.
                if is_shared || (own.copy_of.is_none() && !self.is_behind(*function, record)) {
                    found.push((*function, calls));
                }
            }
        }
        found
    }

    /// Whether a function stands behind the definition of a record in all of its text.
    fn is_behind(&self, function: FunctionId, record: RecordId) -> bool {
        let program = self.program;
        let Some(body) = program.record(record).body else { return false };
        program
            .function(function)
            .sites
            .iter()
            .all(|site| comes_before(program, body, site.span.file, site.span.start as usize))
    }

    /// Drops what gets something else, or is passed on to what is no row: the greatest such set.
    fn settle(&mut self) {
        let mut passes: Vec<(VarId, VarId)> = Vec::new();
        for id in &self.usable {
            for value in self.values(*id) {
                if let ExprKind::Name(NameRef::Variable(from)) =
                    self.program.expr(self.program.strip_parens(value)).kind
                {
                    passes.push((from, *id));
                }
            }
        }
        loop {
            let kept: BTreeMap<VarId, Member> = self
                .members
                .iter()
                .filter(|(id, member)| {
                    let is_filled = self
                        .values(**id)
                        .into_iter()
                        .all(|value| self.member_of(value, **id).as_ref() == Some(*member));
                    let is_passed = passes
                        .iter()
                        .filter(|(from, _)| from == *id)
                        .all(|(_, to)| self.members.get(to) == Some(*member));
                    is_filled && is_passed
                })
                .map(|(id, member)| (*id, member.clone()))
                .collect();
            let is_done = kept.len() == self.members.len();
            self.members = kept;
            if is_done {
                break;
            }
        }
    }

    /// Drops the rows of members that stay whole for another use in device code.
    fn drop_whole_arrays(&mut self) {
        let program = self.program;
        loop {
            let starts = self.starts_of(&self.members);
            let consumed: BTreeSet<ExprId> = starts
                .iter()
                .flat_map(|(start, _)| start.inside.iter().copied().chain([start.expr]))
                .collect();
            let whole: BTreeSet<Member> = program
                .expr_ids()
                .filter(|id| {
                    let is_array = matches!(program.expr(*id).kind, ExprKind::Member { .. })
                        && matches!(
                            program.types.kind(program.expr(*id).ty.id),
                            TypeKind::Array(..)
                        );
                    let function = self.calls.function(*id);
                    is_array
                        && function.is_some_and(|id| program.function(id).space.on_device())
                        && !self.is_divided(*id, &consumed)
                })
                .filter_map(|id| Some(self.start(id)?.member))
                .collect();
            let before = self.members.len();
            self.members.retain(|_, member| {
                !whole
                    .iter()
                    .any(|other| other.record == member.record && other.row.path == member.row.path)
            });
            if self.members.len() == before {
                return;
            }
            self.settle();
        }
    }

    /// Whether an array is only accessed item by item, or begins a row.
    fn is_divided(&self, array: ExprId, consumed: &BTreeSet<ExprId>) -> bool {
        let program = self.program;
        if consumed.contains(&array)
            || !matches!(program.types.kind(program.expr(array).ty.id), TypeKind::Array(..))
        {
            return true;
        }
        match self.calls.context(array) {
            Context::Operand(parent, position) => match &program.expr(parent).kind {
                ExprKind::Paren(_) => self.is_divided(parent, consumed),
                ExprKind::Index { .. } => position == 0 && self.is_divided(parent, consumed),
                ExprKind::Deref(_) => self.is_divided(parent, consumed),
                _ => false,
            },
            _ => false,
        }
    }

    /// Prototypes declare what definitions do.
    fn declare_alike(&mut self) {
        let mut more = Vec::new();
        for id in self.program.function_ids() {
            let function = self.program.function(id);
            for (at, own) in function.parameters.iter().enumerate() {
                let Some(member) = self.members.get(own) else { continue };
                let theirs = function.sites.iter().filter_map(|site| site.parameters.get(at));
                more.extend(theirs.map(|id| (*id, member.clone())));
            }
        }
        self.members.extend(more);
    }

    /// What begins the rows, with the variable that each flows into.
    fn starts_of(&self, members: &BTreeMap<VarId, Member>) -> Vec<(Start, VarId)> {
        let mut found = Vec::new();
        for id in self.usable.iter().filter(|id| members.contains_key(id)) {
            let values = self.values(*id).into_iter();
            found.extend(values.filter_map(|value| Some((self.start(value)?, *id))));
        }
        found
    }
}

/// Whether a definition ends before a place in each compilation that the place's file begins or is included by.
fn comes_before(program: &Program, definition: Span, file: FileId, at: usize) -> bool {
    if definition.file == file {
        return (definition.end as usize) <= at;
    }
    let mut stack: Vec<FileId> = program.files[file.index()]
        .includes
        .iter()
        .zip(&program.files[file.index()].include_offsets)
        .filter(|(_, offset)| **offset < at)
        .map(|(included, _)| *included)
        .collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if id == definition.file {
            return true;
        }
        if seen.insert(id) {
            stack.extend(&program.files[id.index()].includes);
        }
    }
    false
}

/// Declarations in the heads of statements.
fn heads(program: &Program) -> BTreeSet<u32> {
    let head = |kind: &StmtKind| match kind {
        StmtKind::If { init, .. }
        | StmtKind::For { init, .. }
        | StmtKind::While { init, .. }
        | StmtKind::Switch { init, .. } => *init,
        _ => None,
    };
    program
        .stmts
        .iter()
        .filter_map(|stmt| match program.stmt(head(&stmt.kind)?).kind {
            StmtKind::Declaration(id, _) => Some(id.0),
            _ => None,
        })
        .collect()
}

/// An expression and what is in its parentheses.
fn parens(program: &Program, expr: ExprId) -> impl Iterator<Item = ExprId> {
    std::iter::successors(Some(expr), |at| match program.expr(*at).kind {
        ExprKind::Paren(inner) => Some(inner),
        _ => None,
    })
}

/// What a pointer, an array parameter or a reference to an array has one behind the other: numbers, vectors,
/// enumerators, or arrays of them.
fn item_of(program: &Program, ty: QualType) -> Option<QualType> {
    let item = match *program.types.kind(ty.id) {
        TypeKind::Pointer(to) => to,
        TypeKind::Array(of, _) => of,
        TypeKind::Reference(to, false) => array_item(program, to)?,
        _ => return None,
    };
    is_plain(program, item).then_some(item)
}

/// The items of an array, if they are plain.
fn array_item(program: &Program, ty: QualType) -> Option<QualType> {
    match *program.types.kind(ty.id) {
        TypeKind::Array(of, _) if is_plain(program, of) => Some(of),
        _ => None,
    }
}

fn is_plain(program: &Program, item: QualType) -> bool {
    match *program.types.kind(item.id) {
        TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(..) => !item.is_volatile,
        TypeKind::Array(of, Some(_)) => is_plain(program, of),
        _ => false,
    }
}

/// Whether items are of one type but for constness.
fn is_same(program: &Program, left: Option<QualType>, right: Option<QualType>) -> bool {
    let (Some(left), Some(right)) = (left, right) else { return false };
    match (program.types.kind(left.id), program.types.kind(right.id)) {
        (TypeKind::Array(left, a), TypeKind::Array(right, b)) => {
            a == b && is_same(program, Some(*left), Some(*right))
        }
        _ => left.id == right.id,
    }
}
