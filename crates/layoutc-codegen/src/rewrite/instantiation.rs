//! Whether a place comes before everything that may instantiate a class template.
//!
//! An explicit specialisation must be declared before the first use that would instantiate the
//! template for the same arguments. Uses are found by name, in every compilation: in front of the
//! place, no text but that of templates may name the class template, an alias or macro that leads
//! to it, or a template that mentions it.

use super::order::FileOrder;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::preprocess::{Token, TokenKind, tokens_and_lines};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, NameRef, Program, RecordId, RecordTrait};
use std::collections::BTreeSet;
use std::ops::Range;

const EARLY: &str = "the text of this class template would change, and it may be used before there is a place for that";
const NAMED: &str = "the text of this class template would change, and a template that uses it has uses that are not modelled";
pub(super) const MEANING: &str = "the text of this class template would change behind declarations that could give it another meaning";

/// Why the specialisation for `record` cannot stand behind `anchor`, with the words of its text.
pub(super) fn obstacle(
    program: &Program,
    order: &FileOrder,
    record: RecordId,
    anchor: Span,
    words: &BTreeSet<String>,
) -> Option<&'static str> {
    let own = program.record(record);
    let (_, definition) = own.instance.as_ref()?.definition.as_ref()?;
    // The text of an owner of the library names members and functions of the library alone.
    let is_owner = program.is_modelled_owner(record);
    for unit in order.units() {
        let holds = |(file, range): &(FileId, Range<usize>), span: Span| {
            *file == span.file && range.start <= span.end as usize && span.end as usize <= range.end
        };
        if !unit.iter().any(|piece| holds(piece, *definition)) {
            continue;
        }
        let end = unit.iter().position(|piece| holds(piece, anchor));
        let texts: Vec<Text> =
            unit.iter().map(|(file, range)| Text::new(program, *file, range.clone())).collect();
        let names = names(program, &own.name, &texts);
        if named_templates(program).iter().any(|name| names.contains(name)) {
            return Some(NAMED);
        }
        // An owner of the library has many instances. In front of the place nothing can mean this one that does not name the
        // type behind which it stands.
        let behind =
            program.record_ids().find(|own| program.record(*own).declaration == Some(anchor));
        let (names, limit_there) = match behind.filter(|_| is_owner) {
            Some(own) => (BTreeSet::from([program.spelled_name(own)]), anchor.start as usize),
            None => (names, anchor.end as usize),
        };
        let last = end.unwrap_or(texts.len() - 1);
        for (at, text) in texts.iter().enumerate().take(last + 1) {
            let limit = match end {
                Some(end) if end == at => limit_there,
                _ => usize::MAX,
            };
            if !program.is_model_text(text.file) && text.uses(&names, limit) {
                return Some(EARLY);
            }
        }
    }
    let may_mean_more = || changes_meaning(program, order, (*definition, anchor), words);
    (!is_owner && may_mean_more()).then_some(MEANING)
}

/// Function templates that the program names as such, other than in templates: their instances are
/// not in the model.
fn named_templates(program: &Program) -> BTreeSet<&str> {
    let is_open = |id: FunctionId| {
        let function = program.function(id);
        function.copy_of.is_none()
            && (!function.template_parameters.is_empty()
                || function.record.is_some_and(|record| {
                    let record = program.record(record);
                    record.instance.is_none()
                        && record.traits.iter().any(|(which, _)| *which == RecordTrait::Template)
                }))
    };
    let in_templates: BTreeSet<ExprId> = program
        .function_ids()
        .filter(|id| is_open(*id))
        .flat_map(|id| program.function_parts(id).exprs)
        .collect();
    program
        .expr_ids()
        .filter(|id| !in_templates.contains(id))
        .filter_map(|id| match &program.expr(id).kind {
            ExprKind::Name(NameRef::Functions(functions)) => Some(functions),
            _ => None,
        })
        .flatten()
        .filter(|id| is_open(**id))
        .map(|id| program.function(*id).name.as_str())
        .collect()
}

/// Whether a macro, a `using` or a declaration between two places could change what the words mean.
pub(super) fn changes_meaning(
    program: &Program,
    order: &FileOrder,
    (from, to): (Span, Span),
    words: &BTreeSet<String>,
) -> bool {
    let holds = |(file, range): &(FileId, Range<usize>), span: Span| {
        *file == span.file && range.start <= span.end as usize && span.end as usize <= range.end
    };
    order.units().any(|unit| {
        let (Some(first), Some(last)) = (
            unit.iter().position(|piece| holds(piece, from)),
            unit.iter().position(|piece| holds(piece, to)),
        ) else {
            return false;
        };
        unit.iter().enumerate().take(last + 1).skip(first).any(|(at, (file, range))| {
            let start = if at == first { from.end as usize } else { range.start };
            let end = if at == last { to.end as usize } else { range.end };
            if end <= start {
                return false;
            }
            gives_meaning(program, *file, start..end, words)
        })
    })
}

/// Whether a macro, a `using` or a declaration in a text could give the words a meaning.
pub(super) fn gives_meaning(
    program: &Program,
    file: FileId,
    range: Range<usize>,
    words: &BTreeSet<String>,
) -> bool {
    let text = Text::new(program, file, range.clone());
    text.has_pragma
        || text.macros.iter().any(|(_, name)| words.contains(*name))
        || text.usings.iter().any(|name| name.is_none_or(|name| words.contains(name)))
        || text.introduces(program, words)
        || declared(program).any(|(span, name)| {
            span.file == file && range.contains(&(span.start as usize)) && words.contains(name)
        })
}

/// What is declared at file scope.
pub(super) fn declared(program: &Program) -> impl Iterator<Item = (Span, &str)> {
    let functions =
        program.functions.iter().filter(|function| function.record.is_none()).flat_map(
            |function| function.sites.iter().map(|site| (site.name, function.name.as_str())),
        );
    let variables = program
        .variables
        .iter()
        .filter(|variable| {
            variable.storage == layoutc_syntax::Storage::Static && variable.function.is_none()
        })
        .map(|variable| (variable.site.name, variable.name.as_str()));
    let records = program
        .records
        .iter()
        .filter(|record| !record.is_local && record.instance.is_none())
        .map(|record| (record.name_span, record.name.as_str()));
    let aliases = program.aliases.iter().map(|(name, _, span)| (*span, name.as_str()));
    functions.chain(variables).chain(records).chain(aliases)
}

/// The names that lead to a class template.
fn names<'a>(program: &'a Program, template: &'a str, texts: &[Text<'a>]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::from([template]);
    loop {
        let before = names.len();
        for def in &program.macros {
            if def.body_identifiers.iter().any(|word| names.contains(word.as_str())) {
                names.insert(&def.name);
            }
        }
        for text in texts {
            for part in &text.templates {
                if part.words.iter().any(|word| names.contains(word)) {
                    names.extend(declared_in(program, text.file, &part.span));
                    names.extend(part.aliases.iter().copied());
                }
            }
        }
        if names.len() == before {
            return names;
        }
    }
}

/// The functions and classes that a piece of text declares.
fn declared_in<'a>(
    program: &'a Program,
    file: FileId,
    range: &Range<usize>,
) -> impl Iterator<Item = &'a str> {
    let range = range.clone();
    let inside = move |span: Span| span.file == file && range.contains(&(span.start as usize));
    let is_inside = inside.clone();
    let functions = program
        .functions
        .iter()
        .filter(move |function| {
            function.record.is_none() && function.sites.iter().any(|site| is_inside(site.name))
        })
        .map(|function| function.name.as_str());
    let records = program
        .records
        .iter()
        .filter(move |record| inside(record.name_span))
        .map(|record| record.name.as_str());
    functions.chain(records)
}

/// A piece of a file as tokens, divided into templates and the rest.
pub(super) struct Text<'a> {
    file: FileId,
    range: Range<usize>,
    source: &'a str,
    tokens: Vec<Token>,
    templates: Vec<Template<'a>>,
    /// Macros that are defined or undefined, and where.
    macros: Vec<(usize, &'a str)>,
    /// The names that a `using` brings in; nothing where it brings in all of a scope.
    usings: Vec<Option<&'a str>>,
    /// Whether a pragma saves or restores a macro.
    has_pragma: bool,
    /// Which tokens belong to directives.
    directives: Vec<bool>,
}

/// The text of a template.
struct Template<'a> {
    span: Range<usize>,
    /// Its tokens.
    tokens: Range<usize>,
    words: BTreeSet<&'a str>,
    parameters: BTreeSet<&'a str>,
    /// What it declares with `using`.
    aliases: Vec<&'a str>,
}

impl<'a> Text<'a> {
    pub(super) fn new(program: &'a Program, file: FileId, range: Range<usize>) -> Self {
        let whole = program.sources.file(file).text();
        let range = range.start.min(whole.len())..range.end.min(whole.len());
        let source = whole.get(range.clone()).unwrap_or_default();
        let tokens = tokens_and_lines(source);
        let mut this = Text {
            file,
            range,
            source,
            directives: vec![false; tokens.len()],
            tokens,
            templates: Vec::new(),
            macros: Vec::new(),
            usings: Vec::new(),
            has_pragma: false,
        };
        this.find_directives();
        this.find_usings();
        let mut at = 0;
        while at < this.tokens.len() {
            at = match this.template_at(at) {
                Some(end) => end,
                None => at + 1,
            };
        }
        this
    }

    /// The identifiers of the text.
    pub(super) fn words(&self) -> impl Iterator<Item = &'a str> {
        let is_word = |token: &&Token| token.kind == TokenKind::Identifier;
        self.tokens.iter().filter(is_word).map(|token| token.text(self.source))
    }

    /// The macros that it defines or undefines.
    pub(super) fn macros(&self) -> impl Iterator<Item = &'a str> {
        self.macros.iter().map(|(_, name)| *name)
    }

    /// Whether it brings in all of a scope.
    pub(super) fn opens_namespaces(&self) -> bool {
        self.usings.contains(&None)
    }

    fn word(&self, at: usize) -> &'a str {
        match self.tokens.get(at) {
            Some(token) if token.kind != TokenKind::Newline => token.text(self.source),
            _ => "",
        }
    }

    fn find_directives(&mut self) {
        let mut is_first = true;
        let mut at = 0;
        while at < self.tokens.len() {
            if self.tokens[at].kind == TokenKind::Newline {
                is_first = true;
            } else if is_first && self.word(at) == "#" {
                if matches!(self.word(at + 1), "define" | "undef") {
                    let start = self.range.start + self.tokens[at].start as usize;
                    self.macros.push((start, self.word(at + 2)));
                }
                self.has_pragma |= self.word(at + 1) == "pragma"
                    && matches!(self.word(at + 2), "push_macro" | "pop_macro");
                while at < self.tokens.len() && self.tokens[at].kind != TokenKind::Newline {
                    self.directives[at] = true;
                    at += 1;
                }
                continue;
            } else {
                is_first = false;
            }
            at += 1;
        }
    }

    /// `using namespace a;`, `using a::b;` and `using enum a;`, but not `using b = a;`.
    fn find_usings(&mut self) {
        for start in 0..self.tokens.len() {
            if self.directives[start] || self.word(start) != "using" {
                continue;
            }
            let mut at = self.next(start + 1);
            let is_whole = matches!(self.word(at), "namespace" | "enum");
            let mut last = "";
            while !matches!(self.word(at), ";" | "=" | "") {
                last = self.word(at);
                at = self.next(at + 1);
            }
            if self.word(at) == ";" {
                self.usings.push((!is_whole).then_some(last));
            }
        }
    }

    /// Whether text at namespace scope may declare one of the words, or something without a name that other text uses.
    ///
    /// What comes in front of a name, of `::`, `*`, `&`, `<` or `>` is a type that is used; parameters hide nothing.
    fn introduces(&self, program: &Program, words: &BTreeSet<String>) -> bool {
        // Macros may declare anything that they name.
        let expands_to = |name: &str| {
            program.macros.iter().filter(|def| def.name == name).any(|def| {
                let mut body = def.body_identifiers.iter();
                body.any(|word| !word.starts_with("__") && words.contains(word))
            })
        };
        let mut at = self.next(0);
        // The first token since the last `;`, `{` or `}`, and how many brackets are open.
        let (mut first, mut depth) = (at, 0usize);
        while at < self.tokens.len() {
            let (word, next) = (self.word(at), self.next(at + 1));
            match word {
                ";" | "}" => (first, depth) = (next, 0),
                // `(*name)`, or the arguments of a macro, are no parameters.
                "(" if !matches!(self.word(next), "*" | "&") && at != self.next(first + 1) => {
                    depth += 1;
                }
                ")" => depth = depth.saturating_sub(1),
                "template" if self.word(next) == "<" => {
                    if let Some(behind) = self.behind_list(next) {
                        at = behind;
                        continue;
                    }
                }
                "{" => {
                    let head = || (first..at).map(|inside| self.word(inside));
                    let is_open = head().any(|word| matches!(word, "namespace" | "enum"))
                        || (head().any(|word| word == "extern")
                            && head().any(|word| word.starts_with('"')));
                    if !is_open {
                        at = self.closing(at);
                        // Behind the body of a class, names may follow.
                        (first, depth) = (at, 0);
                        continue;
                    }
                    (first, depth) = (next, 0);
                }
                "_Pragma" => return true,
                "operator" if self.word(next).starts_with('"') => return true,
                _ if depth > 0 || self.tokens[at].kind != TokenKind::Identifier => {}
                _ if expands_to(word) => return true,
                _ if words.contains(word) => {
                    let is_used = self.tokens.get(next).is_some_and(|token| {
                        token.kind == TokenKind::Identifier
                            || matches!(self.word(next), "::" | "*" | "&" | "&&" | "<" | ">" | ">>")
                    });
                    let is_specialised = self.word(next) == "<"
                        && (first..at).any(|inside| self.word(inside) == "template");
                    if !is_used || is_specialised {
                        return true;
                    }
                }
                _ => {}
            }
            at = next;
        }
        false
    }

    /// The `}` that closes the `{` at `at`, or the end.
    fn closing(&self, at: usize) -> usize {
        let (mut depth, mut next) = (0usize, at);
        while next < self.tokens.len() {
            match self.word(next) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if depth == 0 {
                        return next;
                    }
                }
                _ => {}
            }
            next = self.next(next + 1);
        }
        next
    }

    /// The next token that is neither a line end nor in a directive.
    fn next(&self, mut at: usize) -> usize {
        while at < self.tokens.len()
            && (self.directives[at] || self.tokens[at].kind == TokenKind::Newline)
        {
            at += 1;
        }
        at
    }

    /// The token behind the `>` that closes the `<` at `at`.
    fn behind_list(&self, at: usize) -> Option<usize> {
        behind_list(&|at| self.word(at), &|at| self.next(at), self.tokens.len(), at)
    }

    /// Adds the names that a list of template parameters declares.
    fn parameters(&self, list: Range<usize>, found: &mut BTreeSet<&'a str>) {
        let mut last = "";
        for at in list {
            match self.word(at) {
                "," | ">" | "=" | ">>" => {
                    found.insert(last);
                    last = "";
                }
                word => last = word,
            }
        }
        found.remove("");
    }

    /// Notes the template that starts at a token; the token behind it.
    fn template_at(&mut self, start: usize) -> Option<usize> {
        if self.directives[start] || self.word(start) != "template" {
            return None;
        }
        let list = self.next(start + 1);
        // Without a list it is an explicit instantiation, with an empty one a specialisation.
        if self.word(list) != "<" || self.word(self.next(list + 1)) == ">" {
            return None;
        }
        let mut at = self.behind_list(list)?;
        let mut depth = 0usize;
        let mut aliases = Vec::new();
        loop {
            if at >= self.tokens.len() {
                return None;
            }
            match self.word(at) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" => depth = depth.checked_sub(1)?,
                "}" => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        break;
                    }
                }
                ";" if depth == 0 => break,
                "using" if depth == 0 => aliases.push(self.word(self.next(at + 1))),
                _ => {}
            }
            at = self.next(at + 1);
        }
        let mut parameters = BTreeSet::new();
        let mut words = BTreeSet::new();
        for inside in start..=at {
            if self.tokens[inside].kind == TokenKind::Identifier {
                words.insert(self.word(inside));
            }
            if self.word(inside) == "template" {
                let list = self.next(inside + 1);
                if self.word(list) == "<"
                    && let Some(end) = self.behind_list(list)
                {
                    self.parameters(list + 1..end, &mut parameters);
                }
            }
        }
        let first = self.range.start + self.tokens[start].start as usize;
        let last = self.range.start + self.tokens[at].end as usize;
        self.templates.push(Template {
            span: first..last,
            tokens: start..at + 1,
            words,
            parameters,
            aliases,
        });
        Some(at + 1)
    }

    /// Whether text in front of `limit` may instantiate one of the names.
    fn uses(&self, names: &BTreeSet<&str>, limit: usize) -> bool {
        (0..self.tokens.len()).any(|at| {
            let token = self.tokens[at];
            if self.directives[at]
                || token.kind != TokenKind::Identifier
                || self.range.start + token.start as usize >= limit
                || !names.contains(self.word(at))
            {
                return false;
            }
            let Some(part) = self.templates.iter().find(|part| part.tokens.contains(&at)) else {
                return true;
            };
            // With arguments that depend on no parameter it is instantiated in a template too.
            let list = self.next(at + 1);
            if self.word(list) != "<" {
                return false;
            }
            let Some(end) = self.behind_list(list) else { return true };
            !(list..end).any(|inside| part.parameters.contains(self.word(inside)))
        })
    }
}

/// The token behind the `>` that closes the `<` at `at`, of `count` tokens; `next` is the first at a place or behind it that
/// counts.
pub(super) fn behind_list<'a>(
    word: &impl Fn(usize) -> &'a str,
    next: &impl Fn(usize) -> usize,
    count: usize,
    mut at: usize,
) -> Option<usize> {
    let (mut angles, mut depth) = (0isize, 0isize);
    while at < count {
        match word(at) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return None,
            ")" | "]" | "}" => depth -= 1,
            "<" if depth == 0 => angles += 1,
            ">" if depth == 0 => angles -= 1,
            ">>" if depth == 0 => angles -= 2,
            ">>>" if depth == 0 => angles -= 3,
            ";" => return None,
            _ => {}
        }
        at = next(at + 1);
        if angles <= 0 {
            return Some(at);
        }
    }
    None
}
