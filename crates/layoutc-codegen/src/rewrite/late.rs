//! What a template finds when it is used, and text that is no template needs before it.

use super::Rewriter;
use super::instantiation::behind_list;
use super::order::FileOrder;
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::keywords::is_keyword;
use layoutc_syntax::preprocess::{Token, tokens};
use layoutc_syntax::{Function, FunctionId, Program, QualType, Record, RecordId, TemplateArgument};
use std::collections::{BTreeMap, BTreeSet};

impl Rewriter<'_> {
    /// What a function uses whose type is complete only behind a place: an instance of a template may be there, and a
    /// function may not.
    pub(super) fn late_type(&self, id: FunctionId, place: Span, order: &FileOrder) -> Option<Span> {
        let program = self.program;
        let is_behind =
            |id: RecordId| program.record(id).body.is_some_and(|body| order.is_behind(body, place));
        let is_late = |ty: QualType| {
            let ty = program.types.strip_reference(ty);
            program.types.as_record(ty.id).is_some_and(|id| {
                let arguments = program.record(id).instance.iter().flat_map(|own| &own.arguments);
                is_behind(id)
                    || arguments.into_iter().any(|argument| match argument {
                        TemplateArgument::Type(ty) => {
                            program.types.as_record(ty.id).is_some_and(is_behind)
                        }
                        TemplateArgument::Value(..) => false,
                    })
            })
        };
        let parts = program.function_parts(id);
        let mut variables = parts.variables.iter().map(|id| program.variable(*id));
        let mut exprs = parts.exprs.iter().map(|id| program.expr(*id));
        let late = variables.find(|own| is_late(own.ty)).map(|own| own.site.name);
        late.or_else(|| exprs.find(|own| is_late(own.ty)).map(|own| own.span))
    }

    /// What text that is written out of a template may use, and is defined, overloaded or specialised behind it.
    pub(super) fn uses_late(&self, order: &FileOrder, text: Span) -> Option<String> {
        let program = self.program;
        // An overload, or a function whose result is known from its body alone.
        let is_late_function = |own: &Function| {
            let is_behind = |span: Span| order.is_behind(span, text) && !text.contains(span);
            let body = own.body.map(|body| program.stmt(body).span);
            let is_overload =
                own.record.is_none() && own.sites.iter().all(|site| is_behind(site.name));
            own.copy_of.is_none()
                && (is_overload
                    || (body.is_some_and(is_behind) && has_deduced_result(program, own)))
        };
        let is_late_record = |own: &Record| {
            own.body.is_some_and(|body| {
                order.is_behind(body, text) && !text.contains(body) && !body.contains(text)
            })
        };
        let functions = program.functions.iter().filter(|own| is_late_function(own));
        let records = program.records.iter().filter(|own| is_late_record(own));
        let templates = self.templates.get_or_init(|| Templates::new(program));
        let specialised =
            templates.specialised.iter().filter(|(span, _)| order.is_behind(*span, text));
        let by_macros = templates.by_macros.iter().filter(|(span, _)| order.is_behind(*span, text));
        let late: BTreeSet<&str> = functions
            .map(|own| own.name.as_str())
            .chain(records.map(|own| own.name.as_str()))
            .chain(specialised.map(|(_, name)| name.as_str()))
            .chain(by_macros.map(|(_, name)| name.as_str()))
            .collect();
        if late.is_empty() {
            return None;
        }
        let reached = reached(program, templates, text);
        // Its own name, which it need not use.
        let own = program
            .functions
            .iter()
            .find(|own| own.sites.iter().any(|site| site.template.unwrap_or(site.span) == text));
        let late = late.into_iter().find(|name| {
            reached.contains(name)
                && own.is_none_or(|own| own.name != *name || mentions(program, text, name) > 1)
        });
        late.map(str::to_owned)
    }
}

/// The templates of the program's own files, as tokens: the model has not all of them.
#[derive(Default)]
pub(super) struct Templates {
    /// Specialisations, explicit and partial, by name.
    specialised: Vec<(Span, String)>,
    /// The text of each, by name.
    texts: BTreeMap<String, Vec<Span>>,
    /// What macros at namespace scope may declare or specialise.
    by_macros: Vec<(Span, String)>,
}

impl Templates {
    pub(super) fn new(program: &Program) -> Self {
        let mut this = Templates::default();
        for file in program.files.iter().filter(|file| file.foreign.is_none()) {
            let source = program.sources.file(file.id).text();
            let tokens = Tokens { source, all: tokens(source).into_iter().collect() };
            for start in 0..tokens.all.len() {
                if tokens.word(start) == "template" && tokens.word(start + 1) == "<" {
                    this.template_at(file.id, &tokens, start);
                }
            }
            this.macros_of(program, file.id, &tokens);
        }
        this
    }

    /// Adds the template that starts at a token.
    fn template_at(&mut self, file: FileId, tokens: &Tokens<'_>, start: usize) -> Option<()> {
        let head = tokens.behind_list(start + 1)?;
        let from = tokens.all[start].start as usize;
        // A list of parameters alone makes a function special: only classes and variables are in part.
        let is_explicit = tokens.word(start + 2) == ">";
        let mut at = head;
        let mut name = None;
        while at < tokens.all.len()
            && !matches!(tokens.word(at), "{" | ";" | "(" | "=" | "template")
        {
            let is_list = tokens.word(at + 1) == "<";
            let behind = is_list.then(|| tokens.behind_list(at + 1)).flatten();
            let is_special = match behind.map(|behind| tokens.word(behind)) {
                Some("{" | ":" | ";" | "=" | "final") => true,
                Some("(") => is_explicit,
                // `template <> float value(float)`
                None => is_explicit && tokens.word(at + 1) == "(",
                Some(_) => false,
            };
            if is_special {
                let span = Span::new(file, from, tokens.all[at].end as usize);
                self.specialised.push((span, tokens.word(at).to_owned()));
            }
            let is_name = matches!(tokens.word(at + 1), "(" | "{" | ":" | ";" | "=");
            name = name.or(is_name.then_some(at));
            at = behind.unwrap_or(at + 1);
        }
        let end = tokens.end_of_item(head);
        let span = Span::new(file, from, tokens.all.get(end)?.end as usize);
        self.texts.entry(tokens.word(name?).to_owned()).or_default().push(span);
        Some(())
    }

    /// Adds what the macros at namespace scope name.
    fn macros_of(&mut self, program: &Program, file: FileId, tokens: &Tokens<'_>) {
        let mut bodies: BTreeMap<&str, Vec<&layoutc_syntax::Macro>> = BTreeMap::new();
        for def in &program.macros {
            bodies.entry(&def.name).or_default().push(def);
        }
        let (mut at, mut first) = (0, 0);
        while at < tokens.all.len() {
            match tokens.word(at) {
                ";" | "}" => first = at + 1,
                "{" => {
                    let is_open =
                        (first..at).any(|at| matches!(tokens.word(at), "namespace" | "extern"));
                    if !is_open {
                        at = tokens.closing(at);
                    }
                    first = at + 1;
                }
                word if at == first => {
                    let called = tokens.word(at + 1) == "(";
                    let end = if called { tokens.closing(at + 1) } else { at };
                    for def in bodies.get(word).into_iter().flatten() {
                        let own = &tokens.all[at];
                        let span = Span::new(file, own.start as usize, own.end as usize);
                        let given = (at + 1..end).map(|at| tokens.word(at));
                        let body = def.body_identifiers.iter().map(String::as_str);
                        let names = given.chain(body).filter(|word| {
                            !is_keyword(word) && word.starts_with(|c: char| c.is_ascii_alphabetic())
                        });
                        self.by_macros.extend(names.map(|name| (span, name.to_owned())));
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// The tokens of a file.
struct Tokens<'a> {
    source: &'a str,
    all: Vec<Token>,
}

impl<'a> Tokens<'a> {
    fn word(&self, at: usize) -> &'a str {
        self.all.get(at).map_or("", |token| token.text(self.source))
    }

    fn behind_list(&self, at: usize) -> Option<usize> {
        behind_list(&|at| self.word(at), &|at| at, self.all.len(), at)
    }

    /// The bracket that closes the one at `at`, or the last token.
    fn closing(&self, at: usize) -> usize {
        let mut depth = 0usize;
        for next in at..self.all.len() {
            match self.word(next) {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return next;
            }
        }
        self.all.len().saturating_sub(1)
    }

    /// The `;` or `}` that ends a declaration.
    fn end_of_item(&self, mut at: usize) -> usize {
        while at < self.all.len() {
            match self.word(at) {
                ";" => return at,
                "{" => return self.closing(at),
                "(" | "[" => at = self.closing(at) + 1,
                _ => at += 1,
            }
        }
        self.all.len().saturating_sub(1)
    }
}

/// The words of a text, of the macros in it, and of the templates and classes that it leads to, without the parameters of
/// each.
fn reached<'p>(program: &'p Program, templates: &'p Templates, text: Span) -> BTreeSet<&'p str> {
    let mut texts: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    for (name, own) in &templates.texts {
        texts.entry(name).or_default().extend(own);
    }
    for own in program.records.iter().filter(|own| !own.is_local) {
        texts.entry(&own.name).or_default().extend(own.declaration);
    }
    // What layoutc says of a library names members and functions of the library alone.
    for own in texts.values_mut() {
        own.retain(|text| !program.is_model_text(text.file));
    }
    let mut locals: BTreeMap<FunctionId, Vec<&str>> = BTreeMap::new();
    for variable in &program.variables {
        let of = variable.function.map(|of| locals.entry(of).or_default());
        of.into_iter().for_each(|names| names.push(&variable.name));
    }
    let mut sites: Vec<(FileId, u32, FunctionId)> = program
        .function_ids()
        .flat_map(|id| {
            let own = program.function(id).sites.iter();
            own.map(move |site| (site.span.file, site.span.start, id))
        })
        .collect();
    sites.sort_unstable();
    // Members of a class and what a function declares hide other functions from them.
    let hidden = |span: Span| {
        let first = sites.partition_point(|(file, at, _)| (*file, *at) < (span.file, span.start));
        let within =
            sites[first..].iter().take_while(|(file, at, _)| (*file, *at) < (span.file, span.end));
        let own = within.flat_map(|(_, _, id)| locals.get(id).into_iter().flatten().copied());
        let around = program.records.iter().filter(|own| {
            let own = own.declaration.or(own.body);
            own.is_some_and(|own| {
                own.file == span.file && own.start < span.end && span.start < own.end
            })
        });
        let members = around.flat_map(|own| {
            let methods = own.methods.iter().map(|id| program.function(*id).name.as_str());
            let fields = own.fields.iter().map(|id| program.field(*id).name.as_str());
            let instance = own.instance.as_ref().and_then(|own| own.definition.as_ref());
            let parameters = instance.into_iter().flat_map(|(names, _)| names);
            methods.chain(fields).chain(parameters.map(String::as_str))
        });
        own.chain(members).collect::<BTreeSet<&str>>()
    };
    let words = |span: Span| {
        let (parameters, hidden) = (parameters(program.sources.text(span)), hidden(span));
        let own = program.words_below(span).into_iter();
        let own = own.filter(move |word| !parameters.contains(*word) && !hidden.contains(*word));
        // `f.run(a)` where `run` is a template.
        let called = members(program.sources.text(span)).into_iter();
        own.chain(called.filter(|word| templates.texts.contains_key(*word)))
    };
    let mut found = BTreeSet::new();
    let mut left: Vec<&str> = words(text).collect();
    // What `for (auto a : b)` and `auto [a, b] = c` call.
    if left.contains(&":") && left.contains(&"for") {
        left.extend(["begin", "end"]);
    }
    if left.contains(&"auto") && left.contains(&"[") {
        left.extend(["get", "tuple_size", "tuple_element"]);
    }
    while let Some(word) = left.pop() {
        if found.insert(word) {
            let own = texts.remove(word).unwrap_or_default();
            left.extend(own.into_iter().flat_map(words));
        }
    }
    found
}

/// The names of a template's parameters, of the head that the text begins with.
fn parameters(text: &str) -> BTreeSet<&str> {
    let tokens = Tokens { source: text, all: tokens(text).into_iter().collect() };
    if tokens.word(0) != "template" || tokens.word(1) != "<" {
        return BTreeSet::new();
    }
    let end = tokens.behind_list(1).unwrap_or(0);
    let is_end = |at: &usize| matches!(tokens.word(*at), "," | ">" | "=");
    (2..end).filter(is_end).map(|at| tokens.word(at - 1)).collect()
}

/// The names of members that a text uses.
fn members(text: &str) -> BTreeSet<&str> {
    let all: Vec<Token> = tokens(text).into_iter().collect();
    let word = |token: &Token| token.text(text);
    let is_member = |pair: &&[Token]| matches!(word(&pair[0]), "." | "->");
    all.windows(2).filter(is_member).map(|pair| word(&pair[1])).collect()
}

/// How often a text has a word.
fn mentions(program: &Program, text: Span, word: &str) -> usize {
    let source = program.sources.text(text);
    tokens(source).into_iter().filter(|token| token.text(source) == word).count()
}

/// Whether a function's result is known only from its body.
fn has_deduced_result(program: &Program, function: &Function) -> bool {
    function.sites.iter().any(|site| {
        let head = Span { end: site.name.start, ..site.template.unwrap_or(site.span) };
        program.words_below(head).contains(&"auto")
    })
}
