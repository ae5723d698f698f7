//! `cargo xtask rank`: static prices of layouts against simulated ones, over all shipped programs.

mod separate;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use layoutc_tests::book::markdown::without_tags;
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::opencl;
use layoutc_tests::program::{Program, names};
use layoutc_tests::repository_root;
use serde::{Deserialize, Serialize};

/// The layouts that every program gets; a split into clusters comes from its `program.toml`, and the
/// choice of `transform`.
const LAYOUTS: [&str; 5] = ["aos align(16)", "soa", "tiled(16)", TILES, "tiled(128)"];
/// The layout that a rule without a model would always choose.
const TILES: &str = "tiled(32)";
/// Costs that differ by less are a tie.
const TIE: f64 = 0.005;
/// How long a program may take, in all layouts together.
pub const LIMIT: Duration = Duration::from_secs(1800);

#[derive(Args)]
pub struct Options {
    /// Only programs whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// Devices and models, as `DEVICE:MODEL`
    #[arg(long, default_values_t = ["h100:sectors".to_owned(), "m2050:peng".to_owned()])]
    on: Vec<String>,
    /// Keep what `layoutc cost --simulate --json` prints and what is chosen in this folder, and use what
    /// is there
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Where the table goes, below the repository
    #[arg(long, default_value = "docs/cost-check.md")]
    out: PathBuf,
}

/// What `layoutc cost --json` prints.
#[derive(Deserialize)]
pub struct Costs {
    /// One for all classes that a request names.
    pub tables: Vec<Table>,
}

/// Layouts of classes.
#[derive(Deserialize)]
pub struct Table {
    /// The source's first.
    pub layouts: Vec<Layout>,
}

/// A layout.
#[derive(Deserialize)]
pub struct Layout {
    /// As it was asked for.
    pub layout: String,
    cost: Vec<f64>,
    ratio: f64,
    /// What the simulation says of it.
    pub simulated: Option<Simulated>,
}

/// What a simulation says.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Simulated {
    /// Its cost.
    Cost {
        /// Of the kernels that access the arrays.
        cost: f64,
        paper_cost: Option<f64>,
        counted: Counted,
    },
    /// Why there is none.
    Error(String),
}

/// What was counted.
#[derive(Deserialize)]
pub struct Counted {
    kernels: Vec<Counts>,
}

/// What was counted of a kernel.
#[derive(Deserialize)]
struct Counts {
    is_conversion: bool,
    cost: f64,
}

impl Counted {
    /// What the kernels that rearrange records cost.
    #[must_use]
    pub fn conversions(&self) -> f64 {
        self.kernels.iter().filter(|own| own.is_conversion).map(|own| own.cost).sum()
    }
}

/// What `transform --report` writes.
#[derive(Deserialize)]
struct Report {
    classes: Vec<Class>,
}

#[derive(Deserialize)]
struct Class {
    #[serde(rename = "type")]
    type_name: String,
    names: Vec<String>,
    status: String,
    layout: String,
}

/// What `layoutc cost` calls the source's layout.
pub const SOURCE: &str = "as it is";

/// What is kept of a program: its costs as JSON, and the layout that was chosen.
#[derive(Serialize, Deserialize)]
struct Kept {
    choice: String,
    /// What is chosen with a profile of the run that is simulated.
    #[serde(default)]
    recorded: Option<String>,
    costs: String,
    /// Why the choice is not among the layouts.
    #[serde(default)]
    without_choice: Option<String>,
}

/// A layout of a program, priced both ways.
struct Point {
    layout: String,
    /// Most significant entry first.
    vector: Vec<f64>,
    /// Against the source's layout.
    estimate: f64,
    simulated: f64,
    /// What is rearranged at copies, by simulation.
    conversions: f64,
}

impl Point {
    /// Kernels and conversions.
    fn total(&self) -> f64 {
        self.simulated + self.conversions
    }
}

/// A program's layouts.
struct Row {
    program: String,
    points: Vec<Point>,
    /// The layout that `transform` chooses; [`SOURCE`]: it keeps the source's.
    choice: String,
    /// The same, with a profile of the run.
    recorded: Option<String>,
    /// What all of its arrays are in tiles.
    tiled: Option<String>,
    /// Layouts without an answer, and why.
    missing: Vec<(String, String)>,
}

/// Prices and simulates every program in every layout and writes the table.
///
/// # Errors
/// When `layoutc` does not build, or files cannot be written.
pub fn run(options: &Options) -> Result<()> {
    let layoutc = Layoutc::built()?;
    let mut text = String::from(HEAD);
    for on in &options.on {
        let (device, model) = on.split_once(':').context("`--on` is DEVICE:MODEL")?;
        let of_all = |names: Vec<String>| -> Result<Vec<Row>> {
            let mut rows = Vec::new();
            for name in names.into_iter().filter(|name| name.contains(&options.only)) {
                let program = Program::load(&name)?;
                if program.kept.is_some() || program.records.is_empty() {
                    continue;
                }
                rows.extend(row(&layoutc, &program, device, model, options)?);
            }
            Ok(rows)
        };
        section(&mut text, &format!("{device}, model `{model}`"), &of_all(names()?)?);
        let rows = separate::rows(&layoutc, device, model, options)?;
        separate::section(&mut text, device, &rows);
        // The paper's model is one of CUDA devices that are older than what OpenCL is compared on.
        if model == "sectors" {
            let title = format!("{device}, model `{model}`: OpenCL");
            section(&mut text, &title, &of_all(opencl::names()?)?);
        }
    }
    text.push_str(CAUSES);
    let path = repository_root().join(&options.out);
    fs::write(&path, without_tags(&text)).with_context(|| path.display().to_string())
}

const HEAD: &str = "\
# Static prices against simulated ones

`cargo xtask rank` prices every shipped program in its source's layout, in six others and in the one that `transform`
chooses with `layoutc cost`, runs it in each of them on the CPU (OpenCL on PoCL) with `simulated` or the first arguments of its
`program.toml`, and simulates the addresses that its kernels touch (`layoutc cost --simulate`). *Rank* is Spearman's
correlation of the two costs over the layouts of a program; costs within 0.5 % are ties, and `-` stands where all
layouts tie. *Regret* is how much more than the best simulated layout the one costs that `transform` chooses for this
device and model; `as it is`: it keeps the source's. Programs with separate arrays have a table of their own, with the
layouts and runs of their `merge.toml`. Grids are in none: their layouts are chosen by requests, and `layoutc cost` has no dimensions for them.
";

/// What stands behind the wrong ranks.
const CAUSES: &str = "
## Choices that cost more than 5 % too much

On h100, model `sectors`:

- **bitonic**: a swap uses half of a record's members only if it takes place; the CPU's compiler loads them there, which
  clusters and arrays profit from, and the static price loads whole records in front of the branch.
- **idiom_shared_elements**: of its two arrays, `in` alone would gain 3 %, less than the 5 % that `transform` asks for.
- **kmeans**: the static price keeps a point's coordinates in registers while its thread walks over the centres, so
  layouts of them tie; the CPU's compiler loads them for each centre, where one load of 16 bytes is less than four.
- **merge_particles**: all merges of the best layout together save 4.8 % by the static price, less than the 5 % that `transform`
  asks for; in the run it is 28 %.
- **merge_triangles**: only arrays that all kernels access at the same indices are tried together, and one kernel changes `pz` alone.

On h100, OpenCL:

- **bitonic**: as in CUDA.
- **idiom_argument_tables, idiom_setters**: launches do not say how large they are, so a kernel in which each thread reads a whole array counts
  as much as the others, and that array is kept; in the run this kernel has a few threads.
- **idiom_macros**: clang keeps a value in a register in separate arrays which it reads again in tiles.
- **idiom_grid_2d, lavamd** were not looked into.

On m2050, model `peng`, which is the paper's and has no vector loads, no lists of neighbours and no sectors:

- **idiom_raii, idiom_memset, idiom_local_pointer, sph, euler**: indices from memory are a transaction for each lane, so a
  struct seems best; in the runs, neighbouring lanes choose neighbouring elements, or few ones.
- **heat3d, idiom_allocators, idiom_error_paths, idiom_prefix_copy, idiom_subarray, idiom_symbols, idiom_two_arrays, idw,
  redblack**: the static price gives each member its own transactions; in the runs the first-level cache has the rest of the line.
- **merge_particles** was not looked into.

## What the static price assumes

- Arrays are large where the program does not say how many elements they have, and so are launches; loops of unknown
  length run 100 times, those in steps of *s* 100/*s* times (the paper's model: 100 times, and the deepest nest decides).
- An index from an array of indices leads eight neighbouring lanes to neighbouring elements; any other that is no formula
  leads each lane elsewhere. What is updated atomically there is a table that fits into the second-level cache.
- Where data decides, every second lane takes the branch, and the others take the other one.
- Blocks that run at the same time and read the same do so at the same time.
";

fn row(
    layoutc: &Layoutc,
    program: &Program,
    device: &str,
    model: &str,
    options: &Options,
) -> Result<Option<Row>> {
    let find = || simulated(layoutc, program, device, model);
    let found = kept(&program.name, device, model, options, find)?;
    let row = row_of(program.name.trim_start_matches("opencl/"), model, found)?;
    Ok(row.map(|row| Row { tiled: Some(every(program, TILES)), ..row }))
}

/// What is kept of a program, or what `find` finds.
fn kept(
    name: &str,
    device: &str,
    model: &str,
    options: &Options,
    find: impl FnOnce() -> Result<Kept>,
) -> Result<Kept> {
    let file = format!("{device}-{model}-{}.json", name.replace('/', "-"));
    let path = options.keep.as_ref().map(|folder| folder.join(file));
    if let Some(json) = path.as_ref().and_then(|path| fs::read_to_string(path).ok()) {
        return serde_json::from_str(&json).with_context(|| name.to_owned());
    }
    let found = find()?;
    if let Some(path) = &path {
        let text = serde_json::to_string(&found).with_context(|| name.to_owned())?;
        fs::write(path, text).with_context(|| path.display().to_string())?;
    }
    Ok(found)
}

fn row_of(name: &str, model: &str, kept: Kept) -> Result<Option<Row>> {
    let Kept { choice, recorded, costs, without_choice } = kept;
    let costs: Costs = serde_json::from_str(&costs).with_context(|| name.to_owned())?;
    let Some(table) = costs.tables.into_iter().next() else { return Ok(None) };
    let missing = without_choice.into_iter().map(|why| (choice.clone(), why)).collect();
    let mut row = Row {
        program: name.to_owned(),
        points: Vec::new(),
        choice,
        recorded,
        tiled: None,
        missing,
    };
    for layout in table.layouts {
        match layout.simulated {
            Some(Simulated::Cost { cost, paper_cost, counted }) => row.points.push(Point {
                conversions: counted.conversions(),
                layout: layout.layout,
                vector: layout.cost.into_iter().rev().collect(),
                estimate: layout.ratio,
                simulated: match (model, paper_cost) {
                    ("peng", Some(paper_cost)) => paper_cost,
                    _ => cost,
                },
            }),
            Some(Simulated::Error(message)) => row.missing.push((layout.layout, message)),
            None => row.missing.push((layout.layout, "it was not simulated".to_owned())),
        }
    }
    Ok(Some(row))
}

/// What all commands on a program are given.
pub fn common(program: &Program, device: &str, model: &str) -> Vec<String> {
    let mut common: Vec<String> = ["--device", device, "--model", model].map(str::to_owned).into();
    common.extend(program.files.iter().map(|file| file.to_string_lossy().into_owned()));
    if !program.native.is_empty() {
        common.extend(["--host".to_owned(), "native".to_owned()]);
    }
    if is_opencl(program) {
        common.extend(["-I".to_owned(), ".".to_owned()]);
    }
    common
}

/// Whether a program is one of OpenCL.
pub fn is_opencl(program: &Program) -> bool {
    program.name.starts_with("opencl/")
}

/// Prices and simulates one program.
fn simulated(layoutc: &Layoutc, program: &Program, device: &str, model: &str) -> Result<Kept> {
    let common = common(program, device, model);
    let by_text = choice(layoutc, program, &common)?;
    let recorded = recorded_choice(layoutc, program, &common)?;
    let all = |layout: &str| every(program, layout);
    let mut columns: Vec<String> = LAYOUTS.iter().map(|layout| all(layout)).collect();
    columns.extend(program.layouts.get("clustered").map(|specs| specs.join("; ")));
    for own in [&by_text, &recorded] {
        if own != SOURCE && !columns.contains(own) {
            columns.push(own.clone());
        }
    }
    let mut arguments: Vec<String> = ["cost", "--simulate", "--json"].map(str::to_owned).into();
    arguments.extend(common);
    for column in columns {
        arguments.extend(["--layout".to_owned(), column]);
    }
    arguments.push("--".to_owned());
    arguments.extend(program.simulated().iter().cloned());
    let outcome = layoutc.run(&program.folder, LIMIT, &arguments)?;
    let ending = outcome.ending();
    ensure!(outcome.succeeded(), "{}: {ending}\n{}", program.name, outcome.stderr);
    let recorded = Some(recorded);
    Ok(Kept { choice: by_text, recorded, costs: outcome.stdout, without_choice: None })
}

/// All records of a program in one layout, as a text for `--layout`.
fn every(program: &Program, layout: &str) -> String {
    let specs: Vec<String> =
        program.records.iter().map(|record| format!("{record} = {layout}")).collect();
    specs.join("; ")
}

/// What `transform` chooses with a profile of the run that is simulated.
fn recorded_choice(layoutc: &Layoutc, program: &Program, common: &[String]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let profile = folder.path().join("profile").display().to_string();
    let mut arguments: Vec<String> = ["profile", "-o", &profile].map(str::to_owned).into();
    arguments.extend(common.iter().cloned());
    arguments.push("--".to_owned());
    arguments.extend(program.simulated().iter().cloned());
    let outcome = layoutc.run(&program.folder, LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}: {}\n{}", program.name, outcome.ending(), outcome.stderr);
    let mut with_profile = common.to_vec();
    with_profile.extend(["--profile".to_owned(), profile]);
    choice(layoutc, program, &with_profile)
}

/// What `transform` chooses: a text for `--layout`, or [`SOURCE`].
///
/// # Errors
/// When it does not run.
pub fn choice(layoutc: &Layoutc, program: &Program, common: &[String]) -> Result<String> {
    chosen_layouts(layoutc, &program.folder, common).with_context(|| program.name.clone())
}

/// What `transform` chooses for the files in a folder that `common` names.
///
/// # Errors
/// When it does not run.
pub fn chosen_layouts(layoutc: &Layoutc, files: &Path, common: &[String]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("report.json");
    let mut arguments: Vec<String> = ["transform", "--check", "--report"].map(str::to_owned).into();
    arguments.push(path.display().to_string());
    arguments.extend(common.iter().cloned());
    // It exits with 1 if something would change.
    layoutc.run(files, LIMIT, &arguments)?;
    let text = fs::read_to_string(&path).context("there is no report")?;
    let report: Report = serde_json::from_str(&text)?;
    let mut specs: Vec<String> = Vec::new();
    for class in report.classes.iter().filter(|class| class.status == "changed") {
        let mut same = report.classes.iter().filter(|own| own.type_name == class.type_name);
        // The type means all of its arrays.
        let is_all = same.all(|own| own.status == "changed" && own.layout == class.layout);
        let name =
            if is_all { &class.type_name } else { class.names.first().unwrap_or(&class.type_name) };
        let spec = format!("{name} = {}", class.layout);
        if !specs.contains(&spec) {
            specs.push(spec);
        }
    }
    Ok(if specs.is_empty() { SOURCE.to_owned() } else { specs.join("; ") })
}

fn section(out: &mut String, title: &str, rows: &[Row]) {
    let _ = writeln!(out, "\n## {title}\n");
    let _ = writeln!(out, "| program | layouts | rank | regret | chosen | best simulated |");
    let _ = writeln!(out, "|---|---|---|---|---|---|");
    let (mut estimates, mut simulated) = (Vec::new(), Vec::new());
    let (mut ranks, mut near, mut judged) = (Vec::new(), 0, 0);
    for row in rows {
        let Some(source) = row.points.first().filter(|_| row.points.len() > 1) else { continue };
        let rank = spearman(&ranks_of_vectors(&row.points), &ranks_of(&simulated_of(row)));
        ranks.extend(rank);
        for point in &row.points[1..] {
            if point.estimate.is_finite() && source.simulated > 0.0 {
                estimates.push(point.estimate);
                simulated.push(point.simulated / source.simulated);
            }
        }
        let Some((chosen, best, regret)) = row.regret() else { continue };
        judged += 1;
        near += usize::from(regret <= 0.05);
        let rank = rank.map_or("-".to_owned(), |rank| format!("{rank:.2}"));
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
    let mean = ranks.iter().sum::<f64>() / ranks.len().max(1) as f64;
    let all = spearman(&ranks_of(&estimates), &ranks_of(&simulated));
    let all = all.map_or("-".to_owned(), |rank| format!("{rank:.3}"));
    let _ = writeln!(
        out,
        "\nMean rank correlation of {} programs: {mean:.3}. Over all {} layouts, costs against the source's: {all}. \
         The chosen layout costs at most 5 % more than the best in {near} of {judged} programs.",
        ranks.len(),
        estimates.len()
    );
    whole(out, rows);
    unanswered(out, rows);
}

/// Kernels and conversions together: what is chosen, against the best and against the source.
fn whole(out: &mut String, rows: &[Row]) {
    // The best, the ratios by text, with a profile and in tiles, and names.
    let whole = |row: &Row| -> Option<(f64, [Option<f64>; 3], String, String)> {
        let source = row.points.first().filter(|_| row.points.len() > 1)?.total();
        let best = row.points.iter().reduce(|best, own| match own.total() < best.total() {
            true => own,
            false => best,
        })?;
        let of = |layout: &Option<String>| {
            let layout = layout.as_ref()?;
            let point = row.points.iter().find(|point| point.layout == *layout)?;
            Some(point.total() / source.max(f64::MIN_POSITIVE))
        };
        let ratios = [of(&Some(row.choice.clone())), of(&row.recorded), of(&row.tiled)];
        let best_ratio = best.total() / source.max(f64::MIN_POSITIVE);
        Some((best_ratio, ratios, best.layout.clone(), row.program.clone()))
    };
    let _ = writeln!(
        out,
        "\nWith the kernels that rearrange records at copies, against the source's layout:\n\n\
         | program | best | by text | with a profile | always {TILES} |\n|---|---|---|---|---|"
    );
    let mut regrets: [Vec<f64>; 3] = Default::default();
    let mut above = [0; 3];
    for (best, ratios, layout, program) in rows.iter().filter_map(whole) {
        let shown = ratios.map(|ratio| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")));
        let _ = writeln!(out, "| {program} | {best:.2}: {layout} | {} |", shown.join(" | "));
        for (at, ratio) in ratios.into_iter().enumerate() {
            let Some(ratio) = ratio else { continue };
            regrets[at].push(ratio / best.max(f64::MIN_POSITIVE));
            above[at] += usize::from(ratio > 1.01);
        }
    }
    let mean = |values: &[f64]| {
        let logs = values.iter().map(|value| value.max(f64::MIN_POSITIVE).ln()).sum::<f64>();
        ((logs / values.len().max(1) as f64).exp() - 1.0) * 100.0
    };
    let [text, recorded, tiles] = &regrets;
    let _ = writeln!(
        out,
        "\nRegret, as a geometric mean: {:.1} % by text, {:.1} % with a profile, {:.1} % for {TILES}. \
         Programs that cost more than 1 % above their source: {} of {}, {} of {} and {} of {}.",
        mean(text),
        mean(recorded),
        mean(tiles),
        above[0],
        text.len(),
        above[1],
        recorded.len(),
        above[2],
        tiles.len()
    );
}

fn unanswered(out: &mut String, rows: &[Row]) {
    let missing = |row: &Row| {
        row.missing.iter().map(|own| (row.program.clone(), own.clone())).collect::<Vec<_>>()
    };
    let missing: Vec<_> = rows.iter().flat_map(missing).collect();
    if !missing.is_empty() {
        let _ = writeln!(out, "\nWithout an answer:\n");
        for (program, (layout, why)) in missing {
            let why = why.lines().next().unwrap_or_default();
            let _ = writeln!(out, "- {program}, `{layout}`: {why}");
        }
    }
}

impl Row {
    /// The layout that is chosen, the best in the simulation, and how much more than it the former costs.
    fn regret(&self) -> Option<(&Point, &Point, f64)> {
        let chosen = self.points.iter().find(|point| point.layout == self.choice)?;
        let best = self
            .points
            .iter()
            .reduce(|best, point| if point.simulated < best.simulated { point } else { best })?;
        let regret = chosen.simulated / best.simulated.max(f64::MIN_POSITIVE) - 1.0;
        Some((chosen, best, regret))
    }
}

fn simulated_of(row: &Row) -> Vec<f64> {
    row.points.iter().map(|point| point.simulated).collect()
}

/// Which of two cost vectors is less, most significant entries first; entries that differ by no more
/// than this part are equal.
fn order(a: &[f64], b: &[f64], tie: f64) -> std::cmp::Ordering {
    let length = a.len().max(b.len());
    let entry = |vector: &[f64], at: usize| {
        // Shorter vectors have no entries of the higher degrees.
        (at + vector.len()).checked_sub(length).map_or(0.0, |at| vector[at])
    };
    for at in 0..length {
        let (x, y) = (entry(a, at), entry(b, at));
        if (x - y).abs() > tie * x.abs().max(y.abs()) {
            return x.total_cmp(&y);
        }
    }
    std::cmp::Ordering::Equal
}

/// Ranks from 1; ties share the mean of theirs.
fn ranks_by(values: &[&[f64]]) -> Vec<f64> {
    let mut sorted: Vec<usize> = (0..values.len()).collect();
    // Nearness is no order; among sorted values, near ones are beside each other.
    sorted.sort_by(|a, b| order(values[*a], values[*b], 0.0));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < sorted.len() {
        let same = |at: &usize| order(values[sorted[start]], values[*at], TIE).is_eq();
        let count = sorted[start..].iter().take_while(|at| same(at)).count();
        for at in &sorted[start..start + count] {
            ranks[*at] = start as f64 + (count as f64 + 1.0) / 2.0;
        }
        start += count;
    }
    ranks
}

fn ranks_of(values: &[f64]) -> Vec<f64> {
    ranks_by(&values.iter().map(std::slice::from_ref).collect::<Vec<_>>())
}

fn ranks_of_vectors(points: &[Point]) -> Vec<f64> {
    ranks_by(&points.iter().map(|point| point.vector.as_slice()).collect::<Vec<_>>())
}

/// Spearman's correlation of two lists of ranks; none if one of them is constant.
fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        both += (x - mean_a) * (y - mean_b);
        of_a += (x - mean_a).powi(2);
        of_b += (y - mean_b).powi(2);
    }
    (of_a > 0.0 && of_b > 0.0).then(|| both / (of_a * of_b).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_their_correlation() {
        assert_eq!(ranks_of(&[10.0, 3.0, 3.001, 7.0]), [4.0, 1.5, 1.5, 3.0]);
        let rank = |a: &[f64], b: &[f64]| spearman(&ranks_of(a), &ranks_of(b));
        assert_eq!(rank(&[1.0, 2.0, 3.0], &[5.0, 6.0, 7.0]), Some(1.0));
        assert_eq!(rank(&[1.0, 2.0, 3.0], &[9.0, 6.0, 2.0]), Some(-1.0));
        assert_eq!(rank(&[1.0, 1.0, 1.0], &[9.0, 6.0, 2.0]), None);
        // 1 - 6 * (1 + 1) / (4 * 15)
        let found = rank(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 3.0, 4.0]).expect("not constant");
        assert!((found - 0.8).abs() < 1e-12);
    }

    #[test]
    fn vectors_compare_by_their_highest_degrees() {
        assert!(order(&[1.0, 0.0], &[900.0], TIE).is_gt());
        assert!(order(&[1.0, 5.0], &[1.001, 9.0], TIE).is_lt());
        assert!(order(&[1.0, 5.0], &[1.0, 5.01], TIE).is_eq());
    }
}
