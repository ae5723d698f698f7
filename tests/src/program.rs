//! The shipped programs: `testdata/programs/<name>/program.toml` and the sources beside it.
//!
//! ```toml
//! files = ["main.cu", "kernels.cu"]          # what goes on the command line
//! args = [[], ["64", "2"], ["1"]]            # one small run each, edge cases among them
//! large = ["100000", "10"]                   # a run that takes seconds
//! simulated = ["50000", "2"]                # a run whose addresses are simulated; the first otherwise
//! records = ["Particle"]                     # the types that every layout below changes
//! kept = "LC0024"                            # only if the types are kept instead, and why
//! stays = ["Grid", "Cell in soa"]            # of several types, those that keep their layout all the same
//! native = ["h"]                             # with `--host native`: host arrays that get the layout
//! [layouts]                                  # what follows `--layout`, one text or several
//! aligned = "Particle = aos align(16)"
//! soa = "Particle = soa"
//! clustered = "Particle = {x y z m} align(16), {vx vy vz}"
//! tiled = "Particle = tiled(32)"
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::repository_root;

/// The layouts that every program is tested in.
pub const LAYOUTS: [&str; 4] = ["aligned", "soa", "clustered", "tiled"];

/// Hands the names of all shipped programs to a macro; tests compare them with the folders.
#[macro_export]
macro_rules! every_program {
    ($tests:ident) => {
        $tests! {
            app_epidemic
            app_lattice
            app_path_tracer
            app_sph
            bitonic
            blackscholes
            euler
            heat3d
            idiom_addresses
            idiom_allocators
            idiom_async_stream
            idiom_buffer_template
            idiom_byte_copy
            idiom_class
            idiom_class_templates
            idiom_copies
            idiom_crlf
            idiom_deref
            idiom_device_copy
            idiom_device_functions
            idiom_error_paths
            idiom_handle
            idiom_host_native
            idiom_inheritance
            idiom_local_pointer
            idiom_long_copy
            idiom_macro_access
            idiom_macro_forms
            idiom_managed
            idiom_many_members
            idiom_memset
            idiom_names
            idiom_padding
            idiom_pointer_swap
            idiom_prefix_copy
            idiom_raii
            idiom_record_sizes
            idiom_reference
            idiom_shared_elements
            idiom_shared_header
            idiom_size_variables
            idiom_subarray
            idiom_subrange
            idiom_symbols
            idiom_templates
            idiom_two_arrays
            idiom_utf8
            idiom_vector_fields
            idw
            kmeans
            lavamd
            lbm2d
            lbm3d
            nbody
            particlefilter
            redblack
            sampo
            sph
        }
    };
}

/// One shipped program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of its folder.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// The files for the command line, relative to the folder.
    pub files: Vec<PathBuf>,
    /// The arguments of each small run.
    pub args: Vec<Vec<String>>,
    /// The arguments of the large run.
    pub large: Option<Vec<String>>,
    /// The arguments of the run that is simulated, if the first small one is too small for that.
    pub simulated: Option<Vec<String>>,
    /// The record types that every layout changes.
    pub records: Vec<String>,
    /// The code of the diagnostic that keeps the types, for a program that is not rewritten yet.
    pub kept: Option<String>,
    /// Types that keep their layout all the same, `TYPE` or `TYPE in LAYOUT`.
    pub stays: Vec<String>,
    /// Host arrays that get the layout too; if there are any, `--host native` is asked for.
    pub native: Vec<String>,
    /// `--layout` texts by the name of the layout, see [`LAYOUTS`].
    pub layouts: BTreeMap<String, Vec<String>>,
}

impl Program {
    /// Reads `testdata/programs/<name>`.
    ///
    /// # Errors
    /// When `program.toml` is missing or does not have the form above.
    pub fn load(name: &str) -> Result<Program> {
        let folder = programs_folder().join(name);
        let file = folder.join("program.toml");
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        Program::parse(name, &folder, &text)
            .with_context(|| format!("{} is not as expected", file.display()))
    }

    fn parse(name: &str, folder: &Path, text: &str) -> Result<Program> {
        let read: File = toml::from_str(text)?;
        Ok(Program {
            name: name.to_owned(),
            folder: folder.to_path_buf(),
            files: read.files,
            args: read.args.into_iter().map(Words::split).collect(),
            large: read.large.map(Words::split),
            simulated: read.simulated.map(Words::split),
            records: read.records,
            kept: read.kept,
            stays: read.stays,
            native: read.native,
            layouts: read.layouts.into_iter().map(|(name, specs)| (name, specs.list())).collect(),
        })
    }

    /// The arguments of the run that is simulated.
    #[must_use]
    pub fn simulated(&self) -> &[String] {
        let small = || self.args.first().map_or(&[][..], Vec::as_slice);
        self.simulated.as_deref().unwrap_or_else(small)
    }

    /// `--layout SPEC …` for one of [`LAYOUTS`], and `--host native` if the program is for that.
    ///
    /// # Errors
    /// When the program has no such layout.
    pub fn layout_options(&self, layout: &str) -> Result<Vec<String>> {
        let specs = self
            .layouts
            .get(layout)
            .with_context(|| format!("{} has no layout `{layout}`", self.name))?;
        let mut options: Vec<String> =
            specs.iter().flat_map(|spec| ["--layout".to_owned(), spec.clone()]).collect();
        if !self.native.is_empty() {
            options.extend(["--host".to_owned(), "native".to_owned()]);
        }
        Ok(options)
    }
}

/// The names of all shipped programs, sorted.
///
/// # Errors
/// When the folder cannot be read.
pub fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(programs_folder())? {
        let entry = entry?;
        if entry.path().join("program.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// `testdata/programs`.
#[must_use]
pub fn programs_folder() -> PathBuf {
    repository_root().join("testdata/programs")
}

#[derive(Deserialize)]
struct File {
    files: Vec<PathBuf>,
    args: Vec<Words>,
    large: Option<Words>,
    simulated: Option<Words>,
    records: Vec<String>,
    kept: Option<String>,
    #[serde(default)]
    stays: Vec<String>,
    #[serde(default)]
    native: Vec<String>,
    layouts: BTreeMap<String, Specs>,
}

/// One run's arguments: a list, or one text to split at blanks.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    List(Vec<String>),
    Text(String),
}

impl Words {
    fn split(self) -> Vec<String> {
        match self {
            Words::List(words) => words,
            Words::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Specs {
    One(String),
    Several(Vec<String>),
}

impl Specs {
    fn list(self) -> Vec<String> {
        match self {
            Specs::One(spec) => vec![spec],
            Specs::Several(specs) => specs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_form() -> Result<()> {
        let text = "files = ['a.cu']\nargs = ['64 2', ['1 000']]\nrecords = ['P']\n\
                    [layouts]\nsoa = 'P = soa'\ntiled = ['P = tiled(32)', 'Q = tiled(32)']\n";
        let program = Program::parse("p", Path::new("p"), text)?;
        assert_eq!(program.args, [vec!["64".to_owned(), "2".to_owned()], vec!["1 000".to_owned()]]);
        assert_eq!(program.layout_options("soa")?, ["--layout", "P = soa"]);
        assert_eq!(program.layout_options("tiled")?.len(), 4);
        assert!(program.layout_options("clustered").is_err());
        Ok(())
    }

    #[test]
    fn every_shipped_program_can_be_read() -> Result<()> {
        for name in names()? {
            let program = Program::load(&name)?;
            for file in &program.files {
                assert!(program.folder.join(file).is_file(), "{name}: no {}", file.display());
            }
            for layout in LAYOUTS {
                assert!(program.layouts.contains_key(layout), "{name}: no layout `{layout}`");
            }
            assert!(!program.args.is_empty() && !program.records.is_empty(), "{name}");
        }
        Ok(())
    }
}
