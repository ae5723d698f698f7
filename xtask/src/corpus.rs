//! `cargo xtask corpus DIR…`: the tool over folders of public programs, as a table.
//!
//! Nothing of the programs goes into the repository but their names and the places of the arrays
//! that stay. The table is written as Markdown and, beside it, as JSON with the same rows.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::Nvcc;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub mod apps;
mod discover;
mod runs;
mod survey;
mod table;

use survey::{Row, Tools};

/// What to run over which programs.
#[derive(clap::Args)]
pub struct Options {
    /// Folders of programs; each becomes a section of the table
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Compile every CUDA program that changes, before and after, with nvcc
    #[arg(long)]
    nvcc: bool,
    /// Compile every OpenCL program that changes, before and after, with the host's compiler
    #[arg(long)]
    opencl: bool,
    /// A folder for nvcc's and verify's `-I`: headers of another SDK that the programs expect
    #[arg(long)]
    nvcc_include: Vec<PathBuf>,
    /// Run every program that changes, before and after, on the CPU runtime or with OpenCL, and compare
    #[arg(long)]
    run: bool,
    /// Only the programs whose name contains this
    #[arg(long)]
    only: Option<String>,
    /// What to ask `transform` for, like its own `--layout`; without it the tool decides
    #[arg(long)]
    layout: Vec<String>,
    /// The Markdown file to write; the JSON file lies beside it. Without it the table is printed
    #[arg(long)]
    out: Option<PathBuf>,
    /// Keep the sections that FILE has of other folders
    #[arg(long, requires = "out")]
    add: bool,
    /// Keep what transform writes, below this folder
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// The programs of one folder.
#[derive(Serialize, Deserialize)]
pub struct Section {
    /// The folder's name.
    pub name: String,
    /// The median of the time that `transform` took, in milliseconds; none of a build without optimisation.
    pub median_ms: Option<u64>,
    /// One row per program, sorted by name.
    #[serde(rename = "programs")]
    pub rows: Vec<Row>,
}

/// Surveys the folders and writes the table.
///
/// # Errors
/// When a folder or a tool is missing, and after the table when the tool crashed or changed what
/// a program prints: those are never a normal result.
pub fn run(options: &Options) -> Result<()> {
    let tools = Tools {
        layoutc: Layoutc::built()?,
        opencl: options.opencl,
        nvcc: options.nvcc.then(Nvcc::find).transpose()?,
        nvcc_include: options.nvcc_include.clone(),
        verify: options.run,
        runs: runs::Runs::load()?,
        layouts: options.layout.clone(),
        keep: options.keep.clone(),
    };
    let new =
        options.dirs.iter().map(|dir| section(dir, &tools, options)).collect::<Result<Vec<_>>>()?;
    let bad: Vec<String> =
        new.iter().flat_map(|section| &section.rows).filter_map(Row::defect).collect();
    let mut sections = recorded(options)?;
    for section in new {
        match sections.iter_mut().find(|old| old.name == section.name) {
            Some(old) => *old = section,
            None => sections.push(section),
        }
    }
    let markdown = table::markdown(&sections);
    match &options.out {
        None => print!("{markdown}"),
        Some(file) => {
            write(file, &markdown)?;
            write(&file.with_extension("json"), &table::json(&sections)?)?;
            println!("{}", table::totals_line(&sections));
        }
    }
    if !bad.is_empty() {
        bail!("{} defects:\n{}", bad.len(), bad.join("\n"));
    }
    Ok(())
}

/// The sections that are to be kept where no folder of this run has their name.
fn recorded(options: &Options) -> Result<Vec<Section>> {
    match &options.out {
        Some(file) if options.add => {
            let json = file.with_extension("json");
            let text = fs::read_to_string(&json)
                .with_context(|| format!("cannot read {}", json.display()))?;
            table::sections(&text).with_context(|| format!("{}", json.display()))
        }
        _ => Ok(Vec::new()),
    }
}

fn section(dir: &Path, tools: &Tools, options: &Options) -> Result<Section> {
    let root = fs::canonicalize(dir).with_context(|| format!("cannot open {}", dir.display()))?;
    let mut programs = discover::programs(&root)?;
    if let Some(only) = &options.only {
        programs.retain(|program| program.name.contains(only));
    }
    let (done, count) = (AtomicUsize::new(0), programs.len());
    let console = Mutex::new(());
    let rows = programs
        .par_iter()
        .map(|program| {
            let row = survey::survey(&root, program, tools)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            let _guard = console.lock();
            eprintln!("{done}/{count} {}", row.summary());
            Ok(row)
        })
        .collect::<Result<Vec<Row>>>()?;
    // `rodinia/cuda` says more than `cuda`.
    let says_little = ["cuda", "opencl", "src"].iter().any(|name| root.ends_with(name));
    let words = if says_little { 2 } else { 1 };
    let tail: Vec<_> = root.components().rev().take(words).collect();
    let name: PathBuf = tail.into_iter().rev().collect();
    let mut times: Vec<u128> = rows.iter().map(|row| row.elapsed.as_millis()).collect();
    times.sort_unstable();
    // A build without optimisation says nothing of the tool's speed.
    let median = times.get(times.len() / 2).filter(|_| !cfg!(debug_assertions));
    let median_ms = median.map(|time| u64::try_from(*time)).transpose()?;
    Ok(Section { name: name.display().to_string(), median_ms, rows })
}

fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
