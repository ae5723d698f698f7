//! `cargo xtask test`: the set-up and all tests; what the README and `.ci/run` call.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use layoutc_tests::repository_root;

use crate::setup;

/// Everything is built in one profile, so that the grammar and the dependencies are built once:
/// clippy shares build scripts and procedural macros with the tests, xtask shares its crates.
pub const PROFILE: &str = "--release";

/// Sets up, then runs all tests; `arguments` go to `cargo test`.
///
/// # Errors
/// When the set-up or a test fails.
pub fn run(arguments: &[String]) -> Result<()> {
    setup::run()?;
    // Everything at once: each package alone would turn on other features of what they share, and build it again.
    cargo(&["build", PROFILE, "--workspace", "--lib", "--bins", "--tests"])?;
    let given = arguments.iter().map(String::as_str);
    let test: Vec<&str> = ["test", PROFILE, "--workspace"].into_iter().chain(given).collect();
    let mut command = announced(&test);
    let mut running = command.stdout(Stdio::piped()).spawn().context("cannot run cargo")?;
    let output = running.stdout.take().context("the output of cargo")?;
    let failures = shown_with_failures(BufReader::new(output))?;
    let status = running.wait().context("cannot wait for cargo")?;
    if !status.success() {
        if !failures.is_empty() {
            println!("\nWhat failed, once more:\n\n{}", failures.join("\n"));
        }
        bail!("`cargo {}` failed", test.join(" "));
    }
    Ok(())
}

/// Shows what `cargo test` prints and gives back what its failed tests say: the output of the packages behind them can
/// be long.
fn shown_with_failures(output: impl BufRead) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    let mut is_failure = false;
    for line in output.split(b'\n') {
        let line = String::from_utf8_lossy(&line.context("the output of cargo")?).into_owned();
        println!("{line}");
        is_failure = match line.as_str() {
            "failures:" => false,
            line => is_failure || line.starts_with("---- "),
        };
        if is_failure {
            failures.push(line);
        }
    }
    Ok(failures)
}

/// `cargo` with these arguments in the repository's root, after it is shown.
fn announced(arguments: &[&str]) -> Command {
    println!("$ cargo {}", arguments.join(" "));
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(repository_root());
    command
}

/// Runs cargo in the repository's root, and shows the command and what it says.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    let status = announced(arguments).status().context("cannot run cargo")?;
    if !status.success() {
        bail!("`cargo {}` failed", arguments.join(" "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::shown_with_failures;

    #[test]
    fn failures_are_kept() {
        let output = "\
test a ... ok
test b ... FAILED

failures:

---- b stdout ----
Error: before and after differ

failures:
    b

test result: FAILED. 1 passed; 1 failed
";
        let failures = shown_with_failures(output.as_bytes()).expect("it can be read");
        assert_eq!(failures, ["---- b stdout ----", "Error: before and after differ", ""]);
    }
}
