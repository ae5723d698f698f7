//! `cargo xtask apps DIR…`: the tool over applications, as a table.
//!
//! An application is a folder with its own description: a `compile_commands.json` in it or in its
//! `build/`, or files and flags on the command line. Without either its programs are found as those of a
//! [corpus](super) are. Nothing of the applications goes into the repository but their names and the
//! places of the arrays that stay.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::nvcc::Nvcc;
use serde_json::Value;

use super::discover::{self, Candidate};
use super::runs::Runs;
use super::survey::{Check, Row, Tools, survey};

/// What to run over which applications.
#[derive(clap::Args)]
pub struct Options {
    /// Folders of applications
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// What to ask `transform` for; once for each column of the table. Without it the tool decides
    #[arg(long)]
    layout: Vec<String>,
    /// Compile the CUDA files of what changes, before and after, with nvcc
    #[arg(long)]
    nvcc: bool,
    /// A folder for nvcc's `-I`: headers of libraries that the applications expect
    #[arg(long)]
    nvcc_include: Vec<PathBuf>,
    /// The Markdown file to write. Without it the table is printed
    #[arg(long)]
    out: Option<PathBuf>,
    /// Files and flags of the one application, relative to its folder
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// One application in one layout.
struct Application {
    name: String,
    layout: String,
    rows: Vec<Row>,
}

/// Runs the tool over the applications and writes the table.
///
/// # Errors
/// When a folder or a tool is missing, and after the table when the tool crashed or wrote what no longer
/// compiles.
pub fn run(options: &Options) -> Result<()> {
    if !options.arguments.is_empty() && options.dirs.len() > 1 {
        bail!("files and flags describe one application, and {} are given", options.dirs.len());
    }
    let layouts: Vec<Vec<String>> = match options.layout.as_slice() {
        [] => vec![Vec::new()],
        layouts => layouts.iter().map(|layout| vec![layout.clone()]).collect(),
    };
    let mut found = Vec::new();
    for dir in &options.dirs {
        let root =
            fs::canonicalize(dir).with_context(|| format!("cannot open {}", dir.display()))?;
        let programs = programs(&root, &options.arguments)?;
        for layouts in &layouts {
            let tools = Tools {
                layoutc: Layoutc::built()?,
                opencl: false,
                nvcc: options.nvcc.then(Nvcc::find).transpose()?,
                nvcc_include: options.nvcc_include.clone(),
                verify: false,
                runs: Runs::load()?,
                layouts: layouts.clone(),
                keep: None,
            };
            let rows = programs
                .iter()
                .map(|program| survey(&root, program, &tools))
                .collect::<Result<Vec<Row>>>()?;
            let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned();
            let layout = layouts.first().map_or_else(|| "chosen".to_owned(), Clone::clone);
            for row in &rows {
                eprintln!("{name}, {layout}: {}", row.summary());
            }
            found.push(Application { name, layout, rows });
        }
    }
    let table = markdown(&found);
    match &options.out {
        None => print!("{table}"),
        Some(file) => super::write(file, &table)?,
    }
    let bad: Vec<String> = found.iter().flat_map(|app| &app.rows).filter_map(Row::defect).collect();
    if !bad.is_empty() {
        bail!("{} defects:\n{}", bad.len(), bad.join("\n"));
    }
    Ok(())
}

/// The programs of an application: one, if it is described.
fn programs(root: &Path, arguments: &[String]) -> Result<Vec<Candidate>> {
    let one = |files: Vec<PathBuf>, include_dirs, database, flags| Candidate {
        name: ".".to_owned(),
        files,
        include_dirs,
        folder: None,
        database,
        flags,
    };
    if !arguments.is_empty() {
        let (files, flags): (Vec<String>, Vec<String>) =
            arguments.iter().cloned().partition(|word| root.join(word).is_file());
        let files = files.into_iter().map(PathBuf::from).collect();
        return Ok(vec![one(files, Vec::new(), None, flags)]);
    }
    let databases = ["compile_commands.json", "build/compile_commands.json"];
    match databases.iter().map(PathBuf::from).find(|path| root.join(path).is_file()) {
        Some(database) => {
            let (files, folders) = described(&root.join(&database), root)?;
            Ok(vec![one(files, folders, Some(database), Vec::new())])
        }
        None => discover::programs(root),
    }
}

/// The CUDA files of a compilation database and the folders that their commands name with `-I`, relative to
/// the application's.
fn described(database: &Path, root: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let read = || -> Result<Vec<Value>> { Ok(serde_json::from_slice(&fs::read(database)?)?) };
    let entries = read().with_context(|| format!("cannot read {}", database.display()))?;
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in entries {
        let place = |path: &str| -> PathBuf {
            let full = Path::new(entry["directory"].as_str().unwrap_or_default()).join(path);
            let full = fs::canonicalize(&full).unwrap_or(full);
            full.strip_prefix(root).map(Path::to_path_buf).unwrap_or(full)
        };
        let file = entry["file"].as_str().unwrap_or_default();
        if file.ends_with(".cu") {
            files.push(place(file));
        }
        let words: Vec<String> = match (&entry["arguments"], entry["command"].as_str()) {
            (Value::Array(words), _) => {
                words.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            (_, Some(command)) => shlex::split(command).with_context(|| {
                format!("a command of {} has an open quote", database.display())
            })?,
            (_, None) => Vec::new(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if let Some(folder) = word.strip_prefix("-I") {
                let folder =
                    if folder.is_empty() { words.next().map(String::as_str) } else { Some(folder) };
                folders.extend(folder.map(place));
            }
        }
    }
    for list in [&mut files, &mut folders] {
        list.sort();
        list.dedup();
    }
    Ok((files, folders))
}

const HEAD: &str = "# The tool over applications

Written by `cargo xtask apps DIR… --out FILE`; do not edit. *Arrays* are the arrays of structs in device memory that the tool
finds; *changed* got the layout that the second column asks for. *Compiles* is `nvcc` before → after, for programs of which
something changed.

| application | layout | programs | files | arrays | changed | compiles | seconds |
|---|---|---:|---:|---:|---:|---|---:|
";

fn markdown(found: &[Application]) -> String {
    let mut text = HEAD.to_owned();
    let mut codes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    // Writing into a `String` does not fail.
    for app in found {
        let rows = &app.rows;
        let sum = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
        let passed = |check: &dyn Fn(&Row) -> Option<&Check>| {
            rows.iter().filter(|row| check(row) == Some(&Check::Passed)).count()
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} → {} | {:.2} |",
            app.name,
            super::table::escaped(&app.layout),
            rows.len(),
            sum(&|row| row.files),
            sum(&|row| row.classes.len()),
            sum(&Row::changed),
            passed(&|row| row.compiles_before.as_ref()),
            passed(&|row| row.compiles_after.as_ref()),
            rows.iter().map(|row| row.elapsed.as_secs_f64()).sum::<f64>(),
        );
        for class in rows.iter().flat_map(|row| &row.classes) {
            if let (None, Some(reason)) = (&class.layout, class.reasons.first()) {
                *codes.entry((&app.layout, &reason.code)).or_default() += 1;
            }
        }
    }
    let _ = writeln!(
        text,
        "\nWhy arrays stay, by first reason:\n\n| layout | code | arrays |\n|---|---|---:|"
    );
    let mut codes: Vec<_> = codes.into_iter().collect();
    codes.sort_by_key(|((layout, code), count)| (*layout, std::cmp::Reverse(*count), *code));
    for ((layout, code), count) in codes {
        let _ = writeln!(text, "| {} | {code} | {count} |", super::table::escaped(layout));
    }
    for app in found {
        let _ = writeln!(text, "\n## {}, {}", app.name, super::table::escaped(&app.layout));
        super::table::kept(&mut text, &app.rows);
        super::table::problems(&mut text, &app.rows);
    }
    text
}
