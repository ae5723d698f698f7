//! `cargo xtask demo`: the main job on a shipped program, for a first look at the tool.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::process::Outcome;
use layoutc_tests::program::Program;
use layoutc_tests::repository_root;
use serde_json::Value;

use crate::test::{PROFILE, cargo};

/// The program that is shown.
const PROGRAM: &str = "nbody";
/// How long a command may take that runs no program.
const LIMIT: Duration = Duration::from_secs(60);

/// Rewrites the program into `out/demo` in the layout that the tool chooses, runs both versions on the CPU, and shows the
/// diff and what each kernel gains.
///
/// # Errors
/// When `layoutc` fails or the two programs differ.
pub fn run() -> Result<()> {
    let program = Program::load(PROGRAM)?;
    let root = repository_root();
    let folder = program.folder.strip_prefix(&root).unwrap_or(&program.folder);
    let files: Vec<String> =
        program.files.iter().map(|file| folder.join(file).to_string_lossy().into_owned()).collect();
    println!("A demo in 4 steps, with {}. Nothing but out/demo is written.", files.join(" "));

    step(1, "build layoutc (what xtask was built from is not built again)");
    let begin = Instant::now();
    cargo(&[
        "build",
        PROFILE,
        "--bin",
        "layoutc",
        "--package",
        "layoutc-cli",
        // The features of shared dependencies are those that xtask was built with.
        "--package",
        "xtask",
    ])?;
    println!("built in {} s", begin.elapsed().as_secs());
    let demo = Demo { layoutc: Layoutc::built()?, root, files };

    step(2, "rewrite the program in the layout that costs least");
    fs::create_dir_all(demo.root.join("out/demo")).context("cannot make out/demo")?;
    demo.show("transform", &["--out-dir", "out/demo"], LIMIT)?;

    step(3, "run it before and after on the CPU and compare");
    let arguments = program.args.first().map_or(&[][..], Vec::as_slice);
    let mut rest: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if !rest.is_empty() {
        rest.insert(0, "--");
    }
    demo.show("verify", &rest, VERIFY_LIMIT)?;

    step(4, "what changed, and what each kernel gains");
    let diff = demo.run("transform", &["--diff"], LIMIT)?;
    // Like `diff`, `--diff` may say with 1 that there are differences.
    if diff.stdout.is_empty() {
        bail!("no diff came out: {}\n{}", diff.ending(), diff.stderr);
    }
    print!("{}", diff.stdout);
    let costs = demo.run("cost", &["--json"], LIMIT)?;
    succeed(&costs)?;
    print!("\n{}", gains(&serde_json::from_str(&costs.stdout)?)?);
    let first = Path::new(&demo.files[0]);
    println!(
        "\n`layoutc cost {}` has the same access by access, in the words of Nsight Compute.\n\
         The rewritten program is in out/demo; it compiles with the same nvcc command as the original.",
        first.display()
    );
    Ok(())
}

fn step(number: u32, what: &str) {
    println!("\n[{number}/4] {what}");
}

/// The program and the tool.
struct Demo {
    layoutc: Layoutc,
    root: std::path::PathBuf,
    files: Vec<String>,
}

impl Demo {
    /// Runs a command after it is shown.
    fn run(&self, command: &str, rest: &[&str], limit: Duration) -> Result<Outcome> {
        let files = self.files.iter().map(String::as_str);
        let arguments: Vec<&str> =
            [command].into_iter().chain(files).chain(rest.iter().copied()).collect();
        println!("$ layoutc {}", arguments.join(" "));
        self.layoutc.run(&self.root, limit, &arguments)
    }

    /// Runs a command and shows what it says.
    fn show(&self, command: &str, rest: &[&str], limit: Duration) -> Result<()> {
        let outcome = self.run(command, rest, limit)?;
        print!("{}", outcome.stdout);
        eprint!("{}", outcome.stderr);
        succeed(&outcome)
    }
}

/// What each kernel gains in the layout that the tool chooses, from the report of `layoutc cost`.
fn gains(costs: &Value) -> Result<String> {
    let device = costs["device"].as_str().context("no device")?;
    let mut out = format!("What it gains, predicted for one launch on {device}:\n");
    for table in costs["tables"].as_array().context("no tables")? {
        let chosen = table["chosen"].as_u64().context("the layout has no price")? as usize;
        let layouts = [&table["layouts"][0], &table["layouts"][chosen]];
        let name = layouts[1]["layout"].as_str().context("no name of a layout")?;
        out += &format!("  from the source's layout to {name}\n");
        for (at, kernel) in table["kernels"].as_array().context("no kernels")?.iter().enumerate() {
            let value = |layout: &Value, key: &str| layout["launches"][at][key].as_f64();
            let both = |key: &str| {
                let [before, after] = layouts.map(|layout| value(layout, key));
                Some((before?, after?))
            };
            let per_request =
                |layout: &Value| Some(value(layout, "sectors")? / value(layout, "requests")?);
            let [touched, fewer] = layouts.map(per_request);
            let (dram, less) = both("dram_bytes").context("no bytes")?;
            let (time, faster) = both("microseconds").context("no time")?;
            out += &format!(
                "  {:<12} {:.1} -> {:.1} sectors/request, DRAM {:.1} -> {:.1} MB, memory est. {time:.1} -> {faster:.1} µs\n",
                kernel["name"].as_str().context("no name")?,
                touched.context("no requests")?,
                fewer.context("no requests")?,
                dram / 1e6,
                less / 1e6,
            );
            out += &format!("  {:<12} {}\n", "", verdict(&layouts[1]["gains"][at]));
        }
    }
    Ok(out)
}

/// A kernel's gain in a clause, as `layoutc cost` says it.
fn verdict(gain: &Value) -> &str {
    gain["text"].as_str().unwrap_or("stays")
}

fn succeed(outcome: &Outcome) -> Result<()> {
    if !outcome.succeeded() {
        bail!("layoutc did not succeed: {}\n{}", outcome.ending(), outcome.stderr);
    }
    Ok(())
}
