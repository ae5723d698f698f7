//! Which file an `#include` means, and what one is that is not found.

use std::path::{Component, Path, PathBuf};

use super::PreprocessOptions;
use super::lexer::{Token, TokenKind};
use super::libraries::Known;

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

/// A path at which a header may be.
pub(crate) struct Candidate {
    pub path: PathBuf,
    /// Whether it lies below a folder of libraries.
    pub in_system_dir: bool,
}

/// Where to look for a header, in order: beside the includer and in the folders for local ones
/// (local ones only), then in the include folders, then in those of libraries. A folder that is both
/// is one of libraries, as it is for compilers.
pub(crate) fn candidates(
    includer: &Path,
    operand: &Operand,
    options: &PreprocessOptions,
) -> Vec<Candidate> {
    let spelled = Path::new(&operand.spelled);
    let system: Vec<PathBuf> = options.system_dirs.iter().map(|dir| normalize(dir)).collect();
    // Also one that a library's header finds beside itself.
    let candidate = |path: PathBuf| Candidate {
        in_system_dir: system.iter().any(|dir| path.starts_with(dir)),
        path,
    };
    if spelled.is_absolute() {
        return vec![candidate(normalize(spelled))];
    }
    let beside = includer.parent().filter(|_| !operand.system);
    let quoted = options.quote_dirs.iter().filter(|_| !operand.system);
    let included = options.include_dirs.iter().filter(|dir| !options.system_dirs.contains(dir));
    let folders = quoted.chain(included).chain(&options.system_dirs).map(PathBuf::as_path);
    beside.into_iter().chain(folders).map(|dir| candidate(normalize(&dir.join(spelled)))).collect()
}

/// What a header that is not found is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Absent {
    /// Part of the toolkit, the system or a well-known library: it knows nothing of the program.
    Library,
    /// Perhaps a library, perhaps a part of the program in a folder that was not named.
    Unknown,
    /// Part of the program.
    Local,
}

pub(crate) fn absent(operand: &Operand, known: Option<&Known>) -> Absent {
    let path = Path::new(&operand.spelled);
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if known.is_some() => Absent::Library,
        // Sources between angle brackets are nobody's library.
        Some("cu" | "cuh" | "c" | "cc" | "cpp" | "cxx" | "inc" | "inl") => Absent::Local,
        _ if operand.system => Absent::Unknown,
        _ => Absent::Local,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::super::libraries::known;
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
    }

    #[test]
    fn what_is_not_found() {
        let absent = |spelled: &str, system| {
            let operand = Operand { spelled: spelled.to_owned(), system };
            super::absent(&operand, known(&operand).as_ref())
        };
        for library in ["helper_cuda.h", "thrust/x.h", "cuda_runtime.h", "cudla.h", "nvscibuf.h"] {
            assert_eq!(absent(library, false), Absent::Library, "{library}");
        }
        for library in ["vector", "sys/time.h", "immintrin.h", "setjmp.h", "boost/a/b.hpp", "mpi.h"]
        {
            assert_eq!(absent(library, true), Absent::Library, "{library}");
        }
        for local in ["kernel.h", "cudaKernels.h", "helper_own.h", "math_helpers.cuh", "cuda/x.h"] {
            assert_eq!(absent(local, false), Absent::Local, "{local}");
        }
        assert_eq!(absent("kernel.cu", true), Absent::Local);
        assert_eq!(absent("solver.h", true), Absent::Unknown);
        assert_eq!(absent("sim/solver.hpp", true), Absent::Unknown);
    }
}
