//! Macros of kernel text that `-D` options of `clBuildProgram` may define otherwise.

use super::super::regions::macro_bodies;
use super::{Buffers, element_behind, pin};
use crate::classes::Element;
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{ExprKind, FunctionId, Program, RecordId};
use std::collections::BTreeSet;

/// Words of OpenCL C (6.1, 6.11) that declarations and the generated text are made of.
const LANGUAGE: [&str; 32] = [
    "aligned",
    "bool",
    "char",
    "const",
    "constant",
    "double",
    "float",
    "for",
    "global",
    "half",
    "if",
    "inline",
    "int",
    "intptr_t",
    "kernel",
    "local",
    "long",
    "private",
    "ptrdiff_t",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "struct",
    "typedef",
    "uchar",
    "uint",
    "uintptr_t",
    "unsigned",
    "ushort",
    "void",
];

fn is_of_language(name: &str) -> bool {
    // `float4` and the like.
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.starts_with("__") || matches!(scalar, "ulong") || LANGUAGE.contains(&scalar)
}

/// Macros and aliases of types whose definition depends on what is defined already, in the texts of kernels.
fn changeable(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (file, source) in program.files.iter().zip(program.sources.iter().map(|(_, file)| file)) {
        if !file.is_opencl {
            continue;
        }
        let mut open: Vec<&str> = Vec::new();
        for line in source.text().lines() {
            let Some(directive) = line.trim_start().strip_prefix('#').map(str::trim_start) else {
                if open.iter().any(|condition| is_of_options(condition, None, source.text())) {
                    found.extend(aliases_in(line).map(str::to_owned));
                }
                continue;
            };
            let mut words = directive.split_whitespace();
            match words.next() {
                Some("if" | "ifdef" | "ifndef") => open.push(directive),
                Some("endif") => {
                    open.pop();
                }
                Some("define") => {
                    let name = words.next().unwrap_or_default();
                    let name = name.split('(').next().unwrap_or_default();
                    let is_of_options =
                        |condition: &&str| is_of_options(condition, Some(name), source.text());
                    if open.iter().any(is_of_options) {
                        found.insert(name.to_owned());
                    }
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether an option may decide a condition, around the definition of `name`.
fn is_of_options(condition: &str, name: Option<&str>, text: &str) -> bool {
    // A guard against a second inclusion has one condition for the whole header.
    let guard = condition.strip_prefix("ifndef").map(str::trim);
    let is_guard =
        guard.is_some_and(|guard| Some(guard) != name && is_defined_as_nothing(text, guard));
    // What only the compiler of kernels defines is no option.
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = condition.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    let is_side = words.all(|word| {
        matches!(
            word,
            "if" | "ifdef" | "ifndef" | "defined" | "__OPENCL_VERSION__" | "__OPENCL_C_VERSION__"
        )
    });
    !is_guard && !is_side
}

/// The names that a line makes aliases of types.
fn aliases_in(line: &str) -> impl Iterator<Item = &str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.split(';')
        .filter(move |part| part.split(|c: char| !is_word(c)).any(|word| word == "typedef"))
        .filter_map(move |part| part.split(|c: char| !is_word(c)).rfind(|word| !word.is_empty()))
        .filter(|word| !matches!(*word, "typedef" | "struct" | "union" | "enum"))
}

fn is_defined_as_nothing(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let words: Vec<&str> = directive.into_iter().flat_map(str::split_whitespace).collect();
        matches!(words.as_slice(), ["define", own] if *own == name)
    })
}

/// Where the text of a record, or of one in it, uses such a macro.
fn use_in(
    program: &Program,
    record: RecordId,
    macros: &BTreeSet<String>,
    depth: usize,
) -> Option<Span> {
    let own = program.record(record);
    if let Some(body) = own.body {
        let mut words = program.text(body).split(|c: char| !c.is_alphanumeric() && c != '_');
        if words.any(|word| macros.contains(word)) {
            return Some(own.name_span);
        }
    }
    own.fields.iter().filter(|_| depth < 16).find_map(|field| {
        let mut ty = program.field(*field).ty;
        while let layoutc_syntax::TypeKind::Array(of, _) = *program.types.kind(ty.id) {
            ty = of;
        }
        use_in(program, program.as_record(ty.id)?, macros, depth + 1)
    })
}

/// Where the head of a function uses such a macro.
fn use_in_head(program: &Program, id: FunctionId, macros: &BTreeSet<String>) -> Option<Span> {
    let function = program.function(id);
    let body = function.body.map(|body| program.stmt(body).span);
    function.sites.iter().find_map(|site| {
        let end =
            body.filter(|body| site.span.contains(*body)).map_or(site.span.end, |body| body.start);
        word_in(program, Span { end, ..site.span }, macros)
    })
}

/// A directive that begins a branch.
fn branch_in(program: &Program, span: Span) -> Option<Span> {
    let text = program.text(span);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        if directive.is_some_and(|rest| rest.starts_with("if") || rest.starts_with("el")) {
            let start = span.start as usize + at + line.len() - line.trim_start().len();
            return Some(Span::new(span.file, start, start + line.trim().len()));
        }
        at += line.len();
    }
    None
}

/// A text that mentions one of the words.
fn word_in(program: &Program, span: Span, words: &BTreeSet<String>) -> Option<Span> {
    let text = program.text(span);
    let token = tokens(text).into_iter().find(|token| words.contains(token.text(text)))?;
    let at = |offset: usize| span.start as usize + offset;
    Some(Span::new(span.file, at(token.range().start), at(token.range().end)))
}

impl Buffers {
    /// Where the text of a function uses a macro that options of `clBuildProgram` may define otherwise,
    /// perhaps through others, or has branches of which options may choose another.
    #[must_use]
    pub fn changeable_in(&self, program: &Program, function: FunctionId) -> Option<Span> {
        let sites = &program.function(function).sites;
        sites.iter().find_map(|site| {
            word_in(program, site.span, &self.changeable).or_else(|| branch_in(program, site.span))
        })
    }

    /// Keeps arrays that the value of an option or a macro in a string that is no kernel may name: that text
    /// is not rewritten.
    pub(super) fn pin_mentioned(&mut self, program: &Program) {
        let mut mentions: Vec<(Span, BTreeSet<&str>)> = Vec::new();
        for expr in program.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Literal)) {
            let text = program.text(expr.span);
            let is_part = |(_, file): (_, &layoutc_diagnostics::SourceFile)| {
                file.view().is_some_and(|view| view.of == expr.span.file)
                    && !file.text()[expr.span.range()].trim().is_empty()
            };
            let may_define = text.contains("-D") || text.contains("#define");
            if !may_define || !text.contains('"') || program.sources.iter().any(is_part) {
                continue;
            }
            // The name of what is defined is no mention.
            let values = text.split("-D").map(|part| match part.split_once('=') {
                Some((_, value)) if !part.contains("#define") => value,
                _ => part,
            });
            let is_between = |c: char| !c.is_alphanumeric() && c != '_';
            let words = values.flat_map(|value| value.split(is_between));
            mentions.push((expr.span, words.filter(|word| !word.is_empty()).collect()));
        }
        for id in self.parameters.clone() {
            let name = program.variable(id).name.as_str();
            if let Some((span, _)) = mentions.iter().find(|(_, words)| words.contains(name)) {
                let message =
                    format!("this text may mention `{name}` where kernels are built with it");
                self.pins.entry(id).or_default().push(pin(*span, Code::OPAQUE_MACRO, message));
            }
        }
    }

    /// Keeps all arrays if an option gives a word of the language another meaning: sizes and generated text mean the plain
    /// one.
    pub(super) fn pin_words(&mut self, program: &Program) {
        let Some(word) = self.options.names.iter().find(|name| is_of_language(name)) else {
            return;
        };
        let message = format!("an option of `clBuildProgram` defines `{word}`, a word of OpenCL C");
        for id in self.parameters.clone() {
            let span = program.variable(id).site.name;
            self.pins.entry(id).or_default().push(pin(span, Code::OPAQUE_MACRO, message.clone()));
        }
    }

    /// Keeps arrays whose elements may be others once the kernels are built.
    pub(super) fn pin_changeable(&mut self, program: &Program) {
        let direct = changeable(program);
        if direct.is_empty() {
            return;
        }
        let mut macros = direct;
        loop {
            let before = macros.len();
            for (name, words) in macro_bodies(program) {
                if words.iter().any(|word| macros.contains(word)) {
                    macros.insert(name.to_owned());
                }
            }
            if macros.len() == before {
                break;
            }
        }
        for id in self.parameters.clone() {
            let found = element_behind(program, id).and_then(|element| match element {
                // Numbers have the type that the kernel's head gives them.
                Element::Scalar(_) | Element::Vector(_) => {
                    use_in_head(program, program.variable(id).function?, &macros)
                }
                Element::Record(record) => use_in(program, record, &macros, 0),
            });
            if let Some(span) = found {
                let message = "its members depend on a macro that an option of `clBuildProgram` may define otherwise";
                self.pins.entry(id).or_default().push(pin(span, Code::INACTIVE_BRANCH, message));
            }
        }
        self.changeable = macros;
    }
}
