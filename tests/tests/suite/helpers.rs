//! `transform --helpers header`: generated text in headers of its own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use layoutc_runtime::process::{RunRequest, run};
use layoutc_runtime::program::read_program;
use layoutc_runtime::toolchain::{BuildRequest, build};
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::program::Program;
use layoutc_tests::sandbox::{PARTICLES, Sandbox, copy_folder};

/// The headers below a folder that were generated.
fn headers(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_header = path.to_string_lossy().ends_with("_layouts.cuh");
        count += if path.is_dir() { headers(&path)? } else { usize::from(is_header) };
    }
    Ok(count)
}

/// What the files of a program print when they are built for the CPU.
fn output(folder: &Path, program: &Program, out: &Path) -> Result<Vec<u8>> {
    let files: Vec<PathBuf> = program.files.iter().map(|file| folder.join(file)).collect();
    let built = build(&BuildRequest::new(read_program(&files, &[])?, out.to_path_buf()))?;
    let arguments = program.args.first().context("a run")?;
    let result =
        run(&built.executable, &RunRequest::new(arguments.iter().map(Into::into).collect()))?;
    Ok(result.stdout)
}

#[test]
fn programs_with_headers_do_the_same() -> Result<()> {
    let nvcc = Nvcc::find()?;
    for of in ["nbody", "idiom_shared_header"] {
        let program = Program::load(of)?;
        let sandbox = Sandbox::new()?;
        copy_folder(&program.folder, sandbox.path())?;
        let mut arguments = vec!["transform", "--helpers", "header"];
        arguments.extend(program.files.iter().filter_map(|file| file.to_str()));
        let diff = sandbox.accepted(&[&arguments[..], &["--diff"]].concat())?.stdout;
        ensure!(diff.contains("+++ b/") && diff.contains("--- /dev/null"), "{of}: {diff}");
        sandbox.accepted(&[&arguments[..], &["--out-dir", "out"]].concat())?;
        let out = sandbox.path().join("out");
        ensure!(headers(&out)? > 0, "{of}");
        for file in &program.files {
            nvcc.check_front_end(&out.join(file))?;
        }
        let before = output(sandbox.path(), &program, &sandbox.path().join("before"))?;
        let after = output(&out, &program, &sandbox.path().join("after"))?;
        ensure!(before == after && !before.is_empty(), "{of}");
    }
    Ok(())
}

#[test]
fn a_second_run_changes_nothing_and_takes_no_name_that_is_there() -> Result<()> {
    let sandbox =
        Sandbox::with(&[("particles.cu", PARTICLES), ("particle_layouts.cuh", "// Mine.\n")])?;
    let in_place = ["transform", "particles.cu", "--helpers", "header", "--in-place"];
    let outcome = sandbox.accepted(&in_place)?;
    ensure!(outcome.stderr.contains("1 of 1"), "{}", outcome.stderr);
    let text = sandbox.text("particles.cu")?;
    ensure!(
        text.contains("\n#include \"particle_layouts2.cuh\"\n") && !text.contains("cudaError_t"),
        "{text}"
    );
    ensure!(sandbox.text("particle_layouts.cuh")? == "// Mine.\n");
    let before = sandbox.contents()?;
    let outcome = sandbox.accepted(&in_place)?;
    ensure!(
        outcome.stderr.contains("up to date") && sandbox.contents()? == before,
        "{}",
        outcome.stderr
    );
    // One output file has no room for a header.
    sandbox.rejected(
        &["transform", "particles.cu", "--helpers", "header", "-o", "x.cu"],
        &["--out-dir"],
    )?;
    Ok(())
}

/// A file that is included in two namespaces brings its header into both.
#[test]
fn a_header_is_as_often_there_as_its_file() -> Result<()> {
    let part = "struct Body { float x, v; };\n\
        __global__ void step(Body *p) { p[threadIdx.x].x += p[threadIdx.x].v; }\n\
        inline void run() {\n    Body host[64] = {}, *d;\n    cudaMalloc(&d, sizeof(host));\n\
        \x20   cudaMemcpy(d, host, sizeof(host), cudaMemcpyHostToDevice);\n    step<<<1, 64>>>(d);\n\
        \x20   cudaMemcpy(host, d, sizeof(host), cudaMemcpyDeviceToHost);\n    cudaFree(d);\n}\n";
    let main = "namespace a {\n#include \"part.h\"\n}\nnamespace b {\n#include \"part.h\"\n}\nint main() { a::run(); b::run(); }\n";
    let sandbox = Sandbox::with(&[("main.cu", main), ("part.h", part)])?;
    let layout = ["--layout", "* = tiled(32)", "--out-dir", "out"];
    sandbox.accepted(&[&["transform", "main.cu"], &layout[..]].concat())?;
    let out = sandbox.path().join("out");
    ensure!(headers(&out)? == 1 && sandbox.text("out/part.h")?.contains("Tile32 *p"));
    Nvcc::find()?.check_front_end(&out.join("main.cu"))
}
