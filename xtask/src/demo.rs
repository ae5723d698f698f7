//! `cargo xtask demo`: the main job on a shipped program, for a first look at the tool.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::process::Outcome;
use layoutc_tests::program::Program;
use layoutc_tests::repository_root;

use crate::test::{PROFILE, cargo};

/// The program that is shown.
const PROGRAM: &str = "nbody";

/// Transforms the program into `out/demo`, shows the diff, runs both on the CPU and shows what is gained.
///
/// # Errors
/// When `layoutc` fails or the two programs differ.
pub fn run() -> Result<()> {
    let program = Program::load(PROGRAM)?;
    // The test helpers build it without a word.
    cargo(&[
        "build",
        PROFILE,
        "--bin",
        "layoutc",
        "--package",
        "layoutc-cli",
        "--package",
        "xtask",
    ])?;
    let layoutc = Layoutc::built()?;
    let root = repository_root();
    let out = root.join("out/demo");
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let folder = program.folder.strip_prefix(&root).unwrap_or(&program.folder);
    let files: Vec<String> =
        program.files.iter().map(|file| folder.join(file).to_string_lossy().into_owned()).collect();

    let run = |command: &str, rest: &[&str], limit: Duration| -> Result<Outcome> {
        let files = files.iter().map(String::as_str);
        let arguments: Vec<&str> =
            [command].into_iter().chain(files).chain(rest.iter().copied()).collect();
        println!("\n$ layoutc {}", arguments.join(" "));
        let outcome = layoutc.run(&root, limit, &arguments)?;
        print!("{}", outcome.stdout);
        eprint!("{}", outcome.stderr);
        Ok(outcome)
    };
    let limit = Duration::from_secs(60);
    let diff = run("transform", &["--diff"], limit)?;
    // Like `diff`, `--diff` may say with 1 that there are differences.
    if diff.stdout.is_empty() {
        bail!("no diff came out: {}", diff.ending());
    }
    succeed(&run("transform", &["--out-dir", "out/demo"], limit)?)?;
    if let Some(args) = program.args.first() {
        let mut rest: Vec<&str> = args.iter().map(String::as_str).collect();
        if !rest.is_empty() {
            rest.insert(0, "--");
        }
        succeed(&run("verify", &rest, VERIFY_LIMIT)?)?;
    }
    succeed(&run("cost", &[], limit)?)?;
    println!(
        "\nThe rewritten program is in out/demo; it compiles with the same nvcc command as the original."
    );
    Ok(())
}

fn succeed(outcome: &Outcome) -> Result<()> {
    if !outcome.succeeded() {
        bail!("layoutc did not succeed: {}", outcome.ending());
    }
    Ok(())
}
