//! What layouts cost by simulation: each program is transformed, built for the CPU, run, and the addresses
//! that its kernels touch go through a simulated device.

mod feed;
mod opencl;
mod segments;

use crate::arguments::ProgramArguments;
use crate::compile::{Failure, Purpose, Success, compile_for};
use crate::progress::phase;
use crate::verify::{
    HANDLE_SITES_HEADER, SiteNumbers, build_request, cache_dir, changed, file_ids, lowered_sources,
    original_sources, rewritten_sources,
};
use feed::Feed;
use layoutc_analysis::device::Device;
use layoutc_analysis::simulate::{Counts, Machine, Simulator};
use layoutc_dataflow::layout::{Layout, RecordShape};
use layoutc_diagnostics::{Diagnostic, Severity};
use layoutc_runtime::lowering::SiteId;
use layoutc_runtime::process::{REPORTED_STATUS, RunRequest, RunResult, RunStatus};
use layoutc_runtime::program::{SourceText, device_variables};
use layoutc_runtime::toolchain::build;
use layoutc_runtime::trace::{AccessKind, Allocation, Location, Locations, Place, trace};
use segments::segments;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How programs are run.
pub struct SimulatedRun<'a> {
    /// The program; its `--layout` options do not count.
    pub program: &'a ProgramArguments,
    /// What it is run with.
    pub args: &'a [OsString],
    /// When it is stopped.
    pub timeout: Duration,
    /// The device that is simulated.
    pub device: &'a Device,
}

/// What a program's kernels cost in one layout.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Simulated {
    /// In the order of their first launches.
    pub kernels: Vec<SimulatedKernel>,
    /// Sectors that the second-level cache holds back in the end, read to be completed and written.
    pub write_back: Counts,
    /// What that costs.
    pub write_back_cost: f64,
    /// What accesses memory and is not traced, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SimulatedKernel {
    /// Its name with template arguments, as the text launches it.
    pub name: String,
    /// How often it was launched.
    pub launches: u64,
    /// Whether it is generated and converts arrays from one layout to another.
    pub is_conversion: bool,
    /// All places together.
    pub counts: Counts,
    /// What they cost by the weights of [`layoutc_analysis::cost::sectors`].
    pub cost: f64,
    /// What the paper's dynamic cost is, for devices that it describes.
    pub paper_cost: Option<f64>,
    /// The places that access memory, in the order of the text.
    pub places: Vec<SimulatedPlace>,
}

/// A place in the text.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SimulatedPlace {
    /// The file.
    pub file: String,
    /// The line in the text that was compiled, which is the rewritten one for a new layout.
    pub line: u32,
    /// The line in the source, where the text comes from there.
    pub source_line: Option<u32>,
    /// What it does.
    pub kind: &'static str,
    /// What it asked for, and who served it.
    pub counts: Counts,
}

/// What the program costs in the source's layout.
///
/// # Errors
/// A sentence: the program does not compile, build or run, or the device cannot be simulated.
pub fn simulate_source(run: &SimulatedRun, success: &Success) -> Result<Simulated, String> {
    if is_opencl(success) {
        return opencl::simulate(run, success, false);
    }
    let sources = lowered_sources(success)?;
    run_and_simulate(run, success, sources, None)
}

/// What the program costs with these texts as `--layout`.
///
/// # Errors
/// As [`simulate_source`], and if nothing changes.
pub fn simulate_layout(run: &SimulatedRun, layouts: &[String]) -> Result<Simulated, String> {
    let program = ProgramArguments {
        layouts: layouts.to_vec(),
        // A column is the layout that it says, and no other.
        ignores_pragmas: true,
        ..run.program.clone()
    };
    let success = match compile_for(&program, Purpose::Transform) {
        Ok(success) => success,
        Err(Failure::Reported(_, diagnostics)) => return Err(first_message(&diagnostics)),
        Err(Failure::Internal(error)) => return Err(error.to_string()),
    };
    if success.changed().next().is_none() {
        let because = first_message(&success.compiled.diagnostics);
        return Err(format!("nothing changes: {because}"));
    }
    if is_opencl(&success) {
        return opencl::simulate(run, &success, true);
    }
    let numbers = SiteNumbers::new(&original_sources(&success)?, &file_ids(&success));
    let sources = rewritten_sources(&success, &numbers)?;
    let mut shapes = Shapes::new();
    for class in changed(&success) {
        let Some(geometry) = &class.geometry else { continue };
        for site in class.allocations.iter().filter_map(|call| numbers.site_in(*call)) {
            shapes.insert(site, geometry.clone());
        }
    }
    run_and_simulate(run, &success, sources, Some(&shapes))
}

fn is_opencl(success: &Success) -> bool {
    success.compiled.program.files.iter().any(|file| file.is_opencl)
}

fn first_message(diagnostics: &[Diagnostic]) -> String {
    let worst = diagnostics.iter().map(|own| own.severity).max().unwrap_or(Severity::Note);
    let first = diagnostics.iter().find(|own| own.severity == worst);
    first.map_or_else(|| "no array can".to_owned(), |own| own.message.clone())
}

/// The layouts of the allocations of call sites.
type Shapes = BTreeMap<SiteId, (RecordShape, Layout)>;

/// Builds, runs and simulates; a rewritten program has `shapes`.
fn run_and_simulate(
    run: &SimulatedRun,
    success: &Success,
    sources: Vec<SourceText>,
    shapes: Option<&Shapes>,
) -> Result<Simulated, String> {
    let machine = Machine::new(run.device).map_err(|error| error.to_string())?;
    let folder =
        tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let variables = device_variables(&sources);
    let mut request = build_request(success, folder.path(), "traced", sources);
    request.is_traced = true;
    if shapes.is_some() {
        let path = folder.path().join("handle_sites.hpp");
        fs::write(&path, HANDLE_SITES_HEADER)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        request.flags.extend(["-include".to_owned(), path.display().to_string()]);
    }
    request.cache_dir = Some(cache_dir().unwrap_or_else(|| folder.path().join("runtime")));
    let phase = phase("simulation: building the program");
    let built = build(&request).map_err(|error| error.to_string())?;
    phase.say("simulation: running the program");
    let of_allocation = |own: &Allocation| {
        let geometry = shapes.zip(own.site).and_then(|(shapes, site)| shapes.get(&site));
        geometry.map(|(shape, layout)| segments(shape, layout, own.bytes)).unwrap_or_default()
    };
    let mut feed =
        Feed::new(Simulator::new(machine), &of_allocation, &success.compiled.generated_kernels);
    let request = RunRequest { timeout: run.timeout, ..RunRequest::new(run.args.to_vec()) };
    let result =
        trace(&built, &variables, &request, &mut feed).map_err(|error| error.to_string())?;
    check_end(run, &result)?;
    let locations = Locations::new(&built).map_err(|error| error.to_string())?;
    let (simulator, places) = feed.finish();
    let texts = Texts { success, is_rewritten: shapes.is_some() };
    Ok(collect(&texts, simulator, &places, &|place| locations.of(place)))
}

/// Whether the run ended by itself.
fn check_end(run: &SimulatedRun, result: &RunResult) -> Result<(), String> {
    match result.status {
        RunStatus::Exited(status) if status != REPORTED_STATUS => Ok(()),
        RunStatus::Exited(_) => Err(format!("the run fails: {}", text_of(&result.stderr))),
        RunStatus::Signalled(signal) => {
            Err(format!("the run ends by signal {signal}: {}", text_of(&result.stderr)))
        }
        RunStatus::TimedOut => {
            Err(format!("the run takes more than {} seconds", run.timeout.as_secs()))
        }
    }
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn collect(
    texts: &Texts,
    mut simulator: Simulator,
    places: &[Place],
    locations: &dyn Fn(&Place) -> Vec<Location>,
) -> Simulated {
    let write_back = simulator.write_back();
    let weights = simulator.machine().weights;
    let paper_weights = simulator.machine().paper_weights;
    let generated: BTreeSet<&str> =
        texts.success.compiled.generated_kernels.iter().map(String::as_str).collect();
    let mut kernels = Vec::new();
    for kernel in simulator.kernels() {
        let counts = kernel.total();
        let mut lines: BTreeMap<(String, u32, &'static str), Counts> = BTreeMap::new();
        for (place, counts) in places.iter().zip(&kernel.places) {
            if counts.requests == 0 {
                continue;
            }
            let kind = match place.kind {
                AccessKind::Read => "read",
                AccessKind::Write => "write",
                AccessKind::Atomic => "atomic",
            };
            let frames = locations(place);
            // Generated functions stand for what calls them.
            let own = frames.iter().find(|own| texts.source_line(&own.path, own.line).is_some());
            let (file, line) = own.or(frames.first()).map_or_else(
                || ("?".to_owned(), 0),
                |location| (texts.name(&location.path), location.line),
            );
            *lines.entry((file, line, kind)).or_default() += *counts;
        }
        let places = lines.into_iter().map(|((file, line, kind), counts)| SimulatedPlace {
            source_line: texts.source_line(Path::new(&file), line),
            file,
            line,
            kind,
            counts,
        });
        kernels.push(SimulatedKernel {
            name: kernel.kernel.clone(),
            launches: kernel.launches,
            is_conversion: generated.contains(base_name(&kernel.kernel)),
            counts,
            cost: counts.sector_cost(weights),
            paper_cost: paper_weights.map(|weights| counts.transaction_cost(weights)),
            places: places.collect(),
        });
    }
    let write_back_cost = write_back.sector_cost(weights);
    Simulated { kernels, write_back, write_back_cost, left_out: Vec::new() }
}

/// A kernel's name without namespaces and template arguments.
pub fn base_name(kernel: &str) -> &str {
    let name = kernel.split('<').next().unwrap_or(kernel).trim();
    name.rsplit("::").next().unwrap_or(name)
}

/// Which lines of the compiled texts come from which lines of the source.
struct Texts<'a> {
    success: &'a Success,
    is_rewritten: bool,
}

impl Texts<'_> {
    /// A file's name as the program was named.
    fn name(&self, path: &Path) -> String {
        self.file(path).map_or_else(
            || path.display().to_string(),
            |id| self.success.sources().file(id).path().display().to_string(),
        )
    }

    fn file(&self, path: &Path) -> Option<layoutc_diagnostics::FileId> {
        let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let wanted = full(path);
        let mut files = self.success.sources().iter();
        files.find(|(_, file)| full(file.path()) == wanted).map(|(id, _)| id)
    }

    /// The line of the source that a line of the compiled text comes from; none for generated text.
    fn source_line(&self, path: &Path, line: u32) -> Option<u32> {
        let id = self.file(path)?;
        let edits = self.success.compiled.edits.get(&id).filter(|_| self.is_rewritten);
        let Some(edits) = edits else { return Some(line) };
        let text = self.success.sources().file(id).text();
        let lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count() as u32;
        // Lines of the source and of the result before the edit that is looked at.
        let (mut source, mut result) = (1, 1);
        let mut at = 0;
        for edit in edits.edits() {
            let before = lines(&text[at..edit.span.start as usize]);
            if line < result + before || line == result + before && !edit.is_generated {
                return Some(source + (line - result));
            }
            (source, result) = (source + before, result + before);
            let added = lines(&edit.text);
            let removed = lines(&text[edit.span.start as usize..edit.span.end as usize]);
            if line < result + added {
                let is_foreign = edit.is_generated || edit.version_of.is_some();
                return (!is_foreign).then(|| source + (line - result).min(removed));
            }
            (source, result) = (source + removed, result + added);
            at = edit.span.end as usize;
        }
        Some(source + (line - result))
    }
}

impl Simulated {
    /// What the kernels of these names cost together, conversions left out: by sectors, with what is
    /// written back in the end, and as the paper has it.
    #[must_use]
    pub fn cost_of(&self, kernels: &BTreeSet<&str>) -> (f64, Option<f64>) {
        let own = self.kernels.iter().filter(|own| kernels.contains(base_name(&own.name)));
        own.fold((self.write_back_cost, Some(0.0)), |(cost, paper), kernel| {
            (cost + kernel.cost, paper.zip(kernel.paper_cost).map(|(sum, own)| sum + own))
        })
    }
}
