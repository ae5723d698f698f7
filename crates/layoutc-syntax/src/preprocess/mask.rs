//! Overwriting what no C++ grammar can parse.
//!
//! All steps work on the tokens of active text and write into a copy of the text; a step never
//! moves a byte. Every overwritten token is recorded with its reason, because it is still part of
//! the program.

use layoutc_diagnostics::{FileId, Span};

use super::directive::Directive;
use super::lexer::{Token, TokenKind};
use super::macros::{MacroDef, MacroTable};
use super::walk::ActiveToken;
use super::{InactiveRegion, MacroUse};

/// Why active text was overwritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MaskReason {
    /// A macro, or a word the grammar lacks, that stands for specifiers, a type with specifiers,
    /// or nothing. The span covers its arguments too.
    Specifier {
        /// What it stands for, such as `__global__` or `static inline`; empty if that is nothing
        /// or unknown.
        expansion: String,
    },
    /// An attribute that a grammar accepts in few places only: `__align__(8)`, `alignas(16)`,
    /// `__attribute__((packed))`, `__declspec(…)`.
    Attribute {
        /// The attribute as written.
        text: String,
    },
    /// A type that is an argument of a macro, of `va_arg` or of `typeid`; an identifier of the
    /// same length stands there now.
    TypeArgument,
    /// An argument of a macro that is no expression, such as an operator or a statement; an
    /// identifier of the same length stands there now.
    MacroArgument,
    /// White space, a comment or a line break that was overwritten by the `;` which a macro
    /// expands to.
    Semicolon,
    /// The `*`s of `new T *[n]`.
    NewPointer,
    /// A macro that opens a loop or a condition; `if` stands there now.
    ControlMacro,
    /// Any other macro or word that no grammar takes where it stands; white space stands there.
    Other,
}

/// A masked text.
pub(crate) struct Masked {
    pub text: String,
    pub spans: Vec<(Span, MaskReason)>,
    pub uses: Vec<MacroUse>,
}

/// Masks one file.
pub(crate) fn mask_file(
    id: FileId,
    source: &str,
    active: &[ActiveToken],
    directives: &[Directive],
    inactive: &[InactiveRegion],
    table: &MacroTable,
) -> Masked {
    let mut masker = Masker::new(id, source, active, table);
    for span in directives.iter().map(|found| found.span).chain(inactive.iter().map(|found| found.span)) {
        masker.blank_bytes(span.start as usize, span.end as usize);
    }
    let uses = masker.macro_uses();
    masker.finish(uses)
}

/// No partner, in [`Masker::partners`].
const NONE: usize = usize::MAX;

/// The text being masked and its tokens, by position in `toks`.
pub(crate) struct Masker<'a> {
    id: FileId,
    source: &'a str,
    table: &'a MacroTable,
    buffer: Vec<u8>,
    spans: Vec<(Span, MaskReason)>,
    toks: Vec<ActiveToken>,
    /// For each bracket token the position of its partner, else [`NONE`].
    partners: Vec<usize>,
}

impl<'a> Masker<'a> {
    fn new(id: FileId, source: &'a str, active: &[ActiveToken], table: &'a MacroTable) -> Self {
        let mut masker = Masker {
            id,
            source,
            table,
            buffer: source.as_bytes().to_vec(),
            spans: Vec::new(),
            toks: active.to_vec(),
            partners: Vec::new(),
        };
        masker.match_brackets();
        masker
    }

    fn match_brackets(&mut self) {
        self.partners = vec![NONE; self.toks.len()];
        let mut open: Vec<(usize, u8)> = Vec::new();
        let mut braces = 0;
        for at in 0..self.toks.len() {
            let token = self.toks[at].token;
            if token.kind != TokenKind::Punct || token.end - token.start != 1 {
                continue;
            }
            let byte = self.source.as_bytes()[token.start as usize];
            let wanted = match byte {
                b'(' | b'[' | b'{' => {
                    braces += usize::from(byte == b'{');
                    open.push((at, byte));
                    continue;
                }
                b')' => b'(',
                b']' => b'[',
                b'}' => b'{',
                _ => continue,
            };
            // A brace closes whatever was left open inside it, so that one stray parenthesis does
            // not unpair the rest of the file.
            if wanted == b'{' && braces > 0 {
                braces -= 1;
                while open.last().is_some_and(|(_, byte)| *byte != b'{') {
                    open.pop();
                }
            }
            if let Some((partner, _)) = open.pop_if(|(_, byte)| *byte == wanted) {
                self.partners[at] = partner;
                self.partners[partner] = at;
            }
        }
    }

    fn macro_uses(&self) -> Vec<MacroUse> {
        let mut uses = Vec::new();
        for (at, active) in self.toks.iter().enumerate() {
            let Some(def) = active.def else { continue };
            let mut args = None;
            if self.table.get(def).is_function_like() {
                let Some(close) = self.call_close(at) else { continue };
                args = Some(self.span(at + 1, close));
            }
            uses.push(MacroUse { name: self.span(at, at), args, def });
        }
        uses
    }

    /// The spelling of a token; empty beyond the ends.
    fn text(&self, at: usize) -> &'a str {
        self.toks.get(at).map_or("", |active| active.token.text(self.source))
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.toks.get(at).map(|active| active.token.kind)
    }

    fn is_identifier(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Identifier)
    }

    fn def(&self, at: usize) -> Option<&'a MacroDef> {
        self.toks.get(at)?.def.map(|id| self.table.get(id))
    }

    /// The `)` of a call whose name is the token at `at`.
    fn call_close(&self, at: usize) -> Option<usize> {
        (self.text(at + 1) == "(").then(|| self.partners[at + 1]).filter(|close| *close != NONE)
    }

    fn token(&self, at: usize) -> Token {
        self.toks[at].token
    }

    /// From the first byte of one token to the last byte of another.
    fn span(&self, first: usize, last: usize) -> Span {
        Span::new(self.id, self.token(first).start as usize, self.token(last).end as usize)
    }

    /// Overwrites bytes by spaces, but no line breaks.
    fn blank_bytes(&mut self, from: usize, to: usize) {
        for byte in &mut self.buffer[from..to] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }

    fn record(&mut self, span: Span, reason: MaskReason) {
        self.spans.push((span, reason));
    }

    fn finish(mut self, uses: Vec<MacroUse>) -> Masked {
        self.spans.sort_by_key(|(span, _)| *span);
        let text = String::from_utf8(self.buffer).unwrap_or_else(|error| {
            // Only whole tokens are overwritten, so this does not happen; if it did, spaces keep
            // every offset right.
            let ascii = error.into_bytes().into_iter().map(|byte| if byte.is_ascii() { byte as char } else { ' ' });
            ascii.collect()
        });
        debug_assert_eq!(text.len(), self.source.len());
        Masked { text, spans: self.spans, uses }
    }
}
