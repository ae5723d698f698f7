//! The passes in order.

use crate::edit::{Edit, EditSet, OverlappingEdits};
use crate::grids::assumptions;
use crate::grids::{GridReport, plan_grids};
use crate::host_arrays::{HostLayout, HostOutcome, plan_with_host_arrays};
use crate::merge::plan_merges;
use crate::rewrite::{Rewritten, rewrite};
use layoutc_analysis::cell_plan::{CellPlans, any_orders_cells, may_gain};
use layoutc_analysis::choose::{targets, unknown_target};
use layoutc_analysis::cost::Model;
use layoutc_analysis::cost_model::{CostModel, ModelOptions};
use layoutc_analysis::generated::{answer, is_for_arrays};
use layoutc_analysis::grid_choice::GridOptions;
use layoutc_analysis::grid_plan::{GridRequest, InBounds};
use layoutc_analysis::joint_plan::{gainful_joints, joint_requests};
use layoutc_analysis::profile::{Profile, Recording};
use layoutc_analysis::{Plan, Selector, choose_with_cells};
use layoutc_dataflow::classes::{
    ClassId, Classes, Pin, Slot, find_classes_with, foreign_pin, type_untyped_pointers,
};
use layoutc_dataflow::grid::find_cells;
use layoutc_dataflow::layout::notation::{EVERY_ARRAY, LayoutSpec};
use layoutc_dataflow::layout::{Layout, RecordShape};
use layoutc_dataflow::pointer_flow::check_layout_types;
use layoutc_diagnostics::{Code, Diagnostic, FileId, Label, Severity, Span};
use layoutc_syntax::preprocess::Preprocessed;
use layoutc_syntax::{FunctionId, Program, RecordId, lower_program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Stands in a text for a byte that is not UTF-8 (U+001A, "substitute"). It is part of no edit, so
/// that the byte can be put back.
pub const PLACEHOLDER: char = '\u{1a}';

/// What the user asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Layouts by record type or array name. If there are any, only classes that they name change.
    pub layouts: Vec<LayoutSpec>,
    /// Record types or array names that must change: a class of theirs that stays is an error.
    pub require: Vec<String>,
    /// What the host's arrays look like.
    pub host: HostLayout,
    /// Grids whose coordinates are taken to stay inside their extents.
    pub assume: InBounds,
    /// Whether such coordinates are checked when the program runs: for programs that are run to be
    /// compared.
    pub checks_bounds: bool,
    /// What grids are laid out for.
    pub grids: GridOptions,
    /// What chooses the layouts of arrays of structs, where none is asked for.
    pub selector: Selector,
    /// Recorded runs of this very program, for selectors that want them.
    pub profile: Option<Arc<Profile>>,
    /// How accesses to arrays of structs are priced, where no layout is asked for.
    pub pricing: Model,
    /// Blocks of launches that do not say how many they are.
    pub blocks: Option<u64>,
    /// The model of kernels follows arrays of numbers from function to function.
    pub follows_numbers: bool,
    /// Every array of numbers is looked at, and not only those that may gain something.
    pub all_grids: bool,
}

impl Request {
    /// What is known of launches, and what the model of kernels follows.
    fn launch(&self) -> ModelOptions {
        ModelOptions {
            block: self.grids.block,
            blocks: self.blocks,
            follows_numbers: self.follows_numbers,
        }
    }

    /// What concerns grids.
    pub(crate) fn of_grids(&self) -> GridRequest<'_> {
        GridRequest {
            layouts: &self.layouts,
            options: &self.grids,
            assume: &self.assume,
            all_grids: self.all_grids,
        }
    }
}

/// What became of an array class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It has another layout now.
    Changed,
    /// It is as it was.
    Kept,
}

/// One array class and what became of it.
#[derive(Clone, Debug)]
pub struct ClassOutcome {
    /// The record type's name.
    pub type_name: String,
    /// The arrays' names: variables, `function()` results and `Record::field`s, in source order.
    pub names: Vec<String>,
    /// Changed or kept.
    pub status: Status,
    /// The layout in the common notation, without the target: `tiled(32)`.
    pub layout: String,
    /// Why this layout was chosen; empty for a class that was kept.
    pub because: String,
    /// Why it was kept, in source order.
    pub reasons: Vec<Pin>,
    /// The allocating calls in the original text, in source order.
    pub allocations: Vec<Span>,
    /// The record and its new layout, for a class that changed.
    pub geometry: Option<(RecordShape, Layout)>,
    /// Indices that are taken to stay inside their extents, in source order, with what is not proven.
    pub assumed: Vec<(Span, String)>,
    /// A grid that nobody asked to change: if it stays for lack of gain, only the report tells it.
    pub is_automatic: bool,
    /// An array of text that an earlier run generated: nothing is said about it.
    pub is_generated: bool,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Its array classes.
    pub classes: Vec<ClassOutcome>,
    /// Host arrays that were to get the layout of the device's, in order of their copies.
    pub host_arrays: Vec<HostOutcome>,
    /// Grids for which a layout was looked for.
    pub grids: Vec<GridReport>,
    /// The classes of arrays of records: the first ones of `classes`, in the same order.
    pub record_classes: Classes,
    /// What kernels access, where [`Request::follows_numbers`] asks for it; otherwise nothing.
    pub cost_model: CostModel,
    /// Edits by file; files without edits are absent.
    pub edits: BTreeMap<FileId, EditSet>,
    /// Those of them that make a program of what no CUDA compiler takes; without any other they
    /// change no layout.
    pub lowering: BTreeMap<FileId, EditSet>,
    /// Names of generated kernels, which do conversions only.
    pub generated_kernels: Vec<String>,
    /// Everything the user should be told, in order of position.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles a preprocessed program.
///
/// A request that names an unknown array, record or field, or an invalid layout, gives an error
/// diagnostic and no edits.
#[must_use]
pub fn compile(preprocessed: Preprocessed, request: &Request) -> Compiled {
    let mut diagnostics = preprocessed.diagnostics.clone();
    let (mut program, found) = lower_program(preprocessed);
    diagnostics.extend(found);
    if program.files.iter().any(|file| file.is_opencl) {
        // What is generated in kernels is text of those that are built with these.
        let options = crate::opencl::option_names(&program);
        program.identifiers.extend(options);
        program.identifiers.extend(crate::opencl::words_in_strings(&program));
    }
    let mut request = request.clone();
    let is_automatic = request.layouts.is_empty();
    let mut transformed = Vec::new();
    request.layouts.retain(|spec| match answer(&program, spec) {
        None => true,
        Some(_) if !is_for_arrays(&program, spec) => true,
        Some(answer) => {
            transformed.extend(answer.err().map(|error| *error));
            false
        }
    });
    let (merges, mut errors) = joint_requests(&mut request.layouts);
    errors.extend(transformed);
    if request.layouts.is_empty() && merges.is_empty() && !is_automatic {
        // What was asked for was carried out by an earlier run; the others stay.
        request.layouts.extend(LayoutSpec::parse("* = aos").ok());
    }
    let puts_together = is_automatic && request.selector.is_by_cost();
    let (merges, classes) = match puts_together {
        true => gainful_joints(&program, request.launch(), &request.grids.device, request.pricing),
        false => (merges, None),
    };
    let merges =
        (!merges.is_empty() || !errors.is_empty()).then(|| plan_merges(&program, merges, errors));
    if let Some(merges) = &merges {
        // The names that they declare are taken.
        program.identifiers.extend(merges.names.iter().cloned());
        // The others stay, as with any request.
        if request.layouts.is_empty() && !is_automatic {
            request.layouts.extend(LayoutSpec::parse("* = aos").ok());
        }
    }
    let grids = plan_grids(&program, &request);
    if let Some(grids) = &grids {
        program.identifiers.extend(grids.names.iter().cloned());
    }
    // A request that means a grid is none for arrays of structs.
    if let Some(grids) = &grids {
        let mut at = 0..;
        request.layouts.retain(|_| at.next().is_none_or(|at| !grids.met.contains(&at)));
    }
    let only_grids =
        request.layouts.is_empty() && grids.as_ref().is_some_and(|grids| !grids.met.is_empty());
    if only_grids {
        // The others stay, as with any request.
        request.layouts.extend(LayoutSpec::parse("* = aos").ok());
    }
    let request = &request;
    let (planned, host_arrays) = match request.host {
        HostLayout::Convert => {
            (Planned::new(program, request, &BTreeSet::new(), classes), Vec::new())
        }
        HostLayout::Native | HostLayout::NativeOnly(_) => {
            let (planned, outcomes, errors) = plan_with_host_arrays(program, request);
            diagnostics.extend(errors);
            (planned, outcomes)
        }
    };
    let Planned { program, classes, plan, cost_model, cells, rewritten, mut edits } = planned;
    let mut generated_kernels = rewritten.generated_kernels;
    let mut outcomes: Vec<ClassOutcome> =
        classes.ids().map(|id| outcome(&program, &classes, &plan, &cells, id)).collect();
    for (id, outcome) in classes.ids().zip(&outcomes) {
        if outcome.status == Status::Kept && !outcome.is_generated {
            diagnostics.extend(kept_diagnostic(&program, &classes, id, outcome, request));
        }
    }
    diagnostics.extend(crate::opencl::missing_kernels(&classes));
    diagnostics.extend(outcomes.iter().filter_map(assumptions::note));
    let mut failed = !plan.errors.is_empty();
    let mut reports = Vec::new();
    let mut lowering = BTreeMap::new();
    if let Some(grids) = grids {
        let found = grids.finish(&mut edits, &request.require);
        lowering = found.lowering;
        failed |= !found.errors.is_empty();
        diagnostics.extend(found.errors);
        diagnostics.extend(found.diagnostics);
        outcomes.extend(found.outcomes);
        generated_kernels.extend(found.generated_kernels);
        reports = found.reports;
    }
    if let Some(merges) = merges {
        let found = merges.finish(&mut edits, &request.require);
        failed |= !found.errors.is_empty();
        diagnostics.extend(found.errors);
        diagnostics.extend(found.diagnostics);
        outcomes.extend(found.outcomes);
        generated_kernels.extend(found.generated_kernels);
    }
    diagnostics.extend(host_arrays.iter().filter_map(crate::host_arrays::note));
    for name in &request.require {
        let known = classes.ids().any(|id| targets(&program, &classes, id, name).is_some())
            || outcomes.iter().any(|outcome| outcome.names.iter().any(|own| own == name))
            || is_transformed(&program, name);
        if !known && name != EVERY_ARRAY {
            diagnostics.push(unknown_target(&program, &classes, name));
        }
    }
    diagnostics.retain(|found| !is_about_generated(&program, found));
    diagnostics.extend(plan.errors);
    let edits = crate::edit::in_files(&program.sources, edits);
    Compiled {
        program,
        classes: outcomes,
        host_arrays,
        grids: reports,
        record_classes: classes,
        cost_model,
        edits: if failed { BTreeMap::new() } else { edits },
        lowering: if failed { BTreeMap::new() } else { lowering },
        generated_kernels,
        diagnostics,
    }
}

/// A program with its classes, a layout for each that changes, and the edits that change them.
pub(crate) struct Planned {
    pub(crate) program: Program,
    pub(crate) classes: Classes,
    pub(crate) plan: Plan,
    cost_model: CostModel,
    /// Orders of the cells of grids.
    pub(crate) cells: CellPlans,
    rewritten: Rewritten,
    edits: BTreeMap<FileId, EditSet>,
}

impl Planned {
    /// Plans and rewrites, where the host's side of some copies has the layout of the device's.
    ///
    /// `known` are the classes of the program without such copies, if something asked for them before.
    pub(crate) fn new(
        mut program: Program,
        request: &Request,
        native_copies: &BTreeSet<Span>,
        known: Option<Classes>,
    ) -> Planned {
        let mut classes = find_versions(&mut program, native_copies, known);
        let mut cost_model = CostModel::build(&program, &classes, request.launch());
        let profile = request.profile.as_deref();
        let recording = profile.map(|profile| Recording::new(profile, &program.sources));
        let recording = recording.as_ref();
        let (device, pricing) = (&request.grids.device, request.pricing);
        let verdicts = match request.layouts.as_slice() {
            [] => request.selector.verdicts(&classes, &cost_model, device, pricing, recording),
            _ => BTreeMap::new(),
        };
        if let (Selector::Auto, Some(recording)) = (request.selector, recording) {
            cost_model.measure(recording);
        }
        let mut cells = CellPlans::default();
        let is_automatic = request.layouts.is_empty() && request.selector.is_by_cost();
        if any_orders_cells(&request.layouts) || (is_automatic && may_gain(&classes, &cost_model)) {
            let in_bounds = request.assume.classes(&program, &classes);
            let found = find_cells(&program, &classes, &in_bounds);
            cells = CellPlans::new(found, request.checks_bounds);
            if is_automatic {
                cells.choose(&program, &classes, &request.grids);
            }
        }
        // Rewriting needs the room.
        let cost_model = if request.follows_numbers { cost_model } else { CostModel::default() };
        // What cannot be rewritten pins its class, and the rest is planned again.
        loop {
            let layouts = &request.layouts;
            let plan = choose_with_cells(
                &program,
                &classes,
                &verdicts,
                layouts,
                &mut |class, request, shape| {
                    cells.layout(&program, &classes, class, request, shape)
                },
            );
            let layouts = plan
                .choices
                .iter()
                .map(|(class, choice)| (*class, choice.layout.clone()))
                .collect();
            let disagreements = check_layout_types(&program, &classes, &layouts);
            if !disagreements.is_empty() {
                pin_all(&mut classes, disagreements);
                continue;
            }
            let rewritten = rewrite(&program, &classes, &plan, &cells);
            if !rewritten.cell_refusals.is_empty() {
                for (class, pin) in rewritten.cell_refusals {
                    cells.refuse(class, pin);
                }
                continue;
            }
            let mut refusals = rewritten.refusals.clone();
            let edits = match edit_sets(&rewritten.edits) {
                Ok(edits) => edits,
                Err(overlap) => {
                    refusals.extend(overlapping(&program, &plan, overlap));
                    BTreeMap::new()
                }
            };
            refusals.extend(outside_cuda(&program, &plan, &edits));
            refusals.extend(placeholders(&program, &plan, &edits));
            refusals.extend(in_foreign_files(&program, &plan, &edits));
            if refusals.is_empty() {
                return Planned { program, classes, plan, cost_model, cells, rewritten, edits };
            }
            pin_all(&mut classes, refusals);
        }
    }
}

/// What tells versions apart: the function, which arguments are arrays, what the object is, and
/// whether the result is dropped.
type VersionKey = (FunctionId, BTreeSet<Option<usize>>, Option<RecordId>, bool);

/// How often versions may need versions of what they call.
const VERSION_ROUNDS: usize = 12;

/// How many versions a program may have.
const MOST_VERSIONS: usize = 200;

/// Finds the classes, with versions of the functions that array and other memory share.
///
/// Whatever cannot have a version, or would need too many, keeps the pin that sharing gives.
fn find_versions(
    program: &mut Program,
    native_copies: &BTreeSet<Span>,
    found: Option<Classes>,
) -> Classes {
    let mut known: BTreeMap<VersionKey, Option<FunctionId>> = BTreeMap::new();
    let is_other = type_untyped_pointers(program) || !native_copies.is_empty();
    let mut classes = match found {
        Some(found) if !is_other => found,
        _ => find_classes_with(program, native_copies),
    };
    for _ in 0..VERSION_ROUNDS {
        let mut redirected = false;
        let mut has_refused = false;
        for version in std::mem::take(&mut classes.versions) {
            let key = (version.function, version.arrays, version.object, version.drops_result);
            if !known.contains_key(&key) && known.len() < MOST_VERSIONS {
                let copy =
                    program.copy_function(version.function, version.object, version.drops_result);
                if let Err(why) = copy {
                    program.without_copies.entry(version.function).or_insert(why);
                    has_refused = true;
                }
                known.insert(key.clone(), copy.ok());
            }
            if let Some(copy) = known.get(&key).copied().flatten() {
                program.redirect_call(version.call, copy);
                redirected = true;
            }
        }
        // The messages say why there is no version.
        if redirected || has_refused {
            classes = find_classes_with(program, native_copies);
        }
        if !redirected {
            break;
        }
    }
    classes
}

fn pin_all(classes: &mut Classes, found: Vec<(ClassId, Pin)>) {
    for (class, pin) in found {
        let pins = &mut classes.classes[class.index()].pins;
        pins.push(pin);
        pins.sort();
        pins.dedup();
    }
}

fn edit_sets(edits: &[Edit]) -> Result<BTreeMap<FileId, EditSet>, OverlappingEdits> {
    let mut by_file: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(edit.span.file).or_default().push(edit.clone());
    }
    by_file.into_iter().map(|(file, edits)| Ok((file, EditSet::new(edits)?))).collect()
}

/// Two uses of which one holds the other in a way that was not foreseen: no class may move.
fn overlapping(program: &Program, plan: &Plan, overlap: OverlappingEdits) -> Vec<(ClassId, Pin)> {
    let span = overlap.edits.0.span;
    debug_assert!(false, "overlapping edits at {}: {overlap:?}", program.sources.locate(span));
    let pin = Pin {
        span,
        code: Code::NAME_CONFLICT,
        message: "two rewrites want this text".to_owned(),
        related: vec![(overlap.edits.1.span, "the other".to_owned())],
    };
    plan.choices.keys().map(|class| (*class, pin.clone())).collect()
}

/// Files that nvcc does not compile as CUDA cannot hold what the rewrite puts into them.
fn outside_cuda(
    program: &Program,
    plan: &Plan,
    edits: &BTreeMap<FileId, EditSet>,
) -> Vec<(ClassId, Pin)> {
    let host_only = |file: FileId| {
        let file = &program.files[file.index()];
        file.is_root && !file.is_cuda && !file.is_opencl
    };
    let edits = || edits.values().flat_map(EditSet::edits).filter(|edit| !edit.is_host_call);
    let in_root = edits()
        .find(|edit| host_only(edit.span.file))
        .map(|edit| (edit, "this file would have to change, and it is not compiled as CUDA"));
    // What is generated is hidden from host compilers, and a C++ prototype needs no more than the
    // name of a type.
    let found = in_root.or_else(|| {
        let edit = edits().find(|edit| {
            !edit.is_generated
                && program.is_host_text(edit.span)
                && (!is_in_prototype(program, edit.span) || is_seen_by_c(program, edit.span.file))
        })?;
        Some((edit, "this would have to change, and a file that is not CUDA includes it"))
    });
    let Some((edit, message)) = found else {
        return Vec::new();
    };
    let pin = Pin {
        span: edit.span,
        code: Code::NOT_CUDA_FILE,
        message: message.to_owned(),
        related: Vec::new(),
    };
    plan.choices.keys().map(|class| (*class, pin.clone())).collect()
}

/// Whether the span lies in a declaration of a function without its body, outside of any record.
fn is_in_prototype(program: &Program, span: Span) -> bool {
    program.functions.iter().filter(|function| function.record.is_none()).any(|function| {
        let body = function.body.map(|body| program.stmt(body).span);
        function.sites.iter().any(|site| {
            site.span.contains(span) && !body.is_some_and(|body| site.span.contains(body))
        })
    })
}

/// Whether a C file of the program is compiled with this file.
fn is_seen_by_c(program: &Program, file: FileId) -> bool {
    let is_c = |root: FileId| {
        program.sources.file(root).path().extension().is_some_and(|extension| extension == "c")
    };
    program.files.iter().filter(|root| root.is_root && !root.is_cuda && is_c(root.id)).any(|root| {
        let mut seen = vec![root.id];
        let mut next = 0;
        while let Some(id) = seen.get(next) {
            let new: Vec<FileId> = program.files[id.index()]
                .includes
                .iter()
                .copied()
                .filter(|included| !seen.contains(included))
                .collect();
            seen.extend(new);
            next += 1;
        }
        seen.contains(&file)
    })
}

/// Files that are not part of the program stay as they are.
fn in_foreign_files(
    program: &Program,
    plan: &Plan,
    edits: &BTreeMap<FileId, EditSet>,
) -> Vec<(ClassId, Pin)> {
    let found = edits.values().flat_map(EditSet::edits);
    let Some(pin) = foreign_edit(program, found) else { return Vec::new() };
    plan.choices.keys().map(|class| (*class, pin.clone())).collect()
}

/// The reason to refuse edits of which one is in a file that is not part of the program.
pub(crate) fn foreign_edit<'e>(
    program: &Program,
    edits: impl IntoIterator<Item = &'e Edit>,
) -> Option<Pin> {
    let edit = edits.into_iter().find(|edit| program.is_foreign(edit.span.file))?;
    let mut pin = foreign_pin(program, edit.span.file, "text that would have to change is");
    pin.related.push((edit.span, "this text".to_owned()));
    Some(pin)
}

/// Edits that would lose or repeat a byte that the text does not hold.
fn placeholders(
    program: &Program,
    plan: &Plan,
    edits: &BTreeMap<FileId, EditSet>,
) -> Vec<(ClassId, Pin)> {
    let touched = edits.values().flat_map(EditSet::edits).find(|edit| {
        edit.text.contains(PLACEHOLDER) || program.sources.text(edit.span).contains(PLACEHOLDER)
    });
    let Some(edit) = touched else {
        return Vec::new();
    };
    let pin = Pin {
        span: edit.span,
        code: Code::NAME_CONFLICT,
        message: "this text would be rewritten, and it holds a byte that is not UTF-8".to_owned(),
        related: Vec::new(),
    };
    plan.choices.keys().map(|class| (*class, pin.clone())).collect()
}

/// Whether an earlier run changed the arrays of this name.
fn is_transformed(program: &Program, name: &str) -> bool {
    let request = LayoutSpec::parse(&format!("{name} = soa")).ok();
    request.is_some_and(|request| answer(program, &request).is_some())
}

/// Whether a message that stops nothing points into text that an earlier run generated.
fn is_about_generated(program: &Program, found: &Diagnostic) -> bool {
    let is_generated = |label: &Label| program.generated_at(label.span).is_some();
    found.severity != Severity::Error && found.primary.as_ref().is_some_and(is_generated)
}

/// The names of a class's arrays, in source order.
pub(crate) fn array_names(program: &Program, classes: &Classes, id: ClassId) -> Vec<String> {
    let class = classes.class(id);
    let mut names = Vec::new();
    for slot in &class.slots {
        let name = match slot {
            Slot::Variable(variable) => match program.variable(*variable).name.as_str() {
                // The object of a version has no name in the source.
                "this" => continue,
                name => name.to_owned(),
            },
            Slot::Field(field) => {
                let field = program.field(*field);
                format!("{}::{}", program.record(field.record).name, field.name)
            }
            Slot::Result(function) => format!("{}()", program.function(*function).name),
        };
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn outcome(
    program: &Program,
    classes: &Classes,
    plan: &Plan,
    cells: &CellPlans,
    id: ClassId,
) -> ClassOutcome {
    let class = classes.class(id);
    let names = array_names(program, classes, id);
    let mut reasons = class.pins.clone();
    // What an earlier run generated for this type explains the others, such as a specialisation that
    // is not modelled. Otherwise reasons in the text that people wrote come first.
    let name = program.qualified_name(class.record);
    let name = name.as_deref().unwrap_or(program.spelled_name(class.record));
    reasons.sort_by_key(|pin| match program.generated_at(pin.span) {
        Some(region) if region.target == name => 0,
        None => 1,
        Some(_) => 2,
    });
    reasons.extend(plan.kept.get(&id).cloned());
    let choice = plan.choices.get(&id);
    let order = cells.plans.get(&id).filter(|_| choice.is_some_and(|choice| choice.orders_cells));
    let allocations =
        class.allocations.iter().map(|allocation| program.expr(allocation.call).span).collect();
    ClassOutcome {
        type_name: program.spelled_name(class.record).to_owned(),
        names,
        status: if choice.is_some() { Status::Changed } else { Status::Kept },
        layout: choice.map_or_else(
            || "aos".to_owned(),
            |choice| match order {
                Some(order) => order.notation.clone(),
                None => choice.layout.display(&choice.shape.shape).to_string(),
            },
        ),
        because: choice.map_or_else(String::new, |choice| choice.because.clone()),
        reasons,
        allocations,
        // Where a cell lies depends on the extents.
        geometry: choice
            .filter(|_| order.is_none())
            .map(|choice| (choice.shape.shape.clone(), choice.layout.clone())),
        assumed: order.map_or_else(Vec::new, |order| assumptions::places(program, &order.grid)),
        is_automatic: false,
        is_generated: plan.generated.contains(&id),
    }
}

/// The message that a class stays, and why.
fn kept_diagnostic(
    program: &Program,
    classes: &Classes,
    id: ClassId,
    outcome: &ClassOutcome,
    request: &Request,
) -> Option<Diagnostic> {
    let required = request.require.iter().any(|name| targets(program, classes, id, name).is_some());
    stays(outcome, required)
}

/// The message that arrays stay, and why.
pub(crate) fn stays(outcome: &ClassOutcome, required: bool) -> Option<Diagnostic> {
    let first = outcome.reasons.first()?;
    // What nobody asked for is in the report; it is no warning.
    if !required && first.code == Code::NO_GAIN {
        return None;
    }
    let arrays = match outcome.names.as_slice() {
        [] => "an array".to_owned(),
        [one] => format!("`{one}`"),
        [one, two] => format!("`{one}` and `{two}`"),
        [one, two, rest @ ..] => format!("`{one}`, `{two}` and {} more", rest.len()),
    };
    let message = format!(
        "{arrays} of `{}` keep{} the layout",
        outcome.type_name,
        if outcome.names.len() > 1 { "" } else { "s" }
    );
    let mut diagnostic = if required {
        Diagnostic::error(Code::REQUIRED_CLASS_KEPT, message)
    } else {
        Diagnostic::warning(first.code, message)
    };
    diagnostic = diagnostic.at(first.span, first.message.clone());
    for (span, text) in &first.related {
        diagnostic = diagnostic.with(*span, text.clone());
    }
    const SHOWN: usize = 4;
    for reason in outcome.reasons.iter().skip(1).take(SHOWN) {
        diagnostic = diagnostic.with(reason.span, format!("{}: {}", reason.code, reason.message));
    }
    let hidden = outcome.reasons.len().saturating_sub(1 + SHOWN);
    let help = format!("`layoutc explain {}` says what to change", first.code);
    Some(diagnostic.help(if hidden > 0 {
        let (more, are) = if hidden == 1 { ("reason", "is") } else { ("reasons", "are") };
        format!("{help}; {hidden} more {more} {are} in the report")
    } else {
        help
    }))
}
