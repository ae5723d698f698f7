//! The paper's five programs in OpenCL, in the layouts that `--selector kdlg` chooses for the K20m: each changes, and on the
//! OpenCL that is installed it prints the same as before.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::opencl::Host;
use layoutc_tests::program::Program;
use serde_json::Value;

fn test(name: &str) -> Result<()> {
    let program = Program::load(&format!("opencl/{name}"))?;
    let out = tempfile::tempdir()?;
    let report = out.path().join("report.json");
    let mut arguments: Vec<String> =
        ["transform", "--selector", "kdlg", "--device", "k20m", "-I", "."]
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
    ensure!(changes, "nothing changes: {report:#}");
    let expected = Host::build(&program, &program.folder)?;
    Host::build(&program, out.path())?.prints_the_same(&expected.runs(&program)?)
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
