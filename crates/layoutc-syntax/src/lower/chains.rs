//! Chains of operators that the parser divides wrongly.
//!
//! `(n) + a * b` is `((n)(+a)) * b` if `n` is a type, and the parser, which does not know, may read it
//! so; `sizeof(T) * n` may become the size of `(T)(*n)`. Where the name turns out to be a value, the
//! whole chain of operators around it is taken apart and put together again by precedence.

use super::Lowering;
use super::expressions::binary_op;
use super::fields::{FieldName, Fields};
use super::precedence::{COMMA, divided, has_two_readings, level_of_operator};
use crate::program::{ExprId, ExprKind};
use crate::types::TypeKind;
use tree_sitter::Node;

/// What a cast that may be none is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Cast,
    /// `(name) + x`, a sum.
    Value,
    /// Nothing says what the name is.
    Unclear,
}

/// Part of a chain, in the order of the text.
enum Item<'t> {
    /// Something that is applied to the next operand.
    Prefix(Node<'t>),
    /// A binary operator: the node that has it.
    Operator(Node<'t>),
    Operand(Node<'t>),
    /// `(name)`, from one byte to another.
    Name(Node<'t>, usize, usize),
    /// `sizeof (T)`, up to a byte.
    Size(Node<'t>, Node<'t>, usize),
}

/// An operand that is lowered, and its text.
type Part = (ExprId, usize, usize);

impl<'t> Lowering<'t> {
    /// Whether the parser took a value for a type in the chain of operators that a node is.
    pub(super) fn is_misread(&mut self, node: Node<'t>) -> bool {
        let mut stack = vec![node];
        while let Some(at) = stack.pop() {
            match at.kind() {
                "binary_expression" => {
                    stack.extend(at.field(FieldName::Left));
                    stack.extend(at.field(FieldName::Right));
                }
                "unary_expression" | "pointer_expression" => {
                    stack.extend(at.field(FieldName::Argument));
                }
                "cast_expression" => match self.reading(at) {
                    Reading::Value => return true,
                    // Alone, it stays the cast that the parser saw.
                    Reading::Unclear if at != node => return true,
                    Reading::Cast | Reading::Unclear => {
                        stack.extend(at.field(FieldName::Value));
                    }
                },
                "sizeof_expression" => match at.field(FieldName::Value) {
                    Some(value) if divided_size(value).is_some() => return true,
                    Some(value) => stack.push(value),
                    None => {}
                },
                _ => {}
            }
        }
        false
    }

    fn reading(&mut self, cast: Node<'t>) -> Reading {
        let Some((name, _)) = divided(cast) else { return Reading::Cast };
        let text = self.text_of(name);
        if self.names_type(text) {
            return Reading::Cast;
        }
        if self.is_value_parameter(name) || self.names_value(text) {
            return Reading::Value;
        }
        if self.is_macro(text) {
            return match self.type_of_macro_name(text) {
                Some(_) => Reading::Cast,
                None => Reading::Value,
            };
        }
        let ty = self.type_of_name(text, &[]);
        match self.program.types.kind(ty.id) {
            TypeKind::Unknown | TypeKind::Named(..) => Reading::Unclear,
            _ => Reading::Cast,
        }
    }

    /// The expression of a chain in which the parser took a value for a type.
    pub(super) fn chain(&mut self, node: Node<'t>) -> ExprId {
        let Some(items) = self.chain_items(node) else { return self.opaque(node) };
        let mut operands: Vec<Part> = Vec::new();
        let mut operators: Vec<(Node<'t>, u8)> = Vec::new();
        let mut prefixes: Vec<Node<'t>> = Vec::new();
        for item in items {
            let part = match item {
                Item::Prefix(prefix) => {
                    prefixes.push(prefix);
                    continue;
                }
                Item::Operator(operator) => {
                    let level = level_of_operator(self.operator_text(operator));
                    if level == COMMA {
                        return self.opaque(node);
                    }
                    while operators.last().is_some_and(|(_, other)| *other >= level) {
                        self.combine(&mut operands, &mut operators);
                    }
                    operators.push((operator, level));
                    continue;
                }
                Item::Operand(operand) => {
                    (self.expression(operand), operand.start_byte(), operand.end_byte())
                }
                Item::Name(name, start, end) => {
                    let inner = self.name(name);
                    let ty = self.program.expr(inner).ty;
                    let span = self.span_of(start, end);
                    (self.add_expr(ExprKind::Paren(inner), span, ty), start, end)
                }
                Item::Size(holder, of, end) => {
                    let start = holder.start_byte();
                    (self.size_of_name(holder, of, end), start, end)
                }
            };
            let mut part = part;
            while let Some(prefix) = prefixes.pop() {
                let span = self.span_of(prefix.start_byte(), part.2);
                part.0 = match prefix.kind() {
                    "unary_expression" => self.unary_of(prefix, part.0, span),
                    "pointer_expression" => self.pointer_of(prefix, part.0, span),
                    _ => self.cast_of(prefix, part.0, span),
                };
                part.1 = prefix.start_byte();
            }
            operands.push(part);
        }
        while !operators.is_empty() {
            self.combine(&mut operands, &mut operators);
        }
        match operands[..] {
            [(expr, _, _)] => expr,
            _ => self.opaque(node),
        }
    }

    /// Applies the last operator to the last two operands.
    fn combine(&mut self, operands: &mut Vec<Part>, operators: &mut Vec<(Node<'t>, u8)>) {
        let (Some((operator, _)), Some(right), Some(left)) =
            (operators.pop(), operands.pop(), operands.pop())
        else {
            return;
        };
        let symbol = self.operator_text(operator);
        let op = binary_op(symbol);
        let (left_type, right_type) = (self.program.expr(left.0).ty, self.program.expr(right.0).ty);
        let ty = self.binary_type(op, left_type, right_type);
        let span = self.span_of(left.1, right.2);
        let expr = self.add_expr(ExprKind::Binary(op, left.0, right.0), span, ty);
        self.note_operator(expr, symbol, &[left.0, right.0]);
        operands.push((expr, left.1, right.2));
    }

    /// The parts of a chain; `None` where a name says nothing.
    fn chain_items(&mut self, node: Node<'t>) -> Option<Vec<Item<'t>>> {
        let mut found = Vec::new();
        // What is still to come, last first.
        let mut stack = vec![Item::Operand(node)];
        while let Some(item) = stack.pop() {
            let Item::Operand(at) = item else {
                found.push(item);
                continue;
            };
            match at.kind() {
                "binary_expression" => {
                    let left = at.field(FieldName::Left)?;
                    let right = at.field(FieldName::Right)?;
                    stack.extend([Item::Operand(right), Item::Operator(at), Item::Operand(left)]);
                }
                "cast_expression" => match (self.reading(at), divided(at)) {
                    (Reading::Value, Some((name, value))) => {
                        let argument = value.field(FieldName::Argument)?;
                        let end = parenthesis(at)?;
                        stack.extend([
                            Item::Operand(argument),
                            Item::Operator(value),
                            Item::Name(name, at.start_byte(), end),
                        ]);
                    }
                    (Reading::Unclear, _) if at != node => return None,
                    _ if self.is_misread(at) => {
                        stack.push(Item::Operand(at.field(FieldName::Value)?));
                        stack.push(Item::Prefix(at));
                    }
                    _ => found.push(Item::Operand(at)),
                },
                "unary_expression" | "pointer_expression" if self.is_misread(at) => {
                    stack.push(Item::Operand(at.field(FieldName::Argument)?));
                    stack.push(Item::Prefix(at));
                }
                "sizeof_expression" if self.is_misread(at) => {
                    let cast = at.field(FieldName::Value)?;
                    let (of, value) = divided_size(cast)?;
                    let argument = value.field(FieldName::Argument)?;
                    let end = parenthesis(cast)?;
                    stack.extend([
                        Item::Operand(argument),
                        Item::Operator(value),
                        Item::Size(at, of, end),
                    ]);
                }
                _ => found.push(Item::Operand(at)),
            }
        }
        Some(found)
    }
}

/// The type and the rest of what `sizeof` was taken to be of, if that is `(T) * n`.
fn divided_size(value: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if value.kind() != "cast_expression" {
        return None;
    }
    let of = value.field(FieldName::Type)?;
    Some((of, value.field(FieldName::Value).filter(|value| has_two_readings(*value))?))
}

/// Where the parentheses around a type end.
fn parenthesis(cast: Node<'_>) -> Option<usize> {
    let mut cursor = cast.walk();
    cast.children(&mut cursor).find(|child| child.kind() == ")").map(|child| child.end_byte())
}
