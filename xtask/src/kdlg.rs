//! `cargo xtask kdlg`: what the selectors `kdlg` and `cost` choose for all shipped programs, simulated.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use layoutc_tests::book::markdown::without_tags;
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::opencl;
use layoutc_tests::program::{Program, names};
use layoutc_tests::repository_root;

use crate::bench_opencl::section_of;
use crate::choices::simulated;
use crate::rank::{choice, common, is_opencl};

/// The device that all choices are simulated on.
const DEVICE: &str = "h100";
/// Whose decision tree makes the third choice.
const TREE: &str = "k20m";

#[derive(Args)]
pub struct Options {
    /// Only programs whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// Where the table goes, below the repository
    #[arg(long, default_value = "docs/kdlg-check.md")]
    out: PathBuf,
}

/// A program's choices, each with its simulated cost in that of the source's layout.
struct Row {
    program: String,
    is_opencl: bool,
    /// By `cost`, by `kdlg`, and by `kdlg` with the tree of [`TREE`].
    choices: [(String, f64); 3],
}

/// Simulates every program in the layouts that the selectors choose and writes the table.
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
        }
    }
    let (opencl, cuda): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.is_opencl);
    let path = repository_root().join(&options.out);
    // The times at its end are another command's.
    let times = section_of(&fs::read_to_string(&path).unwrap_or_default());
    fs::write(&path, without_tags(&text(&cuda, &opencl)) + &times)
        .with_context(|| path.display().to_string())
}

fn row(layoutc: &Layoutc, program: &Program) -> Result<Row> {
    let chosen = |device: &str, selector: &str| {
        let mut arguments = common(program, device, "sectors");
        arguments.extend(["--selector".to_owned(), selector.to_owned()]);
        choice(layoutc, program, &arguments)
    };
    let texts = [chosen(DEVICE, "cost")?, chosen(DEVICE, "kdlg")?, chosen(TREE, "kdlg")?];
    let choices = simulated(layoutc, program, DEVICE, &texts)?;
    let choices = choices.try_into().ok().context("three choices")?;
    let name = program.name.trim_start_matches("opencl/").to_owned();
    Ok(Row { program: name, is_opencl: is_opencl(program), choices })
}

const HEAD: &str = "\
# The selectors `kdlg` and `cost` on the shipped programs

`cargo xtask kdlg` asks `transform` for the layouts that `--selector cost` and `--selector kdlg` choose for the H100, and
those of `kdlg` for the K20m, the one device of the paper whose decision tree can be read. It runs every program in each of
them on the CPU (OpenCL on PoCL), with `simulated` or the first arguments of its `program.toml`, and simulates the
addresses that its kernels touch in the caches of the H100. Numbers are simulated costs against the layout of the source; below 1 is a
gain. No device file has a measured tree for the H100, so clusters of several values get tiles in which each
member fills what is fetched at once. Nothing here is a time.
";

fn text(cuda: &[Row], opencl: &[Row]) -> String {
    let mut out = String::from(HEAD);
    out.push_str("\n## CUDA\n");
    table(&mut out, cuda);
    out.push_str("\n## OpenCL\n");
    table(&mut out, opencl);
    out.push_str(CAUSES);
    out
}

fn table(out: &mut String, rows: &[Row]) {
    let _ = writeln!(
        out,
        "\n| program | `cost` | | `kdlg`, ε = 128 | | `kdlg`, tree of the K20m | |\n|---|---|---|---|---|---|---|"
    );
    for row in rows {
        let [first, second, third] = &row.choices;
        let cell = |(layout, ratio): &(String, f64)| format!("{layout} | {ratio:.3}");
        let (first, second, third) = (cell(first), cell(second), cell(third));
        let _ = writeln!(out, "| {} | {first} | {second} | {third} |", row.program);
    }
    let mean = |at: usize| {
        let logarithms: f64 = rows.iter().map(|row| row.choices[at].1.ln()).sum();
        (logarithms / rows.len().max(1) as f64).exp()
    };
    let against = |at: usize| {
        let than = |row: &&Row, better: bool| {
            let (own, cost) = (row.choices[at].1, row.choices[0].1);
            if better { own < cost * (1.0 - TIE) } else { own > cost * (1.0 + TIE) }
        };
        [true, false].map(|better| rows.iter().filter(|row| than(row, better)).count())
    };
    let _ = writeln!(
        out,
        "\nGeometric mean of {} programs: `cost` {:.3}, `kdlg` {:.3}, `kdlg` with the tree of the K20m {:.3}.",
        rows.len(),
        mean(0),
        mean(1),
        mean(2)
    );
    for (at, name) in [(1, "`kdlg`"), (2, "`kdlg` with the tree of the K20m")] {
        let [better, worse] = against(at);
        let _ = writeln!(
            out,
            "{name} costs at least 1 % less than `cost` in {better} programs and at least 1 % more in {worse}."
        );
    }
}

/// What stands behind the differences.
const CAUSES: &str = "
## Where they differ by more than 8 %

`kdlg` knows which fields are accessed near each other, and not at which elements neighbouring threads access them, nor that
one load may bring several members.

- **idw**: all threads read one element; an aligned struct is one request, separate members are one each.
- **euler, idiom_two_arrays**: each thread reads an element somewhere else; a struct there lies in a sector or two, each of its
  members in a tile in one of its own.
- **redblack**: every second element is accessed, so half of what is fetched of each member is for nothing; a struct of the members
  that are read together comes in one load.
- **idiom_subrange**: two members of a cluster of 8 bytes are read and written by one instruction.
- **idiom_macro_forms**: a kernel that accesses some members without the others makes each a cluster.

In OpenCL:

- **idiom_shared_header, idiom_stringify**: indices from memory; what is read together there is one struct
  in the choice of `cost`, and a sector for each member otherwise.
- **idiom_context_struct, idiom_handle_lists, idiom_buffer_class, sampo**: several groups are one buffer whose header says where they begin; each warp that
  accesses one behind the first reads it. In one tile, nothing is to be looked up.
- **idiom_argument_tables, idiom_setters**: `cost` keeps an array that each thread of one kernel reads from end to end. Launches do
  not say how large they are, so the price takes this one to be as large as the others; in the run it has a few threads.
- **idiom_macros**: clang keeps a value in a register in separate arrays which it reads again in tiles.

Where it costs less, [cost-check.md](cost-check.md) has the cause for bitonic and idiom_shared_elements; it is the price that errs there.
";

/// Costs that differ by less are the same.
const TIE: f64 = 0.01;
