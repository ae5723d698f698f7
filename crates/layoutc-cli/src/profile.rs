//! `layoutc profile`: the program instrumented, built, run, and what its accesses did.

mod counts;
mod digest;
pub mod given;
mod nvcc;
mod opencl;

use crate::arguments::{Backend, ProfileArguments};
use crate::compile::{Purpose, Success, compile_for};
use crate::exit::{Exit, fail, say};
use crate::format::Findings;
use crate::progress::phase;
use crate::verify::{build_request, cache_dir, sources};
use crate::write::{Target, write_all};
pub use digest::digests;
use layoutc_analysis::profile::{Accessed, Counts, Instruction, Launched, Profile, Run, Trips};
use layoutc_codegen::instrument::{Instrumented, instrument};
use layoutc_rows::Rows;
use layoutc_runtime::process::{REPORTED_STATUS, RunRequest, RunResult, RunStatus};
use layoutc_runtime::profile::{self, HEADER, Instrument, Sums, record};
use layoutc_runtime::program::SourceText;
use layoutc_runtime::toolchain::build;
use std::borrow::Cow;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of the header that is put in front of every file.
const GENERATED: &str = "layoutc_profile.hpp";

/// Instruments, builds, runs and writes the profile.
pub fn run(arguments: &ProfileArguments) -> Exit {
    let success = match compile_for(&arguments.program, Purpose::Profile) {
        Ok(success) => success,
        Err(failure) => {
            arguments.program.format.show_failure(&failure);
            return Exit::Failed;
        }
    };
    let format = arguments.program.format;
    let done = profile(arguments, &success).and_then(|exit| {
        if format.is_output() {
            format.show(&Findings::of(&success))?;
        }
        Ok(exit)
    });
    done.unwrap_or_else(fail)
}

fn profile(arguments: &ProfileArguments, success: &Success) -> Result<Exit, String> {
    let compiled = &success.compiled;
    // Said before a long run, not behind it.
    for path in arguments.output.iter().chain(&arguments.rows) {
        let folder = crate::write::parent(path);
        if !folder.is_dir() {
            return Err(format!(
                "cannot write {}: `{}` is no folder",
                path.display(),
                folder.display()
            ));
        }
    }
    if arguments.rows.is_some() && arguments.backend == Backend::Nvcc {
        return Err("--rows needs the CPU runtime: leave out --backend".to_owned());
    }
    let is_opencl = compiled.program.files.iter().any(|file| file.is_opencl);
    if is_opencl
        && (arguments.backend == Backend::Nvcc
            || arguments.instrument.is_some()
            || arguments.counts.is_some())
    {
        return Err("OpenCL programs are recorded on a CPU device, by layoutc itself: leave out --backend, \
                    --instrument and --counts"
            .to_owned());
    }
    let instrumented = instrument(
        &compiled.program,
        &compiled.record_classes,
        &compiled.cost_model,
        &digests(success),
        &compiled.lowering,
    );
    if instrumented.profile.instructions.is_empty() {
        return Err(
            "no kernel accesses an array of structs, so there is nothing to record".to_owned()
        );
    }
    if let Some(folder) = &arguments.instrument {
        return nvcc::write_program(success, &instrumented, folder).map(|()| Exit::Done);
    }
    let mut seconds = None;
    let (run, output) = match (&arguments.counts, arguments.backend) {
        (Some(path), _) => (counts::read(path, &instrumented.profile)?, None),
        (None, Backend::Nvcc) => {
            let (run, output) = nvcc::record(arguments, success, &instrumented)?;
            (run, Some(output))
        }
        (None, Backend::Cpu) => {
            let folder = tempfile::tempdir()
                .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
            let recorded = if is_opencl {
                opencl::record_program(arguments, success, &instrumented, folder.path())?
            } else {
                record_on_cpu(arguments, success, &instrumented, folder.path())?
            };
            seconds = Some(recorded.taken.as_secs_f64());
            let arguments: Vec<String> =
                arguments.args.iter().map(|own| own.to_string_lossy().into_owned()).collect();
            let partial = ended_early(&recorded.result, arguments_timeout(&recorded.result));
            let mut run = run_of(arguments, partial, &recorded.sums, &instrumented.profile);
            run.device = recorded.device;
            (run, Some(recorded.result))
        }
    };
    if let Some(output) = &output {
        // A closed pipe is the reader's choice.
        let _ = match arguments.program.format.is_output() {
            true => io::stderr().write_all(&output.stdout),
            false => io::stdout().write_all(&output.stdout).and_then(|()| io::stdout().flush()),
        };
        let _ = io::stderr().write_all(&output.stderr);
    }
    let partial = run.partial.clone();
    let accesses = run.accesses.len();
    let mut profile = instrumented.profile;
    profile.runs.push(run);
    let path = arguments.output.as_deref().ok_or("no file to write the profile to")?;
    let text = profile.to_json();
    let target = Target {
        path: path.to_path_buf(),
        bytes: Cow::Owned(text.into_bytes()),
        creates_folders: false,
        keeps_unchanged: false,
    };
    write_all(&[target]).map_err(|error| error.diagnostic().message)?;
    say(format_args!(
        "wrote {}: {} of {} accesses ran{}{}",
        path.display(),
        ran(&profile),
        profile.instructions.len(),
        seconds.map(|seconds| format!(", in {seconds:.3} s")).unwrap_or_default(),
        match profile.omitted.len() {
            0 => String::new(),
            omitted => format!("; {omitted} more cannot be recorded, the profile says why"),
        }
    ));
    if accesses == 0 {
        say("no kernel that accesses arrays of structs was launched");
    }
    match partial {
        None => Ok(Exit::Done),
        Some(because) => {
            say(format_args!("the profile is partial: {because}"));
            Ok(Exit::Reported)
        }
    }
}

/// How many instructions did something.
fn ran(profile: &Profile) -> usize {
    let mut ran = vec![false; profile.instructions.len()];
    for own in profile.runs.iter().flat_map(|run| &run.accesses) {
        ran[own.instruction as usize] = true;
    }
    ran.iter().filter(|ran| **ran).count()
}

fn arguments_timeout(result: &RunResult) -> Option<&'static str> {
    (result.status == RunStatus::TimedOut).then_some("it ran longer than --timeout allows")
}

/// Why a run is partial, if it is.
fn ended_early(result: &RunResult, timeout: Option<&str>) -> Option<String> {
    match result.status {
        RunStatus::Exited(REPORTED_STATUS) => Some("the runtime stopped the program".to_owned()),
        RunStatus::Exited(_) => None,
        RunStatus::Signalled(signal) => Some(format!("signal {signal} ended the program")),
        RunStatus::TimedOut => timeout.map(str::to_owned),
    }
}

/// The texts of the instrumented program.
fn instrumented_sources(
    success: &Success,
    instrumented: &Instrumented,
) -> Result<Vec<SourceText>, String> {
    sources(success, |id, file| match instrumented.edits.get(&id) {
        None => Ok((file.text().to_owned(), Vec::new())),
        Some(edits) => Ok((edits.apply(file.text()), Vec::new())),
    })
}

/// What the generated header says of the program.
fn generated_header(instrumented: &Instrumented, header: &str) -> String {
    let profile = &instrumented.profile;
    // What each instruction accesses: its element's bytes and its ranges, and how many ranges are in front.
    let (mut own, mut ranges) = (Vec::new(), Vec::new());
    for instrument in instruments(profile) {
        own.push(format!("{{{}, {}}}", instrument.element_bytes, ranges.len()));
        let text = |(offset, bytes): &(u64, u64)| format!("{{{offset}, {bytes}}}");
        ranges.extend(instrument.ranges.iter().map(text));
    }
    own.push(format!("{{0, {}}}", ranges.len()));
    format!(
        "// Of `layoutc profile`.\n#ifdef __cplusplus\n\
         #define LAYOUTC_PROFILE_KERNELS {}\n#define LAYOUTC_PROFILE_LOOPS {}\n\
         #define LAYOUTC_PROFILE_INSTRUCTIONS {}\n#define LAYOUTC_PROFILE_ACCESSES {}\n\
         #define LAYOUTC_PROFILE_RANGES {}\n\
         #include \"{header}\"\n#endif\n",
        profile.kernels.len().max(1),
        profile.loops.len(),
        profile.instructions.len(),
        own.join(", "),
        ranges.join(", "),
    )
}

/// What the numbers of instructions mean to the runtime.
fn instruments(profile: &Profile) -> Vec<Instrument> {
    let instrument = |own: &Instruction| Instrument {
        element_bytes: profile.arrays[own.array as usize].size,
        ranges: own.ranges.iter().map(|range| (range.offset, range.bytes)).collect(),
    };
    profile.instructions.iter().map(instrument).collect()
}

/// A recorded run.
struct Recorded {
    result: RunResult,
    sums: Sums,
    taken: Duration,
    device: String,
}

fn record_on_cpu(
    arguments: &ProfileArguments,
    success: &Success,
    instrumented: &Instrumented,
    folder: &Path,
) -> Result<Recorded, String> {
    let texts = instrumented_sources(success, instrumented)?;
    let mut request = build_request(success, folder, "profiled", texts);
    let header = folder.join(GENERATED);
    write(&header, &generated_header(instrumented, HEADER))?;
    request.flags.extend(["-include".to_owned(), header.display().to_string()]);
    request.cache_dir = Some(cache_dir().unwrap_or_else(|| folder.join("runtime")));
    let phase = phase("profile: building the instrumented program");
    let built = build(&request).map_err(|error| error.to_string())?;
    phase.say("profile: running the instrumented program");
    record_run(arguments, instrumented, &profile::run_of(&built.executable), "cpu")
}

/// Runs the program, and writes the rows that are asked for.
fn record_run(
    arguments: &ProfileArguments,
    instrumented: &Instrumented,
    run: &profile::Run<'_>,
    device: &str,
) -> Result<Recorded, String> {
    let request = RunRequest {
        timeout: Duration::from_secs(arguments.timeout),
        ..RunRequest::new(arguments.args.clone())
    };
    let instruments = instruments(&instrumented.profile);
    let Some(path) = &arguments.rows else {
        let start = Instant::now();
        let (result, sums) =
            record(run, &instruments, &request, None).map_err(|error| error.to_string())?;
        return Ok(Recorded { result, sums, taken: start.elapsed(), device: device.to_owned() });
    };
    let names = instrumented.profile.instructions.iter().map(|own| own.text.as_str());
    let mut rows = Rows::create(path, names, arguments.most_rows)?;
    let start = Instant::now();
    let recorded = {
        let mut sink = |row| rows.push(row);
        record(run, &instruments, &request, Some((arguments.every, &mut sink)))
    };
    let (result, sums) = recorded.map_err(|error| error.to_string())?;
    let taken = start.elapsed();
    let left_out = rows.left_out();
    let written = rows.finish()?;
    say(format_args!(
        "wrote {}: {written} rows{}",
        path.display(),
        match left_out {
            0 => String::new(),
            left => format!("; {left} more than --most-rows were left out"),
        }
    ));
    Ok(Recorded { result, sums, taken, device: device.to_owned() })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// A run of the profile; what has numbers that the program does not have is left out.
fn run_of(arguments: Vec<String>, partial: Option<String>, sums: &Sums, profile: &Profile) -> Run {
    let kernels = profile.kernels.len() as u32;
    let loops = profile.loops.len() as u32;
    let is_kernel = |kernel: &Option<u32>| kernel.filter(|kernel| *kernel < kernels);
    let is_loop = |scope: Option<u32>| scope.is_none_or(|scope| scope < loops);
    let accesses = sums.accesses.iter().filter_map(|own| {
        let kernel = is_kernel(&own.kernel)?;
        let is_known =
            (own.instruction as usize) < profile.instructions.len() && is_loop(own.scope);
        let counts = Counts {
            requests: own.requests,
            lanes: own.lanes,
            line_lanes: own.line_lanes,
            shared: own.shared,
            address_lanes: own.address_lanes,
            lines: own.lines,
            sectors: own.sectors,
            blocks: own.blocks,
            strided: own.strided,
            stride: own.stride,
        };
        (is_known && own.requests > 0).then_some(Accessed {
            kernel,
            instruction: own.instruction,
            scope: own.scope,
            counts,
        })
    });
    let trips = sums.loops.iter().filter_map(|own| {
        let kernel = is_kernel(&own.kernel)?;
        let (entries, iterations) = (own.entries, own.iterations);
        is_loop(Some(own.of)).then_some(Trips { kernel, of: own.of, entries, iterations })
    });
    let launches = sums.launches.iter().filter(|own| own.kernel < kernels).map(|own| Launched {
        kernel: own.kernel,
        grid: own.grid,
        block: own.block,
        launches: own.launches,
    });
    let mut run = Run {
        arguments,
        device: "cpu".to_owned(),
        partial: partial.or_else(|| {
            sums.is_incomplete
                .then(|| "it has more kernels and loops than there is room for".to_owned())
        }),
        accesses: accesses.collect(),
        trips: trips.collect(),
        launches: launches.collect(),
    };
    run.accesses.sort_by_key(|own| (own.kernel, own.scope, own.instruction));
    run.trips.sort_by_key(|own| (own.kernel, own.of));
    run
}

/// Where a file of the program goes below a folder.
pub fn below(folder: &Path, path: &Path) -> PathBuf {
    let mut found = folder.to_path_buf();
    for part in path.components() {
        if let std::path::Component::Normal(part) = part {
            found.push(part);
        }
    }
    found
}
