//! Declarations: variables, functions, namespaces, templates.

use super::Lowering;
use super::fields::{FieldName, Fields};
use super::names::Symbol;
use super::spaces::{merge_spaces, space_of_function, space_of_words, words_of_variable};
use super::types::Declarator;
use super::types::is_definition;
use crate::program::{
    BinaryOp, Declaration, DeclarationId, ExprId, ExprKind, Function, FunctionId, FunctionSite,
    HeadMacro, Program, RecordId, RegionKind, Space, StmtId, StmtKind, Storage, VarId, Variable,
};
use crate::types::{QualType, TypeId, TypeKind, is_made_of_numbers};
use layoutc_diagnostics::Span;
use thin_vec::ThinVec;
use tree_sitter::Node;

/// Which objects a member function with `&` or `&&` behind its parameters takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Objects {
    /// `&`.
    Lasting,
    /// `&&`.
    Temporary,
    /// `const &`.
    Any,
}

impl<'t> Lowering<'t> {
    /// A declaration at namespace scope.
    pub(crate) fn item(&mut self, node: Node<'t>) {
        let is_elsewhere = matches!(node.kind(), "function_definition" | "declaration")
            && self.reaches_into_a_namespace(node);
        let outer = std::mem::replace(&mut self.is_head_elsewhere, is_elsewhere);
        self.item_in_namespace(node);
        self.is_head_elsewhere = outer;
    }

    fn item_in_namespace(&mut self, node: Node<'t>) {
        match node.kind() {
            "comment" | ";" | "{" | "}" | "empty_statement" => {}
            "function_definition" => {
                if node
                    .field(FieldName::Declarator)
                    .is_some_and(|declarator| declarator.has_error())
                {
                    self.region(node, RegionKind::Unparsed);
                } else {
                    self.function_definition(node, None);
                }
            }
            "declaration" => {
                if node.has_error() {
                    self.region(node, RegionKind::Unparsed);
                } else {
                    let statement = self.declaration(node, None);
                    self.file_scope_statement(statement);
                }
            }
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                self.specifier(node);
            }
            "type_definition" => self.type_definition(node),
            "alias_declaration" => self.alias_declaration(node),
            "namespace_definition" => self.namespace(node),
            "linkage_specification" | "declaration_list" => {
                self.linkage_blocks += 1;
                match node.field(FieldName::Body) {
                    Some(body) if body.kind() == "declaration_list" => self.items(body),
                    Some(body) => self.item(body),
                    None => self.items(node),
                }
                self.linkage_blocks -= 1;
            }
            "template_declaration" => self.template(node),
            "template_instantiation" => self.explicit_instantiation(node),
            "static_assert_declaration" => self.static_assert(node),
            "using_declaration" => self.using_declaration(node),
            "namespace_alias_definition" => {}
            "ERROR" => {
                self.region(node, RegionKind::Unparsed);
                self.items(node);
            }
            "expression_statement" => {
                let inner = node.named_child(0);
                if !node.has_error()
                    && let Some(inner) = inner
                    && let Some(statement) = self.pointer_declaration(node, inner)
                {
                    self.file_scope_statement(statement);
                    return;
                }
                if !node.has_error() && inner.is_some_and(|inner| self.defaulted_outside(inner)) {
                    return;
                }
                // A macro that stands for a declaration.
                let expr = self.opaque(node);
                self.program.file_scope_exprs.push(expr);
                self.region(node, RegionKind::Unmodelled);
            }
            kind if kind.starts_with("preproc") => self.region(node, RegionKind::Unmodelled),
            _ => self.region(node, RegionKind::Unmodelled),
        }
    }

    /// `T::T() = default;` outside of the class, which the grammar reads as an assignment.
    fn defaulted_outside(&mut self, assignment: Node<'t>) -> bool {
        let is_default = assignment.kind() == "assignment_expression"
            && assignment
                .field(FieldName::Right)
                .is_some_and(|right| matches!(self.text_of(right), "default" | "delete"));
        let call = assignment.field(FieldName::Left).filter(|_| is_default);
        let Some(function) = call
            .filter(|call| call.kind() == "call_expression")
            .and_then(|call| call.field(FieldName::Function))
        else {
            return false;
        };
        let Some(record) = self.record_of_qualified(function) else { return false };
        let (_, last) = self.qualified_parts(function);
        let name = last.map(|last| self.text_of(last).trim_start_matches('~').trim_start());
        let is_destructor = last.is_some_and(|last| self.text_of(last).starts_with('~'));
        let own = &mut self.program.records[record.index()];
        if name != Some(own.name.as_str()) {
            return false;
        }
        own.has_defaulted = true;
        if is_destructor {
            own.bodiless = own.bodiless.saturating_sub(1);
            return true;
        }
        let given = call.and_then(|call| call.field(FieldName::Arguments));
        let given = given.map_or(0, |list| list.named_child_count());
        let is_declared = |id: &FunctionId| {
            let function = self.program.function(*id);
            let is_own = Some(function.name.as_str()) == name && function.body.is_none();
            is_own && function.parameters.len() == given
        };
        let declared: Vec<FunctionId> =
            self.program.record(record).methods.iter().copied().filter(is_declared).collect();
        let [only] = declared[..] else { return false };
        self.program.functions[only.index()].is_defaulted = true;
        true
    }

    fn file_scope_statement(&mut self, statement: StmtId) {
        // Initializers of globals are reached through the variables.
        if let StmtKind::Opaque { exprs, .. } | StmtKind::Nothing(exprs) =
            &self.program.stmts[statement.index()].kind
        {
            let exprs = exprs.clone();
            self.program.file_scope_exprs.extend(exprs);
        }
    }

    fn namespace(&mut self, node: Node<'t>) {
        let names: Vec<String> = node
            .field(FieldName::Name)
            .map_or("(anonymous)", |name| self.text_of(name))
            .split("::")
            .map(|part| part.trim().to_owned())
            .collect();
        let depth = self.namespaces.len();
        self.program.identifiers.extend(names.iter().cloned());
        self.namespaces.extend(names);
        if let Some(body) = node.field(FieldName::Body) {
            self.items(body);
        }
        self.namespaces.truncate(depth);
    }

    fn template(&mut self, node: Node<'t>) {
        let Some(list) = node.field(FieldName::Parameters) else {
            self.region(node, RegionKind::Unmodelled);
            return;
        };
        let mut cursor = node.walk();
        let Some(inner) = node.named_children(&mut cursor).filter(|child| *child != list).last()
        else {
            return;
        };
        // `template <>`: another body for calls that seem to reach the template's own.
        if list.named_child_count() == 0 {
            self.region(node, RegionKind::Unmodelled);
        }
        self.with_template_list(list, |this| match inner.kind() {
            "template_declaration" => this.template(inner),
            _ => this.item(inner),
        });
    }

    /// Runs `body` where the parameters of a list are declared.
    pub(super) fn with_template_list(&mut self, list: Node<'t>, body: impl FnOnce(&mut Self)) {
        let mut names = Vec::new();
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            // `class T`, `int N`: the last identifier before a default is the name.
            let mut stack = vec![parameter];
            let mut last = None;
            while let Some(at) = stack.pop() {
                if matches!(at.kind(), "identifier" | "type_identifier") {
                    last = last.or(Some(at));
                }
                let default =
                    at.field(FieldName::DefaultValue).or(at.field(FieldName::DefaultType));
                let ty = at.field(FieldName::Type);
                let mut inner_cursor = at.walk();
                stack.extend(
                    at.named_children(&mut inner_cursor)
                        .filter(|child| Some(*child) != default && Some(*child) != ty),
                );
            }
            if let Some(last) = last {
                names.push(self.text_of(last).to_owned());
            }
        }
        self.template_parameters.push(names);
        self.template_lists.push(list);
        body(self);
        self.template_lists.pop();
        self.template_parameters.pop();
    }

    /// A declaration of variables or prototypes, at any scope.
    pub(crate) fn declaration(&mut self, node: Node<'t>, record: Option<RecordId>) -> StmtId {
        let span = self.span(node);
        let Some(specifier) = node.field(FieldName::Type) else {
            // A destructor or conversion prototype is no function of the model.
            if let Some(record) = record {
                self.constructor_prototype(node, record);
            }
            return self.add_stmt(StmtKind::Nothing(Vec::new()), span);
        };
        // `a * b;` where `a` is a variable is an expression, whatever the grammar thinks.
        if specifier.kind() == "type_identifier" && self.names_value(self.text_of(specifier)) {
            let exprs = vec![self.opaque(node)];
            return self.add_stmt(StmtKind::Opaque { exprs, stmts: ThinVec::new() }, span);
        }
        let words = self.modifier_words(node, specifier);
        let base = self.specifier(specifier);
        let base = self.qualify(node, specifier, base);
        let declarators = node.fields(FieldName::Declarator);
        let declaration = self.add_declaration(Declaration {
            span,
            specifier: self.span(specifier),
            specifier_type: base,
            is_plain: !is_definition(specifier)
                && self.is_spelled(specifier)
                && !matches!(specifier.kind(), "placeholder_type_specifier" | "auto" | "decltype"),
            count: declarators.len(),
            namespaces: self.namespaces.clone(),
        });
        let mut variables = Vec::new();
        for (at, declarator) in declarators.into_iter().enumerate() {
            if let Some(variable) =
                self.declarator_of_declaration(declarator, base, declaration, at, &words, record)
            {
                variables.push(variable);
            }
        }
        // `if (T *q = p)`: the value is a child of the declaration itself.
        if let (Some(value), [variable]) = (node.field(FieldName::Value), variables.as_slice()) {
            let init = self.expression(value);
            self.program.variables[variable.index()].init = Some(init);
            if matches!(self.program.types.kind(base.id), TypeKind::Unknown) {
                self.program.variables[variable.index()].is_auto = true;
                self.deduce_auto(*variable, init);
            }
        }
        self.add_stmt(StmtKind::Declaration(declaration, variables), span)
    }

    /// `T(int n);` in its class: a site of the constructor, whose definition stands outside.
    fn constructor_prototype(&mut self, node: Node<'t>, record: RecordId) {
        let declarator = node.field(FieldName::Declarator);
        let Some(declarator) = declarator.filter(|own| own.kind() == "function_declarator") else {
            return;
        };
        let name = declarator.field(FieldName::Declarator).map(|own| self.text_of(own));
        if name != Some(self.program.record(record).name.as_str()) {
            return;
        }
        let words = self.modifier_words(node, declarator);
        let base = self.program.types.unknown();
        let declaration = self.add_declaration(Declaration {
            span: self.span(node),
            specifier: self.span(declarator).at_start(),
            specifier_type: base,
            is_plain: false,
            count: 1,
            namespaces: self.namespaces.clone(),
        });
        let lowered =
            self.declarator(Some(declarator), base, Some(declaration), 0, self.span(declarator));
        if lowered.parameters.is_some() {
            self.prototype(declarator, &lowered, &words, Some(record), None);
        }
    }

    fn declarator_of_declaration(
        &mut self,
        node: Node<'t>,
        base: QualType,
        declaration: DeclarationId,
        at: usize,
        words: &[&'t str],
        record: Option<RecordId>,
    ) -> Option<VarId> {
        let inner = self.declared_part(node);
        let lowered = self.declarator(Some(inner), base, Some(declaration), at, self.span(node));
        if let Some(parameters) = lowered.parameters {
            // `T x(a, b);` with variables in the parentheses constructs `x`.
            if !self.locals.is_empty() && self.are_arguments(parameters) {
                return Some(self.constructed(node, base, lowered, parameters, words));
            }
            if self.may_be_arguments(parameters) {
                self.region(parameters, RegionKind::Unmodelled);
            }
            // A function has no value: a macro makes a name of this.
            if node.field(FieldName::Value).is_some() {
                self.region(node, RegionKind::Unmodelled);
            }
            self.prototype(node, &lowered, words, record, None);
            return None;
        }
        Some(self.variable_declarator(node, base, declaration, at, words, false))
    }

    /// The declarator inside an `init_declarator`.
    fn declared_part(&self, node: Node<'t>) -> Node<'t> {
        if node.kind() == "init_declarator" {
            node.field(FieldName::Declarator).unwrap_or(node)
        } else {
            node
        }
    }

    /// Whether what parsed as a parameter list names values and so is an argument list.
    fn are_arguments(&self, parameters: Node<'t>) -> bool {
        let mut cursor = parameters.walk();
        let children: Vec<_> = parameters.named_children(&mut cursor).collect();
        let name = |child: &Node<'t>| {
            let ty = child.field(FieldName::Type)?;
            (child.kind() == "parameter_declaration" && ty.kind() == "type_identifier")
                .then(|| self.text_of(ty))
        };
        // A type cannot have the name of a variable: one such name decides.
        children.iter().all(|child| name(child).is_some_and(|name| !self.names_type(name)))
            && children
                .iter()
                .filter_map(name)
                .any(|name| self.names_value(name) || self.is_macro(name))
    }

    /// Whether a parameter list mentions what no list of types does: `void *v(static_cast<void *>(p))`.
    fn may_be_arguments(&self, parameters: Node<'t>) -> bool {
        let is_local = !self.locals.is_empty();
        super::pasted::identifiers(self.text_of(parameters)).any(|word| {
            word.ends_with("_cast")
                || (is_local && self.names_value(word) && !self.names_type(word))
        })
    }

    fn constructed(
        &mut self,
        node: Node<'t>,
        base: QualType,
        lowered: Declarator<'t>,
        parameters: Node<'t>,
        words: &[&str],
    ) -> VarId {
        let mut arguments = Vec::new();
        let mut cursor = parameters.walk();
        let children: Vec<_> = parameters.named_children(&mut cursor).collect();
        // What a type that is not known does with them cannot be said.
        let is_deduced = self.is_deduced(node);
        let is_known = is_deduced
            || match self.program.types.kind(base.id) {
                // Handles are followed where they are made, too.
                TypeKind::Named(name, _) => {
                    is_made_of_numbers(name)
                        || name.starts_with("cl::")
                        || matches!(name.as_str(), "KernelFunctor" | "make_kernel")
                }
                TypeKind::Unknown | TypeKind::TemplateParameter(_) => false,
                _ => true,
            };
        for child in children {
            let item = is_known.then(|| self.argument_like_a_parameter(child)).flatten();
            arguments.push(item.unwrap_or_else(|| self.opaque(child)));
        }
        let span = self.span(parameters);
        let mut site = lowered.site;
        site.full = self.span(node);
        let mut ty = base;
        for _ in &site.pointers {
            ty = self.program.types.pointer(ty);
        }
        if site.reference.is_some() {
            ty = QualType::plain(self.program.types.intern(TypeKind::Reference(ty, false)));
        }
        let init = match arguments.as_slice() {
            // `float &r(a)` and `int n(m)` are plain initializations.
            [only] if is_known && self.program.types.as_record(ty.id).is_none() => *only,
            _ => {
                self.add_expr(ExprKind::Construct { of: ty, arguments: arguments.into() }, span, ty)
            }
        };
        self.new_variable(lowered.name, ty, site, Some(init), words, false)
    }

    /// Whether a declarator stands in a declaration with `auto`.
    fn is_deduced(&self, declarator: Node<'t>) -> bool {
        declarator
            .parent()
            .and_then(|declaration| declaration.field(FieldName::Type))
            .is_some_and(|ty| matches!(ty.kind(), "placeholder_type_specifier" | "auto"))
    }

    /// `b` in `T a(b)`, which parses as an unnamed parameter of type `b`, and `p[i]`, as an array.
    fn argument_like_a_parameter(&mut self, node: Node<'t>) -> Option<crate::program::ExprId> {
        let name = node.field(FieldName::Type)?;
        if name.kind() == "type_identifier" && node.named_child_count() == 1 {
            return Some(self.name(name));
        }
        let array = node.field(FieldName::Declarator)?;
        // `a * b`, a pointer `b` to an `a`.
        if array.kind() == "pointer_declarator"
            && name.kind() == "type_identifier"
            && node.named_child_count() == 2
            && array.named_child_count() == 1
            && let Some(right) = array.field(FieldName::Declarator)
        {
            let left = self.name(name);
            let right = match right.kind() {
                "identifier" => self.name(right),
                "function_declarator" => self.size_like_a_function(right)?,
                _ => return None,
            };
            let types = (self.program.expr(left).ty, self.program.expr(right).ty);
            let ty = self.binary_type(BinaryOp::Mul, types.0, types.1);
            let span = self.span(node);
            let product = self.add_expr(ExprKind::Binary(BinaryOp::Mul, left, right), span, ty);
            self.note_operator(product, "*", &[left, right]);
            return Some(product);
        }
        if array.kind() != "abstract_array_declarator"
            || array.field(FieldName::Declarator).is_some()
            || name.kind() != "type_identifier"
            || node.named_child_count() != 2
        {
            return None;
        }
        let size = array.field(FieldName::Size)?;
        let base = self.name(name);
        let index = self.expression(size);
        let unknown = self.program.types.unknown();
        let ty = self.program.types.pointee(self.program.expr(base).ty.id).unwrap_or(unknown);
        let kind = ExprKind::Index { base, index, brackets: self.span(array) };
        let span = self.span(node);
        Some(self.add_expr(kind, span, ty))
    }

    /// `sizeof(T)`, read as a function of that name.
    fn size_like_a_function(&mut self, node: Node<'t>) -> Option<crate::program::ExprId> {
        let word = node.field(FieldName::Declarator)?;
        let parameters = node.field(FieldName::Parameters)?;
        let is_size = word.kind() == "identifier" && self.text_of(word) == "sizeof";
        let of = parameters.named_child(0).filter(|of| {
            is_size && parameters.named_child_count() == 1 && of.kind() == "parameter_declaration"
        })?;
        let ty = of.field(FieldName::Type).filter(|_| of.named_child_count() == 1)?;
        let size = self.program.types.scalar(crate::types::Scalar::UnsignedLong);
        let span = self.span(node);
        if ty.kind() == "type_identifier" && self.names_value(self.text_of(ty)) {
            let operand = self.name(ty);
            return Some(self.add_expr(ExprKind::SizeOfExpr(operand), span, size));
        }
        let of_span = self.span(of);
        let of = self.type_descriptor(of);
        Some(self.add_expr(ExprKind::SizeOfType { of, of_span, is_align: false }, span, size))
    }

    /// A variable with its initializer.
    pub(crate) fn variable_declarator(
        &mut self,
        node: Node<'t>,
        base: QualType,
        declaration: DeclarationId,
        at: usize,
        words: &[&'t str],
        is_range_variable: bool,
    ) -> VarId {
        let inner = self.declared_part(node);
        let mut lowered =
            self.declarator(Some(inner), base, Some(declaration), at, self.span(node));
        lowered.site.full = self.span(node);
        let value =
            (node.kind() == "init_declarator").then(|| node.field(FieldName::Value)).flatten();
        let is_auto = matches!(self.program.types.kind(base.id), TypeKind::Unknown);
        if lowered.is_special {
            if let Some(member) = self.defined_member(node, &lowered, declaration, value) {
                return member;
            }
            return self.special_declarator(node, lowered, value);
        }
        let is_opencl_pointer = self.is_opencl_pointer(lowered.ty);
        let pointer_space = space_of_words(if is_opencl_pointer { words } else { &[] });
        let words = &words_of_variable(words, is_opencl_pointer)[..];
        // The name is in scope in its own initializer, so it is declared first.
        let mut site = lowered.site.clone();
        site.declaration = Some(declaration);
        let is_static = self.locals.is_empty()
            || words
                .iter()
                .any(|word| matches!(*word, "static" | "__shared__" | "__constant__" | "extern"));
        let id = self.new_variable(lowered.name, lowered.ty, site, None, words, is_static);
        if let Some(value) = value {
            let init = self.initializer(value, lowered.ty);
            self.program.variables[id.index()].init = Some(init);
            let unlengthed = match self.program.types.kind(lowered.ty.id) {
                TypeKind::Array(element, None) => Some(*element),
                _ => None,
            };
            if let Some(element) = unlengthed
                && let ExprKind::InitList(items) = &self.program.expr(init).kind
            {
                let kind = TypeKind::Array(element, Some(items.len() as u64));
                self.program.variables[id.index()].ty =
                    QualType::plain(self.program.types.intern(kind));
            }
            // `decltype(1.0f) v = 3;` has not the type of its value.
            let is_other = is_number(&self.program, init)
                && node
                    .parent()
                    .and_then(|own| own.field(FieldName::Type))
                    .is_some_and(|own| own.kind() == "decltype");
            if is_auto && !is_range_variable && !is_other {
                self.deduce_auto(id, init);
            }
        }
        self.program.variables[id.index()].is_auto = is_auto;
        self.program.variables[id.index()].pointer_space = pointer_space;
        let is_zeroed = self.locals.is_empty() || words.contains(&"static");
        if self.holds_device_ptr(lowered.ty) && value.is_none() && !is_zeroed {
            self.region(node, RegionKind::Unmodelled);
        }
        id
    }

    /// What a variable of a type is initialized with.
    pub(super) fn initializer(&mut self, value: Node<'t>, ty: QualType) -> crate::program::ExprId {
        match value.kind() {
            "argument_list" => {
                let arguments = self.arguments(value);
                let span = self.span(value);
                match arguments.as_slice() {
                    // `T *p(q)` and `int n(3)` are plain initializations.
                    [only] if self.program.types.as_record(ty.id).is_none() => *only,
                    _ => self.add_expr(ExprKind::Construct { of: ty, arguments }, span, ty),
                }
            }
            "initializer_list" => {
                self.listed = self.program.types.as_record(ty.id);
                self.expression(value)
            }
            _ => self.expression(value),
        }
    }

    /// Gives an `auto` variable the type of its initializer, as far as that is known.
    fn deduce_auto(&mut self, id: VarId, init: crate::program::ExprId) {
        let value = self.program.expr(init).ty;
        self.deduce_auto_from(id, value);
    }

    /// Gives an `auto` variable the type of a value.
    pub(super) fn deduce_auto_from(&mut self, id: VarId, value: QualType) {
        let declared = self.program.variable(id).ty;
        let deduced = match self.program.types.kind(declared.id).clone() {
            TypeKind::Unknown => {
                let decayed = match self.program.types.kind(value.id) {
                    TypeKind::Array(element, _) => {
                        let element = *element;
                        self.program.types.pointer(element)
                    }
                    _ => QualType { is_const: false, is_volatile: false, ..value },
                };
                QualType { is_const: declared.is_const, ..decayed }
            }
            TypeKind::Pointer(to)
                if matches!(self.program.types.kind(to.id), TypeKind::Unknown) =>
            {
                match self.program.types.pointee(value.id) {
                    Some(pointee) => {
                        let pointee =
                            QualType { is_const: pointee.is_const || to.is_const, ..pointee };
                        self.program.types.pointer(pointee)
                    }
                    None => declared,
                }
            }
            TypeKind::Reference(to, rvalue)
                if matches!(self.program.types.kind(to.id), TypeKind::Unknown) =>
            {
                let referred = QualType { is_const: value.is_const || to.is_const, ..value };
                QualType::plain(self.program.types.intern(TypeKind::Reference(referred, rvalue)))
            }
            _ => declared,
        };
        self.program.variables[id.index()].ty = deduced;
    }

    /// A declarator whose name is not an identifier: nothing is declared, everything is mentioned.
    fn special_declarator(
        &mut self,
        node: Node<'t>,
        lowered: Declarator<'t>,
        value: Option<Node<'t>>,
    ) -> VarId {
        let value = value.map(|value| (self.expression(value), self.span(value)));
        if let Some(object) = self.bound_members(node, &lowered, value.map(|(value, _)| value)) {
            return object;
        }
        self.region(node, RegionKind::Unmodelled);
        let init = value.map(|(inner, span)| {
            let unknown = self.program.types.unknown();
            self.add_expr(ExprKind::Opaque(vec![inner].into()), span, unknown)
        });
        let unknown = self.program.types.unknown();
        // Names of a structured binding are declared with unknown types.
        if node
            .field(FieldName::Declarator)
            .is_some_and(|inner| inner.kind() == "structured_binding_declarator")
        {
            for name in super::pasted::identifiers(&lowered.name) {
                let variable = self.plain_variable(name, unknown, lowered.site.clone());
                let id = self.add_variable(variable);
                self.declare(name, Symbol::Variable(id));
            }
        }
        let mut variable = self.plain_variable("", unknown, lowered.site);
        variable.init = init;
        self.add_variable(variable)
    }

    /// `auto [a, b] = e`: an unnamed copy of a plain record, whose members the names are.
    ///
    /// Members that are pointers to records, arrays or records are not followed.
    fn bound_members(
        &mut self,
        node: Node<'t>,
        lowered: &Declarator<'t>,
        value: Option<crate::program::ExprId>,
    ) -> Option<VarId> {
        let inner = node.field(FieldName::Declarator)?;
        let value = value?;
        let ty = self.program.expr(value).ty;
        let record = self.program.record(self.program.types.as_record(ty.id)?);
        let names: Vec<&str> = super::pasted::identifiers(&lowered.name).collect();
        let is_plain = inner.kind() == "structured_binding_declarator"
            && !self.locals.is_empty()
            && record.traits.is_empty()
            && record.fields.len() == names.len()
            && record.fields.iter().all(|field| {
                matches!(
                    self.program.types.kind(self.program.field(*field).ty.id),
                    TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(..)
                )
            });
        if !is_plain {
            return None;
        }
        let types: Vec<QualType> =
            record.fields.iter().map(|field| self.program.field(*field).ty).collect();
        for (name, ty) in names.into_iter().zip(types) {
            let variable = self.plain_variable(name, ty, lowered.site.clone());
            let id = self.add_variable(variable);
            self.declare(name, Symbol::Variable(id));
        }
        let object = QualType { is_const: false, is_volatile: false, ..ty };
        let mut variable = self.plain_variable("", object, lowered.site.clone());
        variable.init = Some(value);
        Some(self.add_variable(variable))
    }

    fn plain_variable(
        &self,
        name: &str,
        ty: QualType,
        site: crate::program::DeclaratorSite,
    ) -> Variable {
        Variable {
            name: name.to_owned(),
            ty,
            storage: if self.locals.is_empty() { Storage::Static } else { Storage::Local },
            space: Space::Default,
            pointer_space: Space::Default,
            site,
            init: None,
            function: self.function,
            is_extern: false,
            is_internal: false,
            is_auto: false,
            is_untyped: false,
            redeclarations: ThinVec::new(),
            record: self.record.filter(|_| self.locals.is_empty()),
        }
    }

    pub(crate) fn new_variable(
        &mut self,
        name: String,
        ty: QualType,
        site: crate::program::DeclaratorSite,
        init: Option<crate::program::ExprId>,
        words: &[&str],
        is_static: bool,
    ) -> VarId {
        let is_extern = words.contains(&"extern") && !words.contains(&"__shared__");
        let is_global = self.locals.is_empty() && self.record.is_none();
        if (is_global || is_extern)
            && let Some(known) = self.global_variable(&name)
            && (is_extern || self.program.variable(known).is_extern)
            && !words.contains(&"static")
        {
            let variable = &mut self.program.variables[known.index()];
            if variable.ty.id == ty.id {
                if is_extern {
                    variable.redeclarations.push(site);
                } else {
                    let old = std::mem::replace(&mut variable.site, site);
                    variable.redeclarations.push(old);
                    variable.is_extern = false;
                    variable.space = space_of_words(words);
                }
                self.declare(&name, Symbol::Variable(known));
                return known;
            }
        }
        let mut variable = self.plain_variable(&name, ty, site);
        variable.init = init;
        variable.space = space_of_words(words);
        variable.is_extern = is_extern;
        variable.is_internal = self.record.is_none() && words.contains(&"static");
        variable.ty.is_const |= words.contains(&"constexpr");
        if is_static || is_global {
            variable.storage = Storage::Static;
        }
        let id = self.add_variable(variable);
        if is_extern && !self.locals.is_empty() {
            // A block-scope `extern` means the global of that name, which may come later.
            self.declare_global(&name, Symbol::Variable(id));
        }
        self.declare(&name, Symbol::Variable(id));
        id
    }

    /// A function prototype.
    pub(crate) fn prototype(
        &mut self,
        node: Node<'t>,
        lowered: &Declarator<'t>,
        words: &[&str],
        record: Option<RecordId>,
        definition: Option<Span>,
    ) -> FunctionId {
        let list = lowered.parameters.unwrap_or(node);
        let outer = self.locals.take();
        self.locals.push();
        let (parameters, required, variadic) = self.parameters(list);
        self.locals = outer;
        let whole = if definition.is_some() { node } else { node.parent().unwrap_or(node) };
        let span = self.span_with_specifiers(whole);
        let parentheses = lowered.parameters.map(|list| self.span(list));
        let body = node.field(FieldName::Body);
        let macros = self.head_macros(span, lowered.site.name, parentheses, body);
        let has_c_linkage = record.is_none()
            && (self.linkage_blocks > 0 || macros.iter().any(HeadMacro::names_a_linkage));
        let is_const = self.is_const_method(node)
            || macros.iter().any(|own| {
                own.span.start >= lowered.site.name.end && own.words().any(|word| word == "const")
            });
        let site = FunctionSite {
            span,
            name: lowered.site.name,
            parameters: parameters.clone(),
            result: lowered.trailing.clone().unwrap_or_else(|| lowered.site.clone()),
            parentheses,
            template: self.template_around(node),
            macros,
        };
        let is_static =
            words.contains(&"static") || self.namespaces.iter().any(|name| name == "(anonymous)");
        // `operator +` is called by the operator.
        let is_free_operator = record.is_none() && lowered.is_special && is_operator(&lowered.name);
        let name = match is_free_operator {
            true => super::names::operator_name(&lowered.name),
            false => lowered.name.clone(),
        };
        let known = if self.templates.in_head {
            None
        } else if record.is_none() && (!lowered.is_special || is_free_operator) {
            let candidates = if is_static {
                self.functions_anywhere(&name)
                    .into_iter()
                    .filter(|id| {
                        self.program
                            .function(*id)
                            .sites
                            .iter()
                            .any(|site| site.span.file == self.current)
                    })
                    .collect()
            } else {
                self.functions_anywhere(&name)
            };
            candidates.into_iter().find(|id| {
                let function = self.program.function(*id);
                (!function.is_static
                    || is_static
                    || function.sites.iter().all(|site| site.span.file == self.current))
                    && !(definition.is_some() && function.body.is_some())
                    && function.template_parameters == self.template_parameters.concat()
                    && self.same_parameters(&function.parameters, &parameters)
            })
        } else {
            // A member function that is defined outside its class.
            record.and_then(|record| {
                let named = self.methods_by_name.get(&record)?;
                let mut named =
                    named.get(&super::names::operator_name(&lowered.name))?.iter().copied();
                named.find(|id| {
                    let function = self.program.function(*id);
                    function.is_const == is_const
                        && !(definition.is_some() && function.body.is_some())
                        && self.same_parameters(&function.parameters, &parameters)
                })
            })
        };
        let space = space_of_function(words, self.in_opencl());
        if let Some(id) = known {
            let is_defaulted = record.is_some() && self.is_defaulted(node);
            let function = &mut self.program.functions[id.index()];
            function.is_defaulted |= is_defaulted;
            function.sites.push(site);
            function.space = merge_spaces(function.space, space);
            function.required_parameters = function.required_parameters.min(required);
            function.is_static |= is_static;
            function.has_c_linkage |= has_c_linkage;
            if definition.is_some() {
                function.parameters = parameters;
            }
            if record.is_none() {
                self.declare_global(&name, Symbol::Function(id));
            }
            return id;
        }
        let id = FunctionId(self.program.functions.len() as u32);
        self.program.identifiers.insert(lowered.name.clone());
        self.program.functions.push(Function {
            name: name.clone(),
            space,
            result: lowered.result,
            parameters,
            sites: vec![site],
            body: None,
            template_parameters: self.template_parameters.concat(),
            record,
            is_static,
            is_variadic: variadic,
            required_parameters: required,
            is_const,
            is_static_member: record.is_some() && words.contains(&"static"),
            is_private: false,
            // Finding a parent is a walk from the root.
            is_deleted: record.is_some() && self.is_deleted(node),
            is_defaulted: record.is_some() && self.is_defaulted(node),
            is_pure: record.is_some() && self.is_pure(node),
            has_c_linkage,
            this_parameter: None,
            copy_of: None,
        });
        match record {
            _ if self.templates.in_head => {}
            Some(record) => self.add_method(record, id),
            None if is_free_operator => self.declare_global(&name, Symbol::Function(id)),
            None if lowered.is_special => {}
            None if self.locals.is_empty() => {
                self.declare_global(&lowered.name, Symbol::Function(id))
            }
            None => self.declare(&lowered.name, Symbol::Function(id)),
        }
        id
    }

    /// The `template` declaration that a declaration or definition is the body of.
    fn template_around(&self, node: Node<'t>) -> Option<Span> {
        if self.template_parameters.is_empty() {
            return None;
        }
        let mut at = node;
        let mut found = None;
        while let Some(parent) = at.parent() {
            match parent.kind() {
                "template_declaration" => found = Some(self.span(parent)),
                "declaration" | "field_declaration" | "init_declarator" => {}
                _ => break,
            }
            at = parent;
        }
        found
    }

    /// Whether a declaration ends in `= delete`.
    fn is_deleted(&self, node: Node<'t>) -> bool {
        declaration_and_around(node).any(|node| {
            let mut cursor = node.walk();
            node.children(&mut cursor).any(|child| {
                child.kind() == "delete_method_clause" || self.text_of(child) == "delete"
            })
        })
    }

    /// Whether a declaration ends in `= default`.
    fn is_defaulted(&self, node: Node<'t>) -> bool {
        declaration_and_around(node).any(|node| {
            let mut cursor = node.walk();
            node.children(&mut cursor).any(|child| child.kind() == "default_method_clause")
        })
    }

    /// Whether a declaration ends in `= 0`.
    fn is_pure(&self, node: Node<'t>) -> bool {
        declaration_and_around(node).any(|node| {
            let mut cursor = node.walk();
            let is_initialized = node.kind() == "field_declaration"
                && node.child_by_field_name("default_value").is_some();
            is_initialized
                || node.children(&mut cursor).any(|child| child.kind() == "pure_virtual_clause")
        })
    }

    /// Whether a function declarator ends in `const`.
    fn is_const_method(&self, node: Node<'t>) -> bool {
        function_declarator(node).is_some_and(|declarator| {
            let mut cursor = declarator.walk();
            declarator
                .children(&mut cursor)
                .any(|child| child.kind() == "type_qualifier" && self.text_of(child) == "const")
        })
    }

    /// The name of a function that is declared with `&` or `&&` behind its parameters, and which objects it takes.
    pub(super) fn name_with_ref_qualifier(&self, node: Node<'t>) -> Option<(String, Objects)> {
        let declarator = function_declarator(node)?;
        let mut cursor = declarator.walk();
        let mut children = declarator.children(&mut cursor);
        let qualifier = children.find(|child| child.kind() == "ref_qualifier")?;
        let name = declarator.field(FieldName::Declarator)?;
        let name = super::names::operator_name(self.text_of(name));
        let objects = match (self.text_of(qualifier).starts_with("&&"), self.is_const_method(node))
        {
            (true, _) => Objects::Temporary,
            (false, true) => Objects::Any,
            (false, false) => Objects::Lasting,
        };
        Some((name, objects))
    }

    fn same_parameters(&self, left: &[VarId], right: &[VarId]) -> bool {
        left.len() == right.len()
            && left.iter().zip(right).all(|(left, right)| {
                let (left, right) = (self.program.variable(*left), self.program.variable(*right));
                // Top-level `const` does not distinguish parameter types.
                self.is_alike(left.ty.id, right.ty.id)
            })
    }

    /// Whether two types are the same, or would be with `using namespace std`: a header has `std::string`, and the file
    /// that defines what it declares has `string`.
    fn is_alike(&self, left: TypeId, right: TypeId) -> bool {
        let types = &self.program.types;
        left == right
            || match (types.kind(left), types.kind(right)) {
                (TypeKind::Pointer(left), TypeKind::Pointer(right)) => {
                    QualType { id: right.id, ..*left } == *right && self.is_alike(left.id, right.id)
                }
                (TypeKind::Reference(left, one), TypeKind::Reference(right, other)) => {
                    one == other
                        && QualType { id: right.id, ..*left } == *right
                        && self.is_alike(left.id, right.id)
                }
                (TypeKind::Named(left, of_left), TypeKind::Named(right, of_right)) => {
                    let plain = left.strip_prefix("std::").unwrap_or(left);
                    plain == right.strip_prefix("std::").unwrap_or(right)
                        && (left == right || self.may_be_of_std(plain))
                        && of_left.len() == of_right.len()
                        && of_left
                            .iter()
                            .zip(of_right)
                            .all(|(one, other)| self.is_alike(*one, *other))
                }
                _ => false,
            }
    }

    /// Lowers a parameter list into the innermost scope.
    pub(crate) fn parameters(&mut self, list: Node<'t>) -> (Vec<VarId>, usize, bool) {
        let mut variables = Vec::new();
        let (mut required, mut variadic) = (0, false);
        let mut cursor = list.walk();
        let children: Vec<_> = list.children(&mut cursor).collect();
        for child in children {
            match child.kind() {
                "parameter_declaration" | "optional_parameter_declaration" => {}
                "..." | "variadic_parameter_declaration" => {
                    variadic = true;
                    continue;
                }
                _ => continue,
            }
            let Some(specifier) = child.field(FieldName::Type) else { continue };
            let declarator = child.field(FieldName::Declarator);
            if declarator.is_none() && self.text_of(specifier) == "void" {
                continue;
            }
            let base = self.specifier(specifier);
            let base = self.qualify(child, specifier, base);
            let declaration = self.add_declaration(Declaration {
                span: self.span(child),
                specifier: self.span(specifier),
                specifier_type: base,
                is_plain: !is_definition(specifier)
                    && self.is_spelled(specifier)
                    && specifier.kind() != "placeholder_type_specifier",
                count: 1,
                namespaces: self.namespaces.clone(),
            });
            let lowered = self.declarator(declarator, base, Some(declaration), 0, self.span(child));
            let mut ty = lowered.ty;
            // An array parameter is a pointer.
            if let TypeKind::Array(element, _) = *self.program.types.kind(ty.id) {
                ty = self.program.types.pointer(element);
            }
            let mut default = None;
            if child.kind() == "parameter_declaration" {
                required = variables.len() + 1;
            } else if let Some(value) = child.field(FieldName::DefaultValue) {
                let value = self.expression(value);
                self.program.file_scope_exprs.push(value);
                // A list in braces is masked; which object it makes is the parameter's type.
                let span = self.program.expr(value).span;
                let written = self.program.text(span);
                let has_null = super::pasted::identifiers(written)
                    .any(|word| matches!(word, "nullptr" | "NULL"));
                if written.starts_with('{') && has_null {
                    self.region(child, RegionKind::Unmodelled);
                }
                default = Some((value, self.is_null(value)));
            }
            let mut variable = self.plain_variable(&lowered.name, ty, lowered.site);
            variable.storage = Storage::Parameter { index: variables.len() };
            if self.is_opencl_pointer(ty) {
                variable.pointer_space = space_of_words(&self.modifier_words(child, specifier));
            }
            variable.function = None;
            let id = self.add_variable(variable);
            self.program.default_arguments.extend(default.map(|default| (id, default)));
            self.locals.declare(&lowered.name, Symbol::Variable(id));
            variables.push(id);
        }
        (variables, required, variadic)
    }

    /// A function definition with its body.
    pub(crate) fn function_definition(&mut self, node: Node<'t>, record: Option<RecordId>) {
        let Some(declarator) = node.field(FieldName::Declarator) else {
            self.region(node, RegionKind::Unmodelled);
            return;
        };
        let specifier = node.field(FieldName::Type);
        let words = self.modifier_words(node, specifier.unwrap_or(declarator));
        let base = match specifier {
            Some(specifier) => {
                let base = self.specifier(specifier);
                self.qualify(node, specifier, base)
            }
            None => self.program.types.unknown(),
        };
        let declaration = self.add_declaration(Declaration {
            span: self.span(node),
            specifier: specifier.map_or(self.span(declarator).at_start(), |node| self.span(node)),
            specifier_type: base,
            is_plain: specifier.is_some_and(|specifier| self.is_spelled(specifier)),
            count: 1,
            namespaces: self.namespaces.clone(),
        });
        let lowered =
            self.declarator(Some(declarator), base, Some(declaration), 0, self.span(declarator));
        if lowered.parameters.is_none() {
            self.region(node, RegionKind::Unmodelled);
            return;
        }
        let mut record = record;
        if lowered.is_special && record.is_none() {
            // `T::method` outside its class: the names in it are resolved as for a free function.
            record = self.record_of_qualified(declarator);
        }
        if let Some(template) = record
            && lowered.is_special
            && self.record.is_none()
        {
            self.note_outside_member(template, node);
        }
        let id = self.prototype(node, &lowered, &words, record, Some(self.span(node)));
        if self.templates.in_head {
            return;
        }
        if record.is_none()
            && self.record.is_none()
            && let [list] = self.template_lists[..]
        {
            self.template_source(id, node, list);
        }
        // The body of a member function or friend sees all members, so it waits for them.
        if self.record.is_some() && (record.is_none() || self.record == record) {
            if let Some(record) = record
                && self.note_accessor(record, id, node)
            {
                return;
            }
            self.waiting_bodies.push((id, node));
        } else {
            self.function_body(id, node, record);
        }
    }

    /// The body of a function that was declared.
    pub(crate) fn function_body(
        &mut self,
        id: FunctionId,
        node: Node<'t>,
        record: Option<RecordId>,
    ) {
        let body = node.field(FieldName::Body);
        let parameters = self
            .program
            .function(id)
            .sites
            .last()
            .map(|site| site.parameters.clone())
            .unwrap_or_default();
        for parameter in &parameters {
            self.program.variables[parameter.index()].function = Some(id);
        }
        let outer_locals = self.locals.take();
        let outer_function = self.function.replace(id);
        let outer_assertion = std::mem::replace(&mut self.in_assertion, false);
        let outer_record = std::mem::replace(&mut self.record, record);
        self.locals.push();
        for parameter in &parameters {
            let name = self.program.variable(*parameter).name.clone();
            if !name.is_empty() {
                self.locals.declare(&name, Symbol::Variable(*parameter));
            }
        }
        let mut statements = Vec::new();
        let mut cursor = node.walk();
        let initializers: Vec<_> = node
            .named_children(&mut cursor)
            .filter(|child| child.kind() == "field_initializer_list")
            .collect();
        for list in initializers {
            let mut cursor = list.walk();
            let items: Vec<_> = list.named_children(&mut cursor).collect();
            for item in items {
                let expr = self.member_initializer(item);
                let span = self.span(item);
                statements.push(self.add_stmt(StmtKind::Expr(Some(expr)), span));
            }
        }
        if let Some(body) = body {
            statements.push(self.statement(body));
            let span = self.span(body);
            let whole = if statements.len() == 1 {
                statements[0]
            } else {
                self.add_stmt(StmtKind::Block(statements), span)
            };
            self.program.functions[id.index()].body = Some(whole);
            self.deduce_result(id, node, body);
        }
        self.locals = outer_locals;
        self.function = outer_function;
        self.in_assertion = outer_assertion;
        self.record = outer_record;
    }

    /// Gives `auto f()` its type, if that is a record by value: what all that it returns has.
    fn deduce_result(&mut self, id: FunctionId, node: Node<'t>, body: Node<'t>) {
        let is_auto = node.field(FieldName::Type).is_some_and(|ty| self.text_of(ty) == "auto");
        let function = self.program.function(id);
        let is_unknown = matches!(self.program.types.kind(function.result.id), TypeKind::Unknown);
        let list = function.sites.last().and_then(|site| site.parentheses);
        let Some(list) = list.filter(|_| is_auto && is_unknown && self.frame.is_none()) else {
            return;
        };
        if self.original(list.end as usize - self.offset, body.start_byte()).contains("->") {
            return;
        }
        let mut stack: Vec<StmtId> = function.body.into_iter().collect();
        let mut found: Option<QualType> = None;
        while let Some(statement) = stack.pop() {
            let statement = self.program.stmt(statement);
            if let StmtKind::Return(value) = statement.kind {
                let Some(value) = value else { return };
                let ty = QualType::plain(self.program.expr(value).ty.id);
                if self.program.types.as_record(ty.id).is_none()
                    || found.is_some_and(|own| own != ty)
                {
                    return;
                }
                found = Some(ty);
            }
            stack.extend(statement.parts().0);
        }
        if let Some(found) = found {
            self.program.functions[id.index()].result = found;
        }
    }

    /// `p(q)` in front of a constructor's body: the member is set as if by assignment.
    fn member_initializer(&mut self, node: Node<'t>) -> crate::program::ExprId {
        let mut cursor = node.walk();
        let parts: Vec<_> =
            node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect();
        let [name, value] = parts[..] else { return self.opaque(node) };
        if node.has_error()
            || name.kind() != "field_identifier"
            || !matches!(value.kind(), "argument_list" | "initializer_list")
        {
            return self.opaque(node);
        }
        let found = self
            .record
            .and_then(|record| Some((record, self.member_named(record, self.text_of(name)).0?)));
        let Some((record, field)) = found else {
            let base = self.type_of_name(self.text_of(name), &[]);
            if let Some(record) = self.program.types.as_record(base.id) {
                // The constructor of the base, or another one of the class itself, runs for this object.
                let arguments = self.arguments(value);
                self.program.member_values.push((record, arguments.to_vec()));
                let span = self.span(node);
                return self.add_expr(ExprKind::Construct { of: base, arguments }, span, base);
            }
            return self.opaque(node);
        };
        let ty = self.program.field(field).ty;
        let values = self.arguments(value);
        if let Some(record) = self.program.types.as_record(ty.id) {
            self.program.member_values.push((record, values.to_vec()));
            if self.makes_from_pointers(record, &values) {
                let span = self.span(node);
                let kind = ExprKind::Construct { of: ty, arguments: values };
                return self.add_expr(kind, span, ty);
            }
        }
        let [value] = values[..] else {
            if !self.is_model_text(self.current) {
                return self.opaque(node);
            }
            let (span, unknown) = (self.span(node), self.program.types.unknown());
            return self.add_expr(ExprKind::Opaque(values), span, unknown);
        };
        if self.refers_to_holder(ty) {
            let given = self.program.types.strip_reference(self.program.expr(value).ty);
            let to = self.program.types.strip_reference(ty);
            let kind = ExprKind::Opaque(thin_vec::thin_vec![value]);
            if given.id == to.id {
                self.program.bound_members.insert(value);
            }
            let (span, unknown) = (self.span(node), self.program.types.unknown());
            return self.add_expr(kind, span, unknown);
        }
        let is_simple = match self.program.types.kind(ty.id) {
            TypeKind::Scalar(_) | TypeKind::Enum(..) | TypeKind::Pointer(_) => true,
            TypeKind::Vector(_) | TypeKind::Opaque(_) => self.program.expr(value).ty.id == ty.id,
            TypeKind::Named(..) => [ty, self.program.expr(value).ty]
                .iter()
                .all(|own| self.program.types.smart_pointee(*own).is_some()),
            // A copy, as the compiler makes it.
            TypeKind::Record(own) => {
                let given = self.program.types.strip_reference(self.program.expr(value).ty);
                let traits = &self.program.record(*own).traits;
                given.id == ty.id
                    && !traits
                        .iter()
                        .any(|(which, _)| *which == crate::program::RecordTrait::CopyControl)
            }
            _ => false,
        };
        if !is_simple {
            if self.is_model_text(self.current) {
                let kind = ExprKind::Opaque(thin_vec::thin_vec![value]);
                let (span, unknown) = (self.span(node), self.program.types.unknown());
                return self.add_expr(kind, span, unknown);
            }
            // A constructor of the class moves or copies it, or nothing happens.
            let given = self.program.types.strip_reference(self.program.expr(value).ty);
            if given.id == ty.id && self.program.types.as_record(ty.id).is_some() {
                self.program.bound_members.insert(value);
                let kind = ExprKind::Opaque(thin_vec::thin_vec![value]);
                let (span, unknown) = (self.span(node), self.program.types.unknown());
                return self.add_expr(kind, span, unknown);
            }
            return self.opaque(node);
        }
        let span = self.span(node);
        // A parameter of that name hides the member everywhere but here.
        let at = self.span(name);
        let target = self.member_of_this(record, Some(field), Vec::new(), at);
        let ty = self.program.expr(target).ty;
        self.add_expr(ExprKind::Assign(None, target, value), span, ty)
    }

    /// Whether a class of the program makes its object from what has pointers to records in it.
    fn makes_from_pointers(&self, record: RecordId, values: &[ExprId]) -> bool {
        let program = &self.program;
        let is_pointer = |value: &ExprId| {
            let ty = program.types.strip_reference(program.expr(*value).ty);
            let to = program.types.pointee(ty.id);
            to.is_some_and(|to| program.types.as_record(to.id).is_some())
        };
        !self.is_model_text(self.current)
            && program.record(record).body.is_some()
            && values.iter().any(is_pointer)
    }

    pub(super) fn record_of_qualified(&mut self, declarator: Node<'t>) -> Option<RecordId> {
        let mut stack = vec![declarator];
        while let Some(node) = stack.pop() {
            if node.kind() == "qualified_identifier" {
                let (scope, _) = self.qualified_parts(node);
                if let Some(template) = self.template_of_member(node) {
                    return Some(template);
                }
                let (name, around) = scope.split_last()?;
                let ty = self.type_of_name(name, around);
                let found = self.program.types.as_record(ty.id);
                let nested = match found {
                    Some(_) => None,
                    None => self.type_of_class(name, around),
                };
                let nested = nested.and_then(|ty| self.program.types.as_record(ty.id));
                return found.or(nested).or_else(|| {
                    let ty = self.type_of_name(name, &[]);
                    self.program.types.as_record(ty.id)
                });
            }
            // A reference has its declarator as a plain child.
            let inner = node.field(FieldName::Declarator).or_else(|| {
                let mut cursor = node.walk();
                node.named_children(&mut cursor).find(|child| {
                    child.kind().ends_with("declarator") || child.kind() == "qualified_identifier"
                })
            });
            stack.extend(inner);
        }
        None
    }

    /// Runs `body` in a fresh local scope.
    pub(crate) fn scoped<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        self.locals.push();
        let result = body(self);
        self.locals.pop();
        result
    }

    /// Declares a range variable or parameter in the innermost scope.
    pub(crate) fn declare_local(&mut self, name: &str, id: VarId) {
        self.locals.declare(name, Symbol::Variable(id));
    }
}

/// Whether a declared name is that of an operator.
fn is_operator(name: &str) -> bool {
    name.strip_prefix("operator")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The declaration that a node is or stands in; not the list of declarations around it, in which there
/// may be many.
fn declaration_and_around(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let around = node.parent().filter(|parent| !crate::parse::holds_items(parent.kind()));
    std::iter::once(node).chain(around)
}

/// Whether an expression is a number or a vector of numbers.
fn is_number(program: &Program, expr: ExprId) -> bool {
    let ty = program.types.strip_reference(program.expr(expr).ty);
    matches!(program.types.kind(ty.id), TypeKind::Scalar(_) | TypeKind::Vector(_))
}

/// The declarator of a function in a declaration or definition.
fn function_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = Some(node);
    while let Some(node) = at {
        if node.kind() == "function_declarator" {
            return Some(node);
        }
        at = node.field(FieldName::Declarator).or_else(|| {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).find(|child| child.kind().ends_with("declarator"))
        });
    }
    None
}
