//! Options of `clBuildProgram`: the macros that they define in the text of kernels.

use super::handles::{Follow, member_call, strip_text};
use crate::classes::operands::is_null;
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExprId, ExprKind, NameRef, Program, TypeKind};
use std::collections::BTreeSet;

/// The options that kernels are built with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BuildOptions {
    /// Macros that they define, as far as they are literals.
    pub names: BTreeSet<String>,
    /// Whether each call that builds kernels is seen, with options that are literals.
    pub are_known: bool,
}

impl BuildOptions {
    /// Whether a name may be a macro where the kernels are built.
    #[must_use]
    pub fn may_define(&self, name: &str) -> bool {
        !self.are_known || self.names.contains(name)
    }
}

/// What the calls say, while they are followed.
#[derive(Default)]
pub(super) struct Builds {
    seen: BTreeSet<ExprId>,
    texts: Vec<Option<String>>,
}

/// Position of the options in the arguments of a function that builds kernels.
fn options_of(name: &str) -> Option<usize> {
    matches!(name, "clBuildProgram" | "clCompileProgram").then_some(3)
}

impl Follow<'_> {
    /// A call of a function of OpenCL that may build kernels.
    pub(super) fn build(&mut self, at: Option<usize>, call: ExprId, name: &str) {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return };
        let Some(position) = options_of(name) else { return };
        let text = arguments.get(position).and_then(|options| self.options_text(at, *options, 0));
        self.builds.seen.insert(call);
        self.builds.texts.push(text);
    }

    /// A call of `program.build(devices, options)`.
    pub(super) fn build_of_cpp(&mut self, at: Option<usize>, call: ExprId, name: &str) {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return };
        if !matches!(name, "build" | "compile") {
            return;
        }
        let text = match arguments.as_slice() {
            [] => Some(String::new()),
            [only] => self.options_text(at, *only, 0).or_else(|| self.devices(*only)),
            [_, options, ..] => self.options_text(at, *options, 0),
        };
        self.builds.seen.insert(call);
        self.builds.texts.push(text);
    }

    /// No options, if the only argument is a list of devices.
    fn devices(&self, id: ExprId) -> Option<String> {
        let program = self.program;
        let is_list = match program.types.kind(program.expr(id).ty.id) {
            TypeKind::Named(name, _) => name.contains("vector"),
            _ => matches!(program.expr(id).kind, ExprKind::InitList(_)),
        };
        is_list.then(String::new)
    }

    /// The value of options that are literals.
    fn options_text(&self, at: Option<usize>, id: ExprId, depth: usize) -> Option<String> {
        let program = self.program;
        let (place, own) = self.resolved(at, strip_text(program, id));
        let own = strip_text(program, own);
        if is_null(program, own) {
            return Some(String::new());
        }
        match &program.expr(own).kind {
            ExprKind::Literal => joined(program.text(program.expr(own).span)),
            ExprKind::Conditional(_, yes, no) if depth < 16 => {
                let yes = self.options_text(place, *yes, depth + 1)?;
                Some(format!("{yes} {}", self.options_text(place, *no, depth + 1)?))
            }
            _ => None,
        }
    }

    /// All that is said of the options when all calls are followed.
    pub(super) fn build_options(&self) -> BuildOptions {
        let program = self.program;
        let mut options =
            BuildOptions { are_known: !self.builds.texts.is_empty(), ..BuildOptions::default() };
        let mut called: BTreeSet<ExprId> = BTreeSet::new();
        for id in program.expr_ids() {
            if let ExprKind::Call { callee, .. } = program.expr(id).kind {
                let callee = program.strip_parens(callee);
                let is_method = matches!(member_call(program, id), Some((_, "build" | "compile")));
                let may_build = builds(program, callee) || is_method;
                let is_open = may_build && !self.builds.seen.contains(&id);
                options.are_known &= !is_open;
                called.insert(callee);
            }
        }
        // Whoever is given the function may call it.
        let mut others = program.expr_ids().filter(|id| !called.contains(id));
        options.are_known &= !others.any(|id| builds(program, id));
        for text in &self.builds.texts {
            let names = text.as_deref().and_then(macros_of);
            options.are_known &= names.is_some();
            options.names.extend(names.into_iter().flatten());
        }
        options
    }
}

/// Whether an expression names a function of OpenCL that builds kernels.
fn builds(program: &Program, id: ExprId) -> bool {
    matches!(&program.expr(id).kind, ExprKind::Name(NameRef::Unknown(name)) if options_of(name).is_some())
}

/// The value of string literals one behind the other, without escapes.
fn joined(text: &str) -> Option<String> {
    let mut out = String::new();
    for token in tokens(text) {
        let inner = token.text(text).strip_prefix('"')?.strip_suffix('"')?;
        if token.kind != TokenKind::String || inner.contains('\\') {
            return None;
        }
        out.push_str(inner);
    }
    Some(out)
}

/// The macros that options define; none if they say it in a way that is not known.
fn macros_of(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let Some(definition) = word.trim_start_matches(['\'', '"']).strip_prefix("-D") else {
            continue;
        };
        let definition = if definition.is_empty() { words.next()? } else { definition };
        let definition = definition.trim_start_matches(['\'', '"']);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = definition.find(|c| !is_word(c)).unwrap_or(definition.len());
        let name = definition.get(..end).filter(|name| !name.is_empty())?;
        found.push(name.to_owned());
    }
    Some(found)
}
