//! `transform --helpers header`: generated text in headers of its own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use layoutc_runtime::process::{RunRequest, run};
use layoutc_runtime::program::read_program;
use layoutc_runtime::toolchain::{BuildRequest, build};
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::program::Program;
use layoutc_tests::sandbox::{Sandbox, copy_folder, many_launches};

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
        let mut arguments = vec!["transform", "--helpers", "header", "--layout", "* = tiled(32)"];
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
    let sandbox = Sandbox::with(&[
        ("particles.cu", many_launches().as_str()),
        ("particle_layouts.cuh", "// Mine.\n"),
    ])?;
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

/// A program with a copy, and other text in front of `main`.
fn with_a_copy(others: &str, within: &str) -> String {
    format!(
        "struct Body {{ float x, v; }};\n{others}\n\
         __global__ void step(Body *p) {{ p[threadIdx.x].x += p[threadIdx.x].v; }}\n\
         int main() {{\n    Body host[64] = {{}}, *d;\n    cudaMalloc(&d, sizeof(host));\n    \
         cudaMemcpy(d, host, sizeof(host), cudaMemcpyHostToDevice);\n    step<<<1, 64>>>(d);\n    \
         cudaMemcpy(host, d, sizeof(host), cudaMemcpyDeviceToHost);\n    cudaFree(d);\n    {within}\n}}\n"
    )
}

#[test]
fn a_stage_is_kept_where_nobody_can_notice_it() -> Result<()> {
    let free = "size_t free = 0, total = 0; cudaMemGetInfo(&free, &total);";
    for (is_kept, others, within) in [
        (true, "", ""),
        (true, "void log(int n) { (void)n; }", "log(1);"),
        (false, "", "cudaDeviceReset();"),
        (false, "", free),
        (false, "#define END cudaDeviceReset()", ""),
        (false, "void log(int n);", "log(1);"),
        (false, "extern \"C\" int cuCtxCreate(void **, unsigned, int);", ""),
    ] {
        let sandbox = Sandbox::with(&[("main.cu", &with_a_copy(others, within))])?;
        let layout = ["--layout", "* = tiled(32)", "-o", "out.cu"];
        sandbox.accepted(&[&["transform", "main.cu"], &layout[..]].concat())?;
        let text = sandbox.text("out.cu")?;
        ensure!(text.contains("cudaFree(stage)") != is_kept, "{others} {within}: {text}");
        ensure!(text.contains("thread_local") == is_kept, "{others} {within}: {text}");
        Nvcc::find()?.check_front_end(&sandbox.path().join("out.cu"))?;
    }
    Ok(())
}

#[test]
fn structs_share_the_functions_that_convert_them() -> Result<()> {
    let fixture = |name: &str| {
        let folder = layoutc_tests::repository_root().join("testdata/rewrites/memory");
        fs::read_to_string(folder.join(format!("{name}.cu")))
    };
    for (name, texts) in [("copies_of_structs_in_namespaces", 2), ("copies_behind_a_condition", 2)]
    {
        let sandbox = Sandbox::with(&[("main.cu", &fixture(name)?)])?;
        let layout = ["--layout", "* = soa", "-o", "out.cu"];
        sandbox.accepted(&[&["transform", "main.cu"], &layout[..]].concat())?;
        let text = sandbox.text("out.cu")?;
        let found = text.matches("// Records to elements.").count();
        ensure!(found == texts, "{name}: {found} times\n{text}");
        ensure!(text.contains("PRecords{") && text.contains("RRecords{"), "{name}: {text}");
    }
    Ok(())
}
