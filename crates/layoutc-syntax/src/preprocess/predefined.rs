//! What is defined before the first line of a root.

use std::path::Path;

use super::directive::command_line_define;
use super::macros::{MacroDef, MacroEnv, MacroId, MacroOrigin, MacroTable};

/// Macros of nvcc 13 with g++ 12 on Linux, for every root.
const PREDEFINED: [(&str, &str); 24] = [
    ("__linux__", "1"),
    ("__linux", "1"),
    ("linux", "1"),
    ("__unix__", "1"),
    ("__unix", "1"),
    ("__x86_64__", "1"),
    ("__x86_64", "1"),
    ("__amd64__", "1"),
    ("__LP64__", "1"),
    ("_LP64", "1"),
    ("__GNUC__", "12"),
    ("__GNUC_MINOR__", "2"),
    ("__GNUC_PATCHLEVEL__", "0"),
    ("__STDC__", "1"),
    ("__STDC_HOSTED__", "1"),
    ("__SIZEOF_POINTER__", "8"),
    ("__SIZEOF_INT__", "4"),
    ("__SIZEOF_LONG__", "8"),
    ("__CHAR_BIT__", "8"),
    ("__ORDER_LITTLE_ENDIAN__", "1234"),
    ("__ORDER_BIG_ENDIAN__", "4321"),
    ("__BYTE_ORDER__", "1234"),
    ("__SSE2__", "1"),
    ("__ELF__", "1"),
];

/// Macros of C++ roots.
const PREDEFINED_CPP: [(&str, &str); 5] = [
    ("__cplusplus", "201703L"),
    ("__GNUG__", "12"),
    ("_GNU_SOURCE", "1"),
    ("__EXCEPTIONS", "1"),
    ("__cpp_lambdas", "200907L"),
];

/// Macros of CUDA roots; the versions come from headers that nvcc includes by itself.
const PREDEFINED_CUDA: [(&str, &str); 7] = [
    ("__CUDACC__", "1"),
    ("__NVCC__", "1"),
    ("__CUDACC_VER_MAJOR__", "13"),
    ("__CUDACC_VER_MINOR__", "0"),
    ("__CUDACC_VER_BUILD__", "48"),
    ("CUDART_VERSION", "13000"),
    ("CUDA_VERSION", "13000"),
];

/// What `cuda_runtime.h` defines, which nvcc includes before the first line: words that the grammar
/// knows or that are masked as they are, and the guards of the header's parts.
pub(crate) const TOOLKIT_WORDS: [&str; 38] = [
    "__host__",
    "__device__",
    "__global__",
    "__shared__",
    "__constant__",
    "__managed__",
    "__tile__",
    "__grid_constant__",
    "__forceinline__",
    "__no_return__",
    "__nv_pure__",
    "__thread__",
    "__align__",
    "__builtin_align__",
    "__launch_bounds__",
    "__maxnreg__",
    "__cluster_dims__",
    "__block_size__",
    "__device_builtin__",
    "__cudart_builtin__",
    "CUDARTAPI",
    "CUDARTAPI_CDECL",
    "CUDART_CB",
    "CUDART_DEVICE",
    "__CUDA_RUNTIME_H__",
    "__CUDA_RUNTIME_API_H__",
    "__CHANNEL_DESCRIPTOR_H__",
    "__COMMON_FUNCTIONS_H__",
    "__DEVICE_FUNCTIONS_H__",
    "__DEVICE_LAUNCH_PARAMETERS_H__",
    "__DRIVER_FUNCTIONS_H__",
    "__DRIVER_TYPES_H__",
    "__HOST_CONFIG_H__",
    "__HOST_DEFINES_H__",
    "__LIBRARY_TYPES_H__",
    "__MATH_FUNCTIONS_H__",
    "__VECTOR_FUNCTIONS_H__",
    "__VECTOR_TYPES_H__",
];

/// Macros of OpenCL C roots: those of the compiler, and its keywords as what CUDA has in their place,
/// so that one grammar and one model serve both. Address spaces of pointers say nothing that the
/// types do not.
const PREDEFINED_OPENCL: [(&str, &str); 29] = [
    ("__OPENCL_VERSION__", "120"),
    ("__OPENCL_C_VERSION__", "120"),
    ("CL_VERSION_1_0", "100"),
    ("CL_VERSION_1_1", "110"),
    ("CL_VERSION_1_2", "120"),
    ("__ENDIAN_LITTLE__", "1"),
    ("__IMAGE_SUPPORT__", "1"),
    ("cl_khr_fp64", "1"),
    ("cl_khr_global_int32_base_atomics", "1"),
    ("cl_khr_local_int32_base_atomics", "1"),
    ("cl_khr_byte_addressable_store", "1"),
    ("__kernel", "__global__"),
    ("kernel", "__global__"),
    ("__global", ""),
    ("global", ""),
    ("__local", "__shared__"),
    ("local", "__shared__"),
    ("__constant", "__constant__"),
    ("constant", "__constant__"),
    ("__private", ""),
    ("private", ""),
    ("__generic", ""),
    ("generic", ""),
    ("__read_only", ""),
    ("read_only", ""),
    ("__write_only", ""),
    ("write_only", ""),
    ("__read_write", ""),
    ("read_write", ""),
];

/// The architecture that is parsed.
const DEVICE_ARCH: &str = "800";

/// The macros in force at the start of a root of each language.
pub(crate) struct Environments {
    c: MacroEnv,
    cpp: MacroEnv,
    cuda_host: MacroEnv,
    cuda_device: MacroEnv,
    opencl: MacroEnv,
}

impl Environments {
    /// Adds the compilers' macros to the table.
    pub(crate) fn new(table: &mut MacroTable) -> Self {
        let mut define = |env: &mut MacroEnv, pairs: &[(&str, &str)]| {
            for (name, text) in pairs {
                let def = MacroDef::synthetic(name, text, MacroOrigin::Predefined);
                env.define(name, table.add(def));
            }
        };
        let mut c = MacroEnv::default();
        define(&mut c, &PREDEFINED);
        let mut cpp = c.clone();
        define(&mut cpp, &PREDEFINED_CPP);
        let mut cuda_host = cpp.clone();
        define(&mut cuda_host, &PREDEFINED_CUDA);
        cuda_host.define_words(&TOOLKIT_WORDS);
        let mut cuda_device = cuda_host.clone();
        define(&mut cuda_device, &[("__CUDA_ARCH__", DEVICE_ARCH)]);
        let mut opencl = MacroEnv::default();
        define(&mut opencl, &PREDEFINED_OPENCL);
        Environments { c, cpp, cuda_host, cuda_device, opencl }
    }

    /// What device and host see at the start of a root of which nothing else is said.
    pub(crate) fn of(&self, language: Language) -> (&MacroEnv, &MacroEnv) {
        match language {
            Language::C => (&self.c, &self.c),
            Language::Cpp => (&self.cpp, &self.cpp),
            Language::Cuda | Language::Header => (&self.cuda_device, &self.cuda_host),
            Language::OpenCl => (&self.opencl, &self.opencl),
        }
    }
}

/// What `__cplusplus` is under a standard, such as `gnu++20`; `None` for C and unknown ones.
pub(crate) fn cplusplus(standard: &str) -> Option<&'static str> {
    let (_, year) = standard.split_once("++")?;
    Some(match year {
        "98" | "03" | "0" => "199711L",
        "11" | "0x" => "201103L",
        "14" | "1y" => "201402L",
        "17" | "1z" => "201703L",
        "20" | "2a" => "202002L",
        "23" | "2b" => "202302L",
        _ => return None,
    })
}

/// Adds the definitions of a command line to the table.
pub(crate) fn command_line(
    table: &mut MacroTable,
    defines: &[(String, String)],
) -> Vec<(String, MacroId)> {
    let mut add = |(name, text): &(String, String)| {
        let def = command_line_define(name, text);
        (def.name.clone(), table.add(def))
    };
    defines.iter().map(&mut add).collect()
}

/// Which compiler takes a root; ordered as roots are processed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Language {
    /// nvcc, as CUDA.
    Cuda,
    /// The compiler of an OpenCL device, as OpenCL C.
    OpenCl,
    /// The host's C compiler.
    C,
    /// The host's C++ compiler.
    Cpp,
    /// A header that was named as a root; taken for CUDA.
    Header,
}

impl Language {
    /// The language that a file name's extension stands for.
    pub(crate) fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("c") => Language::C,
            Some("cl" | "ocl") => Language::OpenCl,
            Some("cc" | "cpp" | "cxx" | "C") => Language::Cpp,
            Some("cu") | None => Language::Cuda,
            Some(_) => Language::Header,
        }
    }
}
