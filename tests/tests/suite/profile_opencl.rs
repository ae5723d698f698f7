//! `layoutc profile` of OpenCL programs, on the OpenCL that is installed: instrumented programs print what they always print,
//! and what is recorded of them is what they do.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::opencl::{Host, names};
use layoutc_tests::process::Outcome;
use layoutc_tests::profile::{is_possible, profile, same_in_the_layout_of, sums};
use layoutc_tests::program::Program;
use layoutc_tests::sandbox::Sandbox;

fn test(name: &str) -> Result<()> {
    let program = Program::load(&format!("opencl/{name}"))?;
    let args = program.args.first().cloned().unwrap_or_default();
    let mut arguments: Vec<String> =
        program.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    arguments.extend(["-I", ".", "--"].map(str::to_owned));
    arguments.extend(args.iter().cloned());
    let (outcome, profile) = profile(&program.folder, &arguments)?;
    let Some(profile) = profile else {
        // Its arrays keep their layout, as `layoutc transform` says.
        let is_kept = program.kept.is_some() && outcome.stderr.contains("nothing to record");
        ensure!(is_kept, "{}\n{}", outcome.ending(), outcome.stderr);
        return Ok(());
    };
    ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
    let original = Host::build(&program, &program.folder)?.run(&args)?;
    let printed = String::from_utf8_lossy(&original.stdout);
    ensure!(outcome.stdout == printed, "it prints something else:\n{}\n{printed}", outcome.stdout);
    let run = profile.runs.first().context("no run")?;
    ensure!(!run.launches.is_empty() && !run.accesses.is_empty(), "nothing is recorded");
    ensure!(run.device.contains(": "), "no device: {}", run.device);
    for own in &run.accesses {
        let text = &profile.instructions[own.instruction as usize].text;
        is_possible(own).with_context(|| format!("`{text}`: {:?}", own.counts))?;
    }
    same_in_the_layout_of("trace", &program, &args, &profile)?;
    same_in_the_layout_of("auto", &program, &args, &profile)
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

/// A kernel of each construct, whose counts are known: two work-groups of 64, launched twice.
const KERNELS: &str = r"
#define AT(i) p[i].b
#define GAP(l, r) (p[l].c - p[r].c)
typedef struct { float a, b, c; int next; float4 v; } P;   // 32 bytes
typedef struct __attribute__((packed)) { uchar tag; float4 v; int n; } Q;   // 21 bytes

float walk(__global const P *p, int from, int steps)
{
    float sum = 0;
    int at = from;
    while (true) {
        if (steps-- == 0) return sum + p[from].a;
        sum += p[at].c;
        at = p[at].next;
    }
}

void leave(__global P *p, int i)
{
    for (int k = 0; k < 2; k++) {
        if (i % 2) return;
        p[i].b = 2;
    }
}

__kernel void advance(__global P *p, __global const int *order, int n, __global float *out, __local P *copies, __global Q *packed)
{
    __local P shared[64];
    int i = get_global_id(0), t = get_local_id(0);
    if (i >= n) return;
    p[i].a += 1.0f;
    float sum = p[0].b;
    shared[t].a = copies[t].a = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 2; ++j) sum += p[order[i]].c;
    __attribute__((opencl_unroll_hint(2)))
    for (int k = 0; k < 2; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += p[i].v.x + shared[63 - t].a;
    }
    for (int k = 0; k < p[110].next; k++) {
        sum += p[k + 64].b;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += shared[63 - t].a;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < 4; j++) { if (j == 2) break; sum += AT(i); }
    p[i].v.zw += (float2)(sum, 1.0f);
    sum += GAP(i, 5) + GAP(i, 5) * p[i].v.s3;
    __global Q *q = &packed[i];
    packed[i].v.y += 2.0f;
    q->n += packed[i].tag;
    sum += q->n + q->v.y;
    atomic_inc(&p[i / 32].next);
    sum += walk(p, i, i % 2 ? 1 : 3);
    leave(p, i);
    sum += i % 2 ? p[i].next : 0;
    P whole = p[(i + 1) % n];
    out[i] = sum + whole.c;
}
";

const HOST: &str = r#"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct { float a, b, c; int next; cl_float4 v; } P;
typedef struct __attribute__((packed)) { cl_uchar tag; cl_float v[4]; cl_int n; } Q;
#ifdef FROM_FILE
static char text[1 << 16];
#else
static const char *text = TEXT;
#endif
int main(int count, char **arguments)
{
    static P h[128];
    static Q q[128];
    static int order[128];
    static float out[128];
    for (int i = 0; i < 128; i++) {
        P one = {1.0f * i, 2.0f, 0.5f, (i * 7) % 128};
        h[i] = one;
        order[i] = i * 5 % 128;
        q[i].tag = i;
    }
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    SOURCE
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, OPTIONS, NULL, NULL);
    cl_kernel advance = clCreateKernel(program, "advance", NULL);
    cl_mem p = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof h, h, NULL);
    cl_mem o = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof order, order, NULL);
    cl_mem r = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, NULL);
    cl_mem packed = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof q, q, NULL);
    int n = 128;
    clSetKernelArg(advance, 0, sizeof p, &p);
    clSetKernelArg(advance, 1, sizeof o, &o);
    clSetKernelArg(advance, 2, sizeof n, &n);
    clSetKernelArg(advance, 3, sizeof r, &r);
    clSetKernelArg(advance, 4, 64 * sizeof(P), NULL);
    clSetKernelArg(advance, 5, sizeof packed, &packed);
    size_t global = 128, local = 64;
    for (int t = 0; t < 2; t++)
        if (clEnqueueNDRangeKernel(queue, advance, 1, NULL, &global, &local, 0, NULL, NULL) != CL_SUCCESS) return 1;
    clEnqueueReadBuffer(queue, r, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    for (int i = 0; i < 128; i++) printf("%g%c", out[i], i % 16 == 15 ? '\n' : ' ');
    if (count > 1) abort();
    return 0;
}
"#;

/// The host with its kernels in a file, or in a string literal, and options to build them with.
fn known(is_file: bool, options: &str) -> Result<Sandbox> {
    let literal: String = KERNELS.lines().map(|line| format!("    \"{line}\\n\"\n")).collect();
    let from_file = "FILE *file = fopen(\"known.cl\", \"r\");\n    \
        if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) return 1;\n    \
        const char *source = text;";
    let host =
        HOST.replace("OPTIONS", &format!("\"{options}\"")).replace("TEXT", &format!("\n{literal}"));
    if is_file {
        let host = host.replace("#ifdef FROM_FILE", "#if 1").replace("SOURCE", from_file);
        let start = host.find("#else").context("no text")?;
        let end = host.find("#endif").context("no text")?;
        let host = format!("{}{}", &host[..start], &host[end..]);
        return Sandbox::with(&[("known.c", host.as_str()), ("known.cl", KERNELS)]);
    }
    Sandbox::with(&[("known.c", &host.replace("SOURCE", "const char *source = text;"))])
}

fn record(
    sandbox: &Sandbox,
    is_file: bool,
) -> Result<(Outcome, Option<layoutc_analysis::profile::Profile>)> {
    let files = ["known.c", "known.cl"].iter().take(if is_file { 2 } else { 1 });
    profile(sandbox.path(), &files.map(|file| (*file).to_owned()).collect::<Vec<_>>())
}

#[test]
fn counts_are_those_of_the_program() -> Result<()> {
    let mut printed: Vec<String> = Vec::new();
    for (is_file, options) in [
        (true, ""),
        (true, "-cl-std=CL1.2 -Werror"),
        (true, "-cl-std=CL3.0"),
        (false, "-cl-opt-disable"),
    ] {
        let sandbox = known(is_file, options)?;
        let (outcome, profile) = record(&sandbox, is_file)?;
        let profile = profile.with_context(|| outcome.stderr.clone())?;
        ensure!(outcome.succeeded(), "{options}: {}", outcome.stderr);
        check_counts(&profile, is_file).with_context(|| format!("{options}, file: {is_file}"))?;
        printed.push(outcome.stdout);
    }
    ensure!(printed.windows(2).all(|pair| pair[0] == pair[1]), "{printed:#?}");
    Ok(())
}

fn check_counts(profile: &layoutc_analysis::profile::Profile, is_file: bool) -> Result<()> {
    // Two launches of four warps; a struct of 32 bytes is a sector.
    let unit = sums(profile, "p[i].a")?;
    ensure!((unit.requests, unit.lanes, unit.lines, unit.sectors) == (8, 256, 64, 256), "{unit:?}");
    ensure!((unit.line_lanes, unit.strided, unit.stride) == (32, 8, 1), "{unit:?}");
    ensure!(unit.blocks[..7] == [256, 128, 64, 32, 16, 8, 8], "{unit:?}");
    let one = sums(profile, "p[0].b")?;
    ensure!((one.requests, one.shared, one.address_lanes) == (8, 8, 256), "{one:?}");
    // Six times for each warp.
    let listed = sums(profile, "p[order[i]].c")?;
    ensure!((listed.requests, listed.lanes) == (48, 1536), "{listed:?}");
    // A lane of the vector, in each of two rounds with a barrier; another one, once.
    let lanes = sums(profile, "p[i].v")?;
    ensure!((lanes.requests, lanes.lanes, lanes.strided) == (32, 1024, 32), "{lanes:?}");
    let own = profile.instructions.iter().filter(|own| own.text == "p[i].v");
    let bytes: Vec<_> =
        own.flat_map(|own| &own.ranges).map(|own| (own.offset, own.bytes)).collect();
    ensure!(bytes == [(0, 4), (8, 8), (12, 4)], "{bytes:?}");
    // Texts in a macro's body are one instruction for both uses.
    for (text, shared) in [("p[l].c", 0), ("p[r].c", 16)] {
        let own = sums(profile, text)?;
        ensure!((own.requests, own.lanes, own.shared) == (16, 512, shared), "{text}: {own:?}");
    }
    // What is the same for all work-items, in a loop with barriers: two trips, so three tests.
    let bound = sums(profile, "p[110].next")?;
    ensure!((bound.requests, bound.lanes, bound.address_lanes) == (24, 768, 768), "{bound:?}");
    let same = sums(profile, "p[k + 64].b")?;
    ensure!((same.requests, same.lanes, same.shared) == (16, 512, 16), "{same:?}");
    let twice = sums(profile, "AT(i)")?;
    ensure!((twice.requests, twice.lanes) == (16, 512), "{twice:?}");
    // Packed members have no address that a compiler could use, so their structs are noted.
    let packed = sums(profile, "packed[i].v")?;
    ensure!((packed.requests, packed.lanes, packed.blocks[0]) == (8, 256, 256), "{packed:?}");
    let through = sums(profile, "q->n")?;
    ensure!((through.requests, through.lanes, through.stride) == (16, 512, 1), "{through:?}");
    let atomic = sums(profile, "p[i / 32].next")?;
    ensure!((atomic.requests, atomic.lanes, atomic.blocks[0]) == (8, 256, 8), "{atomic:?}");
    // One step for odd work-items, three for even ones: a warp makes three, and ends twice.
    let walked = sums(profile, "p[at].c")?;
    ensure!((walked.requests, walked.lanes) == (24, 2 * 64 * 4), "{walked:?}");
    let ended = sums(profile, "p[from].a")?;
    ensure!((ended.requests, ended.lanes) == (16, 256), "{ended:?}");
    // Behind a loop that half of a warp has left by `return` all are together again.
    let even = sums(profile, "p[i].b")?;
    ensure!((even.requests, even.lanes, even.stride) == (16, 256, 1), "{even:?}");
    let behind = sums(profile, "p[(i + 1) % n]")?;
    ensure!((behind.requests, behind.lanes) == (8, 256), "{behind:?}");
    // Memory of the work-group is none that is recorded.
    for text in ["copies[t].a", "shared[t].a", "shared[63 - t].a"] {
        ensure!(sums(profile, text).is_err(), "`{text}` is recorded");
    }
    let launches: Vec<_> =
        (profile.runs[0].launches.iter()).map(|own| (own.grid, own.block, own.launches)).collect();
    ensure!(launches == [([2, 1, 1], [64, 1, 1], 2)], "{launches:?}");
    let trips = |text: &str| {
        let lines = KERNELS.lines().zip(1..);
        let of = lines.filter(|(own, _)| own.contains(text)).map(|(_, line)| line).next();
        let literal = HOST.lines().position(|line| line.contains("= TEXT")).map_or(0, |at| at + 1);
        let first = if is_file { 0 } else { literal as u32 };
        let own = profile.runs[0].trips.iter();
        own.filter(|own| {
            Some(profile.loops[own.of as usize].place.line) == of.map(|of: u32| of + first)
        })
        .map(|own| (own.entries, own.iterations))
        .collect::<Vec<_>>()
    };
    ensure!(trips("while (true)") == [(256, 128 * 2 + 128 * 4)], "{:?}", trips("while (true)"));
    ensure!(trips("#pragma unroll") == [(256, 768)], "{:?}", profile.loops);
    ensure!(trips("int j = 0; j < 2") == [(768, 1536)], "inner loop");
    ensure!(trips("opencl_unroll_hint") == [(256, 512)], "{:?}", profile.loops);
    ensure!(trips("k < p[110].next") == [(256, 512)], "a loop with barriers");
    ensure!(trips("j < 4") == [(256, 768)], "a loop that breaks");
    ensure!(trips("int k = 0; k < 2") == [(256, 128 + 128 * 2)], "a loop that returns");
    Ok(())
}

/// Both recorders see the same where the texts of a CUDA program and one in OpenCL do the same.
#[test]
fn counts_are_those_of_the_same_program_in_cuda() -> Result<()> {
    type Sums = std::collections::BTreeMap<(String, Vec<String>, String), Vec<u64>>;
    let sums_of = |name: &str, args: &[String], kernels: &[&str]| -> Result<Sums> {
        let program = Program::load(name)?;
        let files = program.files.iter().map(|file| file.to_string_lossy().into_owned());
        let mut arguments: Vec<String> = files.collect();
        arguments.push("--".to_owned());
        arguments.extend(args.iter().cloned());
        let (outcome, profile) = profile(&program.folder, &arguments)?;
        let profile = profile.with_context(|| outcome.stderr.clone())?;
        let mut found = Sums::new();
        for own in &profile.runs[0].accesses {
            let instruction = &profile.instructions[own.instruction as usize];
            let kernel = &profile.kernels[own.kernel as usize].name;
            let leaves = &profile.arrays[instruction.array as usize].leaves;
            let leaves = instruction.leaves.iter().map(|leaf| leaves[*leaf as usize].name.clone());
            let key = (kernel.clone(), leaves.collect(), format!("{:?}", instruction.kind));
            let c = &own.counts;
            let counts = [c.requests, c.lanes, c.line_lanes, c.shared, c.lines, c.sectors];
            if kernels.contains(&kernel.as_str()) {
                let sum = found.entry(key).or_insert_with(|| vec![0; 6 + c.blocks.len()]);
                sum.iter_mut()
                    .zip(counts.iter().chain(&c.blocks))
                    .for_each(|(all, own)| *all += own);
            }
        }
        Ok(found)
    };
    for (name, kernels) in
        [("blackscholes", &["priceOptions"][..]), ("sampo", &["init_agents", "grow_older", "die"])]
    {
        let opencl = format!("opencl/{name}");
        let args = Program::load(&opencl)?.args.first().cloned().unwrap_or_default();
        let (cuda, opencl) = (sums_of(name, &args, kernels)?, sums_of(&opencl, &args, kernels)?);
        ensure!(cuda.len() >= 7, "{name}: {cuda:?}");
        ensure!(cuda == opencl, "{name}:\n{cuda:#?}\n{opencl:#?}");
    }
    Ok(())
}

#[test]
fn what_was_recorded_until_the_end_is_kept() -> Result<()> {
    let sandbox = known(true, "")?;
    let arguments = ["known.c", "known.cl", "--", "abort"].map(str::to_owned);
    let (outcome, profile) = profile(sandbox.path(), &arguments)?;
    let profile = profile.with_context(|| outcome.stderr.clone())?;
    ensure!(outcome.code() == Some(1), "{}", outcome.ending());
    let partial = profile.runs[0].partial.as_deref();
    ensure!(partial == Some("signal 6 ended the program"), "{partial:?}");
    check_counts(&profile, true)
}

#[test]
fn what_is_for_nvcc_alone_is_refused() -> Result<()> {
    let sandbox = known(true, "")?;
    for option in [["--backend", "nvcc"], ["--instrument", "out"], ["--counts", "counts"]] {
        let mut arguments = vec!["profile", "known.c", "known.cl", option[0], option[1]];
        if option[0] != "--instrument" {
            arguments.extend(["-o", "p"]);
        }
        sandbox.rejected(&arguments, &["OpenCL programs are recorded on a CPU device"])?;
        ensure!(!sandbox.path().join("out").exists(), "something was written");
    }
    let arguments = ["profile", "known.c", "known.cl", "-o", "p", "--rows", "rows.parquet"];
    sandbox.accepted(&arguments)?;
    ensure!(fs::metadata(sandbox.path().join("rows.parquet"))?.len() > 1000, "no rows");
    Ok(())
}
