//! OpenCL programs, traced on PoCL.

use super::feed::{Feed, Segment};
use super::segments::sections;
use super::{Simulated, SimulatedRun, Texts, check_end, collect};
use crate::compile::Success;
use crate::verify::opencl::{compilers, request, rewritten};
use crate::verify::{changed, original_sources};
use layoutc_analysis::simulate::{Machine, Simulator};
use layoutc_dataflow::layout::{Layout, RecordShape};
use layoutc_runtime::opencl::{OpenCl, OpenClRequest};
use layoutc_runtime::process::RunRequest;
use layoutc_runtime::trace::Allocation;

/// Builds, runs and simulates the program as it is, or as it is rewritten.
pub(super) fn simulate(
    run: &SimulatedRun,
    success: &Success,
    is_rewritten: bool,
) -> Result<Simulated, String> {
    let machine = Machine::new(run.device).map_err(|error| error.to_string())?;
    let opencl = OpenCl::find(&compilers()).map_err(|error| error.to_string())?;
    let folder =
        tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
    let texts = if is_rewritten { rewritten(success) } else { original_sources(success) }?;
    let request = OpenClRequest {
        is_traced: true,
        ..request(success, &folder.path().join("traced"), texts)?
    };
    let built = opencl.build(&request).map_err(|error| error.to_string())?;
    let layouts: Vec<&(RecordShape, Layout)> = match is_rewritten {
        true => changed(success).filter_map(|class| class.geometry.as_ref()).collect(),
        false => Vec::new(),
    };
    let of_allocation = |own: &Allocation| segments_of(&layouts, own);
    let mut feed =
        Feed::new(Simulator::new(machine), &of_allocation, &success.compiled.generated_kernels);
    let request = RunRequest { timeout: run.timeout, ..RunRequest::new(run.args.to_vec()) };
    let traced = built.trace(&request, &mut feed).map_err(|error| error.to_string())?;
    check_end(run, &traced.result)?;
    let (simulator, places) = feed.finish();
    let texts = Texts { success, is_rewritten };
    let simulated = collect(&texts, simulator, &places, &|place| traced.places.of(place));
    let left_out = traced.places.left_out.iter().cloned().collect();
    Ok(Simulated { left_out, ..simulated })
}

/// A buffer that is divided begins with its number of units, by which it is told from others; layouts that divide
/// it differently leave open what it is.
fn segments_of(layouts: &[&(RecordShape, Layout)], own: &Allocation) -> Vec<Segment> {
    let Some(units) = own.units else { return Vec::new() };
    let mut found =
        layouts.iter().filter_map(|(shape, layout)| sections(shape, layout, own.bytes, units));
    let Some(first) = found.next() else { return Vec::new() };
    if found.all(|other| other == first) { first } else { Vec::new() }
}
