//! `layoutc cost --simulate` of OpenCL programs, on the PoCL that is installed: what their kernels access is counted as that
//! of CUDA kernels of the same text.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::opencl::names;
use layoutc_tests::program::Program;
use layoutc_tests::sandbox::Sandbox;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);

/// What was simulated for each layout of the first table, the source's first.
fn simulated(folder: &Path, arguments: &[String]) -> Result<Vec<Value>> {
    let mut all: Vec<String> = ["cost", "--simulate", "--json"].map(str::to_owned).into();
    all.extend(["--device", "h100", "-I", "."].map(str::to_owned));
    all.extend(arguments.iter().cloned());
    let outcome = Layoutc::built()?.run(folder, LIMIT, &all)?;
    ensure!(outcome.succeeded(), "{}\n{}{}", outcome.ending(), outcome.stdout, outcome.stderr);
    let costs: Value = serde_json::from_str(&outcome.stdout)?;
    let Some(table) = costs["tables"].get(0) else { return Ok(Vec::new()) };
    let layouts = table["layouts"].as_array().context("no `layouts`")?;
    Ok(layouts.iter().map(|layout| layout["simulated"].clone()).collect())
}

fn of_program(program: &Program, layouts: &[String], args: &[String]) -> Result<Vec<Value>> {
    let mut arguments: Vec<String> =
        program.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    for layout in layouts {
        arguments.extend(["--layout".to_owned(), layout.clone()]);
    }
    arguments.push("--".to_owned());
    arguments.extend(args.iter().cloned());
    simulated(&program.folder, &arguments)
}

type KernelCounts = BTreeMap<String, u64>;

/// The counts of all kernels.
fn kernels(simulated: &Value) -> Result<BTreeMap<String, KernelCounts>> {
    let cost = &simulated["cost"];
    let kernels = cost["counted"]["kernels"].as_array().with_context(|| simulated.to_string())?;
    let one = |own: &Value| -> Result<(String, KernelCounts)> {
        let name = own["name"].as_str().context("no name")?;
        Ok((name.to_owned(), serde_json::from_value(own["counts"].clone())?))
    };
    kernels.iter().map(one).collect()
}

/// Every program, in the layout of its source and in another one.
fn test(name: &str) -> Result<()> {
    let program = Program::load(&format!("opencl/{name}"))?;
    let args = program.args.first().cloned().unwrap_or_default();
    let specs: Vec<String> =
        program.records.iter().map(|record| format!("{record} = tiled(32)")).collect();
    let found = of_program(&program, &[specs.join("; ")], &args)?;
    let Some(source) = found.first() else {
        ensure!(program.kept.is_some(), "nothing is simulated");
        return Ok(());
    };
    let mut requests = 0;
    for (kernel, counts) in kernels(source)? {
        let of = |what: &str| counts.get(what).copied().unwrap_or(0);
        requests += of("requests");
        ensure!(of("sectors") >= of("ideal_sectors"), "{kernel}: {counts:?}");
        ensure!(of("lanes") >= of("requests"), "{kernel}: {counts:?}");
    }
    ensure!(requests > 0, "no kernel accesses memory");
    let tiled = found.get(1).context("one layout")?;
    if program.kept.is_some() {
        let message = tiled["error"].as_str().context("it is kept, and yet simulated")?;
        ensure!(message.starts_with("nothing changes"), "{message}");
        return Ok(());
    }
    let ratio = tiled["cost"]["ratio"].as_f64().with_context(|| tiled.to_string())?;
    // What threads read side by side is not dearer there.
    ensure!((0.1..1.05).contains(&ratio), "{ratio}");
    Ok(())
}

macro_rules! programs {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() -> anyhow::Result<()> {
            test(stringify!($program))
        })*

        const TESTED: &[&str] = &[$(concat!("opencl/", stringify!($program))),*];
    };
}

layoutc_tests::every_opencl_program!(programs);

#[test]
fn every_program_is_tested() -> Result<()> {
    assert_eq!(names()?, TESTED);
    Ok(())
}

/// Kernels of the same text, in CUDA and in OpenCL.
fn same(name: &str, args: &[&str], layout: &str, pairs: &[(&str, &str)]) -> Result<()> {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let counted = |name: &str| -> Result<BTreeMap<String, KernelCounts>> {
        let program = Program::load(name)?;
        let record = program.records.first().context("no record")?;
        let found = of_program(&program, &[format!("{record} = {layout}")], &args)?;
        kernels(found.get(1).context("no layout")?)
    };
    let (cuda, opencl) = (counted(name)?, counted(&format!("opencl/{name}"))?);
    for (own, other) in pairs {
        let (own, other) = (cuda.get(*own).context("CUDA")?, opencl.get(*other).context("OpenCL")?);
        for what in ["requests", "lanes", "sectors", "ideal_sectors", "l1_hits", "l2_sectors"] {
            ensure!(own.get(what) == other.get(what), "{what}:\n{own:?}\n{other:?}");
        }
    }
    Ok(())
}

#[test]
fn bitonic_is_as_in_cuda() -> Result<()> {
    let pairs = [("sort_shared", "sort_local"), ("merge_global", "merge_global")];
    same("bitonic", &["300"], "tiled(32)", &pairs)
}

/// What is aligned comes in vectors, in both.
#[test]
fn aligned_bitonic_is_as_in_cuda() -> Result<()> {
    let pairs = [("sort_shared", "sort_local"), ("merge_global", "merge_global")];
    same("bitonic", &["300"], "aos align(16)", &pairs)
}

/// The other kernels differ in what clang and gcc keep in registers.
#[test]
fn sampo_is_as_in_cuda() -> Result<()> {
    let pairs = ["init_agents", "grow_older", "die", "mate"].map(|name| (name, name));
    same("sampo", &["333", "3"], "tiled(32)", &pairs)
}

/// Kernels whose accesses are known, run by 256 work-items in groups of 64: 8 warps.
const KERNELS: &str = r"
typedef struct { float x, v, rest[6]; } P;   // 32 bytes
typedef struct { float4 a, b; } Wide;

__kernel void drift(__global P *p, const float dt)
{
    const int i = get_global_id(0);
    p[i].x += p[i].v * dt;
}

__kernel void scalars(__global const float *from, __global float *to)
{
    const size_t i = get_global_id(0);
    vstore4(vload4(i, from) * 2.0f, i, to);
}

__kernel void vectors(__global const float4 *from, __global float4 *to)
{
    const size_t i = get_global_id(0);
    to[i] = from[i];
    to[i].xw *= 2.0f;
}

__kernel void structs(__global const Wide *from, __global Wide *to)
{
    const size_t i = get_global_id(0);
    to[i] = from[i];
}

__kernel void sums(__global int *sums, __global const int *values, __local int *part, __constant float *weights)
{
    const int t = get_local_id(0), i = get_global_id(0);
    __local int groups[64];
    part[t] = values[i];
    groups[t] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    int own[4] = {0, 0, 0, 0};
    for (int k = 0; k < 64; k++) own[k & 3] += part[k] * groups[(k + t) & 63];
    atomic_add(&sums[t & 3], own[0] + own[1] + own[2] + own[3] + (int)weights[t]);
}
";

const HOST: &str = r#"
#include <CL/cl.h>
#include <stdio.h>
static char text[1 << 14];
typedef struct { float x, v, rest[6]; } P;
int main(void)
{
    static P h[256];
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    FILE *file = fopen("known.cl", "r");
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) return 1;
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) return 1;
    cl_mem p = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof h, h, NULL);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof h, h, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof h, h, NULL);
    cl_mem weights = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof h, h, NULL);
    float dt = 0.5f;
    size_t global = 256, local = 64;
    cl_kernel drift = clCreateKernel(program, "drift", NULL);
    clSetKernelArg(drift, 0, sizeof p, &p);
    clSetKernelArg(drift, 1, sizeof dt, &dt);
    clEnqueueNDRangeKernel(queue, drift, 1, NULL, &global, &local, 0, NULL, NULL);
    cl_kernel scalars = clCreateKernel(program, "scalars", NULL);
    clSetKernelArg(scalars, 0, sizeof from, &from);
    clSetKernelArg(scalars, 1, sizeof to, &to);
    clEnqueueNDRangeKernel(queue, scalars, 1, NULL, &global, &local, 0, NULL, NULL);
    cl_kernel vectors = clCreateKernel(program, "vectors", NULL);
    clSetKernelArg(vectors, 0, sizeof from, &from);
    clSetKernelArg(vectors, 1, sizeof to, &to);
    clEnqueueNDRangeKernel(queue, vectors, 1, NULL, &global, &local, 0, NULL, NULL);
    cl_kernel structs = clCreateKernel(program, "structs", NULL);
    clSetKernelArg(structs, 0, sizeof from, &from);
    clSetKernelArg(structs, 1, sizeof to, &to);
    clEnqueueNDRangeKernel(queue, structs, 1, NULL, &global, &local, 0, NULL, NULL);
    cl_kernel sums = clCreateKernel(program, "sums", NULL);
    clSetKernelArg(sums, 0, sizeof to, &to);
    clSetKernelArg(sums, 1, sizeof from, &from);
    clSetKernelArg(sums, 2, 64 * sizeof(int), NULL);
    clSetKernelArg(sums, 3, sizeof weights, &weights);
    clEnqueueNDRangeKernel(queue, sums, 1, NULL, &global, &local, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, sums, 1, NULL, &global, &local, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, p, CL_TRUE, 0, sizeof h, h, 0, NULL, NULL);
    printf("%g\n", h[0].x);
    return 0;
}
"#;

/// Sectors by hand: a warp's request for 4 bytes of each lane is 4 sectors side by side, 32 at 32 bytes from each other.
#[test]
fn counts_are_those_of_the_text() -> Result<()> {
    let sandbox = Sandbox::with(&[("known.c", HOST), ("known.cl", KERNELS)])?;
    let arguments = [
        "known.c",
        "known.cl",
        "--layout",
        "P = tiled(32)",
        "--layout",
        "P = {x v} align(8), {rest}",
    ];
    let found = simulated(sandbox.path(), &arguments.map(str::to_owned))?;
    let [source, tiled, pairs] = &found[..] else { bail!("{} layouts", found.len()) };
    let count = |layout: &Value, kernel: &str| -> Result<(u64, u64)> {
        let all = kernels(layout)?;
        let own = all.get(kernel).with_context(|| format!("no `{kernel}`"))?;
        Ok((own["requests"], own["sectors"]))
    };
    const WARPS: u64 = 8;
    // Two reads and a write of 4 bytes.
    assert_eq!(count(source, "drift")?, (3 * WARPS, 3 * 32 * WARPS));
    assert_eq!(count(tiled, "drift")?, (3 * WARPS, 3 * 4 * WARPS));
    // One read of both members, 8 sectors; the write touches the same.
    assert_eq!(count(pairs, "drift")?, (2 * WARPS, (8 + 8) * WARPS));
    // Pointers to `float` promise no vectors: four reads and four writes, 16 bytes from lane to lane.
    assert_eq!(count(source, "scalars")?, (8 * WARPS, 8 * 16 * WARPS));
    // A read and a write of 16 bytes.
    assert_eq!(count(source, "vectors")?, (2 * WARPS, 2 * 16 * WARPS));
    // Two of 16 bytes each, 32 bytes from lane to lane, read and written.
    assert_eq!(count(source, "structs")?, (4 * WARPS, 4 * 32 * WARPS));
    // Twice a read of 4 bytes and an atomic addition to four values, and nothing of local, private or
    // constant memory.
    assert_eq!(count(source, "sums")?, (2 * 2 * WARPS, 2 * (4 + 1) * WARPS));
    let ratio = tiled["cost"]["ratio"].as_f64().context("no ratio")?;
    assert!(ratio < 0.5, "{ratio}");
    Ok(())
}

/// What is not counted is said.
#[test]
fn images_are_named() -> Result<()> {
    let program = Program::load("opencl/idiom_images")?;
    let found = of_program(&program, &[format!("{} = soa", program.records[0])], &[])?;
    let left_out = &found.first().context("no source")?["cost"]["counted"]["left_out"];
    let left_out: Vec<String> = serde_json::from_value(left_out.clone())?;
    assert!(left_out.iter().any(|own| own.contains("_image")), "{left_out:?}");
    Ok(())
}

/// A program whose kernels cannot be told says so, and is not one without accesses.
#[test]
fn linked_programs_are_not_traced() -> Result<()> {
    let built = "clBuildProgram(program, 1, &device, \"\", NULL, NULL)";
    let linked = "(clCompileProgram(program, 1, &device, \"\", 0, NULL, NULL, NULL, NULL), \
                  program = clLinkProgram(context, 1, &device, \"\", 1, &program, NULL, NULL, NULL), CL_SUCCESS)";
    let host = HOST.replace(built, linked);
    ensure!(host != HOST, "the host builds in another way");
    let sandbox = Sandbox::with(&[("known.c", host.as_str()), ("known.cl", KERNELS)])?;
    let arguments = ["known.c", "known.cl", "--layout", "P = tiled(32)"].map(str::to_owned);
    let found = simulated(sandbox.path(), &arguments)?;
    let message = found.first().context("no source")?["error"].as_str().context("simulated")?;
    assert!(message.contains("clLinkProgram"), "{message}");
    Ok(())
}
