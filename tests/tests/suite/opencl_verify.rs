//! `layoutc verify` of OpenCL programs, on the OpenCL that is installed.

use std::process::{Command, Output};
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use layoutc_tests::fixture;
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::program::Program;
use layoutc_tests::repository_root;
use layoutc_tests::sandbox::Sandbox;

const FILES: [&str; 2] = ["nbody.c", "nbody_kernels.cl"];
const VERIFY: [&str; 5] = ["verify", "nbody.c", "nbody_kernels.cl", "--layout", "Body = tiled(16)"];

/// A folder with a program whose host text is changed.
fn sandbox(change: impl Fn(String) -> String) -> Result<Sandbox> {
    let program = Program::load("opencl/nbody")?;
    let sandbox = Sandbox::new()?;
    for name in FILES {
        let text = fs::read_to_string(program.folder.join(name))?;
        sandbox.write(name, if name.ends_with(".c") { change(text) } else { text })?;
    }
    Ok(sandbox)
}

fn verify(sandbox: &Sandbox, arguments: &[&str], set: Option<(&str, &str)>) -> Result<Output> {
    let cache = env::temp_dir().join("layoutc-opencl-verify");
    Command::new(Layoutc::built()?.program())
        .current_dir(sandbox.path())
        .args(arguments)
        .env("XDG_CACHE_HOME", cache)
        .env("NO_COLOR", "1")
        .envs(set)
        .output()
        .context("layoutc does not start")
}

fn said(output: &Output) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{:?}\n{out}{err}", output.status.code())
}

#[test]
fn a_program_is_the_same_in_its_new_layout() -> Result<()> {
    let sandbox = sandbox(|text| text)?;
    let before = sandbox.contents()?;
    let output = verify(&sandbox, &[VERIFY.as_slice(), &["--", "65", "2"]].concat(), None)?;
    let said = said(&output);
    ensure!(output.status.code() == Some(0), "{said}");
    for line in ["Body (from, to, p) as tiled(16)", "compared: 3 kernel launches, ", "identical"] {
        ensure!(said.lines().any(|own| own.starts_with(line)), "no `{line}`: {said}");
    }
    ensure!(sandbox.contents()? == before, "verify writes into the folder");
    Ok(())
}

/// A program that prints where it is in its own text prints something else once text was added in front.
#[test]
fn a_difference_is_told() -> Result<()> {
    let sandbox = sandbox(|text| {
        text.replace(r#"printf("bodies %d"#, r#"printf("line %d\n", __LINE__); printf("bodies %d"#)
    })?;
    let output = verify(&sandbox, &VERIFY, None)?;
    let said = said(&output);
    ensure!(output.status.code() == Some(1) && said.contains("\ndifferent: "), "{said}");
    Ok(())
}

/// Kernels cannot end a program, so they print what is wrong.
#[test]
fn an_assumption_about_a_grid_that_does_not_hold_is_told() -> Result<()> {
    let name = "grid_opencl_range_changes.c";
    let cases = fixture::cases(&repository_root().join("testdata"))?;
    let text = fs::read_to_string(&cases["refusals/grid_opencl_range_changes"])?;
    let sandbox = Sandbox::new()?;
    // The rows are longer than their extent, and one is left out: nothing behind the buffer is written.
    sandbox.write(name, text.replace("{nx, ny}", "{nx, ny - 1}"))?;
    let layout = ["--layout", "u = [y/4, x/4, y%4, x%4]", "--assume", "in-bounds"];
    let output = verify(&sandbox, &[&["verify", name], &layout[..]].concat(), None)?;
    let said = said(&output);
    ensure!(output.status.code() == Some(1), "{said}");
    ensure!(said.contains("the coordinate `x` is "), "{said}");
    ensure!(said.contains(", and its extent is 8"), "{said}");
    Ok(())
}

#[test]
fn a_program_that_runs_no_kernel_proves_nothing() -> Result<()> {
    let sandbox = sandbox(|text| text)?;
    sandbox.write("below/x", "")?;
    let arguments = ["verify", "../nbody.c", "../nbody_kernels.cl", "--layout", "Body = soa"];
    let below = sandbox.path().join("below");
    let output = Command::new(Layoutc::built()?.program())
        .current_dir(below)
        .args(arguments)
        .output()
        .context("layoutc does not start")?;
    let said = said(&output);
    let is_told = output.status.code() == Some(2) && said.contains("launched no kernel");
    ensure!(is_told && said.contains("read from the folder"), "{said}");
    Ok(())
}

#[test]
fn what_is_not_installed_is_told() -> Result<()> {
    let sandbox = sandbox(|text| text)?;
    let no_device = verify(&sandbox, &VERIFY, Some(("OCL_ICD_VENDORS", "/nonexistent")))?;
    let text = said(&no_device);
    ensure!(no_device.status.code() == Some(2) && text.contains("has no device"), "{text}");
    ensure!(text.contains("apt-get install"), "{text}");
    let no_compiler = verify(&sandbox, &VERIFY, Some(("CC", "no-such-compiler")))?;
    let text = said(&no_compiler);
    ensure!(no_compiler.status.code() == Some(2), "{text}");
    ensure!(text.contains("cannot run `no-such-compiler`"), "{text}");
    Ok(())
}

/// What macros make strings of calls for is printed as before, unless it tells that the call has failed.
#[test]
fn strings_of_calls_stay_what_they_were() -> Result<()> {
    const KERNEL: &str = "typedef struct { float a, b, c, d; int k; } B;\n\
        __kernel void add(__global B *b) { int i = get_global_id(0); b[i].a += b[i].k; }\n";
    const HOST: &str = r#"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct { float a, b, c, d; int k; } B;
#define TIMED(f, ...) do { cl_int e = f(__VA_ARGS__); if (e != CL_SUCCESS) exit(2); printf("%s: %d\n", #f, e); } while (0)
#define FINE(x) do { cl_int e = (x); if (e == CL_SUCCESS) printf("fine: %s\n", #x); } while (0)
#define ELSE(x) do { if ((x) != CL_SUCCESS) exit(3); else puts(#x); } while (0)
#define TRACE(x) do { if (verbose) puts(#x); x; } while (0)
#define TEST(x) do { if (x) puts(#x); } while (0)
#define CHECK(x) do { cl_int e = (x); if (e != CL_SUCCESS) { fprintf(stderr, "%s: %d\n", #x, e); exit(4); } } while (0)
int main(void)
{
    int verbose = 1;
    static char text[1 << 12];
    FILE *file = fopen("add.cl", "r");
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) return 1;
    const char *source = text;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel add = clCreateKernel(program, "add", NULL);
    static B h[64];
    for (int i = 0; i < 64; i++) h[i].k = i;
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof h, NULL, NULL);
    TIMED(clEnqueueWriteBuffer, queue, b, CL_TRUE, 0, sizeof h, h, 0, NULL, NULL);
    FINE(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, sizeof h, h, 0, NULL, NULL));
    ELSE(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, sizeof h, h, 0, NULL, NULL));
    TRACE(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, sizeof h, h, 0, NULL, NULL));
    TEST(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, sizeof h, h, 0, NULL, NULL) == CL_SUCCESS);
    CHECK(clSetKernelArg(add, 0, sizeof b, &b));
    size_t global = 64;
    CHECK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof h, h, 0, NULL, NULL));
    printf("%g\n", h[5].a);
    return 0;
}
"#;
    let sandbox = Sandbox::with(&[("host.c", HOST), ("add.cl", KERNEL)])?;
    let output = verify(&sandbox, &["verify", "host.c", "add.cl", "--layout", "B = soa"], None)?;
    let said = said(&output);
    ensure!(output.status.code() == Some(0) && said.contains("identical"), "{said}");
    // Where it tells of a failure only, the call is rewritten in place.
    let arguments = ["transform", "host.c", "add.cl", "--layout", "B = soa", "--diff"];
    let output = sandbox.accepted(&arguments)?;
    ensure!(output.stdout.contains("+    CHECK(arrayReadBuffer(&"), "{}", output.stdout);
    Ok(())
}
