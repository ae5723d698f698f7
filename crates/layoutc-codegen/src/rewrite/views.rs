//! Parameters that become views: `Particle *p` turns into `ParticleView p`, and the function's body
//! stays as it is.
//!
//! A view is a pointer to tiles whose `operator[]` gives a struct of references to the members of one
//! element. *Form:* a parameter of a kernel or device function that leads to the start of an array in
//! tiles, and a local reference to one element of such a parameter. *Claim:* whatever the function
//! does with either is one of the uses below, and means the same with the struct of references; the
//! memory is that of the other form, so functions with views and without work on one array.
//!
//! | use | with a view |
//! |---|---|
//! | `p[i].x`, `p[i].f[k]`, `b.x` | the same text |
//! | `Particle q = p[i]`, `q = p[i]`, `f(p[i])`, `return p[i]` | the same text: the struct converts |
//! | `p[i] = q`, `p[i] = p[j]` | the same text: the struct assigns |
//! | `f(p)` | the same text if that parameter is such a view, otherwise `f(p.tiles)` |
//! | `if (p)`, `p == q` | `p.tiles` |

use super::Rewriter;
use super::heads::says_constexpr;
use super::order::FileOrder;
use crate::storage::{GroupKind, Storage};
use layoutc_dataflow::classes::{Callee, ClassId, PlaceKind, Slot, resolve_callee};
use layoutc_diagnostics::Span;
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    DeclarationId, ExecutionSpace, ExprId, ExprKind, FunctionId, NameRef, Program, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a view may do with the elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ViewKind {
    /// They are only read.
    pub(crate) is_const: bool,
    /// The parameter says `__restrict__`.
    pub(crate) is_restrict: bool,
}

/// Which views a program needs of one storage, and what their elements do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ViewNeeds {
    kinds: [bool; 4],
    /// Elements become records.
    pub(crate) loads: bool,
    /// Records become elements.
    pub(crate) stores: bool,
}

impl ViewNeeds {
    fn add(&mut self, kind: ViewKind) {
        self.kinds[usize::from(kind.is_const) * 2 + usize::from(kind.is_restrict)] = true;
    }

    /// The views in the order of their declarations.
    pub(crate) fn kinds(self) -> impl Iterator<Item = ViewKind> {
        let all = [false, true].into_iter().flat_map(|is_const| {
            [false, true].map(|is_restrict| ViewKind { is_const, is_restrict })
        });
        all.zip(self.kinds).filter(|(_, is_used)| *is_used).map(|(kind, _)| kind)
    }
}

/// What the rewriting knows of views.
#[derive(Default)]
pub(super) struct Views {
    /// Parameters, and references to their elements.
    variables: BTreeMap<VarId, (ClassId, ViewKind)>,
    /// Expressions whose own text stays.
    kept: BTreeSet<ExprId>,
}

/// How one use of a candidate looks.
enum Use {
    /// The text stays, of these expressions.
    Kept(Vec<ExprId>),
    /// An element as a value.
    Loaded(Vec<ExprId>),
    /// An element that is assigned.
    Stored(Vec<ExprId>),
    /// It starts a local reference.
    Referred(Vec<ExprId>, VarId),
    /// The pointer itself.
    Pointer,
}

/// A parameter whose uses all have a form, with what they need.
struct Candidate {
    class: ClassId,
    kind: ViewKind,
    /// The parameter in all declarations of its function, and the references to its elements.
    declared: Vec<VarId>,
    uses: Vec<Use>,
}

/// Leaves out candidates of a kernel so that its read-only loads stay; `is_free`: one of its pointers, to memory that may be
/// written, is not `__restrict__`.
///
/// nvcc 13.0 believes `__restrict__` of a view's member only where elements are stored through `__restrict__` parameters and no
/// other view. So views without `__restrict__` remain if there is a free pointer; otherwise one view that is stored to does, or
/// constant ones do: whichever are mentioned more often.
fn keep_read_only_loads(candidates: &mut Vec<(VarId, Candidate)>, is_free: bool) {
    if is_free {
        candidates.retain(|(_, own)| !own.kind.is_restrict);
        return;
    }
    let uses = |own: &(VarId, Candidate)| own.1.uses.len();
    let constant: usize = candidates.iter().filter(|own| own.1.kind.is_const).map(uses).sum();
    let mut best = None;
    for own in candidates.iter().filter(|own| !own.1.kind.is_const) {
        if best.is_none_or(|(most, _)| uses(own) > most) {
            best = Some((uses(own), own.0));
        }
    }
    let one = best.filter(|(most, _)| *most > constant).map(|(_, id)| id);
    candidates.retain(|(id, own)| one.map_or(own.kind.is_const, |one| *id == one));
}

impl Rewriter<'_> {
    /// Chooses the parameters that become views.
    pub(super) fn find_views(&mut self) {
        if self.storages.iter().all(|(_, storage)| storage.views.is_none()) {
            return;
        }
        let program = self.program;
        if brings_foreign_names(program) {
            return;
        }
        let mut mentions: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        let mut named: BTreeMap<FunctionId, bool> = BTreeMap::new();
        for id in program.expr_ids() {
            let ExprKind::Name(name) = &program.expr(id).kind else { continue };
            match name {
                NameRef::Variable(variable) => mentions.entry(*variable).or_default().push(id),
                NameRef::Functions(functions) => {
                    // A function whose address is taken has a type that others name.
                    let is_called = functions.len() == 1
                        && self.parents.of(id).is_some_and(|(parent, position)| {
                            position == 0 && self.is_plain_call(parent)
                        });
                    for function in functions {
                        *named.entry(*function).or_insert(true) &= is_called;
                    }
                }
                NameRef::Constant(_) | NameRef::Macro(_) | NameRef::Unknown(_) => {}
            }
        }
        let order = FileOrder::new(program);
        let is_alone = self.functions_with_one_text(&named);
        let mut candidates: BTreeMap<VarId, Candidate> = BTreeMap::new();
        for function in program.function_ids().filter(|id| is_alone.contains(id)) {
            let own = program.function(function);
            let parameters = own.parameters.iter().enumerate();
            let mut found: Vec<(VarId, Candidate)> = parameters
                .filter_map(|(at, id)| {
                    self.candidate(function, at, &mentions, &order).map(|found| (*id, found))
                })
                .collect();
            if own.space == ExecutionSpace::Kernel
                && found.iter().any(|(_, own)| own.kind.is_restrict)
            {
                let is_free = own.parameters.iter().any(|id| self.is_free_pointer(*id));
                keep_read_only_loads(&mut found, is_free);
            }
            candidates.extend(found);
        }
        for found in candidates.into_values() {
            self.take_view(found);
        }
        let found = std::mem::take(&mut self.views.variables);
        self.keep_arguments(&found, &mentions);
        self.views.variables = found;
    }

    /// Whether a parameter is a pointer to memory that may be written, without `__restrict__`.
    fn is_free_pointer(&self, parameter: VarId) -> bool {
        let ty = self.program.variable(parameter).ty;
        self.program.types.pointee(ty.id).is_some_and(|to| !to.is_const && !ty.is_restrict)
    }

    /// Whether a call has no list in braces as an argument, which may be a null pointer.
    fn is_plain_call(&self, call: ExprId) -> bool {
        let (ExprKind::Call { arguments, .. } | ExprKind::Launch { arguments, .. }) =
            &self.program.expr(call).kind
        else {
            return false;
        };
        let is_list = |at: &ExprId| matches!(self.program.expr(*at).kind, ExprKind::InitList(_));
        !arguments.iter().any(is_list)
    }

    /// Functions that stand in the program once, under a name of their own, and are only called.
    fn functions_with_one_text(&self, named: &BTreeMap<FunctionId, bool>) -> BTreeSet<FunctionId> {
        let program = self.program;
        let mut of_name: BTreeMap<&str, usize> = BTreeMap::new();
        let mut originals = BTreeSet::new();
        for id in program.function_ids() {
            let function = program.function(id);
            *of_name.entry(function.name.as_str()).or_default() += 1;
            originals.extend(function.copy_of.as_ref().map(|copy_of| copy_of.original));
        }
        program
            .function_ids()
            .filter(|id| {
                let function = program.function(*id);
                matches!(function.space, ExecutionSpace::Kernel | ExecutionSpace::Device)
                    && function.body.is_some()
                    && function.copy_of.is_none()
                    && function.record.is_none()
                    && function.template_parameters.is_empty()
                    && !function.is_variadic
                    && function.sites.iter().all(|site| !says_constexpr(program, *id, site))
                    && function.parameters.iter().all(|own| self.is_of_program(*own))
                    && !originals.contains(id)
                    && of_name.get(function.name.as_str()) == Some(&1)
                    && named.get(id) != Some(&false)
            })
            .collect()
    }

    /// Whether a parameter's type is one of the language, of CUDA or of the program. Those of libraries bring functions of
    /// theirs into calls, which could fit a pointer better than a function that takes a view.
    fn is_of_program(&self, parameter: VarId) -> bool {
        let types = &self.program.types;
        let mut ty = self.program.variable(parameter).ty.id;
        loop {
            match *types.kind(ty) {
                TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) => {
                    ty = to.id;
                }
                TypeKind::Void
                | TypeKind::Scalar(_)
                | TypeKind::Vector(_)
                | TypeKind::Record(_)
                | TypeKind::Enum(..) => return true,
                TypeKind::Unknown
                | TypeKind::Function
                | TypeKind::Named(..)
                | TypeKind::Opaque(_)
                | TypeKind::TemplateParameter(_) => return false,
            }
        }
    }

    /// A parameter that may become a view.
    fn candidate(
        &self,
        function: FunctionId,
        at: usize,
        mentions: &BTreeMap<VarId, Vec<ExprId>>,
        order: &FileOrder,
    ) -> Option<Candidate> {
        let program = self.program;
        let function = program.function(function);
        let parameter = *function.parameters.get(at)?;
        let class = self.changed_slot(Slot::Variable(parameter))?;
        let storage = self.storage(class).filter(|storage| storage.views.is_some())?;
        let variable = program.variable(parameter);
        let TypeKind::Pointer(to) = *program.types.kind(variable.ty.id) else { return None };
        let is_plain = !variable.ty.is_volatile
            && !variable.ty.is_const
            && !to.is_volatile
            && !variable.is_untyped
            && !variable.name.is_empty()
            && variable.redeclarations.is_empty();
        if !is_plain {
            return None;
        }
        let record = self.classes.class(class).element.record()?;
        let definition = super::placement::definition(program, record);
        // All declarations of the function have one type.
        let declared: Option<Vec<VarId>> =
            function.sites.iter().map(|site| site.parameters.get(at).copied()).collect();
        let declared = declared?;
        let is_declared = declared.contains(&parameter)
            && declared.iter().all(|id| {
                let own = program.variable(*id);
                let site = &own.site;
                own.ty.id == variable.ty.id
                    && self.changed_slot(Slot::Variable(*id)) == Some(class)
                    && !self.indices.contains_key(id)
                    && !program.default_arguments.contains_key(id)
                    && self.is_plain_declaration(site.declaration, site.span)
                    && site.pointers.len() == 1
                    && site.reference.is_none()
                    && !self.has_brackets(site.span)
                    && order.obstacle(site.span, definition).is_none()
            });
        if !is_declared {
            return None;
        }
        let kind = ViewKind { is_const: to.is_const, is_restrict: variable.ty.is_restrict };
        let mut found = Candidate { class, kind, declared, uses: Vec::new() };
        let mut todo = vec![parameter];
        while let Some(at) = todo.pop() {
            for mention in mentions.get(&at).into_iter().flatten() {
                let own = self.use_of(*mention, (at != parameter, kind), storage)?;
                if let Use::Referred(_, reference) = own {
                    found.declared.push(reference);
                    todo.push(reference);
                }
                found.uses.push(own);
            }
        }
        // Records with constructors or private members are made elsewhere.
        let is_whole = |own: &Use| matches!(own, Use::Loaded(_) | Use::Stored(_));
        if storage.members.is_some() && found.uses.iter().any(is_whole) {
            return None;
        }
        let is_kept = |own: &Use| !matches!(own, Use::Pointer);
        found.uses.iter().any(is_kept).then_some(found)
    }

    /// Whether a declarator is that of an array.
    fn has_brackets(&self, declarator: Span) -> bool {
        let mut behind = self.program.brackets.range(declarator.at_start()..);
        behind.next().is_some_and(|(brackets, _)| declarator.contains(*brackets))
    }

    /// Whether a declaration stands in the program's own CUDA text, with a type that it names itself.
    fn is_plain_declaration(&self, declaration: Option<DeclarationId>, span: Span) -> bool {
        let program = self.program;
        let file = &program.files[span.file.index()];
        declaration.is_some_and(|id| {
            let declaration = program.declaration(id);
            declaration.is_plain
                && declaration.count <= 1
                && matches!(program.types.kind(declaration.specifier_type.id), TypeKind::Record(_))
                && program.declaration_homes.of(id.index()).is_none()
        }) && !file.is_opencl
            && (file.is_cuda || !file.is_root)
            && !program.is_host_text(span)
    }

    /// How a name is used; nothing if that has no form with a view.
    fn use_of(
        &self,
        mention: ExprId,
        (is_reference, kind): (bool, ViewKind),
        storage: &Storage,
    ) -> Option<Use> {
        let program = self.program;
        let is_text =
            |expr: ExprId| program.home(expr).is_none() && program.macro_role(expr).is_none();
        if !is_text(mention) {
            return None;
        }
        let mut kept = vec![mention];
        // The element.
        let element = if is_reference {
            mention
        } else {
            let (parent, position) = self.parents.of(mention)?;
            match &program.expr(parent).kind {
                ExprKind::Index { .. } if position == 0 && is_text(parent) => {}
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    return self
                        .parameter_at(*callee, arguments, position - 1)
                        .map(|_| Use::Pointer);
                }
                ExprKind::Binary(
                    layoutc_syntax::BinaryOp::Eq | layoutc_syntax::BinaryOp::Ne,
                    ..,
                ) => return Some(Use::Pointer),
                _ => return None,
            }
            kept.push(parent);
            parent
        };
        if !matches!(self.classes.place(element), Some((_, PlaceKind::Element))) {
            return None;
        }
        if let Some((parent, _)) = self.parents.of(element)
            && let ExprKind::Member { arrow: false, field: Some(field), .. } =
                program.expr(parent).kind
        {
            let leaf = storage.shape.leaf_at(&[field])?;
            let mut whole = parent;
            kept.push(parent);
            for _ in &storage.shape.shape.leaves[leaf].extents {
                let (outer, position) = self.parents.of(whole)?;
                if position != 0 || !matches!(program.expr(outer).kind, ExprKind::Index { .. }) {
                    return None;
                }
                kept.push(outer);
                whole = outer;
            }
            return kept.iter().all(|expr| is_text(*expr)).then_some(Use::Kept(kept));
        }
        self.whole_use(element, (is_reference, kind), kept)
    }

    /// How a whole element is used.
    fn whole_use(
        &self,
        element: ExprId,
        (is_reference, kind): (bool, ViewKind),
        kept: Vec<ExprId>,
    ) -> Option<Use> {
        let program = self.program;
        let is_record = |ty: layoutc_syntax::QualType| program.types.as_record(ty.id).is_some();
        if let Some(variable) = self.inits.get(&element) {
            let own = program.variable(*variable);
            // What is deduced would be the struct of references: `auto b`, `auto [x, v]`.
            let declared = own.site.declaration.map(|id| program.declaration(id));
            let is_named = declared.is_some_and(|own| {
                own.is_plain && program.types.as_record(own.specifier_type.id).is_some()
            });
            if is_record(own.ty) && !own.is_auto {
                return is_named.then_some(Use::Loaded(kept));
            }
            // The struct of references is as constant as the view.
            let is_local = own.function.is_some()
                && !is_reference
                && matches!(*program.types.kind(own.ty.id), TypeKind::Reference(to, false)
                    if is_record(to) && to.is_const == kind.is_const)
                && self.changed_slot(Slot::Variable(*variable)).is_some()
                && self.is_plain_reference(*variable);
            return is_local.then_some(Use::Referred(kept, *variable));
        }
        let Some((parent, position)) = self.parents.of(element) else {
            let function = self.returned.get(&element)?;
            let function = program.function(*function);
            let is_named = |site: &layoutc_syntax::FunctionSite| {
                program.declaration_of(&site.result).is_some_and(|own| {
                    own.is_plain && program.types.as_record(own.specifier_type.id).is_some()
                })
            };
            let is_record = is_record(function.result) && function.sites.iter().all(is_named);
            return is_record.then_some(Use::Loaded(kept));
        };
        match &program.expr(parent).kind {
            ExprKind::Assign(None, _, right) if position == 0 => {
                let is_list = matches!(
                    program.expr(program.strip_parens(*right)).kind,
                    ExprKind::InitList(_)
                );
                (self.is_dropped(parent) && !is_list).then_some(())?;
                let kept = kept.into_iter().chain([parent]).collect();
                Some(Use::Stored(kept))
            }
            ExprKind::Assign(None, left, _) if position == 1 => {
                is_record(program.expr(*left).ty).then_some(Use::Loaded(kept))
            }
            ExprKind::Call { callee, arguments, .. } if position > 0 => {
                let parameter = self.parameter_at(*callee, arguments, position - 1)?;
                // Another function of the name could take the struct of references as it is.
                let name = |id: FunctionId| program.function(id).name.as_str();
                let own = program.variable(parameter).function.map(name);
                let is_alone = own.is_some_and(|own| {
                    program.function_ids().filter(|id| name(*id) == own).count() == 1
                });
                (is_alone && is_record(program.variable(parameter).ty)).then_some(Use::Loaded(kept))
            }
            _ => None,
        }
    }

    /// Whether a local reference is declared on its own, with the struct's name.
    fn is_plain_reference(&self, variable: VarId) -> bool {
        let own = self.program.variable(variable);
        !own.is_auto
            && own.storage == layoutc_syntax::Storage::Local
            && own.redeclarations.is_empty()
            && own.site.pointers.is_empty()
            && self.is_plain_declaration(own.site.declaration, own.site.span)
    }

    /// The parameter of a function of the program that an argument becomes.
    fn parameter_at(&self, callee: ExprId, arguments: &[ExprId], at: usize) -> Option<VarId> {
        let Callee::Function(function) = resolve_callee(self.program, callee, arguments) else {
            return None;
        };
        let function = self.program.function(function);
        if !function.template_parameters.is_empty() || function.copy_of.is_some() {
            return None;
        }
        function.parameters.get(at).copied()
    }

    /// Makes a parameter a view.
    fn take_view(&mut self, found: Candidate) {
        let Candidate { class, kind, declared, uses } = found;
        for variable in declared {
            self.views.variables.insert(variable, (class, kind));
            self.indices.remove(&variable);
        }
        self.needs(class).views.add(kind);
        for own in uses {
            match own {
                Use::Kept(kept) | Use::Referred(kept, _) => self.views.kept.extend(kept),
                Use::Loaded(kept) => {
                    self.needs(class).views.loads = true;
                    self.views.kept.extend(kept);
                }
                Use::Stored(kept) => {
                    self.needs(class).views.stores = true;
                    self.views.kept.extend(kept);
                }
                Use::Pointer => {}
            }
        }
    }

    /// Arguments whose parameters are views of the same kind stay.
    fn keep_arguments(
        &mut self,
        found: &BTreeMap<VarId, (ClassId, ViewKind)>,
        mentions: &BTreeMap<VarId, Vec<ExprId>>,
    ) {
        for (variable, own) in found {
            for mention in mentions.get(variable).into_iter().flatten() {
                let Some((parent, position)) = self.parents.of(*mention) else { continue };
                let ExprKind::Call { callee, arguments, .. } = &self.program.expr(parent).kind
                else {
                    continue;
                };
                let parameter = position
                    .checked_sub(1)
                    .and_then(|at| self.parameter_at(*callee, arguments, at));
                if let Some(parameter) = parameter
                    && found.get(&parameter) == Some(own)
                {
                    self.views.kept.insert(*mention);
                }
            }
        }
    }

    /// Whether the text of an expression stays, because its variable is a view.
    pub(super) fn is_kept_by_view(&self, expr: ExprId) -> bool {
        self.views.kept.contains(&expr)
    }

    /// The pointer to the tiles, where a view is used as a pointer.
    pub(super) fn tiles_of_view(&self, expr: ExprId) -> Option<String> {
        let ExprKind::Name(NameRef::Variable(variable)) = self.program.expr(expr).kind else {
            return None;
        };
        let (class, _) = self.views.variables.get(&variable)?;
        let names = self.storage(*class)?.views.as_ref()?;
        Some(format!("{}.{}", self.text(expr), names.tiles))
    }

    /// The type that a declared slot gets if it is a view, or a reference to an element of one.
    pub(super) fn view_type(&self, variable: Option<VarId>) -> Option<String> {
        let (class, kind) = self.views.variables.get(&variable?)?;
        let names = self.storage(*class)?.views.as_ref()?;
        let is_reference = matches!(
            self.program.types.kind(self.program.variable(variable?).ty.id),
            TypeKind::Reference(..)
        );
        Some(match is_reference {
            true => names.reference(kind.is_const).to_owned(),
            false => names.view(*kind).to_owned(),
        })
    }
}

/// Whether a file of the program makes names of a library visible (`using namespace std;`, `using std::swap;`): a template
/// there could fit a pointer better than a function that takes a view, or an element better than one that takes a record.
fn brings_foreign_names(program: &Program) -> bool {
    let own: BTreeSet<&str> = program
        .declarations
        .iter()
        .flat_map(|declaration| &declaration.namespaces)
        .map(String::as_str)
        .collect();
    program.files.iter().any(|file| {
        let text = program.sources.file(file.id).text();
        let words: Vec<&str> = tokens(text).into_iter().map(|token| token.text(text)).collect();
        words.windows(3).any(|three| match *three {
            ["using", "namespace", name] => !own.contains(name),
            ["using", name, "::"] => !own.contains(name),
            ["using", "::", _] => true,
            _ => false,
        })
    })
}

/// Names of the generated structs of one storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ViewNames {
    views: [String; 4],
    references: [String; 2],
    /// The views' pointer.
    pub(crate) tiles: String,
}

impl ViewNames {
    /// Takes names for the views of an array, if its elements have a form as references.
    pub(super) fn of(
        storage: &Storage,
        word: &str,
        names: &mut crate::names::Names,
    ) -> Option<ViewNames> {
        let [group] = storage.groups.as_slice() else { return None };
        let is_plain = |leaf: usize| {
            let shape = &storage.shape.shape.leaves[leaf];
            shape.extents.len() <= 1
                && shape.path == storage.leaf_names[leaf]
                && storage.shape.members[leaf].unit_dimensions.is_empty()
                && !shape.type_name.contains('(')
        };
        let has_form = matches!(group.kind, GroupKind::Tile { .. })
            && !storage.is_handle
            && !storage.is_opencl
            && !storage.is_record
            && storage.cells.is_none()
            && (0..storage.leaf_names.len()).all(is_plain)
            && !storage.leaf_names.contains(&storage.record);
        if !has_form {
            return None;
        }
        let word = crate::storage::upper_first(word);
        let mut fresh = |end: &str| names.fresh(&format!("{word}{end}"));
        let views = ["View", "RestrictView", "ConstView", "ConstRestrictView"].map(&mut fresh);
        let references = ["Reference", "ConstReference"].map(&mut fresh);
        Some(ViewNames { views, references, tiles: names.fresh("tiles") })
    }

    /// The view that takes the place of a pointer.
    pub(crate) fn view(&self, kind: ViewKind) -> &str {
        &self.views[usize::from(kind.is_const) * 2 + usize::from(kind.is_restrict)]
    }

    /// The struct of references to the members of an element.
    pub(crate) fn reference(&self, is_const: bool) -> &str {
        &self.references[usize::from(is_const)]
    }
}
