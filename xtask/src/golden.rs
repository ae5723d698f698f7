//! Records what the tool writes and says about the project's programs, and shows what changed.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use layoutc_tests::golden::{self, Golden};
use layoutc_tests::layoutc::Layoutc;
use similar::TextDiff;

/// Where to look.
#[derive(Args)]
pub struct Options {
    /// Record nothing: print how each case of today differs from what this binary does
    #[arg(long, value_name = "BINARY")]
    before: Option<PathBuf>,
    /// Only cases whose names hold this text
    #[arg(long, default_value = "", requires = "before")]
    case: String,
    /// Record nothing: fail if something changed
    #[arg(long, conflicts_with = "before")]
    check: bool,
}

/// Runs all cases.
///
/// # Errors
/// When a case cannot be run, or `--check` finds a change.
pub fn run(options: &Options) -> Result<()> {
    let layoutc = Layoutc::built()?;
    if let Some(before) = &options.before {
        return compare(&Layoutc::at(before.canonicalize()?), &layoutc, &options.case);
    }
    let folder = golden::folder();
    let now = golden::run(&layoutc)?;
    let changes = now.changes(&Golden::read(&folder).unwrap_or_default());
    changes.iter().for_each(|change| println!("{change}"));
    println!("{} cases, {} changes", now.hashes.len(), changes.len());
    if options.check {
        ensure!(changes.is_empty(), "run `cargo xtask golden` to record them");
        return Ok(());
    }
    now.write(&folder)
}

/// Prints the differences of what two binaries do.
fn compare(before: &Layoutc, after: &Layoutc, part: &str) -> Result<()> {
    let mut differing = 0;
    let cases: Vec<_> =
        golden::all()?.into_iter().filter(|case| case.name.contains(part)).collect();
    for case in &cases {
        let (before, after) = (case.run(before)?, case.run(after)?);
        if before.hashes() == after.hashes() {
            continue;
        }
        differing += 1;
        println!("#### {}", case.name);
        let (before, after) = (before.with_report(), after.with_report());
        print!("{}", TextDiff::from_lines(&before, &after).unified_diff().context_radius(2));
    }
    println!("{} cases, {differing} differ", cases.len());
    Ok(())
}
