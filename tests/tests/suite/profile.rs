//! `layoutc profile`: instrumented programs print what they always print, and what is recorded of them is what they do.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use layoutc_analysis::profile::{Counts, Kind, Profile};
use layoutc_analysis::trace::Classified;
use layoutc_runtime::process::{RunRequest, run};
use layoutc_runtime::profile::HEADER_TEXT;
use layoutc_runtime::program::read_program;
use layoutc_runtime::toolchain::{BuildRequest, build};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};
use layoutc_tests::original::Original;
use layoutc_tests::process::Outcome;
use layoutc_tests::profile::{covers_its_bytes, is_possible, profile, same_in_the_layout_of, sums};
use layoutc_tests::program::{self, Program};
use layoutc_tests::sandbox::Sandbox;

/// What the program prints without instruments.
fn original(program: &Program, args: &[String]) -> Result<String> {
    Ok(String::from_utf8_lossy(&Original::of(program)?.run(args)?.stdout).into_owned())
}

fn printed(files: &[PathBuf], args: &[String]) -> Result<String> {
    Ok(String::from_utf8_lossy(&Original::of_files(files)?.run(args)?.stdout).into_owned())
}

fn test(name: &str) -> Result<()> {
    let program = Program::load(name)?;
    let args = program.args.first().cloned().unwrap_or_default();
    let mut arguments: Vec<String> =
        program.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    arguments.push("--".to_owned());
    arguments.extend(args.iter().cloned());
    let (outcome, profile) = profile(&program.folder, &arguments)?;
    let Some(profile) = profile else {
        // Its arrays keep their layout, as `layoutc transform` says.
        let is_kept = program.kept.is_some() && outcome.stderr.contains("nothing to record");
        ensure!(is_kept, "{}\n{}", outcome.ending(), outcome.stderr);
        return Ok(());
    };
    ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
    ensure!(outcome.stdout == original(&program, &args)?, "it prints something else");
    let run = profile.runs.first().context("no run")?;
    ensure!(!run.launches.is_empty() && !run.accesses.is_empty(), "nothing is recorded");
    // The layouts of `auto` are those of `cost` mostly, which other tests run.
    let is_idiom = name.starts_with("idiom_");
    for selector in ["trace", "auto"].into_iter().take(if is_idiom { 1 } else { 2 }) {
        same_in_the_layout_of(selector, &program, &args, &profile)?;
    }
    for own in &run.accesses {
        let instruction = &profile.instructions[own.instruction as usize];
        is_possible(own)
            .and_then(|()| covers_its_bytes(own, instruction))
            .with_context(|| format!("`{}`: {:?}", instruction.text, own.counts))?;
    }
    Ok(())
}

macro_rules! programs {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() -> anyhow::Result<()> {
            test(stringify!($program))
        })*

        const TESTED: &[&str] = &[$(stringify!($program)),*];
    };
}

layoutc_tests::every_program!(programs);

#[test]
fn every_program_is_tested() -> Result<()> {
    let all = program::names()?;
    assert_eq!(all, TESTED);
    Ok(())
}

/// A kernel of each construct, whose counts are known.
const KNOWN: &str = r#"
#include <cstdio>
#define AT(i) p[i].b
#define NEXT(i) ((i) + 1)
struct P { float a, b, c; int next; };
struct Lists { const int *of; int n; };
__host__ __device__ inline float twice(const P &q) { return q.a + q.a; }
__device__ float walk(const P *p, int from, int steps) {
    float sum = 0;
    int at = from;
    while (true) {
        if (steps-- == 0) return sum;
        sum += p[at].c;
        at = p[at].next;
    }
}
__global__ void step(P *p, const int *order, int n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].a += 1.0f;
    float sum = p[0].b;
#ifdef NEVER
    sum = 0;
#endif
    for (int k = 0; k < 1; k++) sum += p[k].next;
#pragma unroll
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 2; ++j) sum += p[order[i]].c;
    int k = threadIdx.x & 1;
    do sum += twice(p[i]); while (k-- > 0);
    switch (i % 2) {
    case 0:
        for (int j = 0; j < 4; j++) { if (j == 2) break; sum += AT(i); }
    default:
        sum += p[NEXT(i) % n].a;
    }
    atomicAdd(&p[i / 32].c, 0.0f);
    sum += walk(p, i, i % 2 ? 1 : 3);
    auto add = [&](int j) { return p[j].b; };
    sum += add(i) + (i % 2 ? p[i] : p[0]).a;
    out[i] = sum;
}
int main() {
    const int n = 128;
    static P h[n];
    static int order[n];
    static float out[n];
    for (int i = 0; i < n; i++) { h[i] = P{1.0f * i, 2.0f, 0.5f, (i * 7) % n}; order[i] = i * 5 % n; }
    P *d; int *o; float *r;
    cudaMalloc(&d, sizeof h); cudaMalloc(&o, sizeof order); cudaMalloc(&r, sizeof out);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(o, order, sizeof order, cudaMemcpyHostToDevice);
    for (int t = 0; t < 2; t++) step<<<2, 64>>>(d, o, n, r);
    cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g%c", out[i], i % 16 == 15 ? '\n' : ' ');
    cudaFree(d); cudaFree(o); cudaFree(r);
    return 0;
}
"#;

#[test]
fn counts_are_those_of_the_program() -> Result<()> {
    let sandbox = Sandbox::with(&[("known.cu", KNOWN)])?;
    let (outcome, profile) = profile(sandbox.path(), &["known.cu".to_owned()])?;
    let profile = profile.with_context(|| outcome.stderr.clone())?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    // Two launches of four warps.
    let unit = sums(&profile, "p[i].a")?;
    ensure!((unit.requests, unit.lanes, unit.lines, unit.sectors) == (8, 256, 32, 128), "{unit:?}");
    // Structs of 16 bytes: eight share a line, and 2^k neighbours a block.
    ensure!((unit.line_lanes, unit.strided, unit.stride) == (64, 8, 1), "{unit:?}");
    ensure!(unit.blocks[..7] == [256, 128, 64, 32, 16, 8, 8], "{unit:?}");
    let one = sums(&profile, "p[0].b")?;
    ensure!((one.requests, one.shared, one.address_lanes) == (8, 8, 256), "{one:?}");
    ensure!((one.lines, one.sectors, one.stride) == (8, 8, 0), "{one:?}");
    // Six times for each warp; 5 i is no two neighbours in one block of two.
    let listed = sums(&profile, "p[order[i]].c")?;
    ensure!((listed.requests, listed.lanes) == (48, 1536), "{listed:?}");
    ensure!(listed.blocks[0] == 1536 && listed.blocks[12] == 48, "{listed:?}");
    // Odd threads go round twice: all lanes, then half of them.
    let reader = sums(&profile, "p[i]")?;
    ensure!((reader.requests, reader.lanes) == (16, 256 + 128), "{reader:?}");
    // Even threads alone, twice, and a macro's use; a stride counts lanes that are left out.
    let even = sums(&profile, "AT(i)")?;
    ensure!((even.requests, even.lanes, even.stride) == (16, 256, 1), "{even:?}");
    ensure!(even.blocks[..4] == [256, 256, 128, 64], "{even:?}");
    let next = sums(&profile, "p[NEXT(i) % n].a")?;
    ensure!((next.requests, next.lanes, next.strided) == (8, 256, 6), "{next:?}");
    // One step for odd threads, three for even ones: a warp makes three.
    let walked = sums(&profile, "p[at].c")?;
    ensure!((walked.requests, walked.lanes) == (24, 2 * 64 * 4), "{walked:?}");
    let atomic = sums(&profile, "p[i / 32].c")?;
    ensure!((atomic.requests, atomic.blocks[0]) == (8, 8), "{atomic:?}");
    ensure!(sums(&profile, "p[j].b")?.lanes == 256, "in the lambda");
    let launches: Vec<_> =
        (profile.runs[0].launches.iter()).map(|own| (own.grid, own.block, own.launches)).collect();
    ensure!(launches == [([2, 1, 1], [64, 1, 1], 2)], "{launches:?}");
    let trips = |line: u32| {
        let own = profile.runs[0].trips.iter();
        own.filter(|own| profile.loops[own.of as usize].place.line == line)
            .map(|own| (own.entries, own.iterations))
            .collect::<Vec<_>>()
    };
    let line = |text: &str| {
        KNOWN.lines().zip(1..).find(|(own, _)| own.contains(text)).map_or(0, |(_, line)| line)
    };
    ensure!(
        trips(line("while (true)")) == [(256, 128 * 2 + 128 * 4)],
        "{:?}",
        trips(line("while (true)"))
    );
    ensure!(trips(line("#pragma unroll")) == [(256, 768)], "{:?}", profile.loops);
    ensure!(trips(line("int j = 0; j < 2")) == [(768, 1536)], "inner loop");
    ensure!(trips(line("j < 4")) == [(128, 128 * 3)], "a loop that breaks");
    Ok(())
}

/// Accesses of several bytes: structs that reach over borders, parts of them, items of member arrays.
const COVERED: &str = r#"
#include <cstdio>
struct V { float x, y, z; };
struct Big { float a[10]; V v; };
struct Wide { float first, between[22], last; };
struct Lanes { float4 v; int k[4]; };
__global__ void cover(Big *p, Wide *w, Lanes *l, Big *to, float *out) {
    int i = threadIdx.x;
    Big q = p[i];
    Wide r = w[31 - i];
    V v = p[i].v;
    float sum = q.v.y + q.v.z + r.first + r.last + v.x + p[i].a[9] + l[i].v.y;
    to[i / 2] = p[0];
    for (int k = 0; k < 4; k++) sum += l[i].k[k];
    out[i] = sum;
}
int main() {
    static Big p[32];
    static Wide w[32];
    static Lanes l[32];
    static float out[32];
    for (int i = 0; i < 32; i++) {
        p[i].a[9] = 1.0f * i; p[i].v = V{1, 2, 3};
        w[i].first = 4; w[i].last = 1.0f * i;
        l[i].v = make_float4(0, 5, 0, 0); l[i].k[3] = i;
    }
    Big *dp, *dt; Wide *dw; Lanes *dl; float *r;
    cudaMalloc(&dp, sizeof p); cudaMalloc(&dt, sizeof p); cudaMalloc(&dw, sizeof w); cudaMalloc(&dl, sizeof l);
    cudaMalloc(&r, sizeof out);
    cudaMemcpy(dp, p, sizeof p, cudaMemcpyHostToDevice);
    cudaMemcpy(dw, w, sizeof w, cudaMemcpyHostToDevice);
    cudaMemcpy(dl, l, sizeof l, cudaMemcpyHostToDevice);
    cover<<<1, 32>>>(dp, dw, dl, dt, r);
    cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) printf("%g\n", out[i]);
    return 0;
}
"#;

#[test]
fn accesses_cover_bytes() -> Result<()> {
    let sandbox = Sandbox::with(&[("covered.cu", COVERED)])?;
    let (outcome, profile) = profile(sandbox.path(), &["covered.cu".to_owned()])?;
    let profile = profile.with_context(|| outcome.stderr.clone())?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(
        outcome.stdout == printed(&[sandbox.path().join("covered.cu")], &[])?,
        "another output"
    );
    let found = |text: &str| -> Result<_> {
        let own = profile.instructions.iter().find(|own| own.text == text);
        let ranges: Vec<_> = (own.context("it is not instrumented")?.ranges.iter())
            .map(|range| (range.offset, range.bytes))
            .collect();
        let sum = sums(&profile, text).with_context(|| text.to_owned())?;
        ensure!(sum.requests == u64::from(text == "l[i].k[k]") * 3 + 1, "{text}: {sum:?}");
        Ok((ranges, sum.line_lanes / sum.requests, sum.lines, sum.sectors))
    };
    // Elements of 52 bytes, of which 12 from byte 40 on are used: lane i begins at 52 i + 40, which lies at 8, 28, 16, 4,
    // 24, 12, 0, 20 of its sector, and so on. From 28 and 24 the 12 bytes reach into the next one: 32 + 2 · 4 sectors,
    // as what lies 52 bytes on, 40 behind the end, is never on the same one. On the first line are lanes 0 and 1.
    for text in ["p[i]", "p[i].v"] {
        let offset = if text == "p[i]" { 40 } else { 0 };
        ensure!(found(text)? == (vec![(offset, 12)], 2, 13, 40), "{text}: {:?}", found(text)?);
    }
    // 96 bytes, of which the first and the last 4 are used: two of three sectors, one of which is on each line. Lane 0
    // begins at 31 · 96 = 2976, whose line begins at 2944; lane 1 at 2880.
    let both = (vec![(0, 4), (92, 4)], 1, 24, 64);
    ensure!(found("w[31 - i]")? == both, "{:?}", found("w[31 - i]")?);
    // One item of the array: each in a sector of its own.
    ensure!(found("p[i].a[9]")? == (vec![(0, 4)], 2, 13, 32), "{:?}", found("p[i].a[9]")?);
    // 16 elements without a gap are 832 bytes: 26 sectors on 6.5 lines. At 0, 52 and 104 two lanes each are on the first.
    ensure!(found("to[i / 2]")? == (vec![(0, 52)], 6, 7, 26), "{:?}", found("to[i / 2]")?);
    ensure!(found("p[0]")? == (vec![(0, 52)], 32, 1, 2), "{:?}", found("p[0]")?);
    // 32 bytes: four elements on a line.
    ensure!(found("l[i].v.y")? == (vec![(0, 4)], 4, 8, 32), "{:?}", found("l[i].v.y")?);
    ensure!(found("l[i].k[k]")? == (vec![(0, 4)], 4, 4 * 8, 4 * 32), "{:?}", found("l[i].k[k]")?);
    Ok(())
}

/// Bit-fields, reached in several ways.
const FLAGS: &str = r#"
#include <cstdio>
struct F {
    float x;
    unsigned kind : 3, level : 5;
    unsigned long long big : 40;
    int n;
    bool on : 1;
    __device__ void raise() { this->level = this->level + 1u; }
};
struct Outer { int before; F f; };
struct __attribute__((packed)) Packed { char c; float x; struct { short s; int i; } in; int v[2]; };
__device__ unsigned kind_of(const F &f) { return f.kind; }
__global__ void packed(Packed *p) {
    Packed *q = p + threadIdx.x;
    p[threadIdx.x].x = q->in.i + q->c;
    q->in.s += q->v[1];
}
__global__ void flags(F *p, Outer *o, float *out) {
    int i = threadIdx.x;
    p[i].kind = i & 7;
    F *q = p + i;
    q->level += 3;
    float sum = (q++)->big + (q - 1)->n;
    F &r = p[i];
    r.on = i % 2;
    p[i].raise();
    F local = p[i];
    local.kind = 1;
    if (i % 2) o[i].f.big = i;
    sum += kind_of(p[i + 0]) + local.kind + local.level + p[31 - i].on + sizeof(F) + (i < 16 ? p[i] : p[0]).big;
    out[i] = sum + p[i].x;
}
int main() {
    static F p[32];
    static float out[32];
    for (int i = 0; i < 32; i++) { p[i].x = 1.0f * i; p[i].big = 1000ull * i; p[i].n = i; }
    F *d; Outer *o; float *r;
    cudaMalloc(&d, sizeof p); cudaMalloc(&o, 32 * sizeof(Outer)); cudaMalloc(&r, sizeof out);
    cudaMemcpy(d, p, sizeof p, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, 32 * sizeof(Outer));
    Packed *c;
    static Packed k[32];
    cudaMalloc(&c, sizeof k);
    cudaMemset(c, 1, sizeof k);
    packed<<<1, 32>>>(c);
    cudaMemcpy(k, c, sizeof k, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) printf("%g %d\n", k[i].x, k[i].in.s);
    flags<<<1, 32>>>(d, o, r);
    cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(p, d, sizeof p, cudaMemcpyDeviceToHost);
    static Outer h[32];
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) printf("%g %d %d %d %d\n", out[i], p[i].kind, p[i].level, p[i].on, (int)h[i].f.big);
    return 0;
}
"#;

#[test]
fn bit_fields_are_noted_by_their_records() -> Result<()> {
    let sandbox = Sandbox::with(&[("flags.cu", FLAGS)])?;
    let (outcome, profile) = profile(sandbox.path(), &["flags.cu".to_owned()])?;
    let profile = profile.with_context(|| outcome.stderr.clone())?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(outcome.stdout == printed(&[sandbox.path().join("flags.cu")], &[])?, "another output");
    // An item at no fixed place has none that could be noted.
    ensure!(profile.omitted.len() == 1, "{:?}", profile.omitted);
    let found = |text: &str| -> Result<_> {
        let own = profile.instructions.iter().find(|own| own.text == text);
        let own = own.with_context(|| format!("`{text}` is not instrumented"))?;
        let ranges: Vec<_> = own.ranges.iter().map(|own| (own.offset, own.bytes)).collect();
        let sum = sums(&profile, text)?;
        Ok((own.kind, ranges, sum.lanes, sum.line_lanes, sum.lines, sum.sectors))
    };
    // Elements of 24 bytes: x at 0, kind and level in byte 4, big in the 40 bits from byte 8 on, n at 16, on in byte 20.
    // All elements lie on 24 sectors and 6 lines, and a step of 24 bytes leaves none out.
    for (text, kind, range, line) in [
        // 24 i + 4 is below 128 up to i = 5, 24 i + 8, + 16 and + 20 up to i = 4.
        ("p[i].kind", Kind::Write, (4, 1), 6),
        ("q->level", Kind::Update, (4, 1), 6),
        ("(q++)->big", Kind::Read, (8, 5), 5),
        ("(q - 1)->n", Kind::Read, (0, 4), 5),
        ("r.on", Kind::Write, (20, 1), 5),
        // By reference to a function that reads no more of it.
        ("p[i + 0]", Kind::Read, (4, 1), 6),
        ("p[i].x", Kind::Read, (0, 4), 6),
    ] {
        let own = found(text)?;
        ensure!(own == (kind, vec![range], 32, line, 6, 24), "`{text}`: {own:?}");
    }
    ensure!(sums(&profile, "this->level")?.lanes == 64, "a read and a write");
    // The copy: all members, which end before the bytes that fill up x and big.
    ensure!(found("p[i]")?.1 == [(0, 5), (8, 5), (16, 5)], "{:?}", found("p[i]")?);
    // From behind: 31 · 24 + 20 = 764 is on the line from 640 on, and down to 26 · 24 + 20 = 644 are the others.
    let back = found("p[31 - i].on")?;
    ensure!(back == (Kind::Read, vec![(20, 1)], 32, 6, 6, 24), "{back:?}");
    // 16 lanes at 0, 24, … 360, others at 0: 380 bytes are 12 sectors on 3 lines; at 8, 32, 56, 80 and 104 and 16 times at 8.
    let chosen = found("(i < 16 ? p[i] : p[0]).big")?;
    ensure!(chosen == (Kind::Read, vec![(8, 5)], 32, 21, 3, 12), "{chosen:?}");
    // 21 bytes without alignment: c, x from byte 1 on, 8 from byte 5 on, of which `in.s` takes the first 2 and
    // `in.i` the last 4, and 8 from 13 on.
    // 672 bytes are 21 sectors on 6 lines, of which none is left out.
    for (text, kind, range) in [
        ("p[threadIdx.x].x", Kind::Write, (1, 4)),
        ("q->c", Kind::Read, (0, 1)),
        ("q->in.i", Kind::Read, (9, 4)),
        ("q->in.s", Kind::Update, (5, 2)),
    ] {
        let own = found(text)?;
        ensure!((own.0, &own.1[..]) == (kind, &[range]), "`{text}`: {own:?}");
        ensure!((own.2 % 32, own.4, own.5) == (0, 6, 21), "`{text}`: {own:?}");
    }
    // In a struct of 32 bytes `f` begins at byte 8: one sector for each of 16 lanes; lanes 1 and 3 are on one line.
    let inner = found("o[i].f.big")?;
    ensure!(inner == (Kind::Write, vec![(8, 5)], 16, 2, 8, 16), "{inner:?}");
    Ok(())
}

/// Macros whose bodies access: nested ones, statements, uses on the host, and those whose body must stay as it is.
const BODIES: &str = r#"
#include <cstdio>
struct P { float x, y; int n; unsigned bit : 1; };
struct Q { float x, y; };
#define DX(i, j) (p[i].x - p[j].x)
#define BOTH(i) (DX(i, 0) * 0.5f + 1.0f)
#define PUSH(a, k, v) do { (a)[k].n += (v); } while (0)
#define SUM(a, i) ((a)[i].x + \
    (a)[i].y)
#define RAISE(i) (void)(p[i].bit = p[i].n & 1)
#define SEVERAL(a, i) ((a)[i].x * 2)
#define MEMBER(i, m) (p[i].m * 1)
#define WRITTEN(i) (p[i].y * 3)
#define SIZED(i) (p[i].y + 1)
#define STRING(a) #a
#define TEXT(a) STRING(a)
#define SHOW(a) (puts(TEXT(a)), (a))
#define ASKED(i) (p[i].n + 2)
#ifdef ASKED
#define REDEFINED(i) (p[i].n + 3)
#endif
__global__ void bodies(P *p, Q *q, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = DX(i, 0) + BOTH(i);
    for (int k = 0; k < 3; k++) sum += DX(i, k);
    PUSH(p, i, 2);
    sum += SUM(p, i) + SEVERAL(p, i) + SEVERAL(q, i) + MEMBER(i, x) + MEMBER(i, y) + WRITTEN(i);
    RAISE(i);
    sum += SIZED(i) + ASKED(i) + sizeof(SIZED(i)) + REDEFINED(i);
#undef REDEFINED
#define REDEFINED(i) (p[i].n + 4)
    sum += REDEFINED(i) + p[i].bit;
    out[i] = sum;
}
int main() {
    const int n = 100;
    static P p[n];
    static Q q[n];
    static float out[n];
    for (int i = 0; i < n; i++) { p[i].x = 1.0f * i; p[i].y = 2; q[i].x = 3; }
    P *dp; Q *dq; float *r;
    cudaMalloc(&dp, sizeof p); cudaMalloc(&dq, sizeof q); cudaMalloc(&r, sizeof out);
    cudaMemcpy(dp, p, sizeof p, cudaMemcpyHostToDevice);
    cudaMemcpy(dq, q, sizeof q, cudaMemcpyHostToDevice);
    bodies<<<2, 64>>>(dp, dq, r, n);
    cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(p, dp, sizeof p, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) printf("%g %d %g\n", out[i], p[i].n, SUM(p, i));
    printf("%g\n", SHOW(WRITTEN(3)));
    return 0;
}
"#;

#[test]
fn bodies_of_macros_are_recorded_where_all_uses_agree() -> Result<()> {
    let sandbox = Sandbox::with(&[("bodies.cu", BODIES)])?;
    let (outcome, profile) = profile(sandbox.path(), &["bodies.cu".to_owned()])?;
    let profile = profile.with_context(|| outcome.stderr.clone())?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(outcome.stdout == printed(&[sandbox.path().join("bodies.cu")], &[])?, "another output");
    // The text of the macro is printed as it is.
    ensure!(outcome.stdout.contains("(p[3].y * 3)"), "{}", outcome.stdout);
    let line = |text: &str| {
        BODIES.lines().zip(1..).find(|(own, _)| own.contains(text)).map_or(0, |(_, line)| line)
    };
    let found = |text: &str, at: u32| -> Result<_> {
        let own = profile.instructions.iter().zip(0..);
        let mut own = own.filter(|(own, _)| own.text == text && own.place.line == at);
        let (_, number) = own.next().with_context(|| format!("`{text}` in line {at}"))?;
        ensure!(own.next().is_none(), "`{text}` stands twice in line {at}");
        let mut sum = Counts::default();
        let all = profile.runs[0].accesses.iter().filter(|own| own.instruction == number);
        all.for_each(|own| sum.add(&own.counts));
        Ok((sum.requests, sum.lanes, sum.address_lanes))
    };
    // 100 threads are four warps, of which the last has four. Twice, and three times in the loop: element i …
    let own = found("p[i].x", line("#define DX"))?;
    ensure!(own == (20, 500, 20), "{own:?}");
    // … and one for all lanes.
    let other = found("p[j].x", line("#define DX"))?;
    ensure!(other == (20, 500, 500), "{other:?}");
    for (text, at) in [
        ("(a)[k].n", "#define PUSH"),
        ("(a)[i].x", "#define SUM"),
        ("(a)[i].y", "    (a)[i].y)"),
        ("p[i].bit", "#define RAISE"),
        ("p[i].n", "#define RAISE"),
        ("p[i].n", "#define ASKED"),
        // Once more in `sizeof`, which evaluates nothing.
        ("p[i].y", "#define SIZED"),
        ("p[i].bit", "sum += REDEFINED(i) + p"),
    ] {
        let own = found(text, line(at))?;
        ensure!(own == (4, 100, 4), "`{text}` of `{at}`: {own:?}");
    }
    let macros = ["SEVERAL(", "MEMBER(", "WRITTEN(", "REDEFINED("];
    for name in macros {
        let at = line(&format!("#define {name}"));
        ensure!(profile.instructions.iter().all(|own| own.place.line != at), "{name} is recorded");
    }
    // The uses of those that are not are listed.
    let omitted: Vec<&str> = (profile.omitted.iter())
        .map(|own| &BODIES[own.place.start as usize..own.place.end as usize])
        .collect();
    for name in macros {
        ensure!(omitted.iter().any(|own| own.starts_with(name)), "{name}: {omitted:?}");
    }
    // The loop has nothing but a use of a macro in it.
    let trips: Vec<_> =
        profile.runs[0].trips.iter().map(|own| (own.entries, own.iterations)).collect();
    ensure!(trips == [(100, 300)], "{trips:?}");
    Ok(())
}

/// Functions that are constant expressions on the host, and run on the device.
const CONSTANT: &str = r#"
#include <cstdio>
struct P { float x; int n; };
constexpr __host__ __device__ int first(const P *p, int i) { return p[i].n; }
template <class T> constexpr __host__ __device__ int number(const T *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += p[i].n;
    return sum;
}
__global__ void add(const P *p, int *out) { out[threadIdx.x] = first(p, threadIdx.x) + number(p, 2); }
int main() {
    constexpr P c[2] = {{1, 2}, {3, 4}};
    static_assert(number(c, 2) == 6 && first(c, 1) == 4, "");
    P *p; int *o, h[32];
    cudaMalloc(&p, 32 * sizeof(P)); cudaMalloc(&o, sizeof h);
    cudaMemset(p, 0, 32 * sizeof(P));
    cudaMemcpy(p, c, sizeof c, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(p, o);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) printf("%d ", h[i]);
    return 0;
}
"#;

#[test]
fn constant_functions_stay_constant() -> Result<()> {
    let sandbox = Sandbox::with(&[("constant.cu", CONSTANT)])?;
    let (outcome, profile) = profile(sandbox.path(), &["constant.cu".to_owned()])?;
    let profile = profile.with_context(|| outcome.stderr.clone())?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(outcome.stdout == printed(&[sandbox.path().join("constant.cu")], &[])?, "other output");
    // The host's constants are no accesses; in the loop each lane reads the same two elements.
    let (own, all): (Vec<_>, Vec<_>) = (profile.runs[0].accesses.iter())
        .map(|own| own.counts)
        .partition(|counts| counts.address_lanes == counts.requests);
    ensure!(own.len() == 1 && (own[0].requests, own[0].lanes) == (1, 32), "{own:?}");
    ensure!(all.len() == 1 && (all[0].requests, all[0].lanes) == (2, 64), "{all:?}");
    Ok(())
}

/// What the header for nvcc counts in the warp is what the runtime counts, for the accesses above: the functions of
/// the header, run on the CPU.
#[test]
fn warps_count_what_the_runtime_counts() -> Result<()> {
    let part = |from: &str, to: &str| -> Result<&str> {
        let start = HEADER_TEXT.find(from).with_context(|| format!("no `{from}`"))?;
        let length = HEADER_TEXT[start..].find(to).with_context(|| format!("no `{to}`"))?;
        Ok(&HEADER_TEXT[start..start + length])
    };
    let program = format!(
        r#"#include <cstdio>
typedef unsigned long long Count;
#define LAYOUTC_PROFILE_ACCESSES {{52, 0}}, {{96, 1}}, {{52, 3}}, {{52, 4}}, {{0, 5}}
#define LAYOUTC_PROFILE_RANGES {{40, 12}}, {{0, 4}}, {{92, 4}}, {{0, 4}}, {{0, 52}}
{}
__device__ unsigned lane_id() {{ return threadIdx.x % 32; }}
{}
__global__ void count(unsigned *out) {{
    const int i = threadIdx.x;
    const Count at[] = {{(Count)(52 * i + 40), (Count)(96 * (31 - i)), (Count)(52 * i + 36), (Count)(52 * (i / 2))}};
    if (i % 32 == 31) return;
    for (int n = 0; n < 4; n++) {{
        out[2 * n] = touched(0x7fffffffu, n, at[n], 7);
        out[2 * n + 1] = touched(0x7fffffffu, n, at[n], 5);
    }}
}}
int main() {{
    unsigned *d, h[8];
    cudaMalloc(&d, sizeof h);
    count<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int n = 0; n < 8; n++) printf("%u ", h[n]);
    cudaFree(d);
    return 0;
}}
"#,
        part("struct Instruction {", "static __device__ Count accesses")?,
        part("// How many different values", "__device__ __noinline__ void access(")?,
    );
    // Both ways to find equal values.
    for arch in ["600", "700"] {
        let text = program.replace("__CUDA_ARCH__", arch);
        let sandbox = Sandbox::with(&[("warp.cu", &text)])?;
        let sources = read_program(&[sandbox.path().join("warp.cu")], &[])?;
        let built = build(&BuildRequest::new(sources, sandbox.path().join("warp")))?;
        let result = run(&built.executable, &RunRequest::new(Vec::new()))?;
        let printed = String::from_utf8_lossy(&result.stdout).into_owned();
        // As in the test above without the last lane. It has for itself 1, 2, 1 and 0 sectors: at 52 · 31 + 40 it begins
        // at 20 of a sector; element 0 of `w` lies on two; lane 30 has its element of `to`, too. It has no line for itself:
        // bytes 1652 and 1648 are on that of 1536, where lane 30 is, and element 1 of `w` begins on line 0.
        ensure!(printed == "13 39 24 62 13 31 7 26 ", "{arch}: {printed}");
    }
    Ok(())
}

/// Device code that nvcc takes with the instruments in it.
#[test]
fn nvcc_takes_instrumented_programs() -> Result<()> {
    let nvcc = Nvcc::find()?;
    let mut sources: Vec<(String, Vec<String>, std::path::PathBuf)> = Vec::new();
    for name in
        ["sph", "idw", "euler", "particlefilter", "idiom_class_templates", "idiom_macro_forms"]
    {
        let program = Program::load(name)?;
        let files = program.files.iter().map(|file| file.display().to_string()).collect();
        sources.push((name.to_owned(), files, program.folder));
    }
    let sandbox = Sandbox::with(&[
        ("known.cu", KNOWN),
        ("covered.cu", COVERED),
        ("flags.cu", FLAGS),
        ("bodies.cu", BODIES),
        ("constant.cu", CONSTANT),
    ])?;
    for name in ["known.cu", "covered.cu", "flags.cu", "bodies.cu", "constant.cu"] {
        sources.push((name.to_owned(), vec![name.to_owned()], sandbox.path().to_path_buf()));
    }
    for (name, files, folder) in sources {
        let output = tempfile::tempdir()?;
        let mut arguments = vec!["profile".to_owned()];
        arguments.extend(files.iter().cloned());
        arguments.extend(["--instrument".to_owned(), output.path().display().to_string()]);
        let outcome = Layoutc::built()?.run(&folder, VERIFY_LIMIT, &arguments)?;
        ensure!(outcome.succeeded(), "{name}: {}", outcome.stderr);
        let mut instruments = 0;
        for file in files.iter().filter(|file| file.ends_with(".cu")) {
            // As `-include layoutc_profile.hpp` would.
            let path = output.path().join(file);
            let text = fs::read_to_string(&path)?;
            instruments += text.matches("layoutcAt(").count();
            fs::write(&path, format!("#include \"layoutc_profile.hpp\"\n{text}"))?;
            let flags =
                Flags { include_dirs: vec![output.path().to_path_buf()], ..Flags::default() };
            nvcc.compile_object(&path, &flags, ARCH, &output.path().join("out.o"))
                .with_context(|| format!("{name}: {file}"))?;
        }
        ensure!(instruments > 0, "{name} is not instrumented");
    }
    Ok(())
}

/// A kernel that runs a while, then breaks in the way that is asked for.
const BROKEN: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
struct P { float a, b; };
__global__ void step(P *p) { p[threadIdx.x].a += p[threadIdx.x].b; }
int main(int count, char **arguments) {
    P *d;
    cudaMalloc(&d, 32 * sizeof(P));
    cudaMemset(d, 0, 32 * sizeof(P));
    for (int i = 0; i < 10; i++) step<<<1, 32>>>(d);
    int how = atoi(arguments[1]);
    if (how == 0) abort();
    if (how == 1) step<<<1, 64>>>(d);
    if (how == 2) for (;;) sleep(1);
    return 3;
}
"#;

#[test]
fn what_was_recorded_until_the_end_is_kept() -> Result<()> {
    let sandbox = Sandbox::with(&[("broken.cu", BROKEN)])?;
    let expected = [
        ("0", Some("signal 6 ended the program")),
        ("1", Some("the runtime stopped the program")),
        ("2", Some("it ran longer than --timeout allows")),
        // An exit status of its own is the program's business.
        ("3", None),
    ];
    for (how, partial) in expected {
        let arguments = ["broken.cu", "--timeout", "2", "--", how].map(str::to_owned);
        let (outcome, profile) = profile(sandbox.path(), &arguments)?;
        let profile = profile.with_context(|| outcome.stderr.clone())?;
        ensure!(profile.runs[0].partial.as_deref() == partial, "{:?}", profile.runs[0].partial);
        ensure!(outcome.code() == Some(i32::from(partial.is_some())), "{}", outcome.ending());
        let read = sums(&profile, "p[threadIdx.x].b")?;
        ensure!(read.requests >= 10, "{read:?}");
    }
    Ok(())
}

/// The decisions of the paper's §7.2: clusters of fields for SPH, IDW and the particle filter.
///
/// For cfd it chose arrays. Here each cell's neighbours lie anywhere, so lanes that read them share no line
/// (`UnCoalesc`), which the method counts for structs; the elements with the faces, read in order, are arrays.
#[test]
fn the_paper_s_programs_get_what_the_paper_says() -> Result<()> {
    for (name, expected) in [
        (
            "sph",
            &[("Particle", "{x y vx vy density pressure} align(16), {ax ay fixed} align(16)")][..],
        ),
        ("idw", &[("Point", "aos align(16)"), ("Point", "soa")]),
        ("particlefilter", &[("Particle", "aos align(16)")]),
        ("euler", &[("Cell", "aos align(16)"), ("Element", "soa")]),
    ] {
        let program = Program::load(name)?;
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name).display().to_string();
        let files = program.files.iter().map(|file| file.display().to_string());
        let files: Vec<String> = files.collect();
        let mut arguments = vec!["profile".to_owned(), "-o".to_owned(), path("profile")];
        arguments.extend(files.iter().cloned());
        arguments.push("--".to_owned());
        arguments.extend(program.simulated().iter().cloned());
        let outcome = Layoutc::built()?.run(&program.folder, VERIFY_LIMIT, &arguments)?;
        ensure!(outcome.succeeded(), "{name}: {}", outcome.stderr);
        let mut arguments: Vec<String> =
            ["transform", "--check", "--selector", "trace", "--trace", "paper", "--profile"]
                .map(str::to_owned)
                .into();
        arguments.extend([path("profile"), "--report".to_owned(), path("report")]);
        arguments.extend(files);
        Layoutc::built()?.run(&program.folder, VERIFY_LIMIT, &arguments)?;
        let report: serde_json::Value = serde_json::from_slice(&fs::read(path("report"))?)?;
        let classes = report["classes"].as_array().context("no classes")?;
        let found: Vec<(&str, &str)> = (classes.iter())
            .filter(|class| class["status"] == "changed")
            .filter_map(|class| Some((class["type"].as_str()?, class["layout"].as_str()?)))
            .collect();
        ensure!(found == expected, "{name}: {found:?}");
    }
    Ok(())
}

/// A gather whose order is an argument: each step from element to element.
const GATHER: &str = r#"
#include <cstdio>
#include <cstdlib>
struct P { float a, b, c, d; };
__global__ void sum(const P *p, const int *order, int n, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = p[order[i]].a + p[order[i]].b + p[order[i]].c + p[order[i]].d;
}
int main(int, char **arguments) {
    const int n = 4096;
    int step = atoi(arguments[1]);
    static P h[n];
    static int order[n];
    static float out[n];
    for (int i = 0; i < n; i++) { h[i] = P{1.0f * i, 2.0f, 3.0f, 4.0f}; order[i] = (int)((long long)i * step % n); }
    P *p; int *o; float *r;
    cudaMalloc(&p, sizeof h); cudaMalloc(&o, sizeof order); cudaMalloc(&r, sizeof out);
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(o, order, sizeof order, cudaMemcpyHostToDevice);
    sum<<<n / 128, 128>>>(p, o, n, r);
    cudaMemcpy(out, r, sizeof out, cudaMemcpyDeviceToHost);
    double total = 0;
    for (int i = 0; i < n; i++) total += out[i];
    printf("%.1f\n", total);
    cudaFree(p); cudaFree(o); cudaFree(r);
    return 0;
}
"#;

#[test]
fn runs_that_disagree_are_named() -> Result<()> {
    let sandbox = Sandbox::with(&[("gather.cu", GATHER)])?;
    for step in ["1", "1501"] {
        let name = format!("{step}.profile");
        sandbox.accepted(&["profile", "gather.cu", "-o", &name, "--", step])?;
    }
    let chosen = |profiles: &[&str]| -> Result<(String, String)> {
        let mut arguments =
            vec!["transform", "gather.cu", "--selector", "trace", "--report", "report"];
        arguments.extend(["-o", "out.cu"]);
        arguments.extend(profiles.iter().flat_map(|profile| ["--profile", profile]));
        sandbox.accepted(&arguments)?;
        let report: serde_json::Value = serde_json::from_slice(&sandbox.read("report")?)?;
        let text = |name: &str| report["classes"][0][name].as_str().unwrap_or_default().to_owned();
        Ok((text("layout"), text("because")))
    };
    ensure!(chosen(&["1.profile"])?.0 == "tiled(32)", "neighbours");
    ensure!(chosen(&["1501.profile"])?.0 == "aos align(16)", "a gather");
    let (_, because) = chosen(&["1.profile", "1501.profile"])?;
    ensure!(because.contains("run 1 (`1`) alone would give `tiled(32)`"), "{because}");
    Ok(())
}

#[test]
fn profiles_that_are_none_are_refused() -> Result<()> {
    let sandbox = Sandbox::with(&[("known.cu", KNOWN)])?;
    sandbox.accepted(&["profile", "known.cu", "-o", "good.profile"])?;
    sandbox.accepted(&["transform", "known.cu", "--profile", "good.profile", "--diff"])?;
    for output in [["-o", "none/a"], ["-o", "a"]] {
        let rows = ["profile", "known.cu", output[0], output[1], "--rows", "none/rows.parquet"];
        let outcome = sandbox.layoutc(&rows)?;
        let said = "cannot write none/";
        ensure!(outcome.code() == Some(2) && outcome.stderr.contains(said), "{}", outcome.stderr);
        ensure!(outcome.stdout.is_empty(), "it ran");
    }
    // A second run counts, too.
    sandbox.accepted(&["profile", "known.cu", "-o", "second.profile"])?;
    let both = ["--profile", "good.profile", "--profile", "second.profile"];
    sandbox.accepted(&["transform", "known.cu", both[0], both[1], both[2], both[3], "--diff"])?;

    let good = sandbox.text("good.profile")?;
    let other = KNOWN.replace("p[0].b", "p[0].c");
    sandbox.write("other.cu", other)?;
    sandbox.accepted(&["profile", "other.cu", "-o", "other.profile"])?;
    let refused = |name: &str, said: &str| {
        let arguments = ["transform", "known.cu", "--profile", name, "-o", "out.cu"];
        sandbox.rejected(&arguments, &["LC0075", said])?;
        ensure!(!sandbox.path().join("out.cu").exists(), "{name}: something was written");
        Ok(())
    };
    refused("missing.profile", "No such file")?;
    refused(".", "directory")?;
    refused("/dev/zero", "no profile is larger")?;
    sandbox.write("empty", "")?;
    refused("empty", "ends in the middle")?;
    sandbox.write("half", &good[..good.len() / 2])?;
    refused("half", "ends in the middle")?;
    sandbox.write("noise", [0xff, 0x00, 0x7f, 0x80])?;
    refused("noise", "no profile")?;
    sandbox.write("foreign", "{\"traceEvents\": []}")?;
    refused("foreign", "no profile")?;
    sandbox.write("newer", good.replacen("\"version\":2", "\"version\":3", 1))?;
    refused("newer", "version 3 of the format")?;
    sandbox.write("numbers", good.replacen("\"instruction\":0", "\"instruction\":4711", 1))?;
    refused("numbers", "damaged")?;
    refused("other.profile", "`other.cu` is none of its files")?;
    let mixed = ["--profile", "good.profile", "--profile", "other.profile"];
    let arguments = ["transform", "known.cu", mixed[0], mixed[1], mixed[2], mixed[3], "--diff"];
    sandbox.rejected(&arguments, &["LC0075", "not of one program"])?;
    for selector in ["trace", "auto"] {
        let arguments = ["transform", "known.cu", "--selector", selector, "--diff"];
        sandbox.rejected(&arguments, &["LC0075", "there is no --profile"])?;
    }
    // One byte more, even in a comment, is another version of the program.
    sandbox.write("known.cu", format!("{KNOWN}\n"))?;
    refused("good.profile", "`known.cu` has changed since")?;
    Ok(())
}

#[test]
fn counts_of_another_build_are_read_line_by_line() -> Result<()> {
    let sandbox = Sandbox::with(&[("known.cu", KNOWN)])?;
    let read = |counts: &str| -> Result<(Outcome, Option<Profile>)> {
        sandbox.write("counts", counts)?;
        profile(sandbox.path(), &["known.cu", "--counts", "counts"].map(str::to_owned))
    };
    let blocks = "32 16 8 4 2 1 1 1 1 1 1 1 1";
    let access = format!("access 0 1 1 32 8 0 1 4 16 1 1 0 {blocks}\n");
    // Two files of one program append to each other.
    let part = format!("device Tesla T0\nlaunch 0 2 1 1 64 1 1 3\nloop 0 1 256 768\n{access}end\n");
    let (outcome, found) = read(&format!("{part}{part}"))?;
    let run = &found.with_context(|| outcome.stderr.clone())?.runs[0];
    ensure!(outcome.succeeded() && run.device == "Tesla T0" && run.partial.is_none(), "{run:?}");
    ensure!((run.launches[0].launches, run.trips[0].iterations) == (6, 1536), "{run:?}");
    ensure!(run.accesses[0].counts.blocks[..2] == [64, 32], "{run:?}");
    let (outcome, found) = read(part.trim_end_matches("end\n"))?;
    ensure!(outcome.code() == Some(1) && found.is_some_and(|own| own.runs[0].partial.is_some()));
    for (counts, said) in [
        ("", "there are no counts"),
        ("device X\nloop 0 99 1 1\nend\n", "counts:2: the program has no loop 99"),
        ("device X\naccess 0 1 2 3\n", "counts:2: this is no line of counts"),
        ("device X\nlaunch -1 1 1 1 1 1 1 1\n", "the program has no kernel -1"),
        ("PNG\u{1}\u{2}", "this is no line of counts"),
    ] {
        let (outcome, found) = read(counts)?;
        ensure!(outcome.code() == Some(2) && found.is_none(), "{counts}: {}", outcome.ending());
        ensure!(outcome.stderr.contains(said), "{counts}: {}", outcome.stderr);
    }
    Ok(())
}

#[test]
fn rows_are_classified_by_the_query_of_the_documentation() -> Result<()> {
    let root = layoutc_tests::repository_root();
    let document = fs::read_to_string(root.join("docs/profile.md"))?;
    let query = document.split("```sql").nth(1).and_then(|text| text.split("```").next());
    let query = query.context("docs/profile.md has no query")?.replace("rows.parquet", "ROWS");
    let sandbox = Sandbox::with(&[("known.cu", KNOWN)])?;
    let rows = sandbox.path().join("known.parquet");
    let arguments = ["known.cu".to_owned(), "--rows".to_owned(), rows.display().to_string()];
    let (outcome, profile) = profile(sandbox.path(), &arguments)?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    let profile = profile.context("no profile")?;
    let script = format!(
        "import duckdb, json, sys\nprint(json.dumps(duckdb.sql({:?}.replace('ROWS', {:?})).fetchall()))",
        query,
        rows.display().to_string()
    );
    let python = root.join(".tools/venv/bin/python");
    let output = std::process::Command::new(&python)
        .args(["-c", &script])
        .output()
        .with_context(|| format!("cannot run {}; run `cargo xtask setup`", python.display()))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<(u32, String, u64, f64, String, f64)> = serde_json::from_slice(&output.stdout)?;
    ensure!(found.len() == profile.instructions.len(), "{found:?}");
    for (instruction, text, executions, lanes, class, weight) in found {
        let own = &profile.instructions[instruction as usize];
        let mut counts = Counts::default();
        for accessed in &profile.runs[0].accesses {
            if accessed.instruction == instruction {
                counts.add(&accessed.counts);
            }
        }
        ensure!(
            text == own.text && executions == counts.requests,
            "{text}: {executions} {counts:?}"
        );
        let mean = counts.line_lanes as f64 / counts.requests as f64;
        ensure!((lanes - mean).abs() < 1e-9, "{text}: {lanes} {mean}");
        let own = Classified::by_address(&counts).context("it never ran")?;
        ensure!(class == own.class.to_string(), "{text}: {class}, {counts:?}");
        ensure!((weight - own.sum()).abs() < 1e-6, "{text}: {weight} {}", own.sum());
    }
    Ok(())
}
