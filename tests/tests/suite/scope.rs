//! Which files are the program's: those below its root, and those that are named.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::sandbox::{PARTICLES, Sandbox};
use serde_json::{Value, json};

const SOA: [&str; 2] = ["--layout", "* = soa"];

/// A struct and what a library may have beside it.
const HEADER: &str = r#"#pragma once
namespace sim {
struct Particle { float x, y, z, m; };
inline int unused(int a) { if (a) { a = 1; } return a; }
constexpr int COUNT = 64;
}
#define SCALE(a) ((a) * 2.0f)
#define CHECK(call) do { if ((call) != cudaSuccess) return 1; } while (0)
"#;

const MAIN: &str = r#"#include <cuda_runtime.h>
#include <particle.h>
using namespace sim;
__global__ void move(Particle *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += SCALE(p[i].y);
}
int main() {
  Particle *d;
  CHECK(cudaMalloc(&d, COUNT * sizeof(Particle)));
  move<<<1, 64>>>(d, COUNT);
  cudaFree(d);
}
"#;

/// A struct of the program with types, constants and macros of a library.
const BODIES: &str = r#"#include <cuda_runtime.h>
#include <lib.h>
struct Body { real x, y; Pair<float> v; int mode; };
// MORE
__global__ void move(Body *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { b[i].mode = FAST; b[i].v.x += b[i].y; }
}
int main() {
  Body *d;
  handle_t h = nullptr;
  CHECK(cudaMalloc(&d, 64 * sizeof(Body)));
  move<<<1, 64>>>(d, 64);
  cudaFree(d);
}
"#;

/// A library: text that nobody may be told about, and what the program above uses.
const LIBRARY: &str = r#"#pragma once
#include <unknown/thing.h>
#include "not_there.h"
#if LIB_BROKEN(
#endif
typedef float real;
template <class T> struct Pair {
  T x, y;
  __host__ __device__ void add(const Pair &o) { x += o.x; y += o.y; }
};
typedef struct opaque_handle *handle_t;
enum Mode { FAST = 1, SLOW };
LIB_ODD(struct) never parsed (] here;
static inline void dump(void *p) { (void)p; }
#define CHECK(call) do { if ((call) != cudaSuccess) { lib_fail(__LINE__); } } while (0)
#define GET_X(p, i) (p)[i].x
void lib_fail(int line);
void lib_use(void *data, int n);
#endif
"#;

fn with_soa<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &SOA[..]].concat()
}

/// What became of the program: the files of the report that are the program's, and what was said.
fn report(sandbox: &Sandbox, arguments: &[&str]) -> Result<(Value, String)> {
    let arguments = with_soa(&[arguments, &["--report", "r.json"]].concat());
    let outcome = sandbox.accepted(&arguments)?;
    Ok((serde_json::from_slice(&sandbox.read("r.json")?)?, outcome.stderr))
}

/// All files, without the folders.
fn files(sandbox: &Sandbox) -> Result<Vec<PathBuf>> {
    let found = sandbox.contents()?.into_iter();
    Ok(found.filter(|(_, text)| text.is_some()).map(|(path, _)| path).collect())
}

/// The last line of what was said.
fn ending(stderr: &str) -> &str {
    stderr.lines().last().unwrap_or("")
}

#[test]
fn a_header_outside_of_the_root_stays_and_the_reason_names_it() -> Result<()> {
    let sandbox = Sandbox::with(&[("src/main.cu", MAIN), ("include/particle.h", HEADER)])?;
    let base = ["transform", "src/main.cu", "-I", "include", "--out-dir", "out"];
    let (found, stderr) = report(&sandbox, &base)?;
    ensure!(found["classes"][0]["reasons"][0]["code"] == "LC0076", "{found:#}");
    ensure!(stderr.contains("`include/particle.h`") && stderr.contains("`--root`"), "{stderr}");
    ensure!(ending(&stderr) == "0 of 1 array changes; 1 stays: LC0076 (`src/main.cu:2`)");
    ensure!(found["program"] == json!(["src/main.cu"]), "{found:#}");
    let files = json!([
        {"path": "src/main.cu", "changed": false, "ours": true},
        {"path": "include/particle.h", "changed": false, "ours": false},
    ]);
    ensure!(found["files"] == files, "{found:#}");
    ensure!(sandbox.text("out/main.cu").is_err() && !sandbox.path().join("out/include").exists());
    ensure!(sandbox.text("out/src/main.cu")? == MAIN);
    // With the root around both it changes.
    let (found, stderr) = report(&sandbox, &[&base[..], &["--root", "."]].concat())?;
    ensure!(found["classes"][0]["status"] == "changed", "{found:#}");
    ensure!(ending(&stderr) == "1 of 1 array changes", "{stderr}");
    ensure!(sandbox.text("out/include/particle.h")? != HEADER);
    // Several roots, and a file that is named.
    report(&sandbox, &[&base[..], &["--root", "src", "--root", "include"]].concat())?;
    ensure!(sandbox.text("out/include/particle.h")? != HEADER);
    sandbox.rejected(&[&base[..], &["--root", "nowhere"]].concat(), &["nowhere", "LC0001"])?;
    Ok(())
}

#[test]
fn headers_in_quotes_belong_to_the_program_unless_there_is_a_root() -> Result<()> {
    let main = MAIN.replace("<particle.h>", "\"particle.h\"");
    let sandbox = Sandbox::with(&[("src/main.cu", main.as_str()), ("include/particle.h", HEADER)])?;
    let base = ["transform", "src/main.cu", "-I", "include", "--out-dir", "out"];
    let (found, _) = report(&sandbox, &base)?;
    ensure!(found["program"] == json!(["src/main.cu", "include/particle.h"]), "{found:#}");
    ensure!(sandbox.text("out/include/particle.h")? != HEADER);
    let (found, stderr) = report(&sandbox, &[&base[..], &["--root", "src"]].concat())?;
    ensure!(found["program"] == json!(["src/main.cu"]), "{found:#}");
    ensure!(stderr.contains("LC0076"), "{stderr}");
    Ok(())
}

#[test]
fn a_library_is_read_for_what_the_program_uses() -> Result<()> {
    for options in [&["-I", "lib"][..], &["-isystem", "src/lib"], &["--isystem=src/lib"]] {
        let sandbox = Sandbox::with(&[
            ("src/main.cu", BODIES),
            ("lib/lib.h", LIBRARY),
            ("src/lib/lib.h", LIBRARY),
            ("lib/not_there.h", "#pragma once\nnot parsed (];\n"),
            ("src/lib/not_there.h", "#pragma once\nnot parsed (];\n"),
        ])?;
        let arguments = [&["transform", "src/main.cu", "--out-dir", "out"], options].concat();
        let (found, stderr) = report(&sandbox, &arguments)?;
        // Members of the library's struct are members of the program's.
        ensure!(found["classes"][0]["status"] == "changed", "{found:#}");
        // Between them stands what the kernel gains, in one line.
        let lines: Vec<&str> = stderr.lines().collect();
        ensure!(lines.len() == 3 && lines[1].starts_with("  move: "), "{stderr}");
        ensure!(lines[0] == "changed: Body (b, d) to soa", "{stderr}");
        ensure!(lines[2] == "1 of 1 array changes", "{stderr}");
        ensure!(sandbox.text("out/src/main.cu").or(sandbox.text("out/main.cu"))?.contains("v_x"));
        ensure!(!sandbox.contents()?.keys().any(|path| path.starts_with("out/src/lib")));
        ensure!(!sandbox.path().join("out/lib").exists());
    }
    Ok(())
}

#[test]
fn a_library_that_has_the_struct_or_its_name_keeps_the_array() -> Result<()> {
    for (place, text, code, expected) in [
        // Its function is given the array.
        ("cudaFree(d);", "lib_use(d, 64);", "LC0010", "lib_use"),
        // Its macro would have to change.
        ("b[i].mode = FAST;", "GET_X(b, i) = 1;", "LC0076", "lib.h"),
        // It comes behind the struct and names it.
        ("// MORE", "#include <names.h>", "LC0076", "names.h"),
        // Or by a macro of the program.
        ("// MORE", "#define ELEMENT Body\n#include <element.h>", "LC0076", "element.h"),
        ("// MORE", "#define BO Bo\n#include <paste.h>", "LC0076", "paste.h"),
        (
            "// MORE",
            "#define BO(a) a\n#define JOIN(a, b) a##b\n#include <join.h>",
            "LC0076",
            "join.h",
        ),
    ] {
        let sandbox = Sandbox::with(&[
            ("src/main.cu", BODIES.replace(place, text).as_str()),
            ("lib/lib.h", LIBRARY),
            ("lib/names.h", "struct Holder { int Body; };\n"),
            ("lib/element.h", "inline float peek(const ELEMENT *p) { return p->x; }\n"),
            (
                "lib/paste.h",
                "#define CAT2(a, b) a##b\n#define CAT(a, b) CAT2(a, b)\n\
                 inline float peek(const CAT(BO, dy) *p) { return p->x; }\n",
            ),
            ("lib/join.h", "inline float peek(const JOIN(Bo, dy) *p) { return p->x; }\n"),
        ])?;
        let arguments = ["transform", "src/main.cu", "-I", "lib", "--diff"];
        let (found, stderr) = report(&sandbox, &arguments)?;
        ensure!(found["classes"][0]["status"] == "kept", "{text}: {found:#}");
        ensure!(stderr.contains(code) && stderr.contains(expected), "{text}: {stderr}");
    }
    Ok(())
}

#[test]
fn a_library_that_pastes_other_words_names_nothing() -> Result<()> {
    let text =
        "#define snprintf _snprintf\n#define LEAST(Bo, b) (Bo < b ? Bo : b)\n#include <paste.h>";
    let main = BODIES.replace("// MORE", text);
    let paste = "#define CAT(a, b) a##b\n\
        inline int CAT(pe, ek)(char *p) { return LEAST(snprintf(p, 1, \"\"), 1); }\n";
    let sandbox = Sandbox::with(&[
        ("src/main.cu", main.as_str()),
        ("lib/lib.h", LIBRARY),
        ("lib/paste.h", paste),
    ])?;
    let (found, _) = report(&sandbox, &["transform", "src/main.cu", "-I", "lib", "--diff"])?;
    ensure!(found["classes"][0]["status"] == "changed", "{found:#}");
    Ok(())
}

#[test]
fn a_library_that_comes_first_may_have_the_name() -> Result<()> {
    let main = BODIES.replace("#include <lib.h>", "#include <lib.h>\n#include <names.h>");
    let sandbox = Sandbox::with(&[
        ("src/main.cu", main.as_str()),
        ("lib/lib.h", LIBRARY),
        ("lib/names.h", "struct Holder { int Body; };\n"),
    ])?;
    let (found, _) = report(&sandbox, &["transform", "src/main.cu", "-I", "lib", "--diff"])?;
    ensure!(found["classes"][0]["status"] == "changed", "{found:#}");
    Ok(())
}

#[test]
fn what_a_library_includes_of_the_program_stays_the_programs() -> Result<()> {
    // The library includes the program's header, and knows its struct from then on.
    let shared = "#pragma once\nstruct Body { float x, y; };\n#define FACTOR 3\n";
    let main = "#include <cuda_runtime.h>\n#include <engine.h>\n\
        __global__ void move(Body *b) { b[threadIdx.x].x += FACTOR * b[threadIdx.x].y; }\n\
        int main() { Body *d; cudaMalloc(&d, 64 * sizeof(Body)); move<<<1, 64>>>(d); cudaFree(d); }\n";
    for (engine, status) in [
        ("#include <body.h>\ninline int engine() { return FACTOR; }\n", "changed"),
        ("#include <body.h>\ninline float peek(Body *b) { return b->x; }\n", "kept"),
    ] {
        let sandbox = Sandbox::with(&[
            ("src/main.cu", main),
            ("src/body.h", shared),
            ("lib/engine.h", engine),
        ])?;
        let options = ["transform", "src/main.cu", "-I", "lib", "-I", "src", "--out-dir", "out"];
        let (found, _) = report(&sandbox, &options)?;
        ensure!(found["classes"][0]["status"] == status, "{engine}: {found:#}");
        ensure!(found["program"] == json!(["src/main.cu", "src/body.h"]), "{found:#}");
        let is_changed = sandbox.text("out/src/body.h")? != shared;
        ensure!(is_changed == (status == "changed"));
    }
    Ok(())
}

/// A toolkit with thousands of structs, kernels and functions.
fn made_up_toolkit() -> String {
    let one = |at: usize| {
        format!(
            "struct Kit{at} {{ float x, y; }};\n__global__ void kit{at}(Kit{at} *p) {{ p[threadIdx.x].x += p[0].y; }}\n\
             inline void run{at}(void *q) {{ Kit{at} *d; cudaMalloc(&d, 64 * sizeof(Kit{at})); kit{at}<<<1, 64>>>(d); }}\n"
        )
    };
    (0..3000).map(one).collect()
}

#[test]
fn a_toolkit_changes_nothing() -> Result<()> {
    let kit = made_up_toolkit();
    let own = Nvcc::find().ok().map(|nvcc| toolkit_of(&nvcc)).transpose()?;
    let main = format!("#include <cuda_runtime.h>\n#include \"curand_kernel.h\"\n{PARTICLES}");
    let sandbox = Sandbox::with(&[
        ("main.cu", main.as_str()),
        ("kit/cuda_runtime.h", kit.as_str()),
        ("kit/curand_kernel.h", kit.as_str()),
    ])?;
    let entry = |flags: &str| json!([{"directory": sandbox.path(), "file": "main.cu", "command": format!("nvcc {flags} -c main.cu")}]);
    let plain = sandbox.accepted(&with_soa(&[
        "transform",
        "main.cu",
        "--helpers",
        "inline",
        "--out-dir",
        "plain",
    ]))?;
    let mut folders = vec![sandbox.path().join("kit")];
    folders.extend(own);
    for (number, folder) in folders.iter().enumerate() {
        let folder = folder.display().to_string();
        let flags = [
            format!("-I{folder}"),
            format!("-isystem {folder}"),
            format!("-I {folder} -isystem {folder}"),
        ];
        let mut runs = vec![vec!["main.cu", "-I", &folder], vec!["main.cu", "-isystem", &folder]];
        runs.extend(flags.iter().map(|_| vec!["--project", "."]));
        for (run, arguments) in runs.iter().enumerate() {
            if let Some(flags) = run.checked_sub(2).map(|at| &flags[at]) {
                sandbox.write("compile_commands.json", serde_json::to_vec(&entry(flags))?)?;
            }
            let out = format!("out{number}{run}");
            let arguments =
                [&["transform"], &arguments[..], &["--helpers", "inline", "--out-dir", &out]]
                    .concat();
            let outcome = Layoutc::built()?.run(
                sandbox.path(),
                Duration::from_secs(10),
                with_soa(&arguments),
            )?;
            ensure!(outcome.succeeded(), "{arguments:?}: {}", outcome.stderr);
            ensure!(outcome.stderr == plain.stderr, "{arguments:?}: {}", outcome.stderr);
            let written: Vec<PathBuf> =
                files(&sandbox)?.into_iter().filter(|path| path.starts_with(&out)).collect();
            ensure!(written == [PathBuf::from(&out).join("main.cu")], "{written:?}");
            ensure!(sandbox.text(&format!("{out}/main.cu"))? == sandbox.text("plain/main.cu")?);
        }
    }
    Ok(())
}

/// The include folder of the toolkit that a compiler comes from.
fn toolkit_of(nvcc: &Nvcc) -> Result<PathBuf> {
    let bin =
        nvcc.program().parent().and_then(|bin| bin.parent()).context("nvcc lies in a folder")?;
    Ok(bin.join("include"))
}

#[test]
fn headers_that_were_not_found_are_said_even_if_nothing_else_is() -> Result<()> {
    let text = "#include \"gone.h\"\n#include <gone/too.h>\n#include <cstdio>\nint main() { }\n";
    let sandbox = Sandbox::with(&[("main.cu", text)])?;
    let arguments = ["transform", "main.cu", "--missing-headers", "opaque", "--check"];
    let outcome = sandbox.accepted(&arguments)?;
    let expected = "2 headers were not found and may use the arrays: `gone.h` (`main.cu:1`), `gone/too.h` (`main.cu:2`)\n\
        no array of structs in device memory was found\n";
    ensure!(outcome.stderr == expected, "{}", outcome.stderr);
    Ok(())
}

#[test]
fn the_last_line_counts() -> Result<()> {
    let two = "struct P { float x, y; };\nstruct Q { float x, y; };\nvoid gone(Q *q);\n\
        __global__ void k(P *p, Q *q) { p[threadIdx.x].x = q[threadIdx.x].y; }\n\
        int main() {\n  P *p; Q *q;\n  cudaMalloc(&p, 64 * sizeof(P));\n  cudaMalloc(&q, 64 * sizeof(Q));\n\
        \n  k<<<1, 64>>>(p, q);\n  gone(q);\n}\n";
    let unknown = "#include <cstdio>\n__global__ void k(Gone *p, int n) { p[n].x = 1; }\n";
    let sandbox = Sandbox::with(&[("two.cu", two), ("unknown.cu", unknown)])?;
    let said = "1 of 2 arrays change; 1 stays: LC0010 (`two.cu:11`)";
    for mode in [&["--diff"][..], &["-o", "out.cu"], &["--out-dir", "out"]] {
        let arguments = with_soa(&[&["transform", "two.cu"], mode].concat());
        let stderr = sandbox.accepted(&arguments)?.stderr;
        ensure!(ending(&stderr) == said, "{stderr}");
    }
    let check = sandbox.layoutc(&with_soa(&["transform", "two.cu", "--check"]))?;
    ensure!(ending(&check.stderr) == said.replace("change;", "would change;"), "{}", check.stderr);
    let outcome = sandbox.accepted(&["transform", "unknown.cu", "--check"])?;
    ensure!(ending(&outcome.stderr).contains("`p` (`unknown.cu:2`)"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn a_project_in_several_folders() -> Result<()> {
    // The database lies in a folder of its own; each part has its headers beside it.
    let kernels = "#include \"../parts/particle.h\"\n__global__ void move(Particle *p) { p[threadIdx.x].x += p[threadIdx.x].y; }\n\
        void launch(Particle *p) { move<<<1, 64>>>(p); }\n";
    let main = "#include <particle.h>\n#include <lib.h>\nvoid launch(Particle *p);\n\
        int main() { Particle *d; cudaMalloc(&d, 64 * sizeof(Particle)); launch(d); cudaFree(d); }\n";
    let header = "#pragma once\nstruct Particle { float x, y; };\n";
    let sandbox = Sandbox::with(&[
        ("p/app/main.cu", main),
        ("p/gpu/kernels.cu", kernels),
        ("p/parts/particle.h", header),
        ("elsewhere/lib.h", LIBRARY),
    ])?;
    let build = sandbox.path().join("p/build/release");
    let lib = sandbox.path().join("elsewhere");
    let entry = |file: &str| {
        json!({"directory": build, "file": format!("../../{file}"),
            "command": format!("nvcc -I../../parts -isystem {} -c ../../{file}", lib.display())})
    };
    let database = json!([entry("app/main.cu"), entry("gpu/kernels.cu")]);
    sandbox.write("p/build/release/compile_commands.json", serde_json::to_vec(&database)?)?;
    let arguments = ["transform", "--project", "p/build/release", "--out-dir", "out"];
    let (found, stderr) = report(&sandbox, &arguments)?;
    ensure!(found["classes"][0]["status"] == "changed", "{found:#}");
    ensure!(ending(&stderr) == "1 of 1 array changes", "{stderr}");
    let written = files(&sandbox)?.into_iter().filter(|path| path.starts_with("out")).count();
    // The files, and a header of generated text.
    ensure!(written == 4, "{:?}", sandbox.contents()?.keys());
    // A root that is given goes before the database's folder.
    let (found, _) = report(&sandbox, &[&arguments[..], &["--root", "p/app"]].concat())?;
    ensure!(found["classes"][0]["reasons"][0]["code"] == "LC0076", "{found:#}");
    ensure!(found["program"] == json!(["p/app/main.cu", "p/gpu/kernels.cu"]), "{found:#}");
    Ok(())
}

/// A program with a library of its own among its files.
const WITH_LIBRARY: &str = r#"#include <cuda_runtime.h>
#include "state.h"
#include <kit/kit.h>
__global__ void step(Body *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i].x += b[i].y * KIT_SCALE;
}
int main() {
  Body *d;
  cudaMalloc(&d, 64 * sizeof(Body));
  step<<<1, 64>>>(d, 64);
  cudaFree(d);
}
"#;

const STATE: &str = "#pragma once\nstruct Body { float x, y; };\n#define STATE_TYPE Body\n";

const KIT: &str = "#pragma once\n#define KIT_SCALE 2.0f\nKIT_ODD(struct) never parsed (] here;\n";

#[test]
fn libraries_that_a_program_brings_along_are_not_its_own() -> Result<()> {
    let naming = "#pragma once\n#define KIT_SCALE 2.0f\nstruct Shape { struct Body *next; };\n";
    let macros = "#pragma once\n#define KIT_SCALE 2.0f\ninline float peek(const STATE_TYPE *p) { return p->x; }\n";
    for (folder, text, status) in [
        ("external", KIT, "changed"),
        ("third_party/one", KIT, "changed"),
        // It has the name of the struct, or gets it by a macro of the program.
        ("external", naming, "kept"),
        ("external", macros, "kept"),
    ] {
        let header = format!("{folder}/kit/kit.h");
        let sandbox = Sandbox::with(&[
            ("src/main.cu", WITH_LIBRARY),
            ("src/state.h", STATE),
            ("tool.cu", "int tool() { return 0; }\n"),
            (header.as_str(), text),
        ])?;
        let base = ["transform", "src/main.cu", "tool.cu", "-I", folder, "--diff"];
        let (found, stderr) = report(&sandbox, &base)?;
        let class = &found["classes"][0];
        ensure!(class["status"] == status, "{text}: {found:#}");
        ensure!(status == "changed" || class["reasons"][0]["code"] == "LC0076", "{found:#}");
        ensure!(found["program"] == json!(["src/main.cu", "tool.cu", "src/state.h"]), "{found:#}");
        ensure!(!stderr.contains("parse"), "{stderr}");
        // A root says that it is the program's, as does a file of it that is named.
        let (found, _) = report(&sandbox, &[&base[..], &["--root", "."]].concat())?;
        let program = json!(["src/main.cu", "tool.cu", "src/state.h", header]);
        ensure!(found["program"] == program, "{found:#}");
        let own = format!("{folder}/kit/own.cu");
        sandbox.write(&own, "int own() { return 1; }\n")?;
        let (found, _) = report(&sandbox, &[&base[..], &[own.as_str()]].concat())?;
        let program = found["program"].as_array().context("a list")?;
        ensure!(program.contains(&json!(header)), "{found:#}");
    }
    Ok(())
}

#[test]
fn a_well_known_library_is_told_by_its_path() -> Result<()> {
    // Its struct cannot change, its own includes are its own, and a name that only ends alike is the program's.
    let main = WITH_LIBRARY.replace("<kit/kit.h>", "\"PLACE\"");
    let other = "#pragma once\n#include \"part.hpp\"\n";
    for (place, is_ours) in [("glm/glm.hpp", false), ("own/glmx/glm.hpp", true)] {
        let text = main.replace("PLACE", place);
        let part = format!("src/{}/part.hpp", place.trim_end_matches("/glm.hpp"));
        let header = format!("src/{place}");
        let sandbox = Sandbox::with(&[
            ("src/main.cu", text.as_str()),
            ("src/state.h", STATE),
            (header.as_str(), other),
            (part.as_str(), KIT),
        ])?;
        let (found, _) = report(&sandbox, &["transform", "src/main.cu", "--diff"])?;
        let program = found["program"].as_array().context("a list")?;
        ensure!(program.contains(&json!(header)) == is_ours, "{found:#}");
        ensure!(program.contains(&json!(part)) == is_ours, "{found:#}");
        ensure!(is_ours || found["classes"][0]["status"] == "changed", "{found:#}");
    }
    Ok(())
}

#[test]
fn a_well_known_library_in_its_folder_has_our_words_from_us_only() -> Result<()> {
    let naming = "#pragma once\n#define KIT_SCALE 2.0f\nstruct Shape { struct Body *next; };\n";
    let macros = format!("{naming}inline float peek(const STATE_TYPE *p) {{ return p->x; }}\n");
    for (place, text, status) in [
        ("external/include/tiny_gltf.h", naming, "changed"),
        ("external/include/tiny_gltf.h", macros.as_str(), "kept"),
        // Among the program's headers the name alone says so.
        ("include/tiny_gltf.h", naming, "kept"),
        // And so does the folder.
        ("external/include/kit_gltf.h", naming, "kept"),
    ] {
        let (folder, name) = place.rsplit_once('/').context("a folder")?;
        let main = WITH_LIBRARY.replace("kit/kit.h", name);
        let sandbox = Sandbox::with(&[
            ("src/main.cu", main.as_str()),
            ("src/state.h", STATE),
            ("tool.cu", "int tool() { return 0; }\n"),
            (place, text),
        ])?;
        let arguments = ["transform", "src/main.cu", "tool.cu", "-I", folder, "--diff"];
        let (found, stderr) = report(&sandbox, &arguments)?;
        ensure!(found["classes"][0]["status"] == status, "{place} {text}: {found:#} {stderr}");
        ensure!(stderr.contains("LC0076") == (status == "kept"), "{place} {text}: {stderr}");
    }
    Ok(())
}

#[test]
fn a_well_known_library_need_not_be_found() -> Result<()> {
    for (include, status) in [
        ("<Windows.h>", "changed"),
        ("<glm/glm.hpp>", "changed"),
        ("\"stb_image.h\"", "changed"),
        ("<unistd.h>", "changed"),
        // Perhaps a part of the program.
        ("<solver/glm.hpp>", "kept"),
        ("<cuda/kernels.h>", "kept"),
    ] {
        let main = WITH_LIBRARY.replace("<kit/kit.h>", include).replace("KIT_SCALE", "2");
        let sandbox = Sandbox::with(&[("main.cu", main.as_str()), ("state.h", STATE)])?;
        let (found, stderr) = report(&sandbox, &["transform", "main.cu", "--diff"])?;
        ensure!(found["classes"][0]["status"] == status, "{include}: {found:#}");
        ensure!(stderr.contains("not found") == (status == "kept"), "{include}: {stderr}");
    }
    for missing in ["\"glm.hpp\"", "\"helper_kernels.h\"", "\"cuda/kernels.h\"", "\"net/if.h\""] {
        let main = WITH_LIBRARY.replace("<kit/kit.h>", missing);
        let sandbox = Sandbox::with(&[("main.cu", main.as_str()), ("state.h", STATE)])?;
        sandbox.rejected(&with_soa(&["transform", "main.cu", "--check"]), &["LC0004"])?;
    }
    Ok(())
}

#[test]
fn a_library_that_is_not_read_has_what_macros_for_it_mention() -> Result<()> {
    for (setting, status) in [
        ("#define STBI_ASSERT(x)", "changed"),
        ("#define STBI_MALLOC(n) take<ITEM>(n)\n#define ITEM Body", "kept"),
        ("#define OTHER_MALLOC(n) take<Body>(n)", "changed"),
    ] {
        let include = format!("{setting}\n#include <stb_image.h>");
        let main = WITH_LIBRARY.replace("#include <kit/kit.h>", &include).replace("KIT_SCALE", "2");
        let sandbox = Sandbox::with(&[("main.cu", main.as_str()), ("state.h", STATE)])?;
        let (found, stderr) = report(&sandbox, &["transform", "main.cu", "--diff"])?;
        ensure!(found["classes"][0]["status"] == status, "{setting}: {found:#} {stderr}");
        let named = stderr.contains("LC0076") && stderr.contains("`stb_image.h`");
        ensure!(named == (status == "kept"), "{setting}: {stderr}");
    }
    Ok(())
}

#[test]
fn what_a_library_may_define_decides_no_branch() -> Result<()> {
    // A branch that is not compiled may use the type for what is its own.
    let branch = "#if BOOST_VERSION > 106000\n  show(sizeof(Body));\n#endif\n  cudaFree(d);";
    for (include, status) in [("<boost/version.hpp>", "kept"), ("<glm/glm.hpp>", "changed")] {
        let main = WITH_LIBRARY
            .replace("<kit/kit.h>", include)
            .replace("KIT_SCALE", "2")
            .replace("cudaFree(d);", branch)
            .replace("int main", "void show(int size);\nint main");
        let sandbox = Sandbox::with(&[("main.cu", main.as_str()), ("state.h", STATE)])?;
        let (found, _) = report(&sandbox, &["transform", "main.cu", "--diff"])?;
        ensure!(found["classes"][0]["status"] == status, "{include}: {found:#}");
    }
    Ok(())
}

#[test]
fn a_header_that_is_not_found_is_said_once() -> Result<()> {
    let main = "#include \"state.h\"\n#include <gone/too.h>\nstruct Cell { float u, v; };\n\
        __global__ void k(Body *b, Other *o, Cell *c) { b[threadIdx.x].x = o[threadIdx.x].x + c[threadIdx.x].v; }\n\
        int main() {\n  Body *b;\n  Other *o;\n  Cell *c;\n  cudaMalloc(&b, 64 * sizeof(Body));\n  cudaMalloc(&o, 64 * sizeof(Other));\n\
        \n  cudaMalloc(&c, 64 * sizeof(Cell));\n  k<<<1, 64>>>(b, o, c);\n}\n";
    let state = format!("{STATE}struct Other {{ float x, y; }};\n");
    let sandbox = Sandbox::with(&[("main.cu", main), ("state.h", state.as_str())])?;
    let (found, stderr) = report(&sandbox, &["transform", "main.cu", "--diff"])?;
    ensure!(stderr.matches("LC0004]").count() == 1, "{stderr}");
    ensure!(stderr.contains("2 arrays of `Body` and `Other` keep the layout"), "{stderr}");
    let status: Vec<&Value> = (0..3).map(|at| &found["classes"][at]["status"]).collect();
    ensure!(status == ["kept", "kept", "changed"], "{found:#}");
    Ok(())
}
