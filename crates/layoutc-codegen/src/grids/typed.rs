//! Arrays with extents in their types, as pointers to one value.
//!
//! In a class that changes, `float (*f)[NY][NX]` becomes `float *f`: the type would say where values
//! lie, and they lie elsewhere now. Parameters whose extents are no constants (C99) become so in any
//! case, and their subscripts sums of products, as no CUDA compiler takes them.

use super::Rewriter;
use crate::edit::Edit;
use layoutc_dataflow::catalogue::builtins::holds_builtin;
use layoutc_dataflow::classes::{
    Callee, Chain, ClassId, Declared, Extent, Slot, TypedArrays, brackets_of, is_of_variables,
    resolve_callee, takes_none,
};
use layoutc_dataflow::grid::facts::variables;
use layoutc_dataflow::grid::index::Atom;
use layoutc_diagnostics::{Code, Diagnostic, Span};
use layoutc_syntax::{
    BinaryOp, DeclarationId, DeclaratorSite, ExprId, ExprKind, FunctionId, MacroRole, NameRef,
    Program, QualType, Scalar, Space, StmtKind, Storage, TypeKind, VarId, evaluate,
};
use std::collections::{BTreeMap, BTreeSet};

/// Edits of types and of what is made of them: they apply where they stand, or within the text of a
/// larger edit.
pub(super) type SmallEdits = BTreeMap<Span, String>;

/// Whether a program has arrays of variable length that no CUDA compiler takes.
#[must_use]
pub fn has_variable_length(program: &Program) -> bool {
    program.brackets.values().flatten().any(|size| is_of_variables(program, *size))
}

/// What a declaration's specifier has to become, with the declarators that want it.
struct Specifier {
    text: String,
    wanted: BTreeSet<usize>,
    classes: BTreeSet<Option<ClassId>>,
    span: Span,
}

impl Rewriter<'_> {
    /// The edits of declarations, casts and sizes, and of the subscripts of C99 arrays that stay.
    pub(super) fn typed(&mut self) {
        let typed = self.typed;
        for id in self.plans.keys() {
            let flat =
                self.classes.class(*id).symbols.iter().find(|id| !typed.variables.contains_key(id));
            if let Some(symbol) = flat {
                let span = self.program.variable(*symbol).site.name;
                self.refusals.push((*id, super::pin(span, "this array would have another length")));
            }
        }
        self.declarations();
        // Where a row may be used at all, its text would mean a value.
        for (id, _) in typed.chains.iter().filter(|(_, chain)| !chain.is_value) {
            if let Some((class, _)) = self.classes.value(*id)
                && self.plans.contains_key(&class)
            {
                self.refuse(class, self.program.expr_site(*id), "this is a row of the grid");
            }
        }
        for (id, declared) in &typed.casts {
            let class = self.classes.value(*id).map(|(class, _)| class);
            if !self.is_flattened(class, declared) {
                continue;
            }
            let ExprKind::Cast { target_span, .. } = self.program.expr(*id).kind else { continue };
            if self.program.home(*id).is_some() {
                self.fail(class, self.program.expr(*id).span, "the cast stands in a macro");
                continue;
            }
            let text = format!("{} *", element_name(self.program, declared.element));
            self.small.insert(target_span, text);
        }
        for (id, size) in &typed.sizes {
            let class = size.slot.and_then(|slot| self.classes.class_of_slot(slot));
            if !class.is_some_and(|class| self.plans.contains_key(&class)) {
                continue;
            }
            let span = self.program.expr(*id).span;
            if self.program.home(*id).is_some() {
                self.fail(class, span, "the size is taken in a macro");
                continue;
            }
            let extents: String = size
                .extents
                .iter()
                .map(|extent| format!("[{}]", self.extent_text(*extent)))
                .collect();
            let plain = QualType { is_const: false, ..size.element };
            let text = format!("sizeof({}{extents})", element_name(self.program, plain));
            self.small.insert(span, text);
        }
        for id in &typed.rows {
            let ExprKind::Paren(operand) = self.program.expr(*id).kind else { continue };
            let class = self.classes.value(*id).map(|(class, _)| class);
            let is_variable = self.is_of_variable(operand);
            if !is_variable && !class.is_some_and(|class| self.plans.contains_key(&class)) {
                continue;
            }
            let (whole, inner) = (self.program.expr(*id).span, self.program.expr(operand).span);
            if self.program.home(*id).is_some() || self.program.home(operand).is_some() {
                self.fail(class, whole, "the row stands in a macro");
                continue;
            }
            self.small.insert(Span { end: inner.start, ..whole }, String::new());
        }
        for (id, root) in &typed.starts {
            let class = self.classes.value(*id).map(|(class, _)| class);
            let is_changed = class.is_some_and(|class| self.plans.contains_key(&class));
            if !is_changed && !self.is_of_variable(*root) {
                continue;
            }
            let span = self.program.expr(*id).span;
            if self.program.home(*id).is_some() || self.program.home(*root).is_some() {
                self.fail(class, self.program.expr_site(*id), "the row stands in a macro");
                continue;
            }
            let text = self.composed(self.program.expr(*root).span);
            self.small.insert(span, text);
        }
        for id in in_one_dimension(self.program) {
            let site = &self.program.variable(id).site;
            let written = brackets_of(self.program, site);
            let is_in_macro =
                site.declaration.is_none() || self.program.declaration_home(site).is_some();
            if is_in_macro || written.len() != 1 {
                self.fail(None, site.name, "a declaration of this form is not rewritten");
                continue;
            }
            let whole = Span { end: written[0].0.end, ..site.span };
            self.small.insert(whole, format!("*{}", self.program.text(site.name)));
        }
        self.lower();
    }

    /// Puts the small edits beside the others; within others they are part of the text.
    pub(super) fn finish_small(&mut self) {
        for (span, text) in std::mem::take(&mut self.small) {
            let is_inside = self.all_edits().any(|edit| edit.span.contains(span));
            if !is_inside && self.program.text(span) != text {
                self.edits.push(Edit::replace(span, text));
            }
        }
    }

    /// A text with the small edits in it.
    pub(super) fn composed(&self, span: Span) -> String {
        let mut out = String::new();
        let mut at = span.start;
        for (own, text) in self.small.range(Span { end: span.start, ..span }..) {
            if own.file != span.file || own.start >= span.end {
                break;
            }
            if own.start < at || own.end > span.end {
                continue;
            }
            out.push_str(self.program.text(Span { start: at, end: own.start, ..span }));
            out.push_str(text);
            at = own.end;
        }
        out.push_str(self.program.text(Span { start: at, ..span }));
        out
    }

    /// Whether an array of this type loses its extents.
    fn is_flattened(&self, class: Option<ClassId>, declared: &Declared) -> bool {
        declared.is_lowered || class.is_some_and(|class| self.plans.contains_key(&class))
    }

    /// Refuses a class that changes, or the lowering of the program.
    fn fail(&mut self, class: Option<ClassId>, span: Span, message: &str) {
        self.fail_as(Code::GRID_FORM, class, span, message);
    }

    fn fail_as(&mut self, code: Code, class: Option<ClassId>, span: Span, message: &str) {
        match class.filter(|class| self.plans.contains_key(class)) {
            Some(class) => self.refuse(class, span, message),
            None => self.errors.push(
                Diagnostic::error(
                    code,
                    "an array of variable length has no form in CUDA".to_owned(),
                )
                .at(span, message.to_owned()),
            ),
        }
    }

    /// Declarations of flattened slots.
    fn declarations(&mut self) {
        let typed = self.typed;
        let program = self.program;
        let mut specifiers: BTreeMap<DeclarationId, Specifier> = BTreeMap::new();
        let mut owners: BTreeMap<VarId, FunctionId> = BTreeMap::new();
        for id in program.function_ids() {
            let function = program.function(id);
            for parameter in
                function.sites.iter().flat_map(|site| &site.parameters).chain(&function.parameters)
            {
                owners.insert(*parameter, id);
            }
        }
        let slots = typed
            .variables
            .iter()
            .map(|(id, declared)| (Slot::Variable(*id), declared))
            .chain(typed.fields.iter().map(|(id, declared)| (Slot::Field(*id), declared)));
        for (slot, declared) in slots {
            let class = self.classes.class_of_slot(slot);
            if !self.is_flattened(class, declared) {
                continue;
            }
            let site = match slot {
                Slot::Variable(id) => &program.variable(id).site,
                Slot::Field(id) => &program.field(id).site,
                Slot::Result(_) => continue,
            };
            let overloaded = match slot {
                Slot::Variable(id) => owners.get(&id).is_some_and(|owner| {
                    let name = &program.function(*owner).name;
                    program
                        .function_ids()
                        .any(|other| other != *owner && program.function(other).name == *name)
                }),
                _ => false,
            };
            if overloaded {
                self.fail(class, site.name, "the function has overloads");
                continue;
            }
            if let Err(message) = self.unknown_extent(declared) {
                let (span, message) = message;
                self.fail_as(Code::GRID_EXTENT, class, span, &message);
                continue;
            }
            let result = match slot {
                Slot::Variable(id)
                    if matches!(
                        program.types.kind(program.variable(id).ty.id),
                        TypeKind::Array(..)
                    ) =>
                {
                    self.symbol(class, id, declared)
                }
                _ => self.pointer(class, site, declared, &mut specifiers),
            };
            if let Err(message) = result {
                self.fail(class, site.name, message);
            }
        }
        for (id, specifier) in specifiers {
            if specifier.wanted.len() < program.declaration(id).count {
                for class in specifier.classes {
                    let message = "other names of this declaration keep its type";
                    self.fail(class, specifier.span, message);
                }
                continue;
            }
            self.small.insert(specifier.span, specifier.text);
        }
    }

    /// The first extent that is no value which can be named.
    fn unknown_extent(&self, declared: &Declared) -> Result<(), (Span, String)> {
        for extent in declared.slowest.iter().chain(&declared.extents) {
            let Extent::Value(expr) = extent else { continue };
            let mut stack = vec![*expr];
            while let Some(at) = stack.pop() {
                let span = self.program.expr(at).span;
                match &self.program.expr(at).kind {
                    ExprKind::Name(NameRef::Variable(id)) => {
                        if self
                            .program
                            .types
                            .as_scalar(self.program.variable(*id).ty.id)
                            .is_none_or(|scalar| !scalar.is_integer())
                        {
                            return Err((
                                span,
                                format!("`{}` is no integer", self.program.text(span)),
                            ));
                        }
                        // Those of a prototype have no values.
                        let variable = self.program.variable(*id);
                        let is_prototype = matches!(variable.storage, Storage::Parameter { .. })
                            && variable.function.is_none();
                        if !is_prototype && !self.changes.is_constant(*id) {
                            let name = self.program.text(span);
                            return Err((span, format!("the extent `{name}` may change")));
                        }
                    }
                    ExprKind::Name(_) if evaluate::constant(self.program, at).is_none() => {
                        let name = self.program.text(span);
                        return Err((span, format!("the extent `{name}` is not known here")));
                    }
                    ExprKind::Name(_)
                    | ExprKind::Integer(_)
                    | ExprKind::Paren(_)
                    | ExprKind::Binary(..)
                    | ExprKind::Unary(..)
                    | ExprKind::Cast { .. } => {}
                    _ => return Err((span, "this extent is not followed".to_owned())),
                }
                stack.extend(self.program.expr(at).children());
            }
        }
        Ok(())
    }

    /// `__device__ float A[NZ][NY][NX]` with room for whole tiles.
    fn symbol(
        &mut self,
        class: Option<ClassId>,
        id: VarId,
        declared: &Declared,
    ) -> Result<(), &'static str> {
        let variable = self.program.variable(id);
        let written = brackets_of(self.program, &variable.site);
        let layers = declared.extents.len() + 1;
        if !matches!(variable.space, Space::Device) || written.len() != layers {
            return Err("an array of this form is not rewritten");
        }
        if self.program.declaration_home(&variable.site).is_some() {
            return Err("the array is declared in a macro");
        }
        let (Some(class), Some(slowest @ Extent::Constant(rows, _))) = (class, declared.slowest)
        else {
            return Err("the length of this array is not known");
        };
        let plan = self.plans[&class];
        let own: Vec<i64> = declared
            .extents
            .iter()
            .map(|extent| match extent {
                Extent::Constant(value, _) => *value,
                Extent::Value(_) => 0,
            })
            .collect();
        let theirs: Vec<i64> = plan.grid.dimensions[1..]
            .iter()
            .map(|dimension| dimension.extent.unwrap_or(0))
            .collect();
        if own != theirs {
            return Err("this array has other extents than the grid");
        }
        let count = super::flatten::values(&plan.grid, &plan.digits, rows);
        if count.is_none_or(|count| count > i64::from(i32::MAX)) {
            return Err("the array is too large");
        }
        let text = super::flatten::count(&plan.grid, &plan.digits, &self.extent_text(slowest), &[]);
        let (Some((first, _)), Some((last, _))) = (written.first(), written.last()) else {
            return Err("an array of this form is not rewritten");
        };
        self.small.insert(Span { end: last.end, ..*first }, format!("[{text}]"));
        Ok(())
    }

    /// `float (*f)[NY][NX]`, `float f[NZ][NY][NX]` and `Layer *f` as `float *f`.
    fn pointer(
        &mut self,
        class: Option<ClassId>,
        site: &DeclaratorSite,
        declared: &Declared,
        specifiers: &mut BTreeMap<DeclarationId, Specifier>,
    ) -> Result<(), &'static str> {
        const FORM: &str = "a declaration of this form is not rewritten";
        let program = self.program;
        let id = site.declaration.ok_or(FORM)?;
        let declaration = program.declaration(id);
        let is_deduced = !declaration.is_plain;
        let written = brackets_of(program, site);
        if is_deduced && written.is_empty() {
            // `auto` follows its initializer.
            return Ok(());
        }
        if is_deduced || program.declaration_home(site).is_some() {
            return Err(FORM);
        }
        let is_plain = written.iter().all(|(span, size)| {
            let inner = program.text(Span { start: span.start + 1, end: span.end - 1, ..*span });
            size.map_or("", |size| program.text(program.expr(size).span)) == inner.trim()
        });
        let pointers: Vec<&str> = site.pointers.iter().map(|span| program.text(*span)).collect();
        if pointers.len() > 1 || site.reference.is_some() || !is_plain {
            return Err(FORM);
        }
        let qualified = pointers.first().copied().unwrap_or("*").trim().to_owned();
        let space =
            if qualified.ends_with(|c: char| c.is_alphanumeric() || c == '_') { " " } else { "" };
        let name = program.text(site.name);
        match written.last() {
            Some((last, _)) => {
                let first = site.pointers.first().map_or(site.name.start, |span| span.start);
                // The parentheses of `(*f)[NX]`.
                let whole = Span { start: site.span.start.min(first), end: last.end, ..site.span };
                let before = program.text(Span { end: first, ..whole }).trim();
                let from = if name.is_empty() {
                    site.pointers.first().map_or(whole.start, |span| span.end)
                } else {
                    site.name.end
                };
                let between = program.text(Span { start: from, end: written[0].0.start, ..whole });
                if !before.chars().chain(between.trim().chars()).all(|c| matches!(c, '(' | ')')) {
                    return Err(FORM);
                }
                self.small.insert(whole, format!("{qualified}{space}{name}"));
            }
            None if site.pointers.is_empty() => {
                self.small.insert(site.name, format!("*{name}"));
            }
            None => {}
        }
        // What the brackets do not say, a typedef does.
        let specified = declared.extents.len() + usize::from(site.pointers.is_empty());
        if written.len() < specified {
            let plain = QualType { is_const: false, ..declared.element };
            // In front of the specifier, or behind it.
            let start = site.span.start.max(declaration.specifier.end);
            let around = [
                Span { end: declaration.specifier.start, ..declaration.span },
                Span { start: declaration.specifier.end, end: start, ..declaration.span },
            ];
            let is_marked = around.into_iter().any(|around| {
                program
                    .text(around)
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|word| word == "const")
            });
            let element =
                if declared.element.is_const && !is_marked { declared.element } else { plain };
            let own = specifiers.entry(id).or_insert_with(|| Specifier {
                text: element_name(program, element),
                wanted: BTreeSet::new(),
                classes: BTreeSet::new(),
                span: declaration.specifier,
            });
            own.wanted.insert(site.index);
            own.classes.insert(class);
        }
        Ok(())
    }

    /// An extent as text that means the same everywhere, or a number.
    fn extent_text(&self, extent: Extent) -> String {
        match extent {
            Extent::Constant(value, size) => {
                let is_global = size.is_some_and(|size| {
                    self.program.home(size).is_none()
                        && match &self.program.expr(size).kind {
                            ExprKind::Integer(_) | ExprKind::Name(NameRef::Constant(_)) => true,
                            ExprKind::Name(NameRef::Macro(name)) => self.is_atomic(name),
                            ExprKind::Name(NameRef::Variable(id)) => {
                                self.program.variable(*id).function.is_none()
                            }
                            ExprKind::Paren(_) => matches!(
                                self.program.macro_role(size),
                                Some(MacroRole::Use(id))
                                    if self.program.expansion(id).parameters.is_empty()
                                        && self.is_atomic(&self.program.expansion(id).name)
                            ),
                            _ => false,
                        }
                });
                match size.filter(|_| is_global) {
                    Some(size) => self.program.text(self.program.expr(size).span).to_owned(),
                    None => value.to_string(),
                }
            }
            Extent::Value(size) => {
                let text = self.composed(self.program.expr(size).span);
                if self.is_simple(size) { text } else { format!("({text})") }
            }
        }
    }

    /// Whether operators around a macro's use cannot divide its body.
    fn is_atomic(&self, name: &str) -> bool {
        let mut found = self.program.macros.iter().filter(|def| def.name == name).peekable();
        found.peek().is_some() && found.all(|def| def.is_atomic)
    }

    /// Whether an expression can be a factor as it is written.
    fn is_simple(&self, expr: ExprId) -> bool {
        if let Some(role) = self.program.macro_role(expr) {
            return matches!(role, MacroRole::Use(id)
                if self.is_atomic(&self.program.expansion(id).name));
        }
        if let ExprKind::Name(NameRef::Macro(name)) = &self.program.expr(expr).kind {
            return self.is_atomic(name);
        }
        matches!(
            self.program.expr(expr).kind,
            ExprKind::Name(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Call { .. }
                | ExprKind::Integer(_)
                | ExprKind::Paren(_)
        )
    }

    /// Whether an expression can be added as it is written.
    fn is_term(&self, expr: ExprId) -> bool {
        self.program.macro_role(expr).is_none()
            && matches!(
                self.program.expr(expr).kind,
                ExprKind::Binary(
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem,
                    ..
                )
            )
            || self.is_simple(expr)
    }

    /// The sum of a chain as C: `(y*nx + x)*4 + e`.
    pub(super) fn sum_text(&self, chain: &Chain, is_exact: bool) -> String {
        let program = self.program;
        let text = |expr: ExprId| self.composed(program.expr(expr).span);
        let is_zero = |expr: ExprId| matches!(program.expr(expr).kind, ExprKind::Integer(Some(0)));
        // The sum so far, and whether it can be a factor.
        let mut sum: Option<(String, bool)> = None;
        let mut next = chain.subscripts.iter().copied();
        if let Some(first) = next.next().filter(|first| !is_zero(*first)) {
            sum = Some((text(first), self.is_simple(first)));
        }
        for extent in &chain.declared.extents {
            if let Some((high, is_factor)) = &mut sum {
                let factor = if *is_factor { high.clone() } else { format!("({high})") };
                let widened =
                    if is_exact && !factor.starts_with("(long long)") && !high.contains('*') {
                        "(long long)"
                    } else {
                        ""
                    };
                *high = format!("{widened}{factor}*{}", self.extent_text(*extent));
                *is_factor = false;
            }
            let Some(subscript) = next.next().filter(|subscript| !is_zero(*subscript)) else {
                if let Some((_, is_factor)) = &mut sum {
                    // A product can be multiplied as it is.
                    *is_factor = true;
                }
                continue;
            };
            sum = Some(match sum {
                None => (text(subscript), self.is_simple(subscript)),
                Some((high, _)) if self.is_term(subscript) => {
                    (format!("{high} + {}", text(subscript)), false)
                }
                Some((high, _)) => (format!("{high} + ({})", text(subscript)), false),
            });
        }
        sum.map_or_else(|| "0".to_owned(), |(sum, _)| sum)
    }

    /// Whether unsigned and signed values meet in a sum, so that it would be computed in another
    /// way than subscripts are.
    fn mixes_signs(&self, chain: &Chain) -> bool {
        let values = chain.declared.extents.iter().filter_map(|extent| match extent {
            Extent::Value(expr) => Some(*expr),
            Extent::Constant(..) => None,
        });
        let (mut signed, mut unsigned) = (false, false);
        for expr in chain.subscripts.iter().copied().chain(values) {
            if evaluate::constant(self.program, expr).is_some() {
                continue;
            }
            match self.program.types.as_scalar(self.program.expr(expr).ty.id) {
                Some(scalar) if scalar.is_unsigned() && scalar.size() >= 4 => unsigned = true,
                Some(_) => signed = true,
                None if holds_builtin(self.program, expr) => unsigned = true,
                None => (signed, unsigned) = (true, true),
            }
        }
        signed && unsigned
    }

    /// Whether an expression names an array of variable length.
    fn is_of_variable(&self, expr: ExprId) -> bool {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let declared = match self.program.expr(at).kind {
                ExprKind::Name(NameRef::Variable(id)) => self.typed.variables.get(&id),
                _ => None,
            };
            if declared.is_some_and(|declared| declared.is_lowered) {
                return true;
            }
            if let ExprKind::Paren(inner)
            | ExprKind::Deref(inner)
            | ExprKind::AddressOf(inner)
            | ExprKind::Cast { operand: inner, .. }
            | ExprKind::Index { base: inner, .. } = self.program.expr(at).kind
            {
                stack.push(inner);
            } else if let ExprKind::Binary(_, left, right) = self.program.expr(at).kind {
                stack.extend([left, right]);
            }
        }
        false
    }

    /// Whether an expression still points to rows when the edits are made.
    fn keeps_rows(&self, expr: ExprId) -> Option<bool> {
        let expr = self.program.strip_parens(expr);
        let class = self.classes.value(expr).map(|(class, _)| class);
        let declared = match self.program.expr(expr).kind {
            ExprKind::Name(NameRef::Variable(id)) => self.typed.variables.get(&id)?,
            ExprKind::Cast { .. } => self.typed.casts.get(&expr)?,
            _ => {
                let chain = self.typed.chains.get(&expr)?;
                if chain.subscripts.len() >= chain.declared.extents.len() {
                    return None;
                }
                &chain.declared
            }
        };
        Some(!self.is_flattened(class, declared))
    }

    /// Pointers to rows that meet arrays of variable length, which are pointers to values now.
    fn meetings(&mut self) {
        let program = self.program;
        let mut flows: Vec<(VarId, ExprId)> = program
            .variable_ids()
            .filter_map(|id| Some((id, program.variable(id).init?)))
            .collect();
        for expr in &program.exprs {
            if let ExprKind::Call { callee, arguments, .. }
            | ExprKind::Launch { kernel: callee, arguments, .. } = &expr.kind
                && let Callee::Function(function) = resolve_callee(program, *callee, arguments)
            {
                let parameters = program.function(function).parameters.iter().copied();
                flows.extend(parameters.zip(arguments.iter().copied()));
            }
        }
        for (to, from) in flows {
            let Some(declared) = self.typed.variables.get(&to) else { continue };
            let class = self.classes.class_of_slot(Slot::Variable(to));
            if class.is_some_and(|class| self.plans.contains_key(&class)) {
                continue;
            }
            let span = program.expr(from).span;
            match (declared.is_lowered, self.keeps_rows(from)) {
                // A cast that host code may write becomes one to what the function takes.
                (true, Some(true)) if let Some(target) = self.cast_of_variables(from) => {
                    let text = format!("{} *", element_name(program, declared.element));
                    self.small.insert(target, text);
                }
                (true, Some(true)) if program.home(from).is_none() => {
                    let text = format!("({} *)", element_name(program, declared.element));
                    self.small.insert(Span { end: span.start, ..span }, text);
                }
                (true, Some(true)) | (false, Some(false)) => {
                    let message = "an array of variable length meets one of other extents here";
                    self.fail(None, span, message);
                }
                _ => {}
            }
        }
    }

    /// The type of a cast to an array of variable length.
    fn cast_of_variables(&self, expr: ExprId) -> Option<Span> {
        let expr = self.program.strip_parens(expr);
        let ExprKind::Cast { target_span, .. } = self.program.expr(expr).kind else { return None };
        let declared = self.typed.casts.get(&expr)?;
        (declared.is_variable() && self.program.home(expr).is_none()).then_some(target_span)
    }

    /// Subscripts of C99 arrays whose class does not change.
    fn lower(&mut self) {
        let (typed, program) = (self.typed, self.program);
        if typed.variables.values().any(|declared| declared.is_lowered) {
            self.meetings();
        }
        let is_needed = typed.chains.values().any(|chain| chain.declared.is_lowered);
        for (id, message) in &typed.awkward {
            if self.is_of_variable(*id) {
                self.fail(None, program.expr(*id).span, message);
            }
        }
        for (id, base) in &typed.too_many {
            let Some(chain) = typed.chains.get(base).filter(|chain| chain.declared.is_lowered)
            else {
                continue;
            };
            let message = format!(
                "`{}` has {} dimensions, and this is one subscript more",
                program.text(program.expr(chain.root).span),
                chain.declared.extents.len() + 1,
            );
            self.fail_as(Code::GRID_RANK, None, program.expr(*id).span, &message);
        }
        if !is_needed {
            return;
        }
        let mut functions: BTreeMap<ExprId, FunctionId> = BTreeMap::new();
        for function in program.function_ids() {
            for expr in program.function_parts(function).exprs {
                functions.insert(expr, function);
            }
        }
        let alone = standing_alone(program);
        let written: BTreeSet<ExprId> = program
            .exprs
            .iter()
            .filter_map(|expr| match expr.kind {
                ExprKind::Assign(_, left, _) => Some(program.strip_parens(left)),
                _ => None,
            })
            .collect();
        for (id, chain) in &typed.chains {
            if !chain.declared.is_lowered {
                continue;
            }
            let expr = program.expr(*id);
            let class = self.classes.place(*id).map(|(class, _)| class);
            let class = class.or_else(|| self.classes.value(*id).map(|(class, _)| class));
            if written.contains(id) && !chain.is_value {
                let message = format!(
                    "`{}` has {} dimensions, and this names a row",
                    program.text(program.expr(chain.root).span),
                    chain.declared.extents.len() + 1,
                );
                self.fail_as(Code::GRID_RANK, None, expr.span, &message);
                continue;
            }
            if class.is_some_and(|class| self.plans.contains_key(&class)) {
                continue;
            }
            if program.home(*id).is_some() || program.home(chain.root).is_some() {
                self.fail(None, program.expr_site(*id), "the subscripts stand in a macro");
                continue;
            }
            let function = functions.get(id).copied();
            let names = chain.declared.extents.iter().flat_map(|extent| match extent {
                Extent::Value(expr) => variables(program, *expr),
                Extent::Constant(..) => BTreeSet::new(),
            });
            let hidden = names.into_iter().find(|name| {
                function.is_none_or(|function| {
                    self.atom(&BTreeMap::new(), Atom::Variable(*name), function, true).is_err()
                        || !self.is_visible(*name, expr.span)
                })
            });
            if let Some(name) = hidden {
                let message =
                    format!("the extent `{}` cannot be named here", program.variable(name).name);
                self.fail(None, expr.span, &message);
                continue;
            }
            let text = self.sum_text(chain, self.mixes_signs(chain));
            if chain.is_value {
                self.small.insert(chain.span, text);
            } else {
                let root = program.expr(chain.root).span;
                let is_alone = alone.contains(id);
                let end = chain.span.end + 1;
                if root.start != expr.span.start || end != expr.span.end {
                    self.fail(None, expr.span, "a row of this form is not followed");
                    continue;
                }
                let whole = format!("{} + {text}", self.composed(root));
                let whole = match (text.as_str(), is_alone) {
                    ("0", _) => self.composed(root),
                    (_, true) => whole,
                    (_, false) => format!("({whole})"),
                };
                self.small.insert(expr.span, whole);
            }
        }
        // Larger texts hold the smaller ones already.
        let spans: Vec<Span> = self.small.keys().copied().collect();
        self.small
            .retain(|span, _| !spans.iter().any(|other| other != span && other.contains(*span)));
    }
}

/// Expressions around which no operator stands.
fn standing_alone(program: &Program) -> BTreeSet<ExprId> {
    let mut found: BTreeSet<ExprId> =
        program.variables.iter().filter_map(|variable| variable.init).collect();
    for expr in &program.exprs {
        match &expr.kind {
            ExprKind::Call { arguments, .. } | ExprKind::Launch { arguments, .. } => {
                found.extend(arguments.iter().copied());
            }
            ExprKind::Assign(_, _, right) => {
                found.insert(*right);
            }
            ExprKind::Paren(inner) => {
                found.insert(*inner);
            }
            _ => {}
        }
    }
    for stmt in &program.stmts {
        if let StmtKind::Return(Some(value)) = stmt.kind {
            found.insert(value);
        }
    }
    found
}

/// A scalar type as C++ writes it.
fn element_name(program: &Program, element: QualType) -> String {
    let scalar = program.types.as_scalar(element.id);
    let volatile = if element.is_volatile { "volatile " } else { "" };
    let constant = if element.is_const { "const " } else { "" };
    format!("{constant}{volatile}{}", scalar.map_or("", Scalar::spelling))
}

/// Whether there is anything to lower.
#[must_use]
pub fn lowers(program: &Program, typed: &TypedArrays) -> bool {
    typed.variables.values().any(|declared| declared.is_lowered)
        || !in_one_dimension(program).is_empty()
}

/// Parameters such as `int order[n]`.
fn in_one_dimension(program: &Program) -> Vec<VarId> {
    program
        .variable_ids()
        .filter(|id| {
            let variable = program.variable(*id);
            matches!(variable.storage, Storage::Parameter { .. })
                && takes_none(program, variable)
                && variable.site.pointers.is_empty()
                && matches!(program.types.kind(variable.ty.id), TypeKind::Pointer(_))
                && match brackets_of(program, &variable.site)[..] {
                    [(_, Some(size))] => {
                        evaluate::constant(program, size).is_none()
                            && is_of_variables(program, size)
                            && is_of_parameters(program, size)
                    }
                    _ => false,
                }
        })
        .collect()
}

/// Whether a length is made of other parameters.
fn is_of_parameters(program: &Program, size: ExprId) -> bool {
    variables(program, size)
        .iter()
        .any(|id| matches!(program.variable(*id).storage, Storage::Parameter { .. }))
}
