//! Builds CUDA files against the CPU runtime and runs the program:
//! `cargo run -p layoutc-runtime --example run_cuda -- [-I DIR]… [-D NAME]… [--keep DIR] FILE… [-- ARGS…]`.

use layoutc_runtime::process::{RunRequest, RunStatus, run};
use layoutc_runtime::program::read_program;
use layoutc_runtime::toolchain::{BuildRequest, build};
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    match try_main() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("run_cuda: {error}");
            ExitCode::from(2)
        }
    }
}

fn try_main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let mut request = BuildRequest::new(Vec::new(), scratch.path().to_path_buf());
    request.compiler = std::env::var("CXX").unwrap_or(request.compiler);
    request.cache_dir = Some(std::env::temp_dir().join("layoutc-run-cuda"));
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
            "--keep" => request.out_dir = PathBuf::from(value(&mut words)?),
            "--timeout" => timeout = value(&mut words)?.parse()?,
            "--" => break,
            _ if word.starts_with("-I") => request.include_dirs.push(PathBuf::from(&word[2..])),
            _ if word.starts_with('-') => request.flags.push(word),
            _ => files.push(PathBuf::from(word)),
        }
    }
    request.sources = read_program(&files, &request.include_dirs)?;
    let built = build(&request)?;
    let mut launch = RunRequest::new(words.map(Into::into).collect());
    launch.timeout = Duration::from_secs(timeout);
    if !std::io::stdin().is_terminal() {
        std::io::stdin().read_to_end(&mut launch.stdin)?;
    }
    let result = run(&built.executable, &launch)?;
    std::io::stdout().write_all(&result.stdout)?;
    std::io::stderr().write_all(&result.stderr)?;
    Ok(match result.status {
        RunStatus::Exited(code) => ExitCode::from(u8::try_from(code).unwrap_or(255)),
        RunStatus::Signalled(signal) => {
            eprintln!("run_cuda: ended by signal {signal}");
            ExitCode::from(134)
        }
        RunStatus::TimedOut => {
            eprintln!("run_cuda: stopped after {timeout} s");
            ExitCode::from(124)
        }
    })
}
