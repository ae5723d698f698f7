//! NVIDIA's compiler and disassembler, as the tests need them: to objects and to cubins, never run.
//!
//! The tools come from the first of these places that has them: the program named by
//! `$LAYOUTC_NVCC`, the wheels that `cargo xtask setup` puts into `.tools/venv`, the `PATH`. No GPU
//! and no driver is needed. The nvcc of the wheels finds its headers through its own
//! `nvcc.profile`; only linking would need more, and nothing here links.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::repository_root;
use crate::sass::{self, KernelCode};

/// The architecture that every transformed program is compiled for.
pub const ARCH: &str = "sm_80";

/// What nvcc was given, beside the file and where to put the result.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Folders for `-I`, in order.
    pub include_dirs: Vec<PathBuf>,
    /// `NAME` or `NAME=VALUE` for `-D`, in order.
    pub defines: Vec<String>,
    /// `-rdc=true`: device code that is linked later, as kernels that launch kernels need.
    pub relocatable: bool,
}

/// nvcc and the tools that come with it.
#[derive(Clone, Debug)]
pub struct Nvcc {
    program: PathBuf,
}

impl Nvcc {
    /// The first nvcc of `$LAYOUTC_NVCC`, `.tools/venv` and `PATH`.
    ///
    /// # Errors
    /// When there is none; the message says how to install it.
    pub fn find() -> Result<Nvcc> {
        if let Some(given) = env::var_os("LAYOUTC_NVCC") {
            let program = PathBuf::from(given);
            if program.is_file() {
                return Ok(Nvcc { program });
            }
            bail!("$LAYOUTC_NVCC names `{}`, which is not a file", program.display());
        }
        let found = Nvcc::in_venv(&repository_root().join(".tools/venv"))
            .or_else(|| on_path("nvcc").map(|program| Nvcc { program }));
        found.context(
            "no nvcc: run `cargo xtask setup`, or name one in $LAYOUTC_NVCC (CUDA 13.0 is what the tests expect)",
        )
    }

    /// The nvcc of a Python virtual environment with the `nvidia-cuda-nvcc` wheel.
    #[must_use]
    pub fn in_venv(venv: &Path) -> Option<Nvcc> {
        let mut pythons: Vec<PathBuf> =
            fs::read_dir(venv.join("lib")).ok()?.flatten().map(|entry| entry.path()).collect();
        pythons.sort();
        pythons
            .into_iter()
            .map(|python| python.join("site-packages/nvidia/cu13/bin/nvcc"))
            .find(|program| program.is_file())
            .map(|program| Nvcc { program })
    }

    /// Where the compiler is.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// What `nvcc --version` says of its release, for example `13.0`.
    ///
    /// # Errors
    /// When it cannot be run or says nothing that looks like a release.
    pub fn release(&self) -> Result<String> {
        let output = self.run(["--version".into()])?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.split_once("release ")
            .and_then(|(_, rest)| rest.split(',').next())
            .map(str::to_owned)
            .with_context(|| format!("`{} --version` names no release", self.program.display()))
    }

    /// Compiles one source file to an object, as `nvcc -c` does.
    ///
    /// # Errors
    /// With nvcc's own messages when the file does not compile.
    pub fn compile_object(
        &self,
        file: &Path,
        flags: &Flags,
        arch: &str,
        object: &Path,
    ) -> Result<()> {
        self.compile("-c", file, flags, arch, object)
    }

    /// Compiles one source file to nothing, with all warnings as errors or with none.
    ///
    /// A random program of 1500 lines costs 1.1 s of CPU time, of which 0.6 s are the headers: two
    /// runs of the preprocessor 0.1, `cudafe++` 0.25, `cicc` 0.4, `ptxas` 0.15, the host compiler
    /// 0.4. `-Xcicc -O0 -Xptxas -O0` saves a tenth, and hides what only the optimiser refuses.
    ///
    /// # Errors
    /// With nvcc's own messages when the file does not compile.
    pub fn check(&self, file: &Path, warnings: bool) -> Result<()> {
        let warnings: &[&str] = if warnings { &["-Werror", "all-warnings"] } else { &["-w"] };
        let mut arguments: Vec<OsString> = warnings.iter().map(Into::into).collect();
        arguments.extend(["-std=c++17", "-arch", ARCH, "-c", "-o", "/dev/null"].map(Into::into));
        arguments.push(file.into());
        let output = self.run(arguments)?;
        if !output.status.success() {
            bail!(
                "nvcc does not accept {}\n{}{}",
                file.display(),
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr),
            );
        }
        Ok(())
    }

    /// Compiles the device code of one source file, optimised, for reading with [`Nvcc::kernels`].
    ///
    /// # Errors
    /// With nvcc's own messages when the file does not compile.
    pub fn compile_cubin(
        &self,
        file: &Path,
        flags: &Flags,
        arch: &str,
        cubin: &Path,
    ) -> Result<()> {
        self.compile("-cubin", file, flags, arch, cubin)
    }

    /// The machine code of the kernels in a cubin.
    ///
    /// # Errors
    /// When `cuobjdump` or `nvdisasm` is missing or fails.
    pub fn kernels(&self, cubin: &Path) -> Result<Vec<KernelCode>> {
        let listing = self.cuobjdump(&["-sass".as_ref(), cubin.as_os_str()])?;
        let usage = self.cuobjdump(&["--dump-resource-usage".as_ref(), cubin.as_os_str()])?;
        Ok(sass::parse(&listing, &usage))
    }

    /// The time of nvcc's host front end on one file: `cpp` and `cudafe++`, which parses the whole
    /// file, device code included, but generates none.
    ///
    /// # Errors
    /// With the tools' own messages when the file does not compile.
    pub fn front_end_time(&self, file: &Path) -> Result<Duration> {
        self.front_end(file, &[])
    }

    /// Parses one source file and generates nothing, with all warnings as errors: a third of the time
    /// of [`Nvcc::check`]. Unused declarations are among the warnings.
    ///
    /// # Errors
    /// With the tools' own messages when the file does not compile.
    pub fn check_front_end(&self, file: &Path) -> Result<()> {
        self.front_end(file, &["-Werror", "all-warnings"]).map(drop)
    }

    /// nvcc has no option to stop there, so the two commands are those that `nvcc --dryrun` lists.
    fn front_end(&self, file: &Path, flags: &[&str]) -> Result<Duration> {
        let folder = tempfile::tempdir()?;
        let plan = Command::new(&self.program)
            .args(flags)
            .args(["--dryrun", "-std=c++17", "-arch", ARCH, "-cuda", "-o"])
            .args([folder.path().join("host.cpp").as_path(), file])
            .env("TMPDIR", folder.path())
            .output()?;
        let plan = String::from_utf8_lossy(&plan.stderr);
        let mut steps = Vec::new();
        for step in plan.lines().filter_map(|line| line.strip_prefix("#$ ")) {
            steps.push(step);
            if step.starts_with("cudafe++ ") {
                break;
            }
        }
        let script = steps.split_off(steps.len().saturating_sub(2)).join("\n");
        let start = Instant::now();
        let output = Command::new("sh")
            .args(["-e", "-c", &script])
            .env("PATH", self.search_path()?)
            .output()
            .context("cannot run sh")?;
        let elapsed = start.elapsed();
        if !output.status.success() {
            bail!(
                "nvcc's front end does not accept {}\n{}",
                file.display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(elapsed)
    }

    fn compile(
        &self,
        stage: &str,
        file: &Path,
        flags: &Flags,
        arch: &str,
        result: &Path,
    ) -> Result<()> {
        // Templates and `goto` over host code make nvcc chatty; what counts here is its verdict. Device code is
        // optimised without being told; `-O3` is for host code, which nobody reads.
        let mut arguments: Vec<OsString> =
            ["-w", "-std=c++17", "-arch", arch, stage].iter().map(Into::into).collect();
        for folder in &flags.include_dirs {
            arguments.push("-I".into());
            arguments.push(folder.into());
        }
        for define in &flags.defines {
            arguments.push(format!("-D{define}").into());
        }
        if flags.relocatable {
            arguments.push("-rdc=true".into());
        }
        arguments.extend(["-o".into(), result.into(), file.into()]);
        let output = self.run(arguments)?;
        if !output.status.success() {
            bail!(
                "nvcc {stage} does not accept {}\n{}{}",
                file.display(),
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr),
            );
        }
        Ok(())
    }

    fn run(&self, arguments: impl IntoIterator<Item = OsString>) -> Result<Output> {
        Command::new(&self.program)
            .args(arguments)
            .output()
            .with_context(|| format!("cannot run {}", self.program.display()))
    }

    fn cuobjdump(&self, arguments: &[&std::ffi::OsStr]) -> Result<String> {
        let beside = self.program.with_file_name("cuobjdump");
        let program = if beside.is_file() {
            beside
        } else {
            on_path("cuobjdump").context("no cuobjdump: run `cargo xtask setup`")?
        };
        let output = Command::new(&program)
            .args(arguments)
            .env("PATH", self.search_path()?)
            .output()
            .with_context(|| format!("cannot run {}", program.display()))?;
        if !output.status.success() {
            bail!("{} failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// `PATH` with nvcc's own folder first: `cuobjdump` looks there for `nvdisasm`.
    fn search_path(&self) -> Result<OsString> {
        let own = self.program.parent().map(Path::to_path_buf);
        let inherited = env::var_os("PATH").unwrap_or_default();
        Ok(env::join_paths(own.into_iter().chain(env::split_paths(&inherited)))?)
    }
}

/// The first file of this name in the folders of `PATH`.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str =
        "extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2.0f; }\n";

    #[test]
    fn compiles_to_an_object_and_to_machine_code() -> Result<()> {
        let nvcc = Nvcc::find()?;
        let folder = tempfile::tempdir()?;
        let (file, object, cubin) =
            (folder.path().join("a.cu"), folder.path().join("a.o"), folder.path().join("a.cubin"));
        fs::write(&file, KERNEL)?;
        nvcc.compile_object(&file, &Flags::default(), ARCH, &object)?;
        assert!(object.is_file());
        nvcc.compile_cubin(&file, &Flags::default(), ARCH, &cubin)?;
        let kernels = nvcc.kernels(&cubin)?;
        assert_eq!(kernels.len(), 1);
        assert_eq!((kernels[0].loads(), kernels[0].stores, kernels[0].calls), (1, 1, 0));
        Ok(())
    }

    #[test]
    fn a_broken_file_is_an_error_with_its_name() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("broken.cu");
        fs::write(&file, "__global__ void k( {")?;
        let error = Nvcc::find()?
            .compile_object(&file, &Flags::default(), ARCH, &folder.path().join("a.o"))
            .expect_err("the file is not CUDA");
        assert!(error.to_string().contains("broken.cu"), "{error}");
        Ok(())
    }
}
