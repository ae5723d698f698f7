//! The host's side of OpenCL: calls on buffers of a class that changes go to generated functions
//! with the same parameters.
//!
//! A function of the host through which buffers of several layouts go is written out again for each
//! ([`Variant`]): the text is the same but for the names of what it calls.

mod grid_text;
mod host_text;
mod joint_text;
mod macros;
mod words;

pub(crate) use grid_text::{HostGrid, MOST_EXTENTS};
pub(crate) use joint_text::JointMember;
pub(crate) use words::{is_word_of_kernels, renamed};
pub use words::{option_names, words_in_strings};

use crate::edit::Edit;
use crate::marker::Marker;
use crate::names::Names;
use crate::rewrite::Refused;
use crate::sections::Sections;
use crate::storage::{Storage, upper_first};
use layoutc_dataflow::classes::{BufferApi, ClassId, Classes, Form, Pin, Slot};
use layoutc_diagnostics::{Code, Diagnostic, FileId, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens, tokens_and_lines};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, Program, RecordId};
use std::collections::{BTreeMap, BTreeSet};

/// Tells of kernels that the host makes, and that no text of the program defines.
pub fn missing_kernels(classes: &Classes) -> impl Iterator<Item = Diagnostic> {
    classes.buffers.missing.iter().map(|pin| {
        Diagnostic::warning(pin.code, "buffers for this kernel keep their layout")
            .at(pin.span, pin.message.clone())
            .help("give the file with the kernel, too: layoutc transform host.c kernels.cl")
    })
}

/// What a function means for some of the chains of calls that reach it: the generated function, or
/// the variant of a function, that each of its calls goes to. Without any it is the original.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Variant {
    calls: BTreeMap<ExprId, Target>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Target {
    /// A generated function, for one of the arrays.
    Generated(usize, BufferApi, Form),
    /// Number of a variant of the function.
    Function(FunctionId, usize),
    /// The buffer that a function made is taken over for one of the arrays.
    Taken(usize),
}

/// The edits of host code, and what could not be written.
#[derive(Default)]
pub(crate) struct HostEdits {
    pub(crate) edits: Vec<Edit>,
    pub(crate) refusals: Vec<Refused>,
    /// Names that are declared.
    pub(crate) declared: Vec<String>,
}

/// How the host finds the values of an array.
pub(crate) enum HostArray<'a> {
    /// In structs of several elements.
    Structs(&'a Storage),
    /// In a buffer that it shares with other arrays.
    Joint(JointMember),
    /// In another order of digits.
    Grid(HostGrid),
}

impl HostArray<'_> {
    /// The name of the constant that says so, unless another one has it; none is needed without host code.
    fn wish(&self) -> Option<String> {
        match self {
            HostArray::Structs(storage) => {
                storage.is_opencl.then(|| format!("{}Layout", storage.prefix))
            }
            HostArray::Joint(member) => Some(format!("{}Member", member.name)),
            HostArray::Grid(grid) => Some(format!("{}Layout", grid.name)),
        }
    }

    /// What stands around its text.
    fn marker(&self) -> &Marker {
        match self {
            HostArray::Structs(storage) => &storage.marker,
            HostArray::Joint(member) => &member.marker,
            HostArray::Grid(grid) => &grid.marker,
        }
    }

    /// What variants of functions for these arrays are called after.
    fn word(&self) -> &str {
        match self {
            HostArray::Structs(storage) => &storage.shape.shape.name,
            HostArray::Joint(member) => &member.name,
            HostArray::Grid(grid) => &grid.name,
        }
    }
}

/// Sends the calls on buffers to functions for their layouts.
pub(crate) fn host_edits(
    program: &Program,
    classes: &Classes,
    storages: &[(RecordId, Storage)],
    storage_of: &BTreeMap<ClassId, usize>,
    names: &mut Names,
) -> HostEdits {
    let arrays: Vec<HostArray> =
        storages.iter().map(|(_, storage)| HostArray::Structs(storage)).collect();
    edits_of_host(program, classes, &arrays, storage_of, &Makers::default(), names)
}

/// What is to be said of calls that make buffers.
#[derive(Default)]
pub(crate) struct Makers {
    /// Those that make no buffer any more, with the text that names the one that they share.
    pub(crate) shares: BTreeMap<ExprId, String>,
    /// Calls of functions of the program that make a buffer, with the array that it is for.
    pub(crate) taken: BTreeMap<ExprId, usize>,
    /// The calls in those functions, which stay.
    pub(crate) plain: BTreeSet<ExprId>,
    /// The extents of grids.
    pub(crate) extents: BTreeMap<ExprId, Vec<String>>,
}

/// The same for arrays that share buffers.
pub(crate) fn joint_edits(
    program: &Program,
    classes: &Classes,
    members: Vec<JointMember>,
    member_of: &BTreeMap<ClassId, usize>,
    makers: &Makers,
    names: &mut Names,
) -> HostEdits {
    let arrays: Vec<HostArray> = members.into_iter().map(HostArray::Joint).collect();
    edits_of_host(program, classes, &arrays, member_of, makers, names)
}

/// The same for grids in another order; `extents` are those that each call which makes a buffer gives it, as C.
pub(crate) fn grid_edits(
    program: &Program,
    classes: &Classes,
    grids: Vec<HostGrid>,
    grid_of: &BTreeMap<ClassId, usize>,
    extents: BTreeMap<ExprId, Vec<String>>,
    names: &mut Names,
) -> HostEdits {
    let arrays: Vec<HostArray> = grids.into_iter().map(HostArray::Grid).collect();
    let makers = Makers { extents, ..Makers::default() };
    edits_of_host(program, classes, &arrays, grid_of, &makers, names)
}

fn edits_of_host(
    program: &Program,
    classes: &Classes,
    arrays: &[HostArray],
    array_of: &BTreeMap<ClassId, usize>,
    makers: &Makers,
    names: &mut Names,
) -> HostEdits {
    let mut host = Host {
        program,
        arrays,
        makers,
        names,
        variants: BTreeMap::new(),
        of_instance: vec![None; classes.buffers.instances.len()],
        variant_names: BTreeMap::new(),
        prefix: String::new(),
        layout_names: BTreeMap::new(),
        used: BTreeMap::new(),
        texts: BTreeMap::new(),
        written: BTreeSet::new(),
        out: HostEdits::default(),
    };
    let mut direct: Vec<BTreeMap<ExprId, Target>> =
        vec![BTreeMap::new(); classes.buffers.instances.len()];
    let mut changed: BTreeSet<ClassId> = BTreeSet::new();
    for call in &classes.buffers.calls {
        if makers.plain.contains(&call.call) {
            continue;
        }
        let class = classes.class_of_slot(Slot::Variable(call.parameter));
        if let Some((class, at)) = class.and_then(|class| Some((class, *array_of.get(&class)?))) {
            changed.insert(class);
            direct[call.instance].insert(call.call, Target::Generated(at, call.api, call.form));
        }
    }
    for (at, instance) in classes.buffers.instances.iter().enumerate() {
        for call in instance.calls.keys() {
            if let Some(array) = makers.taken.get(call) {
                direct[at].insert(*call, Target::Taken(*array));
            }
        }
    }
    changed.extend(array_of.keys().filter(|_| !makers.taken.is_empty()));
    if changed.is_empty() {
        return host.out;
    }
    host.name_all(&array_of.values().copied().collect());
    for at in 0..direct.len() {
        host.variant_of(classes, &direct, at, &mut Vec::new());
    }
    host.write();
    let refusals = std::mem::take(&mut host.out.refusals);
    host.out.refusals = refusals
        .into_iter()
        .flat_map(|(_, pin)| changed.iter().map(move |class| (*class, pin.clone())))
        .collect();
    host.out
}

/// What of the generated text a file uses.
#[derive(Default)]
pub(crate) struct Used {
    functions: BTreeSet<(BufferApi, Form)>,
    /// How buffers of other arrays are shared.
    shares: BTreeSet<Form>,
    /// Buffers that functions made are taken over.
    takes: bool,
    arrays: BTreeSet<usize>,
}

struct Host<'a> {
    program: &'a Program,
    arrays: &'a [HostArray<'a>],
    makers: &'a Makers,
    names: &'a mut Names,
    /// The variants of each function, the original first if it is one.
    variants: BTreeMap<FunctionId, Vec<Variant>>,
    of_instance: Vec<Option<usize>>,
    variant_names: BTreeMap<(FunctionId, usize), String>,
    /// Begins the names of generated functions.
    prefix: String,
    /// Names of the constants that say how arrays lie.
    layout_names: BTreeMap<usize, String>,
    /// Generated functions and the arrays that they are for, by file.
    used: BTreeMap<FileId, Used>,
    /// The edits of function bodies, and which are written.
    texts: BTreeMap<Span, Vec<(Span, String)>>,
    written: BTreeSet<Span>,
    out: HostEdits,
}

impl Host<'_> {
    /// The variant that an instance is.
    fn variant_of(
        &mut self,
        classes: &Classes,
        direct: &[BTreeMap<ExprId, Target>],
        at: usize,
        around: &mut Vec<usize>,
    ) -> usize {
        if let Some(known) = self.of_instance[at] {
            return known;
        }
        let instance = &classes.buffers.instances[at];
        let mut variant = Variant { calls: direct[at].clone() };
        around.push(at);
        for (call, callee) in &instance.calls {
            // Functions that call each other are one instance each, and so one variant.
            if around.contains(callee) {
                continue;
            }
            let function = classes.buffers.instances[*callee].function;
            let number = self.variant_of(classes, direct, *callee, around);
            if !self.variants[&function][number].calls.is_empty() {
                variant.calls.insert(*call, Target::Function(function, number));
            }
        }
        around.pop();
        let all = self.variants.entry(instance.function).or_default();
        let number = all.iter().position(|known| *known == variant).unwrap_or_else(|| {
            all.push(variant);
            all.len() - 1
        });
        self.of_instance[at] = Some(number);
        number
    }

    fn name_all(&mut self, arrays: &BTreeSet<usize>) {
        let (wish, names) = match self.arrays.first() {
            Some(HostArray::Joint(_)) => ("joint", joint_text::NAMES),
            Some(HostArray::Grid(_)) => ("grid", grid_text::NAMES),
            Some(HostArray::Structs(_)) | None => ("array", host_text::NAMES),
        };
        let names = || host_text::COMMON_NAMES.iter().chain(names);
        let ends: Vec<String> = names().map(|name| (*name).to_owned()).collect();
        self.prefix = self.names.fresh_with(wish, &ends);
        for at in arrays {
            let Some(wish) = self.arrays[*at].wish() else { continue };
            let ends = ["", "Sections", "Members", "Place", "Count"].map(str::to_owned);
            let name = self.names.fresh_with(&wish, &ends);
            self.layout_names.insert(*at, name);
        }
        let own = names().flat_map(|name| {
            let prefix = &self.prefix;
            [format!("{prefix}{name}"), format!("{}{name}", upper_first(prefix))]
        });
        self.out.declared = own.chain(self.layout_names.values().cloned()).collect();
    }

    /// Which variant of a function keeps its name and text: the one that is as it was, or the first.
    fn kept(&self, function: FunctionId) -> usize {
        let all = &self.variants[&function];
        all.iter().position(|variant| variant.calls.is_empty()).unwrap_or(0)
    }

    fn write(&mut self) {
        let all: Vec<(FunctionId, usize)> = self
            .variants
            .iter()
            .flat_map(|(function, variants)| (0..variants.len()).map(|at| (*function, at)))
            .collect();
        for (function, at) in &all {
            let own = self.program.function(*function);
            let name = if *at == self.kept(*function) {
                own.name.clone()
            } else {
                let storage = self.array_in(*function, *at, 0);
                let word = storage.map_or("Other", |at| self.arrays[at].word());
                self.names.fresh(&format!("{}{}", own.name, upper_first(word)))
            };
            self.variant_names.insert((*function, *at), name);
        }
        for id in self.program.function_ids() {
            let own = self.program.function(id);
            let is_followed =
                self.variants.contains_key(&id) || !own.template_parameters.is_empty();
            if let Some(body) = own.body.filter(|_| !is_followed && own.space.on_host()) {
                self.texts.insert(self.program.stmt(body).span, Vec::new());
            }
        }
        for (function, at) in all {
            self.write_variant(function, at);
        }
        let used = std::mem::take(&mut self.used);
        for (file, used) in used {
            self.place(file, &used);
        }
    }

    /// An array that a variant is about.
    fn array_in(&self, function: FunctionId, at: usize, depth: usize) -> Option<usize> {
        let targets = self.variants[&function][at].calls.values();
        targets.into_iter().find_map(|target| match *target {
            Target::Generated(storage, ..) => Some(storage),
            Target::Function(function, at) if depth < 32 => self.array_in(function, at, depth + 1),
            Target::Taken(array) => Some(array),
            Target::Function(..) => None,
        })
    }

    fn refuse(&mut self, span: Span, message: &str) {
        self.refuse_as(Code::OPENCL_BUFFER, span, message);
    }

    fn refuse_as(&mut self, code: Code, span: Span, message: &str) {
        let pin = Pin { span, code, message: message.to_owned(), related: Vec::new() };
        self.out.refusals.push((ClassId(0), pin));
    }

    /// The name that a call uses now, and its first arguments.
    fn target_name(
        &mut self,
        file: FileId,
        call: ExprId,
        target: Target,
    ) -> (String, Option<String>) {
        match target {
            Target::Generated(array, api, form) => {
                let used = self.used.entry(file).or_default();
                used.arrays.insert(array);
                let first = format!("&{}, ", self.layout_names[&array]);
                if let Some(shared) = self.makers.shares.get(&call) {
                    used.shares.insert(form);
                    let name = joint_text::share(&self.prefix, form);
                    return (name, Some(format!("{first}{shared}, ")));
                }
                used.functions.insert((api, form));
                let name = match (form, api) {
                    (Form::Construction, BufferApi::Create) => {
                        host_text::construction(&self.prefix)
                    }
                    _ => host_text::name(&self.prefix, api),
                };
                let extents = self.makers.extents.get(&call);
                let extents =
                    extents.map_or_else(String::new, |own| grid_text::extents(&self.prefix, own));
                (name, Some(format!("{first}{extents}")))
            }
            Target::Taken(array) => {
                let used = self.used.entry(file).or_default();
                used.arrays.insert(array);
                used.takes = true;
                let joint = self.makers.shares.get(&call).map_or("NULL", String::as_str);
                let first = format!("&{}, {joint}, ", self.layout_names[&array]);
                (joint_text::take(&self.prefix), Some(first))
            }
            Target::Function(function, at) => (self.variant_names[&(function, at)].clone(), None),
        }
    }

    fn write_variant(&mut self, function: FunctionId, at: usize) {
        let program = self.program;
        let calls = self.variants[&function][at].calls.clone();
        let mut edits = macros::CallEdits::default();
        for (call, target) in calls {
            if let Target::Generated(_, _, form @ (Form::Method | Form::Construction)) = target {
                self.write_cpp(call, target, form, &mut edits);
                continue;
            }
            if let Target::Taken(_) = target {
                let ExprKind::Call { parentheses, .. } = program.expr(call).kind else { continue };
                let span = program.expr(call).span;
                let (name, first) = self.target_name(span.file, call, target);
                edits.add(None, span.at_start(), format!("{name}({}", first.unwrap_or_default()));
                let close = Span { start: parentheses.end - 1, ..parentheses };
                edits.add(None, close, "))".to_owned());
                continue;
            }
            let ExprKind::Call { callee, parentheses, .. } = program.expr(call).kind else {
                continue;
            };
            // One that keeps its name and text is called as before: `object.read(…)`, `space::read(…)`.
            if let Target::Function(function, at) = target
                && at == self.kept(function)
            {
                continue;
            }
            let callee = program.strip_parens(callee);
            let mut span = program.expr(callee).span;
            let text = program.text(span);
            if let Some(at) = text.rfind("::").filter(|_| !text.contains('<')) {
                span.start += at as u32 + 2;
            }
            // Text that is in a header, or that a macro brings, ends up in the file of the function.
            let file = program.expr_site(call).file;
            let (name, first) = self.target_name(file, call, target);
            if program.text(span) != name {
                edits.add(program.home(callee), span, name);
            }
            if let Some(first) = first {
                let own = Span { start: parentheses.start + 1, ..parentheses }.at_start();
                let (home, start) = match program.home(callee) {
                    None => macros::first_argument(program, call).map(|start| (None, start)),
                    Some(_) => None,
                }
                .unwrap_or((program.home(call), own));
                edits.add(home, start, first);
            }
        }
        let edits = match edits.outside_of_macros(program) {
            Ok(edits) => edits,
            Err(span) => {
                self.refuse(span, "the call stands in the body of a macro");
                return;
            }
        };
        if edits.windows(2).any(|pair| pair[1].0.start < pair[0].0.end) {
            let span = edits[0].0;
            self.refuse(span, "two uses of this text go to buffers of different layouts");
            return;
        }
        // Other instances of a template have the same text, and not all of them are in the model.
        let own = program.function(function);
        let is_instance = own
            .copy_of
            .as_ref()
            .is_some_and(|copy| !program.function(copy.original).template_parameters.is_empty());
        let is_shared = own.record.is_some_and(|record| program.record(record).shares_text);
        if let Some((span, _)) = edits.first().filter(|_| is_instance || is_shared) {
            self.refuse(*span, "the text of a template is not rewritten for one of its instances");
            return;
        }
        if at == self.kept(function) {
            // Instances of one text: it can say one thing only.
            if let Some(body) = program.function(function).body {
                let known =
                    self.texts.entry(program.stmt(body).span).or_insert_with(|| edits.clone());
                if *known != edits {
                    let span = program.function(function).sites[0].name;
                    self.refuse(
                        span,
                        "the instances of this text are called with buffers of different layouts",
                    );
                    return;
                }
                if !self.written.insert(program.stmt(body).span) {
                    return;
                }
            }
            let replace = |(span, text): (Span, String)| Edit::host_call(span, text);
            self.out.edits.extend(edits.into_iter().map(replace));
            return;
        }
        self.write_again(function, at, &edits);
    }

    /// A call or construction of the C++ interface.
    fn write_cpp(
        &mut self,
        call: ExprId,
        target: Target,
        form: Form,
        edits: &mut macros::CallEdits,
    ) {
        let program = self.program;
        let span = program.expr(call).span;
        if program.home(call).is_some() {
            self.refuse(program.expr_site(call), "the call stands in the body of a macro");
            return;
        }
        let (name, first) = self.target_name(span.file, call, target);
        let first = first.unwrap_or_default();
        match &program.expr(call).kind {
            ExprKind::Call { callee, parentheses, .. } if form == Form::Method => {
                let ExprKind::Member { base, arrow, .. } =
                    program.expr(program.strip_parens(*callee)).kind
                else {
                    return;
                };
                let object = program.text(program.expr(base).span);
                let star = if arrow { "*" } else { "" };
                let head = Span { end: parentheses.start + 1, ..span };
                edits.add(None, head, format!("{name}({first}{star}{object}, "));
            }
            ExprKind::Construct { .. } => {
                let text = program.text(span);
                let Some(open) = text.find(['(', '{']) else { return };
                let start = span.start + open as u32 + 1;
                let inside = Span { start, end: start, ..span };
                let inner = format!("{name}({first}");
                edits.add(None, inside, inner);
                let end = span.end - 1;
                edits.add(None, Span { start: end, end, ..span }, ")".to_owned());
            }
            _ => {}
        }
    }

    /// Writes a function out behind its definition, and behind each of its prototypes.
    fn write_again(&mut self, function: FunctionId, at: usize, edits: &[(Span, String)]) {
        let program = self.program;
        let own = program.function(function);
        let name = self.variant_names[&(function, at)].clone();
        if own.record.is_some() {
            let span = own.sites[0].name;
            self.refuse(span, "a member function is called with buffers of several layouts");
            return;
        }
        let has_state = program.variables.iter().any(|variable| {
            variable.function == Some(function)
                && variable.storage == layoutc_syntax::Storage::Static
        });
        // Kernels in it would be there twice, and one of them as they were.
        let has_kernels = program.sources.iter().any(|(_, file)| {
            file.view().is_some_and(|view| {
                own.sites.iter().any(|site| {
                    view.of == site.span.file && !file.text()[site.span.range()].trim().is_empty()
                })
            })
        });
        if has_state || has_kernels {
            let span = own.sites[0].name;
            let message = "the function is called with buffers of several layouts, and has variables or kernels of its own";
            self.refuse(span, message);
            return;
        }
        let body = own.body.map(|body| program.stmt(body).span);
        for site in &own.sites {
            let is_definition = body.is_some_and(|body| site.span.contains(body));
            let mut inner: Vec<(Span, &str)> = vec![(site.name, &name)];
            if is_definition {
                inner.extend(edits.iter().map(|(span, text)| (*span, text.as_str())));
            }
            inner.sort();
            let mut text = String::new();
            let start = declaration_start(program, site.span);
            let whole = Span { start, ..site.span };
            let mut from = whole.start;
            for (span, new) in inner {
                if !whole.contains(span) || span.start < from {
                    self.refuse(span, "this text is not where the function is defined");
                    return;
                }
                text.push_str(program.text(Span { start: from, end: span.start, ..whole }));
                text.push_str(new);
                from = span.end;
            }
            text.push_str(program.text(Span { start: from, ..whole }));
            let is_closed = is_definition || text.trim_end().ends_with(';');
            let gap = if is_definition { "\n\n" } else { "\n" };
            let end = if is_closed { "" } else { ";" };
            let behind = match is_closed {
                true => whole.at_end(),
                false => Span { start: whole.end + 1, end: whole.end + 1, ..whole },
            };
            let edit = Edit::host_call(behind, format!("{gap}{text}{end}"));
            self.out.edits.push(Edit { version_of: Some(whole), ..edit });
        }
    }

    /// Puts the generated functions into a file, behind its includes.
    fn place(&mut self, file: FileId, used: &Used) {
        let first_use = self
            .out
            .edits
            .iter()
            .filter(|edit| edit.span.file == file)
            .map(|edit| edit.span.start as usize)
            .min();
        let text = self.program.sources.file(file).text();
        let depth = conditions_before(text, first_use.unwrap_or(0));
        let includes = behind_conditions(text, behind_includes(text), depth);
        let at = match first_use {
            Some(first) if includes > first => {
                let function = self
                    .program
                    .functions
                    .iter()
                    .flat_map(|function| &function.sites)
                    .map(|site| declaration_start(self.program, site.span))
                    .zip(self.program.functions.iter().flat_map(|function| &function.sites))
                    .filter(|(_, site)| {
                        site.span.file == file && (site.span.start as usize) <= first
                    })
                    .map(|(start, _)| start as usize)
                    .max();
                match function {
                    Some(start) => start,
                    None => {
                        let span = Span::new(file, first, first);
                        self.refuse(span, "there is no place for generated functions in this file");
                        return;
                    }
                }
            }
            _ => includes,
        };
        let mut generated = match self.arrays.first() {
            Some(HostArray::Joint(_)) => joint_text::functions(&self.prefix, used),
            Some(HostArray::Grid(_)) => {
                host_text::functions(&self.prefix, &grid_text::GRIDS, &used.functions)
            }
            Some(HostArray::Structs(_)) | None => {
                host_text::functions(&self.prefix, &host_text::STRUCTS, &used.functions)
            }
        };
        // Arrays in one layout share their region with the functions.
        let first = used.arrays.iter().next().map_or(0, |at| *at);
        let mut marker = self.arrays.get(first).map(HostArray::marker).cloned().unwrap_or_default();
        let mut regions = String::new();
        for at in &used.arrays {
            let Some(name) = self.layout_names.get(at) else { continue };
            let own = self.arrays[*at].marker();
            if *own != marker {
                let text = std::mem::take(&mut generated);
                regions.push_str(&region(&marker, &text));
                marker = own.clone();
            }
            let text = match &self.arrays[*at] {
                HostArray::Structs(storage) => Sections::new(storage)
                    .map(|sections| host_text::layout(&self.prefix, name, storage, &sections)),
                HostArray::Joint(member) => Some(member.text(&self.prefix, name)),
                HostArray::Grid(grid) => Some(grid.text(&self.prefix, name)),
            };
            generated.push_str(&text.unwrap_or_default());
        }
        regions.push_str(&region(&marker, &generated));
        let generated = regions;
        let words = tokens(&generated);
        let words: BTreeSet<&str> = words.iter().map(|token| token.text(&generated)).collect();
        let is_of_host = |span: &Span| !self.program.files[span.file.index()].is_opencl;
        let hidden = self.program.macros.iter().find(|def| {
            words.contains(def.name.as_str()) && def.span.as_ref().is_none_or(is_of_host)
        });
        if let Some(def) = hidden {
            let span = def.span.unwrap_or(Span::new(file, at, at));
            let message =
                format!("the generated code uses the name `{}`, which is a macro here", def.name);
            self.refuse_as(Code::NAME_CONFLICT, span, &message);
            return;
        }
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let generated = generated.replace('\n', newline);
        let edit =
            Edit { is_generated: true, ..Edit::host_call(Span::new(file, at, at), generated) };
        self.out.edits.push(edit);
    }
}

/// Generated text with its markers, and the blank lines in front.
fn region(marker: &Marker, text: &str) -> String {
    let blank = text.len() - text.trim_start_matches('\n').len();
    match text.trim_matches('\n') {
        "" => String::new(),
        inside => format!("{}{}\n", &text[..blank], marker.around(inside)),
    }
}

/// Where a declaration begins, with `static` or `extern` that stand in front of the model's span.
fn declaration_start(program: &Program, span: Span) -> u32 {
    let text = program.sources.file(span.file).text();
    let before = text[..span.start as usize].trim_end();
    ["static", "inline", "extern"]
        .iter()
        .find_map(|word| {
            let rest = before.strip_suffix(word)?;
            let is_word = !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            is_word.then_some(rest.len() as u32)
        })
        .map_or(span.start, |start| {
            declaration_start(program, Span { start, end: span.end, ..span })
        })
}

/// The end of the last `#include` that stands between declarations of the file; those in `extern "C" { … }` are, too.
fn behind_includes(text: &str) -> usize {
    let (mut end, mut depth, mut is_between) = (0, 0usize, true);
    let mut before = ["", ""];
    let found = tokens_and_lines(text);
    for line in found.split(|token| token.kind == TokenKind::Newline) {
        let words = || line.iter().map(|token| token.text(text));
        if words().next() == Some("#") {
            let is_include = words().nth(1) == Some("include");
            if let Some(last) = line.last().filter(|_| is_include && is_between && depth == 0) {
                end = last.range().end;
            }
            continue;
        }
        for word in words() {
            let opens_linkage = word == "{" && before == ["extern", "\"C\""];
            match word {
                "{" if !opens_linkage => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_between = opens_linkage || matches!(word, ";" | "}");
            before = [before[1], word];
        }
    }
    end
}

/// How many conditions are open at a place.
fn conditions_before(text: &str, at: usize) -> usize {
    let mut depth = 0usize;
    for line in text[..at].lines() {
        depth = depth_behind(line, depth);
    }
    depth
}

fn depth_behind(line: &str, depth: usize) -> usize {
    match line.trim_start().strip_prefix('#').map(str::trim_start) {
        Some(word) if word.starts_with("if") => depth + 1,
        Some(word) if word.starts_with("endif") => depth.saturating_sub(1),
        _ => depth,
    }
}

/// The first start of a line from `at` on that is in no more conditions than so many.
fn behind_conditions(text: &str, at: usize, most: usize) -> usize {
    let (mut depth, mut offset) = (0usize, 0);
    for line in text.split_inclusive('\n') {
        if offset >= at && depth <= most {
            return offset;
        }
        depth = depth_behind(line, depth);
        offset += line.len();
    }
    text.len()
}

/// A record's name as a part of others: `particle_t` gives `Particle`, `cell_state` `CellState`.
pub(crate) fn plain_word(name: &str) -> String {
    let short = name.strip_suffix("_t").filter(|rest| !rest.is_empty()).unwrap_or(name);
    let is_snake = short.contains('_') && !short.contains(|c: char| c.is_ascii_uppercase());
    match is_snake {
        true => short.split('_').map(upper_first).collect(),
        false => short.to_owned(),
    }
}
