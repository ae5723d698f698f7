//! What the braces of a text enclose, and where statements begin, without parsing it.

use super::Masker;
use super::words::is_operator_word;

/// What a pair of braces encloses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Enclosure {
    /// Nothing, or a namespace or linkage block: declarations.
    File,
    /// Members of a class.
    Class,
    /// Enumerators.
    Enumeration,
    /// Statements.
    Block,
    /// Values.
    Initializer,
}

/// One open brace.
struct Level {
    enclosure: Enclosure,
    /// Brackets open inside the brace.
    depth: usize,
    /// First token of the statement that is being read.
    head: usize,
}

/// The reader of the structure; it is told each token in turn.
pub(super) struct Structure {
    levels: Vec<Level>,
    starts: bool,
    /// Closing parentheses behind which a statement begins (`if (…)`).
    control_close: Option<usize>,
}

impl Structure {
    pub(super) fn new() -> Self {
        let file = Level { enclosure: Enclosure::File, depth: 0, head: 0 };
        Structure { levels: vec![file], starts: true, control_close: None }
    }

    /// What encloses the next token, parentheses not counted.
    pub(super) fn enclosure(&self) -> Enclosure {
        self.levels.last().map_or(Enclosure::File, |level| level.enclosure)
    }

    /// Whether the next token begins a statement or declaration.
    pub(super) fn starts_statement(&self) -> bool {
        self.starts
    }

    /// Whether the next token is inside parentheses or square brackets of its statement.
    pub(super) fn in_brackets(&self) -> bool {
        self.levels.last().is_some_and(|level| level.depth > 0)
    }

    /// Says that a statement ended before the token at `next`.
    pub(super) fn end_statement(&mut self, next: usize) {
        self.begin(next);
    }

    /// Reads a brace that a macro expands to; the next token is at `next`.
    pub(super) fn read_hidden_brace(&mut self, opens: bool, next: usize) {
        if opens {
            self.levels.push(Level { enclosure: Enclosure::Block, depth: 0, head: next });
        } else if self.levels.len() > 1 {
            self.levels.pop();
        }
        self.begin(next);
    }

    fn begin(&mut self, next: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.head = next;
        }
        self.starts = true;
    }

    /// Reads the token at `at`.
    pub(super) fn read(&mut self, masker: &Masker<'_>, at: usize) {
        let text = masker.text(at);
        let started = std::mem::replace(&mut self.starts, false);
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        let statements =
            !matches!(level.enclosure, Enclosure::Enumeration | Enclosure::Initializer);
        match text {
            "(" | "[" => level.depth += 1,
            ")" | "]" => {
                level.depth = level.depth.saturating_sub(1);
                if self.control_close == Some(at) {
                    self.control_close = None;
                    self.begin(at + 1);
                }
            }
            "{" => {
                let enclosure = enclosure_of(masker, level, at);
                self.levels.push(Level { enclosure, depth: 0, head: at + 1 });
                self.starts = !matches!(enclosure, Enclosure::Enumeration | Enclosure::Initializer);
            }
            "}" => {
                let closed = if self.levels.len() > 1 { self.levels.pop() } else { None };
                let ends = closed.is_some_and(|closed| {
                    matches!(closed.enclosure, Enclosure::File | Enclosure::Block)
                });
                if ends && !self.in_brackets() {
                    self.begin(at + 1);
                }
            }
            ";" if level.depth == 0 && statements => self.begin(at + 1),
            ":" if level.depth == 0 && statements => {
                let label = at == level.head + 1 && masker.is_identifier(level.head);
                if label || matches!(masker.text(level.head), "case" | "default") {
                    self.begin(at + 1);
                }
            }
            "else" | "do" | "try" if started => self.begin(at + 1),
            "if" | "for" | "while" | "switch" if started => {
                let open = at + 1 + usize::from(masker.text(at + 1) == "constexpr");
                self.control_close =
                    if masker.text(open) == "(" { masker.partner(open) } else { None };
            }
            _ => {}
        }
    }
}

/// What the brace at `at` opens, from the statement that it stands in.
fn enclosure_of(masker: &Masker<'_>, level: &Level, at: usize) -> Enclosure {
    if at <= level.head
        && !matches!(level.enclosure, Enclosure::Initializer | Enclosure::Enumeration)
    {
        return Enclosure::Block;
    }
    let before = masker.text_before(at);
    if matches!(level.enclosure, Enclosure::Initializer | Enclosure::Enumeration) && before != ")" {
        return Enclosure::Initializer;
    }
    if matches!(before, "=" | "," | "(" | "return" | "[" | "<<<" | "?") {
        return Enclosure::Initializer;
    }
    if before == "]" {
        // A lambda, or an array's values.
        let open = masker.partner(at - 1).unwrap_or(at - 1);
        let array = open > 0
            && (masker.text(open - 1) == "]"
                || (masker.is_identifier(open - 1) && !is_operator_word(masker.text(open - 1))));
        return if array { Enclosure::Initializer } else { Enclosure::Block };
    }
    if at <= level.head || matches!(before, ")" | "else" | "do" | "try" | ";" | "{" | "}") {
        return Enclosure::Block;
    }
    if masker.is_identifier(at - 1) && !is_operator_word(before) && is_value(masker, level, at) {
        return Enclosure::Initializer;
    }
    let mut names_class = false;
    let mut index = level.head;
    // Heads are a few words long; the bound keeps a long initialiser from being read again for
    // each of its braces.
    while index < at && index - level.head < 64 {
        match masker.text(index) {
            "namespace" => return Enclosure::File,
            "extern" if masker.text(index + 1).starts_with('"') => return Enclosure::File,
            "enum" => return Enclosure::Enumeration,
            "struct" | "class" | "union" => names_class = true,
            "template" if masker.text(index + 1) == "<" => {
                index = end_of_angles(masker, index + 1, at);
                continue;
            }
            "=" => return Enclosure::Initializer,
            "(" if !names_class => return Enclosure::Block,
            _ => {}
        }
        index = masker
            .partner(index)
            .filter(|close| *close > index)
            .map_or(index + 1, |close| close + 1);
    }
    if names_class {
        Enclosure::Class
    } else if masker.is_identifier(at - 1) && is_operator_word(before) {
        Enclosure::Block
    } else {
        Enclosure::Initializer
    }
}

/// Whether the brace at `at`, behind a name, holds a value: `f(T{1})`, or `a{1}` in a constructor's
/// list of initialisers.
fn is_value(masker: &Masker<'_>, level: &Level, at: usize) -> bool {
    if matches!(
        masker.text(at - 1),
        "mutable" | "noexcept" | "const" | "override" | "final" | "constexpr"
    ) {
        return false;
    }
    if level.depth == 0 {
        return at > level.head + 2
            && matches!(masker.text(at - 2), "," | ":")
            && masker.text(level.head) != "enum"
            && !matches!(
                masker.text(level.head),
                "struct" | "class" | "union" | "template" | "typedef"
            );
    }
    // A lambda's result type stands before its body.
    !(2..8).any(|back| at >= back && masker.text(at - back) == "->")
}

/// The position behind the `>` that closes the `<` at `open`.
fn end_of_angles(masker: &Masker<'_>, open: usize, limit: usize) -> usize {
    let mut depth = 0usize;
    for index in open..limit {
        match masker.text(index) {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            ">>" => depth = depth.saturating_sub(2),
            ">>>" => depth = depth.saturating_sub(3),
            _ => continue,
        }
        if depth == 0 {
            return index + 1;
        }
    }
    limit
}
