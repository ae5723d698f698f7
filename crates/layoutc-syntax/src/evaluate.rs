//! Integer constants: expressions of the program, and token sequences of macro bodies.

use crate::preprocess::{Token, TokenKind, tokens};
use crate::program::{
    BinaryOp, ExprId, ExprKind, NameRef, Program, StmtKind, Storage, UnaryOp, VarId,
};
use crate::types::{QualType, Scalar, TypeKind};

/// How many expressions one evaluation may look at; constants that people write are small.
const BUDGET: usize = 4096;
/// How many calls may be inside each other.
const CALL_DEPTH: usize = 32;

/// The value of an integer constant expression, or `None` if it is not one.
///
/// `const` and `constexpr` variables with a constant initializer count, as do calls of functions
/// that only return such a value. Values are computed in 64 bits; an overflow is not a constant.
#[must_use]
pub fn constant(program: &Program, id: ExprId) -> Option<i64> {
    let mut budget = BUDGET;
    evaluate(program, id, &Frame::default(), &mut budget)
}

/// The call whose result is evaluated.
#[derive(Default)]
struct Frame {
    /// The function's parameters, with what they are given.
    arguments: Vec<(VarId, i64)>,
    /// Calls around it.
    depth: usize,
}

impl Frame {
    /// The frame of an initializer that is evaluated from here: it names no parameter.
    fn outside(&self) -> Frame {
        Frame { arguments: Vec::new(), depth: self.depth }
    }
}

fn evaluate(program: &Program, id: ExprId, frame: &Frame, budget: &mut usize) -> Option<i64> {
    *budget = budget.checked_sub(1)?;
    match &program.expr(id).kind {
        ExprKind::Integer(value) => *value,
        ExprKind::Name(NameRef::Constant(value)) => *value,
        ExprKind::Name(NameRef::Macro(name)) => program.macro_constant(name),
        ExprKind::Name(NameRef::Variable(id)) => {
            if let Some((_, value)) = frame.arguments.iter().find(|(known, _)| known == id) {
                return Some(*value);
            }
            let variable = program.variable(*id);
            if !variable.ty.is_const || matches!(variable.storage, Storage::Parameter { .. }) {
                return None;
            }
            let value = evaluate(program, variable.init?, &frame.outside(), budget)?;
            keeps(program, variable.ty, value).then_some(value)
        }
        ExprKind::Paren(inner) => evaluate(program, *inner, frame, budget),
        ExprKind::Cast { target, operand, .. } => {
            let value = evaluate(program, *operand, frame, budget)?;
            // Only casts that keep the value are constants here.
            let is_integer = program.types.as_scalar(target.id).is_some();
            (is_integer && keeps(program, *target, value)).then_some(value)
        }
        ExprKind::Unary(op, operand) => {
            let value = evaluate(program, *operand, frame, budget)?;
            match op {
                UnaryOp::Plus => Some(value),
                UnaryOp::Minus => value.checked_neg(),
                UnaryOp::BitNot => Some(!value),
                UnaryOp::Not => Some(i64::from(value == 0)),
                UnaryOp::PreIncrement
                | UnaryOp::PreDecrement
                | UnaryOp::PostIncrement
                | UnaryOp::PostDecrement => None,
            }
        }
        ExprKind::Binary(op, left, right) => {
            let (left_value, right_value) = (
                evaluate(program, *left, frame, budget)?,
                evaluate(program, *right, frame, budget)?,
            );
            let value = apply(*op, left_value, right_value)?;
            // A negative number that becomes unsigned is another one.
            let is_unsigned = |expr: ExprId| {
                program
                    .types
                    .as_scalar(program.expr(expr).ty.id)
                    .is_some_and(|scalar| scalar.is_unsigned() && scalar.size() >= 4)
            };
            let becomes_unsigned = is_unsigned(*left) || is_unsigned(*right);
            (!becomes_unsigned || (left_value >= 0 && right_value >= 0 && value >= 0))
                .then_some(value)
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            let chosen =
                if evaluate(program, *condition, frame, budget)? != 0 { then } else { otherwise };
            evaluate(program, *chosen, frame, budget)
        }
        ExprKind::SizeOfType { of, is_align, .. } => {
            let (size, align) = crate::abi::size_align(program, of.id)?;
            i64::try_from(if *is_align { align } else { size }).ok()
        }
        ExprKind::SizeOfExpr(operand) => {
            let ty = program.expr(*operand).ty;
            if matches!(program.types.kind(ty.id), TypeKind::Unknown) {
                return None;
            }
            let inner = program.strip_parens(*operand);
            // The model has a pointer in the place of a string's array.
            if matches!(program.expr(inner).kind, ExprKind::Literal)
                && program.types.pointee(ty.id).is_some()
            {
                return string_size(program.text(program.expr(inner).span));
            }
            i64::try_from(crate::abi::size_align(program, ty.id)?.0).ok()
        }
        ExprKind::Call { callee, arguments, .. } => {
            result(program, *callee, arguments, frame, budget)
        }
        ExprKind::Literal
        | ExprKind::Null
        | ExprKind::This
        | ExprKind::Name(NameRef::Functions(_) | NameRef::Unknown(_))
        | ExprKind::Deref(_)
        | ExprKind::AddressOf(_)
        | ExprKind::Assign(..)
        | ExprKind::Comma(..)
        | ExprKind::Index { .. }
        | ExprKind::Member { .. }
        | ExprKind::Launch { .. }
        | ExprKind::MacroCall { .. }
        | ExprKind::OffsetOf(_)
        | ExprKind::New { .. }
        | ExprKind::Delete(_)
        | ExprKind::InitList(_)
        | ExprKind::Construct { .. }
        | ExprKind::Lambda { .. }
        | ExprKind::Opaque(_) => None,
    }
}

/// Whether a variable or result of a type has the value that it is given.
fn keeps(program: &Program, ty: QualType, value: i64) -> bool {
    // Enumerations, and types that are deduced.
    let Some(scalar) = program.types.as_scalar(ty.id) else { return true };
    if scalar == Scalar::Bool {
        return matches!(value, 0 | 1);
    }
    scalar.is_integer()
        && match (scalar.is_unsigned(), scalar.size() * 8) {
            (true, 64) => value >= 0,
            (false, 64) => true,
            (true, bits) => (0..1i64 << bits).contains(&value),
            (false, bits) => (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&value),
        }
}

/// What a call gives of a function whose body is one `return`.
fn result(
    program: &Program,
    callee: ExprId,
    arguments: &[ExprId],
    frame: &Frame,
    budget: &mut usize,
) -> Option<i64> {
    let ExprKind::Name(NameRef::Functions(candidates)) =
        &program.expr(program.strip_parens(callee)).kind
    else {
        return None;
    };
    let [id] = candidates[..] else { return None };
    let function = program.function(id);
    let is_plain = function.record.is_none()
        && function.template_parameters.is_empty()
        && !function.is_variadic
        && function.parameters.len() == arguments.len();
    if !is_plain || frame.depth >= CALL_DEPTH {
        return None;
    }
    let body = program.stmt(function.body?);
    // Between directives there may be another body for the host.
    if program.text(body.span).contains('#') {
        return None;
    }
    let StmtKind::Block(statements) = &body.kind else { return None };
    let [only] = statements[..] else { return None };
    let StmtKind::Return(Some(value)) = program.stmt(only).kind else { return None };
    let mut given = Vec::new();
    for (parameter, argument) in function.parameters.iter().zip(arguments) {
        let value = evaluate(program, *argument, frame, budget)?;
        if !keeps(program, program.variable(*parameter).ty, value) {
            return None;
        }
        given.push((*parameter, value));
    }
    let inside = Frame { arguments: given, depth: frame.depth + 1 };
    let value = evaluate(program, value, &inside, budget)?;
    keeps(program, function.result, value).then_some(value)
}

/// The size of a string literal of plain characters, with the zero at its end.
fn string_size(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains(['\\', '"'])).then(|| i64::try_from(inner.len() + 1).ok())?
}

/// The value of a binary operator on constants.
fn apply(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        BinaryOp::Div => left.checked_div(right),
        BinaryOp::Rem => left.checked_rem(right),
        BinaryOp::Shl => {
            u32::try_from(right).ok().filter(|by| *by < 62).and_then(|by| left.checked_mul(1 << by))
        }
        BinaryOp::Shr => u32::try_from(right).ok().filter(|by| *by < 64).map(|by| left >> by),
        BinaryOp::And => Some(left & right),
        BinaryOp::Or => Some(left | right),
        BinaryOp::Xor => Some(left ^ right),
        BinaryOp::LogicalAnd => Some(i64::from(left != 0 && right != 0)),
        BinaryOp::LogicalOr => Some(i64::from(left != 0 || right != 0)),
        BinaryOp::Eq => Some(i64::from(left == right)),
        BinaryOp::Ne => Some(i64::from(left != right)),
        BinaryOp::Lt => Some(i64::from(left < right)),
        BinaryOp::Le => Some(i64::from(left <= right)),
        BinaryOp::Gt => Some(i64::from(left > right)),
        BinaryOp::Ge => Some(i64::from(left >= right)),
        BinaryOp::Other => None,
    }
}

/// The value of an integer literal with its suffixes, or `None` for anything else.
#[must_use]
pub fn integer_literal(text: &str) -> Option<i64> {
    let text = text.replace('\'', "");
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
    let (digits, radix) = if let Some(hex) =
        digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))
    {
        (hex, 16)
    } else if let Some(binary) = digits.strip_prefix("0b").or_else(|| digits.strip_prefix("0B")) {
        (binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits, 10)
    };
    i64::from_str_radix(digits, radix).ok()
}

/// The value of a token sequence that is a constant integer expression.
///
/// `lookup` gives the values of identifiers. Anything but literals, known identifiers, operators
/// and parentheses is not a constant.
pub fn constant_tokens(text: &str, lookup: &mut dyn FnMut(&str) -> Option<i64>) -> Option<i64> {
    let tokens = tokens(text);
    let mut parser = TokenParser { text, tokens: &tokens, at: 0, lookup };
    let value = parser.binary(0, 0)?;
    (parser.at == tokens.len()).then_some(value)
}

struct TokenParser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    lookup: &'a mut dyn FnMut(&str) -> Option<i64>,
}

impl TokenParser<'_> {
    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|token| token.text(self.text))
    }

    fn binary(&mut self, least: u8, depth: usize) -> Option<i64> {
        if depth > 64 {
            return None;
        }
        let mut left = self.unary(depth)?;
        while let Some((op, binding)) = self.peek().and_then(binary_operator) {
            if binding < least {
                break;
            }
            self.at += 1;
            let right = self.binary(binding + 1, depth + 1)?;
            left = apply(op, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self, depth: usize) -> Option<i64> {
        if depth > 64 {
            return None;
        }
        let token = *self.tokens.get(self.at)?;
        let text = token.text(self.text);
        self.at += 1;
        match (token.kind, text) {
            (TokenKind::Number, text) => integer_literal(text),
            (TokenKind::Identifier, name) => (self.lookup)(name),
            (TokenKind::Punct, "(") => {
                let value = self.binary(0, depth + 1)?;
                (self.peek() == Some(")")).then(|| self.at += 1)?;
                Some(value)
            }
            (TokenKind::Punct, "-") => self.unary(depth + 1)?.checked_neg(),
            (TokenKind::Punct, "+") => self.unary(depth + 1),
            (TokenKind::Punct, "~") => Some(!self.unary(depth + 1)?),
            (TokenKind::Punct, "!") => Some(i64::from(self.unary(depth + 1)? == 0)),
            _ => None,
        }
    }
}

/// A binary operator and how tightly it binds.
fn binary_operator(text: &str) -> Option<(BinaryOp, u8)> {
    Some(match text {
        "*" => (BinaryOp::Mul, 10),
        "/" => (BinaryOp::Div, 10),
        "%" => (BinaryOp::Rem, 10),
        "+" => (BinaryOp::Add, 9),
        "-" => (BinaryOp::Sub, 9),
        "<<" => (BinaryOp::Shl, 8),
        ">>" => (BinaryOp::Shr, 8),
        "<" => (BinaryOp::Lt, 7),
        "<=" => (BinaryOp::Le, 7),
        ">" => (BinaryOp::Gt, 7),
        ">=" => (BinaryOp::Ge, 7),
        "==" => (BinaryOp::Eq, 6),
        "!=" => (BinaryOp::Ne, 6),
        "&" => (BinaryOp::And, 5),
        "^" => (BinaryOp::Xor, 4),
        "|" => (BinaryOp::Or, 3),
        "&&" => (BinaryOp::LogicalAnd, 2),
        "||" => (BinaryOp::LogicalOr, 1),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_sequences_follow_c_precedence() {
        let mut lookup = |name: &str| (name == "N").then_some(100);
        assert_eq!(constant_tokens("(N + 3) * 2 - 1", &mut lookup), Some(205));
        assert_eq!(constant_tokens("1 << 4 | 1", &mut lookup), Some(17));
        assert_eq!(constant_tokens("N >> 2 & 7", &mut lookup), Some(1));
        assert_eq!(constant_tokens("0x10u / 3", &mut lookup), Some(5));
        assert_eq!(constant_tokens("M", &mut lookup), None);
        assert_eq!(constant_tokens("1 +", &mut lookup), None);
        assert_eq!(constant_tokens("1 / 0", &mut lookup), None);
        assert_eq!(constant_tokens("1.5", &mut lookup), None);
    }
}
