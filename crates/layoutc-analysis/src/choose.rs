//! Which layout each class gets.
//!
//! What the user asks for goes first. Without a request the least cost decides
//! ([`crate::cost_choice`]). A class that would gain nothing is left alone and says so.

mod meeting;

pub use meeting::conflicting;

use crate::cell_plan::{CellLayout, CellPlanner};
use crate::cost_choice::Verdict;
use crate::generated;
use crate::plan::{ArrayPlan, Decision, LayoutPlan, NewLayout, Origin, StructPlan};
use layoutc_dataflow::classes::{
    ClassId, ClassShape, Classes, Element, Pin, Slot, class_shape, first_unfollowed_allocation,
    is_same_instance, slot_names,
};
use layoutc_dataflow::layout::Layout;
use layoutc_dataflow::layout::notation::{Authority, EVERY_ARRAY, LayoutSpec, nearest};
use layoutc_diagnostics::{Code, Diagnostic, Span};
use layoutc_syntax::{PragmaArray, PragmaSubject, Program, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a request's target means the class, by record type or by array. A name that is both means
/// the type.
#[must_use]
pub fn targets(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    target: &str,
) -> Option<Target> {
    let class = classes.class(class);
    let record = class.element.record().map(|record| program.record(record));
    let name = &*class.element.name(program);
    // `Vec3` alone means all instances of the template.
    let spelled = &*class.element.spelled_name(program);
    let within = |name: &str| -> String {
        let outer = record.iter().flat_map(|record| &record.namespaces);
        let outer = outer.map(|namespace| format!("{namespace}::"));
        outer.chain([name.to_owned()]).collect()
    };
    let is_instance =
        record.is_some_and(|record| record.instance.is_some()) && is_same_instance(spelled, target);
    let qualified = within(name);
    let is_alias = program.aliases.iter().any(|(alias, ty, _)| {
        alias == target && Element::of_item(program, *ty) == Some(class.element)
    });
    if is_instance && target != name {
        return Some(Target::Instance);
    }
    if target == name || target == qualified || is_instance || is_alias {
        return Some(Target::Record);
    }
    // A type of the name goes first; `function::name` means the variable then.
    let is_type = || {
        let of_record = |class: ClassId| classes.class(class).element.name(program);
        classes.ids().any(|class| of_record(class) == target)
    };
    let is_array =
        class.slots.iter().any(|slot| slot_names(program, *slot).iter().any(|name| name == target))
            && !is_type();
    match (is_array, target) {
        (true, _) => Some(Target::Array),
        (false, EVERY_ARRAY) => Some(Target::Every),
        (false, _) => None,
    }
}

/// Whether a request means the class: by name, or as the pragma says that it is of.
#[must_use]
pub fn means(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    request: &LayoutSpec,
) -> Option<Target> {
    match request.authority {
        Authority::Pragma { index, .. } => of_pragma(program, classes, class, index),
        Authority::Chosen | Authority::Asked => targets(program, classes, class, &request.target),
    }
}

/// Why memory for one element stays, unless a request names it.
const ONE_ELEMENT: &str = "there is memory for one element, which no layout reads faster";
/// Why an array stays of which no request speaks.
const NOT_ASKED: &str = "no layout was asked for this array";

/// Whether a request says of every array that it stays, because nobody asks for another layout.
fn is_default(request: &LayoutSpec) -> bool {
    request.target == EVERY_ARRAY && matches!(request.authority, Authority::Chosen)
}

/// Whether a pragma of the program means the class.
#[must_use]
pub fn of_pragma(
    program: &Program,
    classes: &Classes,
    class: ClassId,
    index: usize,
) -> Option<Target> {
    let class = classes.class(class);
    match &program.layout_pragmas.get(index)?.subject {
        PragmaSubject::Record(id) => {
            let own = class.element.record()?;
            let record = program.record(own);
            let is_instance =
                record.instance.as_ref().is_some_and(|instance| instance.template == *id);
            // Host and kernels of OpenCL have a record each.
            let is_twin = program.files.iter().any(|file| file.is_opencl)
                && record.name == program.record(*id).name;
            (own == *id || is_instance || is_twin).then_some(Target::Record)
        }
        PragmaSubject::Arrays(arrays) => {
            let is_own = |array: &PragmaArray| class.slots.contains(&Slot::from(*array));
            arrays.iter().any(is_own).then_some(Target::Array)
        }
    }
}

/// What a request's target is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// Every array: what stands for all that nothing else names.
    Every,
    /// The record type: all classes of it.
    Record,
    /// One instance of a class template: all classes of it.
    Instance,
    /// One array.
    Array,
}

/// Says what becomes of every class of structs: what requests ask for, else what the selector says, and which orders of
/// cells are found. Each class has an entry, at its own position. Where only requests count, there are no verdicts.
#[must_use]
pub fn choose_layouts(
    program: &Program,
    classes: &Classes,
    verdicts: &BTreeMap<ClassId, Verdict>,
    requests: &[LayoutSpec],
    cells: &CellPlanner,
) -> LayoutPlan {
    let mut chooser = Chooser {
        program,
        classes,
        verdicts,
        requests,
        cells,
        met: vec![false; requests.len()],
        errors: Vec::new(),
    };
    let arrays = classes.ids().map(|id| chooser.array(id)).collect();
    let Chooser { met, mut errors, .. } = chooser;
    // What a pragma speaks of need not be in device memory, as in a header of several programs.
    let unmet = |(request, met): &(&LayoutSpec, &bool)| {
        !**met && request.target != EVERY_ARRAY && request.place().is_none()
    };
    for (request, _) in requests.iter().zip(&met).filter(unmet) {
        match generated::answer(program, request) {
            Some(Ok(())) => {}
            Some(Err(transformed)) => errors.push(*transformed),
            None => errors.push(unknown_target(program, classes, &request.target)),
        }
    }
    LayoutPlan { arrays, errors }
}

/// Decides for one class after the other.
struct Chooser<'a> {
    program: &'a Program,
    classes: &'a Classes,
    verdicts: &'a BTreeMap<ClassId, Verdict>,
    requests: &'a [LayoutSpec],
    cells: &'a CellPlanner,
    /// By request: whether it means an array.
    met: Vec<bool>,
    errors: Vec<Diagnostic>,
}

impl Chooser<'_> {
    /// What becomes of a class.
    fn array(&mut self, id: ClassId) -> ArrayPlan {
        let (program, classes, requests) = (self.program, self.classes, self.requests);
        let class = classes.class(id);
        let mut wanted: Vec<(Target, usize)> = requests
            .iter()
            .enumerate()
            .filter_map(|(at, request)| Some((means(program, classes, id, request)?, at)))
            .collect();
        let is_named =
            wanted.iter().any(|(target, _)| matches!(target, Target::Record | Target::Instance));
        let record = class.element.record();
        let is_of_record =
            record.is_some_and(|record| generated::region_of_record(program, record).is_some());
        if generated::is_of_generated_text(program, class) || (is_of_record && !is_named) {
            return ArrayPlan::new(id, Decision::Keep(class.pins.clone()), Origin::Generated);
        }
        for (_, at) in &wanted {
            self.met[*at] = true;
        }
        // Every array is what nothing else names. Otherwise it counts who asks; a request for the array goes before
        // one for its type. Requests for the same must agree.
        let rank = |(target, at): (Target, usize)| {
            (target != Target::Every, requests[at].authority.rank(), target)
        };
        let most = wanted.iter().copied().map(rank).max();
        wanted.retain(|own| Some(rank(*own)) == most);
        wanted.sort();
        let best = wanted.last().copied();
        let origin = best.map_or(Origin::Selector, |(_, at)| Origin::Request(at));
        let of = |decision: Decision| ArrayPlan::new(id, decision, origin);
        if best.is_none_or(|(target, _)| target == Target::Every)
            && let Some(size) = class.size_of_one(program)
        {
            let (span, message) = (program.expr(size).span, ONE_ELEMENT.to_owned());
            let pin = Pin { span, code: Code::NO_GAIN, message, related: Vec::new() };
            return of(Decision::Keep(vec![pin]));
        }
        if !class.is_free() {
            return of(Decision::Keep(class.pins.clone()));
        }
        let Some(shape) = class_shape(program, class) else {
            return of(self.kept(
                id,
                Code::UNSUPPORTED_RECORD,
                "a member has no form that a generated struct can repeat: its size is not known, or its type is local to the record or hidden by a typedef",
            ));
        };
        if let Some(conflict) = contradiction(program, classes, id, &shape, &wanted, requests) {
            if !self.errors.iter().any(|known| known.message == conflict.message) {
                self.errors.push(conflict);
            }
            return of(Decision::Keep(Vec::new()));
        }
        let cells = match best {
            Some((_, at)) => self.cells.layout(program, classes, id, &requests[at], &shape),
            None => self.cells.automatic(id, &shape),
        };
        match cells {
            CellLayout::None => of(self.plain(id, best, shape)),
            CellLayout::Ordered(layout, cells, because) => {
                let plan = StructPlan { shape: shape.clone(), layout };
                let layout = NewLayout::Cells(plan, cells);
                let mut array = of(Decision::change(layout, because));
                if best.is_none() {
                    array.alternatives.push(self.plain(id, None, shape));
                }
                array
            }
            CellLayout::InOrder(layout) => of(self.change(id, shape, layout, "asked for")),
            CellLayout::Kept(pin) => of(Decision::Keep(vec![pin])),
            CellLayout::Error(error) => {
                of(self.unfit(id, best, (error.code, error.message.clone()), |_| *error))
            }
        }
    }

    /// What becomes of a class whose elements keep their order.
    fn plain(
        &mut self,
        id: ClassId,
        wanted: Option<(Target, usize)>,
        shape: ClassShape,
    ) -> Decision {
        let Some((_, at)) = wanted else {
            return match self.verdicts.get(&id) {
                Some(Verdict::Change { layout, because }) => {
                    self.change(id, shape, layout.clone(), because)
                }
                Some(Verdict::Stay { because }) => self.kept(id, Code::NO_GAIN, because),
                None if !self.requests.is_empty() => self.kept(id, Code::NO_GAIN, NOT_ASKED),
                None => self.kept(id, Code::NO_GAIN, "no selector evaluated this array"),
            };
        };
        let request = &self.requests[at];
        match request.resolve(&shape.shape) {
            Ok(layout) if layout.is_identity(&shape.shape) && is_default(request) => {
                self.kept(id, Code::NO_GAIN, NOT_ASKED)
            }
            Ok(layout) => self.change(id, shape, layout, "asked for"),
            Err(error) => {
                let cause = (error.code, error.message.clone());
                self.unfit(id, wanted, cause, |this| {
                    indivisible(this.program, this.classes, id, request)
                        .unwrap_or_else(|| request.diagnostic(&error))
                })
            }
        }
    }

    /// A request that does not fit. What was asked of every array need not fit each of them; another is an error.
    fn unfit(
        &mut self,
        id: ClassId,
        wanted: Option<(Target, usize)>,
        (code, message): (Code, String),
        error: impl FnOnce(&Self) -> Diagnostic,
    ) -> Decision {
        if matches!(wanted, Some((Target::Every, _))) {
            let message = format!("the layout for every array does not fit: {message}");
            return self.kept(id, code, &message);
        }
        let error = error(self);
        self.errors.push(error);
        Decision::Keep(Vec::new())
    }

    fn change(&self, id: ClassId, shape: ClassShape, layout: Layout, because: &str) -> Decision {
        if layout.is_identity(&shape.shape) {
            return self.kept(id, Code::NO_GAIN, "the layout asked for is the one it has");
        }
        let layout = NewLayout::Struct(StructPlan { shape, layout });
        Decision::change(layout, because.to_owned())
    }

    fn kept(&self, id: ClassId, code: Code, message: &str) -> Decision {
        let span = self.classes.class(id).site(self.program);
        Decision::Keep(vec![Pin { span, code, message: message.to_owned(), related: Vec::new() }])
    }
}

/// A request names a member below one that the program uses as a whole.
fn indivisible(
    program: &Program,
    classes: &Classes,
    id: ClassId,
    request: &LayoutSpec,
) -> Option<Diagnostic> {
    let text = request.to_string();
    let class = classes.class(id);
    class.units.iter().find_map(|(path, span)| {
        let names: Vec<&str> =
            path.iter().map(|field| program.field(*field).name.as_str()).collect();
        let name = names.join(".");
        let below = format!("{name}.");
        text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
            .any(|word| word.starts_with(&below))
            .then(|| {
                Diagnostic::error(
                    Code::INDIVISIBLE_FIELD,
                    format!("`{name}` is used as a whole and cannot be divided"),
                )
                .at(*span, "used as a whole here")
                .help(format!("name `{name}` in the layout instead of its parts"))
            })
    })
}

/// Two requests for a class that go equally far and ask for different layouts.
fn contradiction(
    program: &Program,
    classes: &Classes,
    id: ClassId,
    shape: &ClassShape,
    wanted: &[(Target, usize)],
    requests: &[LayoutSpec],
) -> Option<Diagnostic> {
    let (target, last) = *wanted.last()?;
    let last = &requests[last];
    let layout = last.resolve(&shape.shape).ok();
    let is_same = |other: &LayoutSpec| {
        other.body == last.body || (layout.is_some() && other.resolve(&shape.shape).ok() == layout)
    };
    let others = wanted.iter().map(|(_, at)| &requests[*at]);
    let other = others.into_iter().find(|other| !is_same(other))?;
    if target == Target::Array {
        return Some(conflicting(program, classes, id, other, last));
    }
    let what = match target {
        Target::Every => "every array".to_owned(),
        _ => format!("`{}`", classes.class(id).element.spelled_name(program)),
    };
    let message = format!("`{other}` and `{last}` ask for different layouts of {what}");
    let name = classes.class(id).site(program);
    let diagnostic = Diagnostic::error(Code::INCOMPATIBLE_LAYOUTS, message);
    let diagnostic = match target {
        Target::Every => diagnostic,
        _ => diagnostic.at(name, "both name this type"),
    };
    let diagnostic = last.located(other.located(diagnostic));
    Some(diagnostic.help("ask for one layout, or name the arrays that are to have another one"))
}

/// A variable of that name that points to numbers.
fn numbers_called(program: &Program, target: &str) -> Option<Span> {
    let name = target.rsplit("::").next()?;
    let own = program.variables.iter().find(|own| {
        own.name == name
            && matches!(*program.types.kind(own.ty.id), TypeKind::Pointer(to) | TypeKind::Array(to, _)
                if program.types.as_scalar(to.id).is_some())
    })?;
    Some(own.site.name)
}

/// The diagnostic for a target that names nothing.
#[must_use]
pub fn unknown_target(program: &Program, classes: &Classes, target: &str) -> Diagnostic {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for id in classes.ids() {
        let class = classes.class(id);
        known.insert(class.element.name(program).into_owned());
        known.insert(class.element.spelled_name(program).into_owned());
        known.extend(
            class
                .slots
                .iter()
                .flat_map(|slot| slot_names(program, *slot))
                .filter(|name| !name.is_empty()),
        );
    }
    if let Some(span) = numbers_called(program, target) {
        let message = format!("`{target}` is an array of numbers whose memory is not followed");
        return Diagnostic::error(Code::UNKNOWN_CLASS, message)
            .at(span, "this is the array".to_owned())
            .help("its memory must come from `cudaMalloc` or `clCreateBuffer`, and reach kernels in ways that are followed");
    }
    let message = format!(
        "no array of structs in device memory is called `{target}` or has elements of that type"
    );
    let diagnostic = Diagnostic::error(Code::UNKNOWN_CLASS, message);
    match nearest(target, known.iter().map(String::as_str)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => {
            let diagnostic =
                diagnostic.help("this tool follows no array of structs of the program");
            match first_unfollowed_allocation(program, classes) {
                Some(call) => {
                    let text = format!("the memory from `{}` is not followed", call.name);
                    diagnostic.at(call.span, text)
                }
                None => diagnostic,
            }
        }
        None => diagnostic.help(format!("known names: {}", listed(&known))),
    }
}

/// How many names a message lists.
const LISTED: usize = 20;

/// The first of the names in words, and how many there are besides.
fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(LISTED).map(String::as_str).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
