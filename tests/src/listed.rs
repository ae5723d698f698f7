//! Programs with a list of layouts: each is rewritten in every one, compiled by nvcc, and compared with the
//! original on the CPU runtime.
//!
//! ```toml
//! files = ["grid_heat3d.cu"]
//! args = [[], ["64", "32", "3"]]             # one small run each
//! layouts = [["u = [z, y/4, x/16, y%4, x%16]"]]   # what follows `--layout`, one list for each test
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::layoutc::{Layoutc, TRANSFORM_LIMIT, VERIFY_LIMIT};
use crate::nvcc::{ARCH, Flags, Nvcc};
use crate::program::programs_folder;
use crate::sandbox::{Contents, contents};

/// The settings of a program; what else the file says is for people.
#[derive(Clone, Debug, Deserialize)]
pub struct Listed {
    /// The folder.
    #[serde(skip)]
    pub folder: PathBuf,
    /// What goes on the command line.
    pub files: Vec<String>,
    /// The arguments of each small run.
    pub args: Vec<Vec<String>>,
    /// The arguments of the run whose caches are simulated, where the first of `args` are too few values.
    pub simulated: Option<Vec<String>>,
    /// What follows `--layout`, one list for each test.
    #[serde(default)]
    pub layouts: Vec<Vec<String>>,
}

/// Devices without and with steering bits.
pub const DEVICES: [&str; 2] = ["h100", "gtx280"];

impl Listed {
    /// Reads `testdata/programs/<name>/<settings>`.
    ///
    /// # Errors
    /// When the file is missing or does not have the form above.
    pub fn load(name: &str, settings: &str) -> Result<Listed> {
        let folder = programs_folder().join(name);
        let text =
            fs::read_to_string(folder.join(settings)).with_context(|| format!("no {settings}"))?;
        Ok(Listed { folder, ..toml::from_str(&text)? })
    }

    /// The names of all programs that have layouts in a file of that name.
    ///
    /// # Errors
    /// When the folder of the programs cannot be read.
    pub fn names(settings: &str) -> Result<Vec<String>> {
        Self::names_in("", settings)
    }

    /// The same for the programs of a folder in that of the programs: `opencl/`.
    ///
    /// # Errors
    /// As [`Listed::names`].
    pub fn names_in(folder: &str, settings: &str) -> Result<Vec<String>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(programs_folder().join(folder))? {
            let name = format!("{folder}{}", entry?.file_name().to_string_lossy());
            if Listed::load(&name, settings).is_ok_and(|listed| !listed.layouts.is_empty()) {
                found.push(name);
            }
        }
        found.sort();
        Ok(found)
    }

    /// The program in every layout of its list.
    ///
    /// # Errors
    /// When an array stays, nvcc refuses the result, or it does something else than before.
    pub fn test(&self) -> Result<()> {
        ensure!(!self.layouts.is_empty(), "no layouts");
        for (number, layouts) in self.layouts.iter().enumerate() {
            let out = tempfile::tempdir()?;
            self.transform(layouts, out.path()).with_context(|| layouts.join(", "))?;
            self.compile(out.path()).with_context(|| layouts.join(", "))?;
            // The first run in each layout, and each of the others in one.
            let count = self.layouts.len();
            let runs = self.args.iter().enumerate();
            for (_, args) in runs.filter(|(at, _)| *at == 0 || (at - 1) % count == number) {
                self.verify(&options(layouts), args)
                    .with_context(|| format!("{} -- {}", layouts.join(", "), args.join(" ")))?;
            }
        }
        Ok(())
    }

    /// What the tool does by itself, for both devices.
    ///
    /// # Errors
    /// As [`Listed::test`], but arrays may stay.
    pub fn test_automatic(&self) -> Result<()> {
        let mut known: Vec<Contents> = Vec::new();
        for (number, device) in DEVICES.into_iter().enumerate() {
            let out = tempfile::tempdir()?;
            let options = ["--device".to_owned(), device.to_owned()];
            let mut arguments = vec!["transform".to_owned()];
            arguments.extend(self.files.iter().cloned());
            arguments.extend(["--out-dir".to_owned(), path(out.path())]);
            arguments.extend(options.iter().cloned());
            let outcome = Layoutc::built()?.run(&self.folder, TRANSFORM_LIMIT, &arguments)?;
            ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
            if !outcome.stderr.contains("changed: ") {
                continue;
            }
            // What is chosen for another device, too, is compiled and run first for that one.
            let contents = contents(out.path())?;
            let is_new = !known.contains(&contents);
            if is_new {
                self.compile(out.path()).context(device)?;
                known.push(contents);
            }
            // The first run in each version of the program, and each of the others for one device.
            let runs = self.args.iter().enumerate();
            for (_, args) in runs.filter(|(at, _)| if *at == 0 { is_new } else { at % 2 == number })
            {
                self.verify(&options, args)
                    .with_context(|| format!("{device} -- {}", args.join(" ")))?;
            }
        }
        Ok(())
    }

    /// Compiles CUDA files; `verify` builds those of OpenCL programs.
    fn compile(&self, out: &Path) -> Result<()> {
        let files = || self.files.iter().filter(|file| file.ends_with(".cu"));
        if files().next().is_none() {
            return Ok(());
        }
        let nvcc = Nvcc::find()?;
        let flags = Flags { include_dirs: vec![out.to_path_buf()], ..Flags::default() };
        for file in files() {
            nvcc.compile_object(&out.join(file), &flags, ARCH, &out.join("object.o"))?;
        }
        Ok(())
    }

    /// Writes the program into a folder, in layouts in which each array that they name must change.
    ///
    /// # Errors
    /// When it cannot be written, or an array stays.
    pub fn transform(&self, layouts: &[String], out: &Path) -> Result<()> {
        let report = out.join("report.json");
        let mut arguments = vec!["transform".to_owned()];
        arguments.extend(self.files.iter().cloned());
        arguments.extend(["--out-dir".to_owned(), path(out), "--report".to_owned(), path(&report)]);
        arguments.extend(options(layouts));
        let targets: Vec<&str> = layouts.iter().flat_map(|layout| targets(layout)).collect();
        for target in &targets {
            arguments.extend(["--require".to_owned(), (*target).to_owned()]);
        }
        let outcome = Layoutc::built()?.run(&self.folder, TRANSFORM_LIMIT, &arguments)?;
        ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
        let report: Value = serde_json::from_slice(&fs::read(&report)?)?;
        let classes = report["classes"].as_array().context("the report has no `classes`")?;
        for target in targets {
            let changed = classes.iter().any(|class| {
                let names = class["names"].as_array();
                class["status"] == "changed"
                    && names.is_some_and(|names| names.iter().any(|name| name == target))
            });
            ensure!(changed, "{target} did not change\n{report:#}");
        }
        Ok(())
    }

    fn verify(&self, options: &[String], args: &[String]) -> Result<()> {
        let mut arguments = vec!["verify".to_owned()];
        arguments.extend(self.files.iter().cloned());
        arguments.extend(options.iter().cloned());
        arguments.push("--".to_owned());
        arguments.extend(args.iter().cloned());
        let outcome = Layoutc::built()?.run(&self.folder, VERIFY_LIMIT, &arguments)?;
        ensure!(
            outcome.succeeded() && outcome.stdout.contains("identical"),
            "verify: {}\n{}{}",
            outcome.ending(),
            outcome.stdout,
            outcome.stderr
        );
        Ok(())
    }
}

/// What a layout is asked for: `x` and `y` of `x + y = aos`.
fn targets(layout: &str) -> impl Iterator<Item = &str> {
    layout.split('=').next().unwrap_or_default().split('+').map(str::trim)
}

fn options(layouts: &[String]) -> Vec<String> {
    layouts.iter().flat_map(|layout| ["--layout".to_owned(), layout.clone()]).collect()
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
