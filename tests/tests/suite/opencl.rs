//! Every OpenCL program of `testdata/programs/opencl` on the OpenCL that is installed: it passes its own check, and
//! prints the same in every run and in every layout. A program that keeps its types says why in `kept`.

use std::{env, fs};

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::opencl::{self, Host, Runs, passed};
use layoutc_tests::program::{LAYOUTS, Program};
use serde_json::Value;
use std::path::Path;

/// The programs that Kofler et al. measured; they are run in all tile sizes.
const OF_THE_PAPER: [&str; 5] = ["bitonic", "blackscholes", "lavamd", "nbody", "sampo"];

/// Tiles that the programs are run in; those that are not of the paper in one of them each.
const TILES: [usize; 4] = [16, 64, 256, 1024];

fn test(name: &str) -> Result<()> {
    let program = Program::load(&format!("opencl/{name}"))?;
    let host = Host::build(&program, &program.folder)?;
    let runs = host.runs(&program)?;
    host.prints_the_same(&few(&runs, 0))?;
    for (number, layout) in LAYOUTS.into_iter().enumerate() {
        let specs = program.layouts.get(layout).with_context(|| format!("no layout {layout}"))?;
        in_layout(&program, layout, specs, &few(&runs, number))?;
    }
    let is_of_paper = OF_THE_PAPER.contains(&name);
    let one = TILES[name.bytes().map(usize::from).sum::<usize>() % TILES.len()];
    // The first and one whose last tile is not full.
    let few = few(&runs, 0);
    for size in TILES.into_iter().filter(|size| is_of_paper || *size == one) {
        let spec = |record: &String| format!("{record} = tiled({size})");
        let specs: Vec<String> = program.records.iter().map(spec).collect();
        in_layout(&program, "tiled", &specs, &few)?;
    }
    Ok(())
}

/// The first run and one of the others, so that the layouts together make them all; with `$LAYOUTC_ALL_RUNS` all.
fn few<'r>(runs: &Runs<'r>, number: usize) -> Runs<'r> {
    if env::var_os("LAYOUTC_ALL_RUNS").is_some() {
        return runs.clone();
    }
    let other = 1 + number % runs.len().saturating_sub(1).max(1);
    let chosen = runs.iter().enumerate().filter(|(at, _)| *at == 0 || *at == other);
    chosen.map(|(_, run)| run.clone()).collect()
}

/// The program changes as asked, or is kept for the reason that it gives, and prints the same.
fn in_layout(program: &Program, layout: &str, specs: &[String], runs: &Runs) -> Result<()> {
    let options: Vec<String> =
        specs.iter().flat_map(|spec| ["--layout".to_owned(), spec.clone()]).collect();
    let folder = tempfile::tempdir()?;
    let found = transform(program, &options, folder.path())?;
    if let Some(code) = &program.kept {
        ensure!(found.changed.is_empty(), "{} is not kept any more: {specs:?}", program.name);
        ensure!(found.said.contains(code.as_str()), "{code} is no reason:\n{}", found.said);
        for file in &program.files {
            let same = fs::read(program.folder.join(file))? == fs::read(folder.path().join(file))?;
            ensure!(same, "{} changed", file.display());
        }
        return Ok(());
    }
    for spec in specs {
        let record = spec.split('=').next().unwrap_or_default().trim();
        let is_changed = found.changed.iter().any(|name| name == record);
        let stays = program.stays.iter().any(|stays| match stays.split_once(" in ") {
            Some((name, one)) => name == record && one == layout,
            None => stays == record,
        });
        ensure!(
            is_changed != stays,
            "{}: {spec}: changed: {is_changed}:\n{}",
            program.name,
            found.said
        );
    }
    let host = Host::build(program, folder.path())?;
    host.prints_the_same(runs).with_context(|| format!("{} in {specs:?}", program.name))
}

/// What a transformation did.
struct Transformed {
    /// Types of the arrays that have another layout.
    changed: Vec<String>,
    /// Its messages.
    said: String,
}

fn transform(program: &Program, options: &[String], into: &Path) -> Result<Transformed> {
    copy_folder(&program.folder, into)?;
    let report = tempfile::NamedTempFile::new()?;
    let text = |path: &Path| path.display().to_string();
    let mut arguments = vec!["transform".to_owned()];
    arguments.extend(program.files.iter().map(|file| text(file)));
    arguments.extend(["-I", ".", "--out-dir"].map(str::to_owned));
    arguments.extend([text(into), "--report".to_owned(), text(report.path())]);
    arguments.extend_from_slice(options);
    let outcome = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    let mut changed = Vec::new();
    if outcome.succeeded() {
        let report: Value = serde_json::from_slice(&fs::read(report.path())?)?;
        let classes = report["classes"].as_array().context("the report has no `classes`")?;
        let is_changed = |class: &&Value| class["status"] == "changed";
        let name = |class: &Value| class["type"].as_str().map(str::to_owned);
        changed.extend(classes.iter().filter(is_changed).filter_map(name));
    } else {
        // A request for what is no array fails.
        let is_kept = program.kept.is_some() && outcome.stderr.contains("LC0042");
        ensure!(is_kept, "transform: {}\n{}", outcome.ending(), outcome.stderr);
    }
    Ok(Transformed { changed, said: outcome.stderr })
}

/// Headers and texts that are read at run time are no files of the command line.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

macro_rules! programs {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() -> anyhow::Result<()> {
            test(stringify!($program))
        })*

        const TESTED: &[&str] = &[$(concat!("opencl/", stringify!($program))),*];
    };
}

layoutc_tests::every_opencl_program!(programs);

#[test]
fn every_program_is_tested() -> Result<()> {
    assert_eq!(opencl::names()?, TESTED);
    for name in TESTED {
        let program = Program::load(name)?;
        for file in &program.files {
            ensure!(program.folder.join(file).is_file(), "{name}: no {}", file.display());
        }
        for layout in LAYOUTS {
            ensure!(program.layouts.contains_key(layout), "{name}: no layout `{layout}`");
        }
        ensure!(!program.args.is_empty() && !program.records.is_empty(), "{name}");
    }
    Ok(())
}

/// The kernel that is run is the one in the folder given, and both checks notice what it computes.
#[test]
fn a_wrong_kernel_is_noticed() -> Result<()> {
    let program = Program::load("opencl/nbody")?;
    let runs = Host::build(&program, &program.folder)?.runs(&program)?;
    let folder = tempfile::tempdir()?;
    for file in &program.files {
        let text = fs::read_to_string(program.folder.join(file))?;
        let wrong = text.replace("other - self", "self - other");
        ensure!(
            (text != wrong) == (file.extension().is_some_and(|e| e == "cl")),
            "{}",
            file.display()
        );
        fs::write(folder.path().join(file), wrong)?;
    }
    let host = Host::build(&program, folder.path())?;
    ensure!(!passed(&host.run(&[])?), "a wrong kernel passes");
    ensure!(host.prints_the_same(&runs).is_err(), "a difference is not seen");
    Ok(())
}
