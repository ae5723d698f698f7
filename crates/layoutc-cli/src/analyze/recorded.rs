//! What `--profile` recorded of the arrays of structs, and what is made of it.

pub(super) mod page;
mod text;

use crate::arguments::{AnalyzeArguments, SelectorName};
use crate::compile::Success;
use crate::strips::{Strip, strips};
use clap::ValueEnum;
use layoutc_analysis::cost_choice::Verdict;
use layoutc_analysis::cost_model::Recording;
use layoutc_analysis::cost_model::{ArrayInfo, ArraySource};
use layoutc_analysis::heat_map::HeatMap;
use layoutc_analysis::profile::{Instruction, Kind, Place, Profile, Totals};
use layoutc_analysis::trace::{Class, Decision, Selection, Tree};
use layoutc_dataflow::layout::{Layout, RecordShape};
use layoutc_diagnostics::SourceSet;
use layoutc_driver::{ClassOutcome, Status};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs, and the arrays of structs in them.
#[derive(Serialize)]
pub(super) struct Recorded {
    files: Vec<String>,
    /// What the layouts are chosen for.
    device: String,
    /// What chooses them.
    selector: String,
    runs: Vec<Run>,
    /// Accesses that are not recorded.
    omitted: Vec<Omitted>,
    arrays: Vec<Array>,
}

#[derive(Serialize)]
struct Run {
    arguments: Vec<String>,
    device: String,
    /// Why it ended early.
    partial: Option<String>,
    launches: Vec<Launch>,
}

#[derive(Serialize)]
struct Launch {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    launches: u64,
}

#[derive(Serialize)]
struct Omitted {
    file: String,
    line: u32,
    because: String,
}

/// A class of arrays.
#[derive(Serialize)]
struct Array {
    #[serde(rename = "type")]
    type_name: String,
    names: Vec<String>,
    /// Bytes of an element; nothing where the sizes of members are not known.
    size: Option<u64>,
    fields: Vec<Field>,
    /// Nothing where no run accesses the array; then `trace` says why.
    heat: Option<HeatMap>,
    accesses: Vec<Access>,
    /// The lines of the source in which they stand, by file and line.
    lines: Vec<Line>,
    /// Accesses that no run executed.
    never_ran: usize,
    trace: Trace,
    /// `changes` or `stays`, by the selector.
    status: &'static str,
    /// The layout by the selector, in the common notation.
    layout: String,
    because: String,
    /// The bytes of the first elements, as in the source and in the new layout.
    before: Vec<Strip>,
    after: Vec<Strip>,
}

#[derive(Serialize)]
struct Field {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    offset: u64,
    bytes: u64,
}

/// An access, and what it says for structs or arrays.
#[derive(Serialize)]
struct Access {
    file: String,
    line: u32,
    text: String,
    kind: Kind,
    fields: Vec<String>,
    class: Class,
    /// The paper's n: threads on a line.
    threads: f64,
    executions: u64,
    /// What all executions say: more than 0 for structs, less for arrays.
    weight: f64,
    /// Where it ran.
    at: Vec<Ran>,
}

/// A line of the source with accesses.
#[derive(Serialize)]
struct Line {
    file: String,
    line: u32,
    text: String,
    /// What is accessed there, such as `read x`, each once.
    accesses: Vec<String>,
    /// Executions of its accesses.
    executions: u64,
}

#[derive(Serialize)]
struct Ran {
    kernel: String,
    /// `body` of the kernel, or the file and the line of the innermost loop.
    #[serde(rename = "loop")]
    scope: String,
    executions: u64,
    lanes: u64,
}

/// What Nakai and Ohno's method makes of it.
#[derive(Serialize)]
struct Trace {
    /// The layout that it gives.
    layout: Option<String>,
    because: String,
    /// Field access trees: as built, merged within kernels, and across them.
    trees: Vec<Tree>,
    clusters: Vec<Cluster>,
    disagreements: Vec<Disagreement>,
}

#[derive(Serialize)]
struct Cluster {
    count: u64,
    fields: Vec<String>,
}

/// A run that alone would give another layout.
#[derive(Serialize)]
struct Disagreement {
    /// From 0.
    run: usize,
    layout: String,
}

/// What was recorded, of every array of structs of the program.
pub(super) fn recorded(
    success: &Success,
    arguments: &AnalyzeArguments,
    profile: &Profile,
) -> Recorded {
    let compiled = &success.compiled;
    let device = &arguments.program.device;
    let recording = Recording::new(profile, success.sources());
    let view = View {
        profile,
        sources: success.sources(),
        totals: profile.all_runs(),
        selection: Selection {
            model: &compiled.cost_model,
            device,
            recording: &recording,
            options: arguments.program.trace,
        },
    };
    let instructions = recording.of_classes(&compiled.cost_model);
    let mut arrays = Vec::new();
    for (id, outcome) in compiled.record_classes.ids().zip(&compiled.classes) {
        let mut infos = compiled.cost_model.arrays.iter();
        let info = infos.find(|info| info.source == ArraySource::Class(id));
        let own = instructions.get(&id).map_or(&[][..], Vec::as_slice);
        let decision = view.selection.decide(id);
        let verdict = view.selection.verdict(id);
        arrays.push(view.array(outcome, info, own, decision, verdict));
    }
    let selector = arguments.program.selector.unwrap_or(SelectorName::Auto).to_possible_value();
    Recorded {
        files: profile.sources.iter().map(|source| source.path.clone()).collect(),
        device: device.name.clone(),
        selector: selector.map_or_else(String::new, |name| name.get_name().to_owned()),
        runs: profile.runs.iter().map(|own| run(profile, own)).collect(),
        omitted: (profile.omitted.iter())
            .map(|own| Omitted {
                file: view.file(&own.place),
                line: own.place.line,
                because: own.because.clone(),
            })
            .collect(),
        arrays,
    }
}

fn run(profile: &Profile, run: &layoutc_analysis::profile::Run) -> Run {
    let launches = run.launches.iter().map(|own| Launch {
        kernel: profile.kernels[own.kernel as usize].name.clone(),
        grid: own.grid,
        block: own.block,
        launches: own.launches,
    });
    Run {
        arguments: run.arguments.clone(),
        device: run.device.clone(),
        partial: run.partial.clone(),
        launches: launches.collect(),
    }
}

/// What the arrays have in common.
struct View<'a> {
    profile: &'a Profile,
    sources: &'a SourceSet,
    totals: Totals,
    selection: Selection<'a>,
}

impl View<'_> {
    fn file(&self, place: &Place) -> String {
        self.profile.sources[place.source as usize].path.clone()
    }

    fn array(
        &self,
        outcome: &ClassOutcome,
        info: Option<&ArrayInfo>,
        instructions: &[u32],
        decision: Result<Decision, String>,
        verdict: Verdict,
    ) -> Array {
        let shape = info.map(|info| &info.shape);
        let because = match (outcome.status, outcome.reasons.first()) {
            (Status::Kept, Some(reason)) => reason.message.clone(),
            (Status::Kept | Status::Changed, _) => outcome.because.clone(),
        };
        let recording = self.selection.recording;
        let heat = match (&decision, shape) {
            (Ok(_), Some(shape)) => {
                Some(HeatMap::new(recording, instructions, &self.totals, shape))
            }
            _ => None,
        };
        let decided = decision.as_ref().ok();
        let accesses = decided.map_or_else(Vec::new, |decision| self.accesses(decision));
        Array {
            type_name: outcome.type_name.clone(),
            names: outcome.names.clone(),
            size: shape.map(|shape| shape.size.0),
            fields: shape.map_or_else(Vec::new, fields),
            heat,
            lines: self.lines(&accesses),
            never_ran: instructions.len().saturating_sub(accesses.len()),
            accesses,
            trace: trace(decided, verdict),
            status: match outcome.status {
                Status::Changed => "changes",
                Status::Kept => "stays",
            },
            layout: outcome.layout.clone(),
            because,
            before: shape.map_or_else(Vec::new, |shape| strips(shape, &Layout::aos(shape))),
            after: (outcome.geometry.as_ref())
                .map_or_else(Vec::new, |(shape, layout)| strips(shape, layout)),
        }
    }

    fn accesses(&self, decision: &Decision) -> Vec<Access> {
        let names = &decision.tree.fields;
        (decision.accesses.iter())
            .map(|weighed| {
                let instruction = &self.profile.instructions[weighed.instruction as usize];
                Access {
                    file: self.file(&instruction.place),
                    line: weighed.line,
                    text: weighed.text.clone(),
                    kind: instruction.kind,
                    fields: weighed.fields.iter().map(|at| names[*at].clone()).collect(),
                    class: weighed.classified.class,
                    threads: rounded(weighed.classified.threads),
                    executions: weighed.classified.executions,
                    weight: rounded(weighed.sum),
                    at: self.places(weighed.instruction, instruction),
                }
            })
            .collect()
    }

    /// The lines of the source in which accesses stand.
    fn lines(&self, accesses: &[Access]) -> Vec<Line> {
        let mut found: BTreeMap<(&str, u32), (Vec<String>, u64)> = BTreeMap::new();
        for access in accesses {
            let own = found.entry((&access.file, access.line)).or_default();
            let kind = format!("{:?}", access.kind).to_lowercase();
            let text = format!("{kind} {}", access.fields.join(" "));
            if !own.0.contains(&text) {
                own.0.push(text);
            }
            own.1 += access.executions;
        }
        let line = |((file, line), (accesses, executions)): ((&str, u32), (Vec<String>, u64))| {
            Line { file: file.to_owned(), line, text: self.line(file, line), accesses, executions }
        };
        found.into_iter().map(line).collect()
    }

    /// The text of a line, without its indentation.
    fn line(&self, file: &str, line: u32) -> String {
        let mut files = self.sources.iter().map(|(_, file)| file);
        let own = files.find(|own| own.view().is_none() && own.path() == Path::new(file));
        let text = own.and_then(|own| own.text().lines().nth(line.saturating_sub(1) as usize));
        text.unwrap_or_default().trim().to_owned()
    }

    /// In which kernels and loops an access ran.
    fn places(&self, at: u32, instruction: &Instruction) -> Vec<Ran> {
        let mut found = Vec::new();
        for ((kernel, own, scope), counts) in &self.totals.accesses {
            if *own != at || counts.requests == 0 {
                continue;
            }
            let place = scope.map(|scope| &self.profile.loops[scope as usize].place);
            found.push(Ran {
                kernel: self.profile.kernels[*kernel as usize].name.clone(),
                scope: match place {
                    None => "body".to_owned(),
                    Some(place) if place.source == instruction.place.source => {
                        format!("loop at line {}", place.line)
                    }
                    Some(place) => format!("loop at {}:{}", self.file(place), place.line),
                },
                executions: counts.requests,
                lanes: counts.lanes,
            });
        }
        found
    }
}

fn fields(shape: &RecordShape) -> Vec<Field> {
    let field = |leaf: &layoutc_dataflow::layout::Leaf| Field {
        name: leaf.path.clone(),
        type_name: leaf.type_name.clone(),
        offset: leaf.offset.0,
        bytes: leaf.size().0,
    };
    shape.leaves.iter().map(field).collect()
}

fn trace(decision: Option<&Decision>, verdict: Verdict) -> Trace {
    let because = match verdict {
        Verdict::Change { because, .. } | Verdict::Stay { because } => because,
    };
    let Some(decision) = decision else {
        let (trees, clusters, disagreements) = (Vec::new(), Vec::new(), Vec::new());
        return Trace { layout: None, because, trees, clusters, disagreements };
    };
    let name = |at: &usize| decision.tree.fields[*at].clone();
    Trace {
        layout: Some(decision.notation.clone()),
        because,
        trees: [&decision.tree, &decision.within, &decision.across].map(Clone::clone).into(),
        clusters: (decision.clusters.iter())
            .map(|cluster| Cluster {
                count: cluster.count,
                fields: cluster.fields.iter().map(name).collect(),
            })
            .collect(),
        disagreements: (decision.disagreements.iter())
            .map(|own| Disagreement { run: own.run, layout: own.layout.clone() })
            .collect(),
    }
}

/// To two places.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// What the trees of [`Trace::trees`] are.
const TREES: [&str; 3] = ["as recorded", "merged within kernels", "merged across kernels"];

impl Run {
    /// `run 1, on cpu, with 13 5`.
    fn title(&self, at: usize) -> String {
        let number = at + 1;
        match self.arguments.is_empty() {
            true => format!("run {number} on {}, without arguments", self.device),
            false => format!("run {number} on {}: {}", self.device, self.arguments.join(" ")),
        }
    }
}
