//! The probes of the code-quality gate: `testdata/probes/<name>/`.
//!
//! A probe is one kernel in several files. `aos.cu` is a whole program as people write it and goes
//! through `layoutc transform`. Every other file is the kernel as a good CUDA engineer would write
//! it by hand for one layout, with the `--layout` text in a `//@ layout = "…"` line. The kernel
//! has the folder's name in all of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::nvcc::{ARCH, Flags, Nvcc};
use crate::repository_root;
use crate::sass::KernelCode;

/// One probe kernel.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The folder's and the kernel's name.
    pub name: String,
    /// The program that is transformed.
    pub source: PathBuf,
    /// The hand-written forms, sorted by name.
    pub references: Vec<Reference>,
}

/// One hand-written form of a probe.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The file's name without `.cu`.
    pub name: String,
    /// The file.
    pub file: PathBuf,
    /// What follows `--layout` to ask for this form.
    pub layout: String,
}

#[derive(Deserialize)]
struct Options {
    layout: String,
}

/// The names of all probes, sorted.
///
/// # Errors
/// When the folder cannot be read.
pub fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(repository_root().join("testdata/probes"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

impl Probe {
    /// Reads `testdata/probes/<name>`.
    ///
    /// # Errors
    /// When a file is missing or a reference names no layout.
    pub fn load(name: &str) -> Result<Probe> {
        let folder = repository_root().join("testdata/probes").join(name);
        let mut references = Vec::new();
        for entry in
            fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?
        {
            let file = entry?.path();
            let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if stem == "aos" || file.extension().is_none_or(|extension| extension != "cu") {
                continue;
            }
            let text = fs::read_to_string(&file)?;
            let options: String = text
                .lines()
                .filter_map(|line| line.strip_prefix("//@"))
                .flat_map(|line| [line.trim(), "\n"])
                .collect();
            let Options { layout } = toml::from_str(&options)
                .with_context(|| format!("{} has no `//@ layout = …` line", file.display()))?;
            references.push(Reference { name: stem, file, layout });
        }
        references.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Probe { name: name.to_owned(), source: folder.join("aos.cu"), references })
    }

    /// The reference with this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn reference(&self, name: &str) -> Result<&Reference> {
        let found = self.references.iter().find(|reference| reference.name == name);
        found.with_context(|| format!("{} has no `{name}.cu`", self.name))
    }

    /// The machine code of the probe's kernel as this file has it.
    ///
    /// # Errors
    /// When the file does not compile or does not have exactly one kernel of the probe's name.
    pub fn measure(&self, nvcc: &Nvcc, file: &Path) -> Result<KernelCode> {
        let folder = tempfile::tempdir()?;
        let cubin = folder.path().join("probe.cubin");
        nvcc.compile_cubin(file, &Flags::default(), ARCH, &cubin)?;
        let mut kernels = nvcc.kernels(&cubin)?;
        kernels.retain(|kernel| kernel.is_named(&self.name));
        match kernels.pop() {
            Some(kernel) if kernels.is_empty() => Ok(kernel),
            Some(_) => bail!("{} has several kernels `{}`", file.display(), self.name),
            None => bail!("{} has no kernel `{}`", file.display(), self.name),
        }
    }
}
