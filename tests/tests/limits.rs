//! How `transform` grows with its input: memory and time, on generated programs.
//!
//! Speed itself is measured by the bench; a test run shares its machine and can only tell linear
//! from quadratic.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use layoutc_tests::generate;
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::process::peak_memory;
use layoutc_tests::sandbox::Sandbox;

const ARGUMENTS: [&str; 4] = ["transform", "in.cu", "-o", "out.cu"];

#[test]
fn twenty_thousand_lines_take_at_most_64_megabytes() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", generate::program(20_000))])?;
    let layoutc = Layoutc::built()?;
    let mut command = Command::new(layoutc.program());
    let peak = peak_memory(command.args(ARGUMENTS).current_dir(sandbox.path()))?.unwrap_or(0);
    ensure!(peak <= 64 << 20, "{:.1} MiB", peak as f64 / f64::from(1 << 20));
    Ok(())
}

#[test]
fn time_grows_linearly() -> Result<()> {
    let fastest = |lines: usize| -> Result<Duration> {
        let sandbox = Sandbox::with(&[("in.cu", generate::program(lines))])?;
        let layoutc = Layoutc::built()?;
        let mut best = TRANSFORM_LIMIT;
        for _ in 0..5 {
            let outcome = layoutc.run(sandbox.path(), TRANSFORM_LIMIT, ARGUMENTS)?;
            ensure!(outcome.succeeded(), "{}", outcome.stderr);
            best = best.min(outcome.elapsed);
        }
        Ok(best)
    };
    let (small, large) = (fastest(4000)?, fastest(32_000)?);
    // Eight times the input: linear is 8, quadratic 64.
    let growth = large.as_secs_f64() / small.as_secs_f64();
    ensure!(growth < 16.0, "{small:?} for 4,000 lines, {large:?} for 32,000: {growth:.1} times");
    Ok(())
}
