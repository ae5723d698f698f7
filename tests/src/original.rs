//! CUDA programs as they are, on the CPU runtime.

use std::path::{Path, PathBuf};

use anyhow::Result;
use layoutc_runtime::process::{RunRequest, RunResult, run};
use layoutc_runtime::program::read_program;
use layoutc_runtime::toolchain::{BuildRequest, build};
use tempfile::TempDir;

use crate::program::Program;

/// A built program.
#[derive(Debug)]
pub struct Original {
    executable: PathBuf,
    /// Holds the build until the end.
    _folder: TempDir,
}

impl Original {
    /// Builds a shipped program.
    ///
    /// # Errors
    /// When a file is missing, or the host's compiler refuses one.
    pub fn of(program: &Program) -> Result<Original> {
        let files: Vec<_> = program.files.iter().map(|file| program.folder.join(file)).collect();
        Original::of_files(&files)
    }

    /// Builds the program that these files are.
    ///
    /// # Errors
    /// When a file is missing, or the host's compiler refuses one.
    pub fn of_files(files: &[impl AsRef<Path>]) -> Result<Original> {
        let folder = tempfile::tempdir()?;
        let files: Vec<PathBuf> = files.iter().map(|file| file.as_ref().to_path_buf()).collect();
        let sources = read_program(&files, &[])?;
        let built = build(&BuildRequest::new(sources, folder.path().join("original")))?;
        Ok(Original { executable: built.executable, _folder: folder })
    }

    /// Runs it once.
    ///
    /// # Errors
    /// When it cannot be started; a failing program is a [`RunResult`].
    pub fn run(&self, args: &[String]) -> Result<RunResult> {
        let request = RunRequest::new(args.iter().map(Into::into).collect());
        Ok(run(&self.executable, &request)?)
    }
}
