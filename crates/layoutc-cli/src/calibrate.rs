//! `layoutc calibrate`: facts for device files, from measurements.

mod tiles;

use crate::arguments::{Calibrate, CalibrateArguments, SteeringArguments};
use crate::exit::{Exit, fail, print, say};
use crate::write::{Target, write_all};
use layoutc_calibration::{Curve, steering_bits};
use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The micro-benchmark.
const SOURCE: &str = include_str!("calibrate/steering.cu");
/// Its exit code where there is no GPU.
const NO_DEVICE: i32 = 3;

/// Runs the measurement that was asked for.
pub fn run(arguments: &CalibrateArguments) -> Exit {
    match &arguments.what {
        Calibrate::Steering(arguments) => steering(arguments).unwrap_or_else(|exit| exit),
        Calibrate::Tiles(arguments) => tiles::run(arguments).unwrap_or_else(|exit| exit),
    }
}

/// Where a curve comes from.
struct Measured {
    text: String,
    /// The file that holds it.
    path: PathBuf,
    is_json: bool,
}

fn steering(arguments: &SteeringArguments) -> Result<Exit, Exit> {
    let measured = match &arguments.curve {
        Some(path) => read_curve(path)?,
        None => measure(arguments)?,
    };
    let place = measured.path.display();
    let curve = match measured.is_json {
        true => Curve::from_json(&measured.text),
        false => Curve::from_csv(&measured.text),
    };
    let derived = curve.and_then(|curve| Ok((steering_bits(&curve, arguments.burst)?, curve)));
    let (calibration, curve) = derived.map_err(|error| {
        say(format_args!("error: {place}: {error}"));
        Exit::Reported
    })?;
    let device = curve.device.unwrap_or_else(|| "an unnamed device".to_owned());
    let source = format!("layoutc calibrate steering, measured on {device}");
    let fragment = calibration.device_fragment(&source);
    deliver(arguments.output.as_deref(), &fragment)?;
    if let (Some(path), None) = (&arguments.output, &calibration.steering) {
        say(format_args!("no steering bits were found; {} says why", path.display()));
    }
    Ok(Exit::Done)
}

fn read_curve(path: &Path) -> Result<Measured, Exit> {
    let text = fs::read_to_string(path)
        .map_err(|error| fail(format_args!("cannot read {}: {error}", path.display())))?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    Ok(Measured { text, path: path.to_path_buf(), is_json })
}

/// Writes, builds and runs the micro-benchmark.
fn measure(arguments: &SteeringArguments) -> Result<Measured, Exit> {
    let folder = &arguments.out_dir;
    let (source, binary) = (folder.join("steering.cu"), folder.join("steering"));
    write(&source, SOURCE.as_bytes())?;
    say(format_args!("wrote {}", source.display()));
    build(arguments, &source, &binary)?;
    say(format_args!("built {}", binary.display()));
    let program = fs::canonicalize(&binary)
        .map_err(|error| fail(format_args!("cannot find {}: {error}", binary.display())))?;
    let output = started(&program, Command::new(&program).output())?;
    if output.status.code() == Some(NO_DEVICE) {
        return Err(fail(format_args!(
            "no CUDA device is here; run {} where one is, keep what it prints, and pass that with --curve",
            binary.display()
        )));
    }
    succeeded(&program, &output)?;
    let path = folder.join("curve.csv");
    write(&path, &output.stdout)?;
    say(format_args!("wrote {}", path.display()));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Measured { text, path, is_json: false })
}

fn build(arguments: &SteeringArguments, source: &Path, binary: &Path) -> Result<(), Exit> {
    let nvcc = &arguments.nvcc;
    let mut command = Command::new(nvcc);
    command.arg("-O3").arg(format!("-arch={}", arguments.arch)).arg("-o").arg(binary).arg(source);
    // An nvcc from a Python package does not look for its own libraries.
    if let Some(libraries) = nvcc.parent().and_then(Path::parent).map(|root| root.join("lib"))
        && libraries.join("libcudart_static.a").is_file()
    {
        command.arg("-L").arg(libraries);
    }
    let output = started(nvcc, command.output())?;
    succeeded(nvcc, &output)
}

fn started(program: &Path, output: io::Result<Output>) -> Result<Output, Exit> {
    let missing = "install the CUDA toolkit, or name its compiler with --nvcc";
    started_or(program, output, missing)
}

fn started_or(program: &Path, output: io::Result<Output>, missing: &str) -> Result<Output, Exit> {
    output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            fail(format_args!("{} is not there; {missing}", program.display()))
        }
        _ => fail(format_args!("cannot run {}: {error}", program.display())),
    })
}

fn succeeded(program: &Path, output: &Output) -> Result<(), Exit> {
    if output.status.success() {
        return Ok(());
    }
    say(String::from_utf8_lossy(&output.stderr).trim_end());
    Err(fail(format_args!("{} failed: {}", program.display(), output.status)))
}

/// Writes what was derived to a file, or prints it.
fn deliver(path: Option<&Path>, text: &str) -> Result<(), Exit> {
    match path {
        Some(path) => write(path, text.as_bytes()),
        None => print(text)
            .map_err(|error| fail(format_args!("cannot write to standard output: {error}"))),
    }
}

/// Writes one file, with the folders above it.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Exit> {
    let target = Target {
        path: path.to_path_buf(),
        bytes: Cow::Borrowed(bytes),
        creates_folders: true,
        keeps_unchanged: false,
    };
    write_all(&[target]).map_err(|error| fail(error.diagnostic().message))
}
