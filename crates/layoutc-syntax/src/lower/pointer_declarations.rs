//! `float (*p)[8] = q;`, which the grammar takes for a subscript of a call of `float`.
//!
//! What stands in front of the parentheses decides: a type makes it a declaration.

use super::Lowering;
use super::fields::{FieldName, Fields};
use crate::program::{Declaration, DeclaratorSite, StmtId, StmtKind};
use crate::types::{QualType, TypeKind};
use tree_sitter::Node;

/// A declarator that was parsed as an expression.
struct Part<'t> {
    /// With its initializer.
    whole: Node<'t>,
    /// `(*p)`.
    pointer: Node<'t>,
    /// `*p` and what stands in it, outermost first.
    stars: Vec<Node<'t>>,
    name: Node<'t>,
    /// The brackets of `(*p)[8]` from the outside in: the last of the text first.
    brackets: Vec<Node<'t>>,
    /// Those of `*p[2]`, in the same order.
    inner: Vec<Node<'t>>,
    value: Option<Node<'t>>,
    /// The last node of the declarator.
    end: usize,
}

impl<'t> Lowering<'t> {
    /// The declaration that an expression is, if it is one.
    pub(crate) fn pointer_declaration(
        &mut self,
        node: Node<'t>,
        inner: Node<'t>,
    ) -> Option<StmtId> {
        let mut items = vec![inner];
        while let Some(first) = items.first().copied()
            && first.kind() == "comma_expression"
        {
            let (left, right) = (first.field(FieldName::Left)?, first.field(FieldName::Right)?);
            items.splice(0..1, [left, right]);
        }
        // `a, (b, c)` leans to the right.
        while let Some(last) = items.last().copied()
            && last.kind() == "comma_expression"
        {
            let (left, right) = (last.field(FieldName::Left)?, last.field(FieldName::Right)?);
            items.pop();
            items.extend([left, right]);
        }
        let mut parts = Vec::new();
        let mut specifier = None;
        for (at, item) in items.into_iter().enumerate() {
            let (part, of) = self.declarator_part(item)?;
            if (at == 0) != of.is_some() {
                return None;
            }
            specifier = specifier.or(of);
            parts.push(part);
        }
        let specifier = specifier.filter(|specifier| self.is_type(*specifier))?;
        let base = self.specifier(specifier);
        let declaration = self.add_declaration(Declaration {
            span: self.span(node),
            specifier: self.span(specifier),
            specifier_type: base,
            is_plain: true,
            count: parts.len(),
            namespaces: self.namespaces.clone(),
        });
        let is_static = self.locals.is_empty();
        let mut variables = Vec::new();
        for (index, part) in parts.into_iter().enumerate() {
            let ty = self.type_of_part(base, &part);
            let pointers = part
                .stars
                .iter()
                .map(|star| self.span_of(star.start_byte(), star.start_byte() + 1))
                .collect();
            let site = DeclaratorSite {
                declaration: Some(declaration),
                index,
                span: self.span_of(part.pointer.start_byte(), part.end),
                pointers,
                reference: None,
                name: self.span(part.name),
                full: self.span_of(part.pointer.start_byte(), part.whole.end_byte()),
            };
            let name = self.text_of(part.name).to_owned();
            let id = self.new_variable(name, ty, site, None, &[], is_static);
            if let Some(value) = part.value {
                let init = self.expression(value);
                self.program.variables[id.index()].init = Some(init);
            }
            variables.push(id);
        }
        let span = self.span(node);
        Some(self.add_stmt(StmtKind::Declaration(declaration, variables), span))
    }

    /// Whether a node in front of parentheses names a type.
    fn is_type(&self, node: Node<'t>) -> bool {
        match node.kind() {
            "primitive_type" | "sized_type_specifier" => true,
            "identifier" => self.parameter(node).is_none() && self.names_type(self.text_of(node)),
            _ => false,
        }
    }

    /// A declarator, and the type in front of the first.
    fn declarator_part(&self, whole: Node<'t>) -> Option<(Part<'t>, Option<Node<'t>>)> {
        let (mut at, mut value) = (whole, None);
        if at.kind() == "assignment_expression" {
            if at.field(FieldName::Operator).is_some_and(|op| self.text_of(op) != "=") {
                return None;
            }
            value = at.field(FieldName::Right);
            at = at.field(FieldName::Left)?;
        }
        let end = at.end_byte();
        let mut brackets = Vec::new();
        while at.kind() == "subscript_expression" {
            let indices = at.field(FieldName::Indices)?;
            if indices.named_child_count() > 1 {
                return None;
            }
            brackets.push(indices);
            at = at.field(FieldName::Argument)?;
        }
        let (specifier, pointer) = match at.kind() {
            "call_expression" => (at.field(FieldName::Function), at.field(FieldName::Arguments)?),
            // Behind the first: `float (*p)[8], (*q)[8], *r, s`.
            "parenthesized_expression" | "pointer_expression" | "identifier" => (None, at),
            _ => return None,
        };
        let is_parenthesized = !matches!(at.kind(), "pointer_expression" | "identifier");
        if is_parenthesized && (pointer.named_child_count() != 1 || brackets.is_empty()) {
            return None;
        }
        let mut stars = Vec::new();
        let mut name = if is_parenthesized { pointer.named_child(0)? } else { pointer };
        while name.kind() == "pointer_expression" && self.text_of(name).starts_with('*') {
            stars.push(name);
            name = name.field(FieldName::Argument)?;
        }
        let mut inner = Vec::new();
        while name.kind() == "subscript_expression" {
            let indices = name.field(FieldName::Indices)?;
            if indices.named_child_count() > 1 {
                return None;
            }
            inner.push(indices);
            name = name.field(FieldName::Argument)?;
        }
        if (is_parenthesized && stars.is_empty()) || name.kind() != "identifier" {
            return None;
        }
        Some((Part { whole, pointer, stars, name, brackets, inner, value, end }, specifier))
    }

    fn type_of_part(&mut self, base: QualType, part: &Part<'t>) -> QualType {
        let ty = self.with_arrays(base, &part.brackets);
        let mut ty = ty;
        for _ in &part.stars {
            ty = self.program.types.pointer(ty);
        }
        self.with_arrays(ty, &part.inner)
    }

    fn with_arrays(&mut self, base: QualType, brackets: &[Node<'t>]) -> QualType {
        let mut ty = base;
        for indices in brackets {
            let size = indices.named_child(0).map(|size| {
                let size = self.expression(size);
                self.program.file_scope_exprs.push(size);
                size
            });
            let brackets = self.span(*indices);
            self.program.brackets.insert(brackets, size);
            let length = size
                .and_then(|size| crate::evaluate::constant(&self.program, size))
                .and_then(|length| u64::try_from(length).ok());
            ty = QualType::plain(self.program.types.intern(TypeKind::Array(ty, length)));
        }
        ty
    }
}
