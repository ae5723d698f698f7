//! Grids: arrays of numbers that are indexed by several coordinates, in another order of digits.
//!
//! A pointer into a grid stays what it is; what changes is the index of each access, the size of
//! each allocation and what copies and fills do. So grids are planned on a copy of the program in
//! which scalars are records ([`type_scalar_arrays`]), apart from the arrays of structs, and
//! the edits of both are put together. *Invariant:* all edits of a class apply, or none.

mod accesses;
pub(crate) mod assumptions;
mod bodies;
mod buffers;
mod calls;
mod choose;
mod constants;
mod declarations;
pub(crate) mod flatten;
mod placement;
pub(crate) mod pragmas;
mod siblings;
mod typed;
mod versions;

pub use assumptions::{CHECK, InBounds};
pub(crate) use declarations::{index_type, local_names};
pub(crate) use placement::place_text;

use crate::compile::{ClassOutcome, Request, Status, array_names, foreign_edit, stays};
use crate::edit::{Edit, EditSet, OverlappingEdits};
use crate::names::Names;
use layoutc_analysis::choose::conflicting;
use layoutc_analysis::generated::is_of_generated_text;
use layoutc_analysis::grid_choice::{GridChoice, GridOptions};
use layoutc_analysis::grid_model::GridModel;
use layoutc_analysis::index_form::Definitions;
use layoutc_dataflow::classes::{
    ClassId, Classes, Pin, Slot, TypedArrays, find_classes, type_scalar_arrays,
};
use layoutc_dataflow::grid::facts::Changes;
use layoutc_dataflow::grid::{Grid, Grids, find_grids_with};
use layoutc_dataflow::layout::notation::{EVERY_ARRAY, LayoutSpec, Order, SpecBody};
use layoutc_dataflow::layout::{Digit, DimensionId, Layout, RecordShape};
use layoutc_diagnostics::{Code, Diagnostic, FileId, Severity, Span};
use layoutc_syntax::{ExprKind, FunctionId, Program, Scalar, TypeKind};
use siblings::Families;
use std::collections::{BTreeMap, BTreeSet};
use versions::Apart;

/// A grid with the order of its digits.
#[derive(Clone, Debug)]
pub(crate) struct GridPlan {
    /// The grid; its accesses say which extents each function knows.
    pub(crate) grid: Grid,
    /// Slowest first.
    pub(crate) digits: Vec<Digit>,
    /// Why this order.
    pub(crate) because: String,
    /// The element type.
    pub(crate) scalar: Scalar,
}

/// What became of a class of arrays of numbers.
#[derive(Clone, Debug)]
pub(crate) struct GridOutcome {
    /// The class.
    pub(crate) class: ClassId,
    /// The plan, if it changes.
    pub(crate) plan: Option<GridPlan>,
    /// Why it is as it was.
    pub(crate) reasons: Vec<Pin>,
    /// Plans to try if this one cannot be carried out, the best last.
    pub(crate) alternatives: Vec<GridPlan>,
    /// What serves its accesses best, where nobody asked for a layout.
    pub(crate) choice: Option<GridChoice>,
    /// Nobody asked for a layout.
    pub(crate) is_automatic: bool,
    /// The request for it, by position.
    pub(crate) asked: Option<usize>,
}

/// A grid and the layout that serves its accesses best.
#[derive(Clone, Debug)]
pub struct GridReport {
    /// The arrays' names.
    pub names: Vec<String>,
    /// The type of a value.
    pub type_name: String,
    /// The accesses, the layout and the reasons; `None` if it has no coordinates.
    pub choice: Option<GridChoice>,
    /// Where each access stands, and its text; by the number of the access.
    pub places: Vec<(Span, String)>,
    /// The kernel that the choice is made for.
    pub kernel: Option<String>,
    /// The layout that it has now, in the common notation; `None`: the source's.
    pub layout: Option<String>,
    /// Why it stays.
    pub reasons: Vec<Pin>,
}

/// All grids of a program.
pub(crate) struct PlannedGrids {
    /// The program in which scalars are records.
    pub(crate) program: Program,
    pub(crate) classes: Classes,
    pub(crate) outcomes: Vec<GridOutcome>,
    pub(crate) edits: Vec<Edit>,
    /// What makes the program one that a CUDA compiler takes, without another layout.
    pub(crate) lowering: Vec<Edit>,
    pub(crate) generated_kernels: Vec<String>,
    /// Names that generated text declares.
    pub(crate) names: BTreeSet<String>,
    /// Requests, by position, that mean a grid.
    pub(crate) met: BTreeSet<usize>,
    /// Requests that speak of a class together with another that wants something else.
    contradicted: BTreeMap<ClassId, BTreeSet<usize>>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// Plans and rewrites the grids of a program.
///
/// `None` where no array of numbers is worth a look: no pragma speaks of one, no request names one, or,
/// without requests, neighbouring threads access neighbouring values everywhere.
pub(crate) fn plan_grids(program: &Program, request: &Request) -> Option<PlannedGrids> {
    let requests = request.layouts.as_slice();
    let options = &request.grids;
    let is_declared = !program.pragmas.is_empty();
    let is_automatic = requests.is_empty();
    let scalars = if is_automatic && !is_declared && !request.all_grids {
        let steers = options.device.steering_model().is_ok();
        choose::may_gain(program, &Definitions::collect(program), steers)
    } else {
        candidates(program)
    };
    let is_wanted = is_declared || is_automatic || names_an_array(program, &scalars, requests);
    let is_wanted = is_wanted && !scalars.is_empty();
    if !is_wanted && !typed::has_variable_length(program) {
        return None;
    }
    if !is_wanted {
        let mut flat = program.clone();
        let typed = TypedArrays::flatten(&mut flat);
        if !typed::lowers(&flat, &typed) {
            return None;
        }
    }
    let joint = plan(program, request, &scalars, Apart::default());
    let mut found = siblings::with_versions(program, request, &scalars, joint);
    for (class, requests) in &found.contradicted {
        let wanted: Vec<&LayoutSpec> = requests.iter().map(|at| &request.layouts[*at]).collect();
        let Some((first, rest)) = wanted.split_first() else { continue };
        let Some(other) = rest.iter().find(|other| other.body != first.body) else { continue };
        let error = conflicting(&found.program, &found.classes, *class, first, other);
        found.errors.push(error);
    }
    Some(found)
}

/// The program in which scalars are records.
fn with_records(program: &Program, scalars: &BTreeSet<Scalar>) -> (Program, TypedArrays) {
    let mut program = program.clone();
    let typed = TypedArrays::flatten(&mut program);
    type_scalar_arrays(&mut program, scalars);
    (program, typed)
}

/// Plans and rewrites the grids of a program, with functions apart as they are in it.
fn plan(
    program: &Program,
    request: &Request,
    scalars: &BTreeSet<Scalar>,
    apart: Apart,
) -> PlannedGrids {
    let requests = request.layouts.as_slice();
    let options = &request.grids;
    let mut flat = program.clone();
    let typed = TypedArrays::flatten(&mut flat);
    let lowers = typed::lowers(&flat, &typed);
    let mut program = flat;
    type_scalar_arrays(&mut program, scalars);
    let mut classes = find_classes(&program);
    typed.pin(&program, &mut classes);
    let in_bounds = request.assume.classes(&program, &classes);
    let grids = find_grids_with(&program, &classes, &typed, &in_bounds);
    let definitions = Definitions::collect(&program);
    let changes = if lowers { Changes::collect(&program) } else { Changes::default() };
    let mut this = Planner {
        program: &program,
        classes: &classes,
        grids: &grids,
        requests,
        met: BTreeSet::new(),
        errors: Vec::new(),
        model: GridModel::new(&program, &definitions).with_groups(&classes.buffers.blocks),
        indices: grids.indices.clone(),
        options,
        families: apart.families(&program, &classes),
        contradicted: BTreeMap::new(),
    };
    let mut outcomes: Vec<GridOutcome> =
        classes.ids().filter_map(|class| this.outcome(class)).collect();
    let (met, mut errors, families) = (this.met, this.errors, this.families);
    let contradicted = this.contradicted;
    let nothing = BTreeMap::new();
    let found =
        Found { program: &program, classes: &classes, typed: &typed, grids: &grids, apart: &apart };
    let mut lowered = Rewriter::new(found, &changes, &nothing);
    lowered.rewrite();
    let lowering = lowered.edits;
    errors.extend(lowered.errors);
    // What has no form keeps its layout, and the rest is rewritten again.
    loop {
        let plans: BTreeMap<ClassId, &GridPlan> = outcomes
            .iter()
            .filter_map(|outcome| Some((outcome.class, outcome.plan.as_ref()?)))
            .collect();
        let mut rewriter = Rewriter::new(found, &changes, &plans);
        rewriter.leaders = siblings::leaders(&classes, &families, &plans);
        rewriter.checks_bounds = request.checks_bounds;
        rewriter.rewrite();
        let Rewriter { edits, refusals, functions, version_names, .. } = rewriter;
        if refusals.is_empty() {
            let generated_kernels =
                functions.values().flat_map(declarations::Functions::kernels).collect();
            let names = functions.values().flat_map(declarations::Functions::names);
            let names = names.chain(version_names).collect();
            return PlannedGrids {
                names,
                program,
                classes,
                outcomes,
                edits,
                lowering,
                generated_kernels,
                met,
                contradicted,
                errors,
            };
        }
        for (class, pin) in refusals {
            if let Some(outcome) = outcomes.iter_mut().find(|outcome| outcome.class == class) {
                outcome.plan = None;
                outcome.reasons.push(pin);
            }
        }
        for outcome in &mut outcomes {
            if outcome.plan.is_none()
                && let Some(plan) = outcome.alternatives.pop()
            {
                outcome.plan = Some(plan);
                outcome.reasons.clear();
            }
            outcome.reasons.dedup();
        }
    }
}

/// What grids add to the result of a run.
pub(crate) struct FoundGrids {
    pub(crate) outcomes: Vec<ClassOutcome>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) generated_kernels: Vec<String>,
    pub(crate) reports: Vec<GridReport>,
    /// The edits that change no layout.
    pub(crate) lowering: BTreeMap<FileId, EditSet>,
}

impl PlannedGrids {
    /// Adds the edits to those of the arrays of structs; where both want one text, the grids stay.
    pub(crate) fn finish(
        mut self,
        edits: &mut BTreeMap<FileId, EditSet>,
        require: &[String],
    ) -> FoundGrids {
        let lowering = joined(&BTreeMap::new(), std::mem::take(&mut self.lowering));
        let lowering = lowering.unwrap_or_default();
        if let Some(pin) = foreign_edit(&self.program, &self.edits) {
            self.generated_kernels.clear();
            for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.plan.is_some()) {
                outcome.plan = None;
                outcome.reasons.push(pin.clone());
            }
            let lowering = lowering.values().flat_map(|set| set.edits().iter().cloned());
            self.edits = lowering.filter(|edit| !self.program.is_foreign(edit.span.file)).collect();
        }
        match versions::check(edits, &self.edits)
            .and_then(|()| joined(edits, std::mem::take(&mut self.edits)))
        {
            Ok(merged) => *edits = merged,
            Err(overlap) => {
                self.generated_kernels.clear();
                let message = "an array of structs that changes, and a grid, want this text";
                for outcome in self.outcomes.iter_mut().filter(|outcome| outcome.plan.is_some()) {
                    outcome.plan = None;
                    outcome.reasons.push(pin(overlap.edits.1.span, message));
                }
                let own = lowering.values().flat_map(|set| set.edits().iter().cloned()).collect();
                match joined(edits, own) {
                    Ok(merged) => *edits = merged,
                    Err(overlap) => self.errors.push(
                        Diagnostic::error(
                            Code::NAME_CONFLICT,
                            "an array of structs and one of variable length want one text",
                        )
                        .at(overlap.edits.1.span, "this text".to_owned()),
                    ),
                }
            }
        }
        let outcomes: Vec<ClassOutcome> =
            self.outcomes.iter().map(|outcome| self.reported(outcome)).collect();
        let mut diagnostics: Vec<Diagnostic> = outcomes
            .iter()
            .filter(|outcome| outcome.status == Status::Kept)
            .filter_map(|outcome| {
                let required = require.iter().any(|name| outcome.names.contains(name));
                let mut diagnostic = stays(outcome, required).map(pragmas::as_error)?;
                // Nobody asked for it.
                if outcome.is_automatic && !required && diagnostic.severity == Severity::Warning {
                    diagnostic.severity = Severity::Note;
                }
                Some(diagnostic)
            })
            .collect();
        diagnostics.extend(outcomes.iter().filter_map(assumptions::note));
        let reports = self.outcomes.iter().filter_map(|outcome| self.report(outcome)).collect();
        FoundGrids {
            outcomes,
            diagnostics,
            errors: self.errors,
            generated_kernels: self.generated_kernels,
            reports,
            lowering,
        }
    }

    /// What `analyze` shows of a grid.
    fn report(&self, outcome: &GridOutcome) -> Option<GridReport> {
        if !outcome.is_automatic {
            return None;
        }
        let choice = outcome.choice.clone();
        let class = self.classes.class(outcome.class);
        let places = choice.iter().flat_map(|choice| &choice.model.places).map(|expr| {
            let text = self.program.text(self.program.expr(*expr).span);
            (self.program.expr_site(*expr), text.split_whitespace().collect::<Vec<_>>().join(" "))
        });
        Some(GridReport {
            names: array_names(&self.program, &self.classes, outcome.class),
            type_name: self.program.spelled_name(class.record).to_owned(),
            places: places.collect(),
            kernel: choice
                .as_ref()
                .and_then(|choice| choice.kernel)
                .map(|kernel| self.program.function(kernel).name.clone()),
            layout: outcome.plan.as_ref().map(GridPlan::notation),
            reasons: outcome.reasons.clone(),
            choice,
        })
    }

    /// A class as the result of a run lists it.
    fn reported(&self, outcome: &GridOutcome) -> ClassOutcome {
        let class = self.classes.class(outcome.class);
        let plan = outcome.plan.as_ref();
        ClassOutcome {
            type_name: self.program.spelled_name(class.record).to_owned(),
            names: array_names(&self.program, &self.classes, outcome.class),
            status: if plan.is_some() { Status::Changed } else { Status::Kept },
            layout: plan.map_or_else(|| "aos".to_owned(), GridPlan::notation),
            because: plan.map_or_else(String::new, GridPlan::reason),
            reasons: outcome.reasons.clone(),
            allocations: class
                .allocations
                .iter()
                .map(|allocation| self.program.expr(allocation.call).span)
                .collect(),
            geometry: plan.and_then(GridPlan::geometry),
            assumed: plan
                .map_or_else(Vec::new, |plan| assumptions::places(&self.program, &plan.grid)),
            // What follows another array was not asked for either.
            is_automatic: outcome.is_automatic
                || (outcome.asked.is_none() && !outcome.reasons.iter().any(pragmas::is_mistake)),
            is_generated: is_of_generated_text(&self.program, class),
        }
    }
}

/// Edits together with others.
pub(crate) fn joined(
    edits: &BTreeMap<FileId, EditSet>,
    more: Vec<Edit>,
) -> Result<BTreeMap<FileId, EditSet>, OverlappingEdits> {
    let mut all: BTreeMap<FileId, Vec<Edit>> =
        edits.iter().map(|(file, set)| (*file, set.edits().to_vec())).collect();
    for edit in more {
        all.entry(edit.span.file).or_default().push(edit);
    }
    all.into_iter().map(|(file, edits)| Ok((file, EditSet::new(edits)?))).collect()
}

impl GridPlan {
    /// The digits in the common notation: `[i/32, field, i%32]`.
    pub(crate) fn notation(&self) -> String {
        self.grid.notation(&self.digits)
    }

    /// The layout as one of records, where the grid is an array of hand-flattened ones in tiles.
    fn geometry(&self) -> Option<(RecordShape, Layout)> {
        let [_, record] = self.grid.dimensions.as_slice() else { return None };
        let extent = u64::try_from(record.extent?).ok()?;
        let tile = match self.digits.as_slice() {
            [
                Digit::Slice { dimension: DimensionId(0), divisor: by, modulus: None },
                Digit::Slice { dimension: DimensionId(1), divisor: 1, modulus: None },
                Digit::Slice { dimension: DimensionId(0), divisor: 1, modulus: Some(tile) },
            ] if by == tile => *tile,
            _ => return None,
        };
        let size = self.scalar.size();
        let extents = [extent];
        let shape = RecordShape::flat(
            self.scalar.spelling(),
            [("value", self.scalar.spelling(), size, size, &extents[..])],
        );
        let layout = Layout::tiled(&shape, tile, None).ok()?;
        Some((shape, layout))
    }
}

/// Whether a request names an array of one of the scalar types: nothing else is worth a copy of the
/// program.
fn names_an_array(program: &Program, scalars: &BTreeSet<Scalar>, requests: &[LayoutSpec]) -> bool {
    let points = |mut ty: layoutc_syntax::QualType| {
        let mut depth = 0;
        while let TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) =
            *program.types.kind(ty.id)
        {
            ty = to;
            depth += 1;
        }
        depth > 0 && program.types.as_scalar(ty.id).is_some_and(|own| scalars.contains(&own))
    };
    let is_named = |name: &str| {
        requests.iter().any(|request| request.target.rsplit("::").next() == Some(name))
    };
    program.variables.iter().any(|variable| is_named(&variable.name) && points(variable.ty))
        || program.fields.iter().any(|field| is_named(&field.name) && points(field.ty))
        || program
            .functions
            .iter()
            .any(|function| is_named(&format!("{}()", function.name)) && points(function.result))
}

/// Scalar types of which device code indexes an array by a product or sum.
fn candidates(program: &Program) -> BTreeSet<Scalar> {
    let mut found = BTreeSet::new();
    for function in program.function_ids() {
        let own = program.function(function);
        if !own.space.on_device() || own.body.is_none() {
            continue;
        }
        for expr in program.function_parts(function).exprs {
            let ExprKind::Index { base, .. } = program.expr(expr).kind else { continue };
            if let TypeKind::Pointer(to) | TypeKind::Array(to, _) =
                *program.types.kind(program.expr(base).ty.id)
                && let Some(scalar) = program.types.as_scalar(to.id)
            {
                found.insert(scalar);
            }
        }
    }
    found
}

/// Decides what each class gets.
struct Planner<'a> {
    program: &'a Program,
    classes: &'a Classes,
    grids: &'a Grids,
    requests: &'a [LayoutSpec],
    met: BTreeSet<usize>,
    errors: Vec<Diagnostic>,
    model: GridModel<'a>,
    indices: layoutc_dataflow::grid::index::Indices,
    options: &'a GridOptions,
    /// Classes that are one where functions have no copies.
    families: Families,
    /// By class: the requests for it, if they want several layouts.
    contradicted: BTreeMap<ClassId, BTreeSet<usize>>,
}

impl<'a> Planner<'a> {
    /// What becomes of a class; nothing is said of arrays that nobody asks for and that gain
    /// nothing.
    fn outcome(&mut self, id: ClassId) -> Option<GridOutcome> {
        let class = self.classes.class(id);
        let scalar = self.program.record(class.record).element?;
        let requests = self.requests_for(id);
        // The last one counts, as for arrays of structs.
        self.met.extend(requests.iter().map(|(at, _)| *at));
        let wanted = requests.last().copied();
        if requests.iter().any(|(_, request)| request.body != requests[0].1.body) {
            self.contradicted.insert(id, requests.iter().map(|(at, _)| *at).collect());
        }
        let asked = wanted.map(|(at, _)| at);
        let followed = wanted.is_none().then(|| self.followed(id)).flatten();
        let of = |plan: Option<GridPlan>, reasons: Vec<Pin>| {
            Some(GridOutcome {
                class: id,
                plan,
                reasons,
                alternatives: Vec::new(),
                choice: None,
                is_automatic: false,
                asked,
            })
        };
        let kept = |reasons: Vec<Pin>| of(None, reasons);
        match wanted {
            Some((_, request)) => {
                if !class.pins.is_empty() {
                    return kept(class.pins.clone());
                }
                // The request may speak of dimensions that are not shown.
                let Some(grid) = self.grid_for(id, request) else {
                    let pin = self.grids.refused.get(&id).cloned().unwrap_or_else(|| {
                        pin(
                            slot_span(self.program, class.slots.first().copied()),
                            "no index of this array is shown to have more than one coordinate",
                        )
                    });
                    return kept(vec![pin]);
                };
                match digits(request, grid) {
                    Ok(digits) => {
                        let plan = GridPlan {
                            grid: grid.clone(),
                            digits,
                            because: "asked for".to_owned(),
                            scalar,
                        };
                        of(Some(plan), Vec::new())
                    }
                    Err(error) => {
                        self.errors.push(error);
                        kept(Vec::new())
                    }
                }
            }
            None => {
                let refused = self.grids.refused.get(&id);
                match refused.filter(|pin| pragmas::is_mistake(pin)) {
                    // What a pragma says and does not hold is an error, whether a layout is asked for
                    // or not.
                    Some(mistake) => kept(vec![mistake.clone()]),
                    None if self.requests.is_empty() => self.automatic(id, scalar),
                    None => of(Some(self.following(id, scalar, followed?)?), Vec::new()),
                }
            }
        }
    }

    /// The requests that name an array of the class, by position; `*` speaks of arrays of structs.
    fn requests_for(&self, id: ClassId) -> Vec<(usize, &'a LayoutSpec)> {
        let names: BTreeSet<String> = self
            .classes
            .class(id)
            .slots
            .iter()
            .flat_map(|slot| layoutc_analysis::choose::slot_names(self.program, *slot))
            .collect();
        self.requests
            .iter()
            .enumerate()
            .filter(|(_, request)| request.target != EVERY_ARRAY && names.contains(&request.target))
            .collect()
    }

    /// The grid that a request for a class means.
    fn grid_for(&self, id: ClassId, request: &LayoutSpec) -> Option<&'a Grid> {
        match (self.grids.grids.get(&id), self.grids.flat.get(&id)) {
            (Some(grid), flat) => {
                // A tile speaks of the numbers of a record where there are any.
                let is_short = !matches!(form(request), Some(Order::Digits(_)));
                Some(flat.filter(|_| is_short || !self.names_fit(request, grid)).unwrap_or(grid))
            }
            (None, Some(flat))
                if self.names_fit(request, flat) || !self.grids.refused.contains_key(&id) =>
            {
                Some(flat)
            }
            (None, _) => None,
        }
    }

    /// Whether all names of a request are dimensions of the grid.
    fn names_fit(&self, request: &LayoutSpec, grid: &Grid) -> bool {
        match form(request) {
            Some(Order::Digits(digits)) => digits.iter().all(|digit| {
                grid.dimensions.iter().any(|dimension| dimension.name == digit.name.value)
            }),
            _ => true,
        }
    }
}

/// The order that a request gives to all members.
fn form(request: &LayoutSpec) -> Option<&Order> {
    match &request.body {
        SpecBody::Uniform(form) => Some(&form.order.value),
        SpecBody::Soa(_) | SpecBody::Groups(_) => None,
    }
}

/// The digits that a request asks for.
fn digits(request: &LayoutSpec, grid: &Grid) -> Result<Vec<Digit>, Diagnostic> {
    let names: Vec<&str> =
        grid.dimensions.iter().map(|dimension| dimension.name.as_str()).collect();
    let digits = match form(request) {
        Some(Order::Tiled(tile)) => tiled(grid, *tile),
        Some(Order::Digits(_)) => {
            let shape = RecordShape::flat("grid", [("value", "float", 4, 4, &[][..])]);
            let layout: Layout = request
                .resolve_grid(&shape, &names, "")
                .map_err(|error| error.diagnostic(&request.to_string()))?;
            layout.groups()[0].digits().to_vec()
        }
        Some(Order::Default | Order::Aos) | None => {
            return Err(Diagnostic::error(
                Code::UNKNOWN_LAYOUT,
                format!("`{request}` is no layout of a grid"),
            )
            .help(format!(
                "list the digits, slowest first, for example `{} = [{}]`, or say `tiled(32)`",
                request.target,
                names.join(", ")
            )));
        }
    };
    // The extent of the slowest dimension is what the allocation leaves.
    let is_first = matches!(
        digits.first(),
        Some(Digit::Slice { dimension: DimensionId(0), modulus: None, .. })
    );
    if !is_first {
        return Err(Diagnostic::error(
            Code::UNKNOWN_LAYOUT,
            format!("`{request}` needs the extent of `{}`, which is not known", names[0]),
        )
        .help(format!("begin with `{0}` or a slice of it, such as `{0}/32`", names[0])));
    }
    Ok(digits)
}

/// The dimension before the numbers of a record cut into tiles, whose slots are the fastest digit.
fn tiled(grid: &Grid, tile: u64) -> Vec<Digit> {
    let last = grid.dimensions.len() - 1;
    let is_record = grid.dimensions[last].extent.is_some();
    let cut = if is_record { last - 1 } else { last };
    let slice = |dimension: usize, divisor: u64, modulus: Option<u64>| Digit::Slice {
        dimension: DimensionId(dimension as u32),
        divisor,
        modulus,
    };
    let mut digits: Vec<Digit> = (0..cut).map(|at| slice(at, 1, None)).collect();
    digits.push(slice(cut, tile, None));
    digits.extend((cut + 1..=last).map(|at| slice(at, 1, None)));
    digits.push(slice(cut, 1, Some(tile)));
    digits
}

/// Writes the edits of the plans.
struct Rewriter<'a> {
    program: &'a Program,
    classes: &'a Classes,
    typed: &'a TypedArrays,
    changes: &'a Changes,
    indices: layoutc_dataflow::grid::index::Indices,
    plans: &'a BTreeMap<ClassId, &'a GridPlan>,
    names: Names,
    functions: BTreeMap<ClassId, declarations::Functions>,
    /// Edits of types, which apply within the text of others too.
    small: typed::SmallEdits,
    edits: Vec<Edit>,
    refusals: Vec<(ClassId, Pin)>,
    /// Whether coordinates that are assumed to stay inside are checked when the program runs.
    checks_bounds: bool,
    /// Why C99 arrays cannot be lowered.
    errors: Vec<Diagnostic>,
    apart: &'a Apart,
    /// By class: the one whose functions it uses, if it has the same layout.
    leaders: BTreeMap<ClassId, ClassId>,
    /// The function with copies whose text is being rewritten.
    owner: Option<FunctionId>,
    /// The edits in the text of functions that have copies, and of copies.
    owned: BTreeMap<FunctionId, Vec<Edit>>,
    /// Names of versions.
    version_names: Vec<String>,
}

/// What is known of a program.
#[derive(Clone, Copy)]
struct Found<'a> {
    program: &'a Program,
    classes: &'a Classes,
    typed: &'a TypedArrays,
    grids: &'a Grids,
    apart: &'a Apart,
}

impl<'a> Rewriter<'a> {
    fn new(
        found: Found<'a>,
        changes: &'a Changes,
        plans: &'a BTreeMap<ClassId, &'a GridPlan>,
    ) -> Self {
        Rewriter {
            program: found.program,
            classes: found.classes,
            typed: found.typed,
            changes,
            indices: found.grids.indices.clone(),
            plans,
            names: Names::new(found.program.identifiers.clone()),
            functions: BTreeMap::new(),
            small: BTreeMap::new(),
            edits: Vec::new(),
            refusals: Vec::new(),
            checks_bounds: false,
            errors: Vec::new(),
            apart: found.apart,
            leaders: BTreeMap::new(),
            owner: None,
            owned: BTreeMap::new(),
            version_names: Vec::new(),
        }
    }
}

impl Rewriter<'_> {
    fn rewrite(&mut self) {
        for (id, plan) in self.plans {
            let leader = self.leader(*id);
            if let Some(functions) = self.functions.get_mut(&leader) {
                functions.share(self.program, plan);
                continue;
            }
            let class = self.classes.class(*id);
            let wish = class
                .slots
                .iter()
                .find_map(|slot| match slot {
                    Slot::Variable(id) => Some(self.program.variable(*id).name.clone()),
                    Slot::Field(id) => Some(self.program.field(*id).name.clone()),
                    Slot::Result(_) => None,
                })
                .unwrap_or_else(|| "grid".to_owned());
            let functions = declarations::Functions::new(
                self.program,
                plan,
                &wish,
                &mut self.names,
                class.is_of_buffers.then_some(&self.classes.buffers.options),
            );
            self.functions.insert(*id, functions);
        }
        self.typed();
        self.accesses();
        self.calls();
        self.buffers();
        self.pragmas();
        self.finish_small();
        self.assert_constants();
        self.versions();
        self.place();
    }

    fn refuse(&mut self, class: ClassId, span: Span, message: &str) {
        self.refusals.push((class, pin(span, message)));
    }
}

fn slot_span(program: &Program, slot: Option<Slot>) -> Span {
    match slot {
        Some(Slot::Variable(id)) => program.variable(id).site.name,
        Some(Slot::Field(id)) => program.field(id).site.name,
        Some(Slot::Result(id)) => program.function(id).sites[0].name,
        None => Span { file: layoutc_diagnostics::FileId(0), start: 0, end: 0 },
    }
}

/// A pin without a flow.
fn pin(span: Span, message: &str) -> Pin {
    Pin { span, code: Code::GRID_FORM, message: message.to_owned(), related: Vec::new() }
}
