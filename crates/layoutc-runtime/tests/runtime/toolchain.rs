//! Programs of several files and what goes wrong in building.

use crate::support::{request, run_sources, source};
use layoutc_runtime::process::{RunRequest, RunStatus, run};
use layoutc_runtime::program::{SourceText, allocation_sites, read_program};
use layoutc_runtime::toolchain::{BuildError, BuildRequest, build};
use std::time::Duration;

#[test]
fn kernels_in_headers_and_files_of_three_languages() {
    let header = SourceText {
        is_root: false,
        ..source(
            "inc/k.cuh",
            "#pragma once\n#include <cstdio>\n__device__ int twice(int x) { return 2 * x; }\n__global__ void k(int *p) { *p = twice(*p); }\ninline void go(int *p) { k<<<1, 1>>>(p); }\n",
        )
    };
    let main = source(
        "src/main.cu",
        "#include \"../inc/k.cuh\"\nextern \"C\" int c_part(void);\nvoid other(int *p);\nint main() { int *p, h = c_part(); cudaMalloc(&p, 4); cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice); go(p); other(p); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); printf(\"%d\\n\", h); }\n",
    );
    let other = source(
        "src/other.cu",
        "#include \"../inc/k.cuh\"\nvoid other(int *p) { k<<<1, 1>>>(p); }\n",
    );
    let c = source("src/part.c", "int c_part(void) { int new = 21; return new; }\n");
    let result = run_sources(vec![main, other, header, c]);
    assert_eq!(String::from_utf8_lossy(&result.stdout), "84\n");
}

#[test]
fn files_of_plain_cpp_see_what_their_compiler_sees() {
    let header = SourceText {
        is_root: false,
        ..source(
            "p.h",
            "#pragma once\n#ifdef __CUDACC__\n#define WHO 1\n#else\n#define WHO 2\n#endif\n__host__ __device__ inline int twice(int x) { return 2 * x; }\nint of_cuda();\n",
        )
    };
    let cuda = source("k.cu", "#include \"p.h\"\nint of_cuda() { return twice(WHO); }\n");
    let host = source(
        "main.cpp",
        "#include <cuda_runtime.h>\n#include \"p.h\"\n#include <cstdio>\n#ifdef __NVCC__\n#error\n#endif\nint main() { printf(\"%d %d\\n\", of_cuda(), twice(WHO)); }\n",
    );
    let result = run_sources(vec![cuda, host, header]);
    assert_eq!(String::from_utf8_lossy(&result.stdout), "2 4\n");
}

#[test]
fn a_program_is_read_with_the_headers_it_reaches() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    std::fs::create_dir(folder.path().join("inc")).expect("a folder");
    write(
        "main.cu",
        "#include \"kernel.cu\"\n#include <deep.h>\n#include <vector>\n#include \"absent.h\"\n",
    );
    write("kernel.cu", "int x;\n");
    write("inc/deep.h", "#include \"main.h\"\n");
    write("inc/main.h", "#include \"deep.h\"\n");
    let files = [folder.path().join("main.cu"), folder.path().join("kernel.cu")];
    let sources = read_program(&files, &[folder.path().join("inc")]).expect("all files are there");
    let found: Vec<_> = sources
        .iter()
        .map(|s| (s.path.file_name().and_then(|n| n.to_str()).unwrap_or(""), s.is_root))
        .collect();
    assert_eq!(
        found,
        [("main.cu", true), ("kernel.cu", false), ("deep.h", false), ("main.h", false)]
    );
}

#[test]
fn allocation_calls_are_numbered_over_all_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let main = source(
        "a.cu",
        "void f(int **); int main() { int *p; cudaMalloc(&p, 4); f(&p); cudaMalloc(&p, 4); }\n",
    );
    let other = source("b.cu", "void f(int **p) { cudaMallocManaged(p, 4); }\n");
    let wanted = request(vec![main, other], folder.path());
    let sites = allocation_sites(&wanted.sources);
    let found: Vec<_> = sites.iter().map(|s| (s.id.0, s.path.to_str(), s.offset)).collect();
    assert_eq!(found, [(0, Some("a.cu"), 37), (1, Some("a.cu"), 63), (2, Some("b.cu"), 18)]);
    let built = build(&wanted).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(built.sites, sites);
}

#[test]
fn compiler_messages_name_the_program_s_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let error = build(&request(
        vec![source("bad.cu", "int main() { return\n  no_such_name; }\n")],
        folder.path(),
    ))
    .expect_err("does not compile");
    let BuildError::Compile { file, messages } = error else { panic!("{error}") };
    assert_eq!(file.to_str(), Some("bad.cu"));
    assert!(
        messages.contains("bad.cu:2:3: error") && messages.contains("no_such_name"),
        "{messages}"
    );
    assert!(!messages.contains(&*folder.path().to_string_lossy()), "{messages}");
}

#[test]
fn missing_parts_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let unlinked =
        build(&request(vec![source("a.cu", "void f(); int main() { f(); }\n")], folder.path()));
    assert!(matches!(unlinked, Err(BuildError::Link { messages }) if messages.contains("f()")));
    assert!(matches!(build(&request(Vec::new(), folder.path())), Err(BuildError::NoRoots)));
    let mut no_compiler =
        BuildRequest::new(vec![source("a.cu", "int main() {}\n")], folder.path().to_path_buf());
    no_compiler.compiler = "no-such-compiler".to_owned();
    assert!(matches!(build(&no_compiler), Err(BuildError::NoCompiler { .. })));
}

#[test]
fn defines_arguments_input_and_time_limit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "#include <cstdio>\n#include <cstring>\nint main(int n, char **a) { char s[9] = \"\"; scanf(\"%8s\", s); printf(\"%d %s %s\\n\", VALUE, a[1], s); while (!strcmp(a[1], \"hang\")); return 3; }\n";
    let mut wanted = request(vec![source("a.cu", text)], folder.path());
    wanted.defines = vec!["VALUE=12".to_owned()];
    let built = build(&wanted).unwrap_or_else(|error| panic!("{error}"));
    let mut launch = RunRequest::new(vec!["word".into()]);
    launch.stdin = b"in".to_vec();
    let result = run(&built.executable, &launch).expect("it starts");
    assert_eq!(
        (result.stdout.as_slice(), result.status),
        (&b"12 word in\n"[..], RunStatus::Exited(3))
    );
    launch.args = vec!["hang".into()];
    launch.timeout = Duration::from_millis(200);
    assert_eq!(run(&built.executable, &launch).expect("it starts").status, RunStatus::TimedOut);
}
