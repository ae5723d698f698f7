//! `layoutc verify` can tell a program that computes something else from one that does not.
//!
//! A rewrite moves lines, so a program that computes with `__LINE__` is one that a rewrite changes.

use std::fs;
use std::process::{Command, Output};

/// A program with one array and two allocation calls.
fn program(drift: &str, tail: &str) -> String {
    format!(
        r#"#include <cstdio>
struct Particle {{ float x, y; int tags[3]; }};

__global__ void drift(Particle *p, float *sum, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{
        p[i].x += {drift};
        sum[i] = p[i].x + p[i].y + p[i].tags[i % 3];
    }}
}}

int main()
{{
    const int n = 70;
    Particle h[n];
    for (int i = 0; i < n; ++i)
        h[i] = Particle{{1.0f * i, 2.0f, {{i, i + 1, i + 2}}}};
    Particle *p;
    cudaMalloc((void **)&p, n * sizeof(Particle));
    float *sum;
    cudaMalloc((void **)&sum, n * sizeof(float));
    cudaMemcpy(p, h, n * sizeof(Particle), cudaMemcpyHostToDevice);
    drift<<<2, 64>>>(p, sum, n);
    cudaMemcpy(h, p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    printf("%f\n", h[3].y);
    {tail}
    cudaFree(sum);
    cudaFree(p);
    return 0;
}}
"#
    )
}

fn verify(text: &str, layout: &str) -> (Output, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.cu"), text).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_layoutc"))
        .args(["verify", "in.cu", "--layout", layout])
        .current_dir(folder.path())
        .output()
        .expect("started");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, stdout)
}

#[test]
fn the_same_in_every_layout() {
    let text = program("1.0f", "");
    for layout in ["soa", "tiled(32)", "aos align(16)", "{x} align(8), {tags}, {y} tiled(4)"] {
        let (output, stdout) = verify(&text, &format!("Particle = {layout}"));
        assert_eq!(output.status.code(), Some(0), "{layout}: {output:?}");
        assert!(stdout.contains("\nidentical on the CPU runtime"), "{stdout}");
        assert!(stdout.contains("1 kernel launch, 1 allocation call in"), "{stdout}");
    }
}

#[test]
fn a_kernel_that_computes_something_else() {
    for layout in ["soa", "tiled(32)"] {
        // The output does not show it, device memory does.
        let (output, stdout) = verify(&program("__LINE__", ""), &format!("Particle = {layout}"));
        assert_eq!(output.status.code(), Some(1), "{layout}: {output:?}");
        for part in ["launch 0 of `drift`", "element 0, `x`", "allocated at in.cu:20:5"] {
            assert!(stdout.contains(part), "{part} is not in\n{stdout}");
        }
        assert!(!stdout.contains("identical"), "{stdout}");
    }
}

#[test]
fn other_output() {
    let text = program("1.0f", "printf(\"%d\\n\", __LINE__);");
    let (output, stdout) = verify(&text, "Particle = soa");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stdout.contains("different: output differs in line 2"), "{stdout}");
}

#[test]
fn nothing_can_be_compared() {
    let (output, _) = verify(&program("1.0f", "unknown_function();"), "Particle = soa");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("unknown_function"), "{output:?}");
    // A copy beyond the allocation ends the original, so it says nothing about the rewrite.
    let overrun = "cudaMemcpy(h, sum, 71 * sizeof(float), cudaMemcpyDeviceToHost);";
    let (output, stdout) = verify(&program("1.0f", overrun), "Particle = soa");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(stdout.contains("the original program ended with exit status 97"), "{stdout}");
}
