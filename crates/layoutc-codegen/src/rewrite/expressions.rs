//! Expressions: elements, members and pointers.

use super::Rewriter;
use crate::storage::{GroupKind, IndexText};
use layoutc_dataflow::catalogue::format_position;
use layoutc_dataflow::classes::{
    Callee, ClassId, PlaceKind, Slot, exchanged, given_object, resolve_callee,
};
use layoutc_diagnostics::Code;
use layoutc_syntax::{BinaryOp, CastStyle, ExprId, ExprKind, NameRef, TypeKind, UnaryOp, VarId};

/// An index whose text is longer goes through an accessor: an index that holds accesses of its own
/// would otherwise double with each level.
const LONGEST_INDEX: usize = 80;

/// A pointer in the new program.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The base as a postfix expression.
    pub(super) base: String,
    /// The slot that the base is, if it is one variable.
    pub(super) slot: Option<VarId>,
    /// The element's index.
    pub(super) index: IndexText,
    /// Evaluating the index twice changes nothing.
    pub(super) is_repeatable: bool,
    /// The index is an `int`, or 0.
    pub(super) is_int: bool,
}

impl Rewriter<'_> {
    /// `c ? p[i] : Cell{}` where the element has a type of its own, to which and from which objects
    /// convert: no compiler takes that.
    fn chosen_record(&self, expr: ExprId) -> Option<ClassId> {
        let ExprKind::Conditional(_, then, otherwise) = self.program.expr(expr).kind else {
            return None;
        };
        let record = |operand: ExprId| {
            let (class, place) = self.classes.place(operand)?;
            let is_record = self.storage(class).is_some_and(|storage| storage.is_record);
            (is_record && matches!(place, PlaceKind::Element)).then_some(class)
        };
        // An object has a name or an address; a constant element does not become a value of less.
        let is_value = |operand: ExprId| {
            !matches!(
                self.program.expr(self.program.strip_parens(operand)).kind,
                ExprKind::Name(_)
                    | ExprKind::Member { .. }
                    | ExprKind::Index { .. }
                    | ExprKind::Deref(_)
                    | ExprKind::Conditional(..)
            )
        };
        let is_const = |operand: ExprId| self.program.expr(operand).ty.is_const;
        match (record(then), record(otherwise)) {
            (Some(class), None) if is_const(then) && is_value(otherwise) => Some(class),
            (None, Some(class)) if is_const(otherwise) && is_value(then) => Some(class),
            (Some(_) | None, Some(_) | None) => None,
        }
    }

    /// The new text of an expression that changes itself, not only in its operands.
    pub(super) fn special(&mut self, expr: ExprId) -> Option<String> {
        let own = self.special_alone(expr);
        let Some(policy) = self.policy_in_front(expr) else { return own };
        Some(format!("{policy}{}", own.unwrap_or_else(|| self.splice(expr))))
    }

    fn special_alone(&mut self, expr: ExprId) -> Option<String> {
        if self.is_kept_by_view(expr) {
            return None;
        }
        if let Some(text) = self.cell_number(expr).or_else(|| self.index_call(expr)) {
            return Some(text);
        }
        if let Some(text) = self.macro_argument(expr).or_else(|| self.macro_text(expr)) {
            return Some(text);
        }
        if let Some(text) = self.bound_value(expr) {
            return Some(text);
        }
        if let Some(text) = self.api_call(expr).or_else(|| self.address_without_cast(expr)) {
            return Some(text);
        }
        if let Some(text) = self.host_allocation(expr).or_else(|| self.deletion(expr)) {
            return Some(text);
        }
        if let Some(text) = self.element_copy(expr).or_else(|| self.wide_access(expr)) {
            return Some(text);
        }
        if let Some(class) = self.given_record(expr) {
            let span = self.program.expr(expr).span;
            let message = "a reference to what this gives back has another type in the new layout";
            self.refuse(class, Code::ELEMENT_EXPRESSION, span, message);
            return None;
        }
        if let Some(class) = self.deduced_record(expr) {
            let span = self.program.expr(expr).span;
            let message = "a template would be given the type of aligned elements";
            self.refuse(class, Code::ELEMENT_EXPRESSION, span, message);
            return None;
        }
        if let Some(class) = self.chosen_record(expr) {
            let span = self.program.expr(expr).span;
            let message =
                "one of these is an aligned element, and the other an object of the source's type";
            self.refuse(class, Code::ELEMENT_EXPRESSION, span, message);
            return None;
        }
        if !self.is_given_element(expr)
            && let Some(text) = self.copy_call(expr)
        {
            return Some(text);
        }
        if let Some(text) = self.instance_name(expr).or_else(|| self.static_function(expr)) {
            return Some(text);
        }
        if let Some(text) = self.reader_object(expr) {
            return Some(text);
        }
        if let Some(text) = self.parenthesized_argument(expr) {
            return Some(text);
        }
        if let Some(text) = self.assignment(expr) {
            return Some(text);
        }
        if let Some(text) = self.comparison(expr).or_else(|| self.captured(expr)) {
            return Some(text);
        }
        if let Some(text) = self.null(expr).or_else(|| self.copy_of_vector(expr)) {
            return Some(text);
        }
        if let Some(text) = self.assigned_list(expr).or_else(|| self.deduced_class(expr)) {
            return Some(text);
        }
        if let ExprKind::SizeOfExpr(operand) = self.program.expr(expr).kind
            && let Some(text) = self.symbol_size(operand)
        {
            return Some(text);
        }
        if let ExprKind::SizeOfExpr(operand) = self.program.expr(expr).kind
            && let Some((class, PlaceKind::Element)) = self.classes.place(operand)
            && let Some(storage) = self.storage(class)
        {
            return Some(format!("sizeof({})", storage.outer_record));
        }
        if let Some(text) = self.row_of_unit(expr) {
            return Some(text);
        }
        match self.classes.place(expr).map(|(class, kind)| (class, kind.clone())) {
            // Only the name of the type changes.
            Some((class, _)) if self.storage(class).is_some_and(|storage| storage.is_record) => {}
            Some((class, kind)) if self.storage_of.contains_key(&class) => match kind {
                PlaceKind::Element => return self.element(expr, class),
                PlaceKind::Part(path) => {
                    if let Some(text) = self.leaf(expr, class, &path) {
                        return Some(text);
                    }
                }
            },
            _ => {}
        }
        let pointer = self.changed_pointer(expr).and_then(|class| self.pointer(expr, class));
        pointer.or_else(|| self.outside_class(expr)).or_else(|| self.tiles_of_view(expr))
    }

    /// `p[i] = {a, b}` where `p[i]` has a type derived from the record: the list needs its name.
    fn assigned_list(&mut self, expr: ExprId) -> Option<String> {
        let ExprKind::InitList(_) = self.program.expr(expr).kind else { return None };
        let (parent, position) = self.parents.of(expr)?;
        let ExprKind::Assign(None, left, _) = self.program.expr(parent).kind else { return None };
        let (class, PlaceKind::Element) = self.classes.place(left)? else { return None };
        let storage = self.storage(class).filter(|storage| storage.is_record && position == 1)?;
        let list = self.splice(expr);
        Some(format!("{}{list}", storage.outer_record))
    }

    /// `Buffer{p}` of a class template one of whose instances is written out: what the constructors of the template deduce
    /// from the new pointer is no such instance, so the arguments are written.
    fn deduced_class(&mut self, expr: ExprId) -> Option<String> {
        let ExprKind::Construct { of, .. } = self.program.expr(expr).kind else { return None };
        let record = self.program.types.as_record(of.id)?;
        self.versions.written.get(&record)?;
        let owner = self.versions.of_expr(expr).map(|owner| self.program.function(owner));
        // In the class the name means the instance.
        if owner.is_some_and(|owner| owner.record == Some(record)) {
            return None;
        }
        let text = self.text(expr);
        let word = text.find(['{', '(', '<']).map_or(text, |end| &text[..end]).to_owned();
        let name = word.trim_end();
        if text[word.len()..].starts_with('<') || name != self.program.record(record).name {
            return None;
        }
        let list = self.splice(expr);
        let rest = list.strip_prefix(name)?;
        Some(format!("{}{rest}", self.program.spelled_name(record)))
    }

    /// A macro that is tested as a pointer.
    fn tested_macro(&mut self, expr: ExprId) -> Option<String> {
        let Some(layoutc_syntax::MacroRole::Use(_)) = self.program.macro_role(expr) else {
            return None;
        };
        let class = self.changed_pointer(expr)?;
        let storage = self.storage(class).filter(|storage| storage.is_handle)?;
        let outer = self.outermost(expr);
        let is_tested = match self.parents.of(outer) {
            Some((parent, position)) => match &self.program.expr(parent).kind {
                ExprKind::Binary(
                    BinaryOp::Eq | BinaryOp::Ne | BinaryOp::LogicalAnd | BinaryOp::LogicalOr,
                    ..,
                )
                | ExprKind::Unary(UnaryOp::Not, _) => true,
                ExprKind::Conditional(..) => position == 0,
                ExprKind::Call { .. } => position > 0 && self.is_asserted(parent),
                _ => false,
            },
            None => self.is_truth(outer) || self.is_condition(outer),
        };
        if !is_tested {
            return None;
        }
        let parts = self.pointer_parts(expr, class)?;
        Some(storage.first_pointer(&parts.base))
    }

    /// A macro, or a parameter of one, that becomes two arguments.
    fn macro_argument(&mut self, expr: ExprId) -> Option<String> {
        self.program.macro_role(expr)?;
        if let Some(text) = self.tested_macro(expr) {
            return Some(text);
        }
        let parameter = self.parameter_of_argument(expr)?;
        let is_interior = self.classes.is_interior(Slot::Variable(parameter));
        is_interior.then(|| self.parenthesized_argument(expr)).flatten()
    }

    /// The parameter of the function that an argument is given to.
    fn parameter_of_argument(&self, expr: ExprId) -> Option<VarId> {
        let (parent, position) = self.parents.of(expr)?;
        let (callee, arguments, at) = match &self.program.expr(parent).kind {
            ExprKind::Call { callee, arguments, .. } => {
                (*callee, arguments, position.checked_sub(1)?)
            }
            ExprKind::Launch { kernel, config, arguments, .. } => {
                (*kernel, arguments, position.checked_sub(1 + config.len())?)
            }
            _ => return None,
        };
        let layoutc_dataflow::classes::Callee::Function(function) =
            layoutc_dataflow::classes::resolve_callee(self.program, callee, arguments)
        else {
            return None;
        };
        self.program.function(function).parameters.get(at).copied()
    }

    /// A parenthesized pointer or element that becomes two arguments.
    pub(super) fn parenthesized_argument(&mut self, expr: ExprId) -> Option<String> {
        if !matches!(self.program.expr(expr).kind, ExprKind::Paren(_))
            || self.outermost(expr) != expr
        {
            return None;
        }
        let class = match (self.classes.place(expr), self.changed_pointer(expr)) {
            (Some((class, PlaceKind::Element)), _) => class,
            (_, Some(class)) => class,
            _ => return None,
        };
        self.storage(class).filter(|storage| !storage.is_record)?;
        let (parent, position) = self.parents.of(expr)?;
        match &self.program.expr(parent).kind {
            ExprKind::Call { callee, arguments, .. } if position > 0 => {
                let (callee, arguments) = (*callee, arguments.clone());
                self.address_argument(expr, class, callee, &arguments, position - 1)
            }
            ExprKind::Launch { kernel, config, arguments, .. } if position > config.len() => {
                let (kernel, arguments, at) =
                    (*kernel, arguments.clone(), position - 1 - config.len());
                self.address_argument(expr, class, kernel, &arguments, at)
            }
            _ => None,
        }
    }

    /// A whole element that is used as a value: loaded through a function.
    fn element(&mut self, expr: ExprId, class: ClassId) -> Option<String> {
        if matches!(self.program.expr(expr).kind, ExprKind::Paren(_)) {
            return None;
        }
        let outer = self.outermost(expr);
        if let Some((parent, position)) = self.parents.of(outer) {
            match &self.program.expr(parent).kind {
                // Consumed by the expression around.
                ExprKind::Member { .. } | ExprKind::AddressOf(_) => return None,
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    if let Some(text) =
                        self.address_argument(outer, class, *callee, arguments, position - 1)
                    {
                        return Some(text);
                    }
                }
                ExprKind::Launch { kernel, config, arguments, .. } if position > config.len() => {
                    let at = position - 1 - config.len();
                    if let Some(text) = self.address_argument(outer, class, *kernel, arguments, at)
                    {
                        return Some(text);
                    }
                }
                _ => {}
            }
        }
        let parts = self.element_parts(expr, class)?;
        let storage = self.storage(class)?;
        self.needs(class).load = true;
        self.note_whole(class, expr);
        Some(format!("{}({}, {})", storage.function("Load"), parts.base, parts.index.text))
    }

    /// A pointer or element passed where the parameter is a pointer with an index.
    fn address_argument(
        &mut self,
        expr: ExprId,
        class: ClassId,
        callee: ExprId,
        arguments: &[ExprId],
        at: usize,
    ) -> Option<String> {
        if let Some(algorithm) = self.program.algorithm(callee, arguments)
            && algorithm.is_iterator(at)
        {
            self.make_constant(callee, arguments);
            return self.iterator(expr, class);
        }
        let function = match resolve_callee(self.program, callee, arguments) {
            Callee::Function(function) => function,
            // `%p`: where the array begins.
            Callee::Library(name) if format_position(&name).is_some_and(|format| at > format) => {
                let storage = self.storage(class).filter(|storage| storage.is_handle)?;
                let base = self.pointer_parts(expr, class)?.base;
                return Some(storage.first_pointer(&base));
            }
            Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => return None,
        };
        let parameter = *self.program.function(function).parameters.get(at)?;
        if self.changed_slot(Slot::Variable(parameter)) != Some(class) {
            return None;
        }
        let is_interior = self.classes.is_interior(Slot::Variable(parameter));
        if !is_interior && let Some(text) = self.typed_argument(expr, class) {
            return Some(text);
        }
        let parts = match self.classes.place(expr) {
            Some(_) => self.element_parts(expr, class)?,
            None => self.pointer_parts(expr, class)?,
        };
        let parts = self.launched_symbol(parts, class, callee);
        Some(if is_interior { format!("{}, {}", parts.base, parts.index.text) } else { parts.base })
    }

    /// Where the array begins, as the operand of a cast that a function which prints is given.
    fn printed_address(&mut self, expr: ExprId, class: ClassId, cast: ExprId) -> Option<String> {
        let mut outer = self.outermost(cast);
        while let Some((parent, _)) = self.parents.of(outer)
            && matches!(self.program.expr(parent).kind, ExprKind::Cast { .. })
        {
            outer = self.outermost(parent);
        }
        let (call, position) = self.parents.of(outer)?;
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(call).kind else {
            return None;
        };
        let Callee::Library(name) = resolve_callee(self.program, *callee, arguments) else {
            return None;
        };
        let format = format_position(&name).filter(|format| position > format + 1);
        let storage =
            self.storage(class).filter(|storage| storage.is_handle && format.is_some())?;
        let base = self.pointer_parts(expr, class)?.base;
        Some(storage.first_pointer(&base))
    }

    /// A member that is stored on its own.
    fn leaf(
        &mut self,
        expr: ExprId,
        class: ClassId,
        path: &[layoutc_syntax::FieldId],
    ) -> Option<String> {
        if matches!(self.program.expr(expr).kind, ExprKind::Paren(_)) {
            return None;
        }
        let storage = self.storage(class)?;
        let leaf = storage.shape.leaf_at(path)?;
        let extents = storage.shape.shape.leaves[leaf].extents.len();
        // Walk down to the element and gather the subscripts on the way.
        let mut subscripts = Vec::new();
        let mut at = expr;
        let mut members = 0;
        // Subscripts that a pointer to a row has already.
        let mut fixed: &[u64] = &[];
        let element = loop {
            if self.is_foreign_text(at) {
                // The member is reached from a macro's text into that of its use, or back.
                return None;
            }
            match &self.program.expr(at).kind {
                ExprKind::Paren(inner) => at = *inner,
                ExprKind::Index { base, index, .. } => {
                    if let Some(row) = self.program.row_of(*base) {
                        subscripts.push(Some(*index));
                        (members, fixed) = (path.len(), &row.fixed);
                        break *base;
                    }
                    if self.classes.value(*base).is_some()
                        && !matches!(self.classes.place(*base), Some((_, PlaceKind::Part(_))))
                    {
                        break at;
                    }
                    subscripts.push(Some(*index));
                    at = *base;
                }
                ExprKind::Deref(operand) => {
                    if let Some(row) = self.program.row_of(*operand) {
                        subscripts.push(None);
                        (members, fixed) = (path.len(), &row.fixed);
                        break *operand;
                    }
                    if self.classes.value(*operand).is_some() {
                        break at;
                    }
                    subscripts.push(None);
                    at = *operand;
                }
                ExprKind::Member { base, arrow, field, .. } => {
                    if field.is_none() {
                        // A lane of a vector: the leaf is the operand.
                        return None;
                    }
                    members += 1;
                    if *arrow && self.classes.value(*base).is_some() {
                        break at;
                    }
                    if matches!(self.classes.place(*base), Some((_, PlaceKind::Element))) {
                        break *base;
                    }
                    at = *base;
                }
                _ => return None,
            }
        };
        if members != path.len() || fixed.len() + subscripts.len() != extents {
            return None;
        }
        if subscripts.iter().flatten().any(|index| self.is_reordered(element, *index)) {
            let message = "the element and the subscript behind it depend on each other's order of evaluation";
            self.refuse(class, Code::EVALUATION_ORDER, self.program.expr(expr).span, message);
            return None;
        }
        let mut extents_text: Vec<String> = fixed.iter().map(u64::to_string).collect();
        for subscript in subscripts.into_iter().rev() {
            extents_text.push(match subscript {
                Some(index) => self.render(index),
                None => "0".to_owned(),
            });
        }
        let text = self.leaf_of(element, class, leaf, &extents_text)?;
        let text = self.with_const(expr, class, text);
        Some(self.with_field_parameter(expr, text))
    }

    /// A member of one element.
    pub(super) fn leaf_of(
        &mut self,
        element: ExprId,
        class: ClassId,
        leaf: usize,
        extents: &[String],
    ) -> Option<String> {
        let storage = self.storage(class)?;
        let chosen = match self.program.expr(self.strip_parens(element)).kind {
            ExprKind::Conditional(condition, then, otherwise) => {
                let a = self.element_parts(then, class)?;
                let b = self.element_parts(otherwise, class)?;
                (a.base != b.base).then_some((condition, then, otherwise))
            }
            _ => None,
        };
        // The member of either: the condition is evaluated once.
        if let Some((condition, then, otherwise)) = chosen {
            let condition = self.render(condition);
            let then = self.leaf_of(then, class, leaf, extents)?;
            let otherwise = self.leaf_of(otherwise, class, leaf, extents)?;
            return Some(format!("({condition} ? {then} : {otherwise})"));
        }
        let parts = match &self.program.expr(element).kind {
            ExprKind::Member { base, arrow: true, .. } => self.pointer_parts(*base, class)?,
            _ if self.program.row_of(element).is_some() => self.pointer_parts(element, class)?,
            _ => self.element_parts(element, class)?,
        };
        let group = storage.group_of(leaf);
        let repeats = matches!(storage.groups[group].kind, GroupKind::Tile { .. });
        let is_long = storage.cells.is_some() && parts.index.text.contains('(');
        let is_long = is_long || parts.index.text.len() > LONGEST_INDEX;
        if repeats && (!parts.is_repeatable || is_long) {
            let at = self.storage_of[&class];
            self.accessors[at].insert(leaf);
            let arguments: String = extents.iter().map(|extent| format!(", {extent}")).collect();
            let name =
                format!("{}{}", storage.qualifier, crate::helpers::accessor_name(storage, leaf));
            let call = format!("{name}({}, {}{arguments})", parts.base, parts.index.text);
            // C has no references.
            return Some(if storage.is_opencl { format!("(*{call})") } else { call });
        }
        let local = parts
            .slot
            .filter(|_| self.macros.home.is_none())
            .and_then(|slot| self.local_copy(slot, group));
        Some(storage.leaf_expression(&parts.base, local.as_deref(), leaf, &parts.index, extents))
    }

    /// The call of the function that an index accessor becomes, for the index of an element.
    fn index_call(&mut self, expr: ExprId) -> Option<String> {
        let function = self.program.index_accessor(expr)?;
        let ExprKind::Call { arguments, .. } = &self.program.expr(expr).kind else { return None };
        let (access, _) = self.parents.of(expr)?;
        let ExprKind::Index { base, .. } = self.program.expr(access).kind else { return None };
        let ExprKind::Member { base: object, arrow, field: Some(field), .. } =
            self.program.expr(base).kind
        else {
            return None;
        };
        let class = self.changed_slot(Slot::Field(field))?;
        self.storage(class).filter(|storage| !storage.is_record)?;
        let operator = if arrow { "->" } else { "." };
        let object = self.render(object);
        let name = self.index_name(function)?;
        let arguments: Vec<String> = arguments.iter().map(|own| self.render(*own)).collect();
        Some(format!("{object}{operator}{name}({})", arguments.join(", ")))
    }

    /// Base and index of an element.
    pub(super) fn element_parts(&mut self, expr: ExprId, class: ClassId) -> Option<Parts> {
        if let Some(inner) = self.through_macro(expr) {
            return self.element_parts(inner, class);
        }
        if let Some(object) = given_object(self.program, expr) {
            return self.given_parts(expr, object, class);
        }
        match &self.program.expr(expr).kind {
            ExprKind::Paren(inner) => self.element_parts(*inner, class),
            ExprKind::Index { base, index, .. } => {
                let parts = self.pointer_parts(*base, class)?;
                Some(self.offset(parts, *index, BinaryOp::Add))
            }
            ExprKind::Deref(operand) => self.pointer_parts(*operand, class),
            ExprKind::Conditional(condition, then, otherwise) => {
                let (condition, then, otherwise) = (*condition, *then, *otherwise);
                let a = self.element_parts(then, class)?;
                let b = self.element_parts(otherwise, class)?;
                self.choice(condition, a, b, class)
            }
            ExprKind::Name(NameRef::Variable(variable)) => {
                let (index, width) = self.indices.get(variable)?.clone();
                Some(Parts {
                    base: self.variable_text(expr, *variable),
                    slot: Some(*variable),
                    index: IndexText::simple(index),
                    is_repeatable: true,
                    is_int: width == "int",
                })
            }
            _ => {
                let span = self.program.expr(expr).span;
                self.refuse(
                    class,
                    Code::ELEMENT_EXPRESSION,
                    span,
                    "this element has no form in the new layout",
                );
                None
            }
        }
    }

    /// One of two pointers.
    fn choice(&mut self, condition: ExprId, a: Parts, b: Parts, class: ClassId) -> Option<Parts> {
        let text = self.render(condition);
        let is_repeatable = self.is_repeatable(condition);
        let same_base = a.base == b.base;
        if !same_base && !is_repeatable {
            let span = self.program.expr(condition).span;
            let message = "the condition that chooses the pointer cannot be evaluated twice";
            self.refuse(class, Code::EVALUATION_ORDER, span, message);
            return None;
        }
        let choose = |a: &str, b: &str| {
            if a == b && is_repeatable { a.to_owned() } else { format!("({text} ? {a} : {b})") }
        };
        // The two are converted to one type, which may not hold a negative index.
        let widened = |own: &Parts, other: &Parts| {
            let index = own.index.operand();
            let is_known = own.is_int == other.is_int || index == "0";
            if is_known { index } else { format!("(ptrdiff_t){index}") }
        };
        Some(Parts {
            base: if same_base { a.base.clone() } else { choose(&a.base, &b.base) },
            slot: a.slot.filter(|_| same_base && a.slot == b.slot),
            index: IndexText::simple(choose(&widened(&a, &b), &widened(&b, &a))),
            is_repeatable: is_repeatable && a.is_repeatable && b.is_repeatable,
            is_int: a.is_int && b.is_int,
        })
    }

    /// Base and index of a pointer.
    pub(super) fn pointer_parts(&mut self, expr: ExprId, class: ClassId) -> Option<Parts> {
        if let Some(parts) = self.macro_pointer(expr, class) {
            return parts;
        }
        if let Some(element) = self.program.row_start(expr) {
            return match self.classes.place(element) {
                Some((_, PlaceKind::Element)) => self.element_parts(element, class),
                _ => self.pointer_parts(element, class),
            };
        }
        let allocated = self.host_allocation(expr);
        if let Some(base) = allocated.or_else(|| {
            let ty = self.typed_cast(expr, class)?;
            Some(format!("(({ty}){})", self.untyped_text(expr)))
        }) {
            return Some(Parts {
                base,
                slot: None,
                index: IndexText::simple("0"),
                is_repeatable: true,
                is_int: true,
            });
        }
        match &self.program.expr(expr).kind {
            ExprKind::Paren(inner) => self.pointer_parts(*inner, class),
            ExprKind::Cast { operand, .. } => {
                let parts = self.pointer_parts(*operand, class)?;
                Some(match self.const_cast(expr, class) {
                    Some(cast) => {
                        Parts { base: format!("{cast}({})", parts.base), slot: None, ..parts }
                    }
                    None => parts,
                })
            }
            ExprKind::AddressOf(operand) => match self.classes.place(*operand) {
                Some((_, PlaceKind::Element)) => self.element_parts(*operand, class),
                _ => None,
            },
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
                let (pointer, offset) = if self.classes.value(*left).is_some() {
                    (*left, *right)
                } else {
                    (*right, *left)
                };
                if self.has_loose_macro(offset) {
                    let span = self.program.expr(offset).span;
                    self.refuse(
                        class,
                        Code::OPAQUE_MACRO,
                        span,
                        "a macro here expands to an expression that its neighbours could divide",
                    );
                    return None;
                }
                let parts = self.pointer_parts(pointer, class)?;
                Some(self.offset(parts, offset, *op))
            }
            ExprKind::Unary(..) | ExprKind::Assign(Some(_), ..) => self.moved_parts(expr, class),
            ExprKind::Name(NameRef::Variable(variable)) => {
                let (index, width) =
                    self.indices.get(variable).cloned().unwrap_or(("0".to_owned(), "int"));
                Some(Parts {
                    base: self.variable_text(expr, *variable),
                    slot: Some(*variable),
                    index: IndexText::simple(index),
                    is_repeatable: true,
                    is_int: width == "int",
                })
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let (condition, then, otherwise) = (*condition, *then, *otherwise);
                let a = self.pointer_parts(then, class)?;
                let b = self.pointer_parts(otherwise, class)?;
                self.choice(condition, a, b, class)
            }
            ExprKind::Null | ExprKind::Integer(_) => {
                let storage = self.storage(class)?;
                let base = if storage.is_handle {
                    format!("{}{{}}", storage.outer_type())
                } else {
                    self.text(expr).to_owned()
                };
                Some(Parts {
                    base,
                    slot: None,
                    index: IndexText::simple("0"),
                    is_repeatable: true,
                    is_int: true,
                })
            }
            // `(p = f()) == NULL`, of what only holds starts.
            ExprKind::Assign(None, left, _) if self.index_of_slot(*left).is_none() => {
                let base = format!("({})", self.splice(expr));
                Some(Parts {
                    base,
                    slot: None,
                    index: IndexText::simple("0"),
                    is_repeatable: false,
                    is_int: true,
                })
            }
            ExprKind::Call { callee, arguments, .. } if self.gives_iterator(*callee, arguments) => {
                self.found_place(expr, class)
            }
            ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Call { .. } => {
                let base = self.pointer_text(expr);
                Some(Parts {
                    base,
                    slot: None,
                    index: IndexText::simple("0"),
                    is_repeatable: true,
                    is_int: true,
                })
            }
            ExprKind::Deref(_) => {
                let base = format!("({})", self.pointer_text(expr));
                Some(Parts {
                    base,
                    slot: None,
                    index: IndexText::simple("0"),
                    is_repeatable: true,
                    is_int: true,
                })
            }
            _ => {
                let span = self.program.expr(expr).span;
                self.refuse(
                    class,
                    Code::POINTER_EXPRESSION,
                    span,
                    "this pointer has no form in the new layout",
                );
                None
            }
        }
    }

    /// The text of a pointer that is held in a member, item or result.
    fn pointer_text(&mut self, expr: ExprId) -> String {
        let place = self.classes.place(expr).map(|(class, kind)| (class, kind.clone()));
        if let Some((class, PlaceKind::Part(path))) = place
            && self.storage(class).is_some_and(|storage| !storage.is_record)
            && let Some(text) = self.leaf(expr, class, &path)
        {
            return text;
        }
        self.part_of_vector(expr).unwrap_or_else(|| self.splice(expr))
    }

    /// Moves a pointer by an index expression.
    ///
    /// The source adds to a pointer, in 64 bits; here the offsets of one pointer are added to each
    /// other first, so they are widened unless all are `int`.
    pub(super) fn offset(&mut self, parts: Parts, index: ExprId, op: BinaryOp) -> Parts {
        if matches!(self.program.expr(index).kind, ExprKind::Integer(Some(0)))
            && parts.index.text != "0"
        {
            return parts;
        }
        let is_repeatable = parts.is_repeatable && self.is_repeatable(index);
        let inner = self.strip_parens(index);
        let kind = &self.program.expr(inner).kind;
        let (is_comma, is_compound) =
            (matches!(kind, ExprKind::Comma(..)), !self.is_postfix(inner));
        let text = self.part_of_vector(inner).unwrap_or_else(|| self.render(inner));
        // A comma would separate arguments or subscripts.
        let (text, is_compound) =
            if is_comma { (format!("({text})"), false) } else { (text, is_compound) };
        let cell = self.cell_type(index);
        let is_compound = is_compound && cell.is_none();
        let operand = if is_compound { format!("({text})") } else { text.clone() };
        let is_int = parts.is_int && cell.map_or_else(|| self.is_int(index), |ty| ty == "int");
        let is_wide = self.is_wide(&parts.index.text);
        let wide = if is_int || is_wide { "" } else { "(ptrdiff_t)" };
        let base = parts.index.operand();
        let index = match (parts.index.text.as_str(), op) {
            ("0", BinaryOp::Add) => IndexText { text, is_compound },
            ("0", _) => IndexText { text: format!("-{wide}{operand}"), is_compound: true },
            (_, BinaryOp::Add) => {
                IndexText { text: format!("{wide}{base} + {operand}"), is_compound: true }
            }
            (_, _) => IndexText { text: format!("{wide}{base} - {operand}"), is_compound: true },
        };
        Parts { index, is_repeatable, is_int, ..parts }
    }

    /// Whether a text is the index of a pointer that has 64 bits.
    pub(super) fn is_wide(&self, index: &str) -> bool {
        self.indices.values().any(|(name, width)| *width == "ptrdiff_t" && *name == index)
    }

    /// Whether an operand holds a macro whose body is not in parentheses: `q - STEP` with
    /// `#define STEP 2 + 1` is not `q - (2 + 1)`, whatever the tree says.
    fn has_loose_macro(&self, expr: ExprId) -> bool {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let name = match &self.program.expr(at).kind {
                ExprKind::Name(NameRef::Macro(name)) | ExprKind::MacroCall { name, .. } => {
                    Some(name)
                }
                // Grouped, whatever is inside.
                ExprKind::Paren(_) | ExprKind::Index { .. } | ExprKind::Call { .. } => continue,
                _ => None,
            };
            if name.is_some_and(|name| {
                self.program.macros.iter().any(|def| def.name == *name && !def.is_atomic)
            }) {
                return true;
            }
            stack.extend(self.program.expr(at).children());
        }
        false
    }

    /// Whether an index is an `int`, or a literal.
    fn is_int(&self, index: ExprId) -> bool {
        let index = self.program.strip_parens(index);
        if matches!(self.program.expr(index).kind, ExprKind::Integer(_)) {
            return true;
        }
        let scalar = self.program.types.as_scalar(self.program.expr(index).ty.id);
        scalar.is_some_and(|scalar| {
            scalar.is_integer()
                && scalar.size() <= 4
                && scalar != layoutc_syntax::Scalar::UnsignedInt
        })
    }

    /// Whether an expression needs no parentheses as operand of any binary operator.
    fn is_postfix(&self, expr: ExprId) -> bool {
        if let Some(postfix) = self.is_postfix_macro(expr) {
            return postfix;
        }
        match &self.program.expr(expr).kind {
            ExprKind::Name(NameRef::Macro(name)) => {
                self.program.macros.iter().filter(|def| def.name == *name).all(|def| def.is_atomic)
            }
            kind => is_postfix(kind),
        }
    }

    /// Whether an expression can be evaluated twice: it changes nothing and calls nothing.
    pub(super) fn is_repeatable(&self, expr: ExprId) -> bool {
        let mut stack = vec![expr];
        while let Some(at) = stack.pop() {
            let kind = &self.program.expr(at).kind;
            let changes = match kind {
                ExprKind::Assign(..)
                | ExprKind::Call { .. }
                | ExprKind::MacroCall { .. }
                | ExprKind::Launch { .. }
                | ExprKind::New { .. }
                | ExprKind::Delete(_)
                | ExprKind::Lambda { .. }
                | ExprKind::Construct { .. }
                | ExprKind::Opaque(_) => true,
                ExprKind::Unary(op, _) => op.is_update(),
                ExprKind::Index { .. } => self.program.operators.contains_key(&at),
                ExprKind::Name(NameRef::Macro(name)) => self.program.macro_constant(name).is_none(),
                _ => false,
            };
            if changes || self.program.expr(at).ty.is_volatile {
                return false;
            }
            stack.extend(self.program.expr(at).children());
        }
        true
    }

    /// A pointer whose text changes because of what uses it.
    pub(super) fn pointer(&mut self, expr: ExprId, class: ClassId) -> Option<String> {
        let storage = self.storage(class)?;
        if matches!(self.program.expr(expr).kind, ExprKind::Paren(_))
            && self.program.macro_role(expr).is_none()
        {
            return None;
        }
        if storage.is_record {
            return self.without_cast(expr, class);
        }
        // What uses a macro's value stands outside of its text.
        if self.is_value_of_use(expr) {
            if self.is_iterator(expr) {
                let span = self.program.expr(expr).span;
                let message = "an algorithm is given what this macro stands for";
                self.refuse(class, Code::OPAQUE_MACRO, span, message);
                return None;
            }
            return self.without_cast(expr, class);
        }
        let outer = self.outermost(expr);
        match self.parents.of(outer) {
            Some((parent, position)) => match &self.program.expr(parent).kind {
                ExprKind::Call { callee, arguments, .. }
                    if position > 0 && !self.is_asserted(parent) =>
                {
                    let (callee, arguments) = (*callee, arguments.clone());
                    self.address_argument(outer, class, callee, &arguments, position - 1)
                }
                ExprKind::Launch { kernel, config, arguments, .. } if position > config.len() => {
                    let (kernel, arguments, at) =
                        (*kernel, arguments.clone(), position - 1 - config.len());
                    self.address_argument(outer, class, kernel, &arguments, at)
                }
                ExprKind::Binary(
                    BinaryOp::Eq | BinaryOp::Ne | BinaryOp::LogicalAnd | BinaryOp::LogicalOr,
                    ..,
                )
                | ExprKind::Unary(UnaryOp::Not, _)
                    if storage.is_handle =>
                {
                    let parts = self.pointer_parts(expr, class)?;
                    Some(storage.first_pointer(&parts.base))
                }
                // `assert(p)`; an argument of a function of the program was given above.
                ExprKind::Call { .. }
                    if position > 0 && storage.is_handle && self.is_asserted(parent) =>
                {
                    let parts = self.pointer_parts(expr, class)?;
                    Some(storage.first_pointer(&parts.base))
                }
                ExprKind::Conditional(..) if position == 0 && storage.is_handle => {
                    let parts = self.pointer_parts(expr, class)?;
                    Some(storage.first_pointer(&parts.base))
                }
                // A cast to the record's pointer type is gone with the type.
                ExprKind::Cast { .. } if self.changed_pointer(parent).is_some() => None,
                ExprKind::Cast { .. } => {
                    let printed = self.printed_address(expr, class, parent);
                    printed.or_else(|| self.without_cast(expr, class))
                }
                _ => self.without_cast(expr, class),
            },
            None if storage.is_handle && self.is_truth(outer) => {
                let parts = self.pointer_parts(expr, class)?;
                Some(storage.first_pointer(&parts.base))
            }
            None if self.inits.contains_key(&outer) => self.without_cast(expr, class),
            None if storage.is_handle && self.is_condition(outer) => {
                let parts = self.pointer_parts(expr, class)?;
                Some(storage.first_pointer(&parts.base))
            }
            None => self.without_cast(expr, class),
        }
    }

    /// Whether an initializer becomes a `bool`.
    fn is_truth(&self, init: ExprId) -> bool {
        self.inits.get(&init).is_some_and(|variable| {
            let ty = self.program.variable(*variable).ty;
            self.program.types.as_scalar(ty.id) == Some(layoutc_syntax::Scalar::Bool)
        })
    }

    /// Whether a call is `assert(…)` of the library.
    fn is_asserted(&self, call: ExprId) -> bool {
        let ExprKind::Call { callee, arguments, .. } = &self.program.expr(call).kind else {
            return false;
        };
        matches!(layoutc_dataflow::classes::resolve_callee(self.program, *callee, arguments),
            layoutc_dataflow::classes::Callee::Library(name) if name == "assert")
    }

    /// Whether a slot is declared as `void *`.
    pub(super) fn is_untyped_slot(&self, slot: Slot) -> bool {
        match slot {
            // A copy of a function differs from the original in the types of its parameters.
            Slot::Variable(id) => {
                let variable = self.program.variable(id);
                let is_in_copy = variable
                    .function
                    .is_some_and(|function| self.program.function(function).copy_of.is_some());
                variable.is_untyped && !is_in_copy
            }
            Slot::Field(id) => self.program.field(id).is_untyped,
            Slot::Result(_) => false,
        }
    }

    /// The type that an expression which stays a `void *` must be cast to where it is used.
    pub(super) fn typed_cast(&self, expr: ExprId, class: ClassId) -> Option<String> {
        let storage = self.storage(class).filter(|storage| !storage.is_handle)?;
        let expr = self.program.strip_parens(expr);
        let slot = match self.program.expr(expr).kind {
            ExprKind::Name(NameRef::Variable(id)) => Slot::Variable(id),
            ExprKind::Member { field: Some(id), .. } => Slot::Field(id),
            _ => return None,
        };
        let to = self.program.types.pointee(self.program.expr(expr).ty.id)?;
        let constant = if to.is_const { "const " } else { "" };
        self.is_untyped_slot(slot).then(|| format!("{constant}{} *", storage.outer_type()))
    }

    /// An expression that stays a `void *`, cast to what it points to.
    pub(super) fn typed_argument(&mut self, expr: ExprId, class: ClassId) -> Option<String> {
        if let ExprKind::Cast { operand, .. } = self.program.expr(expr).kind {
            self.typed_cast(operand, class)?;
            return self.without_cast(expr, class);
        }
        let ty = self.typed_cast(expr, class)?;
        Some(format!("({ty}){}", self.untyped_text(expr)))
    }

    /// The text of what stays a `void *`.
    fn untyped_text(&mut self, expr: ExprId) -> String {
        if let Some(text) = self.macro_text(expr) {
            return text;
        }
        match self.program.expr(expr).kind {
            ExprKind::Paren(inner) => format!("({})", self.untyped_text(inner)),
            ExprKind::Name(NameRef::Variable(variable)) => self.variable_text(expr, variable),
            _ => self.pointer_text(expr),
        }
    }

    /// `(T *)p` becomes `p`.
    pub(super) fn without_cast(&mut self, expr: ExprId, class: ClassId) -> Option<String> {
        let ExprKind::Cast { operand, style, target, .. } = self.program.expr(expr).kind else {
            return None;
        };
        if self.typed_cast(operand, class).is_some() {
            let storage = self.storage(class)?;
            let to = self.program.types.pointee(target.id)?;
            let constant = if to.is_const { "const " } else { "" };
            let ty = format!("{constant}{} *", storage.outer_type());
            let text = self.untyped_text(operand);
            return Some(match style {
                CastStyle::C => format!("({ty}){text}"),
                CastStyle::Static => format!("static_cast<{ty}>({text})"),
                _ => format!("reinterpret_cast<{ty}>({text})"),
            });
        }
        if self.changed_pointer(operand) == Some(class) && style != CastStyle::Functional {
            let text = self.render(operand);
            return Some(match self.const_cast(expr, class) {
                Some(cast) => format!("{cast}({text})"),
                None if self.held_by_cast(expr, operand, style) => format!("({text})"),
                None => text,
            });
        }
        None
    }

    /// `static_cast<T **>(&p)` becomes `&p`, which has another type then.
    fn address_without_cast(&mut self, expr: ExprId) -> Option<String> {
        let ExprKind::Cast { operand, style: CastStyle::Static, target, .. } =
            self.program.expr(expr).kind
        else {
            return None;
        };
        let (class, depth) = self.classes.value(operand)?;
        self.program.types.pointee(self.program.types.pointee(target.id)?.id)?;
        (depth == 2 && self.storage_of.contains_key(&class)).then(|| self.render(operand))
    }

    /// Whether the parentheses of a cast hold its operand together: `!static_cast<P *>(c ? p : q)`.
    fn held_by_cast(&self, cast: ExprId, operand: ExprId, style: CastStyle) -> bool {
        if style == CastStyle::C || self.is_postfix(operand) {
            return false;
        }
        let stands_alone = match self.parents.of(cast) {
            Some((parent, position)) => match self.program.expr(parent).kind {
                ExprKind::Call { .. } => position > 0,
                ExprKind::Assign(..) => position == 1,
                ExprKind::Paren(_) | ExprKind::InitList(_) | ExprKind::Launch { .. } => true,
                _ => false,
            },
            None => true,
        };
        !stands_alone || matches!(self.program.expr(operand).kind, ExprKind::Comma(..))
    }

    /// The cast that a cast which gives or takes `const` must stay.
    fn const_cast(&self, expr: ExprId, class: ClassId) -> Option<String> {
        let ExprKind::Cast { operand, .. } = self.program.expr(expr).kind else { return None };
        let storage = self.storage(class)?;
        let is_const = |expr: ExprId| {
            self.program.types.pointee(self.program.expr(expr).ty.id).is_some_and(|to| to.is_const)
        };
        if storage.is_handle || storage.is_opencl || is_const(operand) == is_const(expr) {
            return None;
        }
        if !is_const(expr) {
            return Some(format!("const_cast<{} *>", storage.outer_type()));
        }
        // Members of elements that are stored apart have it at their accesses.
        let parent = self.parents.of(self.outermost(expr));
        let is_argument = parent.is_some_and(|(parent, position)| {
            position > 0 && matches!(self.program.expr(parent).kind, ExprKind::Call { .. })
        });
        (storage.is_record || is_argument)
            .then(|| format!("const_cast<const {} *>", storage.outer_type()))
    }

    /// Whether a root expression is a condition.
    fn is_condition(&self, expr: ExprId) -> bool {
        self.conditions.contains(&expr)
    }

    /// A null pointer that flows into a changed slot.
    fn null(&mut self, expr: ExprId) -> Option<String> {
        let parameter = self.parameter_of_argument(self.outermost(expr));
        let has_index = parameter.is_some_and(|id| self.classes.is_interior(Slot::Variable(id)));
        let is_null = match &self.program.expr(expr).kind {
            // `f({})`
            ExprKind::InitList(items) => items.is_empty() && has_index,
            ExprKind::Null | ExprKind::Integer(Some(0)) => true,
            ExprKind::Cast { operand, .. } => {
                let inner = self.program.strip_parens(*operand);
                matches!(self.program.expr(inner).kind, ExprKind::Null | ExprKind::Integer(Some(0)))
                    && self.program.types.pointee(self.program.expr(expr).ty.id).is_some()
            }
            _ => false,
        };
        if !is_null {
            return None;
        }
        let class = self.receiving_class(expr)?;
        let storage = self.storage(class)?;
        let base = if storage.is_handle {
            Some(format!("{}{{}}", storage.outer_type()))
        } else {
            match &self.program.expr(expr).kind {
                ExprKind::Cast { operand, .. } => Some(self.text(*operand).to_owned()),
                _ => has_index.then(|| self.text(expr).to_owned()),
            }
        };
        if has_index && self.outermost(expr) != expr {
            let span = self.program.expr(expr).span;
            let message = "a null pointer in parentheses would become two arguments";
            self.refuse(class, Code::POINTER_EXPRESSION, span, message);
        }
        base.map(|base| if has_index { format!("{base}, 0") } else { base })
    }

    /// The changed class whose slot an expression is stored in, passed to or returned as.
    pub(super) fn receiving_class(&self, expr: ExprId) -> Option<ClassId> {
        let outer = self.outermost(expr);
        if let Some(variable) = self.inits.get(&outer) {
            return self.changed_slot(Slot::Variable(*variable));
        }
        match self.parents.of(outer) {
            Some((parent, position)) => match &self.program.expr(parent).kind {
                ExprKind::Assign(None, left, _) if position == 1 => self.changed_pointer(*left),
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    match resolve_callee(self.program, *callee, arguments) {
                        Callee::Library(name) => {
                            let (target, _) = exchanged(&name, arguments)?;
                            self.changed_pointer(target).filter(|_| position == 2)
                        }
                        _ => self.parameter_class(*callee, arguments, position - 1),
                    }
                }
                ExprKind::Launch { kernel, config, arguments, .. } => self.parameter_class(
                    *kernel,
                    arguments,
                    position.checked_sub(1 + config.len())?,
                ),
                ExprKind::Conditional(_, then, otherwise) if position > 0 => {
                    let other = if position == 1 { *otherwise } else { *then };
                    self.changed_pointer(other)
                }
                ExprKind::Construct { of, arguments }
                    if layoutc_dataflow::classes::constructor_of(self.program, *of, arguments)
                        .is_some() =>
                {
                    let constructor =
                        layoutc_dataflow::classes::constructor_of(self.program, *of, arguments)?;
                    let parameter = *self.program.function(constructor).parameters.get(position)?;
                    self.changed_slot(Slot::Variable(parameter))
                }
                ExprKind::InitList(_) | ExprKind::Construct { .. } => {
                    let made = match self.program.expr(parent).kind {
                        ExprKind::Construct { of, .. } => Some(of),
                        _ => self.inits.get(&parent).map(|own| self.program.variable(*own).ty),
                    };
                    // The items are arguments, of one of several constructors.
                    let is_constructed = made
                        .and_then(|ty| self.program.types.as_record(ty.id))
                        .is_some_and(|record| self.has_constructors(record));
                    let slot = self.classes.list_slots.get(&outer);
                    if let Some(slot) = slot
                        && !(is_constructed && matches!(slot, Slot::Field(_)))
                    {
                        return self.changed_slot(*slot);
                    }
                    if is_constructed {
                        return None;
                    }
                    let variable = self.inits.get(&parent)?;
                    let ty = self.program.variable(*variable).ty;
                    match self.program.types.kind(ty.id) {
                        TypeKind::Record(record) => {
                            let field = *self.program.record(*record).fields.get(position)?;
                            self.changed_slot(Slot::Field(field))
                        }
                        _ => self.changed_slot(Slot::Variable(*variable)),
                    }
                }
                _ => None,
            },
            None => {
                // A returned null.
                let function = *self.returned.get(&outer)?;
                self.changed_slot(Slot::Result(function))
            }
        }
    }

    fn has_constructors(&self, record: layoutc_syntax::RecordId) -> bool {
        let traits = &self.program.record(record).traits;
        traits.iter().any(|(which, _)| *which == layoutc_syntax::RecordTrait::Constructor)
    }

    fn parameter_class(&self, callee: ExprId, arguments: &[ExprId], at: usize) -> Option<ClassId> {
        let layoutc_dataflow::classes::Callee::Function(function) =
            layoutc_dataflow::classes::resolve_callee(self.program, callee, arguments)
        else {
            return None;
        };
        let parameter = *self.program.function(function).parameters.get(at)?;
        self.changed_slot(Slot::Variable(parameter))
    }

    /// Assignments to elements and to pointers with an index, and moves of such pointers.
    fn assignment(&mut self, expr: ExprId) -> Option<String> {
        match self.program.expr(expr).kind.clone() {
            ExprKind::Assign(None, left, right) => {
                if let Some((class, PlaceKind::Element)) = self.classes.place(left)
                    && let Some(storage) = self.storage(class).filter(|storage| !storage.is_record)
                {
                    if !self.is_named_object(right, left) && self.order_matters(left, right) {
                        let span = self.program.expr(expr).span;
                        self.refuse(
                            class,
                            Code::EVALUATION_ORDER,
                            span,
                            "the value and the index depend on each other's order of evaluation",
                        );
                        return None;
                    }
                    let parts = self.element_parts(left, class)?;
                    let value = self.render(right);
                    self.note_whole(class, expr);
                    let name = if self.is_dropped(expr) {
                        self.needs(class).store = true;
                        "Store"
                    } else {
                        self.needs(class).assign = true;
                        "Assign"
                    };
                    return Some(format!(
                        "{}({}, {}, {value})",
                        storage.function(name),
                        parts.base,
                        parts.index.text
                    ));
                }
                let class = self.changed_pointer(left)?;
                let (index, _) = self.index_of_slot(left)?;
                let slot = self.render(left);
                let parts = self.pointer_parts(right, class)?;
                if parts.base == slot {
                    return Some(format!("{index} = {}", parts.index.text));
                }
                if self.mentions_slot(right, left) {
                    // The index is found through the old pointer, so it goes first.
                    if parts.slot.is_some() {
                        return Some(format!(
                            "{index} = {}, {slot} = {}",
                            parts.index.text, parts.base
                        ));
                    }
                    let span = self.program.expr(expr).span;
                    self.refuse(
                        class,
                        Code::POINTER_EXPRESSION,
                        span,
                        "the new pointer is found through the old one",
                    );
                    return None;
                }
                Some(format!("{slot} = {}, {index} = {}", parts.base, parts.index.text))
            }
            // Moved where it is used: base and index are taken from it there.
            ExprKind::Assign(Some(_), ..) | ExprKind::Unary(..) if !self.is_dropped(expr) => None,
            ExprKind::Assign(Some(op @ (BinaryOp::Add | BinaryOp::Sub)), left, right) => {
                self.changed_pointer(left)?;
                let (index, _) = self.index_of_slot(left)?;
                let value = self.render(right);
                let sign = if op == BinaryOp::Add { '+' } else { '-' };
                Some(format!("{index} {sign}= {value}"))
            }
            ExprKind::Unary(op, operand) if op.is_update() => {
                self.changed_pointer(operand)?;
                let (index, _) = self.index_of_slot(operand)?;
                Some(match op {
                    UnaryOp::PreIncrement => format!("++{index}"),
                    UnaryOp::PreDecrement => format!("--{index}"),
                    UnaryOp::PostIncrement => format!("{index}++"),
                    _ => format!("{index}--"),
                })
            }
            _ => None,
        }
    }

    /// Whether an expression reads the variable that an lvalue names.
    fn mentions_slot(&self, expr: ExprId, slot: ExprId) -> bool {
        let ExprKind::Name(NameRef::Variable(slot)) =
            self.program.expr(self.program.strip_parens(slot)).kind
        else {
            return true;
        };
        self.effects(expr).reads.contains(&slot)
    }

    /// The companion of the slot that an lvalue names.
    fn index_of_slot(&self, expr: ExprId) -> Option<(String, &'static str)> {
        match self.program.expr(self.program.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(variable)) => self.indices.get(&variable).cloned(),
            _ => None,
        }
    }
}

/// Whether an expression needs no parentheses as operand of any binary operator.
pub(super) fn is_postfix(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Name(_)
            | ExprKind::Paren(_)
            | ExprKind::Index { .. }
            | ExprKind::Member { .. }
            | ExprKind::Call { .. }
            | ExprKind::SizeOfType { .. }
    )
}
