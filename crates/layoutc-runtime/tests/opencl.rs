//! OpenCL programs: building in a mirror, what is missing, accesses outside of buffers, and comparison.

use layoutc_runtime::opencl::{
    Compilers, OpenCl, OpenClError, OpenClPart, OpenClRequest, OpenClVerifyRequest, verify,
};
use layoutc_runtime::process::{RunRequest, RunResult, RunStatus};
use layoutc_runtime::program::{SourceText, read_program};
use layoutc_runtime::verify::{Difference, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HOST: &str = r#"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include "size.h"
int main(int argc, char **argv) {
    int at = argc > 1 ? atoi(argv[1]) : 0, numbers[SIZE], factor = 0;
    char text[2000] = "";
    const char *source = text;
    FILE *file = fopen("kernels/k.cl", "r");
    if (!file || !fread(text, 1, sizeof text - 1, file)) return 2;
    fclose(file);
    file = fopen("../data.txt", "r");
    if (!file || fscanf(file, "%d", &factor) != 1) return 3;
    fclose(file);
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    if (clBuildProgram(program, 1, &device, "-I.", NULL, NULL)) return 4;
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &err);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL);
    printf("fresh %x\n", numbers[SIZE - 1]);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof factor, &factor);
    clSetKernelArg(kernel, 2, sizeof at, &at);
    size_t items = SIZE;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL);
    printf("last %d\n", numbers[SIZE - 1]);
    clReleaseMemObject(buffer);
    return 0;
}
"#;

const KERNEL: &str = "#include \"size.h\"\n\
    __kernel void k(__global int *p, int factor, int at) {\n\
    int i = get_global_id(0);\n  if (i < SIZE) p[i] = i * factor;\n\
    if (i == 0 && at != 0) p[at] = 1;\n}\n";

fn opencl() -> OpenCl {
    OpenCl::find(&Compilers::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// A program in `code/`, beside a file of data.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Case {
        let case = Case { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir_all(case.code().join("kernels")).expect("folders");
        for (name, text) in
            [("main.c", HOST), ("size.h", "#define SIZE 100\n"), ("kernels/k.cl", KERNEL)]
        {
            fs::write(case.code().join(name), text).expect("a file");
        }
        fs::write(case.folder.path().join("data.txt"), "3\n").expect("a file");
        case
    }

    fn code(&self) -> PathBuf {
        self.folder.path().join("code")
    }

    fn sources(&self) -> Vec<SourceText> {
        let files = ["main.c", "kernels/k.cl"].map(|name| self.code().join(name));
        read_program(&files, &[self.code()]).expect("the files")
    }

    fn request(&self, sources: Vec<SourceText>, out: &str) -> OpenClRequest {
        OpenClRequest {
            sources,
            folder: self.code(),
            include_dirs: vec![self.code()],
            defines: Vec::new(),
            out_dir: self.folder.path().join(out),
            cache_dir: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("opencl-kernels")),
            is_recorded: false,
            is_traced: false,
        }
    }

    fn run(&self, sources: Vec<SourceText>, args: &[&str]) -> RunResult {
        let built =
            opencl().build(&self.request(sources, "out")).unwrap_or_else(|error| panic!("{error}"));
        built.run(&run_with(args)).expect("the program starts")
    }
}

fn run_with(args: &[&str]) -> RunRequest {
    RunRequest::new(args.iter().map(Into::into).collect())
}

fn replaced(mut sources: Vec<SourceText>, name: &str, from: &str, to: &str) -> Vec<SourceText> {
    let source = sources.iter_mut().find(|s| s.path.ends_with(name)).expect("the file");
    assert!(source.text.contains(from), "no {from} in {name}");
    source.text = source.text.replace(from, to);
    sources
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[test]
fn texts_replace_files_and_data_stays_where_it_is() {
    let case = Case::new();
    let result = case.run(case.sources(), &[]);
    assert_eq!(text(&result.stdout), "fresh a5a5a5a5\nlast 297\n", "{result:?}");
    let other = replaced(case.sources(), "size.h", "100", "11");
    let other = replaced(other, "k.cl", "i * factor", "i + factor");
    let result = case.run(other, &[]);
    assert_eq!(text(&result.stdout), "fresh a5a5a5a5\nlast 13\n", "{result:?}");
    let kept = fs::read_to_string(case.code().join("kernels/k.cl")).expect("the file");
    assert_eq!(kept, KERNEL);
}

#[test]
fn writes_outside_of_buffers_are_reported() {
    let case = Case::new();
    for (at, place) in [("100", "behind"), ("111", "behind"), ("-1", "before")] {
        let result = case.run(case.sources(), &[at]);
        assert_eq!(result.status, RunStatus::Exited(97), "{at}: {result:?}");
        let message = format!("layoutc: a kernel writes {place} buffer 1 (400 bytes)\n");
        assert!(text(&result.stderr).ends_with(&message), "{result:?}");
    }
    let result = case.run(case.sources(), &["128"]);
    assert!(matches!(result.status, RunStatus::Signalled(_)), "{result:?}");
}

#[test]
fn what_is_compared() {
    let case = Case::new();
    let before = case.request(case.sources(), "before");
    let compare = |after: Vec<SourceText>, args: &[&str]| {
        let after = case.request(after, "after");
        let run = run_with(args);
        let request = OpenClVerifyRequest { before: &before, after: &after, run: &run };
        verify(&opencl(), &request).unwrap_or_else(|error| panic!("{error}"))
    };
    let same = compare(replaced(case.sources(), "k.cl", "i * factor", "factor * i"), &[]);
    assert_eq!((same.verdict, same.launches), (Verdict::Same, 1), "{same:?}");

    let other = compare(replaced(case.sources(), "k.cl", "i * factor", "i + factor"), &[]);
    assert_eq!(other.verdict, Verdict::Different);
    let line = Difference::Stdout { line: 2, before: "last 297".into(), after: "last 102".into() };
    assert_eq!(other.differences, [line]);

    let outside = compare(replaced(case.sources(), "k.cl", "p[i] =", "p[i + 1] ="), &[]);
    let status = Difference::Status { before: RunStatus::Exited(0), after: RunStatus::Exited(97) };
    assert_eq!(outside.differences.first(), Some(&status), "{outside:?}");

    let unusable = compare(case.sources(), &["100"]);
    assert_eq!(unusable.verdict, Verdict::Inconclusive);
}

#[test]
fn errors_name_the_file() {
    let case = Case::new();
    let broken = replaced(case.sources(), "main.c", "return 0;", "return nothing;");
    let error = opencl().build(&case.request(broken, "out")).expect_err("an error");
    let OpenClError::Compile { file, messages } = &error else { panic!("{error}") };
    assert_eq!(*file, case.code().join("main.c"));
    let place = format!("{}:", case.code().join("main.c").display());
    assert!(messages.starts_with(&place), "{messages}");

    let undefined = replaced(case.sources(), "main.c", "return 0;", "return elsewhere();");
    let error = opencl().build(&case.request(undefined, "out")).expect_err("an error");
    assert!(matches!(&error, OpenClError::Link { messages } if messages.contains("elsewhere")));

    let kernels: Vec<SourceText> =
        case.sources().into_iter().filter(|s| !s.path.ends_with("main.c")).collect();
    let error = opencl().build(&case.request(kernels, "out")).expect_err("an error");
    assert!(matches!(error, OpenClError::NoRoots), "{error}");
}

#[test]
fn older_cpp_compiles_too() {
    let case = Case::new();
    let renamed = |to: &str| {
        let mut sources = case.sources();
        let main = sources.iter_mut().find(|s| s.path.ends_with("main.c")).expect("the file");
        main.path.set_extension("cpp");
        main.text = format!("{to}\n{HOST}");
        sources
    };
    let result = case.run(renamed("#include <string>\nvoid f() throw(std::string) {}"), &[]);
    assert_eq!(result.status, RunStatus::Exited(0), "{result:?}");
    let result =
        case.run(renamed("template <class... T> int g(T... t) { return (t + ...); }"), &[]);
    assert_eq!(result.status, RunStatus::Exited(0), "{result:?}");
}

#[test]
fn a_missing_part_is_named() {
    let missing = |compiler: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/compilers");
        let c = folder.join(compiler).display().to_string();
        let error = OpenCl::find(&Compilers { c, ..Compilers::default() }).expect_err("an error");
        let OpenClError::Missing { part, messages } = &error else { panic!("{error}") };
        assert!(error.to_string().contains("apt-get install pocl-opencl-icd"), "{error}");
        (*part, messages.trim_end().to_owned())
    };
    let headers = (OpenClPart::Headers, "CL/cl.h: no such file".to_owned());
    assert_eq!(missing("no_headers"), headers);
    assert_eq!(missing("no_library"), (OpenClPart::Library, "no -lOpenCL".to_owned()));
    assert_eq!(missing("no_device"), (OpenClPart::Device, String::new()));

    let absent = Compilers { c: "no-such-compiler".to_owned(), ..Compilers::default() };
    let error = OpenCl::find(&absent).expect_err("an error");
    assert!(matches!(error, OpenClError::NoCompiler { .. }), "{error}");
}
