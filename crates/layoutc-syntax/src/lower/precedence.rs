//! How tightly an expression holds together, and how tightly it must where it stands.
//!
//! A macro's body and its arguments are put beside other tokens. The model holds them as
//! expressions of their own, which is what the compiler reads only if no operator around binds
//! tighter than those inside.

use super::fields::{FieldName, Fields};
use tree_sitter::Node;

/// Binds like a comma.
pub(super) const COMMA: u8 = 0;
/// Binds like an assignment or a choice.
pub(super) const ASSIGNMENT: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNARY: u8 = 13;
/// Cannot be divided.
pub(super) const PRIMARY: u8 = 14;

pub(super) fn level_of_operator(operator: &str) -> u8 {
    match operator {
        "||" | "or" => OR,
        "&&" | "and" => AND,
        "|" | "bitor" => 4,
        "^" | "xor" => 5,
        "&" | "bitand" => 6,
        "==" | "!=" | "not_eq" => 7,
        "<" | "<=" | ">" | ">=" => 8,
        "<<" | ">>" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" => 11,
        _ => COMMA,
    }
}

/// How tightly an expression holds together; names and macro uses count as undivided.
pub(super) fn level(node: Node<'_>, text: &str) -> u8 {
    match node.kind() {
        "identifier"
        | "this"
        | "true"
        | "false"
        | "null"
        | "number_literal"
        | "char_literal"
        | "string_literal"
        | "parenthesized_expression"
        | "call_expression"
        | "subscript_expression"
        | "field_expression"
        | "qualified_identifier"
        | "template_function"
        | "compound_literal_expression" => PRIMARY,
        "update_expression" => {
            let postfix = node
                .field(FieldName::Argument)
                .is_some_and(|at| at.start_byte() == node.start_byte());
            if postfix { PRIMARY } else { UNARY }
        }
        "alignof_expression" => UNARY,
        "unary_expression" | "pointer_expression" | "cast_expression" | "sizeof_expression" => {
            loosest(node, text)
        }
        "binary_expression" => loosest(node, text),
        "assignment_expression" | "conditional_expression" | "initializer_list" => ASSIGNMENT,
        _ => COMMA,
    }
}

/// The loosest operator of a chain, with those that `(n) + x` may turn out to have where `n` is no type.
fn loosest(node: Node<'_>, text: &str) -> u8 {
    let operator = |at: Node<'_>| {
        at.field(FieldName::Operator)
            .map_or(COMMA, |operator| level_of_operator(&text[operator.byte_range()]))
    };
    let mut found = UNARY;
    let mut stack = vec![node];
    while let Some(at) = stack.pop() {
        let mut push = |field| stack.extend(at.field(field));
        match at.kind() {
            "binary_expression" => {
                found = found.min(operator(at));
                push(FieldName::Left);
                push(FieldName::Right);
            }
            "unary_expression" | "pointer_expression" => push(FieldName::Argument),
            "cast_expression" | "sizeof_expression" => {
                if let Some((_, value)) = divided(at) {
                    found = found.min(operator(value));
                }
                push(FieldName::Value);
            }
            _ => {}
        }
    }
    found
}

/// How tightly an expression must hold together to stay one where `node` stands.
pub(super) fn needed(node: Node<'_>, text: &str) -> u8 {
    let Some(parent) = node.parent() else { return COMMA };
    let is = |field| parent.field(field) == Some(node);
    match parent.kind() {
        "parenthesized_expression"
        | "condition_clause"
        | "expression_statement"
        | "return_statement" => COMMA,
        "for_statement" | "if_statement" | "while_statement" | "do_statement"
        | "switch_statement" => COMMA,
        "argument_list"
        | "subscript_argument_list"
        | "initializer_list"
        | "init_declarator"
        | "kernel_call_syntax"
        | "initializer_pair" => ASSIGNMENT,
        "binary_expression" => {
            let operator = parent
                .field(FieldName::Operator)
                .map_or(COMMA, |operator| level_of_operator(&text[operator.byte_range()]));
            if operator == COMMA {
                PRIMARY
            } else if is(FieldName::Left) {
                operator
            } else {
                operator + 1
            }
        }
        "assignment_expression" => {
            if is(FieldName::Left) {
                UNARY
            } else {
                ASSIGNMENT
            }
        }
        "conditional_expression" => {
            if is(FieldName::Condition) {
                OR
            } else {
                ASSIGNMENT
            }
        }
        "comma_expression" => ASSIGNMENT,
        "unary_expression" | "pointer_expression" | "cast_expression" => UNARY,
        // `sizeof x`, `x.f`, `x[i]`, `x()`, `x++`, and whatever is not listed.
        _ => PRIMARY,
    }
}

/// The name and the rest of `(name) + x`, where the operator may be a binary one.
pub(super) fn divided(cast: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let ty = cast.field(FieldName::Type)?;
    let value = cast.field(FieldName::Value).filter(|value| has_two_readings(*value))?;
    if ty.field(FieldName::Declarator).is_some() {
        return None;
    }
    let name = ty.field(FieldName::Type).filter(|name| name.kind() == "type_identifier")?;
    Some((name, value))
}

/// Whether an operator in front of an operand could stand between two: `+`, `-`, `*` and `&`.
pub(super) fn has_two_readings(value: Node<'_>) -> bool {
    value.kind() == "pointer_expression"
        || (value.kind() == "unary_expression"
            && value
                .field(FieldName::Operator)
                .is_some_and(|operator| matches!(operator.kind(), "+" | "-")))
}
