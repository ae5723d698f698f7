//! Builds OpenCL programs and runs them on what OpenCL there is; PoCL makes a device of any CPU.
//!
//! Nothing is lowered: the host files are compiled as they are and linked with the system's `libOpenCL`. Kernel files
//! are read by the program itself, by names relative to its working folder, so a program is built and run in a
//! *mirror* of its folder, in which the texts given stand in the places of the files ([`mirror`]). Linked with the
//! program is what sees accesses outside of buffers on a CPU, described in `opencl/guard.c`. On both rests
//! [`verify`](verify()), which compares what two versions print and how they end; with `opencl/recorder.cpp` an
//! instrumented program is recorded ([`record`](crate::profile::record())).

mod accesses;
mod linked;
mod mirror;
mod trace;
mod verify;

pub use trace::{KernelPlaces, TracedRun};
pub use verify::{OpenClVerifyError, OpenClVerifyRequest, verify};

use crate::object_cache::{ObjectCache, key_of};
use crate::process::{RunRequest, RunResult, RunStatus, run};
use crate::program::{SourceText, absolute};
use mirror::Mirror;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// An OpenCL that was found to work: compilers, headers, the library to link, and at least one device.
#[derive(Clone, Debug)]
pub struct OpenCl {
    compilers: Compilers,
    /// What there is, as `platform: device`, in the order of the platforms.
    pub devices: Vec<String>,
    /// Whether there is `CL/opencl.hpp`.
    pub has_cpp_headers: bool,
}

/// The host's compilers: `gcc` and `g++`, or commands that take the same arguments.
#[derive(Clone, Debug)]
pub struct Compilers {
    /// For `.c`.
    pub c: String,
    /// For everything else.
    pub cpp: String,
}

impl Default for Compilers {
    fn default() -> Self {
        Self { c: "gcc".to_owned(), cpp: "g++".to_owned() }
    }
}

/// A program to build.
#[derive(Clone, Debug)]
pub struct OpenClRequest {
    /// Host files, kernel files and headers. Those that are roots and no kernel files are compiled.
    pub sources: Vec<SourceText>,
    /// The folder in which the program is run; names of kernel files are relative to it.
    pub folder: PathBuf,
    /// `-I` folders, as given for the source tree.
    pub include_dirs: Vec<PathBuf>,
    /// `-D` definitions, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Where everything is written; created when absent.
    pub out_dir: PathBuf,
    /// Where compiled kernels and host objects are kept for later runs; without it kernels lie below `out_dir`.
    pub cache_dir: Option<PathBuf>,
    /// The program is instrumented, and what records it is linked.
    pub is_recorded: bool,
    /// What traces the program is linked, and kernel files say what they are called.
    pub is_traced: bool,
}

/// A built program.
#[derive(Clone, Debug)]
pub struct OpenClBuilt {
    /// The executable.
    pub executable: PathBuf,
    /// The mirror of the folder that the program is run in.
    pub folder: PathBuf,
    cache: PathBuf,
    is_recorded: bool,
    mirror: PathBuf,
}

/// Why there is no OpenCL, or why a program could not be built.
#[derive(Debug)]
pub enum OpenClError {
    /// A part of OpenCL is missing.
    Missing {
        /// Which.
        part: OpenClPart,
        /// What the compiler or the linker said.
        messages: String,
    },
    /// No source is a host file.
    NoRoots,
    /// A file could not be written or linked.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A compiler could not be started.
    NoCompiler {
        /// The command tried.
        compiler: String,
        /// The system's reason.
        source: io::Error,
    },
    /// A compiler refused a file.
    Compile {
        /// The file, at its own path.
        file: PathBuf,
        /// What the compiler said.
        messages: String,
    },
    /// The objects do not link.
    Link {
        /// What the linker said.
        messages: String,
    },
}

/// What a program needs of OpenCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenClPart {
    /// `CL/cl.h`.
    Headers,
    /// `libOpenCL`.
    Library,
    /// A platform with a device.
    Device,
}

/// The Debian packages with all parts, and PoCL as the device.
pub const DEBIAN_PACKAGES: [&str; 4] =
    ["pocl-opencl-icd", "ocl-icd-opencl-dev", "opencl-c-headers", "opencl-clhpp-headers"];

impl fmt::Display for OpenClError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { part, messages } => {
                let what = match part {
                    OpenClPart::Headers => "the headers of OpenCL (CL/cl.h) are not installed",
                    OpenClPart::Library => "the library of OpenCL (libOpenCL) is not installed",
                    OpenClPart::Device => "OpenCL is installed, but has no device",
                };
                writeln!(f, "{what}. PoCL runs OpenCL on the CPU:")?;
                writeln!(f, "  Debian, Ubuntu: apt-get install {}", DEBIAN_PACKAGES.join(" "))?;
                writeln!(f, "  Fedora: dnf install pocl ocl-icd-devel opencl-headers")?;
                write!(f, "  Arch: pacman -S pocl ocl-icd opencl-headers opencl-clhpp")?;
                if messages.is_empty() { Ok(()) } else { write!(f, "\n{}", messages.trim_end()) }
            }
            Self::NoRoots => f.write_str("no file of the program is a host file"),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::NoCompiler { compiler, source } => write!(f, "cannot run `{compiler}`: {source}"),
            Self::Compile { file, messages } => {
                write!(f, "{}: does not compile\n{messages}", file.display())
            }
            Self::Link { messages } => write!(f, "the program does not link\n{messages}"),
        }
    }
}

impl std::error::Error for OpenClError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } | Self::NoCompiler { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// What host files are compiled with: the versions compared must see the same arithmetic, and old programs are loose
/// with types and conversions.
const FLAGS: [&str; 6] = [
    "-O1",
    "-w",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-ftrivial-auto-var-init=zero",
];

/// What is tried one after the other; errors are those of the first.
const C_STANDARDS: &[&str] = &["-std=gnu11"];

/// C++17 took exception specifications away (`throw(std::string)`), which older programs have.
const CPP_STANDARDS: &[&str] = &["-std=gnu++17", "-std=gnu++14"];

/// How long the look for devices may take; loading a platform takes a fraction of a second.
const PROBE_LIMIT: Duration = Duration::from_secs(60);

impl OpenCl {
    /// Compiles, links and runs a program that lists the devices.
    ///
    /// # Errors
    /// [`OpenClError::Missing`] with the first part that is not there.
    pub fn find(compilers: &Compilers) -> Result<Self, OpenClError> {
        let scratch = tempfile::tempdir().map_err(io_error(&std::env::temp_dir()))?;
        let source = scratch.path().join("opencl_probe.c");
        let (object, program) = (scratch.path().join("probe.o"), scratch.path().join("probe"));
        fs::write(&source, include_str!("../opencl/probe.c")).map_err(io_error(&source))?;
        let missing = |part| move |messages| OpenClError::Missing { part, messages };
        let mut compile = Command::new(&compilers.c);
        compile.args(["-std=gnu11", "-w", "-c", "-o"]).arg(&object).arg(&source);
        output_of(&mut compile)?.map_or(Ok(()), |m| Err(missing(OpenClPart::Headers)(m)))?;
        let mut link = Command::new(&compilers.c);
        link.arg("-o").arg(&program).arg(&object).arg("-lOpenCL");
        output_of(&mut link)?.map_or(Ok(()), |m| Err(missing(OpenClPart::Library)(m)))?;

        let mut request = RunRequest::new(Vec::new());
        request.timeout = PROBE_LIMIT;
        let result = run(&program, &request).map_err(io_error(&program))?;
        let stdout = String::from_utf8_lossy(&result.stdout);
        let mut lines = stdout.lines();
        let has_cpp_headers = lines.next() == Some("1");
        let devices: Vec<String> = lines.map(str::to_owned).collect();
        if result.status != RunStatus::Exited(0) || devices.is_empty() {
            let messages = String::from_utf8_lossy(&result.stderr).into_owned();
            return Err(missing(OpenClPart::Device)(messages));
        }
        Ok(Self { compilers: compilers.clone(), devices, has_cpp_headers })
    }

    /// Writes the mirror of a program, compiles its host files and links them.
    ///
    /// # Errors
    /// See [`OpenClError`]; of several files that do not compile the first in order is reported.
    pub fn build(&self, program: &OpenClRequest) -> Result<OpenClBuilt, OpenClError> {
        let out = absolute(&program.out_dir);
        let objects = out.join("objects");
        fs::create_dir_all(&objects).map_err(io_error(&objects))?;
        let mirror = Mirror::write(&out.join("src"), program)?;
        let roots: Vec<&SourceText> =
            program.sources.iter().filter(|s| s.is_root && is_host(&s.path)).collect();
        if roots.is_empty() {
            return Err(OpenClError::NoRoots);
        }
        let mut linked = Vec::new();
        for (number, root) in roots.iter().enumerate() {
            linked.push(self.compile(program, &mirror, root, &objects, number)?);
        }
        let guard = objects.join("guard.o");
        let source = objects.join("guard.c");
        fs::write(&source, include_str!("../opencl/guard.c")).map_err(io_error(&source))?;
        let mut compile = Command::new(&self.compilers.c);
        compile.args(["-std=gnu11", "-O1", "-w", "-c", "-o"]).arg(&guard).arg(&source);
        if let Some(messages) = output_of(&mut compile)? {
            return Err(OpenClError::Compile { file: source, messages });
        }
        linked.push(guard);
        if program.is_recorded {
            linked.push(linked::object(self, program, &objects, &linked::RECORDER)?);
        }
        if program.is_traced {
            linked.push(linked::object(self, program, &objects, &linked::TRACER)?);
        }
        let executable = out.join("program");
        let is_c =
            !program.is_recorded && !program.is_traced && roots.iter().all(|root| is_c(&root.path));
        let mut link = Command::new(if is_c { &self.compilers.c } else { &self.compilers.cpp });
        link.arg("-o").arg(&executable).args(&linked);
        link.args(["-lOpenCL", "-lm", "-lpthread", "-ldl"]).args(openmp(program));
        if let Some(messages) = output_of(&mut link)? {
            return Err(OpenClError::Link { messages });
        }
        // What is traced is of use to one run only.
        let kept = program.cache_dir.as_deref().filter(|_| !program.is_traced);
        let cache = kept.map_or_else(|| out.join("kernels"), absolute);
        fs::create_dir_all(&cache).map_err(io_error(&cache))?;
        Ok(OpenClBuilt {
            executable,
            folder: mirror.place(&program.folder),
            cache,
            is_recorded: program.is_recorded,
            mirror: mirror.root().to_path_buf(),
        })
    }

    fn compile(
        &self,
        program: &OpenClRequest,
        mirror: &Mirror,
        root: &SourceText,
        objects: &Path,
        number: usize,
    ) -> Result<PathBuf, OpenClError> {
        // What is traced is of use to one run only.
        let folder = program.cache_dir.as_deref().filter(|_| !program.is_traced);
        let folder = folder.map(|folder| folder.join("host"));
        let cache = folder.as_deref().map(ObjectCache::open).transpose();
        let cache = cache.map_err(io_error(folder.as_deref().unwrap_or(objects)))?;
        let mut first = None;
        for standard in if is_c(&root.path) { C_STANDARDS } else { CPP_STANDARDS } {
            let command = self.compiler(program, mirror, root, standard);
            let compile_to = |object: &Path| {
                let mut compile = Command::new(command.get_program());
                compile.args(command.get_args()).arg("-c").arg("-o").arg(object);
                output_of(&mut compile)?.map_or(Ok(()), |messages| {
                    Err(OpenClError::Compile { file: root.path.clone(), messages })
                })
            };
            let keyed = cache.as_ref().and_then(|cache| Some((cache, key_of(&command)?)));
            let compiled = if let Some((cache, key)) = keyed {
                cache.object("host", key, compile_to, |path, error| io_error(path)(error))
            } else {
                let object = objects.join(format!("{number}.o"));
                compile_to(&object).map(|()| object)
            };
            match compiled {
                Err(OpenClError::Compile { messages, .. }) => drop(first.get_or_insert(messages)),
                other => return other,
            }
        }
        let messages = first.unwrap_or_default();
        Err(OpenClError::Compile {
            file: root.path.clone(),
            messages: messages.replace(&*mirror.root().to_string_lossy(), ""),
        })
    }

    fn compiler(
        &self,
        program: &OpenClRequest,
        mirror: &Mirror,
        root: &SourceText,
        standard: &str,
    ) -> Command {
        let (compiler, language) =
            if is_c(&root.path) { (&self.compilers.c, "c") } else { (&self.compilers.cpp, "c++") };
        let mut command = Command::new(compiler);
        command.args(["-x", language, standard]).args(FLAGS).args(openmp(program));
        if language == "c++" {
            command.arg("-fpermissive");
        }
        for dir in &program.include_dirs {
            command.arg("-I").arg(mirror.place(dir)).arg("-I").arg(absolute(dir));
        }
        command.args(program.defines.iter().map(|d| format!("-D{d}")));
        // What is not part of the program is found beside the file itself.
        if let Some(folder) = absolute(&root.path).parent() {
            command.arg("-iquote").arg(folder);
        }
        // `__FILE__` is the program's own path, the same in each build.
        command.arg(format!("-fmacro-prefix-map={}=", mirror.root().display()));
        command.arg(mirror.place(&root.path));
        command
    }
}

impl OpenClBuilt {
    /// Runs the program in the mirror of its folder, whatever folder `request` names, to its end or to the time limit.
    ///
    /// Work-groups run one after another, unless the environment says otherwise (`POCL_MAX_PTHREAD_COUNT`): what
    /// depends on their order is then the same in each run.
    ///
    /// # Errors
    /// The program could not be started or waited for.
    pub fn run(&self, request: &RunRequest) -> io::Result<RunResult> {
        let mut request = RunRequest { dir: Some(self.folder.clone()), ..request.clone() };
        let defaults: [(&str, OsString); 2] =
            [("POCL_CACHE_DIR", self.cache.clone().into()), ("POCL_MAX_PTHREAD_COUNT", "1".into())];
        for (name, value) in defaults {
            let given = request.env.iter().any(|(own, _)| own == name);
            if !given && std::env::var_os(name).is_none() {
                request.env.push((name.to_owned(), value));
            }
        }
        if self.is_recorded {
            // One work-group at a time writes what it does, and into memory that is known.
            let wanted = [("POCL_MAX_PTHREAD_COUNT", "1"), ("LAYOUTC_CL_GUARD", "1")];
            request.env.extend(wanted.map(|(name, value)| (name.to_owned(), value.into())));
        }
        run(&self.executable, &request)
    }
}

/// Threads on the host, where a text asks for them.
fn openmp(program: &OpenClRequest) -> Option<&'static str> {
    let asks = |s: &SourceText| s.text.contains("omp.h") || s.text.contains("pragma omp");
    program.sources.iter().any(asks).then_some("-fopenmp")
}

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "c")
}

fn is_host(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    matches!(extension, "c" | "cpp" | "cc" | "cxx" | "C" | "c++")
}

/// Runs a compiler; on failure what it wrote on stderr.
fn output_of(command: &mut Command) -> Result<Option<String>, OpenClError> {
    let output = command.output().map_err(|source| OpenClError::NoCompiler {
        compiler: command.get_program().to_string_lossy().into_owned(),
        source,
    })?;
    let failed = !output.status.success();
    Ok(failed.then(|| String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> OpenClError {
    let path = path.to_path_buf();
    move |source| OpenClError::Io { path, source }
}
