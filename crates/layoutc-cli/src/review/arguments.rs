//! What `layoutc review` can be asked for.

use crate::arguments::{ProgramArguments, VerifyArguments};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// Examples for the help.
pub const EXAMPLES: &str = "\
The Markdown has a table of the arrays with their layouts before and after, what memory accesses cost, what stays \
and why, the first elements in memory, and the diff. With --base it begins with what is different because of the \
change: the program's files as of that revision of git are compiled with the same options and compared.

Examples:
  layoutc review nbody.cu
  layoutc review --base origin/main --project build/compile_commands.json -o review.md
  layoutc review nbody.cu --base HEAD~1 --verify -- 256 10

Exit codes: 0 done, 1 errors reported or (with --verify) a difference, 2 bad usage, no such revision, a file that \
is not in it, or internal failure.";

/// `layoutc review`.
#[derive(Debug, Args)]
pub struct ReviewArguments {
    /// Say what is different from this revision of git: a branch, a tag or a commit.
    #[arg(long, value_name = "REF", value_parser = parse_revision)]
    pub base: Option<String>,
    /// Write the Markdown to this file instead of standard output.
    #[arg(short = 'o', long = "output", value_name = "FILE.md")]
    pub output: Option<PathBuf>,
    /// Also run the program before and after on the CPU, with ARGS, and say what `layoutc verify` says.
    #[arg(long)]
    pub verify: bool,
    /// Stop each run after this time.
    #[arg(long, value_name = "SECONDS", requires = "verify", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Do not compile the result with the nvcc of `$NVCC` or the PATH.
    #[arg(long, requires = "verify")]
    pub no_nvcc: bool,
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// What the program is run with.
    #[arg(last = true, value_name = "ARGS", requires = "verify")]
    pub args: Vec<OsString>,
}

impl ReviewArguments {
    /// What `layoutc verify` is asked for, if it is.
    pub fn verification(&self) -> Option<VerifyArguments> {
        self.verify.then(|| VerifyArguments {
            program: self.program.clone(),
            timeout: self.timeout,
            no_nvcc: self.no_nvcc,
            args: self.args.clone(),
        })
    }
}

/// A name that git cannot take for an option, or for several revisions.
fn parse_revision(text: &str) -> Result<String, String> {
    if text.is_empty() || text.starts_with('-') {
        return Err("it is a branch, a tag or a commit, and does not begin with `-`".to_owned());
    }
    if text.contains(|letter: char| letter.is_control() || letter == ' ') || text.contains("..") {
        return Err("it is one branch, tag or commit".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions() {
        for good in ["main", "origin/main", "HEAD~1", "v1.0^{commit}", "@{u}"] {
            assert_eq!(parse_revision(good).as_deref(), Ok(good));
        }
        for bad in ["", "-x", "--output=a", "a b", "a..b", "a\nb"] {
            assert!(parse_revision(bad).is_err(), "{bad:?}");
        }
    }
}
