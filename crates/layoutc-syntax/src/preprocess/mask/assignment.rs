//! Assignments in front of a comma operator: `(a = 4, b)`.
//!
//! The grammar takes `(a =` for the beginning of a fold expression when a comma follows. As `(a , 4, b)` the text
//! has the same operands in the same order; the lowering puts the assignment back.

use super::words::is_builtin_type;
use super::{MaskReason, Masker};

/// The operators that assign.
const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];

impl Masker<'_> {
    /// Puts a comma in place of the first operator of each parenthesised comma operator that begins with an assignment.
    pub(super) fn mask_first_assignments(&mut self) {
        for open in 0..self.toks.len() {
            if self.text(open) != "(" || !self.is_operand(open) {
                continue;
            }
            let Some(close) = self.partner(open).filter(|close| *close > open) else { continue };
            let Some(comma) = self.first_at_top(open + 1, close, &[",", ";"]) else { continue };
            let before = |wanted: &[&str]| self.first_at_top(open + 1, comma, wanted);
            // Behind `?` the operator belongs to the last operand.
            if self.text(comma) == ","
                && before(&["?"]).is_none()
                && let Some(operator) = before(&ASSIGNMENTS)
            {
                self.replace(operator, operator, ",", MaskReason::FirstAssignment);
            }
        }
    }

    /// The first token between two that is one of some and stands in no brackets.
    fn first_at_top(&self, from: usize, to: usize, wanted: &[&str]) -> Option<usize> {
        let mut at = from;
        while at < to {
            if wanted.contains(&self.text(at)) {
                return Some(at);
            }
            at = self.partner(at).filter(|close| *close > at).map_or(at + 1, |close| close + 1);
        }
        None
    }

    /// Whether the parenthesis at `open` begins an operand, or the condition of a `while`, rather than the arguments of a
    /// call or the parameters of a function.
    fn is_operand(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1) else { return false };
        match self.text(before) {
            "return" | "co_return" | "co_yield" | "throw" | "case" | "else" | "do" | "while" => {
                true
            }
            ")" => self.is_cast(before),
            "]" | "}" | ">" | ">>" | ">>>" => false,
            _ => self.kind(before) == Some(crate::preprocess::lexer::TokenKind::Punct),
        }
    }

    /// Whether the parenthesis that ends at `close` holds the name of a built-in type only: `(unsigned char)`.
    fn is_cast(&self, close: usize) -> bool {
        let Some(open) = self.partner(close) else { return false };
        open + 1 < close && (open + 1..close).all(|at| is_builtin_type(self.text(at)))
    }
}
