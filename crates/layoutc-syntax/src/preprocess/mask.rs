//! Overwriting what no C++ grammar can parse.
//!
//! All steps work on the tokens of active text and write into a copy of the text; a step never
//! moves a byte. Every overwritten token is recorded with its reason, because it is still part of
//! the program.

mod arguments;
mod assignment;
mod attribute;
mod default;
mod paste;
mod specifier;
mod statement;
mod structure;
mod words;

use std::collections::HashSet;

use layoutc_diagnostics::{FileId, Span};

use super::directive::Directive;
use super::lexer::{Token, TokenKind, tokens};
use super::macros::{MacroDef, MacroId, MacroTable};
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
    /// A macro call, or `typeof(…)`, that stands for a type before a name; an identifier of the same
    /// length stands there now.
    TypeMacro,
    /// A macro that builds a name with `##`; the name stands there now.
    Name {
        /// The name.
        expansion: String,
    },
    /// A macro that stands for `<<<…>>>`; white space stands there now, so that the launch looks
    /// like a call of the kernel.
    Launch,
    /// A macro among the members of a class or enumeration, which may have members that cannot be
    /// seen. White space, or in an enumeration an identifier, stands there now.
    Members,
    /// An argument of a macro that is no expression, such as an operator or a statement; an
    /// identifier of the same length stands there now.
    MacroArgument,
    /// A default argument that the grammar does not take, of a parameter (`= {}`) or of a template
    /// (`= const T &`, `= N >= 2`), or such an argument of a template; an identifier of the same length
    /// stands there now.
    Argument,
    /// White space, a comment or a line break that was overwritten by the `;` which a macro
    /// expands to.
    Semicolon,
    /// The `*`s of `new T *[n]`.
    NewPointer,
    /// The operator of an assignment that is the first operand of a comma operator in parentheses, the `=` of
    /// `(a = 4, b)`; a comma stands there now.
    FirstAssignment,
    /// A macro that opens or closes a loop, a condition or a block; `if`, `while`, `for(;;){`, `{`
    /// or `}` stands there now. Only that there is a block is right, not what it does.
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

/// What all files of a program define.
pub(crate) struct ProgramNames<'a> {
    pub table: &'a MacroTable,
    types: HashSet<String>,
    /// Names of function templates.
    templates: HashSet<String>,
}

impl<'a> ProgramNames<'a> {
    pub(crate) fn new(table: &'a MacroTable) -> Self {
        ProgramNames { table, types: HashSet::new(), templates: HashSet::new() }
    }

    /// Adds the types that a file declares: `struct X`, `typedef … X;`, `using X =`, `class X` in
    /// template parameters.
    pub(crate) fn add_types(&mut self, source: &str, active: &[ActiveToken]) {
        let text = |at: usize| active.get(at).map_or("", |active| active.token.text(source));
        let is_name = |at: usize| {
            active.get(at).is_some_and(|active| active.token.kind == TokenKind::Identifier)
        };
        let mut typedef = None;
        let mut depth = 0usize;
        for at in 0..active.len() {
            match text(at) {
                "struct" | "class" | "union" | "enum" | "typename" if is_name(at + 1) => {
                    // Between the keyword and the name may stand an export macro.
                    let named = if is_name(at + 2) && matches!(text(at + 3), "{" | ":") {
                        at + 2
                    } else {
                        at + 1
                    };
                    self.types.insert(text(named).to_owned());
                }
                "using" if is_name(at + 1) && text(at + 2) == "=" => {
                    self.types.insert(text(at + 1).to_owned());
                }
                "typedef" => typedef = Some(depth),
                "template" if text(at + 1) == "<" => {
                    let (ends, mut to) = ([";", "{", "=", ""], at + 2);
                    // The first name in front of a `(` that is no attribute's.
                    while !ends.contains(&text(to)) {
                        if text(to) == "(" && is_name(to - 1) && !text(to - 1).starts_with("__") {
                            self.templates.insert(text(to - 1).to_owned());
                            break;
                        }
                        to += 1;
                    }
                }
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                ";" | "," | "[" if typedef == Some(depth) => {
                    if at > 0 && is_name(at - 1) {
                        self.types.insert(text(at - 1).to_owned());
                    }
                    if text(at) == ";" {
                        typedef = None;
                    }
                }
                _ => {}
            }
        }
    }
}

/// Masks one file.
pub(crate) fn mask_file(
    id: FileId,
    source: &str,
    active: &[ActiveToken],
    directives: &[Directive],
    (inactive, hidden): (&[InactiveRegion], &[std::ops::Range<usize>]),
    names: &ProgramNames<'_>,
) -> Masked {
    let mut bytes = source.as_bytes().to_vec();
    for range in hidden {
        blank(&mut bytes[range.clone()]);
    }
    for span in
        directives.iter().map(|found| found.span).chain(inactive.iter().map(|found| found.span))
    {
        blank(&mut bytes[span.range()]);
    }
    if source.starts_with('\u{feff}') {
        blank(&mut bytes[..3]);
    }
    let toks = active
        .iter()
        .map(|active| Tok { token: active.token, def: active.def, fixed: false })
        .collect();
    let mut draft = Draft { id, names, text: into_text(bytes), toks, spans: Vec::new() };
    let uses = draft.view().macro_uses();
    draft.step(|masker| masker.mask_string_names());
    draft.step(|masker| masker.mask_constructs());
    draft.step(|masker| masker.mask_pasted_names());
    draft.step(|masker| masker.mask_defined_specifiers());
    draft.step(|masker| masker.mask_arguments());
    draft.step(|masker| masker.mask_statements());
    draft.step(|masker| masker.mask_first_assignments());
    draft.spans.sort_by_key(|(span, _)| *span);
    debug_assert_eq!(draft.text.len(), source.len());
    Masked { text: draft.text, spans: draft.spans, uses }
}

/// Overwrites bytes by spaces, but no line breaks.
fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if !matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

fn into_text(bytes: Vec<u8>) -> String {
    // Only whole characters are overwritten, so the bytes are UTF-8; were they not, spaces would
    // keep every offset right.
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let bytes = error.into_bytes().into_iter();
        bytes.map(|byte| if byte.is_ascii() { byte as char } else { ' ' }).collect()
    })
}

/// A token of the text as masked so far.
#[derive(Clone, Copy, Debug)]
struct Tok {
    token: Token,
    def: Option<MacroId>,
    /// Whether a step wrote it, so that no other step takes it for a macro.
    fixed: bool,
}

/// One overwriting: tokens (or bytes between tokens), what stands there now, and why.
struct Edit {
    bytes: std::ops::Range<usize>,
    /// Positions of the tokens that go; empty for white space.
    toks: std::ops::Range<usize>,
    shown: String,
    reason: MaskReason,
}

/// The text between two steps.
struct Draft<'a> {
    id: FileId,
    names: &'a ProgramNames<'a>,
    text: String,
    toks: Vec<Tok>,
    spans: Vec<(Span, MaskReason)>,
}

impl Draft<'_> {
    fn view(&self) -> Masker<'_> {
        Masker::new(self.id, &self.text, &self.toks, self.names)
    }

    fn step(&mut self, mask: impl for<'b> FnOnce(&mut Masker<'b>)) {
        let mut masker = self.view();
        mask(&mut masker);
        let Masker { mut edits, notes, .. } = masker;
        edits.sort_by_key(|edit| edit.bytes.start);
        self.spans.extend(notes);
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        let mut toks = Vec::with_capacity(self.toks.len());
        let mut copied = 0;
        for edit in edits {
            let target = &mut bytes[edit.bytes.clone()];
            if edit.reason == MaskReason::Semicolon {
                target.fill(b' ');
            } else {
                blank(target);
            }
            target[..edit.shown.len()].copy_from_slice(edit.shown.as_bytes());
            self.spans.push((Span::new(self.id, edit.bytes.start, edit.bytes.end), edit.reason));
            if edit.toks.is_empty() {
                continue;
            }
            toks.extend_from_slice(&self.toks[copied..edit.toks.start]);
            copied = edit.toks.end;
            let offset = edit.bytes.start as u32;
            toks.extend(tokens(&edit.shown).into_iter().map(|token| Tok {
                token: Token {
                    kind: token.kind,
                    start: token.start + offset,
                    end: token.end + offset,
                },
                def: None,
                fixed: true,
            }));
        }
        toks.extend_from_slice(&self.toks[copied..]);
        self.toks = toks;
        self.text = into_text(bytes);
    }
}

/// No partner, in [`Masker::partners`].
const NONE: usize = usize::MAX;

/// One step: looks at the text as it is, and collects edits.
///
/// Tokens are named by their position in `toks`.
struct Masker<'a> {
    id: FileId,
    source: &'a str,
    table: &'a MacroTable,
    /// Names of types that the program declares; they are no macros however they look.
    types: &'a HashSet<String>,
    /// Names of function templates that it declares.
    templates: &'a HashSet<String>,
    toks: &'a [Tok],
    /// For each bracket token the position of its partner, else [`NONE`].
    partners: Vec<usize>,
    /// Whether an edit of this step takes the token.
    removed: Vec<bool>,
    edits: Vec<Edit>,
    /// What is recorded without overwriting anything.
    notes: Vec<(Span, MaskReason)>,
}

impl<'a> Masker<'a> {
    fn new(id: FileId, source: &'a str, toks: &'a [Tok], names: &'a ProgramNames<'a>) -> Self {
        Masker {
            id,
            source,
            table: names.table,
            types: &names.types,
            templates: &names.templates,
            toks,
            partners: match_brackets(source, toks),
            removed: vec![false; toks.len()],
            edits: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn macro_uses(&self) -> Vec<MacroUse> {
        let mut uses = Vec::new();
        for (at, active) in self.toks.iter().enumerate() {
            let Some(def) = active.def else { continue };
            let mut args = None;
            if self.table.get(def).is_function_like() {
                let Some(close) = self.call_close(at) else {
                    continue;
                };
                args = Some(self.span(at + 1, close));
            }
            uses.push(MacroUse { name: self.span(at, at), args, def });
        }
        uses
    }

    /// The spelling of a token; empty beyond the ends.
    fn text(&self, at: usize) -> &'a str {
        self.toks.get(at).map_or("", |tok| tok.token.text(self.source))
    }

    /// The spelling of the token before; empty at the start.
    fn text_before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.text(before))
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.toks.get(at).map(|tok| tok.token.kind)
    }

    fn is_identifier(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Identifier)
    }

    fn def(&self, at: usize) -> Option<&'a MacroDef> {
        self.toks.get(at)?.def.map(|id| self.table.get(id))
    }

    /// The partner of a bracket.
    fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().filter(|partner| *partner != NONE)
    }

    /// The `)` of a call whose name is the token at `at`.
    fn call_close(&self, at: usize) -> Option<usize> {
        if self.text(at + 1) == "(" { self.partner(at + 1) } else { None }
    }

    /// From the first byte of one token to the last byte of another.
    fn span(&self, first: usize, last: usize) -> Span {
        Span::new(
            self.id,
            self.toks[first].token.start as usize,
            self.toks[last].token.end as usize,
        )
    }

    /// Positions of the tokens spelled `wanted` in `from..to` that are in no brackets there.
    fn top_level(&self, from: usize, to: usize, wanted: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = from;
        while at < to {
            if self.text(at) == wanted {
                found.push(at);
            }
            at = self.partner(at).filter(|close| *close > at).map_or(at + 1, |close| close + 1);
        }
        found
    }

    /// Whether no line break stands between two tokens; false beyond the end.
    fn same_line(&self, first: usize, second: usize) -> bool {
        let (Some(first), Some(second)) = (self.toks.get(first), self.toks.get(second)) else {
            return false;
        };
        !self.source[first.token.end as usize..second.token.start as usize].contains('\n')
    }

    /// Whether a word fits where the tokens stand, before the first line break among them.
    fn fits(&self, first: usize, last: usize, shown: &str) -> bool {
        let room = self.source[self.span(first, last).range()].lines().next().map_or(0, str::len);
        shown.len() <= room
    }

    /// Overwrites tokens by a text if it fits, else by spaces.
    fn replace(&mut self, first: usize, last: usize, shown: &str, reason: MaskReason) {
        if self.removed[first..=last].contains(&true) {
            return;
        }
        self.removed[first..=last].fill(true);
        let shown = if self.fits(first, last, shown) { shown.to_owned() } else { String::new() };
        self.edits.push(Edit {
            bytes: self.span(first, last).range(),
            toks: first..last + 1,
            shown,
            reason,
        });
    }

    /// Overwrites bytes between tokens.
    fn replace_bytes(&mut self, bytes: std::ops::Range<usize>, shown: &str, reason: MaskReason) {
        self.edits.push(Edit { bytes, toks: 0..0, shown: shown.to_owned(), reason });
    }

    /// Records a span that stays as it is.
    fn note(&mut self, span: Span, reason: MaskReason) {
        self.notes.push((span, reason));
    }
}

fn match_brackets(source: &str, toks: &[Tok]) -> Vec<usize> {
    let mut partners = vec![NONE; toks.len()];
    let mut open: Vec<(usize, u8)> = Vec::new();
    let mut braces = 0;
    for (at, tok) in toks.iter().enumerate() {
        let token = tok.token;
        if token.kind != TokenKind::Punct || token.end - token.start != 1 {
            continue;
        }
        let byte = source.as_bytes()[token.start as usize];
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
        // A brace closes whatever was left open inside it, so that one stray parenthesis does not
        // unpair the rest of the file.
        if wanted == b'{' && braces > 0 {
            braces -= 1;
            while open.last().is_some_and(|(_, byte)| *byte != b'{') {
                open.pop();
            }
        }
        if let Some((partner, _)) = open.pop_if(|(_, byte)| *byte == wanted) {
            partners[at] = partner;
            partners[partner] = at;
        }
    }
    partners
}
