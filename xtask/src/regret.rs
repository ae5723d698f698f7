//! `cargo xtask regret`: the choice against simulations, on random programs that nobody tuned the models for.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, ensure};
use clap::Args;
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::priced::{Priced, generate};
use layoutc_tests::repository_root;

use crate::rank::{Costs, LIMIT, SOURCE, Simulated, chosen_layouts};

/// Rules that need no model.
const RULES: [&str; 3] = ["soa", "tiled(32)", "aos align(16)"];
/// Programs of which the report tells more: those with the most regret.
const WORST: usize = 15;

#[derive(Args)]
pub struct Options {
    /// How many programs
    #[arg(long, default_value_t = 200)]
    count: u64,
    /// The seed of the first one
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Programs at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The device that is chosen for and simulated: a name or a file
    #[arg(long, default_value = "testdata/devices/h100-part.toml")]
    device: String,
    /// Print the program of the seed and stop
    #[arg(long)]
    print: bool,
    /// Where the table goes, below the repository; without it, it is printed
    #[arg(long)]
    out: Option<PathBuf>,
}

/// A program's costs against its source's: kernels, and with what is rearranged at copies.
struct Row {
    seed: u64,
    /// What chooses, and the layout that it chooses.
    choices: BTreeMap<&'static str, String>,
    /// By layout: kernels alone, and the whole.
    costs: BTreeMap<String, [f64; 2]>,
}

/// The names of what chooses, as the table has them.
const CHOOSERS: [&str; 5] = ["`layoutc`", "kdlg", "always soa", "always tiled(32)", "as it is"];

/// Runs the programs and writes the table.
///
/// # Errors
/// When `layoutc` does not build, or files cannot be written.
pub fn run(options: &Options) -> Result<()> {
    if options.print {
        print!("{}", generate(options.seed).text);
        return Ok(());
    }
    let layoutc = Layoutc::built()?;
    let device = repository_root().join(&options.device);
    let device =
        if device.is_file() { device.display().to_string() } else { options.device.clone() };
    let next = AtomicU64::new(options.seed);
    let rows: Mutex<Vec<Row>> = Mutex::default();
    let failures: Mutex<BTreeMap<u64, String>> = Mutex::default();
    let last = options.seed + options.count;
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= last {
                        break;
                    }
                    match row(&layoutc, &device, seed) {
                        Ok(row) => rows.lock().expect("no panic").push(row),
                        Err(error) => {
                            failures.lock().expect("no panic").insert(seed, format!("{error:#}"));
                        }
                    }
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("no panic");
    rows.sort_by_key(|row| row.seed);
    let text = table(options, &rows, &failures.into_inner().expect("no panic"));
    match &options.out {
        Some(out) => {
            let path = repository_root().join(out);
            fs::write(&path, text).with_context(|| path.display().to_string())
        }
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

fn row(layoutc: &Layoutc, device: &str, seed: u64) -> Result<Row> {
    let Priced { text, records } = generate(seed);
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("program.cu"), text)?;
    let common = ["program.cu", "--device", device].map(str::to_owned);
    let all = |layout: &str| {
        let specs: Vec<String> =
            records.iter().map(|record| format!("{record} = {layout}")).collect();
        specs.join("; ")
    };
    let own = chosen_layouts(layoutc, folder.path(), &common)?;
    let mut by_distance = common.to_vec();
    by_distance.extend(["--selector", "kdlg"].map(str::to_owned));
    let kdlg = chosen_layouts(layoutc, folder.path(), &by_distance)?;
    let mut columns: Vec<String> = RULES.iter().map(|rule| all(rule)).collect();
    for choice in [&own, &kdlg] {
        if choice != SOURCE && !columns.contains(choice) {
            columns.push(choice.clone());
        }
    }
    let mut arguments: Vec<String> = ["cost", "--simulate", "--json"].map(str::to_owned).into();
    arguments.extend(common);
    for column in &columns {
        arguments.extend(["--layout".to_owned(), column.clone()]);
    }
    let outcome = layoutc.run(folder.path(), LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
    let found: Costs = serde_json::from_str(&outcome.stdout)?;
    let table = found.tables.into_iter().next().context("there is nothing to price")?;
    let mut costs = BTreeMap::new();
    let mut source = None;
    for layout in &table.layouts {
        // A layout that no array can have is none to choose.
        let Some(Simulated::Cost { cost, counted, .. }) = &layout.simulated else { continue };
        let own = [*cost, *cost + counted.conversions()];
        let source = *source.get_or_insert(own);
        let ratio = |at: usize| own[at] / source[at].max(f64::MIN_POSITIVE);
        costs.insert(layout.layout.clone(), [ratio(0), ratio(1)]);
    }
    let choices =
        CHOOSERS.into_iter().zip([own, kdlg, all("soa"), all("tiled(32)"), SOURCE.to_owned()]);
    Ok(Row { seed, choices: choices.collect(), costs })
}

impl Row {
    /// How much more than the best layout the one of `chooser` costs: 1 if it is the best. A layout that no array can have
    /// is the source's.
    fn regret(&self, chooser: &str, at: usize) -> f64 {
        let best = self.costs.values().map(|own| own[at]).fold(f64::INFINITY, f64::min);
        self.ratio(chooser, at) / best.max(f64::MIN_POSITIVE)
    }

    fn ratio(&self, chooser: &str, at: usize) -> f64 {
        let layout = self.choices.get(chooser);
        layout.and_then(|layout| self.costs.get(layout)).map_or(1.0, |own| own[at])
    }

    fn best(&self, at: usize) -> (&str, f64) {
        let mut all = self.costs.iter().map(|(layout, own)| (layout.as_str(), own[at]));
        let first = all.next().unwrap_or((SOURCE, 1.0));
        all.fold(first, |best, own| if own.1 < best.1 { own } else { best })
    }
}

fn table(options: &Options, rows: &[Row], failures: &BTreeMap<u64, String>) -> String {
    let mut out = format!(
        "# The choice on random programs\n\n\
         `cargo xtask regret --count {} --seed {}` makes programs that the models were not tuned on (`tests/src/priced.rs`), runs each \
         in several layouts on the CPU and simulates the addresses that kernels touch, those that rearrange records at copies \
         included. The device is `{}`: small, so that arrays exceed its caches. *Regret* is how much more than the best of \
         the layouts a choice costs, as a geometric mean.\n\n\
         {} programs.\n\n\
         | what chooses | regret, kernels alone | within 5 % | regret with conversions | within 5 % | above the source by more than 1 % |\n\
         |---|---|---|---|---|---|\n",
        options.count,
        options.seed,
        options.device,
        rows.len()
    );
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    for chooser in CHOOSERS {
        let mean = |at: usize| {
            let logs: f64 = rows.iter().map(|row| row.regret(chooser, at).ln()).sum();
            ((logs / rows.len().max(1) as f64).exp() - 1.0) * 100.0
        };
        let _ = writeln!(
            out,
            "| {chooser} | {:.1} % | {} | {:.1} % | {} | {} |",
            mean(0),
            count(&|row| row.regret(chooser, 0) <= 1.05),
            mean(1),
            count(&|row| row.regret(chooser, 1) <= 1.05),
            count(&|row| row.ratio(chooser, 1) > 1.01),
        );
    }
    let chooser = CHOOSERS[0];
    let mut worst: Vec<&Row> = rows.iter().collect();
    worst.sort_by(|a, b| b.regret(chooser, 1).total_cmp(&a.regret(chooser, 1)));
    let _ = writeln!(out, "\nThe worst:\n\n| seed | regret | chosen | best |\n|---|---|---|---|");
    for row in worst.iter().take(WORST) {
        let (best, ratio) = row.best(1);
        let _ = writeln!(
            out,
            "| {} | {:.0} % | {:.2}: {} | {ratio:.2}: {best} |",
            row.seed,
            (row.regret(chooser, 1) - 1.0) * 100.0,
            row.ratio(chooser, 1),
            row.choices.get(chooser).map_or("", String::as_str),
        );
    }
    if !failures.is_empty() {
        let _ = writeln!(out, "\nWithout an answer:\n");
        for (seed, why) in failures {
            let _ = writeln!(out, "- {seed}: {}", why.lines().next().unwrap_or_default());
        }
    }
    out
}
