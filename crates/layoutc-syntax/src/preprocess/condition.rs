//! Evaluation of `#if` conditions.
//!
//! Macros are expanded by the rules of C (arguments first, a macro not inside itself); what
//! remains an identifier is 0, as is a call of an unknown function-like macro. Arithmetic is that
//! of 64-bit signed integers and wraps; unsigned suffixes are accepted and ignored.

use super::lexer::{Token, TokenKind, tokens};
use super::macros::{MacroEnv, MacroId, MacroTable};

/// Most tokens that the expansion of one condition may produce.
const EXPANSION_LIMIT: usize = 20_000;
/// Longest replacement text, in bytes, of a macro in a condition.
const REPLACEMENT_LIMIT: usize = 1 << 14;
/// Deepest nesting of macros and of parentheses.
const DEPTH_LIMIT: usize = 100;

/// A condition that is no constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Malformed;

#[derive(Clone, Debug)]
struct Piece {
    kind: TokenKind,
    text: String,
}

/// What a condition may ask of its surroundings.
pub(crate) struct Surroundings<'a> {
    pub table: &'a MacroTable,
    pub env: &'a MacroEnv,
}

impl Surroundings<'_> {
    fn lookup(&self, name: &str) -> Option<MacroId> {
        self.env.get(name)
    }

    /// Whether a macro with this name is defined.
    pub(crate) fn is_defined(&self, name: &str) -> bool {
        self.env.is_defined(name) || name == "__has_include"
    }

    /// The value of a condition given by its tokens.
    pub(crate) fn evaluate(&self, source: &str, operands: &[Token]) -> Result<bool, Malformed> {
        let pieces: Vec<Piece> = operands
            .iter()
            .map(|token| Piece { kind: token.kind, text: token.text(source).to_owned() })
            .collect();
        let mut budget = EXPANSION_LIMIT + pieces.len();
        let expanded = self.expand(self.resolve_defined(pieces), &mut Vec::new(), &mut budget)?;
        let mut parser = Parser { pieces: &expanded, at: 0, depth: 0 };
        let value = parser.comma()?;
        if parser.at < expanded.len() { Err(Malformed) } else { Ok(value != 0) }
    }

    /// Replaces `defined X`, `defined(X)` and `__has_include(…)` by numbers.
    fn resolve_defined(&self, pieces: Vec<Piece>) -> Vec<Piece> {
        let text = |at: usize| pieces.get(at).map_or("", |piece| piece.text.as_str());
        let mut out = Vec::with_capacity(pieces.len());
        let mut at = 0;
        while at < pieces.len() {
            match text(at) {
                "defined" if text(at + 1) == "(" && text(at + 3) == ")" => {
                    out.push(number(self.is_defined(text(at + 2))));
                    at += 4;
                }
                "defined"
                    if pieces
                        .get(at + 1)
                        .is_some_and(|next| next.kind == TokenKind::Identifier) =>
                {
                    out.push(number(self.is_defined(text(at + 1))));
                    at += 2;
                }
                // Which system headers exist is not known here; a program that asks for one can
                // use it where it is built.
                "__has_include" if text(at + 1) == "(" => {
                    out.push(number(true));
                    let close = (at + 2..pieces.len()).find(|index| text(*index) == ")");
                    at = close.map_or(pieces.len(), |close| close + 1);
                }
                _ => {
                    out.push(pieces[at].clone());
                    at += 1;
                }
            }
        }
        out
    }

    fn expand(
        &self,
        pieces: Vec<Piece>,
        inside: &mut Vec<MacroId>,
        budget: &mut usize,
    ) -> Result<Vec<Piece>, Malformed> {
        if inside.len() > DEPTH_LIMIT {
            return Err(Malformed);
        }
        let mut out = Vec::new();
        let mut at = 0;
        while at < pieces.len() {
            *budget = budget.checked_sub(1).ok_or(Malformed)?;
            let piece = &pieces[at];
            at += 1;
            let id = Some(piece)
                .filter(|piece| piece.kind == TokenKind::Identifier)
                .and_then(|piece| self.lookup(&piece.text))
                .filter(|id| !inside.contains(id));
            let Some(id) = id else {
                out.push(piece.clone());
                continue;
            };
            let def = self.table.get(id);
            if def.text.len() > REPLACEMENT_LIMIT {
                return Err(Malformed);
            }
            let mut body: Vec<Piece> = tokens(&def.text)
                .into_iter()
                .map(|token| Piece { kind: token.kind, text: token.text(&def.text).to_owned() })
                .collect();
            if let Some(params) = &def.params {
                let Some((args, next)) = arguments(&pieces, at) else {
                    out.push(piece.clone());
                    continue;
                };
                at = next;
                let mut expanded = Vec::new();
                for arg in args {
                    expanded.push(self.expand(arg, inside, budget)?);
                }
                body = substitute(body, params, &expanded, budget)?;
            }
            inside.push(id);
            let body = self.resolve_defined(paste(body));
            out.extend(self.expand(body, inside, budget)?);
            inside.pop();
        }
        Ok(out)
    }
}

fn number(value: bool) -> Piece {
    Piece { kind: TokenKind::Number, text: u8::from(value).to_string() }
}

/// The arguments of a macro call whose `(` is expected at `at`, and the index behind its `)`.
fn arguments(pieces: &[Piece], at: usize) -> Option<(Vec<Vec<Piece>>, usize)> {
    if pieces.get(at)?.text != "(" {
        return None;
    }
    let mut args = vec![Vec::new()];
    let mut depth = 0;
    for (offset, piece) in pieces[at + 1..].iter().enumerate() {
        match piece.text.as_str() {
            ")" if depth == 0 => return Some((args, at + 1 + offset + 1)),
            "," if depth == 0 => {
                args.push(Vec::new());
                continue;
            }
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        args.last_mut()?.push(piece.clone());
    }
    None
}

fn substitute(
    body: Vec<Piece>,
    params: &[String],
    args: &[Vec<Piece>],
    budget: &mut usize,
) -> Result<Vec<Piece>, Malformed> {
    let mut out = Vec::new();
    for piece in body {
        match params.iter().position(|param| *param == piece.text) {
            Some(at) => {
                let arg = args.get(at).map_or(&[][..], |arg| &arg[..]);
                *budget = budget.checked_sub(arg.len()).ok_or(Malformed)?;
                out.extend_from_slice(arg);
            }
            None => out.push(piece),
        }
    }
    Ok(out)
}

/// Applies `##`.
fn paste(body: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(body.len());
    let mut pieces = body.into_iter();
    while let Some(piece) = pieces.next() {
        if piece.text == "##" {
            if let (Some(last), Some(next)) = (out.last_mut(), pieces.next()) {
                last.text.push_str(&next.text);
            }
        } else {
            out.push(piece);
        }
    }
    out
}

struct Parser<'a> {
    pieces: &'a [Piece],
    at: usize,
    depth: usize,
}

/// Binary operators with their precedence, higher binds tighter.
fn precedence(op: &str) -> Option<u8> {
    Some(match op {
        "||" | "or" => 1,
        "&&" | "and" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

fn apply(op: &str, left: i64, right: i64) -> Result<i64, Malformed> {
    Ok(match op {
        "||" | "or" => i64::from(left != 0 || right != 0),
        "&&" | "and" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<<" => left.wrapping_shl(right as u32),
        ">>" => left.wrapping_shr(right as u32),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        // C evaluates neither side of a decided `&&` or `||`; a division by zero there is no
        // error, so it is 0 here.
        "/" if right == 0 => 0,
        "%" if right == 0 => 0,
        "/" => left.wrapping_div(right),
        "%" => left.wrapping_rem(right),
        _ => return Err(Malformed),
    })
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.pieces.get(self.at).map_or("", |piece| piece.text.as_str())
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Malformed> {
        if self.eat(text) { Ok(()) } else { Err(Malformed) }
    }

    fn comma(&mut self) -> Result<i64, Malformed> {
        let mut value = self.conditional()?;
        while self.eat(",") {
            value = self.conditional()?;
        }
        Ok(value)
    }

    fn conditional(&mut self) -> Result<i64, Malformed> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(Malformed);
        }
        let condition = self.binary(1)?;
        let value = if self.eat("?") {
            let yes = self.comma()?;
            self.expect(":")?;
            let no = self.conditional()?;
            if condition != 0 { yes } else { no }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, least: u8) -> Result<i64, Malformed> {
        let mut left = self.unary()?;
        while let Some(binds) = precedence(self.peek()).filter(|binds| *binds >= least) {
            let op = self.peek().to_owned();
            self.at += 1;
            let right = self.binary(binds + 1)?;
            left = apply(&op, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, Malformed> {
        // Prefix operators are collected, not recursed into: a line may hold a million of them.
        let from = self.at;
        while matches!(self.peek(), "!" | "~" | "-" | "+" | "not" | "--" | "++") {
            self.at += 1;
        }
        let until = self.at;
        let mut value = self.primary()?;
        for piece in self.pieces[from..until].iter().rev() {
            value = match piece.text.as_str() {
                "!" | "not" => i64::from(value == 0),
                "~" => !value,
                "-" => value.wrapping_neg(),
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<i64, Malformed> {
        if self.eat("(") {
            let value = self.comma()?;
            self.expect(")")?;
            return Ok(value);
        }
        let piece = self.pieces.get(self.at).ok_or(Malformed)?;
        self.at += 1;
        match piece.kind {
            TokenKind::Number => parse_integer(&piece.text).ok_or(Malformed),
            TokenKind::Char => Ok(i64::from(piece.text.as_bytes().get(1).copied().unwrap_or(0))),
            TokenKind::Identifier if piece.text == "true" => Ok(1),
            TokenKind::Identifier => {
                if let Some((_, next)) = arguments(self.pieces, self.at) {
                    self.at = next;
                }
                Ok(0)
            }
            _ => Err(Malformed),
        }
    }
}

/// The value of an integer literal of any base, suffix ignored; values beyond 64 bits wrap.
fn parse_integer(text: &str) -> Option<i64> {
    let digits: String = text.chars().filter(|character| *character != '\'').collect();
    let lower = digits.to_ascii_lowercase();
    let (radix, rest) = if let Some(rest) = lower.strip_prefix("0x") {
        (16, rest)
    } else if let Some(rest) = lower.strip_prefix("0b") {
        (2, rest)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, &lower[..])
    };
    let rest = rest.trim_end_matches(['u', 'l', 'z']);
    if rest.is_empty() && radix != 8 {
        return None;
    }
    let mut value: i64 = 0;
    for character in rest.chars() {
        let digit = character.to_digit(radix)?;
        value = value.wrapping_mul(i64::from(radix)).wrapping_add(i64::from(digit));
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::super::directive::command_line_define;
    use super::*;

    fn evaluate(condition: &str) -> Result<bool, Malformed> {
        let mut table = MacroTable::default();
        let mut env = MacroEnv::default();
        for (name, text) in [
            ("ONE", "1"),
            ("EMPTY", ""),
            ("SELF", "SELF"),
            ("VERSION(a,b)", "((a) * 100 + (b))"),
            ("HAS_ONE", "defined(ONE)"),
            ("CAT(a,b)", "a ## b"),
            ("B0", "1 1 1 1 1 1 1 1 1 1"),
        ] {
            let def = command_line_define(name, text);
            let name = def.name.clone();
            let id = table.add(def);
            env.define(&name, id);
        }
        Surroundings { table: &table, env: &env }.evaluate(condition, &tokens(condition))
    }

    #[test]
    fn constant_expressions() {
        for (condition, expected) in [
            ("1 + 2 * 3 == 7", true),
            ("-1 < 0 && !0", true),
            ("0x10 == 16 && 010 == 8 && 0b11 == 3 && 1'000ul == 1000", true),
            ("defined ONE && defined(EMPTY) && !defined(NONE)", true),
            ("NONE || SELF", false),
            ("VERSION(3, 4) >= 304", true),
            ("HAS_ONE", true),
            ("CAT(ON, E)", true),
            ("1 ? 0 : 1", false),
            ("UNKNOWN_MACRO(1, 2) == 0", true),
            ("1 ? 2 : 0 , 0", false),
            ("'a' == 97", true),
            ("10 / 0", false),
        ] {
            assert_eq!(evaluate(condition), Ok(expected), "{condition}");
        }
    }

    #[test]
    fn what_is_no_expression_is_said_so() {
        for condition in ["", "1 +", "(1", "1 1", "EMPTY", "\"text\"", "B0", "1.5"] {
            assert_eq!(evaluate(condition), Err(Malformed), "{condition}");
        }
        assert_eq!(evaluate(&"(".repeat(100_000)), Err(Malformed));
        assert_eq!(evaluate(&format!("{}1", "!".repeat(100_000))), Ok(true));
        assert_eq!(evaluate(&format!("1{}", " ? 1 : 1".repeat(100_000))), Err(Malformed));
    }
}
