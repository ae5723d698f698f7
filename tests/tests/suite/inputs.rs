//! What a command line may name beside files: folders, standard input and output; and how many threads work.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::sandbox::{PARTICLES, Sandbox, many_launches};

/// A host file that prints the sum of a program whose kernels are elsewhere.
const HEADER: &str = "#pragma once\nstruct Particle { float x, y, z, vx, vy, vz; };\nvoid step(Particle *d, int n);\n";
const STEP: &str = "#include \"p.h\"\n__global__ void drift(Particle *p, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  \
    if (i < n) p[i].x += p[i].vx;\n}\nvoid step(Particle *d, int n) { drift<<<(n + 63) / 64, 64>>>(d, n); }\n";
const MAIN: &str = "#include \"p.h\"\nint main() {\n  Particle *d;\n  cudaMalloc(&d, 640 * sizeof(Particle));\n  step(d, 640);\n  cudaFree(d);\n}\n";

/// A program in a folder, with a build folder, a hidden folder and a link beside it.
fn tree() -> Result<Sandbox> {
    let sandbox = Sandbox::with(&[
        ("app/src/main.cu", MAIN),
        ("app/src/gpu/step.cu", STEP),
        ("app/include/p.h", HEADER),
        ("app/build/CMakeCache.txt", ""),
        ("app/build/copy.cu", MAIN),
        ("app/.old/copy.cu", MAIN),
        ("other/copy.cu", MAIN),
    ])?;
    std::os::unix::fs::symlink(sandbox.path().join("other"), sandbox.path().join("app/other"))?;
    Ok(sandbox)
}

#[test]
fn a_folder_stands_for_the_sources_below_it() -> Result<()> {
    let sandbox = tree()?;
    let options = ["-I", "app/include"];
    let outcome = sandbox.layoutc(&[&["transform", "app", "--check"][..], &options].concat())?;
    ensure!(outcome.code() == Some(1), "{}", outcome.stderr);
    ensure!(outcome.stderr.contains("would change: Particle (d, p"), "{}", outcome.stderr);
    sandbox.accepted(
        &[&["transform", "app", "--helpers", "inline", "--out-dir", "out"][..], &options].concat(),
    )?;
    let written: Vec<_> =
        sandbox.contents()?.into_keys().filter(|path| path.starts_with("out")).collect();
    let files: Vec<_> = written.iter().filter(|path| path.extension().is_some()).collect();
    ensure!(files.len() == 3, "{files:?}");
    for command in ["analyze", "cost"] {
        let outcome = sandbox.accepted(&[&[command, "app"][..], &options].concat())?;
        let named = sandbox.accepted(
            &[&[command, "app/src/gpu/step.cu", "app/src/main.cu"][..], &options].concat(),
        )?;
        ensure!(outcome.stdout == named.stdout, "{}{}", outcome.stdout, named.stdout);
    }
    // In `files` of the project's file, and as a choice among its sources.
    sandbox.write("app/layoutc.toml", "files = [\"src\"]\ninclude = [\"include\"]\n")?;
    let outcome = sandbox.layoutc(&["transform", "app/src", "--check"])?;
    ensure!(outcome.code() == Some(1), "{}", outcome.stderr);
    ensure!(outcome.stderr.contains("using app/layoutc.toml"), "{}", outcome.stderr);
    // As a choice among the entries of a database.
    let entry = |file: &str| {
        format!(
            "{{\"directory\": \"{}\", \"file\": \"app/src/{file}\", \"command\": \"nvcc -Iapp/include -c app/src/{file}\"}}",
            sandbox.path().display()
        )
    };
    let entries = [entry("main.cu"), entry("gpu/step.cu")].join(",\n");
    sandbox.write("compile_commands.json", format!("[{entries}]"))?;
    let line = ["transform", "--project", ".", "app/src", "--check"];
    ensure!(sandbox.layoutc(&line)?.code() == Some(1));
    let outcome = sandbox.layoutc(&["transform", "--project", ".", "other", "--check"])?;
    ensure!(
        outcome.stderr.contains("`other` is not in the compilation database"),
        "{}",
        outcome.stderr
    );
    Ok(())
}

#[test]
fn a_folder_without_sources_is_an_error() -> Result<()> {
    let sandbox = tree()?;
    for command in [&["transform", "app/include", "--check"][..], &["cost", "app/include"]] {
        let outcome = sandbox.layoutc(command)?;
        ensure!(outcome.code() == Some(2), "{}", outcome.ending());
        let text = "error: the folder app/include has no source: no file below it ends with .cu";
        ensure!(outcome.stderr.contains(text), "{}", outcome.stderr);
    }
    Ok(())
}

/// Runs `layoutc` in a shell that gives it a file as standard input.
fn with_input(sandbox: &Sandbox, line: &str) -> Result<Outcome> {
    let layoutc = Layoutc::built()?;
    let mut command = Command::new("sh");
    command.current_dir(sandbox.path()).env("NO_COLOR", "1");
    command.args(["-c", &format!("\"$0\" {line}")]).arg(layoutc.program());
    run_limited(&mut command, TRANSFORM_LIMIT)
}

#[test]
fn standard_input_and_output() -> Result<()> {
    let text = format!("#include \"one.h\"\n{}", many_launches());
    let sandbox = Sandbox::with(&[("in.cu", text.as_str()), ("one.h", "#define ONE 1\n")])?;
    sandbox.accepted(&["transform", "in.cu", "-o", "out.cu"])?;
    let expected = sandbox.text("out.cu")?;
    let outcome = with_input(&sandbox, "transform - -o - < in.cu")?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(outcome.stdout == expected, "{}", outcome.stdout);
    ensure!(outcome.stderr.contains("changed: Particle"), "{}", outcome.stderr);
    let outcome = with_input(&sandbox, "transform in.cu -o -")?;
    ensure!(outcome.stdout == expected, "{}", outcome.stdout);
    with_input(&sandbox, "transform - -o to.cu < in.cu")?;
    ensure!(sandbox.text("to.cu")? == expected);
    let outcome = with_input(&sandbox, "transform - --diff < in.cu")?;
    ensure!(outcome.stdout.starts_with("--- a/stdin.cu\n+++ b/stdin.cu\n"), "{}", outcome.stdout);
    ensure!(with_input(&sandbox, "transform - --check < in.cu")?.code() == Some(1));
    // Messages have their places.
    sandbox.write("bad.cu", "#include \"none.h\"\nint main() {}\n")?;
    let outcome = with_input(&sandbox, "transform - -o - < bad.cu")?;
    ensure!(outcome.code() == Some(1) && outcome.stdout.is_empty(), "{}", outcome.stdout);
    ensure!(outcome.stderr.contains("stdin.cu:1:"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn what_standard_input_cannot_be() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    fs::write(sandbox.path().join("latin.cu"), b"// \xe9\n")?;
    let cases = [
        ("transform - in.cu --check < in.cu", "name no other file beside it"),
        ("transform - --in-place < in.cu", "a program on standard input has no file"),
        ("transform - --out-dir out < in.cu", "a program on standard input has no file"),
        ("transform - -o out.cu --depfile d < in.cu", "`--depfile` names files"),
        ("transform - --check < latin.cu", "standard input is not UTF-8"),
        ("transform in.cu -o - --format json", "both write to standard output"),
        ("transform in.cu -o - --helpers header", "writes a header, too"),
    ];
    for (line, text) in cases {
        let outcome = with_input(&sandbox, line)?;
        ensure!(outcome.code() == Some(2), "{line}: {}", outcome.ending());
        ensure!(outcome.stdout.is_empty() && outcome.stderr.contains(text), "{}", outcome.stderr);
    }
    Ok(())
}

#[test]
fn the_number_of_threads_changes_nothing() -> Result<()> {
    let sandbox = tree()?;
    let transform = |jobs: &[&str]| -> Result<String> {
        let line = ["transform", "app", "-I", "app/include", "--diff"];
        Ok(sandbox.accepted(&[&line[..], jobs].concat())?.stdout)
    };
    let expected = transform(&[])?;
    ensure!(expected.contains("+++ b/app/src/main.cu"), "{expected}");
    ensure!(transform(&["-j", "1"])? == expected && transform(&["--jobs=7"])? == expected);
    // In front of the command, too.
    let outcome = sandbox.accepted(&["-j2", "cost", "app", "-I", "app/include"])?;
    ensure!(outcome.stdout.contains("Particle"), "{}", outcome.stdout);
    let outcome = sandbox.layoutc(&["transform", "app", "-j", "0", "--check"])?;
    ensure!(
        outcome.code() == Some(2) && outcome.stderr.contains("0 is not in 1..=1024"),
        "{}",
        outcome.stderr
    );
    Ok(())
}

#[test]
fn headers_are_found_in_another_case() -> Result<()> {
    let step = STEP.replace("\"p.h\"", "\"GPU/P.h\"");
    let sandbox =
        Sandbox::with(&[("step.cu", step.as_str()), ("main.cu", MAIN), ("gpu/p.h", HEADER)])?;
    let transform = ["transform", "step.cu", "main.cu", "-I", "gpu", "--out-dir", "out"];
    let outcome = sandbox.accepted(&transform)?;
    ensure!(outcome.stderr.contains("changed: Particle (d, p"), "{}", outcome.stderr);
    // Two of the same letters are none.
    sandbox.write("gpu/P.H", HEADER)?;
    let outcome = sandbox.layoutc(&transform)?;
    ensure!(outcome.stderr.contains("cannot find header `GPU/P.h`"), "{}", outcome.stderr);
    ensure!(outcome.code() == Some(1), "{}", outcome.stderr);
    Ok(())
}
