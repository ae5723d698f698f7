//! `--types-from`: members whose types layoutc does not know, and a compiler does.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::process::Outcome;

const LIMIT: Duration = Duration::from_secs(120);

/// Members of the C and C++ libraries: in structs, in arrays, in a namespace, private.
const PROGRAM: &str = r#"#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
namespace sim {
struct Sample { float x; div_t d; lldiv_t many[2]; int k; };
}
using sim::Sample;
struct Named { float x; std::string name; };
class Hidden { div_t d; public: float x; };
__global__ void step(Sample *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].x += p[i].k;
    p[i].d.quot += 2;
    div_t own = p[i].d;
    own.rem = 7;
    p[i].d = own;
    p[i].many[1].quot = p[i].many[0].rem;
}
__global__ void other(Hidden *h, Named *m, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { h[i].x = 1; m[i].x = 2; }
}
int main() {
    int n = 100;
    std::vector<Sample> h(n);
    for (int i = 0; i < n; ++i) {
        h[i].x = i; h[i].d.quot = i; h[i].d.rem = 3; h[i].k = i;
        h[i].many[0].rem = 5 * i; h[i].many[1].quot = 0;
    }
    Sample *d;
    cudaMalloc(&d, n * sizeof(Sample));
    cudaMemcpy(d, h.data(), n * sizeof(Sample), cudaMemcpyHostToDevice);
    step<<<4, 32>>>(d, n);
    cudaMemcpy(h.data(), d, n * sizeof(Sample), cudaMemcpyDeviceToHost);
    for (const Sample &s : h) {
        printf("%f %d %d %lld\n", s.x, s.d.quot, s.d.rem, s.many[1].quot);
    }
    Hidden *hidden;
    Named *named;
    cudaMalloc(&hidden, n * sizeof(Hidden));
    cudaMalloc(&named, n * sizeof(Named));
    cudaFree(hidden);
    cudaFree(named);
    cudaFree(d);
}
"#;

fn run(program: &str, arguments: &[&str]) -> Result<(tempfile::TempDir, Outcome)> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("a.cu"), program)?;
    let outcome = Layoutc::built()?.run(folder.path(), LIMIT, arguments)?;
    Ok((folder, outcome))
}

#[test]
fn members_stay_whole_if_a_compiler_says_that_their_bytes_are_their_value() -> Result<()> {
    let without = ["transform", "a.cu", "--diff", "--layout", "* = soa"];
    let (_folder, kept) = run(PROGRAM, &without)?;
    ensure!(kept.stderr.contains("0 of 3 arrays change"), "{}", kept.stderr);
    ensure!(kept.stderr.contains("the type of this member is not known"), "{}", kept.stderr);
    for layout in ["* = soa", "* = tiled(32)", "Sample = {x k}, {d many} tiled(8)"] {
        let asked = ["verify", "a.cu", "--no-nvcc", "--types-from", "g++", "--layout", layout];
        let (_folder, outcome) = run(PROGRAM, &asked)?;
        ensure!(outcome.succeeded(), "{layout}\n{}\n{}", outcome.stdout, outcome.stderr);
        ensure!(outcome.stdout.contains("Sample"), "{layout}\n{}", outcome.stdout);
        // A string is more than its bytes.
        ensure!(outcome.stderr.contains("`Named`"), "{layout}\n{}", outcome.stderr);
    }
    Ok(())
}

#[test]
fn nvcc_is_asked_with_the_headers_of_cuda() -> Result<()> {
    let nvcc = Nvcc::find()?;
    let compiler = nvcc.program().display().to_string();
    let asked =
        ["transform", "a.cu", "-o", "out.cu", "--types-from", &compiler, "--layout", "* = soa"];
    // Only the structs that change are of interest here.
    let program = PROGRAM.replace("std::string name", "int name");
    let (folder, outcome) = run(&program, &asked)?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(!outcome.stderr.contains("`Sample` ("), "{}", outcome.stderr);
    let text = fs::read_to_string(folder.path().join("out.cu")).context(outcome.stderr.clone())?;
    ensure!(text.contains("div_t"), "{text}");
    nvcc.check(&folder.path().join("out.cu"), false)
}

#[test]
fn a_compiler_that_does_not_answer_is_named_and_the_run_goes_on() -> Result<()> {
    let broken = PROGRAM.replace("int main() {", "int main() {\n    undeclared();");
    let cases = [
        (PROGRAM, "no-such-compiler", "cannot run `no-such-compiler`"),
        (&broken, "g++", "error: 'undeclared' was not declared in this scope"),
    ];
    for (program, compiler, cause) in cases {
        let asked =
            ["transform", "a.cu", "--diff", "--types-from", compiler, "--layout", "* = soa"];
        let (_folder, outcome) = run(program, &asked)?;
        ensure!(outcome.succeeded(), "{compiler}\n{}", outcome.stderr);
        ensure!(outcome.stderr.contains("warning[LC0089]"), "{compiler}\n{}", outcome.stderr);
        let quoted = outcome.stderr.replace(['\u{2018}', '\u{2019}'], "'");
        ensure!(quoted.contains(cause), "{compiler}\n{}", outcome.stderr);
        ensure!(outcome.stderr.contains("0 of 3 arrays change"), "{compiler}\n{}", outcome.stderr);
    }
    Ok(())
}
