//! How `transform` grows with its input: memory and time, on generated programs.
//!
//! Speed itself is measured by the bench; a test run shares its machine and can only tell linear
//! from quadratic.

use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use layoutc_tests::generate;
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::process::peak_memory;
use layoutc_tests::sandbox::Sandbox;

const ARGUMENTS: [&str; 4] = ["transform", "in.cu", "-o", "out.cu"];

#[test]
fn twenty_thousand_lines_take_at_most_64_megabytes() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", generate::program(20_000))])?;
    let layoutc = Layoutc::built()?;
    let mut command = Command::new(layoutc.program());
    let peak = peak_memory(command.args(ARGUMENTS).current_dir(sandbox.path()))?.unwrap_or(0);
    ensure!(peak <= 64 << 20, "{:.1} MiB", peak as f64 / f64::from(1 << 20));
    Ok(())
}

/// The fastest of `runs` runs on a program.
fn fastest(program: String, runs: usize) -> Result<Duration> {
    let sandbox = Sandbox::with(&[("in.cu", program)])?;
    let layoutc = Layoutc::built()?;
    let mut best = TRANSFORM_LIMIT;
    for _ in 0..runs {
        let outcome = layoutc.run(sandbox.path(), TRANSFORM_LIMIT, ARGUMENTS)?;
        ensure!(outcome.succeeded(), "{}", outcome.stderr);
        best = best.min(outcome.elapsed);
    }
    Ok(best)
}

#[test]
fn time_grows_linearly() -> Result<()> {
    let fastest = |lines: usize| fastest(generate::program(lines), 3);
    let (small, large) = (fastest(4000)?, fastest(20_000)?);
    // Five times the input: linear is 5, quadratic 25.
    let growth = large.as_secs_f64() / small.as_secs_f64();
    ensure!(growth < 11.0, "{small:?} for 4,000 lines, {large:?} for 20,000: {growth:.1} times");
    Ok(())
}

#[test]
fn time_grows_linearly_with_what_one_scope_declares() -> Result<()> {
    type Declare = fn(usize) -> String;
    let cases: [(&str, &str, Declare, &str); 7] = [
        ("fields and methods", "class C {\npublic:\n", members, "};\n"),
        ("nested types", "class C {\n", |at| format!("struct N{at} {{ int a; }};\n"), "};\n"),
        ("enumerators", "enum E {\n", |at| format!("E{at},\n"), "};\n"),
        ("functions", "", |at| format!("int g{at}(int a) {{ return a + {at}; }}\n"), ""),
        ("globals", "", |at| format!("int v{at} = {at};\n"), ""),
        ("macros", "", |at| format!("#define M{at} {at}\nint v{at} = M{at};\n"), ""),
        ("a chain of calls", "int g0(int);\n", call, ""),
    ];
    for (name, head, declare, tail) in cases {
        let program = |count: usize| {
            let body: String = (1..=count).map(declare).collect();
            format!("{head}{body}{tail}int main() {{ return 0; }}\n")
        };
        let (small, large) = (fastest(program(1500), 3)?, fastest(program(12_000), 3)?);
        // As above; starting the program is a part of the smaller time.
        let growth = large.as_secs_f64() / small.as_secs_f64();
        ensure!(growth < 24.0, "{name}: {small:?} for 1,500, {large:?} for 12,000: {growth:.1}");
    }
    Ok(())
}

fn members(at: usize) -> String {
    format!("int f{at};\nint m{at}(int a) {{ return a + f{at}; }}\n")
}

fn call(at: usize) -> String {
    format!("int g{at}(int a) {{ return g{}(a); }}\n", at - 1)
}
