//! Text outside the model pins the classes whose names it mentions.

use super::slots::Slot;
use super::{ClassId, Classes, Pin};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::TokenKind;
use layoutc_syntax::{
    ExprKind, FunctionId, NameRef, Program, RecordId, RecordTrait, RegionKind, StmtId, StmtKind,
    Storage, UnmodelledRegion,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a name means by which a class can be mentioned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// The element type, or an alias of it.
    Type,
    /// What `.` and `->` reach: a field, or a function or variable of a class.
    Member,
    /// A global or a function: a name that a parameter can hide.
    Everywhere,
    /// A function that takes the array.
    Function,
    /// A member function that takes it.
    Method,
    /// A local variable or parameter, in this text of its function.
    Local(Span),
}

/// The names of all classes.
#[derive(Default)]
struct Names {
    by_name: BTreeMap<String, Vec<(ClassId, Role)>>,
}

/// By class that a text mentions: the name.
type Mentioned<'a> = BTreeMap<ClassId, &'a str>;

/// What templates do with members of types that nobody may have bound: text outside the model can
/// instantiate them.
struct TemplateTexts<'a> {
    by_name: BTreeMap<&'a str, TemplateText<'a>>,
}

#[derive(Default)]
struct TemplateText<'a> {
    /// Names behind `.` and `->`.
    members: BTreeSet<&'a str>,
    words: BTreeSet<&'a str>,
}

impl<'a> TemplateTexts<'a> {
    fn new(program: &'a Program) -> Self {
        let mut this = TemplateTexts { by_name: BTreeMap::new() };
        for function in &program.functions {
            if function.copy_of.is_none() && !function.template_parameters.is_empty() {
                let sites = function.sites.iter().map(|site| site.span);
                let owner = function.record.map_or(&function.name, |id| &program.record(id).name);
                this.add(program, owner, sites);
            }
        }
        for record in &program.records {
            let is_template =
                record.traits.iter().any(|(which, _)| *which == RecordTrait::Template);
            if is_template && record.instance.is_none() {
                this.add(program, &record.name, record.body.into_iter());
            }
        }
        this
    }

    fn add(&mut self, program: &'a Program, name: &'a str, spans: impl Iterator<Item = Span>) {
        let own = self.by_name.entry(name).or_default();
        for span in spans {
            let text = program.text(span);
            let mut before = "";
            for token in layoutc_syntax::preprocess::tokens(text) {
                let word = token.text(text);
                if token.kind == TokenKind::Identifier {
                    own.words.insert(word);
                    if matches!(before, "." | "->" | "::") {
                        own.members.insert(word);
                    }
                }
                before = word;
            }
        }
    }

    /// The members that text with these identifiers may reach through templates that it names.
    fn reached(&self, identifiers: &BTreeSet<String>) -> impl Iterator<Item = &'a str> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut members = BTreeSet::new();
        let mut stack: Vec<&str> = identifiers.iter().map(String::as_str).collect();
        while let Some(name) = stack.pop() {
            if !seen.insert(name) {
                continue;
            }
            if let Some(text) = self.by_name.get(name) {
                members.extend(text.members.iter().copied());
                stack.extend(&text.words);
            }
        }
        members.into_iter()
    }
}

/// Parameters and local variables, where they are visible.
struct LocalNames<'a> {
    /// Where each name means that variable, in the order of the starts.
    scopes: BTreeMap<layoutc_diagnostics::FileId, Vec<(Span, &'a str)>>,
}

impl<'a> LocalNames<'a> {
    fn new(program: &'a Program) -> Self {
        let mut scopes: BTreeMap<_, Vec<(Span, &str)>> = BTreeMap::new();
        if !program.regions.iter().any(|region| region.kind == RegionKind::Inactive) {
            return LocalNames { scopes };
        }
        for variable in &program.variables {
            let Some(function) = variable.function.map(|id| program.function(id)) else { continue };
            let is_parameter = matches!(variable.storage, Storage::Parameter { .. });
            let Some(body) = function.body.filter(|_| is_parameter && function.copy_of.is_none())
            else {
                continue;
            };
            let span = program.stmt(body).span;
            scopes.entry(span.file).or_default().push((span, &variable.name));
        }
        // A declaration among the statements of a block means that variable up to the block's end.
        let mut declare = |statement: StmtId, within: Span| {
            let StmtKind::Declaration(_, variables) = &program.stmt(statement).kind else { return };
            let span = Span { start: program.stmt(statement).span.end, ..within };
            for variable in variables {
                let variable = program.variable(*variable);
                if variable.record.is_none() && !variable.is_extern {
                    scopes.entry(span.file).or_default().push((span, &variable.name));
                }
            }
        };
        for id in program.stmt_ids() {
            let statement = program.stmt(id);
            match &statement.kind {
                StmtKind::Block(statements) => {
                    statements.iter().for_each(|inner| declare(*inner, statement.span));
                }
                StmtKind::For { init: Some(init), .. } => declare(*init, statement.span),
                _ => {}
            }
        }
        LocalNames { scopes }
    }

    /// The names that mean nothing at namespace scope in this text: those of local variables and
    /// parameters around it, and those that stand behind `.` and `->` only.
    fn hiding(&self, program: &'a Program, span: Span) -> BTreeSet<&'a str> {
        let around = self.scopes.get(&span.file).into_iter().flatten();
        let around = around.filter(|(scope, _)| scope.contains(span)).map(|(_, name)| *name);
        let text = program.text(span);
        let (mut free, mut members) = (BTreeSet::new(), BTreeSet::new());
        let mut before = "";
        for token in layoutc_syntax::preprocess::tokens(text) {
            let word = token.text(text);
            match (token.kind, before) {
                // `::name` looks elsewhere.
                _ if word == "::" => return BTreeSet::new(),
                (TokenKind::Identifier, "." | "->") => drop(members.insert(word)),
                (TokenKind::Identifier, _) => drop(free.insert(word)),
                _ => {}
            }
            before = word;
        }
        around.chain(members.into_iter().filter(|name| !free.contains(name))).collect()
    }
}

/// Pins classes by unparsed, inactive and unmodelled text, and by macro bodies.
pub(super) fn pin_by_regions(program: &Program, classes: &mut Classes) {
    let mut pins: Vec<(ClassId, Pin)> = Vec::new();
    let mut closed: Vec<(ClassId, Span)> = Vec::new();
    let bodies = macro_bodies(program);
    let uses = macro_uses(program);
    let templates = TemplateTexts::new(program);
    let locals = LocalNames::new(program);
    let hidden_in = |region: &UnmodelledRegion| match region.kind {
        RegionKind::Inactive => locals.hiding(program, region.span),
        // `struct name` means the type all the same.
        RegionKind::Unparsed
        | RegionKind::Unmodelled
        | RegionKind::SeveralMeanings
        | RegionKind::MacroBody => BTreeSet::new(),
    };
    let hidden: Vec<BTreeSet<&str>> = program.regions.iter().map(hidden_in).collect();
    for class in classes.ids() {
        let record = classes.class(class).element.record();
        if let Some(span) = record.and_then(|record| condition_among_members(program, record)) {
            let message = "which members there are depends on this condition".to_owned();
            let code = Code::INACTIVE_BRANCH;
            pins.push((class, Pin { span, code, message, related: Vec::new() }));
        }
    }
    // The host's side of buffers is followed by itself; its text knows nothing of the kernels'.
    let is_apart = |class: ClassId, span: Span| {
        classes.class(class).is_of_buffers && !program.files[span.file.index()].is_opencl
    };
    let names = Names::new(program, classes);
    for (region, hidden) in program.regions.iter().zip(&hidden) {
        // What foreign text can use it has a word for, and comes behind (`unseen`).
        if program.is_foreign(region.span.file) {
            continue;
        }
        let (code, what) = match region.kind {
            RegionKind::Unparsed => (Code::UNPARSED_REGION, "this text does not parse"),
            RegionKind::Unmodelled => {
                (Code::UNMODELLED_CONSTRUCT, "this construct is not modelled")
            }
            RegionKind::Inactive => (Code::INACTIVE_BRANCH, "this branch is not compiled"),
            RegionKind::SeveralMeanings => (Code::SEVERAL_MEANINGS, "this text has two meanings"),
            RegionKind::MacroBody => (Code::OPAQUE_MACRO, "this is the body of a macro"),
        };
        let mut found = names.mentioned(region, hidden);
        let reached: Vec<&str> = templates.reached(&region.identifiers).collect();
        names.collect(&mut found, reached, |role| matches!(role, Role::Member | Role::Everywhere));
        for (class, name) in found {
            if is_apart(class, region.span) {
                continue;
            }
            if region.kind == RegionKind::Inactive
                && program.closed_branches.contains(&region.span)
                && !classes.class(class).is_of_buffers
                && !program.files[region.span.file.index()].is_opencl
            {
                closed.push((class, region.span));
                continue;
            }
            let pin = Pin {
                span: first_line(program, region.span),
                code,
                message: format!("{what} and mentions `{name}`"),
                related: region.related.clone(),
            };
            pins.push((class, pin));
        }
    }
    for (name, span, function) in &uses {
        let Some(body) = bodies.get(name.as_str()) else { continue };
        let place = function.map_or(*span, |function| {
            program
                .function(function)
                .sites
                .iter()
                .map(|site| site.span)
                .find(|site| site.contains(*span))
                .unwrap_or(*span)
        });
        for (class, mentioned) in names.mentioned_by_macro(body, place) {
            if is_apart(class, *span) {
                continue;
            }
            let message = format!("the macro `{name}` mentions `{mentioned}`");
            let code = Code::OPAQUE_MACRO;
            pins.push((class, Pin { span: *span, code, message, related: Vec::new() }));
        }
    }
    for (class, pin) in pins {
        classes.classes[class.index()].pins.push(pin);
    }
    for (class, branch) in closed {
        classes.classes[class.index()].closed_branches.insert(branch);
    }
}

impl Names {
    fn new(program: &Program, classes: &Classes) -> Self {
        let mut this = Names::default();
        for class in classes.ids() {
            let own = classes.class(class);
            this.add(class, &own.element.name(program), Role::Type);
            if let Some(record) = own.element.record() {
                let aliases = program.aliases.iter();
                for (alias, ..) in
                    aliases.filter(|(_, ty, _)| program.types.mentions(ty.id, record))
                {
                    this.add(class, alias, Role::Type);
                }
            }
            for slot in &own.slots {
                this.add_slot(program, class, *slot);
            }
        }
        this
    }

    fn add(&mut self, class: ClassId, name: &str, role: Role) {
        let own = self.by_name.entry(name.to_owned()).or_default();
        if !own.contains(&(class, role)) {
            own.push((class, role));
        }
    }

    fn add_slot(&mut self, program: &Program, class: ClassId, slot: Slot) {
        match slot {
            Slot::Variable(variable) => {
                let variable = program.variable(variable);
                match (variable.storage, variable.function) {
                    (Storage::Static, None) if variable.record.is_some() => {
                        self.add(class, &variable.name, Role::Member);
                    }
                    (Storage::Static, None) => self.add(class, &variable.name, Role::Everywhere),
                    (storage, Some(function)) => {
                        let own = program.function(function);
                        if matches!(storage, Storage::Parameter { .. }) {
                            let is_method = own.record.is_some();
                            let role = if is_method { Role::Method } else { Role::Function };
                            self.add(class, &own.name, role);
                        }
                        for site in &own.sites {
                            self.add(class, &variable.name, Role::Local(site.span));
                        }
                    }
                    // A prototype's parameter: its name means nothing elsewhere.
                    (_, None) => {}
                }
            }
            Slot::Field(field) => self.add(class, &program.field(field).name, Role::Member),
            Slot::Result(function) => {
                let own = program.function(function);
                let is_method = own.record.is_some();
                let role = if is_method { Role::Member } else { Role::Everywhere };
                self.add(class, &own.name, role);
            }
        }
    }

    /// Adds the classes that a name means in an accepted role, if none before it does.
    fn collect<'a>(
        &self,
        found: &mut Mentioned<'a>,
        names: impl IntoIterator<Item = &'a str>,
        accepts: impl Fn(Role) -> bool,
    ) {
        for name in names {
            for (class, role) in self.by_name.get(name).into_iter().flatten() {
                if accepts(*role) {
                    found.entry(*class).or_insert(name);
                }
            }
        }
    }

    /// The classes that a region mentions.
    ///
    /// Text that is not compiled can use the type for arrays of its own, but not the functions
    /// that take this array: their parameters have another type then.
    fn mentioned<'a>(
        &self,
        region: &'a UnmodelledRegion,
        hidden: &BTreeSet<&str>,
    ) -> Mentioned<'a> {
        let is_inactive = region.kind == RegionKind::Inactive;
        let identifiers = || region.identifiers.iter().map(String::as_str);
        let mut found = Mentioned::new();
        if is_inactive {
            self.collect(&mut found, identifiers(), |role| role == Role::Method);
        }
        for name in identifiers() {
            let is_hidden = hidden.contains(name);
            self.collect(&mut found, [name], |role| match role {
                Role::Member => true,
                Role::Local(function) => function.overlaps(region.span),
                Role::Everywhere => !is_hidden,
                Role::Function => is_inactive && !is_hidden,
                Role::Type => !is_inactive && !is_hidden,
                Role::Method => false,
            });
        }
        found
    }

    /// The classes that a macro with these identifiers mentions where it is used in `place`.
    fn mentioned_by_macro<'a>(
        &self,
        identifiers: &'a BTreeSet<String>,
        place: Span,
    ) -> Mentioned<'a> {
        let mut found = Mentioned::new();
        self.collect(&mut found, identifiers.iter().map(String::as_str), |role| match role {
            Role::Member | Role::Everywhere => true,
            Role::Local(function) => function.overlaps(place),
            Role::Type | Role::Function | Role::Method => false,
        });
        found
    }
}

/// The first condition on which the members of a record depend.
fn condition_among_members(program: &Program, record: RecordId) -> Option<Span> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![record];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        let record = program.record(id);
        let in_method = |span: Span| {
            record.methods.iter().any(|method| {
                program.function(*method).sites.iter().any(|site| site.span.contains(span))
            })
        };
        let among = |span: &&Span| {
            record.body.is_some_and(|body| body.contains(**span)) && !in_method(**span)
        };
        if let Some(found) = program.conditions.iter().find(among) {
            return Some(*found);
        }
        stack.extend(&record.bases);
        stack.extend(record.fields.iter().filter_map(|field| {
            super::record_of(program, program.field(*field).ty).map(|(inner, _)| inner)
        }));
    }
    None
}

/// For each macro, every identifier that its expansion can hold besides its arguments.
pub(super) fn macro_bodies(program: &Program) -> BTreeMap<&str, BTreeSet<String>> {
    let mut direct: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for def in &program.macros {
        let own = direct.entry(&def.name).or_default();
        let parameters = def.parameters.as_deref().unwrap_or_default();
        own.extend(def.body_identifiers.iter().filter(|name| !parameters.contains(name)).cloned());
    }
    // Macros that use macros, and perhaps each other: only those that use one have more to say.
    let used = |name: &&str| direct.contains_key(name);
    let uses: Vec<(&str, Vec<&str>)> = direct
        .iter()
        .map(|(name, words)| (*name, words.iter().map(String::as_str).filter(used).collect()))
        .filter(|(_, inner): &(_, Vec<&str>)| !inner.is_empty())
        .collect();
    let further: Vec<(&str, BTreeSet<String>)> = uses
        .into_iter()
        .map(|(name, inner)| {
            let mut reached: BTreeSet<&str> = BTreeSet::new();
            let mut stack = inner;
            while let Some(other) = stack.pop() {
                if other != name && reached.insert(other) {
                    stack.extend(direct[other].iter().map(String::as_str).filter(used));
                }
            }
            let words = reached.into_iter().flat_map(|other| &direct[other]).cloned();
            (name, words.collect())
        })
        .collect();
    for (name, words) in further {
        direct.entry(name).or_default().extend(words);
    }
    direct
}

/// Uses of macros in expressions.
fn macro_uses(program: &Program) -> Vec<(String, Span, Option<FunctionId>)> {
    let mut functions: Vec<(Span, FunctionId)> = program
        .function_ids()
        .flat_map(|id| program.function(id).sites.iter().map(move |site| (site.span, id)))
        .collect();
    functions.sort();
    let mut uses = Vec::new();
    for id in program.expr_ids() {
        let expr = program.expr(id);
        let site = program.expr_site(id);
        let name = match &expr.kind {
            ExprKind::MacroCall { name, .. } | ExprKind::Name(NameRef::Macro(name)) => name,
            _ => continue,
        };
        // Innermost function around: functions do not nest, so the last that starts before.
        let at = functions.partition_point(|(span, _)| *span <= site);
        let function =
            functions[..at].iter().rev().find(|(span, _)| span.contains(site)).map(|(_, id)| *id);
        uses.push((name.clone(), site, function));
    }
    uses
}

fn first_line(program: &Program, span: Span) -> Span {
    let line = program.sources.file(span.file).line_range(span.start as usize);
    let end = (span.end as usize).min(line.end.max(span.start as usize));
    Span::new(span.file, span.start as usize, end)
}
