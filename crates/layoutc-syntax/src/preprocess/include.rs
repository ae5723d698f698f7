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

/// Starts of the names of headers that come with the CUDA toolkit, its samples or its tools, and
/// that nobody else uses.
const SDK_PREFIXES: [&str; 23] = [
    "helper_",
    "cuda_runtime",
    "cuda_fp",
    "cuda_bf16",
    "cuda_d3d",
    "cudla",
    "cutil",
    "curand",
    "cublas",
    "cufft",
    "cusparse",
    "cusolver",
    "cudnn",
    "cupti",
    "npp",
    "nvml",
    "nvrtc",
    "nvToolsExt",
    "nvvm",
    "nccl",
    "nvmedia",
    "nvsci",
    "nvjpeg",
];

/// Names of further headers of the toolkit.
const SDK_HEADERS: [&str; 45] = [
    "builtin_types.h",
    "channel_descriptor.h",
    "common_functions.h",
    "cooperative_groups.h",
    "cuComplex.h",
    "cuda.h",
    "cudaD3D10.h",
    "cudaD3D11.h",
    "cudaD3D9.h",
    "cudaEGL.h",
    "cudaGL.h",
    "cudaProfiler.h",
    "cudaTypedefs.h",
    "cudaVDPAU.h",
    "cuda_awbarrier.h",
    "cuda_device_runtime_api.h",
    "cuda_egl_interop.h",
    "cuda_gl_interop.h",
    "cuda_occupancy.h",
    "cuda_pipeline.h",
    "cuda_profiler_api.h",
    "cuda_surface_types.h",
    "cuda_texture_types.h",
    "cuda_vdpau_interop.h",
    "cudalibxt.h",
    "cufile.h",
    "device_atomic_functions.h",
    "device_double_functions.h",
    "device_functions.h",
    "device_launch_parameters.h",
    "device_types.h",
    "driver_functions.h",
    "driver_types.h",
    "drvapi_error_string.h",
    "host_config.h",
    "host_defines.h",
    "library_types.h",
    "math_constants.h",
    "math_functions.h",
    "mma.h",
    "surface_functions.h",
    "surface_types.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_types.h",
];

/// Further starts of names that belong to the toolkit, if what follows is a header's name.
const SDK_FAMILIES: [&str; 6] = [
    "sm_",
    "texture_fetch_functions",
    "texture_indirect_functions",
    "surface_indirect_functions",
    "math_functions_",
    "vector_functions.",
];

/// Folders of headers that belong to libraries.
const LIBRARY_FOLDERS: [&str; 54] = [
    "thrust",
    "cub",
    "cuda",
    "cooperative_groups",
    "cutlass",
    "cute",
    "CL",
    "GL",
    "GLES2",
    "GLES3",
    "GLFW",
    "GLUT",
    "EGL",
    "KHR",
    "OpenCL",
    "OpenGL",
    "X11",
    "vulkan",
    "boost",
    "Eigen",
    "absl",
    "fmt",
    "gtest",
    "gmock",
    "gsl",
    "hdf5",
    "nlohmann",
    "tbb",
    "oneapi",
    "opencv",
    "opencv2",
    "omp",
    "sycl",
    "hip",
    "dpct",
    "torch",
    "ATen",
    "c10",
    "pybind11",
    "rapidjson",
    "rmm",
    "spdlog",
    "nv",
    "nvtx3",
    "crt",
    "sys",
    "linux",
    "asm",
    "bits",
    "arpa",
    "net",
    "netinet",
    "mach",
    "ext",
];

/// Names of headers of libraries that stand in no folder.
const LIBRARY_HEADERS: [&str; 18] = [
    "bzlib.h",
    "cblas.h",
    "cxxopts.hpp",
    "fftw3.h",
    "fftw3-mpi.h",
    "freeglut.h",
    "glut.h",
    "hdf5.h",
    "jpeglib.h",
    "lapacke.h",
    "mex.h",
    "mkl.h",
    "mpi.h",
    "netcdf.h",
    "omp.h",
    "png.h",
    "tiffio.h",
    "zlib.h",
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

pub(crate) fn absent(operand: &Operand) -> Absent {
    let spelled = operand.spelled.as_str();
    let path = Path::new(spelled);
    let extension = path.extension().and_then(|extension| extension.to_str());
    if is_external(spelled, operand.system) {
        return Absent::Library;
    }
    match extension {
        // Sources between angle brackets are nobody's library.
        Some("cu" | "cuh" | "c" | "cc" | "cpp" | "cxx" | "inc" | "inl") => Absent::Local,
        // The headers of C++ have names without a dot.
        None if operand.system && path.components().count() == 1 => Absent::Library,
        _ if operand.system => Absent::Unknown,
        _ => Absent::Local,
    }
}

/// Whether a header that is found, but not in the program, needs no text: its name is that of a library's
/// header and of nobody else's. Between quotes `timer.h` may be anybody's.
pub(crate) fn is_known(operand: &Operand) -> bool {
    let spelled = operand.spelled.as_str();
    let is_common = SYSTEM_HEADERS.contains(&spelled) || spelled.ends_with(".cl");
    absent(operand) == Absent::Library && (operand.system || !is_common)
}

/// Whether a header of the toolkit includes the runtime's, as nearly all do.
pub(crate) fn is_runtime(operand: &Operand) -> bool {
    let path = Path::new(&operand.spelled);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_toolkit =
        SDK_PREFIXES.iter().chain(&SDK_FAMILIES).any(|prefix| name.starts_with(prefix))
            || SDK_HEADERS.contains(&name);
    // The driver's interface, and helpers that are included behind the runtime.
    let is_apart = matches!(name, "cuda.h" | "cudaTypedefs.h" | "math_constants.h")
        || ["helper_", "cutil", "nvml", "nvToolsExt", "nvsci", "nvmedia", "cudaGL", "cudaEGL"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
    is_toolkit && !is_apart
}

/// Whether a header that is not found belongs to the toolkit, the system or a library, so that
/// nobody needs to be told.
fn is_external(spelled: &str, system: bool) -> bool {
    let path = Path::new(spelled);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(spelled);
    let folder =
        path.components().next().and_then(|first| first.as_os_str().to_str()).unwrap_or("");
    let nested = path.components().count() > 1;
    let is_c = system && C_HEADERS.contains(&spelled);
    SDK_PREFIXES.iter().chain(&SDK_FAMILIES).any(|prefix| name.starts_with(prefix))
        || SDK_HEADERS.contains(&name)
        || LIBRARY_HEADERS.contains(&name)
        || (nested && LIBRARY_FOLDERS.contains(&folder))
        || SYSTEM_HEADERS.contains(&spelled)
        || is_c
        || (system && name.ends_with("intrin.h"))
        || name.ends_with(".cl")
}

/// Headers of C, POSIX and other systems, as far as they are not in [`SYSTEM_HEADERS`].
const C_HEADERS: [&str; 38] = [
    "complex.h",
    "conio.h",
    "dirent.h",
    "dlfcn.h",
    "endian.h",
    "err.h",
    "error.h",
    "execinfo.h",
    "fenv.h",
    "getopt.h",
    "glob.h",
    "grp.h",
    "ieeefp.h",
    "intrinsics.h",
    "io.h",
    "iso646.h",
    "libgen.h",
    "locale.h",
    "mmsystem.h",
    "netdb.h",
    "poll.h",
    "process.h",
    "pwd.h",
    "regex.h",
    "semaphore.h",
    "setjmp.h",
    "spawn.h",
    "stdalign.h",
    "stdatomic.h",
    "syslog.h",
    "tchar.h",
    "termios.h",
    "tgmath.h",
    "uchar.h",
    "utime.h",
    "values.h",
    "wchar.h",
    "wctype.h",
];

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
    }

    #[test]
    fn what_is_not_found() {
        let absent =
            |spelled: &str, system| super::absent(&Operand { spelled: spelled.to_owned(), system });
        for library in ["helper_cuda.h", "thrust/x.h", "cuda_runtime.h", "cudla.h", "nvscibuf.h"] {
            assert_eq!(absent(library, false), Absent::Library, "{library}");
        }
        for library in ["vector", "sys/time.h", "immintrin.h", "setjmp.h", "boost/a/b.hpp", "mpi.h"]
        {
            assert_eq!(absent(library, true), Absent::Library, "{library}");
        }
        for local in ["kernel.h", "cudaKernels.h", "device_particles.h", "math_helpers.cuh"] {
            assert_eq!(absent(local, false), Absent::Local, "{local}");
        }
        assert_eq!(absent("kernel.cu", true), Absent::Local);
        assert_eq!(absent("solver.h", true), Absent::Unknown);
        assert_eq!(absent("sim/solver.hpp", true), Absent::Unknown);
    }
}
