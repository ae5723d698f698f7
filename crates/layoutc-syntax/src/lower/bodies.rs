//! The bodies of macros, parsed on their own.

use super::fields::{FieldName, Fields};
use crate::parse::{Parsed, parse};
use crate::preprocess::{
    Activity, MacroDef, MacroId, MacroOrigin, Preprocessed, TokenKind, is_decltype, tokens,
};
use layoutc_diagnostics::{FileId, Span};
use std::collections::{BTreeSet, HashMap};
use tree_sitter::Node;

/// What stands around a body while it is parsed.
const BEFORE: &str = "void f(){";
const BEHIND: &str = "\n;}";

/// What the text of a body is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// One expression.
    Expression,
    /// Statements; the last may need the `;` of the use.
    Statements,
}

/// The body of one `#define`.
pub(crate) struct Body {
    /// The file of the `#define`.
    pub(crate) file: FileId,
    /// The body in a function of its own.
    pub(crate) text: String,
    /// Add this to a place in `text` to get the place in the file.
    pub(crate) offset: usize,
    /// The body in the file.
    pub(crate) span: Span,
    /// The whole `#define`, and the name in it.
    pub(crate) definition: Span,
    pub(crate) name: Span,
    pub(crate) form: Form,
    /// Names of the parameters that are one argument each.
    pub(crate) parameters: Vec<String>,
    /// The name of what stands for all further arguments: `__VA_ARGS__`, or GNU's `args...`.
    pub(crate) rest: Option<String>,
    parsed: Parsed,
}

impl Body {
    /// The statements of the body.
    pub(crate) fn statements(&self) -> Vec<Node<'_>> {
        statements(&self.parsed, BEFORE.len() + (self.span.end - self.span.start) as usize)
    }

    /// The expression that the body is.
    pub(crate) fn expression(&self) -> Option<Node<'_>> {
        let statement = *self.statements().first()?;
        let mut cursor = statement.walk();
        statement.named_children(&mut cursor).find(|child| child.kind() != "comment")
    }
}

/// All bodies that are expressions or statements.
pub(crate) struct Bodies {
    by_macro: HashMap<MacroId, Body>,
    /// The definition that each use in a file means, by the first byte of its name.
    uses: HashMap<(FileId, u32), MacroId>,
    /// What is used, in text or in the body of one that is.
    wanted: BTreeSet<MacroId>,
}

impl Bodies {
    /// Parses the bodies of the macros that the program uses.
    pub(crate) fn parse(preprocessed: &Preprocessed) -> Self {
        let mut uses = HashMap::new();
        for file in &preprocessed.files {
            for usage in &file.macro_uses {
                uses.insert((usage.name.file, usage.name.start), usage.def);
            }
        }
        let mut wanted: BTreeSet<MacroId> = uses.values().copied().collect();
        let mut stack: Vec<MacroId> = wanted.iter().copied().collect();
        let by_name: HashMap<&str, MacroId> =
            preprocessed.macros.iter().map(|(id, def)| (def.name.as_str(), id)).collect();
        while let Some(id) = stack.pop() {
            for word in super::pasted::identifiers(&preprocessed.macros.get(id).text) {
                if let Some(inner) =
                    by_name.get(word).copied().filter(|inner| wanted.insert(*inner))
                {
                    stack.push(inner);
                }
            }
        }
        // What handles go through must be in the model. CUDA needs no more of macros with strings than their arguments,
        // and leaves their uses alone.
        let has_handles = preprocessed.files.iter().any(|file| file.is_opencl);
        let by_macro = wanted
            .iter()
            .filter_map(|id| {
                let def = preprocessed.macros.get(*id);
                let is_host =
                    def.file.is_some_and(|file| !preprocessed.files[file.index()].is_opencl);
                Some((*id, body(preprocessed, def, has_handles && is_host)?))
            })
            .collect();
        Bodies { by_macro, uses, wanted }
    }

    /// Whether text of the program uses a macro, or the body of one that is used mentions it.
    pub(crate) fn is_used(&self, id: MacroId) -> bool {
        self.wanted.contains(&id)
    }

    /// The definition that a name in a file means.
    pub(crate) fn used_at(&self, name: Span) -> Option<MacroId> {
        self.uses.get(&(name.file, name.start)).copied()
    }

    /// Why a macro's body is not in the model.
    pub(crate) fn obstacle(&self, id: MacroId, def: &MacroDef) -> Option<&'static str> {
        if self.by_macro.contains_key(&id) {
            return None;
        }
        let found = tokens(&def.text);
        let has = |word: &str| found.iter().any(|token| token.text(&def.text) == word);
        Some(if def.origin != MacroOrigin::Source {
            "is not defined in a file of the program"
        } else if has("##") || has("%:%:") {
            "pastes tokens"
        } else if has("#") || has("%:") {
            "turns an argument into a string"
        } else if takes_types(&def.text) {
            "takes the type of an expression"
        } else if found.is_empty() {
            "stands for nothing"
        } else {
            "is no expression and no statement"
        })
    }

    /// The body of a definition.
    pub(crate) fn of(&self, id: MacroId) -> Option<&Body> {
        self.by_macro.get(&id)
    }
}

/// The body of a definition in a file; with strings made of its arguments if `is_host`.
fn body(preprocessed: &Preprocessed, def: &MacroDef, is_host: bool) -> Option<Body> {
    if def.origin != MacroOrigin::Source || def.activity != Activity::Active {
        return None;
    }
    let (span, name, file) = (def.body?, def.name_span?, def.file?);
    let found = tokens(&def.text);
    let literal = found.len() == 1 && found[0].kind != TokenKind::Identifier;
    // `decltype(a)` is the declared type of a member, and another one where that is no member any more.
    if takes_types(&def.text) || found.iter().any(|token| token.text(&def.text) == "__VA_OPT__") {
        return None;
    }
    let pastes =
        found.iter().any(|token| matches!(token.text(&def.text), "#" | "##" | "%:" | "%:%:"));
    if found.is_empty() || literal || (pastes && !is_host) {
        return None;
    }
    let (parameters, rest) = parameters(preprocessed, def)?;
    let names = || parameters.iter().chain(&rest).map(String::as_str);
    let shown = match pastes {
        true => without_strings(&def.text, &names().collect::<Vec<_>>(), rest.as_deref())?,
        false => def.text.clone(),
    };
    let offset = (span.start as usize).checked_sub(BEFORE.len())?;
    let directives = &preprocessed.files[file.index()].directives;
    let definition =
        directives.iter().map(|directive| directive.span).find(|span| span.contains(name))?;
    let text = format!("{BEFORE}{}{BEHIND}", without_splices(&shown));
    let parsed = parse(&text).ok()?;
    if parsed.tree.root_node().has_error() {
        return None;
    }
    let form = Form::Statements;
    let mut body =
        Body { file, text, offset, span, definition, name, form, parameters, rest, parsed };
    let end = BEFORE.len() + def.text.len();
    let statements = body.statements();
    let inside = statements.iter().all(|statement| statement.start_byte() < end);
    if statements.is_empty() || !inside {
        return None;
    }
    if let [only] = statements[..]
        && only.kind() == "expression_statement"
        && only.end_byte() > end
    {
        body.expression()?;
        body.form = Form::Expression;
    }
    Some(body)
}

fn takes_types(text: &str) -> bool {
    tokens(text).iter().any(|token| is_decltype(token.text(text)))
}

/// The statements of the function around a body, without the `;` behind it.
fn statements(parsed: &Parsed, end: usize) -> Vec<Node<'_>> {
    let root = parsed.tree.root_node();
    let mut cursor = root.walk();
    let functions: Vec<_> = root.named_children(&mut cursor).collect();
    let [function] = functions[..] else { return Vec::new() };
    let Some(block) = function.field(FieldName::Body) else { return Vec::new() };
    let mut cursor = block.walk();
    block
        .named_children(&mut cursor)
        .filter(|child| child.kind() != "comment")
        .filter(|child| !(child.start_byte() >= end && child.named_child_count() == 0))
        .collect()
}

/// The parameters that are one argument each, and the name of all further arguments.
fn parameters(
    preprocessed: &Preprocessed,
    def: &MacroDef,
) -> Option<(Vec<String>, Option<String>)> {
    let mut own = def.params.clone().unwrap_or_default();
    if !def.variadic {
        return Some((own, None));
    }
    let (name, body) = (def.name_span?, def.body?);
    let source = preprocessed.sources.file(name.file).text();
    let head = &source[name.end as usize..body.start as usize];
    let words = tokens(head);
    let dots = words.iter().position(|token| token.text(head) == "...")?;
    let before = words.get(dots.checked_sub(1)?)?;
    match before.kind {
        TokenKind::Identifier => {
            let rest = own.pop()?;
            Some((own, Some(rest)))
        }
        _ => Some((own, Some("__VA_ARGS__".to_owned()))),
    }
}

/// A body with a string of spaces in the place of each `#x`, and spaces for the `##` in `, ## rest`. Nothing if it pastes
/// otherwise, or is a string and no more.
fn without_strings(text: &str, names: &[&str], rest: Option<&str>) -> Option<String> {
    let found = tokens(text);
    let word = |at: usize| found.get(at).map(|token| token.text(text));
    let mut out = text.as_bytes().to_vec();
    for (at, token) in found.iter().enumerate() {
        let range = token.start as usize..token.end as usize;
        match token.text(text) {
            "#" => {
                word(at + 1).filter(|name| names.contains(name))?;
                let whole = range.start..found[at + 1].end as usize;
                out[whole.clone()].fill(b' ');
                out[whole.start] = b'"';
                out[whole.end - 1] = b'"';
            }
            "##" => {
                let is_comma = at > 0 && word(at - 1) == Some(",");
                if !is_comma || rest.is_none() || word(at + 1) != rest {
                    return None;
                }
                out[range].fill(b' ');
            }
            "%:" | "%:%:" | "__VA_OPT__" => return None,
            _ => {}
        }
    }
    let text = String::from_utf8(out).ok()?;
    let is_string = tokens(&text).iter().all(|token| token.text(&text).starts_with('"'));
    (!is_string).then_some(text)
}

/// The text with the backslashes at line ends overwritten.
fn without_splices(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    for at in 0..bytes.len() {
        let rest = &bytes[at + 1..];
        if bytes[at] == b'\\' && (rest.starts_with(b"\n") || rest.starts_with(b"\r\n")) {
            out[at] = b' ';
        }
    }
    String::from_utf8(out).unwrap_or_default()
}
