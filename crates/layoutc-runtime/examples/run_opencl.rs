//! Builds OpenCL programs and runs them on the device that is installed:
//! `cargo run -p layoutc-runtime --example run_opencl -- [-I DIR]… [-D NAME]… [--folder DIR] [--keep DIR] FILE… [-- ARGS…]`.

use layoutc_runtime::opencl::{Compilers, OpenCl, OpenClRequest};
use layoutc_runtime::process::{RunRequest, RunStatus};
use layoutc_runtime::program::read_program;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    match try_main() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("run_opencl: {error}");
            ExitCode::from(2)
        }
    }
}

fn try_main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let mut request = OpenClRequest {
        sources: Vec::new(),
        folder: PathBuf::from("."),
        include_dirs: Vec::new(),
        defines: Vec::new(),
        out_dir: scratch.path().to_path_buf(),
        cache_dir: Some(std::env::temp_dir().join("layoutc-run-opencl")),
        is_recorded: false,
        is_traced: false,
    };
    let mut files = Vec::new();
    let mut timeout = 600;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = |words: &mut dyn Iterator<Item = String>| {
            words.next().ok_or(format!("{word} needs a value"))
        };
        match word.as_str() {
            "-I" => request.include_dirs.push(PathBuf::from(value(&mut words)?)),
            "-D" => request.defines.push(value(&mut words)?),
            "--folder" => request.folder = PathBuf::from(value(&mut words)?),
            "--keep" => request.out_dir = PathBuf::from(value(&mut words)?),
            "--timeout" => timeout = value(&mut words)?.parse()?,
            "--" => break,
            _ => files.push(PathBuf::from(word)),
        }
    }
    request.sources = read_program(&files, &request.include_dirs)?;
    let built = OpenCl::find(&Compilers::default())?.build(&request)?;
    let mut launch = RunRequest::new(words.map(Into::into).collect());
    launch.timeout = Duration::from_secs(timeout);
    let result = built.run(&launch)?;
    std::io::stdout().write_all(&result.stdout)?;
    std::io::stderr().write_all(&result.stderr)?;
    Ok(match result.status {
        RunStatus::Exited(code) => ExitCode::from(u8::try_from(code).unwrap_or(255)),
        RunStatus::Signalled(signal) => {
            eprintln!("run_opencl: ended by signal {signal}");
            ExitCode::from(134)
        }
        RunStatus::TimedOut => {
            eprintln!("run_opencl: stopped after {timeout} s");
            ExitCode::from(124)
        }
    })
}
