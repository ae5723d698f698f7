//! Random programs: 500 kernels with fixed seeds, each program in three layouts; nvcc compiles the
//! programs and what becomes of them with all warnings as errors.
//!
//! `cargo xtask fuzz` runs more, and makes what fails small.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::random::campaign::{Campaign, run};
use layoutc_tests::random::generate::Size;
use layoutc_tests::random::run::FailureKind;

/// The share of array classes that must change: otherwise nothing would have been tested.
const FLOOR: f64 = 0.5;

#[test]
fn five_hundred_kernels_do_the_same_in_other_layouts() -> Result<()> {
    let campaign = Campaign {
        kernels: 500,
        seed: 1,
        jobs: std::thread::available_parallelism().map_or(1, usize::from).min(4),
        out: Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random")),
        reduce: Duration::from_secs(60),
        reductions: 1,
        ..Campaign::default()
    };
    let out = campaign.out.clone().unwrap_or_default();
    let statistics = run(&campaign, &|_, _| {})?;
    ensure!(statistics.failed() == 0, "see {}\n{}", out.display(), statistics.table());
    ensure!(statistics.kernels >= 500 && statistics.cases >= 36, "{}", statistics.table());
    ensure!(statistics.nvcc == statistics.cases, "{}", statistics.table());
    ensure!(statistics.changed_share() > FLOOR, "{}", statistics.table());
    Ok(())
}

/// A `layoutc` whose output is wrong: behind it, `sed` changes what it wrote.
fn corrupted(folder: &Path, change: &str) -> Result<Layoutc> {
    let program = folder.join("layoutc.sh");
    let layoutc = Layoutc::built()?;
    let script = format!(
        "#!/bin/sh\n'{}' \"$@\" || exit $?\nexec sed -i -E '{change}' \"$3\"/*.cu\n",
        layoutc.program().display()
    );
    fs::write(&program, script)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(Layoutc::at(program))
}

/// The case of this kind that a campaign writes with a wrong `layoutc`.
fn found(change: &str, kind: FailureKind) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let campaign = Campaign {
        kernels: 8,
        seed: 3,
        layouts: 2,
        size: Size { units: 2, kernels: 4 },
        nvcc_every: (kind == FailureKind::Nvcc).then_some(1),
        out: Some(folder.path().join("out")),
        // nvcc needs a second for each candidate. Only what is different is made small for its own sake.
        reduce: Duration::from_secs(if kind == FailureKind::Different { 30 } else { 3 }),
        reductions: 1,
        layoutc: Some(corrupted(folder.path(), change)?),
        ..Campaign::default()
    };
    let statistics = run(&campaign, &|_, _| {})?;
    let mut kinds = statistics.failures.keys().map(|(kind, _)| *kind);
    ensure!(kinds.any(|found| found == kind), "{}", statistics.table());
    for entry in fs::read_dir(folder.path().join("out"))? {
        let path = entry?.path();
        let text = if path.is_file() { fs::read_to_string(path)? } else { continue };
        if text.starts_with(&format!("// {kind}")) {
            return Ok(text);
        }
    }
    bail!("no case was written")
}

#[test]
fn a_wrong_index_is_found_and_reduced() -> Result<()> {
    let case = found(r"s/\[(\w+)\] = /[0 * \1] = /", FailureKind::Different)?;
    let kernels = case.matches("__global__").count();
    ensure!(kernels <= 4, "{kernels} kernels are left\n{case}");
    Ok(())
}

#[test]
fn output_that_does_not_compile_is_found() -> Result<()> {
    let case = found("s/__global__ void/__global__ vold/", FailureKind::Compile)?;
    ensure!(case.contains("vold"), "the messages are missing\n{case}");
    Ok(())
}

#[test]
fn output_that_nvcc_warns_of_is_found() -> Result<()> {
    let case = found(r"s/^(__global__ void .*\{)$/\1 int left_over;/", FailureKind::Nvcc)?;
    ensure!(case.contains("left_over") && case.contains("#177-D"), "no warning\n{case}");
    Ok(())
}

/// A host compiler builds this: to it, all functions are for host and device.
#[test]
fn a_qualifier_that_got_lost_is_found() -> Result<()> {
    let case = found("s/^(__device__|static __device__) //", FailureKind::Nvcc)?;
    ensure!(case.contains("__ function(") && case.contains("is not allowed"), "no message\n{case}");
    Ok(())
}
