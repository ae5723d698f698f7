//! Builds a program against the CPU runtime with the host's C++ compiler.
//!
//! Every text of the program is lowered into a mirror of its folders below the output folder, so that relative
//! includes work; the roots are compiled in parallel and linked with the runtime.

use crate::embedded::{self, hash};
use crate::object_cache::{self, ObjectCache};
use crate::program::{AllocationSite, SourceText, absolute, lower_source};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How one file is compiled, where it is not as [`BuildRequest`] says for all.
#[derive(Clone, Debug, Default)]
pub struct CompileUnit {
    /// The file, by the path of its [`SourceText`].
    pub path: PathBuf,
    /// `-I` folders.
    pub include_dirs: Vec<PathBuf>,
    /// `-iquote` folders.
    pub quote_dirs: Vec<PathBuf>,
    /// `-isystem` folders.
    pub system_dirs: Vec<PathBuf>,
    /// Headers included in front of the file.
    pub forced_includes: Vec<PathBuf>,
    /// Further arguments: `-D`, `-U`, `-std`.
    pub flags: Vec<String>,
    /// Whether it is CUDA, where its name does not say so.
    pub is_cuda: Option<bool>,
}

/// What to build and where.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    /// The program's files; the numbers of allocation sites follow this order.
    pub sources: Vec<SourceText>,
    /// `-I` folders, as given for the source tree.
    pub include_dirs: Vec<PathBuf>,
    /// `-D` definitions, as `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Further arguments to the compiler, for compiling and linking.
    pub flags: Vec<String>,
    /// How single files are compiled; a file with several entries is compiled several times, one
    /// without any once, with nothing but what this request says.
    pub units: Vec<CompileUnit>,
    /// The compiler, `g++` of version 12 or later or a command that takes the same arguments.
    pub compiler: String,
    /// Where everything is written; created when absent.
    pub out_dir: PathBuf,
    /// Where compiled objects are kept for later builds of the same text; without it each build compiles its own.
    pub cache_dir: Option<PathBuf>,
    /// Whether the program is built to be traced ([`crate::trace`]).
    pub is_traced: bool,
    /// How many files are compiled at a time; otherwise as many as there are processors.
    pub most_workers: Option<usize>,
}

impl BuildRequest {
    /// A request with `g++` and nothing beyond the sources.
    pub fn new(sources: Vec<SourceText>, out_dir: PathBuf) -> Self {
        Self {
            sources,
            include_dirs: Vec::new(),
            defines: Vec::new(),
            flags: Vec::new(),
            units: Vec::new(),
            compiler: "g++".to_owned(),
            out_dir,
            cache_dir: None,
            is_traced: false,
            most_workers: None,
        }
    }
}

/// A built program.
#[derive(Clone, Debug)]
pub struct Built {
    /// The executable.
    pub executable: PathBuf,
    /// The numbered allocation calls.
    pub sites: Vec<AllocationSite>,
    /// The folder that the program's files were written to, with their paths from the root.
    pub mirror: PathBuf,
}

/// Why a program could not be built.
#[derive(Debug)]
pub enum BuildError {
    /// No source is a root.
    NoRoots,
    /// A file of the build could not be written.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The compiler could not be started.
    NoCompiler {
        /// The command tried.
        compiler: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The compiler refused a file.
    Compile {
        /// The file, at its own path.
        file: PathBuf,
        /// What the compiler said, with the program's own paths.
        messages: String,
    },
    /// The program did not link.
    Link {
        /// What the linker said.
        messages: String,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoots => write!(f, "no source file to compile"),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::NoCompiler { compiler, source } => write!(f, "cannot run `{compiler}`: {source}"),
            Self::Compile { file, messages } => {
                write!(f, "{}: does not compile for the CPU runtime\n{messages}", file.display())
            }
            Self::Link { messages } => write!(f, "the program does not link\n{messages}"),
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } | Self::NoCompiler { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Lowers, compiles and links a program.
///
/// # Errors
/// See [`BuildError`]; of several files that do not compile the first in order is reported.
pub fn build(program: &BuildRequest) -> Result<Built, BuildError> {
    let build = Build::prepare(program)?;
    let sites = build.write_lowered()?;
    let roots = roots(program)?;
    let objects = build.compile_all(&roots)?;
    let executable = build.link(&objects)?;
    Ok(Built { executable, sites, mirror: build.mirror })
}

/// Lowers and compiles the roots of a program; the objects, in the order of the roots.
///
/// # Errors
/// See [`BuildError`].
pub fn compile(program: &BuildRequest) -> Result<Vec<PathBuf>, BuildError> {
    let build = Build::prepare(program)?;
    build.write_lowered()?;
    let roots = roots(program)?.into_iter().enumerate();
    roots.map(|(at, (source, unit))| build.compile(at, source, unit)).collect()
}

/// What is compiled, each as often as a unit says how.
fn roots(program: &BuildRequest) -> Result<Vec<(&SourceText, Option<&CompileUnit>)>, BuildError> {
    let mut roots: Vec<(&SourceText, Option<&CompileUnit>)> = Vec::new();
    for source in program.sources.iter().filter(|s| s.is_root && is_source(&s.path)) {
        let before = roots.len();
        let own = program.units.iter().filter(|unit| unit.path == source.path);
        roots.extend(own.map(|unit| (source, Some(unit))));
        if roots.len() == before {
            roots.push((source, None));
        }
    }
    if roots.is_empty() { Err(BuildError::NoRoots) } else { Ok(roots) }
}

/// The folders of one build.
struct Build<'a> {
    program: &'a BuildRequest,
    include: PathBuf,
    runtime: PathBuf,
    mirror: PathBuf,
    objects: PathBuf,
    openmp: bool,
}

fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    matches!(extension, "cu" | "cpp" | "cc" | "cxx" | "C" | "c")
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e == extension)
}

/// What the compiler is told of every file. The layouts compared must see the same arithmetic, so no contraction;
/// old programs are loose with types and conversions, so the compiler is too.
const FLAGS: [&str; 6] = [
    "-O1",
    "-w",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-ftrivial-auto-var-init=zero",
];

/// What a traced program is compiled with beside that: values stay in registers as they do on a GPU, and no
/// loads or stores of several threads' worth are made, which a GPU's compiler does not do either.
const TRACE_FLAGS: [&str; 5] =
    ["-O2", "-g", "-fno-tree-vectorize", "-fno-tree-slp-vectorize", "-fsanitize=thread"];

impl<'a> Build<'a> {
    fn prepare(program: &'a BuildRequest) -> Result<Self, BuildError> {
        let out = absolute(&program.out_dir);
        let openmp = program
            .sources
            .iter()
            .any(|s| s.text.contains("omp.h") || s.text.contains("pragma omp"));
        let build = Self {
            program,
            include: out.join("include"),
            runtime: out.join("runtime"),
            mirror: out.join("src"),
            objects: out.join("objects"),
            openmp,
        };
        fs::create_dir_all(&build.objects).map_err(io_error(&build.objects))?;
        embedded::write_all(&build.include, &build.runtime).map_err(io_error(&build.include))?;
        Ok(build)
    }

    /// The place of a file or folder of the source tree in the mirror.
    fn mirrored(&self, path: &Path) -> PathBuf {
        let full = absolute(path);
        self.mirror.join(full.strip_prefix("/").unwrap_or(&full))
    }

    fn write_lowered(&self) -> Result<Vec<AllocationSite>, BuildError> {
        let mut sites = Vec::new();
        for source in &self.program.sources {
            let path = self.mirrored(&source.path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(io_error(parent))?;
            }
            let (text, found) = lower_source(source, sites.len());
            sites.extend(found);
            fs::write(&path, text).map_err(io_error(&path))?;
        }
        Ok(sites)
    }

    /// Compiles the runtime and the roots, several at a time.
    fn compile_all(
        &self,
        roots: &[(&SourceText, Option<&CompileUnit>)],
    ) -> Result<Vec<PathBuf>, BuildError> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<Option<Result<PathBuf, BuildError>>>> =
            Mutex::new((0..=roots.len()).map(|_| None).collect());
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let workers = self.program.most_workers.unwrap_or_else(processors).min(roots.len() + 1);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n > roots.len() {
                            return;
                        }
                        let result = if n == 0 {
                            self.runtime_object()
                        } else {
                            self.compile(n, roots[n - 1].0, roots[n - 1].1)
                        };
                        if let Ok(mut all) = results.lock() {
                            all[n] = Some(result);
                        }
                    }
                });
            }
        });
        let all = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.into_iter().flatten().collect()
    }

    fn runtime_object(&self) -> Result<PathBuf, BuildError> {
        let source = self.runtime.join("runtime.cpp");
        let compile_to = |object: &Path| {
            let mut command = Command::new(&self.program.compiler);
            command.args(["-std=c++17", "-O2", "-w", "-c", "-o"]).arg(object);
            command.arg("-I").arg(&self.include).arg(&source);
            self.run_compiler(command, &source)
        };
        let Some(cache) = self.cache()? else {
            let object = self.objects.join("runtime.o");
            compile_to(&object)?;
            return Ok(object);
        };
        let compiler = self.program.compiler.bytes().chain([0]);
        let key = hash(compiler.chain(embedded::fingerprint().to_le_bytes()));
        cache.object("runtime", key, compile_to, |path, error| io_error(path)(error))
    }

    fn cache(&self) -> Result<Option<ObjectCache<'_>>, BuildError> {
        let cache = self.program.cache_dir.as_deref();
        cache.map(|folder| ObjectCache::open(folder).map_err(io_error(folder))).transpose()
    }

    fn compile(
        &self,
        number: usize,
        source: &SourceText,
        unit: Option<&CompileUnit>,
    ) -> Result<PathBuf, BuildError> {
        let stem = source.path.file_stem().unwrap_or_default().to_string_lossy();
        let command = self.compiler(source, unit);
        let compile_to = |object: &Path| {
            let mut compile = Command::new(command.get_program());
            compile.args(command.get_args()).arg("-c").arg("-o").arg(object);
            self.run_compiler(compile, &source.path)
        };
        // What is traced names the files of this very build.
        let cache = if self.program.is_traced { None } else { self.cache()? };
        if let Some((cache, key)) = cache.zip(object_cache::key_of(&command)) {
            return cache.object(&stem, key, compile_to, |path, error| io_error(path)(error));
        }
        let object = self.objects.join(format!("{number}-{stem}.o"));
        compile_to(&object)?;
        Ok(object)
    }

    fn compiler(&self, source: &SourceText, unit: Option<&CompileUnit>) -> Command {
        let mut command = Command::new(&self.program.compiler);
        command.args(FLAGS);
        if self.program.is_traced {
            command.args(TRACE_FLAGS);
        }
        let is_cuda = unit.and_then(|unit| unit.is_cuda);
        if is_cuda.is_none() && has_extension(&source.path, "c") {
            command.args(["-x", "c", "-std=gnu11"]);
        } else {
            command.args(["-x", "c++", "-std=c++17", "-fpermissive"]);
            if is_cuda.unwrap_or(has_extension(&source.path, "cu")) {
                command.args(["-include", "layoutc_runtime.hpp"]);
            } else {
                command.arg("-DLAYOUTC_RT_HOST_FILE");
            }
        }
        if self.openmp {
            command.arg("-fopenmp");
        }
        command.arg("-I").arg(&self.include);
        for dir in &self.program.include_dirs {
            command.arg("-I").arg(self.mirrored(dir)).arg("-I").arg(absolute(dir));
        }
        // What the caller includes comes before what the program does.
        command.args(&self.program.flags);
        if let Some(unit) = unit {
            self.unit_arguments(unit, &mut command);
        }
        if let Some(folder) = absolute(&source.path).parent() {
            command.arg("-iquote").arg(folder);
        }
        command.args(self.program.defines.iter().map(|d| format!("-D{d}")));
        // `__FILE__` is the program's own path, the same in each build.
        command.arg(format!("-fmacro-prefix-map={}=", self.mirror.display()));
        command.arg(self.mirrored(&source.path));
        command
    }

    /// Each folder stands for its mirror and, for what is not part of the program, itself.
    fn unit_arguments(&self, unit: &CompileUnit, command: &mut Command) {
        let kinds = [
            ("-iquote", &unit.quote_dirs),
            ("-I", &unit.include_dirs),
            ("-isystem", &unit.system_dirs),
        ];
        for (flag, folders) in kinds {
            for dir in folders {
                command.arg(flag).arg(self.mirrored(dir)).arg(flag).arg(absolute(dir));
            }
        }
        for header in &unit.forced_includes {
            let mirrored = self.mirrored(header);
            let there = if mirrored.is_file() { mirrored } else { absolute(header) };
            command.arg("-include").arg(there);
        }
        command.args(&unit.flags);
    }

    fn run_compiler(&self, mut command: Command, file: &Path) -> Result<(), BuildError> {
        let messages = self.output_of(&mut command)?;
        match messages {
            None => Ok(()),
            Some(messages) => Err(BuildError::Compile { file: file.to_path_buf(), messages }),
        }
    }

    /// Runs a command; on failure what it wrote on stderr.
    fn output_of(&self, command: &mut Command) -> Result<Option<String>, BuildError> {
        let output = command.output().map_err(|source| BuildError::NoCompiler {
            compiler: self.program.compiler.clone(),
            source,
        })?;
        if output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Ok(Some(text.replace(&*self.mirror.to_string_lossy(), "")))
    }

    fn link(&self, objects: &[PathBuf]) -> Result<PathBuf, BuildError> {
        let executable = absolute(&self.program.out_dir).join("program");
        let command = |extra: &[&str]| {
            let mut command = Command::new(&self.program.compiler);
            command.arg("-o").arg(&executable).args(objects).args(extra);
            if self.openmp {
                command.arg("-fopenmp");
            }
            command.args(&self.program.flags).args(["-lm", "-lpthread", "-ldl"]);
            command
        };
        let Some(messages) = self.output_of(&mut command(&[]))? else {
            return Ok(executable);
        };
        // nvcc keeps `__device__` code and data to each file; the host linker sees the copies from one header twice.
        if messages.contains("multiple definition")
            && self.output_of(&mut command(&["-Wl,-z,muldefs"]))?.is_none()
        {
            return Ok(executable);
        }
        Err(BuildError::Link { messages })
    }
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    let path = path.to_path_buf();
    move |source| BuildError::Io { path, source }
}
