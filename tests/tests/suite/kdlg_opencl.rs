//! The paper's five programs in OpenCL, in the layouts that `--selector kdlg` and `--selector cost` choose for the K20m: each
//! changes with the first, and on the OpenCL that is installed it prints the same as before with both. Those of `trace` and
//! `auto` are tested with the runs that they need, in `profile_opencl.rs`.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::opencl::{Host, Runs};
use layoutc_tests::program::Program;
use serde_json::Value;

fn test(name: &str) -> Result<()> {
    let program = Program::load(&format!("opencl/{name}"))?;
    let expected = Host::build(&program, &program.folder)?;
    let expected = expected.runs(&program)?;
    ensure!(in_the_layout_of("kdlg", &program, &expected)?, "nothing changes");
    in_the_layout_of("cost", &program, &expected)?;
    Ok(())
}

/// Whether the selector changes the program, which prints what is expected.
fn in_the_layout_of(selector: &str, program: &Program, expected: &Runs) -> Result<bool> {
    let out = tempfile::tempdir()?;
    let report = out.path().join("report.json");
    let mut arguments: Vec<String> =
        ["transform", "--selector", selector, "--device", "k20m", "-I", "."]
            .map(str::to_owned)
            .into();
    for (option, path) in [("--out-dir", out.path()), ("--report", report.as_path())] {
        arguments.extend([option.to_owned(), path.to_string_lossy().into_owned()]);
    }
    arguments.extend(program.files.iter().map(|file| file.to_string_lossy().into_owned()));
    let outcome = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
    let report: Value = serde_json::from_slice(&fs::read(&report)?)?;
    let classes = report["classes"].as_array().context("the report has no `classes`")?;
    let changes = classes.iter().any(|class| class["status"] == "changed");
    let host = Host::build(program, out.path())?;
    host.prints_the_same(expected).with_context(|| format!("{selector}: {report:#}"))?;
    Ok(changes)
}

macro_rules! programs {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() -> anyhow::Result<()> {
            test(stringify!($program))
        })*
    };
}

programs! {
    bitonic
    blackscholes
    lavamd
    nbody
    sampo
}
