//! Building and running snippets.

use layoutc_runtime::process::{RunRequest, RunResult, RunStatus, run};
use layoutc_runtime::program::SourceText;
use layoutc_runtime::toolchain::{BuildRequest, build};
use std::path::{Path, PathBuf};

pub fn source(path: &str, text: &str) -> SourceText {
    SourceText {
        path: PathBuf::from(path),
        text: text.to_owned(),
        generated: Vec::new(),
        is_root: true,
    }
}

/// A request that shares the compiled runtime with the other tests.
pub fn request(sources: Vec<SourceText>, out_dir: &Path) -> BuildRequest {
    let mut request = BuildRequest::new(sources, out_dir.to_path_buf());
    request.cache_dir = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("runtime-cache"));
    request
}

/// Builds and runs one file.
pub fn run_text(text: &str) -> RunResult {
    run_sources(vec![source("case.cu", text)])
}

pub fn run_sources(sources: Vec<SourceText>) -> RunResult {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let built = build(&request(sources, folder.path())).unwrap_or_else(|error| panic!("{error}"));
    run(&built.executable, &RunRequest::new(Vec::new())).expect("the program starts")
}

/// Runs the body of a `main` after `before_main`, and compares what it prints; the program has to end well.
#[track_caller]
pub fn prints(before_main: &str, body: &str, expected: &str) {
    let text = format!("#include <cstdio>\n{before_main}\nint main() {{\n{body}\nreturn 0;\n}}\n");
    let result = run_text(&text);
    let out = String::from_utf8_lossy(&result.stdout);
    let err = String::from_utf8_lossy(&result.stderr);
    assert_eq!((out.as_ref(), result.status), (expected, RunStatus::Exited(0)), "stderr: {err}");
}

/// The program has to be stopped by the runtime with a report that holds each of `parts`.
#[track_caller]
pub fn is_reported(before_main: &str, body: &str, parts: &[&str]) {
    let text = format!(
        "#include <cstdio>\n#include <cstdlib>\n{before_main}\nint main() {{\n{body}\nprintf(\"not reached\\n\");\nreturn 0;\n}}\n"
    );
    let result = run_text(&text);
    let err = String::from_utf8_lossy(&result.stderr);
    assert_eq!(result.status, RunStatus::Exited(97), "stderr: {err}");
    for part in parts {
        assert!(err.contains(part), "`{part}` is not in: {err}");
    }
}
