//! Statements.

use super::Lowering;
use super::fields::{FieldName, Fields};
use crate::program::{Declaration, ExprId, RegionKind, StmtId, StmtKind};
use thin_vec::{ThinVec, thin_vec};
use tree_sitter::Node;

impl<'t> Lowering<'t> {
    /// A statement, or a declaration in a block.
    pub(crate) fn statement(&mut self, node: Node<'t>) -> StmtId {
        let span = self.span(node);
        if node.has_error() && !is_structured(node.kind()) {
            return self.opaque_statement(node, RegionKind::Unparsed);
        }
        let kind = match node.kind() {
            "compound_statement" => {
                let body = self.scoped(|this| this.statements_below(node));
                StmtKind::Block(body)
            }
            "expression_statement" => {
                let inner = first_named(node);
                if let Some(assembly) = inner.filter(|inner| inner.kind() == "gnu_asm_expression") {
                    let operands = self.opaque(assembly);
                    return self.add_stmt(StmtKind::Asm(vec![operands]), span);
                }
                if let Some(inner) = inner
                    && let Some(declared) = self.pointer_declaration(node, inner)
                {
                    return declared;
                }
                if let Some(inner) = inner
                    && let Some(expanded) = self.expand_statement(node, inner)
                {
                    return expanded;
                }
                StmtKind::Expr(inner.map(|inner| self.expression(inner)))
            }
            "declaration" => return self.declaration(node, None),
            "if_statement" => return self.scoped(|this| this.if_statement(node)),
            "for_statement" => return self.scoped(|this| this.for_statement(node)),
            "for_range_loop" => return self.scoped(|this| this.for_range(node)),
            "while_statement" => {
                return self.scoped(|this| {
                    let (init, condition) = this.condition(node);
                    let body = this.body(node, FieldName::Body);
                    this.add_stmt(StmtKind::While { init, condition, body }, span)
                });
            }
            "do_statement" => {
                let body = self.body(node, FieldName::Body);
                match node.field(FieldName::Condition) {
                    Some(condition) => {
                        let condition = self.expression(condition);
                        StmtKind::DoWhile { body, condition }
                    }
                    None => return self.opaque_statement(node, RegionKind::Unparsed),
                }
            }
            "switch_statement" => {
                return self.scoped(|this| {
                    let (init, condition) = this.condition(node);
                    let body = this.body(node, FieldName::Body);
                    this.add_stmt(StmtKind::Switch { init, condition, body }, span)
                });
            }
            "case_statement" => {
                let value = node.field(FieldName::Value);
                let lowered = value.map(|value| self.expression(value));
                let mut cursor = node.walk();
                let children: Vec<_> = node
                    .named_children(&mut cursor)
                    .filter(|child| Some(*child) != value)
                    .collect();
                let body =
                    children.into_iter().filter_map(|child| self.maybe_statement(child)).collect();
                StmtKind::Labelled { label: None, value: lowered, body }
            }
            "labeled_statement" => {
                let label = node.field(FieldName::Label);
                let name = label.map(|label| self.text_of(label).into());
                let mut cursor = node.walk();
                let children: Vec<_> = node
                    .named_children(&mut cursor)
                    .filter(|child| Some(*child) != label)
                    .collect();
                let body =
                    children.into_iter().filter_map(|child| self.maybe_statement(child)).collect();
                StmtKind::Labelled { label: name, value: None, body }
            }
            "return_statement" => {
                let value = self.returned_index(node).or_else(|| first_named(node));
                StmtKind::Return(value.map(|inner| self.expression(inner)))
            }
            "break_statement" => StmtKind::Break,
            "continue_statement" => StmtKind::Continue,
            "goto_statement" => {
                let label = node.field(FieldName::Label).map_or("", |label| self.text_of(label));
                StmtKind::Goto(label.to_owned())
            }
            "attributed_statement" => {
                let mut cursor = node.walk();
                let inner = node
                    .named_children(&mut cursor)
                    .filter(|child| !matches!(child.kind(), "attribute_declaration" | "comment"))
                    .last();
                match inner {
                    Some(inner) => return self.statement(inner),
                    None => StmtKind::Nothing(Vec::new()),
                }
            }
            "gnu_asm_expression" => {
                let operands = self.opaque(node);
                StmtKind::Asm(vec![operands])
            }
            "try_statement" => {
                let mut cursor = node.walk();
                let children: Vec<_> = node.named_children(&mut cursor).collect();
                let mut blocks = Vec::new();
                for child in children {
                    match child.kind() {
                        "compound_statement" => blocks.push(self.statement(child)),
                        "catch_clause" => {
                            let block = self.scoped(|this| {
                                if let Some(parameters) = child.field(FieldName::Parameters) {
                                    this.parameters(parameters);
                                }
                                this.body(child, FieldName::Body)
                            });
                            blocks.push(block);
                        }
                        _ => {}
                    }
                }
                StmtKind::Try(blocks)
            }
            "throw_statement" => {
                let thrown: Vec<ExprId> =
                    first_named(node).into_iter().map(|inner| self.opaque(inner)).collect();
                StmtKind::Opaque { exprs: thrown, stmts: ThinVec::new() }
            }
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                self.specifier(node);
                StmtKind::Nothing(Vec::new())
            }
            "type_definition" => {
                self.type_definition(node);
                StmtKind::Nothing(Vec::new())
            }
            "alias_declaration" => {
                self.alias_declaration(node);
                StmtKind::Nothing(Vec::new())
            }
            "static_assert_declaration" => {
                self.static_assert(node);
                StmtKind::Nothing(Vec::new())
            }
            "using_declaration" => {
                self.using_declaration(node);
                StmtKind::Nothing(Vec::new())
            }
            "namespace_alias_definition" | "empty_statement" => StmtKind::Nothing(Vec::new()),
            _ => return self.opaque_statement(node, RegionKind::Unmodelled),
        };
        self.add_stmt(kind, span)
    }

    fn opaque_statement(&mut self, node: Node<'t>, kind: RegionKind) -> StmtId {
        let mentioned = self.opaque(node);
        if kind == RegionKind::Unmodelled {
            self.region(node, kind);
        }
        let span = self.span(node);
        self.add_stmt(StmtKind::Opaque { exprs: vec![mentioned], stmts: ThinVec::new() }, span)
    }

    pub(super) fn maybe_statement(&mut self, node: Node<'t>) -> Option<StmtId> {
        match node.kind() {
            "comment" => None,
            "ERROR" => Some(self.opaque_statement(node, RegionKind::Unparsed)),
            _ => Some(self.statement(node)),
        }
    }

    fn statements_below(&mut self, node: Node<'t>) -> Vec<StmtId> {
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        children.into_iter().filter_map(|child| self.maybe_statement(child)).collect()
    }

    fn body(&mut self, node: Node<'t>, field: FieldName) -> StmtId {
        match node.field(field) {
            Some(body) => self.scoped(|this| this.statement(body)),
            None => {
                let span = self.span(node).at_end();
                self.add_stmt(StmtKind::Nothing(Vec::new()), span)
            }
        }
    }

    /// The condition of `if`, `while` and `switch`: an init statement or declaration, and a value.
    fn condition(&mut self, node: Node<'t>) -> (Option<StmtId>, Option<ExprId>) {
        let Some(clause) = node.field(FieldName::Condition) else { return (None, None) };
        if clause.has_error() {
            return (None, Some(self.opaque(clause)));
        }
        if clause.kind() != "condition_clause" {
            return (None, Some(self.expression(clause)));
        }
        let mut init = clause
            .field(FieldName::Initializer)
            .and_then(first_named)
            .map(|inner| self.statement_like(inner));
        let condition = match clause.field(FieldName::Value) {
            Some(value) if value.kind() == "declaration" => {
                init = Some(self.declaration(value, None));
                None
            }
            Some(value) => Some(self.expression(value)),
            None => None,
        };
        (init, condition)
    }

    fn statement_like(&mut self, node: Node<'t>) -> StmtId {
        if node.kind().ends_with("statement") || node.kind().contains("declaration") {
            self.statement(node)
        } else if let Some(declared) = self.pointer_declaration(node, node) {
            declared
        } else {
            let expr = self.expression(node);
            let span = self.span(node);
            self.add_stmt(StmtKind::Expr(Some(expr)), span)
        }
    }

    fn if_statement(&mut self, node: Node<'t>) -> StmtId {
        let span = self.span(node);
        let (init, condition) = self.condition(node);
        let then = self.body(node, FieldName::Consequence);
        let otherwise = node.field(FieldName::Alternative).map(|alternative| {
            let inner = if alternative.kind() == "else_clause" {
                let mut cursor = alternative.walk();
                alternative
                    .named_children(&mut cursor)
                    .filter(|child| child.kind() != "comment")
                    .last()
            } else {
                Some(alternative)
            };
            match inner {
                Some(inner) => self.scoped(|this| this.statement(inner)),
                None => self.opaque_statement(alternative, RegionKind::Unparsed),
            }
        });
        let statement = self.add_stmt(StmtKind::If { init, condition, then, otherwise }, span);
        self.with_errors(node, statement)
    }

    fn for_statement(&mut self, node: Node<'t>) -> StmtId {
        let span = self.span(node);
        let init = node.field(FieldName::Initializer).map(|init| {
            if init.has_error() {
                self.opaque_statement(init, RegionKind::Unparsed)
            } else {
                self.statement_like(init)
            }
        });
        let condition =
            node.field(FieldName::Condition).map(|condition| self.expression(condition));
        let step = node.field(FieldName::Update).map(|update| self.expression(update));
        let body = self.body(node, FieldName::Body);
        let statement = self.add_stmt(StmtKind::For { init, condition, step, body }, span);
        self.with_errors(node, statement)
    }

    /// Keeps what error nodes directly below a structured statement mention.
    fn with_errors(&mut self, node: Node<'t>, statement: StmtId) -> StmtId {
        let mut cursor = node.walk();
        let errors: Vec<_> = node.children(&mut cursor).filter(|child| child.is_error()).collect();
        if errors.is_empty() {
            return statement;
        }
        let exprs = errors.into_iter().map(|error| self.opaque(error)).collect();
        let span = self.span(node);
        self.add_stmt(StmtKind::Opaque { exprs, stmts: thin_vec![statement] }, span)
    }

    fn for_range(&mut self, node: Node<'t>) -> StmtId {
        let span = self.span(node);
        let (Some(specifier), Some(declarator), Some(right)) = (
            node.field(FieldName::Type),
            node.field(FieldName::Declarator),
            node.field(FieldName::Right),
        ) else {
            return self.opaque_statement(node, RegionKind::Unparsed);
        };
        let range = self.expression(right);
        let base = self.specifier(specifier);
        let base = self.qualify(node, specifier, base);
        let declaration = self.add_declaration(Declaration {
            span: self.span(specifier).to(self.span(declarator)),
            specifier: self.span(specifier),
            specifier_type: base,
            is_plain: specifier.kind() != "placeholder_type_specifier"
                && self.is_spelled(specifier),
            count: 1,
            namespaces: self.namespaces.clone(),
        });
        let variable = self.variable_declarator(declarator, base, declaration, 0, &[], true);
        if let Some(item) = self.list_item(self.program.expr(range).ty) {
            self.deduce_auto_from(variable, item);
        }
        let name = self.program.variable(variable).name.clone();
        self.declare_local(&name, variable);
        let body = self.body(node, FieldName::Body);
        self.add_stmt(StmtKind::ForRange { variable: vec![variable], range, body }, span)
    }
}

/// Statements whose parts are looked at one by one even if something in them does not parse.
fn is_structured(kind: &str) -> bool {
    matches!(
        kind,
        "compound_statement"
            | "if_statement"
            | "for_statement"
            | "while_statement"
            | "do_statement"
            | "switch_statement"
            | "case_statement"
            | "labeled_statement"
            | "for_range_loop"
            | "try_statement"
    )
}

fn first_named(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| child.kind() != "comment")
}
