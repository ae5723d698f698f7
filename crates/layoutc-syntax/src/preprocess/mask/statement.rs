//! Statement macros without `;`, loop macros, and specifiers that have no definition.

use std::collections::HashMap;

use super::structure::{Enclosure, Structure};
use super::words::{is_builtin_type, is_operator_word, is_specifier, looks_like_macro};
use super::{MaskReason, Masker};
use crate::preprocess::lexer::{TokenKind, tokens};
use crate::preprocess::macros::{MacroDef, MacroId};

/// Deepest nesting of macros that is looked through.
const DEPTH_LIMIT: usize = 16;

/// How a macro's expansion ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    /// With `;` or `}`, or it is empty: the use is a whole statement.
    Complete,
    /// With the argument of the parameter at this index.
    Argument(usize),
    /// With something that needs more.
    Open,
    /// With the head of a loop or condition.
    Control,
    /// With a label.
    Label,
}

impl Masker<'_> {
    /// Goes through the statements once.
    pub(super) fn mask_statements(&mut self) {
        let mut structure = Structure::new();
        let mut endings = HashMap::new();
        let mut skip_to = 0;
        let mut hidden_braces = 0;
        let mut braces_of = HashMap::new();
        for at in 0..self.toks.len() {
            let starts = structure.starts_statement();
            let in_block = structure.enclosure() == Enclosure::Block;
            if at >= skip_to && self.is_identifier(at) && !self.removed[at] && !self.toks[at].fixed
            {
                if starts
                    && let Some((last, braces)) =
                        self.mask_brace_macro(at, hidden_braces, &mut braces_of)
                {
                    hidden_braces += braces;
                    for _ in 0..braces.abs() {
                        structure.read_hidden_brace(braces > 0, last + 1);
                    }
                    skip_to = last + 1;
                    continue;
                }
                if structure.enclosure() == Enclosure::Enumeration
                    && let Some(last) = self.mask_enumerator_macro(at)
                {
                    skip_to = last + 1;
                    continue;
                }
                let in_class =
                    structure.enclosure() == Enclosure::Class && !structure.in_brackets();
                let other = if starts && in_class { self.mask_member_macro(at) } else { None };
                if let Some(last) = other.or_else(|| self.mask_type_macro(at, &mut endings)) {
                    skip_to = last + 1;
                    continue;
                }
                let statement = if starts && !structure.in_brackets() {
                    self.mask_statement_macro(at, in_block, &mut endings)
                } else {
                    None
                };
                if let Some(last) = statement {
                    // The tokens of the use are read, but the statement ends behind them.
                    for index in at..=last {
                        structure.read(self, index);
                    }
                    structure.end_statement(last + 1);
                    skip_to = last + 1;
                    continue;
                }
                let places = structure.enclosure() != Enclosure::Initializer
                    && structure.enclosure() != Enclosure::Enumeration;
                if places && let Some(last) = self.mask_undefined_specifier(at, starts, in_block) {
                    skip_to = last + 1;
                    if starts {
                        structure.end_statement(last + 1);
                    }
                    continue;
                }
            }
            if at >= skip_to {
                structure.read(self, at);
            }
        }
    }

    /// Masks a macro that declares members of a class; its last token.
    fn mask_member_macro(&mut self, at: usize) -> Option<usize> {
        let name = self.text(at);
        let last = match self.def(at) {
            Some(def) if def.is_function_like() => self.call_close(at)?,
            Some(def) if def.text.ends_with(';') || def.text.is_empty() => at,
            None if looks_like_macro(name) && !self.types.contains(name) => self.call_close(at)?,
            _ => return None,
        };
        // `VEC(int) v;` is a type, `Name(int x) : a(x) { … }` a constructor. An undefined macro
        // behind another is told from a declared name by how it looks.
        let next = self.text(last + 1);
        let declares = self.is_identifier(last + 1)
            && self.same_line(last, last + 1)
            && self.toks[last + 1].def.is_none()
            && !looks_like_macro(next);
        if declares || matches!(next, "{" | ":" | "::" | "*" | "&" | "=" | "const" | "noexcept") {
            return None;
        }
        self.replace(at, last, "", MaskReason::Members);
        Some(last)
    }

    /// Masks a macro that declares enumerators; its last token.
    fn mask_enumerator_macro(&mut self, at: usize) -> Option<usize> {
        self.def(at).filter(|def| def.is_function_like())?;
        let last = self.call_close(at)?;
        if !matches!(self.text_before(at), "{" | "," | ")") {
            return None;
        }
        let ends = matches!(self.text(last + 1), "," | "}" | "=");
        self.replace_by_name(at, last, MaskReason::Members);
        if let Some(edit) = self.edits.last_mut().filter(|_| !ends)
            && edit.shown.len() == edit.bytes.len()
        {
            edit.shown.pop();
            edit.shown.push(',');
        }
        Some(last)
    }

    /// Masks a macro call that stands for a type; its last token.
    fn mask_type_macro(
        &mut self,
        at: usize,
        endings: &mut HashMap<String, Ending>,
    ) -> Option<usize> {
        let def = self.def(at).filter(|def| def.is_function_like())?;
        let last = self.call_close(at)?;
        let next = self.text(last + 1);
        let names = self.is_identifier(last + 1)
            && self.same_line(last, last + 1)
            && self.toks[last + 1].def.is_none()
            && !is_operator_word(next)
            && !is_specifier(next)
            && !is_builtin_type(next);
        let declares = matches!(self.text(last + 2), ";" | "=" | "[" | "(" | "," | ")" | "{" | ":");
        let mut words =
            tokens(&def.text).into_iter().map(|token| (token.kind, token.text(&def.text)));
        let is_type = words.all(|(kind, word)| {
            (kind == TokenKind::Identifier && !is_operator_word(word))
                || kind == TokenKind::Number
                || matches!(word, "::" | "<" | ">" | ">>" | "," | "*" | "&" | "##")
                || matches!(word, "typename" | "struct" | "class" | "union" | "enum")
        });
        if !names || !declares || !is_type || self.ending(def, 0, endings) != Ending::Open {
            return None;
        }
        self.replace_by_name(at, last, MaskReason::TypeMacro);
        Some(last)
    }

    /// Writes the braces that the macro at `at` opens or closes, so that the text between such
    /// macros stands in a block; its last token and the number of braces (negative: closed).
    fn mask_brace_macro(
        &mut self,
        at: usize,
        open: i64,
        braces_of: &mut HashMap<MacroId, (i64, bool)>,
    ) -> Option<(usize, i64)> {
        let def = self.def(at)?;
        let last = if def.is_function_like() { self.call_close(at)? } else { at };
        let (braces, loops) =
            *braces_of.entry(MacroId(def.order)).or_insert_with(|| braces_in(&def.text));
        let count =
            usize::try_from(braces.unsigned_abs()).ok().filter(|count| (1..=16).contains(count))?;
        let shown = if braces > 0 {
            format!("{}{}", if loops { "for(;;)" } else { "" }, "{".repeat(count))
        } else if open + braces >= 0 {
            "}".repeat(count)
        } else {
            return None;
        };
        if !self.fits(at, last, &shown) {
            return None;
        }
        self.replace(at, last, &shown, MaskReason::ControlMacro);
        Some((last, braces))
    }

    /// Ends the statement macro at `at` by a `;` if it needs one; its last token.
    fn mask_statement_macro(
        &mut self,
        at: usize,
        in_block: bool,
        endings: &mut HashMap<String, Ending>,
    ) -> Option<usize> {
        let def = self.def(at);
        let close = self.call_close(at);
        let typed = looks_like_macro(self.text(at)) && !self.types.contains(self.text(at));
        // In a function a call on a line of its own needs no capitals to be a macro.
        let called = in_block && close.is_some_and(|close| !self.same_line(close, close + 1));
        if def.is_none() && ((!typed && !called) || is_operator_word(self.text(at))) {
            return None;
        }
        let last = match def {
            Some(def) if def.is_function_like() => close?,
            Some(_) => at,
            None => close.unwrap_or(at),
        };
        let next = self.text(last + 1);
        if matches!(next, ";" | "," | ")" | "]" | "." | "->" | "=") {
            return None;
        }
        let ending = def.map(|def| self.ending(def, 0, endings));
        let complete = match ending {
            Some(Ending::Complete) => true,
            Some(Ending::Argument(index)) => {
                let mut bounds = vec![at + 1];
                bounds.extend(self.top_level(at + 2, last, ","));
                bounds.push(last);
                let end = bounds.get(index + 1).copied().unwrap_or(last);
                matches!(self.text_before(end), ";" | "}")
            }
            Some(Ending::Control) if in_block && last > at => {
                if self.text(at).len() >= 2 {
                    let shown = if self.text(at).len() >= 5 { "while" } else { "if" };
                    self.replace(at, at, shown, MaskReason::ControlMacro);
                }
                return Some(last);
            }
            Some(Ending::Control) if in_block && def.is_some_and(|def| !def.is_function_like()) => {
                // The name alone has no room for more than a condition that says nothing.
                let shown = if self.fits(at, at, "if(1)") { "if(1)" } else { "" };
                self.replace(at, at, shown, MaskReason::ControlMacro);
                return Some(last);
            }
            Some(Ending::Label) if in_block => {
                self.replace(at, last, "", MaskReason::ControlMacro);
                return Some(last);
            }
            Some(Ending::Control | Ending::Open | Ending::Label) => false,
            None => false,
        };
        let own_line = !self.same_line(last, last + 1);
        let needs = if complete {
            // A body in braces makes it the head of a function.
            next != "{" || (in_block && own_line)
        } else if def.is_some_and(|def| !def.is_function_like()) || next == "{" {
            false
        } else if next == "}" {
            in_block || own_line
        } else {
            let cannot_continue = self.toks.get(last + 1).is_none()
                || (self.is_identifier(last + 1)
                    && !matches!(next, "and" | "or" | "not" | "xor" | "noexcept" | "const"))
                || matches!(self.kind(last + 1), Some(TokenKind::Number));
            let specifies = !in_block && last == at && self.is_identifier(last + 1);
            // `TYPE(float) f();`: the name of a function stands on the next line seldom enough.
            own_line && cannot_continue && !specifies && !self.is_declarator_behind(last, in_block)
        };
        if needs && self.insert_semicolon(last) { Some(last) } else { None }
    }

    /// Whether a use outside functions is followed by `name(` or `name;`: it stands for a type.
    fn is_declarator_behind(&self, last: usize, in_block: bool) -> bool {
        let name = self.text(last + 1);
        !in_block
            && !is_specifier(name)
            && !is_builtin_type(name)
            && !is_operator_word(name)
            && !looks_like_macro(name)
            && matches!(self.text(last + 2), "(" | ";" | "=" | "[")
    }

    /// How the expansion of a macro ends.
    fn ending(
        &self,
        def: &MacroDef,
        depth: usize,
        endings: &mut HashMap<String, Ending>,
    ) -> Ending {
        if let Some(known) = endings.get(&def.name) {
            return *known;
        }
        let ending = self.compute_ending(def, depth, endings);
        endings.insert(def.name.clone(), ending);
        ending
    }

    fn compute_ending(
        &self,
        def: &MacroDef,
        depth: usize,
        endings: &mut HashMap<String, Ending>,
    ) -> Ending {
        let found = tokens(&def.text);
        let word = |at: usize| found.get(at).map_or("", |token| token.text(&def.text));
        let Some(last) = found.len().checked_sub(1) else {
            return Ending::Complete;
        };
        if word(last) == ":" && matches!(word(0), "case" | "default") {
            return Ending::Label;
        }
        if matches!(word(last), ";" | "}") {
            return Ending::Complete;
        }
        if let Some(index) = def.params.iter().flatten().position(|param| param == word(last)) {
            return Ending::Argument(index);
        }
        if depth > DEPTH_LIMIT {
            return Ending::Open;
        }
        let mut open = last;
        if word(last) == ")" {
            let mut nesting = 0usize;
            for at in (0..=last).rev() {
                match word(at) {
                    ")" => nesting += 1,
                    "(" => nesting -= 1,
                    _ => {}
                }
                if nesting == 0 {
                    open = at;
                    break;
                }
            }
        }
        let name = if word(last) == ")" { open.checked_sub(1) } else { Some(last) };
        let Some(name) = name else {
            return Ending::Open;
        };
        if matches!(word(name), "for" | "while" | "if" | "switch") && name < last {
            // `do { … } while (0)` needs its semicolon, a loop's head does not.
            return if word(0) == "do" { Ending::Open } else { Ending::Control };
        }
        let inner = self.table.lookup(word(name)).last();
        match inner {
            Some(inner) if inner.name != def.name && inner.is_function_like() == (name < last) => {
                match self.ending(inner, depth + 1, endings) {
                    Ending::Argument(_) => Ending::Open,
                    Ending::Control if name > 0 => self.control_if_first(word(0), depth, endings),
                    other => other,
                }
            }
            _ => Ending::Open,
        }
    }

    /// [`Ending::Control`] if a word begins a loop or condition too, so that a sequence of heads is
    /// one head.
    fn control_if_first(
        &self,
        word: &str,
        depth: usize,
        endings: &mut HashMap<String, Ending>,
    ) -> Ending {
        let heads = matches!(word, "for" | "while" | "if" | "switch")
            || self
                .table
                .lookup(word)
                .last()
                .is_some_and(|first| self.ending(first, depth + 1, endings) == Ending::Control);
        if heads { Ending::Control } else { Ending::Open }
    }

    /// Writes `;` behind a token: into white space, over a comment, or over the line break.
    fn insert_semicolon(&mut self, last: usize) -> bool {
        let from = self.toks[last].token.end as usize;
        let to =
            self.toks.get(last + 1).map_or(self.source.len(), |next| next.token.start as usize);
        let gap = &self.source.as_bytes()[from..to];
        // Not into a comment, and not behind one that ends with the line.
        let clear = gap.iter().position(|byte| *byte == b'/').unwrap_or(gap.len());
        let blank = gap[..clear].iter().position(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        if let Some(blank) = blank {
            self.replace_bytes(from + blank..from + blank + 1, ";", MaskReason::Semicolon);
            return true;
        }
        let Some(first) = gap.first() else {
            return false;
        };
        if *first == b'/' {
            // A comment starts at once: the part of it on this line goes.
            let line = gap.iter().position(|byte| *byte == b'\n').unwrap_or(gap.len());
            let block = gap.get(1) == Some(&b'*');
            let end = if block {
                self.source[from..to].find("*/").map_or(line, |at| at + 2)
            } else {
                line
            };
            if end > line || gap[..end].contains(&b'\\') {
                return false;
            }
            self.replace_bytes(from..from + end, ";", MaskReason::Semicolon);
            return true;
        }
        self.replace_bytes(from..from + 1, ";", MaskReason::Semicolon);
        true
    }
}

/// The braces that a text leaves open (negative: closes), and whether it has a loop.
fn braces_in(text: &str) -> (i64, bool) {
    let mut braces = 0;
    let mut loops = false;
    for token in tokens(text) {
        match token.text(text) {
            "{" => braces += 1,
            "}" => braces -= 1,
            "for" | "while" => loops = true,
            _ => {}
        }
    }
    (braces, loops)
}
