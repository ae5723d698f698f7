//! OpenCL programs built with the host's compilers and run on the device that is installed, PoCL for one.
//!
//! A program is `testdata/programs/opencl/<name>`, described by a `program.toml` as the CUDA programs are
//! ([`crate::program`]): `files` are host files and those kernel files that are read at run time.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};
pub use layoutc_runtime::opencl::DEBIAN_PACKAGES;
use layoutc_runtime::opencl::{Compilers, OpenCl, OpenClBuilt, OpenClRequest};
use layoutc_runtime::process::{RunRequest, RunResult, RunStatus};
use layoutc_runtime::program::read_program;
use tempfile::TempDir;

use crate::program::{Program, programs_folder};

/// How long one run may take; compiling kernels for the first time takes most of it.
pub const RUN_LIMIT: Duration = Duration::from_secs(120);

/// Hands the names of all shipped OpenCL programs to a macro; tests compare them with the folders.
#[macro_export]
macro_rules! every_opencl_program {
    ($tests:ident) => {
        $tests! {
            app_rigid_bodies
            bitonic
            blackscholes
            idiom_argument_tables
            idiom_attributes
            idiom_buffer_class
            idiom_build_options
            idiom_context_struct
            idiom_copy_host_ptr
            idiom_cpp_buffers
            idiom_crlf
            idiom_device_class
            idiom_events
            idiom_fill_copy
            idiom_grid_2d
            idiom_handle_lists
            idiom_images
            idiom_included_text
            idiom_invalid_ranges
            idiom_macros
            idiom_map_ranges
            idiom_member_arrays
            idiom_out_of_order
            idiom_pointers
            idiom_setters
            idiom_shared_header
            idiom_stringify
            idiom_subranges
            idiom_two_programs
            idiom_use_host_ptr
            idiom_vector_members
            lavamd
            nbody
            sampo
        }
    };
}

/// The names of all OpenCL programs for [`Program::load`], sorted: `opencl/nbody` and so on.
///
/// # Errors
/// When the folder cannot be read.
pub fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(programs_folder().join("opencl"))? {
        let entry = entry?;
        if entry.path().join("program.toml").is_file() {
            names.push(format!("opencl/{}", entry.file_name().to_string_lossy()));
        }
    }
    names.sort();
    Ok(names)
}

/// The OpenCL of this machine, looked for once per process.
///
/// # Errors
/// When a part is missing; the message says how to install it.
pub fn installed() -> Result<&'static OpenCl> {
    static FOUND: OnceLock<Result<OpenCl, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| find().map_err(|error| format!("{error:#}")));
    found.as_ref().map_err(|message| anyhow!("{message}"))
}

/// Looks for OpenCL; unlike [`installed`] anew with each call.
///
/// # Errors
/// When a part is missing; the message says how to install it.
pub fn find() -> Result<OpenCl> {
    let found = OpenCl::find(&compilers())?;
    ensure!(
        found.has_cpp_headers,
        "the C++ headers of OpenCL (CL/opencl.hpp) are not installed\n  \
         Debian, Ubuntu: apt-get install opencl-clhpp-headers"
    );
    Ok(found)
}

/// `$CC` and `$CXX`, otherwise GCC.
fn compilers() -> Compilers {
    let given = |name: &str| env::var(name).ok().filter(|command| !command.is_empty());
    let Compilers { c, cpp } = Compilers::default();
    Compilers { c: given("CC").unwrap_or(c), cpp: given("CXX").unwrap_or(cpp) }
}

/// A built program, as shipped or rewritten.
#[derive(Debug)]
pub struct Host {
    built: OpenClBuilt,
    /// Holds the build until the end.
    _scratch: TempDir,
}

impl Host {
    /// Builds the program's files as they lie in `folder`: the program's own, or one that `--out-dir` named.
    ///
    /// # Errors
    /// When there is no OpenCL, a file is missing, or the compiler refuses one.
    pub fn build(program: &Program, folder: &Path) -> Result<Host> {
        let files: Vec<PathBuf> = program.files.iter().map(|file| folder.join(file)).collect();
        Self::build_files(&files, folder, vec![folder.to_path_buf()])
            .with_context(|| format!("{} in {}", program.name, folder.display()))
    }

    /// Builds host files, to be run in `folder`, where kernel files are read.
    ///
    /// # Errors
    /// When there is no OpenCL, a file is missing, or the compiler refuses one.
    pub fn build_files(
        files: &[PathBuf],
        folder: &Path,
        include_dirs: Vec<PathBuf>,
    ) -> Result<Host> {
        let scratch = tempfile::tempdir()?;
        let sources = read_program(files, &include_dirs)?;
        let built = installed()?.build(&OpenClRequest {
            sources,
            folder: folder.to_path_buf(),
            include_dirs,
            defines: Vec::new(),
            out_dir: scratch.path().to_path_buf(),
            cache_dir: Some(kernel_cache()?),
            is_recorded: false,
            is_traced: false,
        })?;
        Ok(Host { built, _scratch: scratch })
    }

    /// Runs it once.
    ///
    /// # Errors
    /// When it cannot be started; a failing program is a [`RunResult`].
    pub fn run(&self, args: &[String]) -> Result<RunResult> {
        self.run_in(args, &[])
    }

    /// Runs it once, with variables added to its environment.
    ///
    /// # Errors
    /// When it cannot be started; a failing program is a [`RunResult`].
    pub fn run_in(&self, args: &[String], environment: &[(&str, &OsStr)]) -> Result<RunResult> {
        let mut request = RunRequest::new(args.iter().map(OsString::from).collect());
        request.timeout = RUN_LIMIT;
        let given = environment.iter().map(|(name, value)| ((*name).to_owned(), value.into()));
        request.env.extend(given);
        Ok(self.built.run(&request)?)
    }
}

/// The arguments of each small run, and what is printed then.
pub type Runs<'p> = Vec<(&'p [String], Vec<u8>)>;

impl Host {
    /// What the program prints in each small run; it must pass its own check.
    ///
    /// # Errors
    /// When it does not end with status 0 or does not print `PASSED`.
    pub fn runs<'p>(&self, program: &'p Program) -> Result<Runs<'p>> {
        let mut runs = Vec::new();
        for args in &program.args {
            let result = self.run(args)?;
            ensure!(passed(&result), "{} {args:?}:\n{}", program.name, in_words(&result));
            runs.push((args.as_slice(), result.stdout));
        }
        Ok(runs)
    }

    /// Checks that this version of a program prints what another one did, byte for byte.
    ///
    /// # Errors
    /// When it ends otherwise or prints something else; the message holds both outputs.
    pub fn prints_the_same(&self, expected: &Runs) -> Result<()> {
        for (args, stdout) in expected {
            let result = self.run(args)?;
            let same = result.status == RunStatus::Exited(0) && result.stdout == *stdout;
            ensure!(
                same,
                "{args:?} before:\n{}after:\n{}",
                String::from_utf8_lossy(stdout),
                in_words(&result)
            );
        }
        Ok(())
    }
}

/// Whether a run ended with status 0 and the last line `PASSED`.
#[must_use]
pub fn passed(result: &RunResult) -> bool {
    result.status == RunStatus::Exited(0) && result.stdout.ends_with(b"\nPASSED\n")
}

/// What a run printed and how it ended, for a message.
#[must_use]
pub fn in_words(result: &RunResult) -> String {
    let (stdout, stderr) =
        (String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    format!("{stdout}{stderr}{:?}\n", result.status)
}

/// Kernels compiled by an earlier test run are taken from here: PoCL needs up to a second for each.
fn kernel_cache() -> Result<PathBuf> {
    let executable = env::current_exe()?;
    let profile = executable
        .ancestors()
        .find(|folder| folder.ends_with("release") || folder.ends_with("debug"))
        .with_context(|| format!("{} is in no target folder", executable.display()))?;
    Ok(profile.join("opencl-kernels"))
}
