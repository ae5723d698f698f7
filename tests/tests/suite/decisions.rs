//! `cost`, `analyze` and `transform` recommend the same, or say why not.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::program::programs_folder;
use rayon::prelude::*;
use serde_json::Value;

/// What each shipped program has beside its sources: one of these, which names them.
const DESCRIPTIONS: [&str; 3] = ["program.toml", "grid.toml", "merge.toml"];

/// A shipped program: of structs, grids or separate arrays, CUDA or OpenCL.
struct Program {
    folder: PathBuf,
    files: Vec<String>,
}

impl Program {
    fn load(folder: PathBuf) -> Result<Option<Program>> {
        let descriptions = DESCRIPTIONS.iter().map(|name| folder.join(name));
        let Some(path) = descriptions.into_iter().find(|path| path.is_file()) else {
            return Ok(None);
        };
        let text: toml::Table = toml::from_str(&fs::read_to_string(&path)?)?;
        let files = text.get("files").and_then(toml::Value::as_array);
        let files = files.with_context(|| format!("{}: no files", path.display()))?;
        let files = files.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect();
        Ok(Some(Program { folder, files }))
    }

    fn all() -> Result<Vec<Program>> {
        let mut found = Vec::new();
        for folder in [programs_folder(), programs_folder().join("opencl")] {
            for entry in fs::read_dir(folder)? {
                found.extend(Program::load(entry?.path())?);
            }
        }
        Ok(found)
    }
}

fn json(program: &Program, command: &str, options: &[&str]) -> Result<Value> {
    let files = program.files.iter().cloned();
    let options = options.iter().chain(&["-I", "."]).map(|option| (*option).to_owned());
    let arguments: Vec<String> =
        [command.to_owned()].into_iter().chain(files).chain(options).collect();
    let outcome = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    serde_json::from_str(&outcome.stdout)
        .with_context(|| format!("{command}: {}\n{}", outcome.ending(), outcome.stderr))
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The array of the report of `transform` that is meant: that of the type, if it is a struct, and with the most names in
/// common; of several the one that changes.
fn reported<'v>(report: &'v Value, names: &[&str], kind: &Value) -> Option<&'v Value> {
    let classes = report["classes"].as_array()?;
    let is_type = classes.iter().any(|class| class["type"] == *kind);
    let common =
        |class: &Value| strings(&class["names"]).iter().filter(|name| names.contains(name)).count();
    let meant = classes.iter().filter(|class| !is_type || class["type"] == *kind);
    let meant = meant.filter(|class| common(class) > 0);
    meant.max_by_key(|class| (common(class), class["status"] == "changed"))
}

/// What the commands are asked with: nothing; and a model without copies, which more programs change by.
const OPTIONS: [&[&str]; 2] = [&[], &["--model", "peng", "--device", "m2050"]];

/// How many layouts `cost` marks as chosen that are not the source's.
fn compare(program: &Program, options: &[&str]) -> Result<usize> {
    let report = json(program, "transform", &[&["--check", "--format", "json"], options].concat())?;
    let costs = json(program, "cost", &[&["--json"], options].concat())?;
    let mut chosen = 0;
    for table in costs["tables"].as_array().context("no tables")? {
        let decided = table["transform"].as_array().context("no decisions")?;
        let arrays = table["arrays"].as_array().context("no arrays")?;
        for one in decided {
            ensure!(
                one["because"].as_str().is_some_and(|why| !why.is_empty()),
                "no reason: {one:#}"
            );
            let own =
                arrays.iter().find(|array| array["name"] == one["array"]).context("no array")?;
            let class = reported(&report, &strings(&own["names"]), &one["array"]);
            match (one["layout"].as_str(), class) {
                (None, None) => {}
                (None, Some(class)) => ensure!(class["status"] == "kept", "{one:#}\n{class:#}"),
                (Some(layout), Some(class)) => {
                    let expected = class["layout"].as_str().context("no layout")?;
                    let body = layout.split_once(" = ").map(|(_, body)| body);
                    ensure!(class["status"] == "changed", "{one:#}\n{class:#}");
                    ensure!(body == Some(expected) || layout == expected, "{layout}: {class:#}");
                    ensure!(one["because"] == class["because"], "{one:#}\n{class:#}");
                }
                (Some(layout), None) => bail!("{layout} is in no report"),
            }
        }
        let changes = decided.iter().filter(|one| !one["layout"].is_null());
        let is_priced = decided.iter().all(|one| one["is_priced"] == true);
        match (table["chosen"].as_u64(), changes.count()) {
            (Some(0), 0) => {}
            (Some(at), 1..) if at > 0 => {
                // What is chosen costs less than the source, by the same model.
                let layout = |at: usize| &table["layouts"][at];
                let ratio = layout(at as usize)["ratio"].as_f64().context("no ratio")?;
                // Of equals in the deepest loops of unknown length the sum decides.
                let sum = |at: usize| -> f64 {
                    let parts = layout(at)["cost"].as_array().into_iter().flatten();
                    parts.filter_map(Value::as_f64).sum()
                };
                let is_less =
                    ratio < 1.0 || !options.is_empty() && ratio == 1.0 && sum(at as usize) < sum(0);
                ensure!(is_less, "{table:#}");
                chosen += 1;
            }
            (None, 1..) if !is_priced => {}
            (at, count) => bail!("{count} arrays change, and {at:?} is marked\n{decided:#?}"),
        }
    }
    // What changes has a row, except grids of numbers and orders of cells, which have no price there.
    for class in report["classes"].as_array().context("no classes")? {
        let layout = class["layout"].as_str().context("no layout")?;
        if class["status"] == "changed" && !layout.starts_with('[') {
            let text = costs.to_string();
            ensure!(text.contains(layout), "{layout} is not in the costs");
        }
    }
    // A grid that is said to change does, with the same digits.
    let analysis = json(program, "analyze", &[&["--json"], options].concat())?;
    for grid in analysis["grids"].as_array().context("no grids")? {
        let names = strings(&grid["names"]);
        let mut classes = report["classes"].as_array().into_iter().flatten();
        let class = classes.find(|class| strings(&class["names"]) == names);
        let changes = class.is_some_and(|class| class["status"] == "changed");
        let is_said = strings(&grid["notes"]).iter().any(|note| note.contains("unasked"));
        let agrees = changes == (grid["status"] == "changes");
        ensure!(agrees != is_said, "{names:?}: {} ({}), {class:#?}", grid["status"], grid["notes"]);
        ensure!(grid["because"].as_str().is_some_and(|why| !why.is_empty()), "{grid:#}");
    }
    Ok(chosen)
}

#[test]
fn all_commands_recommend_the_same() -> Result<()> {
    let programs = Program::all()?;
    ensure!(programs.len() > 110, "only {} programs", programs.len());
    for options in OPTIONS {
        let counts: Vec<(String, Result<usize>)> = programs
            .par_iter()
            // The other model is asked of structs.
            .filter(|program| options.is_empty() || program.folder.join(DESCRIPTIONS[0]).is_file())
            .map(|program| (program.folder.display().to_string(), compare(program, options)))
            .collect();
        let wrong: Vec<String> = counts
            .iter()
            .filter_map(|(name, count)| Some(format!("{name}: {:#}", count.as_ref().err()?)))
            .collect();
        ensure!(wrong.is_empty(), "{options:?}: {}", wrong.join("\n"));
        let all: usize = counts.into_iter().filter_map(|(_, count)| count.ok()).sum();
        let least = if options.is_empty() { 30 } else { 40 };
        ensure!(all > least, "{options:?}: only {all} tables have a layout that is chosen");
    }
    Ok(())
}

/// The graphs of another selector say what `transform` does instead, and why.
#[test]
fn graphs_say_what_transform_chooses() -> Result<()> {
    let program = Program::load(programs_folder().join("nbody"))?.context("no nbody")?;
    let folder = tempfile::tempdir()?;
    let graph = folder.path().join("fields.svg");
    let graph = Path::new(&graph).to_string_lossy().into_owned();
    let found = json(&program, "analyze", &["--json", "--graph", &graph])?;
    let own = &found["graphs"][0];
    assert_eq!(own["transform"]["layout"], "tiled(32)");
    let arguments = ["analyze", "nbody.cu", "--graph", &graph];
    let text = Layoutc::built()?.run(&program.folder, TRANSFORM_LIMIT, arguments)?.stdout;
    ensure!(text.contains("  transform   "), "{text}");
    // With the selector there is one answer.
    let found = json(&program, "analyze", &["--json", "--selector", "kdlg"])?;
    ensure!(found["graphs"][0]["transform"].is_null(), "{found:#}");
    Ok(())
}
