//! Which file an `#include` means, and which headers need not be found.

use std::path::{Component, Path, PathBuf};

use super::PreprocessOptions;
use super::lexer::{Token, TokenKind};

/// The operand of an `#include`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub spelled: String,
    pub system: bool,
}

/// Reads `"x"` or `<x>`; `None` for anything else.
pub(crate) fn parse_operand(source: &str, operands: &[Token]) -> Option<Operand> {
    let first = operands.first()?;
    let text = first.text(source);
    if first.kind == TokenKind::String {
        let spelled = text.strip_prefix('"')?.strip_suffix('"')?;
        return Some(Operand { spelled: spelled.to_owned(), system: false });
    }
    if first.kind == TokenKind::Punct && text.starts_with('<') {
        let last = operands.iter().rev().find(|token| token.text(source).ends_with('>'))?;
        let inner = source.get(first.start as usize + 1..last.end as usize - 1)?;
        let spelled = inner.split('>').next()?.trim();
        return Some(Operand { spelled: spelled.to_owned(), system: true });
    }
    None
}

/// The path without `.` and with `x/..` removed, so that one file has one name.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Where to look for a header, in order: beside the includer and in the folders for local ones
/// (local ones only), then in the include folders.
pub(crate) fn candidates(
    includer: &Path,
    operand: &Operand,
    options: &PreprocessOptions,
) -> Vec<PathBuf> {
    let spelled = Path::new(&operand.spelled);
    if spelled.is_absolute() {
        return vec![normalize(spelled)];
    }
    let beside = includer.parent().filter(|_| !operand.system);
    let quoted = options.quote_dirs.iter().filter(|_| !operand.system);
    beside
        .into_iter()
        .chain(quoted.chain(&options.include_dirs).map(PathBuf::as_path))
        .map(|dir| normalize(&dir.join(spelled)))
        .collect()
}

/// Starts of the names of headers that come with the CUDA toolkit, its samples or its tools.
const SDK_PREFIXES: [&str; 26] = [
    "helper_",
    "cuda",
    "cutil",
    "curand",
    "cublas",
    "cufft",
    "cusparse",
    "cusolver",
    "cudnn",
    "npp",
    "nvml",
    "nvrtc",
    "nvToolsExt",
    "nvvm",
    "nccl",
    "mma",
    "sm_",
    "device_",
    "host_",
    "vector_",
    "driver_",
    "math_",
    "cooperative_groups",
    "channel_descriptor",
    "texture_",
    "surface_",
];

/// Folders of headers that belong to libraries.
const LIBRARY_FOLDERS: [&str; 14] = [
    "thrust",
    "cub",
    "cuda",
    "cooperative_groups",
    "CL",
    "GL",
    "boost",
    "Eigen",
    "sys",
    "nv",
    "nvtx3",
    "crt",
    "tbb",
    "opencv2",
];

/// Headers of the C and C++ libraries that people include with quotes, and a few of other systems.
const SYSTEM_HEADERS: [&str; 42] = [
    "algorithm",
    "assert.h",
    "cassert",
    "cmath",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctype.h",
    "errno.h",
    "fcntl.h",
    "float.h",
    "fstream",
    "inttypes.h",
    "iostream",
    "limits.h",
    "malloc.h",
    "map",
    "math.h",
    "memory.h",
    "mpi.h",
    "omp.h",
    "pthread.h",
    "sched.h",
    "signal.h",
    "sstream",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string",
    "string.h",
    "strings.h",
    "time.h",
    "unistd.h",
    "vector",
    "windows.h",
    "exception.h",
    "timer.h",
    "fatbinary_section.h",
    "builtin_types.h",
];

/// Whether a header that is not found belongs to the toolkit or the system, so that nobody
/// needs to be told.
pub(crate) fn is_external(spelled: &str) -> bool {
    let path = Path::new(spelled);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(spelled);
    let folder =
        path.components().next().and_then(|first| first.as_os_str().to_str()).unwrap_or("");
    let nested = path.components().count() > 1;
    SDK_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || (nested && LIBRARY_FOLDERS.contains(&folder))
        || SYSTEM_HEADERS.contains(&spelled)
        || name.ends_with(".cl")
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::*;

    #[test]
    fn operands() {
        let read = |text: &str| {
            parse_operand(text, &tokens(text)).map(|found| (found.spelled, found.system))
        };
        assert_eq!(read("\"a b.h\""), Some(("a b.h".to_owned(), false)));
        assert_eq!(read("<sys/time.h> // x"), Some(("sys/time.h".to_owned(), true)));
        assert_eq!(read("<a-b/c++>"), Some(("a-b/c++".to_owned(), true)));
        assert_eq!(read("MACRO"), None);
        assert_eq!(read("<"), None);
        assert_eq!(read("\""), None);
    }

    #[test]
    fn paths() {
        assert_eq!(normalize(Path::new("a/./b/../c.h")), Path::new("a/c.h"));
        assert_eq!(normalize(Path::new("../a.h")), Path::new("../a.h"));
        assert_eq!(normalize(Path::new("../../a.h")), Path::new("../../a.h"));
        assert!(
            is_external("helper_cuda.h") && is_external("thrust/x.h") && !is_external("kernel.h")
        );
    }
}
