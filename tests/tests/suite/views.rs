//! `transform --style view`: parameters become views, and functions keep their text.
//!
//! All shipped programs run through views in `programs::*::tiled`, and half of the random ones.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};
use layoutc_tests::sandbox::Sandbox;
use layoutc_tests::sass::KernelCode;

/// Each function uses its elements in another way; the last word of its name says whether a view serves.
const USES: &str = r#"
#include <cstdio>

struct Body {
    float x, v;
    int links[3];
    double *weight;
    float e, p, lane;
};

struct Pair {
    float a, b;
};

struct Sealed {
    float x;
    int n;
    __host__ __device__ Sealed() : x(1), n(3) {}
};

__device__ float twice(Body body) { return 2 * body.x; }
__device__ float speed(const Body *bodies, int i) { return bodies[i].v; }

__device__ void push(Body *body) { body->v += 1; }

__global__ void pushes_inline(Body *bodies, int n)
{
    if (threadIdx.x < n)
        push(&bodies[threadIdx.x]);
}

__global__ void arguments_inline(Body *bodies)
{
    // Its text changes, and it has a view.
    if (threadIdx.x == 0) {
        bodies[0].x += 1;
        push(bodies);
    }
}

__global__ void members_view(Body *bodies, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies[i].x += bodies[i].v * bodies[i].links[i % 3];
        atomicAdd(&bodies[i].links[2], 1);
        bodies[i].weight = nullptr;
        bodies[i].e = bodies[i].p = bodies[i].lane = 4;
    }
}

__global__ void wholes_view(const Body *from, Body *to, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Body body = from[i], other;
        body.x = twice(from[n - 1 - i]);
        to[i] = body;
        other = to[i];
        other.links[1] = 7;
        to[i] = other;
    }
}

__global__ void moves_view(Body *bodies, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i + 1 == n)
        bodies[i] = bodies[0];
}

__global__ void references_view(Body *bodies, const Body *others, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        Body &body = bodies[i];
        const Body &next = others[(i + 1) % n];
        body.v = next.x + speed(bodies, i);
        body.links[0]++;
    }
}

__global__ void sealed_view(Sealed *all, int n)
{
    int i = threadIdx.x;
    if (i < n)
        all[i].x = all[i].n;
}

__global__ void reseal_inline(Sealed *all, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        Sealed one = all[i];
        one.n = 5;
        all[i] = one;
    }
}

__global__ void pointers_inline(Body *bodies, int n)
{
    Body *last = bodies + n - 1;
    last->x = bodies[0].x;
}

__global__ void bindings_inline(Pair *pairs, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        auto [a, b] = pairs[i];
        pairs[i].a += 1;
        pairs[i].b += a;
    }
}

__global__ void copies_inline(Body *bodies, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        auto before = bodies[i];
        bodies[i].x += 1;
        bodies[i].v += before.x;
    }
}

__device__ int which(float &) { return 1; }
__device__ int which(const float &) { return 2; }

__global__ void constants_inline(Body *bodies, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        const Body &body = bodies[i];
        bodies[i].links[1] += which(body.x);
    }
}

__device__ auto given_back(Body *all, int i) { return all[i]; }

__global__ void deduced_inline(Body *bodies, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        auto body = given_back(bodies, i);
        bodies[i].x += 10;
        bodies[i].v += body.x;
    }
}

template <typename T>
__device__ float chosen(T) { return -1; }
__device__ float chosen(Body body) { return body.x; }

constexpr __device__ float early(const Body *all, int i) { return all[i].x; }

__global__ void overloads_inline(Body *bodies, int n)
{
    int i = threadIdx.x;
    if (i < n)
        bodies[i].e += chosen(bodies[i]) + early(bodies, i);
}

template <typename Number>
__global__ void templates_inline(Body *bodies, Number n)
{
    if (threadIdx.x < n)
        bodies[threadIdx.x].x += 1;
}

__global__ void lambdas_inline(Body *bodies, int n)
{
    auto step = [bodies](int i) { bodies[i].x += 1; };
    if (threadIdx.x < n)
        step(threadIdx.x);
}

#define FIRST bodies[0]
__global__ void macros_inline(Body *bodies)
{
    if (threadIdx.x == 0)
        FIRST.x = FIRST.v;
}

int main()
{
    const int n = 70;
    Body host[n] = {};
    for (int i = 0; i < n; ++i) {
        host[i].x = i;
        host[i].v = 1 - i;
        host[i].links[i % 3] = i;
    }
    Body *a, *b;
    cudaMalloc(&a, sizeof(host));
    cudaMalloc(&b, sizeof(host));
    cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
    members_view<<<1, 96>>>(a, n);
    wholes_view<<<1, 96>>>(a, b, n);
    moves_view<<<1, 96>>>(b, n);
    references_view<<<1, 96>>>(b, a, 1);
    constants_inline<<<1, 96>>>(b, n);
    deduced_inline<<<1, 96>>>(b, n);
    overloads_inline<<<1, 96>>>(b, n);
    pointers_inline<<<1, 1>>>(b, n);
    templates_inline<<<1, 96>>>(b, 70u);
    lambdas_inline<<<1, 96>>>(b, n);
    pushes_inline<<<1, 96>>>(b, n);
    arguments_inline<<<1, 96>>>(b);
    copies_inline<<<1, 96>>>(b, n);
    macros_inline<<<1, 1>>>(b);
    cudaMemcpy(host, b, sizeof(host), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        printf("%g %g %d %d %d %g\n", host[i].x, host[i].v, host[i].links[0], host[i].links[1], host[i].links[2], host[i].p);
    Pair *pairs, ends[n] = {};
    cudaMalloc(&pairs, sizeof(ends));
    cudaMemcpy(pairs, ends, sizeof(ends), cudaMemcpyHostToDevice);
    bindings_inline<<<1, 96>>>(pairs, n);
    bindings_inline<<<1, 96>>>(pairs, n);
    cudaMemcpy(ends, pairs, sizeof(ends), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        printf("%g %g\n", ends[i].a, ends[i].b);
    Sealed *sealed, seals[n];
    cudaMalloc(&sealed, sizeof(seals));
    cudaMemcpy(sealed, seals, sizeof(seals), cudaMemcpyHostToDevice);
    sealed_view<<<1, 96>>>(sealed, n);
    reseal_inline<<<1, 96>>>(sealed, n);
    cudaMemcpy(seals, sealed, sizeof(seals), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        printf("%g %d\n", seals[i].x, seals[i].n);
    cudaFree(a);
    cudaFree(b);
    cudaFree(sealed);
    cudaFree(pairs);
}
"#;

const VIEWS: [&str; 4] = ["--layout", "* = tiled(32)", "--style", "view"];

/// The text of each kernel of a program, by name.
fn kernels(text: &str) -> Vec<(&str, &str)> {
    let starts = text.match_indices("__global__ void ").map(|(at, words)| at + words.len());
    starts
        .filter_map(|at| {
            let own = &text[at..];
            let (name, _) = own.split_once('(')?;
            Some((name, &own[..own.find("\n}\n")? + 3]))
        })
        .collect()
}

#[test]
fn functions_keep_their_text_where_a_view_serves() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", USES)])?;
    sandbox.accepted(&[&["transform", "in.cu", "-o", "out.cu"], &VIEWS[..]].concat())?;
    let out = sandbox.text("out.cu")?;
    let (before, after) = (kernels(USES), kernels(&out));
    for (name, own) in before {
        let (_, new) = after.iter().find(|(other, _)| *other == name).context("it is there")?;
        let (head, body) = new.split_once('{').context("a body")?;
        let is_same = own.split_once('{').context("a body")?.1 == body;
        let serves = name.ends_with("_view");
        // The function that gives back an element has no view; its caller has.
        let is_called = name == "deduced_inline";
        // References get another type.
        let keeps = serves && name != "references_view";
        ensure!(is_same == keeps, "{name}:\n{new}");
        let is_view = serves || is_called || name == "arguments_inline";
        ensure!(head.contains("View ") == is_view, "{name}:\n{new}");
    }
    ensure!(out.contains("        BodyReference body = bodies[i];\n"), "{out}");
    ensure!(out.contains("        push(bodies.tiles, 0);\n"), "{out}");
    let nvcc = Nvcc::find()?;
    nvcc.check(&sandbox.path().join("out.cu"), true)?;
    sandbox.accepted(&[&["verify", "in.cu"], &VIEWS[..]].concat())?;
    // Three is no power of two.
    let odd = ["verify", "in.cu", "--layout", "* = tiled(3)", "--style", "view"];
    sandbox.accepted(&odd)?;
    Ok(())
}

#[test]
fn a_second_run_changes_nothing() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", USES)])?;
    sandbox.accepted(&[&["transform", "in.cu", "-o", "out.cu"], &VIEWS[..]].concat())?;
    let again = [&["transform", "out.cu", "-o", "again.cu"], &VIEWS[..]].concat();
    sandbox.accepted(&again)?;
    ensure!(sandbox.text("out.cu")? == sandbox.text("again.cu")?);
    Ok(())
}

/// Prototypes in other files have the type of the definition.
#[test]
fn declarations_agree() -> Result<()> {
    let header = "#pragma once\nstruct Cell { float rain, snow; };\n\
        __global__ void step(const Cell *, Cell *cells, int n);\n";
    let kernels = "#include \"cell.h\"\n\
        __global__ void step(const Cell *__restrict__ before, Cell *__restrict__ const cells, int n)\n{\n\
        \x20   int i = threadIdx.x;\n    if (i < n)\n        cells[i].rain += before[i].snow;\n}\n";
    let main = "#include \"cell.h\"\n#include <cstdio>\nint main()\n{\n    Cell host[40] = {{1, 2}, {3, 4}};\n    Cell *a, *b;\n\
        \x20   cudaMalloc(&a, sizeof(host));\n    cudaMalloc(&b, sizeof(host));\n\
        \x20   cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);\n\
        \x20   cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);\n\
        \x20   step<<<1, 64>>>(a, b, 40);\n    cudaMemcpy(host, b, sizeof(host), cudaMemcpyDeviceToHost);\n\
        \x20   printf(\"%g %g\\n\", host[0].rain, host[1].rain);\n    cudaFree(a);\n    cudaFree(b);\n}\n";
    let files = [("cell.h", header), ("kernels.cu", kernels), ("main.cu", main)];
    let sandbox = Sandbox::with(&files)?;
    sandbox.accepted(&[&["verify", "main.cu", "kernels.cu"], &VIEWS[..]].concat())?;
    let transform = ["transform", "main.cu", "kernels.cu", "--out-dir", "out"];
    sandbox.accepted(&[&transform, &VIEWS[..]].concat())?;
    let text = sandbox.text("out/kernels.cu")?;
    // A constant parameter is no view; the other one is.
    ensure!(
        text.contains(
            "step(CellConstRestrictView before, CellTile32 *__restrict__ const cells, int n)"
        ),
        "{text}"
    );
    let text = sandbox.text("out/cell.h")?;
    ensure!(text.contains("step(CellConstRestrictView, CellTile32 *cells, int n);"), "{text}");
    Ok(())
}

/// Views cost nothing: the machine code of every kernel is that of the inline style.
#[test]
fn the_machine_code_is_that_of_the_other_style() -> Result<()> {
    let nvcc = Nvcc::find()?;
    let sandbox = Sandbox::with(&[("in.cu", USES)])?;
    let mut found = Vec::new();
    for style in ["inline", "view"] {
        let options = ["--layout", "* = tiled(32)", "--style", style];
        sandbox.accepted(&[&["transform", "in.cu", "-o", "out.cu"], &options[..]].concat())?;
        let cubin = sandbox.path().join("out.cubin");
        nvcc.compile_cubin(&sandbox.path().join("out.cu"), &Flags::default(), ARCH, &cubin)?;
        found.push(nvcc.kernels(&cubin)?);
        fs::remove_file(cubin)?;
    }
    for (name, _) in kernels(USES).into_iter().filter(|(name, _)| name.ends_with("_view")) {
        let own = |kernels: &[KernelCode]| {
            kernels.iter().find(|kernel| kernel.is_named(name)).cloned().context("it is there")
        };
        let [inline, view] = [own(&found[0])?, own(&found[1])?];
        let counts = |code: &KernelCode| {
            let numbers = [code.registers, code.stack_bytes].map(u64::from);
            let counted = [code.loads(), code.stores, code.calls].map(|count| count as u64);
            [&numbers[..], &counted].concat()
        };
        // A reference holds addresses, where the other style has an index.
        let slack = if name == "references_view" { 2 } else { 0 };
        let is_as_good = counts(&view).iter().zip(counts(&inline)).all(|(new, old)| *new <= old)
            && view.instructions <= inline.instructions + slack;
        ensure!(is_as_good, "{inline:#?}\n{view:#?}");
    }
    Ok(())
}

/// nvcc does not believe `__restrict__` of a view beside stores through another one, or through a pointer that has none.
#[test]
fn read_only_loads_stay() -> Result<()> {
    let heads = [
        (
            "const A *__restrict__ a, B *__restrict__ b",
            "AConstRestrictView a, BTile32 *__restrict__ b",
        ),
        ("A *__restrict__ a, B *__restrict__ b", "ARestrictView a, BTile32 *__restrict__ b"),
        ("const A *__restrict__ a, B *b", "const ATile32 *__restrict__ a, BView b"),
        ("const A *a, B *b", "AConstView a, BView b"),
    ];
    let nvcc = Nvcc::find()?;
    for (before, after) in heads {
        let source = format!(
            "struct A {{ float x, y, z, w, q; }};\nstruct B {{ float u, v, t; }};\n\
             __global__ void k({before}, int n)\n{{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
             float s = 0;\n    for (int j = 0; j < n; ++j) s += a[j].x * a[i].y + a[j].z;\n    \
             b[i].u = s;\n    b[i].v = a[i].z;\n}}\n\
             int main()\n{{\n    A *a;\n    B *b;\n    cudaMalloc(&a, 64 * sizeof(A));\n    \
             cudaMalloc(&b, 64 * sizeof(B));\n    k<<<1, 64>>>(a, b, 64);\n}}\n"
        );
        let sandbox = Sandbox::with(&[("in.cu", &source)])?;
        sandbox.accepted(&[&["transform", "in.cu", "-o", "out.cu"], &VIEWS[..]].concat())?;
        let out = sandbox.text("out.cu")?;
        ensure!(out.contains(&format!("void k({after}, int n)")), "{before}:\n{out}");
        let mut loads = Vec::new();
        for file in ["in.cu", "out.cu"] {
            let cubin = sandbox.path().join("out.cubin");
            nvcc.compile_cubin(&sandbox.path().join(file), &Flags::default(), ARCH, &cubin)?;
            let kernels = nvcc.kernels(&cubin)?;
            let own = kernels.iter().find(|kernel| kernel.is_named("k")).context("it is there")?;
            loads.push((own.read_only_loads, own.loads()));
            fs::remove_file(cubin)?;
        }
        let is_same = loads[0] == loads[1] && (loads[0].0 > 0) == before.contains("__restrict__");
        ensure!(is_same, "{before}: {loads:?}");
    }
    Ok(())
}
