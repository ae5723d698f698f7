//! The walk over a program: which text is active, which macro each use means.
//!
//! Two macro environments are kept side by side, the device's (`__CUDA_ARCH__` is 800) and the
//! host's (it is undefined). A file that is included again is walked again for its effect on the
//! environments; only the first walk is recorded.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use layoutc_diagnostics::{Code, Diagnostic, FileId, SourceFile, SourceSet, Span, View, ViewKind};

use super::condition::Surroundings;
use super::directive::{Directive, DirectiveKind, RawDirective, SplitFile, parse_define, split};
use super::embedded::{Embedded, is_literal, kernel_texts};
use super::foreign::{self, Foreign, Owner, Used};
use super::include::{self, Absent, Operand};
use super::lexer::{Token, TokenKind, tokens};
use super::libraries::{self, Kind, Known};
use super::macros::{Activity, MacroDef, MacroEnv, MacroId, MacroOrigin, MacroTable};
use super::mask::{ProgramNames, mask_file};
use super::meaning::{Meaning, Occurrence, fingerprint};
use super::models;
use super::predefined::{Environments, Language, TOOLKIT_WORDS, command_line, cplusplus};
use super::{
    Asked, Compilation, ForeignInclusion, InactiveRegion, IncludeDirective, LoadResult,
    PreprocessOptions, Preprocessed, PreprocessedFile, SourceLoader, UnseenHeader,
};

/// Deepest chain of includes.
const INCLUDE_DEPTH: usize = 100;
/// How often a file may be on that chain. A header may include itself on purpose, under other
/// macros each time; nobody goes deeper than this.
const SELF_INCLUDES: usize = 4;
/// Most inclusions in one compilation; headers without guards can multiply without end.
const INCLUSION_LIMIT: usize = 20_000;

/// A text token of the parsed compilation, with the macro it names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveToken {
    pub token: Token,
    pub def: Option<MacroId>,
}

/// Whether device and host see a piece of text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sides {
    device: bool,
    host: bool,
}

impl Sides {
    const BOTH: Sides = Sides { device: true, host: true };

    fn and(self, other: Sides) -> Sides {
        Sides { device: self.device && other.device, host: self.host && other.host }
    }

    fn not(self) -> Sides {
        Sides { device: !self.device, host: !self.host }
    }

    fn or(self, other: Sides) -> Sides {
        Sides { device: self.device || other.device, host: self.host || other.host }
    }

    fn any(self) -> bool {
        self.device || self.host
    }

    /// What may also be seen, if that is not certain, counts as seen by another compilation.
    fn or_perhaps(self, seen: Sides, is_uncertain: bool) -> Sides {
        Sides { host: self.host || (is_uncertain && seen.any()), ..self }
    }

    fn activity(self) -> Activity {
        if self.device {
            Activity::Active
        } else if self.host {
            Activity::Dual
        } else {
            Activity::Inactive
        }
    }
}

/// An open `#if`.
struct Group {
    outside: Sides,
    taken: Sides,
    now: Sides,
    opened_at: u32,
    /// A header that cannot be seen may decide which branch is taken.
    is_uncertain: bool,
}

#[derive(Default)]
struct FileState {
    split: Rc<SplitFile>,
    is_root: bool,
    is_cuda: bool,
    /// Whether the occurrence that is recorded is in an OpenCL C root.
    is_opencl: bool,
    /// Why the file is not part of the program, if it is not.
    foreign: Option<Foreign>,
    /// Kernel text that is an argument of a macro: no text of this program.
    kernel_text: Vec<std::ops::Range<usize>>,
    /// The occurrence that is recorded.
    first: Option<Occurrence>,
    /// What the macros used in the text expand to, by the byte of the use.
    fingerprints: HashMap<u32, u64>,
    /// By the first byte.
    meanings: BTreeMap<u32, Meaning>,
    /// Ends of the texts that a host root sees, by their first byte.
    host_text: BTreeMap<u32, u32>,
    /// The definition that the `#define` at a byte makes.
    defines: HashMap<u32, MacroId>,
    tokens: Vec<ActiveToken>,
    includes: Vec<IncludeDirective>,
    inactive: Vec<InactiveRegion>,
    directives: Vec<Directive>,
}

struct Walker<'a> {
    loader: &'a mut dyn SourceLoader,
    /// Of the root that is walked.
    options: PreprocessOptions,
    /// Whether a host compiler takes the root that is walked.
    is_host: bool,
    /// Whether that root is OpenCL C.
    is_opencl: bool,
    sources: SourceSet,
    table: MacroTable,
    files: Vec<FileState>,
    /// Files by normalised path; `None` where there is none.
    by_path: HashMap<PathBuf, Option<FileId>>,
    diagnostics: Vec<Diagnostic>,
    warned: HashSet<(FileId, u32)>,
    device: MacroEnv,
    host: MacroEnv,
    once: HashSet<FileId>,
    stack: Vec<FileId>,
    inclusions: usize,
    /// Offset of the last `#include` of the root that is walked.
    root_offset: u32,
    /// Whether that root has met a header that was not found and may define any macro.
    is_uncertain: bool,
    /// How macros begin that may be those of libraries whose text that root has met and not read.
    library_macros: BTreeSet<&'static str>,
    /// Libraries whose text is not read, by root and how their macros begin.
    libraries_met: BTreeMap<(FileId, &'static [&'static str]), UnseenHeader>,
    /// The last `#include` in a file of the program.
    our_include: Span,
    unseen: Vec<UnseenHeader>,
    /// Headers of the program that the root has entered.
    headers: BTreeSet<FileId>,
    /// Foreign files that the root has entered, in order, each time.
    foreign_entered: Vec<FileId>,
    /// Headers of libraries that are there and not read.
    libraries: HashSet<PathBuf>,
    /// Kernel texts of host files that are still to be walked.
    kernel_texts: Vec<Unit>,
    undefined: BTreeSet<String>,
}

/// The names that the options of every compilation leave undefined.
fn undefined_everywhere(units: &[Unit]) -> BTreeSet<String> {
    let mut all = units.iter().filter(|unit| unit.language != Language::OpenCl);
    let Some(first) = all.next() else { return BTreeSet::new() };
    let rest: Vec<&Unit> = all.collect();
    let names = first.options.undefines.iter();
    let names = names.filter(|name| rest.iter().all(|unit| unit.options.undefines.contains(name)));
    names.cloned().collect()
}

pub(crate) fn preprocess(
    compilations: Vec<Compilation>,
    loader: &mut dyn SourceLoader,
) -> Preprocessed {
    let mut walker = Walker {
        loader,
        options: PreprocessOptions::default(),
        is_host: false,
        is_opencl: false,
        sources: SourceSet::new(),
        table: MacroTable::default(),
        files: Vec::new(),
        by_path: HashMap::new(),
        diagnostics: Vec::new(),
        warned: HashSet::new(),
        device: MacroEnv::default(),
        host: MacroEnv::default(),
        once: HashSet::new(),
        stack: Vec::new(),
        inclusions: 0,
        root_offset: 0,
        is_uncertain: false,
        library_macros: BTreeSet::new(),
        libraries_met: BTreeMap::new(),
        our_include: Span::new(FileId(0), 0, 0),
        unseen: Vec::new(),
        headers: BTreeSet::new(),
        foreign_entered: Vec::new(),
        libraries: HashSet::new(),
        kernel_texts: Vec::new(),
        undefined: BTreeSet::new(),
    };
    let environments = Environments::new(&mut walker.table);
    let mut units: Vec<Unit> = Vec::new();
    for Compilation { path, text, options } in compilations {
        let key = include::normalize(&path);
        let language = options.language.unwrap_or_else(|| Language::of(&path));
        let known = walker.by_path.get(&key).copied().flatten();
        let id = known.unwrap_or_else(|| walker.add_file(path, key, text));
        let is_cuda = language == Language::Cuda;
        let state = &mut walker.files[id.index()];
        state.is_cuda = is_cuda && (state.is_cuda || !state.is_root);
        state.is_root = true;
        state.foreign = None;
        // A string literal that host programs include.
        let is_literal = language == Language::OpenCl && is_literal(walker.sources.file(id).text());
        if (is_literal || matches!(language, Language::C | Language::Cpp)) && known.is_none() {
            walker.options.include_dirs.clone_from(&options.include_dirs);
            walker.add_kernel_texts(id);
        }
        if is_literal {
            continue;
        }
        if !units.iter().any(|unit| unit.id == id && unit.options == options) {
            units.push(Unit { id, language, options });
        }
    }
    units.append(&mut walker.kernel_texts);
    walker.order(&mut units);
    walker.undefined = undefined_everywhere(&units);
    let mut command_lines: Vec<(Vec<(String, String)>, Definitions)> = Vec::new();
    for unit in units {
        let known = command_lines.iter().position(|(defines, _)| *defines == unit.options.defines);
        let known = known.unwrap_or_else(|| {
            let ids = command_line(&mut walker.table, &unit.options.defines);
            command_lines.push((unit.options.defines.clone(), ids));
            command_lines.len() - 1
        });
        walker.begin_root(unit, &environments, &command_lines[known].1);
    }
    // Those that were met in headers.
    while let Some(unit) = walker.kernel_texts.pop() {
        walker.begin_root(unit, &environments, &[]);
    }
    walker.finish()
}

/// The macros of a command line.
type Definitions = Vec<(String, MacroId)>;

/// A root and how it is compiled.
struct Unit {
    id: FileId,
    language: Language,
    options: PreprocessOptions,
}

impl Walker<'_> {
    fn add_file(&mut self, path: PathBuf, key: PathBuf, text: String) -> FileId {
        let split = Rc::new(split(&text));
        let id = self.sources.add(SourceFile::new(path, text));
        self.files.push(FileState { split, ..FileState::default() });
        self.by_path.insert(key, Some(id));
        id
    }

    /// Kernel texts in a file of the host's become roots.
    fn add_kernel_texts(&mut self, id: FileId) {
        let texts = kernel_texts(self.sources.file(id).text());
        self.hide_arguments(id, &texts);
        for text in texts {
            let options = PreprocessOptions {
                include_dirs: self.options.include_dirs.clone(),
                ..PreprocessOptions::default()
            };
            let id = self.add_part(View { of: id, kind: text.kind }, text.text);
            self.kernel_texts.push(Unit { id, language: Language::OpenCl, options });
        }
    }

    /// Kernel text that is the argument of a macro has no meaning in the host program.
    fn hide_arguments(&mut self, id: FileId, texts: &[Embedded]) {
        let hidden: Vec<std::ops::Range<usize>> = texts
            .iter()
            .filter(|text| text.kind == ViewKind::Argument)
            .map(|text| text.range.clone())
            .collect();
        if hidden.is_empty() {
            return;
        }
        let mut text = self.sources.file(id).text().to_owned();
        for range in &hidden {
            let blank: String = text[range.clone()]
                .bytes()
                .map(|byte| if matches!(byte, b'\n' | b'\r') { byte as char } else { ' ' })
                .collect();
            text.replace_range(range.clone(), &blank);
        }
        let state = &mut self.files[id.index()];
        state.split = Rc::new(split(&text));
        state.kernel_text = hidden;
    }

    /// Kernel text in a host program is a root of its own.
    fn add_part(&mut self, view: View, text: String) -> FileId {
        let split = Rc::new(split(&text));
        let around = self.sources.file(view.of);
        let id = self.sources.add(SourceFile::part(around, view, text));
        self.files.push(FileState { split, is_root: true, ..FileState::default() });
        id
    }

    /// CUDA roots first, then host roots, then headers; those that another root includes last.
    fn order(&mut self, units: &mut [Unit]) {
        let mut included = HashSet::new();
        for unit in &*units {
            let split = Rc::clone(&self.files[unit.id.index()].split);
            let file = self.sources.file(unit.id);
            for directive in
                split.directives.iter().filter(|found| found.kind == DirectiveKind::Include)
            {
                let Some(operand) = include::parse_operand(file.text(), &directive.operands) else {
                    continue;
                };
                let candidates = include::candidates(file.path(), &operand, &unit.options);
                let known = candidates
                    .iter()
                    .find_map(|candidate| self.by_path.get(&candidate.path).copied().flatten());
                included.extend(known.filter(|target| *target != unit.id));
            }
        }
        units.sort_by_key(|unit| (included.contains(&unit.id), unit.language, unit.id));
    }

    /// Walks a root from a fresh start.
    fn begin_root(
        &mut self,
        unit: Unit,
        environments: &Environments,
        command_line: &[(String, MacroId)],
    ) {
        let (device, host) = environments.of(unit.language);
        self.device = device.clone();
        self.host = host.clone();
        self.once.clear();
        self.inclusions = 0;
        let cplusplus = unit.options.standard.as_deref().and_then(cplusplus);
        let cplusplus = cplusplus.filter(|_| unit.language != Language::C).map(|text| {
            let def = MacroDef::synthetic("__cplusplus", text, MacroOrigin::Predefined);
            self.table.add(def)
        });
        for env in [&mut self.device, &mut self.host] {
            if let Some(id) = cplusplus {
                env.define("__cplusplus", id);
            }
            for name in &unit.options.undefines {
                env.undefine(name);
            }
            for (name, id) in command_line {
                env.define(name, *id);
            }
        }
        self.options = unit.options;
        self.root_offset = 0;
        self.is_uncertain = false;
        self.library_macros.clear();
        self.our_include = Span::new(unit.id, 0, 0);
        self.headers.clear();
        self.foreign_entered.clear();
        self.is_host = matches!(unit.language, Language::C | Language::Cpp);
        self.is_opencl = unit.language == Language::OpenCl;
        let forced = std::mem::take(&mut self.options.forced_includes);
        self.stack.push(unit.id);
        for path in &forced {
            self.forced_include(unit.id, path);
        }
        self.stack.pop();
        self.enter(unit.id, None);
    }

    /// A header of the command line: as if the first line included it.
    fn forced_include(&mut self, root: FileId, path: &Path) {
        let operand = Operand { spelled: path.display().to_string(), system: false };
        let span = Span::new(root, 0, 0);
        let Some(target) = self.resolve(root, &operand, span) else { return };
        let state = &mut self.files[root.index()];
        if !state.includes.iter().any(|known| known.span == span && known.target == Some(target)) {
            let Operand { spelled, system } = operand;
            let include = IncludeDirective {
                span,
                spelled,
                system,
                target: Some(target),
                activity: Activity::Active,
            };
            state.includes.insert(0, include);
        }
        self.enter_included(target, span, &path.display().to_string());
    }

    /// Walks a header. Foreign ones that the program includes are listed with those that they include.
    fn enter_included(&mut self, target: FileId, span: Span, spelled: &str) {
        if self.files[target.index()].foreign == Some(Foreign::Model) {
            return self.enter(target, Some(span));
        }
        let is_foreign = self.files[target.index()].foreign.is_some();
        let from = self.foreign_entered.len();
        if is_foreign {
            self.foreign_entered.push(target);
        } else {
            self.headers.insert(target);
        }
        self.enter(target, Some(span));
        if !is_foreign || self.files[span.file.index()].foreign.is_some() {
            return;
        }
        let mut files = self.foreign_entered[from..].to_vec();
        files.sort_unstable();
        files.dedup();
        let headers_before = self.headers.clone();
        let root = self.stack[0];
        // A header without a guard may come many times.
        let known = self.unseen.iter_mut().filter(|known| known.span == span && known.root == root);
        if let Some(known) = known.filter_map(|known| known.foreign.as_mut()).next() {
            known.files.extend(files);
            known.files.sort_unstable();
            known.files.dedup();
            known.headers_before.extend(headers_before);
            return;
        }
        self.unseen.push(UnseenHeader {
            span,
            spelled: spelled.to_owned(),
            root,
            root_offset: self.root_offset,
            foreign: Some(ForeignInclusion { files, headers_before, given: BTreeSet::new() }),
        });
    }

    fn enter(&mut self, id: FileId, include: Option<Span>) {
        self.stack.push(id);
        self.inclusions += 1;
        let split = Rc::clone(&self.files[id.index()].split);
        let record = self.files[id.index()].first.is_none();
        self.files[id.index()].is_opencl |= record && self.is_opencl;
        let occurrence = Occurrence { root: self.stack[0], include };
        let first = *self.files[id.index()].first.get_or_insert(occurrence);
        let mut walk = FileWalk {
            id,
            record,
            first,
            occurrence,
            groups: Vec::new(),
            now: Sides::BOTH,
            hidden_from: None,
        };
        let mut text_at = 0;
        let mut byte_at = 0;
        for directive in &split.directives {
            let gap = &split.text[text_at..directive.text_before];
            self.text(&mut walk, gap, byte_at, directive.start);
            self.directive(&mut walk, directive);
            text_at = directive.text_before;
            byte_at = directive.end;
        }
        let length = self.sources.file(id).text().len() as u32;
        self.text(&mut walk, &split.text[text_at..], byte_at, length);
        self.close_hidden(&mut walk, length);
        let is_told = record && self.is_ours(id);
        if let Some(group) = walk.groups.first().filter(|_| is_told) {
            let span = Span::new(id, group.opened_at as usize, group.opened_at as usize + 1);
            self.diagnostics.push(
                Diagnostic::warning(Code::UNPARSED_REGION, "unterminated conditional")
                    .at(span, "no `#endif` for this"),
            );
        }
        self.stack.pop();
    }

    /// Takes note of the text between two directives.
    fn text(&mut self, walk: &mut FileWalk, gap: &[Token], from: u32, to: u32) {
        let state = &mut self.files[walk.id.index()];
        let source = self.sources.file(walk.id).text();
        if self.is_host && walk.now.any() && !gap.is_empty() {
            state.host_text.insert(from, to);
        }
        if walk.record {
            if walk.now.device {
                let env = &self.device;
                for token in gap {
                    let name = Some(token)
                        .filter(|token| token.kind == TokenKind::Identifier)
                        .map(|token| token.text(source));
                    let def = name.and_then(|name| env.get(name));
                    let print = name.and_then(|name| fingerprint(&self.table, env, name));
                    state.fingerprints.extend(print.map(|print| (token.start, print)));
                    state.tokens.push(ActiveToken { token: *token, def });
                }
            }
            let dual = walk.now.host;
            match walk.hidden_from {
                Some((_, was_dual)) if !walk.now.device && was_dual == dual => {}
                _ => {
                    self.close_hidden(walk, from);
                    walk.hidden_from = Some((from, dual)).filter(|_| !walk.now.device);
                }
            }
        } else if walk.now.any() {
            let first = state.inactive.partition_point(|region| region.span.end <= from);
            for region in &mut state.inactive[first..] {
                if region.span.start >= to {
                    break;
                }
                if !region.dual && !gap.is_empty() {
                    let meaning = walk.meaning(region.span);
                    state.meanings.entry(region.span.start).or_insert(meaning);
                }
                region.dual = true;
            }
            let known = state.tokens.partition_point(|known| known.token.start < from);
            let was_active = state.tokens.get(known).is_some_and(|known| known.token.start < to);
            if walk.now.device && was_active {
                for token in gap.iter().filter(|token| token.kind == TokenKind::Identifier) {
                    let now = fingerprint(&self.table, &self.device, token.text(source));
                    if state.fingerprints.get(&token.start).copied() != now {
                        let span = Span::new(walk.id, token.start as usize, token.end as usize);
                        let meaning = walk.meaning(span);
                        state.meanings.entry(token.start).or_insert(meaning);
                    }
                }
            }
        }
    }

    /// Ends the hidden region that is open, if any, at a byte.
    fn close_hidden(&mut self, walk: &mut FileWalk, at: u32) {
        if let Some((from, dual)) = walk.hidden_from.take()
            && walk.record
        {
            // The region ends where the directive that ended it starts; `at` is behind that one.
            let state = &mut self.files[walk.id.index()];
            let ending =
                state.directives.last().map(|last| last.span).filter(|last| last.end == at);
            let end = ending.map_or(at, |last| last.start);
            if from < end {
                let span = Span::new(walk.id, from as usize, end as usize);
                state.inactive.push(InactiveRegion { span, dual });
            }
        }
    }

    fn directive(&mut self, walk: &mut FileWalk, directive: &RawDirective) {
        // The sides that see the directive itself: for `#else` and its kind, those around the group.
        let seen = match directive.kind {
            DirectiveKind::Elif
            | DirectiveKind::Elifdef
            | DirectiveKind::Elifndef
            | DirectiveKind::Else
            | DirectiveKind::Endif => walk.groups.last().map_or(walk.now, |group| group.outside),
            _ => walk.now,
        };
        let span = Span::new(walk.id, directive.start as usize, directive.end as usize);
        let state = &mut self.files[walk.id.index()];
        if walk.record {
            state.directives.push(Directive {
                kind: directive.kind,
                span,
                activity: seen.activity(),
            });
        } else if seen.any() {
            let at = state.directives.partition_point(|known| known.span.start < directive.start);
            if let Some(known) =
                state.directives.get_mut(at).filter(|known| known.activity == Activity::Inactive)
            {
                known.activity = Activity::Dual;
            }
        }
        match directive.kind {
            DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                let holds = self.condition(walk, directive, seen);
                let taken = seen.and(holds);
                let is_uncertain = self.is_undecided(walk, directive);
                let now = taken.or_perhaps(seen, is_uncertain);
                walk.groups.push(Group {
                    outside: seen,
                    taken,
                    now,
                    opened_at: directive.start,
                    is_uncertain,
                });
                walk.now = now;
            }
            DirectiveKind::Elif
            | DirectiveKind::Elifdef
            | DirectiveKind::Elifndef
            | DirectiveKind::Else => {
                let Some(group) = walk.groups.last() else {
                    return self.unbalanced(walk, span);
                };
                let open = group.outside.and(group.taken.not());
                let holds = match directive.kind {
                    DirectiveKind::Else => Sides::BOTH,
                    _ => self.condition(walk, directive, open),
                };
                let taken = open.and(holds);
                let is_undecided = self.is_undecided(walk, directive);
                let mut now = taken;
                if let Some(group) = walk.groups.last_mut() {
                    group.is_uncertain |= is_undecided;
                    now = taken.or_perhaps(group.outside, group.is_uncertain);
                    group.taken = group.taken.or(taken);
                    group.now = now;
                }
                walk.now = now;
            }
            DirectiveKind::Endif => {
                if walk.groups.pop().is_none() {
                    return self.unbalanced(walk, span);
                }
                walk.now = walk.groups.last().map_or(Sides::BOTH, |group| group.now);
            }
            DirectiveKind::Define => self.define(walk, directive),
            DirectiveKind::Undef => {
                let text = self.sources.file(walk.id).text();
                if let Some(name) = directive.operands.first().map(|token| token.text(text)) {
                    if walk.now.device {
                        self.device.undefine(name);
                    }
                    if walk.now.host {
                        self.host.undefine(name);
                    }
                }
            }
            DirectiveKind::Include => self.include(walk, directive, span),
            DirectiveKind::PragmaOnce if walk.now.any() => {
                self.once.insert(walk.id);
            }
            DirectiveKind::PragmaOnce | DirectiveKind::Pragma | DirectiveKind::Other => {}
        }
    }

    /// Whether a file is part of the program: nobody is told about others.
    fn is_ours(&self, id: FileId) -> bool {
        self.files[id.index()].foreign.is_none()
    }

    fn unbalanced(&mut self, walk: &FileWalk, span: Span) {
        if walk.record && self.is_ours(walk.id) {
            self.diagnostics.push(
                Diagnostic::warning(Code::UNPARSED_REGION, "unbalanced conditional")
                    .at(span, "there is no `#if` for this"),
            );
        }
    }

    /// The truth of a directive's condition on both sides; false where `ask` is false.
    fn condition(&mut self, walk: &FileWalk, directive: &RawDirective, ask: Sides) -> Sides {
        let text = self.sources.file(walk.id).text();
        let evaluate = |env: &MacroEnv| {
            let surroundings = Surroundings { table: &self.table, env };
            let name = directive.operands.first().map_or("", |token| token.text(text));
            match directive.kind {
                DirectiveKind::Ifdef | DirectiveKind::Elifdef => Ok(surroundings.is_defined(name)),
                DirectiveKind::Ifndef | DirectiveKind::Elifndef => {
                    Ok(!surroundings.is_defined(name))
                }
                _ => surroundings.evaluate(text, &directive.operands),
            }
        };
        let device = if ask.device { evaluate(&self.device) } else { Ok(false) };
        let host = if ask.host { evaluate(&self.host) } else { Ok(false) };
        if (device.is_err() || host.is_err()) && walk.record && self.is_ours(walk.id) {
            let span = Span::new(walk.id, directive.start as usize, directive.end as usize);
            self.diagnostics.push(
                Diagnostic::warning(Code::UNPARSED_REGION, "invalid condition")
                    .at(span, "this is no constant expression, so it counts as false"),
            );
        }
        Sides { device: device.unwrap_or(false), host: host.unwrap_or(false) }
    }

    /// Whether a header that cannot be seen may define a name that a condition asks for.
    fn is_undecided(&self, walk: &FileWalk, directive: &RawDirective) -> bool {
        let is_certain = !self.is_uncertain && self.library_macros.is_empty();
        if is_certain || directive.kind == DirectiveKind::Else {
            return false;
        }
        let is_open = |name: &str| {
            let is_keyword = matches!(name, "defined" | "true" | "false");
            // Names of compilers and systems.
            let is_undefined =
                !is_keyword && !name.starts_with('_') && self.device.get(name).is_none();
            let mut starts = self.library_macros.iter();
            is_undefined && (self.is_uncertain || starts.any(|start| name.starts_with(start)))
        };
        let text = self.sources.file(walk.id).text();
        directive.operands.iter().filter(|token| token.kind == TokenKind::Identifier).any(|token| {
            let name = token.text(text);
            let inner = self.device.get(name).map(|id| &self.table.get(id).text);
            let mut inner = inner.into_iter().flat_map(|body| {
                let inner = tokens(body).into_iter();
                inner
                    .filter(|token| token.kind == TokenKind::Identifier)
                    .map(|token| token.text(body))
            });
            is_open(name) || inner.any(is_open)
        })
    }

    fn define(&mut self, walk: &FileWalk, directive: &RawDirective) {
        let known = self.files[walk.id.index()].defines.get(&directive.start).copied();
        let id = known.or_else(|| {
            let text = self.sources.file(walk.id).text();
            let def = parse_define(text, walk.id, &directive.operands, walk.now.activity())?;
            let id = self.table.add(def);
            self.files[walk.id.index()].defines.insert(directive.start, id);
            Some(id)
        });
        let Some(id) = id else { return };
        if walk.now.any() {
            self.table.mark_dual(id);
        }
        let name = &self.table.get(id).name;
        if walk.now.device {
            self.device.define(name, id);
        }
        if walk.now.host {
            self.host.define(name, id);
        }
    }

    fn include(&mut self, walk: &FileWalk, directive: &RawDirective, span: Span) {
        let operand = self.operand(walk, directive);
        if self.stack.len() == 1 {
            self.root_offset = directive.start;
        }
        if self.is_ours(walk.id) {
            self.our_include = span;
        }
        let mut target = None;
        let mut header = String::new();
        if walk.now.any()
            && let Some(operand) = &operand
        {
            target = self.resolve(walk.id, operand, span).or_else(|| self.model(operand));
            header.clone_from(&operand.spelled);
        }
        if walk.record {
            let Operand { spelled, system } =
                operand.unwrap_or(Operand { spelled: String::new(), system: false });
            let activity = walk.now.activity();
            let state = &mut self.files[walk.id.index()];
            state.includes.push(IncludeDirective { span, spelled, system, target, activity });
        } else if target.is_some() {
            let state = &mut self.files[walk.id.index()];
            if let Some(known) = state.includes.iter_mut().find(|known| known.span == span) {
                if known.target.is_some_and(|known| Some(known) != target) {
                    let meaning = walk.meaning(span);
                    state.meanings.entry(span.start).or_insert(meaning);
                }
                known.target = known.target.or(target);
                if known.activity == Activity::Inactive {
                    known.activity = Activity::Dual;
                }
            }
        }
        let Some(target) = target.filter(|target| !self.once.contains(target)) else {
            return;
        };
        let nested = self.stack.iter().filter(|open| **open == target).count();
        let endless = nested >= SELF_INCLUDES
            || self.stack.len() >= INCLUDE_DEPTH
            || self.inclusions >= INCLUSION_LIMIT;
        if !endless {
            self.enter_included(target, span, &header);
        } else if self.is_ours(walk.id) && self.warned.insert((span.file, span.start)) {
            let message =
                if nested > 0 { "header includes itself" } else { "includes are nested too deep" };
            self.diagnostics.push(
                Diagnostic::warning(Code::NESTING_TOO_DEEP, message)
                    .at(span, "not followed any further")
                    .help("give the header an include guard or `#pragma once`"),
            );
        }
    }

    /// What an `#include` names; an object-like macro is looked up once.
    fn operand(&self, walk: &FileWalk, directive: &RawDirective) -> Option<Operand> {
        let text = self.sources.file(walk.id).text();
        include::parse_operand(text, &directive.operands).or_else(|| {
            let name = directive.operands.first()?.text(text);
            let id = self.device.get(name).or_else(|| self.host.get(name))?;
            let body = &self.table.get(id).text;
            include::parse_operand(body, &tokens(body))
        })
    }

    fn resolve(&mut self, includer: FileId, operand: &Operand, span: Span) -> Option<FileId> {
        let by_ours = self.is_ours(includer);
        let known = libraries::known(operand);
        let known = known.as_ref();
        let absent = include::absent(operand, known);
        let from = self.sources.file(includer).path();
        for include::Candidate { path, in_system_dir } in
            include::candidates(from, operand, &self.options)
        {
            if self.libraries.contains(&path) {
                self.meet_library(operand, known);
                return None;
            }
            let asked = Asked {
                path: &path,
                quoted_by_ours: by_ours && !operand.system,
                is_known: known.is_some_and(|known| known.needs_no_text(operand.system)),
                library: known.and_then(|known| known.library(&path)),
                in_system_dir,
            };
            match self.by_path.get(&path).copied() {
                Some(Some(id)) => {
                    // Another place may say that it is the program's.
                    let state = &mut self.files[id.index()];
                    if state.foreign.is_some() && self.loader.owner(&asked) == Owner::Ours {
                        state.foreign = None;
                    }
                    return Some(id);
                }
                Some(None) => continue,
                None => {}
            }
            let loaded = self.loader.load(&path);
            let owner = match loaded {
                LoadResult::Missing => Owner::Ours,
                LoadResult::Text(_) | LoadResult::NotReadable(_) => self.loader.owner(&asked),
            };
            match loaded {
                LoadResult::Missing => {
                    self.by_path.insert(path, None);
                }
                _ if owner == Owner::Library => {
                    self.libraries.insert(path);
                    self.meet_library(operand, known);
                    return None;
                }
                LoadResult::Text(text) => {
                    let id = self.add_file(path.clone(), path, text);
                    self.files[id.index()].foreign = match owner {
                        Owner::Foreign(why) => Some(why),
                        Owner::Ours | Owner::Library => None,
                    };
                    if self.is_host && owner == Owner::Ours {
                        self.add_kernel_texts(id);
                    }
                    return Some(id);
                }
                LoadResult::NotReadable(reason) if owner == Owner::Ours => {
                    self.by_path.insert(path, None);
                    let message = format!("header `{}` cannot be read: {reason}", operand.spelled);
                    self.diagnostics.push(
                        Diagnostic::warning(Code::UNREADABLE_INPUT, message)
                            .at(span, "included here"),
                    );
                    return None;
                }
                LoadResult::NotReadable(_) => {
                    self.by_path.insert(path, None);
                    self.add_unseen(operand, span);
                    return None;
                }
            }
        }
        if known.is_none()
            && let Some(spelled) = self.in_other_case(includer, operand)
        {
            return self.resolve(includer, &Operand { spelled, system: operand.system }, span);
        }
        self.meet_library(operand, known);
        // What a foreign header includes and is nowhere belongs to the system that it comes from.
        if absent == Absent::Library || !by_ours {
            return None;
        }
        let is_unseen = absent == Absent::Unknown
            || (absent == Absent::Local && self.options.missing_is_unseen);
        if is_unseen {
            self.add_unseen(operand, span);
        } else if self.warned.insert((span.file, span.start)) {
            let message = format!("cannot find header `{}`", operand.spelled);
            self.diagnostics.push(
                Diagnostic::warning(Code::MISSING_INCLUDE, message)
                    .at(span, "included here")
                    .help("name its folder with `-I`, or use `--missing-headers opaque`"),
            );
        }
        None
    }

    /// The text that says what a header means which is not read, if there is one.
    fn model(&mut self, operand: &Operand) -> Option<FileId> {
        if self.is_opencl {
            return None;
        }
        let (name, text) = models::of_header(&operand.spelled)?;
        let path = PathBuf::from(name);
        if let Some(known) = self.by_path.get(&path) {
            return *known;
        }
        let split = Rc::new(split(text));
        let id = self.sources.add(SourceFile::model(path.clone(), text));
        let foreign = Some(Foreign::Model);
        self.files.push(FileState { split, foreign, ..FileState::default() });
        self.by_path.insert(path, Some(id));
        Some(id)
    }

    /// The operand with the case of letters that the file's name has, if it has another.
    fn in_other_case(&mut self, includer: FileId, operand: &Operand) -> Option<String> {
        let from = self.sources.file(includer).path();
        let mut candidates = include::candidates(from, operand, &self.options).into_iter();
        let found = candidates.find_map(|found| self.loader.in_other_case(&found.path))?;
        // What `..` leads to has its case already.
        let spelled = Path::new(&operand.spelled).components().rev();
        let is_name = |part: &Component<'_>| matches!(part, Component::Normal(_));
        let names = spelled.take_while(is_name).count();
        let all: Vec<_> = Path::new(&operand.spelled).components().collect();
        let kept = &all[..all.len() - names];
        let mut ends: Vec<_> = found.components().rev().take(names).collect();
        ends.reverse();
        let path: PathBuf = kept.iter().chain(&ends).collect();
        path.into_os_string().into_string().ok().filter(|spelled| *spelled != operand.spelled)
    }

    /// A header that is told by its path, and whose text is not read. One of the toolkit defines
    /// `__host__` and the like. A library's may define what conditions ask for, and can use what
    /// macros of the program name that it asks for.
    fn meet_library(&mut self, operand: &Operand, known: Option<&Known>) {
        let Some(known) = known else { return };
        if known.kind == Kind::Runtime && !self.is_opencl {
            self.device.define_words(&TOOLKIT_WORDS);
            self.host.define_words(&TOOLKIT_WORDS);
        }
        self.library_macros.extend(known.macros);
        if known.macros.is_empty() {
            return;
        }
        // The last time counts: more comes before it.
        let root = self.stack[0];
        let (span, root_offset, headers) = (self.our_include, self.root_offset, &self.headers);
        let met = self.libraries_met.entry((root, known.macros)).or_insert_with(|| UnseenHeader {
            span,
            spelled: operand.spelled.clone(),
            root,
            root_offset,
            foreign: Some(ForeignInclusion::default()),
        });
        (met.span, met.root_offset) = (span, root_offset);
        if let Some(inclusion) = &mut met.foreign
            && inclusion.headers_before.len() != headers.len()
        {
            inclusion.headers_before.clone_from(headers);
        }
    }

    /// Whether a macro is the program's.
    fn is_our_macro(&self, def: &MacroDef) -> bool {
        match def.file {
            Some(file) => self.is_ours(file),
            None => def.origin == MacroOrigin::CommandLine,
        }
    }

    /// What the macros of the program name by which libraries are configured that were not read, through
    /// other macros too.
    fn add_given(&mut self) {
        let met = std::mem::take(&mut self.libraries_met);
        let ours = |def: &&MacroDef| self.is_our_macro(def);
        let mut found = Vec::new();
        for ((_, starts), mut header) in met {
            let asks = |def: &&MacroDef| starts.iter().any(|start| def.name.starts_with(start));
            let defs = self.table.iter().map(|(_, def)| def).filter(asks).filter(ours);
            let mut stack: Vec<&str> = defs.map(|def| def.name.as_str()).collect();
            let mut given: BTreeSet<String> = BTreeSet::new();
            while let Some(word) = stack.pop() {
                for def in self.table.all(word).filter(ours) {
                    for token in tokens(&def.text) {
                        let inner = token.text(&def.text);
                        if token.kind == TokenKind::Identifier && given.insert(inner.to_owned()) {
                            stack.push(inner);
                        }
                    }
                }
            }
            if let Some(inclusion) = header.foreign.as_mut().filter(|_| !given.is_empty()) {
                inclusion.given = given;
                found.push(header);
            }
        }
        self.unseen.extend(found);
    }

    /// A header that is not found, or cannot be read, and may hold anything.
    fn add_unseen(&mut self, operand: &Operand, span: Span) {
        self.is_uncertain = true;
        let root = self.stack[0];
        let is_known = |known: &UnseenHeader| known.span == span && known.root == root;
        if !self.unseen.iter().any(is_known) {
            let spelled = operand.spelled.clone();
            let root_offset = self.root_offset;
            self.unseen.push(UnseenHeader { span, spelled, root, root_offset, foreign: None });
        }
    }

    fn finish(mut self) -> Preprocessed {
        self.add_given();
        let used = self.keep_what_is_used();
        let Walker { sources, table, files, mut diagnostics, unseen, undefined, .. } = self;
        let mut names = ProgramNames::new(&table);
        for (state, (_, file)) in files.iter().zip(sources.iter()) {
            names.add_types(file.text(), &state.tokens);
        }
        let files = files
            .into_iter()
            .zip(sources.iter())
            .map(|(state, (id, file))| {
                let mut masked = mask_file(
                    id,
                    file.text(),
                    &state.tokens,
                    &state.directives,
                    (&state.inactive, &state.kernel_text),
                    &names,
                );
                for body in used.kept.get(&id).into_iter().flat_map(|kept| &kept.bodies) {
                    masked.text.replace_range(*body..body + 1, ";");
                }
                PreprocessedFile {
                    masked: masked.text,
                    is_root: state.is_root,
                    includes: state.includes,
                    inactive: state.inactive,
                    masked_spans: masked.spans,
                    directives: state.directives,
                    macro_uses: masked.uses,
                    meanings: state.meanings.into_values().collect(),
                    host_text: state
                        .host_text
                        .into_iter()
                        .map(|(from, to)| Span::new(id, from as usize, to as usize))
                        .collect(),
                    is_cuda: state.is_cuda,
                    is_opencl: state.is_opencl,
                    foreign: state.foreign,
                }
            })
            .collect();
        diagnostics.sort_by_key(|found| found.primary.as_ref().map(|label| label.span));
        let foreign_words = used.words;
        Preprocessed {
            sources,
            files,
            unseen,
            foreign_words,
            macros: table,
            undefined,
            measured: Vec::new(),
            diagnostics,
        }
    }

    /// Takes from the foreign files what the program does not use of them.
    fn keep_what_is_used(&mut self) -> Used {
        let is_read = |state: &FileState| !matches!(state.foreign, None | Some(Foreign::Model));
        if !self.files.iter().any(is_read) {
            return Used::default();
        }
        let texts: Vec<foreign::Text<'_>> = self
            .files
            .iter()
            .zip(self.sources.iter())
            .filter(|(state, _)| state.foreign != Some(Foreign::Model))
            .map(|(state, (id, file))| foreign::Text {
                id,
                source: file.text(),
                active: &state.tokens,
                is_foreign: state.foreign.is_some(),
                is_unknowing: state.foreign == Some(Foreign::KnownLibrary),
            })
            .collect();
        let mut used = foreign::used(&texts, &self.table);
        for (id, kept) in &mut used.kept {
            let state = &mut self.files[id.index()];
            state.tokens = std::mem::take(&mut kept.tokens);
            state.kernel_text = kept.hidden(self.sources.file(*id).text().len());
            state.directives.retain(|found| found.kind == DirectiveKind::Define);
            state.inactive.retain(|region| kept.holds(region.span.start));
            state.meanings.retain(|at, _| kept.holds(*at));
        }
        let files = &self.files;
        self.table.keep_needed(|def| {
            let is_foreign = def.file.is_some_and(|file| files[file.index()].foreign.is_some());
            !is_foreign || used.names.contains(&def.name)
        });
        used
    }
}

/// One walk over one file.
struct FileWalk {
    id: FileId,
    record: bool,
    /// The occurrence that is recorded, and this one.
    first: Occurrence,
    occurrence: Occurrence,
    groups: Vec<Group>,
    now: Sides,
    /// Start of the hidden region that is open, and whether the host sees it.
    hidden_from: Option<(u32, bool)>,
}

impl FileWalk {
    /// What this occurrence means by a text is not what the recorded one means.
    fn meaning(&self, span: Span) -> Meaning {
        Meaning { span, first: self.first, other: self.occurrence }
    }
}
