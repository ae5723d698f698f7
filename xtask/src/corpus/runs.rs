//! How to run programs that need arguments or input, from `runs.toml` beside this file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

/// One program's run.
#[derive(Clone, Debug, Default, Deserialize)]
struct Run {
    /// Its arguments; `{dir}` is the run's temporary folder.
    args: Vec<String>,
    /// Files to write there, by name; `{dir}` is replaced in them too.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// All known runs, by the end of the program's name.
#[derive(Clone, Debug, Deserialize)]
pub struct Runs(BTreeMap<String, Run>);

impl Runs {
    /// The runs of `runs.toml`.
    ///
    /// # Errors
    /// When the file does not have its form.
    pub fn load() -> Result<Runs> {
        Ok(toml::from_str(include_str!("runs.toml"))?)
    }

    /// Writes the input of a program, by its path, into `dir` and returns its arguments; none for a program
    /// that is not listed. Of several names that fit the longest counts.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn prepare(&self, program: &Path, dir: &Path) -> Result<Vec<String>> {
        let fitting = self.0.iter().filter(|(name, _)| program.ends_with(name));
        let longest = fitting.max_by_key(|(name, _)| Path::new(name).components().count());
        let Some((_, run)) = longest else {
            return Ok(Vec::new());
        };
        let dir_name = dir.display().to_string();
        for (name, text) in &run.files {
            fs::write(dir.join(name), text.replace("{dir}", &dir_name))?;
        }
        Ok(run.args.iter().map(|arg| arg.replace("{dir}", &dir_name)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_written_and_named() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let args = Runs::load()?.prepare(Path::new("cuda/bfs"), folder.path())?;
        assert_eq!(args, [format!("{}/graph.txt", folder.path().display())]);
        assert!(folder.path().join("graph.txt").is_file());
        let opencl = Runs::load()?.prepare(Path::new("x/opencl/nn"), folder.path())?;
        let cuda = Runs::load()?.prepare(Path::new("x/cuda/nn"), folder.path())?;
        assert!(opencl.len() > cuda.len(), "{opencl:?} is not the longer name's");
        assert!(Runs::load()?.prepare(Path::new("bfs2"), folder.path())?.is_empty());
        Ok(())
    }
}
