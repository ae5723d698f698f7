//! Grids: arrays of numbers that are indexed by several coordinates, in another order of digits.
//!
//! A pointer into a grid stays what it is; what changes is the index of each access, the size of
//! each allocation and what copies and fills do. So grids are planned on a copy of the program in
//! which arrays with several extents are flat ([`GridProgram`]), apart from the arrays of structs, and
//! the edits of both are put together. *Invariant:* all edits of a class apply, or none.

mod accesses;
pub(crate) mod assumptions;
mod bodies;
mod buffers;
mod calls;
mod constants;
mod declarations;
pub(crate) mod flatten;
mod leaders;
pub(crate) mod placement;
pub(crate) mod pragmas;
mod typed;
mod versions;

pub use assumptions::CHECK;
pub(crate) use declarations::{index_type, local_names};
pub(crate) use placement::place_text;
pub use typed::{has_variable_length, lowers};
pub use versions::check_versions;

use crate::coordinates::Lambdas;
use crate::edit::Edit;
use crate::names::Names;
use crate::rewritten::Rewritten;
use layoutc_analysis::grid_plan::{Apart, Families, GridPlan, GridProgram, pin};
use layoutc_analysis::{LayoutPlan, Refusal};
use layoutc_dataflow::classes::{ClassId, Classes, Pin, Slot, TypedArrays};
use layoutc_dataflow::grid::facts::Changes;
use layoutc_diagnostics::{Diagnostic, Span};
use layoutc_syntax::{FunctionId, Program};
use std::collections::BTreeMap;

/// Rewrites grids by their plans.
#[derive(Debug)]
pub struct GridWriter<'a> {
    found: &'a GridProgram,
    apart: &'a Apart,
    families: &'a Families,
    changes: Changes,
    lambdas: Lambdas,
    checks_bounds: bool,
}

impl<'a> GridWriter<'a> {
    /// With `checks_bounds`, coordinates that are assumed to stay inside are checked when the program
    /// runs.
    #[must_use]
    pub fn new(
        found: &'a GridProgram,
        apart: &'a Apart,
        families: &'a Families,
        checks_bounds: bool,
    ) -> Self {
        let lowers = lowers(&found.program, &found.typed);
        let changes = if lowers { Changes::collect(&found.program) } else { Changes::default() };
        let lambdas = Lambdas::new(&found.program);
        GridWriter { found, apart, families, changes, lambdas, checks_bounds }
    }

    /// The edits of the grids of a plan.
    #[must_use]
    pub fn rewrite(&self, plan: &LayoutPlan) -> Rewritten {
        let plans = plan.grids();
        let mut rewriter = Rewriter::new(self, &plans);
        rewriter.leaders = leaders::leaders(&self.found.classes, self.families, &plans);
        rewriter.checks_bounds = self.checks_bounds;
        rewriter.rewrite();
        let Rewriter { edits, refusals, functions, version_names, .. } = rewriter;
        let generated_kernels =
            functions.values().flat_map(declarations::Functions::kernels).collect();
        let names = functions.values().flat_map(declarations::Functions::names);
        Rewritten {
            edits,
            refusals: refusals
                .into_iter()
                .map(|(class, pin)| Refusal::Layout(class, pin))
                .collect(),
            generated_kernels,
            names: names.chain(version_names).collect(),
        }
    }

    /// What makes the program one that a CUDA compiler takes, without another layout, and why C99 arrays have no
    /// such form.
    #[must_use]
    pub fn lower(&self) -> (Vec<Edit>, Vec<Diagnostic>) {
        let plans = BTreeMap::new();
        let mut rewriter = Rewriter::new(self, &plans);
        rewriter.checks_bounds = self.checks_bounds;
        rewriter.rewrite();
        (rewriter.edits, rewriter.errors)
    }
}

/// Writes the edits of the plans.
struct Rewriter<'a> {
    program: &'a Program,
    classes: &'a Classes,
    typed: &'a TypedArrays,
    changes: &'a Changes,
    lambdas: &'a Lambdas,
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

impl<'a> Rewriter<'a> {
    fn new(writer: &'a GridWriter<'a>, plans: &'a BTreeMap<ClassId, &'a GridPlan>) -> Self {
        let GridWriter { found, apart, changes, lambdas, .. } = writer;
        Rewriter {
            program: &found.program,
            classes: &found.classes,
            typed: &found.typed,
            changes,
            lambdas,
            indices: found.grids.indices.clone(),
            plans,
            names: Names::new(found.program.identifiers.clone()),
            functions: BTreeMap::new(),
            small: BTreeMap::new(),
            edits: Vec::new(),
            refusals: Vec::new(),
            checks_bounds: false,
            errors: Vec::new(),
            apart,
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
