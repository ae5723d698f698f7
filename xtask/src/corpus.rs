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
    /// Compile every program that changes, before and after, with nvcc
    #[arg(long)]
    nvcc: bool,
    /// A folder for nvcc's and verify's `-I`: headers of another SDK that the programs expect
    #[arg(long)]
    nvcc_include: Vec<PathBuf>,
    /// Run every program that changes, before and after, on the CPU runtime and compare
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
    /// Keep what transform writes, below this folder
    #[arg(long)]
    keep: Option<PathBuf>,
}

/// The programs of one folder.
pub struct Section {
    /// The folder's name.
    pub name: String,
    /// One row per program, sorted by name.
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
        nvcc: options.nvcc.then(Nvcc::find).transpose()?,
        nvcc_include: options.nvcc_include.clone(),
        verify: options.run,
        runs: runs::Runs::load()?,
        layouts: options.layout.clone(),
        keep: options.keep.clone(),
    };
    let sections =
        options.dirs.iter().map(|dir| section(dir, &tools, options)).collect::<Result<Vec<_>>>()?;
    let markdown = table::markdown(&sections, options.nvcc, options.run);
    match &options.out {
        None => print!("{markdown}"),
        Some(file) => {
            write(file, &markdown)?;
            write(&file.with_extension("json"), &table::json(&sections)?)?;
            println!("{}", table::totals_line(&sections));
        }
    }
    let bad: Vec<String> =
        sections.iter().flat_map(|section| &section.rows).filter_map(Row::defect).collect();
    if !bad.is_empty() {
        bail!("{} defects:\n{}", bad.len(), bad.join("\n"));
    }
    Ok(())
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
    let words = if root.ends_with("cuda") || root.ends_with("src") { 2 } else { 1 };
    let tail: Vec<_> = root.components().rev().take(words).collect();
    let name: PathBuf = tail.into_iter().rev().collect();
    Ok(Section { name: name.display().to_string(), rows })
}

fn write(file: &Path, text: &str) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
