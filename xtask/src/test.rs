//! `cargo xtask test`: the set-up and all tests; what the README and `.ci/run` call.

use std::env;
use std::process::Command;

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
    cargo(&test)
}

/// Runs cargo in the repository's root, and shows the command and what it says.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(arguments)
        .current_dir(repository_root())
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("`cargo {}` failed", arguments.join(" "));
    }
    Ok(())
}
