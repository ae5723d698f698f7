//! `cargo xtask bench-nvcc`: nvcc's own front end on the files that the transform bench uses.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use layoutc_tests::generate;
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::process::peak_memory;

/// Runs of each; the median counts.
const RUNS: usize = 5;

/// Prints one Markdown row per file: nvcc's front end and `layoutc transform`, medians.
///
/// # Errors
/// When nvcc is missing or does not accept a file.
pub fn run(sizes: &[usize], files: &[PathBuf]) -> Result<()> {
    let nvcc = Nvcc::find()?;
    let layoutc = Layoutc::built()?;
    let folder = tempfile::tempdir()?;
    println!(
        "| file | bytes | nvcc {} front end, ms | layoutc transform, ms | MB/s | MB of memory |",
        nvcc.release()?
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for lines in sizes {
        let file = folder.path().join(format!("generated_{lines}.cu"));
        fs::write(&file, generate::program(*lines))?;
        row(&nvcc, &layoutc, &format!("generated, {lines} lines"), &file)?;
    }
    for file in files {
        row(&nvcc, &layoutc, &file.display().to_string(), &fs::canonicalize(file)?)?;
    }
    Ok(())
}

fn row(nvcc: &Nvcc, layoutc: &Layoutc, name: &str, file: &Path) -> Result<()> {
    let out = tempfile::tempdir()?;
    let bytes = fs::metadata(file)?.len();
    let front_end = median(|| nvcc.front_end_time(file))?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let name_here = Path::new(file.file_name().unwrap_or_default());
    let arguments = [Path::new("transform"), name_here, Path::new("--out-dir"), out.path()];
    let transform = median(|| {
        let outcome = layoutc.run(folder, TRANSFORM_LIMIT, arguments)?;
        ensure!(outcome.succeeded(), "{}: {}", outcome.ending(), outcome.stderr);
        Ok(outcome.elapsed)
    })?;
    let memory = peak_memory(Command::new(layoutc.program()).args(arguments).current_dir(folder))?;
    // Bytes per microsecond are megabytes per second.
    #[expect(clippy::cast_precision_loss, reason = "file sizes are far below 2^52")]
    let rate = bytes as f64 / (transform.as_secs_f64() * 1e6);
    println!(
        "| {name} | {bytes} | {:.1} | {:.1} | {rate:.2} | {} |",
        front_end.as_secs_f64() * 1e3,
        transform.as_secs_f64() * 1e3,
        memory.map_or_else(String::new, |bytes| (bytes >> 20).to_string())
    );
    Ok(())
}

fn median(mut measure: impl FnMut() -> Result<Duration>) -> Result<Duration> {
    let mut times = (0..RUNS).map(|_| measure()).collect::<Result<Vec<_>>>()?;
    times.sort();
    Ok(times[RUNS / 2])
}
