//! Pragmas of grids in places that one file of the recorded rewrites cannot show: headers,
//! prototypes whose parameters have other names, and what no pragma can speak of.

use anyhow::{Result, ensure};
use layoutc_tests::sandbox::Sandbox;

const HEADER: &str = "\
#pragma once
#pragma layoutc grid f[rows][cols] /* read */, g[rows][cols] // written
__global__ void step(const float *f, float *g, const int *column, int cols, int rows);
#pragma layoutc grid d[rows][cols] other[n][4]
void twice(float *d, float *e, const int *column, int cols, int rows, float *other, int n);
";

const MAIN: &str = "\
#include \"step.h\"
__global__ void step(const float *f, float *g, const int *column, int nx, int ny)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < nx && y < ny)
        g[y*nx + x] = f[y*nx + column[x]] + 1;
}
void twice(float *d, float *e, const int *column, int nx, int ny, float *other, int n)
{
    step<<<ny, 32>>>(d, e, column, nx, ny);
    step<<<ny, 32>>>(e, d, column, nx, ny);
}
int main()
{
    int nx = 9, ny = 6;
    float *a, *b, *c;
    int *column;
    cudaMalloc(&column, nx * sizeof(int));
    cudaMalloc(&a, nx * ny * sizeof(float));
    cudaMalloc(&b, nx * ny * sizeof(float));
    cudaMalloc(&c, 40 * sizeof(float));
    twice(a, b, column, nx, ny, c, 10);
    cudaFree(a);
    cudaFree(b);
}
";

fn sandbox(header: &str) -> Result<Sandbox> {
    Sandbox::with(&[("step.h", header), ("main.cu", MAIN)])
}

const LAYOUT: [&str; 4] = ["--layout", "f = [rows/4, cols, rows%4]", "--out-dir", "out"];

fn transform() -> Vec<&'static str> {
    [&["transform", "main.cu"][..], &LAYOUT].concat()
}

#[test]
fn a_pragma_over_a_prototype_speaks_of_the_definition() -> Result<()> {
    let sandbox = sandbox(HEADER)?;
    let outcome = sandbox.accepted(&transform())?;
    ensure!(outcome.stderr.contains("note[LC0068]"), "{}", outcome.stderr);
    let main = sandbox.text("out/main.cu")?;
    ensure!(main.contains("g[fAt(y, x, nx)] = f[fAt(y, column[x], nx)] + 1;"), "{main}");
    let header = sandbox.text("out/step.h")?;
    let expected = HEADER
        .replace(
            "#pragma layoutc grid f[rows][cols] /* read */, g[rows][cols] //",
            "/* layoutc: f[rows][cols] as [rows/4, cols, rows%4], g[rows][cols] as [rows/4, cols, rows%4] */ //",
        )
        .replace(
            "#pragma layoutc grid d[rows][cols] other[n][4]",
            "#pragma layoutc grid other[n][4] /* layoutc: d[rows][cols] as [rows/4, cols, rows%4] */",
        );
    ensure!(header == expected, "{header}");
    Ok(())
}

#[test]
fn line_breaks_and_bytes_around_a_pragma_stay() -> Result<()> {
    let header = HEADER.replace("grid f[rows]", "grid \\\n  f[ rows ]").replace('\n', "\r\n");
    let sandbox = sandbox(&header)?;
    sandbox.accepted(&transform())?;
    let header = sandbox.text("out/step.h")?;
    ensure!(header.lines().count() == 5, "{header}");
    ensure!(header.matches("\r\n").count() == header.matches('\n').count(), "{header:?}");
    ensure!(header.contains("/* layoutc: f[ rows ][cols] as"), "{header}");
    Ok(())
}

#[test]
fn pragmas_of_two_files_must_agree() -> Result<()> {
    let sandbox = sandbox(HEADER)?;
    let other = MAIN.replacen("__global__", "#pragma layoutc grid f[ny][nx + 1]\n__global__", 1);
    sandbox.write("main.cu", other)?;
    let outcome =
        sandbox.layoutc(&["transform", "main.cu", "--layout", "f = tiled(4)", "--diff"])?;
    ensure!(outcome.succeeded() && outcome.stdout.is_empty(), "{}", outcome.stdout);
    ensure!(outcome.stderr.contains("LC0065"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn a_pragma_over_structures_is_reported() -> Result<()> {
    let text = "struct P { float x, y; };\n#pragma layoutc grid p[ny][nx]\n\
                __global__ void k(P *p, int nx, int ny) { p[threadIdx.x].x = 0; }\n";
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    let outcome = sandbox.accepted(&["transform", "in.cu", "--diff"])?;
    ensure!(
        outcome.stderr.contains("LC0061") && outcome.stderr.contains("in.cu:2:22"),
        "{}",
        outcome.stderr
    );
    Ok(())
}

#[test]
fn a_pragma_that_is_not_compiled_says_nothing() -> Result<()> {
    let text = "#if 0\n#pragma layoutc gird\n#endif\n#pragma omp simd\n#pragma unroll\n#pragma\n\
                __global__ void k(float *p) { p[threadIdx.x] = 0; }\n";
    let sandbox = Sandbox::with(&[("in.cu", text)])?;
    let outcome = sandbox.accepted(&["transform", "in.cu", "--diff"])?;
    ensure!(!outcome.stderr.contains("LC006"), "{}", outcome.stderr);
    Ok(())
}
