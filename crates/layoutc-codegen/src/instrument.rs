//! Instrumentation: the program with a note at each access to arrays of records and at each loop, for
//! `layoutc profile`.
//!
//! `p[i].x` becomes `layoutcAt(7, p[i].x)`, which is the same memory, wherever device code reads or writes an
//! element or a member; a loop with accesses or calls in it becomes a block that begins with the object
//! `layoutcLoop3`; kernels say at their beginning which one they are. What is called is in
//! `layoutc/profile.hpp` of the runtime. OpenCL C has no objects that end: there a block begins with
//! `layoutcEnter(3);` and ends with `layoutcLeave(3);`, as does a value that is returned from within the loop, and
//! `opencl/recorder.cpp` of the runtime puts the macros in front of what the program builds.
//!
//! *Claim:* the program does the same. `layoutcAt` gives back the object that it is given, with its type, so
//! overloads, conversions and assignments are those of the source, and its argument is evaluated where and as
//! often as before. A bit-field has no address, and no reference can be bound to a member of a packed record: the
//! record is noted, `layoutcAt(7, p[i]).flags` or, with a pointer, `layoutcTo(7, q)->flags`. A lane of an OpenCL vector
//! has no address, either, so its vector is noted. What stands in the body of a macro is noted there, if that is right
//! for all of its uses. What has no text of its own stays as it is and is listed, as far as it would run.

mod accesses;
mod bodies;
mod lanes;
mod loops;
mod noted;
mod ranges;
mod shapes;
mod wraps;

use crate::edit::{EditSet, in_files};
use accesses::Found;
use layoutc_analysis::cost_model::CostModel;
use layoutc_analysis::profile::{
    Array, Instruction, Kernel, Leaf, Loop, Omitted, Place, Profile, Source, VERSION,
};
use layoutc_dataflow::classes::{ClassId, Classes};
use layoutc_diagnostics::{FileId, Span};
use layoutc_syntax::{ExecutionSpace, FunctionId, Program, StmtId, StmtKind};
use noted::Noted;
use std::collections::BTreeMap;
use wraps::Wrap;

/// An instrumented program.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The edits of each file, those of `lowering` among them.
    pub edits: BTreeMap<FileId, EditSet>,
    /// What the numbers in the calls mean; no runs.
    pub profile: Profile,
}

/// Instruments a program.
///
/// `sources` are its texts with the digests of their bytes, in any order; `lowering` are edits that it needs in
/// order to be compiled; text that they replace is not instrumented.
#[must_use]
pub fn instrument(
    program: &Program,
    classes: &Classes,
    model: &CostModel,
    sources: &BTreeMap<FileId, Source>,
    lowering: &BTreeMap<FileId, EditSet>,
) -> Instrumented {
    let mut files: Vec<(FileId, Source)> =
        sources.iter().map(|(id, source)| (*id, source.clone())).collect();
    files.sort_by(|left, right| left.1.path.cmp(&right.1.path));
    let positions: BTreeMap<FileId, u32> =
        files.iter().zip(0..).map(|((id, _), at)| (*id, at)).collect();
    let place = |span: Span| {
        let file = program.sources.file(span.file);
        let line = file.line_column(span.start as usize).line;
        // Kernel text in a host program is a part of its file, at the same bytes.
        let source = *positions.get(&file.view().map_or(span.file, |view| view.of))?;
        Some(Place { source, start: span.start, end: span.end, line })
    };
    let is_replaced = |span: Span| {
        let edits = lowering.get(&span.file).map(EditSet::edits).unwrap_or_default();
        edits.iter().any(|edit| edit.span.overlaps(span))
    };

    let mut wraps: Vec<Wrap> = Vec::new();
    let mut profile = Profile {
        version: VERSION,
        sources: files.into_iter().map(|(_, source)| source).collect(),
        runs: Vec::new(),
        arrays: Vec::new(),
        kernels: Vec::new(),
        loops: Vec::new(),
        instructions: Vec::new(),
        omitted: Vec::new(),
    };

    let (mut found, mut omitted) = accesses::find(program, classes, model);
    found.retain(|_, own| !is_replaced(own.span) && place(own.span).is_some());
    // What an OpenCL kernel runs that cannot say which one it is would count for another one.
    let is_unclear = has_unmarked_kernels(program);
    let is_apart = |function: FunctionId, span: Span| {
        is_unclear
            && program.files[span.file.index()].is_opencl
            && program.function(function).space != ExecutionSpace::Kernel
    };
    found.retain(|span, own| {
        let is_apart = is_apart(own.function, *span);
        if is_apart {
            omitted.insert(*span, "a kernel without text of its own may run it");
        }
        !is_apart
    });
    for (span, because) in omitted {
        profile
            .omitted
            .extend(place(span).map(|place| Omitted { place, because: because.to_owned() }));
    }
    let loops = loops::find(program, &found);
    let loops: Vec<_> = loops
        .into_iter()
        .filter(|own| !is_replaced(own.span) && place(own.span).is_some())
        .filter(|own| !is_apart(own.function, own.span))
        .collect();
    for own in &loops {
        let parent = loops.iter().rposition(|outer| {
            outer.span != own.span
                && outer.span.contains(own.span)
                && outer.function == own.function
        });
        let number = profile.loops.len();
        let space = if own.is_behind_directive { '\n' } else { ' ' };
        let (before, next, behind) = match program.files[own.span.file.index()].is_opencl {
            true => (
                format!("{{ layoutcEnter({number});{space}"),
                format!("layoutcNext({number}); "),
                format!(" layoutcLeave({number}); }}"),
            ),
            false => (
                format!("{{ LayoutcLoop layoutcLoop{number}({number});{space}"),
                format!("layoutcLoop{number}.next(); "),
                " }".to_owned(),
            ),
        };
        wraps.push(Wrap::new(own.span, before, &behind));
        wraps.push(own.body.wrap(next));
        // What returns leaves the loops around it, all of which the outermost one ends.
        for exit in own.exits.iter().filter(|_| parent.is_none()) {
            wraps.push(match exit {
                loops::Exit::Value(span) => {
                    Wrap::new(*span, format!("layoutcResult({number}, "), ")")
                }
                loops::Exit::Statement(span) => {
                    Wrap::new(*span, format!("{{ layoutcLeave({number}); "), " }")
                }
            });
        }
        profile.loops.extend(place(own.span).map(|place| Loop {
            function: program.function(own.function).name.clone(),
            parent: parent.map(|at| at as u32),
            place,
        }));
    }
    for id in program.function_ids() {
        let function = program.function(id);
        let is_kernel = function.space == ExecutionSpace::Kernel && function.copy_of.is_none();
        let Some(body) = function.body.filter(|_| is_kernel) else { continue };
        let Some(site) =
            function.sites.iter().find(|own| own.span.contains(program.stmt(body).span))
        else {
            continue;
        };
        let (Some(inside), Some(place)) = (inside_of(program, body), place(site.name)) else {
            continue;
        };
        let number = profile.kernels.len();
        wraps.push(Wrap::new(inside, format!(" layoutcKernel({number});"), ""));
        profile.kernels.push(Kernel { name: function.name.clone(), place });
    }
    let mut arrays: BTreeMap<ClassId, u32> = BTreeMap::new();
    for own in found.values() {
        let number = profile.instructions.len();
        let Some(place) = place(own.span) else { continue };
        let array = match arrays.get(&own.class) {
            Some(known) => *known,
            None => {
                let Some(array) = array_of(program, classes, own.class) else { continue };
                profile.arrays.push(array);
                let at = profile.arrays.len() as u32 - 1;
                arrays.insert(own.class, at);
                at
            }
        };
        let Noted { span, function } = own.noted;
        wraps.push(Wrap::new(span, format!("{function}({number}, "), ")"));
        profile.instructions.push(instruction(program, &loops, own, array, place));
    }

    let mut edits: BTreeMap<FileId, Vec<crate::Edit>> = BTreeMap::new();
    for (file, own) in lowering {
        edits.entry(*file).or_default().extend(own.edits().iter().cloned());
    }
    for (file, own) in wraps::insertions(wraps) {
        edits.entry(file).or_default().extend(own);
    }
    let edits = edits
        .into_iter()
        .map(|(file, own)| (file, EditSet::new(own).expect("insertions outside of other edits")))
        .collect();
    Instrumented { edits: in_files(&program.sources, edits), profile }
}

fn instruction(
    program: &Program,
    loops: &[loops::Found],
    own: &Found,
    array: u32,
    place: Place,
) -> Instruction {
    let is_around = |outer: &loops::Found| own.uses.iter().all(|one| outer.span.contains(*one));
    let scope = loops.iter().rposition(is_around);
    Instruction {
        array,
        leaves: own.leaves.clone(),
        kind: own.kind,
        ranges: own.ranges.clone(),
        scope: scope.map(|at| at as u32),
        function: program.function(own.function).name.clone(),
        text: program.text(own.span).split_whitespace().collect::<Vec<_>>().join(" "),
        place,
    }
}

fn array_of(program: &Program, classes: &Classes, id: ClassId) -> Option<Array> {
    let class = classes.class(id);
    let shape = shapes::shape_of(program, class)?.shape;
    let mut names: Vec<String> = Vec::new();
    for slot in &class.slots {
        for name in layoutc_dataflow::classes::slot_names(program, *slot).into_iter().take(1) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let leaf = |own: &layoutc_dataflow::layout::Leaf| Leaf {
        name: own.path.clone(),
        offset: own.offset.0,
        bytes: own.size().0,
    };
    Some(Array {
        record: class.element.spelled_name(program).into_owned(),
        names,
        size: shape.size.0,
        leaves: shape.leaves.iter().map(leaf).collect(),
    })
}

/// Whether there is a kernel in OpenCL C whose body is a macro's.
fn has_unmarked_kernels(program: &Program) -> bool {
    program.function_ids().any(|id| {
        let function = program.function(id);
        function.space == ExecutionSpace::Kernel
            && function.body.is_some_and(|body| {
                let is_opencl = program.files[program.stmt(body).span.file.index()].is_opencl;
                is_opencl && inside_of(program, body).is_none()
            })
    })
}

/// What is between the braces of a block, if that is text of its own.
fn inside_of(program: &Program, body: StmtId) -> Option<Span> {
    let own = program.stmt(body);
    let is_own = program.stmt_homes.of(body.index()).is_none();
    let text = program.text(own.span);
    let is_block =
        matches!(own.kind, StmtKind::Block(_)) && text.starts_with('{') && text.ends_with('}');
    (is_block && is_own && text.len() >= 2).then(|| Span {
        start: own.span.start + 1,
        end: own.span.end - 1,
        ..own.span
    })
}
