//! Programs with separate arrays: the layouts of their `merge.toml` and what the tool puts together.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::listed::Listed;

use super::{
    Class, Kept, LIMIT, Options, Report, Row, SOURCE, kept, ranks_of, ranks_of_vectors, row_of,
    simulated_of, spearman, unanswered,
};

/// The file with their layouts.
const SETTINGS: &str = "merge.toml";

/// The rows of all programs.
///
/// # Errors
/// When one of them cannot be priced or simulated.
pub fn rows(layoutc: &Layoutc, device: &str, model: &str, options: &Options) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for name in Listed::names(SETTINGS)?.iter().filter(|name| name.contains(&options.only)) {
        let program = Listed::load(name, SETTINGS)?;
        let find = || simulated(layoutc, name, &program, device, model);
        rows.extend(row_of(name, model, kept(name, device, model, options, find)?)?);
    }
    Ok(rows)
}

/// Their table.
pub fn section(out: &mut String, device: &str, rows: &[Row]) {
    let _ = writeln!(out, "\n### {device}: separate arrays\n");
    let _ = writeln!(out, "| program | layouts | rank | regret | chosen | best simulated |");
    let _ = writeln!(out, "|---|---|---|---|---|---|");
    let (mut near, mut judged) = (0, 0);
    for row in rows {
        let Some((chosen, best, regret)) = row.regret() else { continue };
        let rank = spearman(&ranks_of_vectors(&row.points), &ranks_of(&simulated_of(row)));
        let rank = rank.map_or("-".to_owned(), |rank| format!("{rank:.2}"));
        judged += 1;
        near += usize::from(regret <= 0.05);
        let _ = writeln!(
            out,
            "| {} | {} | {rank} | {:.1} % | {} | {} |",
            row.program,
            row.points.len(),
            regret * 100.0,
            chosen.layout,
            best.layout
        );
    }
    let _ = writeln!(
        out,
        "\nThe chosen layout costs at most 5 % more than the best in {near} of {judged} programs."
    );
    unanswered(out, rows);
}

/// Prices and simulates one program.
fn simulated(
    layoutc: &Layoutc,
    name: &str,
    program: &Listed,
    device: &str,
    model: &str,
) -> Result<Kept> {
    let mut common: Vec<String> = ["--device", device, "--model", model].map(str::to_owned).into();
    common.extend(program.files.iter().cloned());
    let choice = choice(layoutc, name, program, &common)?;
    let columns: Vec<String> = program.layouts.iter().map(|layouts| layouts.join("; ")).collect();
    let run = |columns: &[String]| {
        let mut arguments: Vec<String> = ["cost", "--simulate", "--json"].map(str::to_owned).into();
        arguments.extend(common.iter().cloned());
        let layouts = columns.iter().flat_map(|own| ["--layout".to_owned(), own.clone()]);
        arguments.extend(layouts);
        arguments.push("--".to_owned());
        let run = program.simulated.as_ref().or(program.args.first());
        arguments.extend(run.into_iter().flatten().cloned());
        layoutc.run(&program.folder, LIMIT, &arguments)
    };
    let mut all = columns.clone();
    if choice != SOURCE && !all.contains(&choice) {
        all.push(choice.clone());
    }
    let mut outcome = run(&all)?;
    let mut without_choice = None;
    if !outcome.succeeded() && all.len() > columns.len() {
        without_choice = Some(outcome.stderr.lines().next().unwrap_or_default().to_owned());
        outcome = run(&columns)?;
    }
    ensure!(outcome.succeeded(), "{name}: {}\n{}", outcome.ending(), outcome.stderr);
    Ok(Kept { choice, recorded: None, costs: outcome.stdout, without_choice })
}

/// What `transform` chooses: a text for `--layout`, or [`SOURCE`].
fn choice(layoutc: &Layoutc, name: &str, program: &Listed, common: &[String]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("report.json");
    let mut arguments: Vec<String> = ["transform", "--check", "--report"].map(str::to_owned).into();
    arguments.push(path.display().to_string());
    arguments.extend(common.iter().cloned());
    // It exits with 1 if something would change.
    layoutc.run(&program.folder, LIMIT, &arguments)?;
    let text = fs::read_to_string(&path).with_context(|| name.to_owned())?;
    let report: Report = serde_json::from_str(&text).with_context(|| name.to_owned())?;
    let changed = report.classes.iter().filter(|class| class.status == "changed");
    let specs: Vec<String> = changed.map(|class| spec(class, &report.classes)).collect();
    Ok(if specs.is_empty() { SOURCE.to_owned() } else { specs.join("; ") })
}

/// A class's layout as `--layout` takes it: by a name that only this class has. What is put together has its
/// names in the layout.
fn spec(class: &Class, all: &[Class]) -> String {
    if class.layout.contains(" = ") {
        return class.layout.clone();
    }
    let is_own = |name: &&String| all.iter().filter(|own| own.names.contains(name)).count() == 1;
    let name = class.names.iter().find(is_own).or(class.names.first());
    format!("{} = {}", name.unwrap_or(&class.type_name), class.layout)
}
