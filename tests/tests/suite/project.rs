//! Programs given by a compilation database.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::sandbox::Sandbox;
use serde_json::{Value, json};

const HEADER: &str = "#pragma once\nstruct Particle { float x, y, z, m; };\n";

/// A kernel in a file of its own; its factor comes from the command line.
const KERNELS: &str = r#"#include "particle.h"
__global__ void move(Particle *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += FACTOR * p[i].y;
}
void launch(Particle *d, int n) { move<<<1, 64>>>(d, n); }
"#;

const MAIN: &str = r#"#include <cstdio>
#include "particle.h"
#ifndef COUNT
#error "no COUNT"
#endif
void launch(Particle *d, int n);
float weight(const Particle *h, int n);
int main() {
  static Particle h[COUNT];
  for (int i = 0; i < COUNT; ++i) h[i].y = h[i].m = i;
  Particle *d;
  cudaMalloc(&d, COUNT * sizeof(Particle));
  cudaMemcpy(d, h, COUNT * sizeof(Particle), cudaMemcpyHostToDevice);
  launch(d, COUNT);
  cudaMemcpy(h, d, COUNT * sizeof(Particle), cudaMemcpyDeviceToHost);
  printf("%g %g\n", h[3].x, weight(h, COUNT));
  cudaFree(d);
}
"#;

const HOST: &str = "#include \"particle.h\"\nfloat weight(const Particle *h, int n) {\n  float sum = 0;\n  \
    for (int i = 0; i < n; ++i) sum += h[i].m;\n  return sum * SCALE;\n}\n";

/// A project with its database in `build`, as CMake lays it out: nvcc as one command, the host
/// compiler as words.
fn project() -> Result<Sandbox> {
    let sandbox = Sandbox::with(&[
        ("include/particle.h", HEADER),
        ("src/main.cu", MAIN),
        ("src/kernels.cu", KERNELS),
        ("src/host.cpp", HOST),
        ("build/includes.rsp", "-I../include \"-I/no such folder\""),
    ])?;
    let build = sandbox.path().join("build");
    let database = json!([
        {"directory": build, "file": "../src/main.cu",
         "command": "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -DCOUNT=50 --options-file includes.rsp -gencode arch=compute_80,code=sm_80 -x cu -c ../src/main.cu -o main.o"},
        {"directory": build, "file": sandbox.path().join("src/kernels.cu"),
         "command": "nvcc \"-DFACTOR=(2 + 0)\" -I '../include' -std=c++17 -dc ../src/kernels.cu"},
        {"directory": build, "file": "../src/host.cpp",
         "arguments": ["c++", "-I", "../include", "-DSCALE=0.5f", "-DFACTOR=#", "-O2", "-c", "../src/host.cpp"]},
    ]);
    sandbox.write("build/compile_commands.json", serde_json::to_vec_pretty(&database)?)?;
    Ok(sandbox)
}

const SOA: [&str; 2] = ["--layout", "* = soa"];

fn with_soa<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &SOA[..]].concat()
}

#[test]
fn each_file_has_its_own_macros_and_folders() -> Result<()> {
    for name in ["build/compile_commands.json", "build"] {
        let sandbox = project()?;
        let arguments = ["transform", "--project", name, "--out-dir", "out"];
        let outcome = sandbox.accepted(&with_soa(&arguments))?;
        ensure!(outcome.stderr.contains("changed: Particle"), "{}", outcome.stderr);
        for file in ["src/main.cu", "src/kernels.cu", "include/particle.h"] {
            let changed = sandbox.text(&format!("out/{file}"))? != sandbox.text(file)?;
            ensure!(changed, "{file}");
        }
        ensure!(sandbox.text("out/src/host.cpp")? == HOST);
        ensure!(!sandbox.path().join("out/build").exists());
    }
    Ok(())
}

#[test]
fn verify_builds_each_file_with_its_own_command() -> Result<()> {
    let sandbox = project()?;
    let arguments = with_soa(&["verify", "--project", "build"]);
    let outcome = Layoutc::built()?.run(sandbox.path(), VERIFY_LIMIT, arguments)?;
    ensure!(outcome.succeeded(), "{}{}", outcome.stdout, outcome.stderr);
    ensure!(outcome.stdout.contains("identical"), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn in_place_diff_check_and_report() -> Result<()> {
    let sandbox = project()?;
    let before = sandbox.contents()?;
    let diff = sandbox.accepted(&with_soa(&["transform", "--project", "build", "--diff"]))?;
    ensure!(diff.stdout.contains("--- a/src/kernels.cu\n"), "{}", diff.stdout);
    ensure!(diff.stdout.contains("--- a/include/particle.h\n"), "{}", diff.stdout);
    let check = sandbox.layoutc(&with_soa(&["transform", "--project", "build", "--check"]))?;
    ensure!(check.code() == Some(1) && sandbox.contents()? == before);
    let arguments = ["transform", "--project", "build", "--in-place", "--report", "report.json"];
    sandbox.accepted(&with_soa(&arguments))?;
    let report: Value = serde_json::from_slice(&sandbox.read("report.json")?)?;
    let program = json!(["src/main.cu", "src/kernels.cu", "src/host.cpp", "include/particle.h"]);
    ensure!(report["program"] == program, "{report:#}");
    ensure!(sandbox.text("src/kernels.cu")? != KERNELS && sandbox.text("src/host.cpp")? == HOST);
    Ok(())
}

#[test]
fn from_another_folder() -> Result<()> {
    let sandbox = project()?;
    let elsewhere = Sandbox::new()?;
    let database = sandbox.path().join("build").display().to_string();
    let arguments = ["transform", "--project", &database, "--out-dir", "out"];
    elsewhere.accepted(&with_soa(&arguments))?;
    // The folder that holds all files of the program is the top.
    ensure!(elsewhere.text("out/src/kernels.cu")? != KERNELS);
    ensure!(elsewhere.text("out/include/particle.h")? != HEADER);
    Ok(())
}

#[test]
fn files_choose_entries_and_macros_are_added() -> Result<()> {
    let sandbox = project()?;
    let arguments =
        ["transform", "src/host.cpp", "--project", "build", "--check", "--report", "r.json"];
    sandbox.accepted(&arguments)?;
    let report: Value = serde_json::from_slice(&sandbox.read("r.json")?)?;
    ensure!(report["program"] == json!(["src/host.cpp", "include/particle.h"]), "{report:#}");
    let arguments = ["transform", "src/other.cu", "--project", "build", "--check"];
    sandbox.rejected(&arguments, &["src/other.cu", "not in the compilation database"])?;
    // The command line's definition goes before the entry's.
    sandbox.write("src/main.cu", MAIN.replace("#ifndef COUNT", "#if COUNT != 7"))?;
    let arguments = ["transform", "--project", "build", "-D", "COUNT=7", "--diff"];
    let outcome = sandbox.accepted(&with_soa(&arguments))?;
    ensure!(outcome.stderr.contains("changed: Particle"), "{}", outcome.stderr);
    Ok(())
}

/// A database of commands that run in the folder above it.
fn with_commands(files: &[(&str, &str)], commands: &[(&str, &str)]) -> Result<Sandbox> {
    let sandbox = Sandbox::with(files)?;
    let entries: Vec<Value> = commands
        .iter()
        .map(|(file, command)| json!({"directory": sandbox.path(), "file": file, "command": command}))
        .collect();
    sandbox.write("compile_commands.json", serde_json::to_vec(&entries)?)?;
    Ok(sandbox)
}

/// One kernel file for several element types: each command makes other functions of it.
const GENERIC: &str = r#"#include "particle.h"
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
__global__ void CAT(scale_, NAME)(float *v, int n) {
  int i = threadIdx.x;
  if (i < n) v[i] *= NUMBER;
}
"#;

#[test]
fn a_file_compiled_twice_with_equal_meanings() -> Result<()> {
    // `-O3` and `-DUNUSED` are no difference to the text.
    let main = MAIN.replace("#ifndef COUNT", "#ifndef COUNT ");
    let files =
        [("particle.h", HEADER), ("main.cu", &main), ("kernels.cu", KERNELS), ("host.cpp", HOST)];
    let commands = [
        ("main.cu", "nvcc -DCOUNT=50 main.cu"),
        ("kernels.cu", "nvcc -DFACTOR=2 kernels.cu"),
        ("kernels.cu", "nvcc -DFACTOR=2 -O3 -DUNUSED kernels.cu"),
        ("host.cpp", "g++ -DSCALE=1 host.cpp"),
    ];
    let sandbox = with_commands(&files, &commands)?;
    let outcome = sandbox.accepted(&with_soa(&["transform", "--project", ".", "--diff"]))?;
    ensure!(outcome.stderr.contains("changed: Particle"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn a_file_compiled_twice_with_other_meanings_is_left_alone() -> Result<()> {
    let kernels = KERNELS
        .replace("FACTOR * p[i].y", "VALUE(p, i)")
        .replace("__global__", "#ifdef SUM\n#define VALUE(p, i) p[i].y\n#else\n#define VALUE(p, i) ((float *)p)[i]\n#endif\nstatic __global__")
        .replace("void launch", "void LAUNCH");
    let files =
        [("particle.h", HEADER), ("main.cu", MAIN), ("kernels.cu", &kernels), ("host.cpp", HOST)];
    let commands = [
        ("main.cu", "nvcc -DCOUNT=50 main.cu"),
        ("kernels.cu", "nvcc -DSUM -DLAUNCH=launch kernels.cu"),
        ("kernels.cu", "nvcc -DLAUNCH=launch2 kernels.cu"),
        ("host.cpp", "g++ -DSCALE=1 host.cpp"),
    ];
    let sandbox = with_commands(&files, &commands)?;
    let outcome = sandbox.accepted(&with_soa(&["transform", "--project", ".", "--diff"]))?;
    ensure!(outcome.stdout.is_empty(), "{}", outcome.stdout);
    ensure!(outcome.stderr.contains("LC0036"), "{}", outcome.stderr);
    // Other text of two meanings is no reason for anything else to stay.
    let commands = [
        ("main.cu", "nvcc -DCOUNT=50 main.cu"),
        ("kernels.cu", "nvcc -DFACTOR=2 kernels.cu"),
        ("generic.cu", "nvcc -DNAME=one -DNUMBER=1 generic.cu"),
        ("generic.cu", "nvcc -DNAME=two -DNUMBER=2 generic.cu"),
        ("host.cpp", "g++ -DSCALE=1 host.cpp"),
    ];
    let files = [&[("generic.cu", GENERIC)][..], &files].concat();
    let sandbox = with_commands(&files, &commands)?;
    sandbox.write("kernels.cu", KERNELS)?;
    let outcome = sandbox.accepted(&with_soa(&["transform", "--project", ".", "--diff"]))?;
    ensure!(outcome.stderr.contains("changed: Particle"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn forced_headers_undefined_macros_and_languages() -> Result<()> {
    let kernels = KERNELS.replace(
        "#include \"particle.h\"\n",
        "#if defined(BAD) || !defined(PRE)\n#error\n#endif\n",
    );
    let main = MAIN.replace("#ifndef COUNT", "#if !defined COUNT || __cplusplus < 202002L");
    let files = [
        ("inc/particle.h", HEADER),
        ("pre.h", "#define PRE\n#include \"inc/particle.h\"\n"),
        ("main.cpp", &main),
        ("kernels.cu", &kernels),
        ("host.cpp", HOST),
    ];
    let commands = [
        (
            "main.cpp",
            "clang++ -x cuda --cuda-gpu-arch=sm_80 -std=gnu++20 -DCOUNT=50 -iquote inc main.cpp",
        ),
        ("kernels.cu", "nvcc -DFACTOR=2 -DBAD -UBAD -include pre.h kernels.cu"),
        ("host.cpp", "g++ -DSCALE=1 -Iinc host.cpp"),
    ];
    let sandbox = with_commands(&files, &commands)?;
    let outcome =
        sandbox.accepted(&with_soa(&["transform", "--project", ".", "--out-dir", "out"]))?;
    ensure!(outcome.stderr.contains("changed: Particle"), "{}", outcome.stderr);
    ensure!(sandbox.text("out/main.cpp")? != main, "CUDA by its flag");
    ensure!(sandbox.text("out/pre.h")? == sandbox.text("pre.h")?);
    let arguments = with_soa(&["verify", "--project", "."]);
    let outcome = Layoutc::built()?.run(sandbox.path(), VERIFY_LIMIT, arguments)?;
    ensure!(outcome.stdout.contains("identical"), "{}{}", outcome.stdout, outcome.stderr);
    Ok(())
}

#[test]
fn what_is_no_project_is_an_error() -> Result<()> {
    let sandbox = Sandbox::with(&[("bad.json", "{]"), ("empty.json", "[]")])?;
    let transform = |path| ["transform", "--project", path, "--check"];
    sandbox.rejected(&transform("nowhere"), &["nowhere", "LC0001"])?;
    sandbox.rejected(&transform("bad.json"), &["bad.json", "no compilation database"])?;
    sandbox.rejected(&transform("empty.json"), &["empty.json", "names no"])?;
    sandbox.rejected(&["transform", "--check"], &["<FILE>"])?;
    let sandbox = project()?;
    fs::remove_file(sandbox.path().join("src/kernels.cu"))?;
    sandbox.rejected(&transform("build"), &["src/kernels.cu", "no such file"])?;
    let sandbox = project()?;
    fs::remove_file(sandbox.path().join("build/includes.rsp"))?;
    sandbox.rejected(&transform("build"), &["entry 1", "includes.rsp"])?;
    let sandbox = project()?;
    sandbox.rejected(&["transform", "--project", "build", "-o", "x.cu"], &["--out-dir"])?;
    ensure!(!Path::new("x.cu").exists());
    Ok(())
}
