//! How a command ends.

use crate::progress::aside;
use crate::style::is_quiet;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// The end of a command; each has its exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Exit {
    /// 0: what was asked for is done.
    Done,
    /// 1: errors were reported, or `--check` or `verify` found a difference.
    Reported,
    /// 2: bad usage, or layoutc itself failed.
    Failed,
    /// 3: `--check` found that something stays which has to change.
    Required,
    /// 4: `--check` found that every array of structs stays, for reasons in the program.
    Refused,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Reported => 1,
            Exit::Failed => 2,
            Exit::Required => 3,
            Exit::Refused => 4,
        })
    }
}

/// Says what is wrong with the command line or with layoutc itself.
pub fn fail(message: impl fmt::Display) -> Exit {
    print_line(format_args!("error: {message}"));
    Exit::Failed
}

/// Writes a line on standard error that is no error, unless the command is to be quiet.
pub fn say(message: impl fmt::Display) {
    if !is_quiet() {
        print_line(message);
    }
}

/// Writes a line on standard error. A closed one is not worth failing for.
pub fn print_line(message: impl fmt::Display) {
    let _ = aside(|| writeln!(io::stderr(), "{message}"));
}

/// Writes a text, or bytes, on standard output. A reader that has seen enough (`| head`) is no error.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match aside(|| out.write_all(text.as_ref()).and_then(|()| out.flush())) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
