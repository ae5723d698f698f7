//! `#pragma layoutc layout(…)` and `#pragma layoutc keep`: what they mean, what goes before them, and what is wrong
//! with them.

use anyhow::{Result, ensure};
use layoutc_tests::process::Outcome;
use layoutc_tests::sandbox::{PARTICLES, Sandbox};

/// Two structs that gain something, and an array of each; the comments are places for pragmas.
const TWO: &str = "\
// struct
struct Body { float x, y, z, vx, vy, vz; };
struct Cell { float p, q, u, v; };
__global__ void move(
    // parameter
    Body *b, Cell *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i].x += b[i].vx;
    c[i].p += c[i].q;
}
struct State {
    int n;
    // member
    Cell *cells;
};
int main()
{
    // variable
    Body *bodies;
    State state;
    cudaMalloc(&bodies, 4096 * sizeof(Body));
    cudaMalloc(&state.cells, 4096 * sizeof(Cell));
    move<<<16, 256>>>(bodies, state.cells);
    cudaFree(bodies);
    cudaFree(state.cells);
}
";

fn sandbox(pragmas: &[(&str, &str)]) -> Result<Sandbox> {
    let mut text = TWO.to_owned();
    for (place, pragma) in pragmas {
        let comment = format!("// {place}\n");
        ensure!(text.contains(&comment), "no {place}");
        text = text.replacen(&comment, &format!("{comment}#pragma layoutc {pragma}\n"), 1);
    }
    Sandbox::with(&[("a.cu", text)])
}

/// Pragmas by their places.
type Pragmas<'a> = &'a [(&'a str, &'a str)];

/// What is said of a program with these pragmas.
fn said(pragmas: Pragmas<'_>, options: &[&str]) -> Result<Outcome> {
    sandbox(pragmas)?.layoutc(&[&["transform", "a.cu", "--check"], options].concat())
}

fn expect(outcome: &Outcome, code: i32, texts: &[&str]) -> Result<()> {
    ensure!(outcome.code() == Some(code), "{}\n{}", outcome.ending(), outcome.stderr);
    for text in texts {
        ensure!(outcome.stderr.contains(text), "no `{text}` in\n{}", outcome.stderr);
    }
    Ok(())
}

const BODY: &str = "would change: Body (b, bodies) to ";
const CELL: &str = "would change: Cell (c, State::cells) to ";

#[test]
fn a_layout_above_a_struct_is_one_of_its_arrays_and_the_others_are_chosen() -> Result<()> {
    let tiled = format!("{BODY}tiled(32)");
    let cells = format!("{CELL}tiled(32)");
    expect(&said(&[], &[])?, 1, &[&tiled, &cells])?;
    let soa = format!("{BODY}soa");
    expect(&said(&[("struct", "layout(soa)")], &[])?, 1, &[&soa, &cells])?;
    // Any layout of the command line, over several lines, too.
    let groups = "layout({x vx} align(8), \\\n  {*} tiled(16)) // for `move`";
    let grouped = format!("{BODY}{{x vx}} align(8), {{y z vy vz}} tiled(16)");
    expect(&said(&[("struct", groups)], &[])?, 1, &[&grouped, &cells])?;
    expect(&said(&[("struct", "keep")], &[])?, 1, &["`#pragma layoutc keep` keeps it", &cells])
}

#[test]
fn arrays_are_named_by_their_declarations() -> Result<()> {
    let soa = format!("{BODY}soa");
    for place in ["parameter", "variable"] {
        expect(&said(&[(place, "layout(soa)")], &[])?, 1, &[&soa])?;
        let kept = said(&[(place, "keep")], &[])?;
        expect(&kept, 1, &["kept: Body (b, bodies): `#pragma layoutc keep` keeps it"])?;
    }
    let cells = format!("{CELL}soa");
    expect(&said(&[("member", "layout(soa)")], &[])?, 1, &[&cells])?;
    // One at the array goes before one at its struct.
    expect(&said(&[("struct", "layout(soa)"), ("variable", "keep")], &[])?, 1, &["kept: Body"])?;
    expect(&said(&[("struct", "keep"), ("variable", "layout(soa)")], &[])?, 1, &[&soa])
}

#[test]
fn the_command_line_goes_before_the_projects_file_and_that_before_pragmas() -> Result<()> {
    let pragmas = [("struct", "layout(soa)"), ("member", "keep")];
    let tiled = format!("{BODY}tiled(64)");
    let soa = format!("{BODY}soa");
    expect(&said(&pragmas, &["--layout", "Body = tiled(64)"])?, 1, &[&tiled, "kept: Cell"])?;
    // What is said of every array is said of those that nothing names.
    expect(&said(&pragmas, &["--layout", "* = tiled(64)"])?, 1, &[&soa, "kept: Cell"])?;
    expect(&said(&pragmas, &["--layout", "* = auto"])?, 1, &[&soa, "kept: Cell"])?;
    let cells = format!("{CELL}tiled(8)");
    expect(&said(&pragmas, &["--layout", "c = tiled(8)"])?, 1, &[&soa, &cells])?;
    expect(&said(&pragmas, &["--keep", "Body"])?, 0, &["`--keep Body` keeps it"])?;
    let sandbox = sandbox(&pragmas)?;
    sandbox.write("layoutc.toml", "files = [\"a.cu\"]\nlayout = [\"Body = tiled(64)\"]\n")?;
    let check = ["transform", "--check"];
    expect(&sandbox.layoutc(&check)?, 1, &[&tiled, "kept: Cell"])?;
    let line = [&check[..], &["--layout", "Body = tiled(16)"]].concat();
    expect(&sandbox.layoutc(&line)?, 1, &[&format!("{BODY}tiled(16)")])
}

#[test]
fn what_only_looks_does_not_follow_layouts_of_pragmas() -> Result<()> {
    let (plain, with) = (sandbox(&[])?, sandbox(&[("struct", "layout(soa)")])?);
    let cost = |sandbox: &Sandbox| sandbox.accepted(&["cost", "a.cu"]);
    // The lines of the file are one further down.
    let text = cost(&plain)?.stdout;
    ensure!(text.contains("soa") && cost(&with)?.stdout.lines().count() == text.lines().count());
    Ok(())
}

#[test]
fn a_pragma_that_was_carried_out_is_a_comment_and_one_that_keeps_stays() -> Result<()> {
    let sandbox = sandbox(&[("struct", "layout({x vx}, {*})"), ("member", "keep")])?;
    sandbox.accepted(&["transform", "a.cu", "-o", "b.cu"])?;
    let text = sandbox.text("b.cu")?;
    ensure!(text.contains("// struct\n/* layoutc: layout({x vx}, {*}) */\nstruct Body"), "{text}");
    ensure!(text.contains("// member\n#pragma layoutc keep\n"), "{text}");
    let again = sandbox.layoutc(&["transform", "b.cu", "--check"])?;
    expect(&again, 0, &["up to date: Body has the layout", "kept: Cell"])
}

#[test]
fn a_header_of_several_files_says_it_once() -> Result<()> {
    let header = "#pragma once\n#pragma layoutc layout(soa)\nstruct Particle {";
    let (before, rest) = PARTICLES.split_once("struct Particle {").unwrap_or_default();
    let (fields, rest) = rest.split_once("};").unwrap_or_default();
    let other = "#include \"p.h\"\nvoid nothing(Particle *p) { (void)p; }\n";
    let sandbox = Sandbox::with(&[
        ("p.h", format!("{header}{fields}}};\n")),
        ("a.cu", format!("{before}#include \"p.h\"\n{rest}")),
        ("b.cu", other.to_owned()),
    ])?;
    let outcome = sandbox.layoutc(&["transform", "a.cu", "b.cu", "--check"])?;
    expect(&outcome, 1, &["to soa"])?;
    // A program without such an array is told so.
    let outcome = sandbox.layoutc(&["transform", "b.cu", "--check"])?;
    expect(&outcome, 0, &["warning[LC0047]", "p.h:2:1", "this pragma does nothing"])
}

#[test]
fn programs_of_opencl() -> Result<()> {
    let kernels = "#pragma layoutc layout(soa)\ntypedef struct { float x, y, z, m; } Body;\n\
        kernel void move(global Body *b) { int i = get_global_id(0); b[i].x += b[i].m; }\n";
    let host = "#include <CL/cl.h>\n#include <stdlib.h>\n#include <stdio.h>\n\
        typedef struct { float x, y, z, m; } Body;\nextern const char *read_file(const char *);\nint main(void)\n{\n\
        \x20   cl_platform_id platform; cl_device_id device;\n    clGetPlatformIDs(1, &platform, NULL);\n\
        \x20   clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);\n\
        \x20   cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);\n\
        \x20   cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);\n\
        \x20   FILE *f = fopen(\"k.cl\", \"r\"); char text[4096]; size_t n = fread(text, 1, 4095, f); fclose(f); text[n] = 0;\n\
        \x20   const char *source = text;\n\
        \x20   cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);\n\
        \x20   clBuildProgram(program, 1, &device, \"\", NULL, NULL);\n\
        \x20   cl_kernel kernel = clCreateKernel(program, \"move\", NULL);\n\
        \x20   cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024 * sizeof(Body), NULL, NULL);\n\
        \x20   size_t global = 1024;\n    clSetKernelArg(kernel, 0, sizeof(cl_mem), &b);\n\
        \x20   clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);\n\
        \x20   clReleaseMemObject(b);\n    return 0;\n}\n";
    let sandbox = Sandbox::with(&[("k.cl", kernels), ("host.c", host)])?;
    let check = ["transform", "host.c", "k.cl", "--check"];
    expect(&sandbox.layoutc(&check)?, 1, &["would change: Body (b) to soa"])?;
    sandbox.write("k.cl", kernels.replace("layout(soa)", "keep"))?;
    expect(&sandbox.layoutc(&check)?, 0, &["`#pragma layoutc keep` keeps it"])
}

#[test]
fn what_is_wrong_is_said_with_its_place() -> Result<()> {
    let cases: [(Pragmas<'_>, &[&str]); 10] = [
        (&[("struct", "layout(zigzag)")], &["error[LC0040]", "a.cu:2:24", "zigzag"]),
        (&[("struct", "layout({x nothing}, {*})")], &["error[LC0041]", "a.cu:2:27"]),
        (&[("struct", "layout(tiled(0))")], &["error[LC0044]", "a.cu:2:"]),
        (&[("struct", "layout")], &["error[LC0060]", "a.cu:2:17", "expected `(` behind `layout`"]),
        (&[("struct", "layout soa")], &["error[LC0060]", "a.cu:2:24", "found `soa`"]),
        (&[("struct", "layout(soa) now")], &["error[LC0060]", "a.cu:2:29", "expected `)`"]),
        (&[("struct", "layout()")], &["error[LC0060]", "a.cu:2:24", "expected a layout"]),
        (&[("struct", "keep this")], &["error[LC0060]", "a.cu:2:22", "nothing follows `keep`"]),
        (
            &[("struct", "layout(soa)"), ("struct", "layout(tiled(32))")],
            &[
                "error[LC0021]",
                "ask for different layouts",
                "3 │ #pragma layoutc layout(soa)",
                "2 │ #pragma layoutc layout(tiled(32))",
            ],
        ),
        (
            &[("struct", "layout(soa)"), ("struct", "keep")],
            &[
                "error[LC0021]",
                "a.cu:2:1",
                "this pragma keeps it",
                "3 │ #pragma layoutc layout(soa)",
            ],
        ),
    ];
    for (pragmas, texts) in cases {
        expect(&said(pragmas, &[])?, 2, texts)?;
    }
    // Two arrays that meet.
    let both = [("parameter", "layout(soa)"), ("variable", "layout(tiled(32))")];
    expect(&said(&both, &[])?, 2, &["error[LC0021]", " 6 │ #pragma", "21 │ #pragma"])
}

#[test]
fn a_pragma_above_something_else_is_an_error() -> Result<()> {
    let cases = [
        (
            "struct Body {",
            "int a;\n#pragma layoutc keep\nint b;\nstruct Body {",
            "a.cu:3:1",
            "neither",
        ),
        ("__global__", "#pragma layoutc layout(soa)\n__global__", "a.cu:4:1", "above a function"),
        ("};\nint main", "#pragma layoutc keep\n};\nint main", "a.cu:16:1", "above no struct"),
        ("    State state;", "#pragma layoutc keep\n    State state;", "a.cu:21:1", "neither"),
    ];
    for (at, with, place, text) in cases {
        let sandbox = Sandbox::with(&[("a.cu", TWO.replacen(at, with, 1))])?;
        let outcome = sandbox.layoutc(&["transform", "a.cu", "--diff"])?;
        expect(&outcome, 1, &["error[LC0047]", place, text, "put it on the line above"])?;
        ensure!(outcome.stdout.is_empty());
    }
    Ok(())
}

#[test]
fn arrays_of_numbers_have_layouts_of_grids() -> Result<()> {
    let text = "__global__ void step(\n#pragma layoutc layout([y/4, x, y%4])\n    const float *f, float *g, int nx, int ny)\n{\n    \
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;\n    if (x < nx && y < ny) g[y*nx + x] = f[y*nx + x];\n}\n\
        int main()\n{\n    int nx = 64, ny = 32;\n    float *a, *b;\n    cudaMalloc(&a, nx * ny * sizeof(float));\n    \
        cudaMalloc(&b, nx * ny * sizeof(float));\n    step<<<dim3(1, ny), 64>>>(a, b, nx, ny);\n}\n";
    let sandbox = Sandbox::with(&[("a.cu", text)])?;
    let outcome = sandbox.layoutc(&["transform", "a.cu", "--check"])?;
    expect(&outcome, 1, &["would change: float (f, a) to [y/4, x, y%4]"])
}
