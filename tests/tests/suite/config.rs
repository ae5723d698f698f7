//! `layoutc.toml`: where it is found, what wins over it, and what is wrong with it.

use anyhow::{Result, ensure};
use layoutc_tests::sandbox::Sandbox;

/// A program whose count comes from the file.
const PROGRAM: &str = r#"#ifndef COUNT
#include "no-count.h"
#endif
struct Particle { float x, y, z, m; };
__global__ void move(Particle *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += p[i].y;
}
int main() {
  static Particle h[COUNT];
  Particle *d;
  cudaMalloc(&d, COUNT * sizeof(Particle));
  cudaMemcpy(d, h, COUNT * sizeof(Particle), cudaMemcpyHostToDevice);
  for (int step = 0; step < 100000; ++step) move<<<1, 64>>>(d, COUNT);
  cudaMemcpy(h, d, COUNT * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaFree(d);
}
"#;

const CONFIG: &str =
    "files = [\"src/a.cu\"]\ndefine = [\"COUNT=50\"]\nlayout = [\"Particle = soa\"]\n";

fn project(config: &str) -> Result<Sandbox> {
    Sandbox::with(&[("layoutc.toml", config), ("src/a.cu", PROGRAM), ("src/b.cu", PROGRAM)])
}

/// Runs `layoutc` and looks for its exit code and a text on standard error.
fn expect(sandbox: &Sandbox, arguments: &[&str], code: i32, text: &str) -> Result<()> {
    let outcome = sandbox.layoutc(arguments)?;
    ensure!(
        outcome.code() == Some(code) && outcome.stderr.contains(text),
        "{arguments:?}: {:?}, not {code} with `{text}`\n{}",
        outcome.code(),
        outcome.stderr
    );
    Ok(())
}

#[test]
fn it_is_found_and_says_what_the_command_line_does_not() -> Result<()> {
    let sandbox = project(CONFIG)?;
    expect(&sandbox, &["transform", "--check"], 1, "(p, d) to soa")?;
    expect(&sandbox, &["transform", "src/a.cu", "--check"], 1, "(p, d) to soa")?;
    expect(&sandbox, &["cost"], 0, "")?;
    expect(&sandbox, &["analyze"], 0, "")
}

#[test]
fn it_keeps_arrays_and_says_that_it_is_used() -> Result<()> {
    let sandbox =
        project("files = [\"src/a.cu\"]\ndefine = [\"COUNT=50\"]\nkeep = [\"Particle\"]\n")?;
    expect(&sandbox, &["transform", "--check"], 0, "`--keep Particle` keeps it")?;
    expect(&sandbox, &["transform", "--check"], 0, "using layoutc.toml\n")?;
    expect(&sandbox, &["transform", "--check", "--keep", "h"], 1, "(p, d) to ")?;
    let named = ["transform", "--check", "--config", "layoutc.toml"];
    let outcome = sandbox.layoutc(&named)?;
    ensure!(!outcome.stderr.contains("using"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn the_command_line_wins() -> Result<()> {
    let sandbox = project(CONFIG)?;
    let tiled = ["transform", "--check", "--layout", "Particle = tiled(32)"];
    expect(&sandbox, &tiled, 1, "(p, d) to tiled(32)")?;
    // What is given replaces the list: `COUNT` is no longer defined.
    expect(&sandbox, &["transform", "--check", "-D", "OTHER"], 2, "no-count.h")
}

#[test]
fn it_is_left_alone_unless_it_names_the_program_or_is_named() -> Result<()> {
    let sandbox = project(CONFIG)?;
    expect(&sandbox, &["transform", "src/b.cu", "--check"], 2, "no-count.h")?;
    expect(&sandbox, &["transform", "src/a.cu", "src/b.cu", "--check"], 2, "no-count.h")?;
    let named = ["transform", "src/b.cu", "--check", "--config", "layoutc.toml"];
    expect(&sandbox, &named, 1, "(p, d) to soa")
}

#[test]
fn a_database_is_seen_from_the_folder_of_the_file() -> Result<()> {
    let sandbox = Sandbox::with(&[
        ("p/layoutc.toml", "project = \"build\"\nlayout = [\"* = soa\"]\n"),
        ("p/src/a.cu", PROGRAM),
        ("p/src/b.cu", PROGRAM),
        (
            "p/build/compile_commands.json",
            r#"[{"directory": ".", "file": "../src/a.cu", "command": "nvcc -DCOUNT=9 -c ../src/a.cu"}]"#,
        ),
    ])?;
    for words in [&["p/src/a.cu"][..], &["--project", "p/build"], &["--config", "p/layoutc.toml"]] {
        let words = [&["transform", "--check"][..], words].concat();
        expect(&sandbox, &words, 1, "(p, d) to soa")?;
    }
    expect(&sandbox, &["transform", "--check", "p/src/b.cu"], 2, "no-count.h")
}

#[test]
fn errors_have_a_place_and_nothing_is_written() -> Result<()> {
    let cases = [
        ("files = [\n", "layoutc.toml:1:10: "),
        ("files = [\"src/a.cu\"]\n\u{e9} = 1\n", "layoutc.toml:2:1: "),
        (
            "files = [\"src/a.cu\"]\nlauncher = \"rm\"\n",
            "layoutc.toml:2:1: unknown field `launcher`",
        ),
        ("files = [\"src/a.cu\"]\nlayout = \"P = soa\"\n", "layoutc.toml:2:10: invalid type"),
        ("files = [\"src/a.cu\"]\n  block = \"x\"\n", "layoutc.toml:2:11: invalid value 'x'"),
        ("files = [\"src/a.cu\"]\nblocks = 0\n", "layoutc.toml:2:10: invalid value '0'"),
        ("files = [\"src/a.cu\"]\ndevice = \"no\"\n", "layoutc.toml:2:10: invalid value 'no'"),
        ("files = [\"src/a.cu\"]\nlayout = [\n\"Particle = zigzag\"]\n", "layoutc.toml:3:1: "),
        ("files = [\"../a.cu\"]\n", "layoutc.toml:1:10: `../a.cu` lies outside"),
        ("files = [\"src/a.cu\"]\nroot = [\"/\"]\n", "layoutc.toml:2:9: `/` lies outside"),
        ("layout = [\"Particle = soa\"]\n", "neither `files` nor `project`"),
    ];
    for (config, message) in cases {
        let sandbox = project(config)?;
        let before = sandbox.contents()?;
        expect(&sandbox, &["transform", "--in-place"], 2, message)?;
        ensure!(sandbox.contents()? == before, "{config}: something was written");
    }
    let sandbox = project(CONFIG)?;
    let missing = ["transform", "--check", "--config", "no.toml"];
    expect(&sandbox, &missing, 2, "cannot read no.toml")
}

#[test]
fn a_database_of_sources_elsewhere_is_for_the_command_line() -> Result<()> {
    let database =
        r#"[{"directory": ".", "file": "../../a.cu", "command": "nvcc -DCOUNT=9 -c ../../a.cu"}]"#;
    let sandbox = Sandbox::with(&[
        ("p/layoutc.toml", "layout = [\"* = soa\"]\nproject = \"build\"\n"),
        ("p/build/compile_commands.json", database),
        ("a.cu", PROGRAM),
    ])?;
    let found = ["transform", "--in-place", "--config", "p/layoutc.toml"];
    let before = sandbox.contents()?;
    expect(&sandbox, &found, 2, "p/layoutc.toml:2:11: this database names ")?;
    ensure!(sandbox.contents()? == before, "something was written");
    let given = ["transform", "--check", "--project", "p/build", "--layout", "* = soa"];
    expect(&sandbox, &given, 1, "(p, d) to soa")
}
