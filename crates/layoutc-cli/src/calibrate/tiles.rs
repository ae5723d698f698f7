//! `layoutc calibrate tiles`: times training kernels and trains decision trees on the times.

use super::{deliver, started_or, succeeded, write};
use crate::arguments::TilesArguments;
use crate::exit::{Exit, fail, say};
use layoutc_calibration::tiles::{TileRuns, trained};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The training kernels.
const KERNELS: &str = include_str!("tiles.cl");
/// The program that times them.
const HOST: &str = include_str!("tiles.c");
/// Its exit code where there is no device.
const NO_DEVICE: i32 = 3;

pub(super) fn run(arguments: &TilesArguments) -> Result<Exit, Exit> {
    let path = match &arguments.times {
        Some(path) => path.clone(),
        None => measure(arguments)?,
    };
    let text = fs::read_to_string(&path)
        .map_err(|error| fail(format_args!("cannot read {}: {error}", path.display())))?;
    let derived = TileRuns::from_csv(&text).and_then(|runs| Ok((trained(&runs)?, runs)));
    let (trees, runs) = derived.map_err(|error| {
        say(format_args!("error: {}: {error}", path.display()));
        Exit::Reported
    })?;
    let device = runs.device.unwrap_or_else(|| "an unnamed device".to_owned());
    let source = format!("layoutc calibrate tiles, measured on {device}");
    deliver(arguments.output.as_deref(), &trees.device_fragment(&source))?;
    Ok(Exit::Done)
}

/// Writes, builds and runs the program; gives the file with the times.
fn measure(arguments: &TilesArguments) -> Result<PathBuf, Exit> {
    let folder = &arguments.out_dir;
    let (kernels, host) = (folder.join("tiles.cl"), folder.join("tiles.c"));
    write(&kernels, KERNELS.as_bytes())?;
    write(&host, HOST.as_bytes())?;
    say(format_args!("wrote {} and {}", kernels.display(), host.display()));
    let binary = folder.join("tiles");
    build(&arguments.cc, &host, &binary)?;
    say(format_args!("built {}", binary.display()));
    let program = fs::canonicalize(&binary)
        .map_err(|error| fail(format_args!("cannot find {}: {error}", binary.display())))?;
    let list = |values: &[u64]| {
        let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
        texts.join(",")
    };
    let mut command = Command::new(&program);
    command
        .arg(&kernels)
        .arg(&arguments.opencl_device)
        .args([&arguments.trips, &arguments.fields, &arguments.field_bytes].map(|own| list(own)))
        .arg(list(&arguments.tile_sizes))
        .args(
            [arguments.threads, arguments.elements, arguments.repeats].map(|own| own.to_string()),
        );
    let output = started_or(&program, command.output(), "it was built just now")?;
    if output.status.code() == Some(NO_DEVICE) {
        return Err(fail(format_args!(
            "{}; run {} where one is, keep what it prints, and pass that with --times",
            String::from_utf8_lossy(&output.stderr).trim_end(),
            binary.display()
        )));
    }
    succeeded(&program, &output)?;
    let path = folder.join("times.csv");
    write(&path, &output.stdout)?;
    say(format_args!("wrote {}", path.display()));
    Ok(path)
}

fn build(cc: &Path, source: &Path, binary: &Path) -> Result<(), Exit> {
    let mut command = Command::new(cc);
    command.args(["-std=c99", "-O2"]).arg(source).arg("-o").arg(binary).arg("-lOpenCL");
    let output = started_or(cc, command.output(), "install a C compiler, or name one with --cc")?;
    if !output.status.success() {
        say("OpenCL is needed to build it (Debian: ocl-icd-opencl-dev, opencl-c-headers)");
    }
    succeeded(cc, &output)
}
