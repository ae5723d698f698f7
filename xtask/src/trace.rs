//! `cargo xtask trace`: what the selectors `trace`, `auto` and `cost` choose for all shipped programs, simulated, and
//! what each step beyond the paper brings.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use layoutc_tests::book::markdown::without_tags;
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::opencl;
use layoutc_tests::program::{Program, names};
use layoutc_tests::repository_root;

use crate::choices::simulated;
use crate::rank::{LIMIT, choice, common, is_opencl};

/// The device that all choices are made for and simulated on.
const DEVICE: &str = "h100";

/// What chooses, and with which options.
const CHOICES: [(&str, &[&str]); 7] = [
    ("`cost`", &["--selector", "cost"]),
    ("`auto`", &["--selector", "auto"]),
    ("`trace`", &["--selector", "trace"]),
    ("paper", &["--selector", "trace", "--trace", "paper"]),
    ("no groups", &["--selector", "trace", "--trace", "tiles,width,elements"]),
    ("no tiles", &["--selector", "trace", "--trace", "groups,width,elements"]),
    ("no width", &["--selector", "trace", "--trace", "groups,tiles,elements"]),
];

#[derive(Args)]
pub struct Options {
    /// Only programs whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// Where the table goes, below the repository
    #[arg(long, default_value = "docs/trace-check.md")]
    out: PathBuf,
}

/// A program's choices, each with its simulated cost in that of the source's layout.
struct Row {
    program: String,
    is_opencl: bool,
    choices: Vec<(String, f64)>,
}

/// Records every program, simulates it in the layouts that the selectors choose, and writes the table.
///
/// # Errors
/// When `layoutc` does not build, a program cannot be run, or files cannot be written.
pub fn run(options: &Options) -> Result<()> {
    let layoutc = Layoutc::built()?;
    let mut rows = Vec::new();
    let all = names()?.into_iter().chain(opencl::names()?);
    for name in all.filter(|name| name.contains(&options.only)) {
        let program = Program::load(&name)?;
        if program.kept.is_none() && !program.records.is_empty() {
            rows.push(row(&layoutc, &program)?);
            println!("{name}");
        }
    }
    let (opencl, cuda): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.is_opencl);
    let path = repository_root().join(&options.out);
    fs::write(&path, without_tags(&text(&cuda, &opencl)))
        .with_context(|| path.display().to_string())
}

fn row(layoutc: &Layoutc, program: &Program) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let profile = folder.path().join("profile").display().to_string();
    let common = common(program, DEVICE, "sectors");
    let mut arguments: Vec<String> = ["profile", "-o", &profile].map(str::to_owned).into();
    arguments.extend(common.iter().cloned());
    arguments.push("--".to_owned());
    arguments.extend(program.simulated().iter().cloned());
    let outcome = layoutc.run(&program.folder, LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}: {}\n{}", program.name, outcome.ending(), outcome.stderr);
    let mut texts = Vec::new();
    for (_, selector) in CHOICES {
        let mut arguments = common.clone();
        arguments.extend(selector.iter().map(|word| (*word).to_owned()));
        if selector[1] != "cost" {
            arguments.extend(["--profile".to_owned(), profile.clone()]);
        }
        texts.push(choice(layoutc, program, &arguments)?);
    }
    let choices = simulated(layoutc, program, DEVICE, &texts)?;
    let name = program.name.trim_start_matches("opencl/").to_owned();
    Ok(Row { program: name, is_opencl: is_opencl(program), choices })
}

const HEAD: &str = "\
# The selectors `trace` and `auto` on the shipped programs

`cargo xtask trace` records every program (`layoutc profile`, with `simulated` or the first arguments of its `program.toml`), asks
`transform` for the layouts that `--selector cost`, `auto` and `trace` choose for the H100, runs it on the CPU in each of them, and simulates the
addresses that its kernels touch in the caches of the H100. `paper` is the method of Nakai and Ohno alone; the other columns leave out one of the steps
beyond it. Numbers are simulated costs against the layout of the source; below 1 is a gain. Nothing here is a time.
";

fn text(cuda: &[Row], opencl: &[Row]) -> String {
    let mut out = String::from(HEAD);
    for (title, rows) in [("CUDA", cuda), ("OpenCL", opencl)] {
        let _ = writeln!(out, "\n## {title}");
        costs(&mut out, rows);
        against(&mut out, rows);
    }
    out.push_str(STEPS);
    for (title, rows) in [("CUDA", cuda), ("OpenCL", opencl)] {
        let _ = writeln!(out, "\n## What was chosen: {title}");
        out.push_str("\n| program | `cost` | `auto` | `trace` | paper |\n|---|---|---|---|---|\n");
        for row in rows {
            let texts: Vec<&str> =
                row.choices.iter().take(4).map(|(text, _)| text.as_str()).collect();
            let _ = writeln!(out, "| {} | {} |", row.program, texts.join(" | "));
        }
    }
    out
}

fn costs(out: &mut String, rows: &[Row]) {
    let names: Vec<&str> = CHOICES.iter().map(|(name, _)| *name).collect();
    let _ =
        writeln!(out, "\n| program | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
    for row in rows {
        let costs: Vec<String> = row.choices.iter().map(|(_, cost)| format!("{cost:.3}")).collect();
        let _ = writeln!(out, "| {} | {} |", row.program, costs.join(" | "));
    }
    let mean = |at: usize| {
        let logarithms: f64 = rows.iter().map(|row| row.choices[at].1.ln()).sum();
        (logarithms / rows.len().max(1) as f64).exp()
    };
    let means: Vec<String> = (0..names.len()).map(|at| format!("{:.3}", mean(at))).collect();
    let _ = writeln!(out, "| geometric mean of {} | {} |", rows.len(), means.join(" | "));
}

fn against(out: &mut String, rows: &[Row]) {
    out.push_str("\nAgainst `cost`:\n\n| | at least 1 % less | within 1 % | at least 1 % more |\n|---|---|---|---|\n");
    for (at, (name, _)) in CHOICES.iter().enumerate().skip(1) {
        let against = |row: &Row| row.choices[at].1 / row.choices[0].1;
        let less = rows.iter().filter(|row| against(row) < 1.0 - TIE).count();
        let more = rows.iter().filter(|row| against(row) > 1.0 + TIE).count();
        let _ = writeln!(out, "| {name} | {less} | {} | {more} |", rows.len() - less - more);
    }
}

/// What the steps bring, and what measured facts do not.
const STEPS: &str = "
## What the steps bring

- **elements** (all columns but `paper`): in large structs hardly two lanes share a line, so by addresses accesses are `UnCoalesc` and say structs,
  though neighbours access neighbours (heat3d, idiom_deref, idiom_handle, idiom_many_members, sampo).
- **groups**: fields that are streamed and fields that are gathered in one struct (idiom_macro_forms, idiom_symbols). In idiom_class_templates groups cost: they keep `Tagged<Tag>`
  together, which the struct as a whole would not.
- **tiles**: what is used together at scattered elements would be as many sectors as members (idiom_two_arrays, idiom_symbols); where it is streamed, tiles and arrays cost the same.
- **width**: alignment to 16 where it brings no wider load is padding that is fetched (idiom_macro_forms).
- **auto** is `cost` where the text says what happens. It gains in sampo (trip counts), and loses in idiom_memset, where less than the threshold of 5 % is to be gained, and in euler: neighbours are anywhere, so the price
  keeps `Cell` together, and how right that is depends on what the caches hold of the mesh. `auto` has 0.883 against 0.867 of `cost` with the recorded mesh of 60², 0.872 against 0.895 with 200², and 0.613 against 0.543 with 500²
  (`layoutc cost --simulate`). Taking over the lengths of arrays of the recorded run would fit that run alone.
";

/// Costs that differ by less are the same.
const TIE: f64 = 0.01;
