//! Every shipped program in the layouts that `--selector kdlg` chooses: all of its types change, and on the
//! CPU runtime it does the same as before.
//!
//! The device is the K20m: its decision tree is the paper's, and chooses arrays as well as large tiles.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT, VERIFY_LIMIT};
use layoutc_tests::program::{self, Program};
use layoutc_tests::sandbox::Sandbox;
use serde_json::Value;

const SELECTOR: [&str; 4] = ["--selector", "kdlg", "--device", "k20m"];

fn test(name: &str) -> Result<()> {
    let program = Program::load(name)?;
    let mut common: Vec<String> = SELECTOR.map(str::to_owned).into();
    common.extend(program.files.iter().map(|file| file.to_string_lossy().into_owned()));
    if !program.native.is_empty() {
        common.extend(["--host".to_owned(), "native".to_owned()]);
    }
    changes(&program, &common)?;
    if program.kept.is_some() {
        // As it is, there is nothing to compare it with.
        return Ok(());
    }

    let mut arguments = vec!["verify".to_owned()];
    arguments.extend(common);
    arguments.push("--".to_owned());
    arguments.extend(program.args.first().into_iter().flatten().cloned());
    let outcome = Layoutc::built()?.run(&program.folder, VERIFY_LIMIT, &arguments)?;
    ensure!(
        outcome.succeeded(),
        "verify: {}\n{}{}",
        outcome.ending(),
        outcome.stdout,
        outcome.stderr
    );
    Ok(())
}

/// All types of the program that layouts change get one from the selector; those of a program that is kept do not.
fn changes(program: &Program, common: &[String]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("report.json");
    let mut arguments: Vec<String> = ["transform", "--check", "--report"].map(str::to_owned).into();
    arguments.push(path.to_string_lossy().into_owned());
    arguments.extend(common.iter().cloned());
    let outcome = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    let report: Value = serde_json::from_slice(&fs::read(&path)?)
        .with_context(|| format!("{}\n{}", outcome.ending(), outcome.stderr))?;
    let classes = report["classes"].as_array().context("the report has no `classes`")?;
    if program.kept.is_some() {
        ensure!(classes.iter().all(|class| class["status"] == "kept"), "{report:#}");
        return Ok(());
    }
    for record in &program.records {
        let changed = |class: &&Value| {
            let because = class["because"].as_str().unwrap_or_default();
            class["type"] == *record && class["status"] == "changed" && because.contains("kdlg")
        };
        ensure!(classes.iter().any(|class| changed(&class)), "{record} stays: {report:#}");
    }
    Ok(())
}

macro_rules! programs {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() -> anyhow::Result<()> {
            test(stringify!($program))
        })*

        const TESTED: &[&str] = &[$(stringify!($program)),*];
    };
}

layoutc_tests::every_program!(programs);

/// The paper's programs in OpenCL: clusters and layouts as it has them, where it says them.
#[test]
fn programs_of_the_paper() -> Result<()> {
    let of = |name: &str, device: &str| -> Result<(Vec<usize>, String)> {
        let program = Program::load(&format!("opencl/{name}"))?;
        let mut arguments: Vec<String> =
            ["analyze", "--selector", "kdlg", "--json", "--device"].map(str::to_owned).into();
        arguments.push(device.to_owned());
        arguments.extend(program.files.iter().map(|file| file.to_string_lossy().into_owned()));
        let outcome = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
        ensure!(outcome.succeeded(), "{name}: {}\n{}", outcome.ending(), outcome.stderr);
        let shown: Value = serde_json::from_str(&outcome.stdout)?;
        let graph = &shown["graphs"][0];
        let clusters = graph["clusters"].as_array().context("clusters")?;
        let sizes = clusters.iter().map(|own| own["fields"].as_array().map_or(0, Vec::len));
        Ok((sizes.collect(), graph["layout"].as_str().unwrap_or_default().to_owned()))
    };
    // Positions in a loop over all bodies, velocities behind it: apart, which is an array for each.
    for device in ["k20m", "gtx480", "firepro-s9000"] {
        assert_eq!(of("nbody", device)?, (vec![1, 1], "soa".to_owned()), "{device}");
    }
    // One cluster; tiles of 512 on two of the devices, arrays on the third.
    assert_eq!(of("bitonic", "k20m")?, (vec![4], "soa".to_owned()));
    assert_eq!(of("bitonic", "gtx480")?, (vec![4], "tiled(512)".to_owned()));
    assert_eq!(of("bitonic", "firepro-s9000")?, (vec![4], "tiled(512)".to_owned()));
    assert_eq!(of("blackscholes", "k20m")?, (vec![7], "tiled(8192)".to_owned()));
    Ok(())
}

/// The program of the paper's Figure 2.
const FIGURE: &str = "\
struct S { int a, b, c, d; };
__global__ void k(S *s) {
    int x = 0;
    for (int j = 0; j < 32; j++) { x += s[j].a; x += s[j].b; }
    s[threadIdx.x].c = x;
}
int main() { S *p; cudaMalloc(&p, 64 * sizeof(S)); k<<<1, 64>>>(p); cudaDeviceSynchronize(); }
";

#[test]
fn graphs_are_written_and_described() -> Result<()> {
    let sandbox = Sandbox::with(&[("figure.cu", FIGURE)])?;
    let analyze = |more: &[&str]| {
        let arguments: Vec<&str> =
            ["analyze", "figure.cu"].into_iter().chain(more.iter().copied()).collect();
        sandbox.accepted(&arguments)
    };
    let shown = analyze(&["--json", "--graph", "new/figure.dot", "--epsilon", "64"])?.stdout;
    let shown: Value = serde_json::from_str(&shown)?;
    let graph = &shown["graphs"][0];
    let row = serde_json::json!([252, 256]);
    ensure!(graph["distances"][2][1] == row[0] && graph["distances"][2][0] == row[1], "{graph:#}");
    ensure!(graph["distances"][3].as_array().is_some_and(|own| own.iter().all(Value::is_null)));
    ensure!(graph["epsilon"] == 64 && graph["layout"] == "{a b} tiled(32), {c}, {d}", "{graph:#}");
    ensure!(graph["status"] == "free", "{graph:#}");
    let dot = sandbox.text("new/figure.dot")?;
    ensure!(dot.starts_with("graph kdlg {") && dot.contains("label = \"252\""), "{dot}");
    analyze(&["--graph", "figure.svg"])?;
    ensure!(sandbox.text("figure.svg")?.contains("δ(b, c) = 252"));
    let text = analyze(&["--selector", "kdlg", "--device", "k20m"])?.stdout;
    ensure!(text.contains("{a b} of 8 bytes: soa (tree)") && text.contains("changes"), "{text}");
    // One cluster of structs is what the source has.
    let text = analyze(&["--selector", "kdlg", "--epsilon", "300"])?.stdout;
    ensure!(text.contains("{a b c} of 12 bytes"), "{text}");

    let bad = sandbox.layoutc(&["analyze", "figure.cu", "--graph", "figure.png"])?;
    ensure!(bad.code() == Some(2) && bad.stderr.contains(".dot or .svg"), "{}", bad.stderr);
    let none =
        sandbox.layoutc(&["analyze", "figure.cu", "--graph", "x.dot", "--device", "gtx280"])?;
    ensure!(none.stderr.contains("gtx280 has no line"), "{}", none.stderr);
    Ok(())
}

#[test]
fn every_program_is_tested() -> Result<()> {
    assert_eq!(program::names()?, TESTED);
    Ok(())
}
