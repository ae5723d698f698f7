//! Headers that are told by their paths: of the toolkit, of systems, and of well-known libraries.
//!
//! What [`LIBRARIES`] says of a header is that it belongs to somebody else and was written without
//! knowledge of the program. So it can name the program's types, variables and functions only where
//! the program gives it the names: as arguments of templates and calls, which stand in the program's
//! text, or by macros that the library asks for ([`Library::macros`]).

use std::path::{Component, Path};

use super::include::{Operand, normalize};

/// What a row of the table says of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A header of the CUDA toolkit that includes the runtime's, as nearly all do.
    Runtime,
    /// Another header of the toolkit, its samples or its tools.
    Toolkit,
    /// A header of C, C++ or an operating system that people include with quotes, too. Between
    /// quotes the name may be anybody's: one that is found is read.
    Common,
    /// A name that is a library's between angle brackets only.
    Angle,
    /// A library that programs bring along: one in the program's folders is told by its name.
    Library,
}

/// Headers that belong together.
struct Library {
    kind: Kind,
    /// Their paths. `**` is any folders in front, or all that is in a folder; `*` in a name is any
    /// text.
    headers: &'static [&'static str],
    /// How the names begin of the macros by which it is configured, and of those that it defines
    /// for conditions.
    macros: &'static [&'static str],
    /// Whether capital letters mean nothing.
    any_case: bool,
}

const fn row(kind: Kind, headers: &'static [&'static str]) -> Library {
    Library { kind, headers, macros: &[], any_case: false }
}

const fn library(headers: &'static [&'static str], macros: &'static [&'static str]) -> Library {
    Library { kind: Kind::Library, headers, macros, any_case: false }
}

/// What is known of a header by its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    pub kind: Kind,
    /// The segments of the path from the library's folder on, if the path has that folder.
    pub below_folder: Option<usize>,
    /// How its macros begin.
    pub macros: &'static [&'static str],
}

impl Known {
    /// The library's folder by the path of a header of it, or that header if no folder is the
    /// library's; `None` if programs do not bring it along.
    pub(crate) fn library<'p>(&self, header: &'p Path) -> Option<&'p Path> {
        let below = match self.kind {
            Kind::Library => self.below_folder,
            Kind::Runtime | Kind::Toolkit | Kind::Common | Kind::Angle => return None,
        };
        // `glm/gtc/x.hpp` has three segments: the folder is two above it.
        header.ancestors().nth(below.map_or(0, |segments| segments - 1))
    }

    /// Whether a header that is found, but not in the program, needs no text: the name is that of a
    /// library's header and of nobody else's. Between quotes `timer.h` may be anybody's.
    pub(crate) fn needs_no_text(&self, system: bool) -> bool {
        match self.kind {
            Kind::Runtime | Kind::Toolkit | Kind::Angle => true,
            Kind::Common => system,
            Kind::Library => self.below_folder.is_some(),
        }
    }
}

/// Folders in which programs keep libraries of others; their names are compared in lower case.
const VENDOR_FOLDERS: [&str; 16] = [
    "3rd-party",
    "3rd_party",
    "3rdparty",
    "_deps",
    "deps",
    "extern",
    "external",
    "externals",
    "externs",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
    "vendors",
    "submodules",
];

/// Whether a folder of this name holds libraries of others.
#[must_use]
pub fn is_vendor_folder(name: &str) -> bool {
    VENDOR_FOLDERS.contains(&name.to_ascii_lowercase().as_str())
}

/// Endings of sources: of headers only where a whole folder is a library's.
const SOURCES: [&str; 8] = ["cu", "cuh", "c", "cc", "cpp", "cxx", "inc", "inl"];

/// What the path between the quotes or angle brackets of an `#include` says.
pub(crate) fn known(operand: &Operand) -> Option<Known> {
    let path = normalize(Path::new(&operand.spelled));
    let segments: Vec<&str> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .skip_while(|name| is_vendor_folder(name))
        .collect();
    let name = segments.last()?;
    let lower: Vec<String> = segments.iter().map(|name| name.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let is_source = extension.is_some_and(|extension| SOURCES.contains(&extension));
    for library in LIBRARIES {
        if library.kind == Kind::Angle && !operand.system {
            continue;
        }
        let path = if library.any_case { &lower } else { &segments };
        for pattern in library.headers {
            let is_folder = pattern.ends_with("/**");
            if (is_source && !is_folder) || !matches(pattern, path) {
                continue;
            }
            let has_folder = pattern.contains('/') && !pattern.starts_with("**/");
            let below_folder = has_folder.then_some(segments.len());
            return Some(Known { kind: library.kind, below_folder, macros: library.macros });
        }
    }
    let is_intrinsics = name.ends_with("intrin.h");
    // The headers of C++ have names without a dot.
    let is_standard = extension.is_none() && segments.len() == 1;
    let is_angle = operand.system && (is_intrinsics || is_standard);
    is_angle.then_some(Known { kind: Kind::Angle, below_folder: None, macros: &[] })
}

/// Whether a path fits a pattern, segment by segment.
fn matches(pattern: &str, path: &[&str]) -> bool {
    if let Some(pattern) = pattern.strip_prefix("**/") {
        let length = pattern.split('/').count();
        return path.len().checked_sub(length).is_some_and(|from| matches(pattern, &path[from..]));
    }
    let mut segments = path.iter();
    for wanted in pattern.split('/') {
        let Some(segment) = segments.next() else { return false };
        if wanted == "**" {
            return true;
        }
        let fits = match wanted.split_once('*') {
            Some((start, end)) => segment
                .strip_prefix(start)
                .is_some_and(|rest| rest.len() >= end.len() && rest.ends_with(end)),
            None => *segment == wanted,
        };
        if !fits {
            return false;
        }
    }
    segments.next().is_none()
}

/// All that is told by its path. The first row that fits says what it is.
static LIBRARIES: &[Library] = &[
    // The toolkit's driver interface, and helpers that are included behind the runtime.
    row(
        Kind::Toolkit,
        &[
            "**/cuda.h",
            "**/cudaTypedefs.h",
            "**/cudaEGL.h",
            "**/cudaGL.h",
            "**/cutil*",
            "**/helper_cuda.h",
            "**/helper_cuda_drvapi.h",
            "**/helper_cuda_gl.h",
            "**/helper_cusolver.h",
            "**/helper_functions.h",
            "**/helper_gl.h",
            "**/helper_image.h",
            "**/helper_math.h",
            "**/helper_multiprocess.h",
            "**/helper_nvJPEG.hxx",
            "**/helper_string.h",
            "**/helper_timer.h",
            "**/math_constants.h",
            "**/nvml*",
            "**/nvsci*",
            "**/nvmedia*",
            "**/nvToolsExt*",
        ],
    ),
    row(
        Kind::Runtime,
        &[
            "**/builtin_types.h",
            "**/channel_descriptor.h",
            "**/common_functions.h",
            "**/cooperative_groups.h",
            "**/cublas*",
            "**/cuComplex.h",
            "**/cuda_awbarrier.h",
            "**/cuda_bf16*",
            "**/cuda_d3d*",
            "**/cuda_device_runtime_api.h",
            "**/cuda_egl_interop.h",
            "**/cuda_fp*",
            "**/cuda_gl_interop.h",
            "**/cuda_occupancy.h",
            "**/cuda_pipeline*",
            "**/cuda_profiler_api.h",
            "**/cuda_runtime*",
            "**/cuda_surface_types.h",
            "**/cuda_texture_types.h",
            "**/cuda_vdpau_interop.h",
            "**/cudaD3D*",
            "**/cudalibxt.h",
            "**/cudaProfiler.h",
            "**/cudaVDPAU.h",
            "**/cudla*",
            "**/cudnn*",
            "**/cufft*",
            "**/cufile.h",
            "**/cupti*",
            "**/curand*",
            "**/cusolver*",
            "**/cusparse*",
            "**/device_atomic_functions.h",
            "**/device_double_functions.h",
            "**/device_functions.h",
            "**/device_launch_parameters.h",
            "**/device_types.h",
            "**/driver_functions.h",
            "**/driver_types.h",
            "**/drvapi_error_string.h",
            "**/host_config.h",
            "**/host_defines.h",
            "**/library_types.h",
            "**/math_functions.h",
            "**/math_functions_*",
            "**/mma.h",
            "**/nccl*",
            "**/npp*",
            "**/nvjpeg*",
            "**/nvrtc*",
            "**/nvvm*",
            "**/sm_*",
            "**/surface_functions.h",
            "**/surface_indirect_functions*",
            "**/surface_types.h",
            "**/texture_fetch_functions*",
            "**/texture_indirect_functions*",
            "**/texture_types.h",
            "**/vector_functions.*",
            "**/vector_types.h",
        ],
    ),
    // Libraries in the toolkit, and others for its devices.
    library(&["thrust/**"], &["THRUST_"]),
    library(&["cub/**"], &["CUB_"]),
    library(&["cooperative_groups/**", "nvtx3/**", "crt/**"], &[]),
    library(
        &[
            "cuda/std/**",
            "cuda/annotated_ptr",
            "cuda/atomic",
            "cuda/barrier",
            "cuda/cmath",
            "cuda/functional",
            "cuda/iterator",
            "cuda/latch",
            "cuda/mdspan",
            "cuda/memory",
            "cuda/memory_resource",
            "cuda/numeric",
            "cuda/pipeline",
            "cuda/ptx",
            "cuda/semaphore",
            "cuda/stream_ref",
            "cuda/utility",
            "cuda/version",
            "cuda/warp",
            "cuda/work_stealing",
        ],
        &[],
    ),
    library(&["cutlass/**"], &["CUTLASS_"]),
    row(Kind::Angle, &["cute/**", "hip/**", "nv/**", "omp/**", "oneapi/**"]),
    library(&["optix.h", "optix_*.h", "optixu/**", "optix_world.h"], &["OPTIX_"]),
    library(&["nvshmem.h", "nvshmemx.h", "cuco/**", "moderngpu/**", "stdgpu/**"], &["NVSHMEM_"]),
    library(&["hipcub/**", "rocprim/**", "rocrand/**", "rocblas/**", "dpct/**", "sycl/**"], &[]),
    library(&["rmm/**", "raft/**", "cudf/**", "cugraph/**"], &[]),
    library(&["torch/**", "ATen/**", "c10/**"], &["TORCH_", "C10_"]),
    library(&["Kokkos_*.hpp", "RAJA/**", "alpaka/**"], &["KOKKOS_", "RAJA_", "ALPAKA_"]),
    // Mathematics.
    library(&["glm/**"], &["GLM_"]),
    library(&["Eigen/**", "unsupported/Eigen/**"], &["EIGEN_"]),
    library(&["boost/**"], &["BOOST_"]),
    library(&["gsl/**"], &["GSL_"]),
    library(&["**/fftw3.h", "**/fftw3-mpi.h", "fftw3.f03"], &["FFTW_"]),
    library(
        &[
            "**/cblas.h",
            "**/lapacke.h",
            "lapacke_*.h",
            "cblas_*.h",
            "f77blas.h",
            "openblas_config.h",
            "openblas/**",
        ],
        &["LAPACK_", "OPENBLAS_"],
    ),
    library(&["**/mkl.h", "mkl_*.h", "mkl/**"], &["MKL_", "INTEL_MKL_"]),
    library(
        &["suitesparse/**", "umfpack.h", "cholmod.h", "metis.h", "parmetis.h", "petsc*.h"],
        &["PETSC_"],
    ),
    library(&["**/mex.h"], &["MX_"]),
    library(&["**/nanoflann.hpp"], &["NANOFLANN_"]),
    // Parallel programs.
    library(&["tbb/**"], &["TBB_", "__TBB_"]),
    library(&["**/mpi.h", "mpi-ext.h"], &["MPI_", "OMPI_", "OPEN_MPI", "MPICH_", "MVAPICH2_"]),
    library(&["**/omp.h"], &[]),
    // Windows, pictures on the screen, input.
    library(
        &[
            "GL/**",
            "GLES/**",
            "GLES2/**",
            "GLES3/**",
            "EGL/**",
            "KHR/**",
            "GLUT/**",
            "OpenGL/**",
            "freeglut/**",
            "**/freeglut.h",
            "**/glut.h",
            "glew.h",
        ],
        &["GL_", "GLEW_", "GLUT_", "FREEGLUT_", "EGL_"],
    ),
    library(&["glad/**", "glad.h"], &["GLAD_"]),
    library(&["GLFW/**", "glfw3.h", "glfw3native.h"], &["GLFW_"]),
    library(&["CL/**", "OpenCL/**"], &[]),
    library(&["vulkan/**", "vk_mem_alloc.h", "volk.h"], &["VK_", "VULKAN_", "VMA_", "VOLK_"]),
    library(&["SDL.h", "SDL_*.h", "SDL/**", "SDL2/**", "SDL3/**"], &["SDL_"]),
    library(&["SFML/**"], &["SFML_"]),
    library(&["X11/**", "xcb/**"], &[]),
    library(&["raylib.h", "raymath.h", "rlgl.h"], &["RAYLIB_", "RAYMATH_", "RLGL_"]),
    library(
        &["QtCore/**", "QtGui/**", "QtOpenGL/**", "QtWidgets/**", "QtOpenGLWidgets/**"],
        &["QT_"],
    ),
    library(&["vtk*.h"], &["VTK_"]),
    library(
        &[
            "**/imgui.h",
            "**/imgui_internal.h",
            "**/imgui_stdlib.h",
            "**/imgui_impl_*.h",
            "**/imstb_*.h",
            "**/implot.h",
            "**/implot_internal.h",
            "**/ImGuizmo.h",
        ],
        &["IMGUI_", "IM_", "ImDraw", "ImTexture", "ImWchar"],
    ),
    // Pictures, models and other files.
    library(
        &["**/stb_*.h", "**/stb.h"],
        &["STB_", "STBI_", "STBIW_", "STBIR_", "STBTT_", "STBRP_", "STBDS_"],
    ),
    library(
        &["**/tiny_obj_loader.h", "**/tinyobj_loader_c.h", "tinyobjloader/**"],
        &["TINYOBJ", "tinyobj"],
    ),
    library(&["**/tiny_gltf.h", "**/tiny_gltf_v3.h"], &["TINYGLTF_"]),
    library(&["**/tinyexr.h"], &["TINYEXR_"]),
    library(
        &["**/tinyply.h", "**/tinyxml.h", "**/tinyxml2.h", "**/tinyfiledialogs.h", "**/happly.h"],
        &["TINYPLY_", "TINYXML", "TIXML_"],
    ),
    library(&["**/lodepng.h", "**/miniz.h"], &["LODEPNG_", "MINIZ_"]),
    library(&["**/cgltf.h", "**/fast_obj.h", "**/ufbx.h"], &["CGLTF_", "FAST_OBJ_", "UFBX_"]),
    library(&["assimp/**"], &["AI_", "ASSIMP_"]),
    library(
        &[
            "**/png.h",
            "pngconf.h",
            "**/jpeglib.h",
            "jerror.h",
            "turbojpeg.h",
            "**/tiffio.h",
            "tiff.h",
            "tiffio.hxx",
            "webp/**",
            "OpenEXR/**",
            "Imath/**",
            "CImg.h",
            "FreeImage.h",
        ],
        &["PNG_", "JPEG_", "TIFF_", "OPENEXR_", "IMATH_", "cimg_", "FREEIMAGE_"],
    ),
    library(&["opencv/**", "opencv2/**", "opencv4/**"], &["CV_", "OPENCV_"]),
    library(&["pcl/**"], &["PCL_"]),
    library(&["**/hdf5.h", "hdf5_hl.h", "H5*.h", "hdf5/**", "highfive/**"], &["H5_", "HIGHFIVE_"]),
    library(&["**/netcdf.h", "netcdf_par.h"], &["NC_"]),
    library(&["**/zlib.h", "zconf.h", "**/bzlib.h", "lzma.h", "zstd.h", "lz4.h"], &["ZLIB_"]),
    library(&["nlohmann/**", "json.hpp", "json/json.hpp"], &["NLOHMANN_", "JSON_"]),
    library(&["rapidjson/**", "json/json.h", "jsoncpp/**"], &["RAPIDJSON_", "JSONCPP_"]),
    library(
        &["yaml-cpp/**", "toml++/**", "toml.hpp", "pugixml.hpp"],
        &["YAML_CPP_", "TOML_", "PUGI"],
    ),
    // Text, options, logs, tests.
    library(&["fmt/**"], &["FMT_"]),
    library(&["spdlog/**"], &["SPDLOG_"]),
    library(
        &["**/cxxopts.hpp", "CLI/**", "**/CLI11.hpp", "argparse/**", "**/argparse.hpp"],
        &["CXXOPTS_", "CLI11_"],
    ),
    library(&["gtest/**", "gmock/**"], &["GTEST_", "GMOCK_"]),
    library(&["benchmark/benchmark.h", "benchmark/export.h"], &["BENCHMARK_"]),
    library(
        &["catch2/**", "catch.hpp", "catch_amalgamated.hpp", "doctest/**", "doctest.h"],
        &["CATCH_", "DOCTEST_"],
    ),
    library(&["absl/**", "folly/**", "glog/**", "gflags/**"], &["ABSL_", "FOLLY_", "GLOG_"]),
    library(
        &["pybind11/**", "nanobind/**", "Python.h", "numpy/**"],
        &["PYBIND11_", "NB_", "Py_", "NPY_"],
    ),
    library(&["openssl/**", "curl/**", "cereal/**", "range/v3/**"], &["OPENSSL_", "CEREAL_"]),
    // Systems. These come last: `windows.h` and its family are written in any case.
    row(Kind::Common, &COMMON),
    row(Kind::Angle, &ANGLE),
    Library { kind: Kind::Common, headers: &WINDOWS, macros: &[], any_case: true },
];

/// Headers of C, C++ and POSIX that people include with quotes, and a few of other compilers.
const COMMON: [&str; 44] = [
    "algorithm",
    "assert.h",
    "bits/stdc++.h",
    "cassert",
    "cmath",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctype.h",
    "errno.h",
    "exception.h",
    "fatbinary_section.h",
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
    "sys/**",
    "time.h",
    "timer.h",
    "unistd.h",
    "vector",
    "**/*.cl",
    "xmmintrin.h",
    "emmintrin.h",
    "immintrin.h",
];

/// Headers of C, POSIX and other systems.
const ANGLE: [&str; 72] = [
    "Accelerate/**",
    "aio.h",
    "alloca.h",
    "arpa/**",
    "asm/**",
    "Availability.h",
    "bits/**",
    "complex.h",
    "conio.h",
    "CoreFoundation/**",
    "cpuid.h",
    "cxxabi.h",
    "direct.h",
    "dirent.h",
    "dispatch/**",
    "dlfcn.h",
    "elf.h",
    "endian.h",
    "err.h",
    "error.h",
    "execinfo.h",
    "experimental/**",
    "ext/**",
    "fenv.h",
    "Foundation/**",
    "ftw.h",
    "getopt.h",
    "glob.h",
    "grp.h",
    "ieeefp.h",
    "intrinsics.h",
    "io.h",
    "iso646.h",
    "langinfo.h",
    "libgen.h",
    "link.h",
    "linux/**",
    "locale.h",
    "mach/**",
    "Metal/**",
    "ncurses.h",
    "net/**",
    "netdb.h",
    "netinet/**",
    "numa.h",
    "papi.h",
    "poll.h",
    "process.h",
    "pwd.h",
    "regex.h",
    "resolv.h",
    "semaphore.h",
    "setjmp.h",
    "sgtty.h",
    "spawn.h",
    "stdalign.h",
    "stdatomic.h",
    "syscall.h",
    "sysexits.h",
    "syslog.h",
    "TargetConditionals.h",
    "termios.h",
    "tgmath.h",
    "threads.h",
    "uchar.h",
    "ucontext.h",
    "ulimit.h",
    "utime.h",
    "values.h",
    "wait.h",
    "wchar.h",
    "wctype.h",
];

/// Windows and its compiler, in lower case.
const WINDOWS: [&str; 47] = [
    "basetsd.h",
    "commctrl.h",
    "commdlg.h",
    "crtdbg.h",
    "d2d1.h",
    "d3d10*.h",
    "d3d11*.h",
    "d3d12*.h",
    "d3d9*.h",
    "d3dcompiler.h",
    "d3dx*.h",
    "dbghelp.h",
    "directxmath.h",
    "dwmapi.h",
    "dxgi*.h",
    "errhandlingapi.h",
    "excpt.h",
    "fileapi.h",
    "handleapi.h",
    "intrin.h",
    "libloaderapi.h",
    "memoryapi.h",
    "minwindef.h",
    "mmsystem.h",
    "objbase.h",
    "processthreadsapi.h",
    "profileapi.h",
    "psapi.h",
    "sdkddkver.h",
    "shellapi.h",
    "shellscalingapi.h",
    "shlobj.h",
    "synchapi.h",
    "sysinfoapi.h",
    "tchar.h",
    "timeapi.h",
    "tlhelp32.h",
    "winbase.h",
    "windef.h",
    "windows.h",
    "windowsx.h",
    "wingdi.h",
    "winnt.h",
    "winsock.h",
    "winsock2.h",
    "winuser.h",
    "ws2tcpip.h",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(spelled: &str, system: bool) -> Option<Kind> {
        known(&Operand { spelled: spelled.to_owned(), system }).map(|known| known.kind)
    }

    #[test]
    fn segments_are_compared_and_not_substrings() {
        for library in ["glm/glm.hpp", "external/glm/gtc/x.hpp", "../extern/stb/stb_image.h"] {
            assert_eq!(kind(library, true), Some(Kind::Library), "{library}");
            assert_eq!(kind(library, false), Some(Kind::Library), "{library}");
        }
        for own in ["myglm/glm.hpp", "sim/glm/x.hpp", "glmx.hpp", "my_stb_image.h", "stb_image.hpp"]
        {
            assert_eq!(kind(own, true), None, "{own}");
        }
        assert_eq!(kind("thrust/detail/x.inl", false), Some(Kind::Library));
        assert_eq!(kind("curand_kernel.h", false), Some(Kind::Runtime));
        assert_eq!(kind("curand_own.cuh", false), None);
    }

    #[test]
    fn names_that_may_be_anybodys() {
        for name in ["Windows.h", "windows.h", "WinSock2.h", "sys/time.h", "unistd.h"] {
            assert_eq!(kind(name, true), Some(Kind::Common), "{name}");
        }
        for name in ["net/if.h", "poll.h", "hip/hip_runtime.h", "Vector", "avxintrin.h"] {
            assert_eq!(kind(name, true), Some(Kind::Angle), "{name}");
            assert_eq!(kind(name, false), None, "{name}");
        }
        for own in ["cuda/kernels.h", "benchmark/timer.h", "helper_kernels.h", "Vector/x"] {
            assert_eq!(kind(own, true), None, "{own}");
        }
    }

    #[test]
    fn a_library_has_a_folder_where_its_path_says_so() {
        let below = |spelled: &str| {
            known(&Operand { spelled: spelled.to_owned(), system: true })
                .and_then(|known| known.below_folder)
        };
        assert_eq!(below("external/glm/gtc/x.hpp"), Some(3));
        assert_eq!(below("imgui/imgui.h"), None);
        assert_eq!(below("json.hpp"), None);
    }

    #[test]
    fn patterns_are_in_one_case_and_unlike() {
        let mut seen = std::collections::BTreeSet::new();
        for library in LIBRARIES {
            for pattern in library.headers {
                assert!(seen.insert(*pattern), "{pattern} is there twice");
                assert!(!library.any_case || pattern.to_ascii_lowercase() == *pattern);
            }
        }
    }
}
