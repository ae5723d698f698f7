//! `cargo xtask slowdown`: how much longer instrumented programs run on the CPU runtime, and those in OpenCL on the device
//! that is installed.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use layoutc_runtime::process::{RunRequest, run as run_program};
use layoutc_runtime::program::read_program;
use layoutc_runtime::toolchain::{BuildRequest, build};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::opencl;
use layoutc_tests::program::{Program, names};

use crate::rank::{LIMIT, common};

/// Begins the names of programs in OpenCL.
const OPENCL: &str = "opencl/";

#[derive(Args)]
pub struct Options {
    /// Only programs whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// Runs of each; the median counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
}

/// Runs each program with a large input as it is, and instrumented, and prints both times.
///
/// # Errors
/// When `layoutc` does not build or a program cannot be run.
pub fn run(options: &Options) -> Result<()> {
    let layoutc = Layoutc::built()?;
    println!("| program | as it is | instrumented | times |\n|---|---|---|---|");
    let mut logarithms = Vec::new();
    let all = names()?.into_iter().chain(opencl::names()?);
    for name in all.filter(|name| name.contains(&options.only)) {
        let program = Program::load(&name)?;
        let Some(args) = program.large.clone() else { continue };
        let is_opencl = name.starts_with(OPENCL);
        if is_opencl {
            // Kernels are compiled once.
            original_in_opencl(&program, &args)?;
            instrumented(&layoutc, &program, &args)?;
        }
        let before = median(options.runs, || match is_opencl {
            true => original_in_opencl(&program, &args),
            false => original(&program, &args),
        })?;
        let after = median(options.runs, || instrumented(&layoutc, &program, &args))?;
        println!("| {name} | {before:.2} s | {after:.2} s | {:.1} |", after / before);
        logarithms.push((after / before).ln());
    }
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64).exp();
    println!("| geometric mean of {} | | | {mean:.1} |", logarithms.len());
    Ok(())
}

fn median(runs: usize, mut time: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut times = (0..runs.max(1)).map(|_| time()).collect::<Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn original(program: &Program, args: &[String]) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let files: Vec<_> = program.files.iter().map(|file| program.folder.join(file)).collect();
    let sources = read_program(&files, &[])?;
    let built = build(&BuildRequest::new(sources, folder.path().join("original")))?;
    let request =
        RunRequest { timeout: LIMIT, ..RunRequest::new(args.iter().map(Into::into).collect()) };
    let start = Instant::now();
    run_program(&built.executable, &request)?;
    Ok(start.elapsed().as_secs_f64())
}

fn original_in_opencl(program: &Program, args: &[String]) -> Result<f64> {
    let host = opencl::Host::build(program, &program.folder)?;
    let start = Instant::now();
    host.run(args)?;
    Ok(start.elapsed().as_secs_f64())
}

fn instrumented(layoutc: &Layoutc, program: &Program, args: &[String]) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("profile").display().to_string();
    let mut arguments: Vec<String> = ["profile", "-o", &path].map(str::to_owned).into();
    arguments.extend(common(program, "h100", "sectors"));
    if program.name.starts_with(OPENCL) {
        arguments.extend(["-I", "."].map(str::to_owned));
    }
    arguments.push("--".to_owned());
    arguments.extend(args.iter().cloned());
    let outcome = layoutc.run(&program.folder, LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}: {}\n{}", program.name, outcome.ending(), outcome.stderr);
    let words = outcome.stderr.split_once("accesses ran, in ").map(|(_, rest)| rest);
    let seconds = words.and_then(|rest| rest.split(' ').next()).context("no time was printed")?;
    Ok(seconds.parse()?)
}
