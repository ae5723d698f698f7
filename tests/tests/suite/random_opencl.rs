//! Random OpenCL programs: a few with fixed seeds, each in three layouts and in its own.
//!
//! `cargo xtask fuzz --opencl` runs more, and makes what fails small.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::random::run::FailureKind;
use layoutc_tests::random_opencl::campaign::{Campaign, run};
use layoutc_tests::random_opencl::generate::Size;

/// The share of array classes that must change: otherwise nothing would have been tested.
const FLOOR: f64 = 0.5;

#[test]
fn random_programs_do_the_same_in_other_layouts() -> Result<()> {
    let campaign = Campaign {
        seeds: vec![5, 6, 7, 10, 13, 15],
        jobs: std::thread::available_parallelism().map_or(1, usize::from).min(4),
        out: Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random_opencl")),
        ..Campaign::default()
    };
    let out = campaign.out.clone().unwrap_or_default();
    let statistics = run(&campaign, &|_, _| {})?;
    ensure!(statistics.failed() == 0, "see {}\n{}", out.display(), statistics.table());
    ensure!(statistics.cases == 3 * campaign.seeds.len(), "{}", statistics.table());
    ensure!(statistics.changed_share() > FLOOR, "{}", statistics.table());
    Ok(())
}

/// A `layoutc` whose output is wrong: behind it, `sed` changes what it wrote.
fn corrupted(folder: &Path, change: &str) -> Result<Layoutc> {
    let program = folder.join("layoutc.sh");
    let layoutc = Layoutc::built()?;
    let script = format!(
        "#!/bin/sh\n'{}' \"$@\" || exit $?\nexec sed -i -E '{change}' ../after/*\n",
        layoutc.program().display()
    );
    fs::write(&program, script)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(Layoutc::at(program))
}

#[test]
fn a_wrong_index_is_found_and_reduced() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    let campaign = Campaign {
        seeds: vec![5],
        layouts: 3,
        size: Size { units: 1, kernels: 1, steps: 3 },
        out: Some(out.clone()),
        reduce: Duration::from_secs(10),
        // All work-items are the first one.
        layoutc: Some(corrupted(folder.path(), r"s/get_global_id\(0\);/0;/")?),
        ..Campaign::default()
    };
    let statistics = run(&campaign, &|_, _| {})?;
    let mut kinds = statistics.failures.keys().map(|(kind, _)| *kind);
    ensure!(kinds.any(|kind| kind == FailureKind::Different), "{}", statistics.table());
    for entry in fs::read_dir(out)? {
        let text = fs::read_to_string(entry?.path())?;
        if text.contains("//---- host.c") && text.starts_with("// output behaves differently") {
            return Ok(());
        }
    }
    bail!("no case was written")
}
