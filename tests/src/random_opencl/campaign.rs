//! Many cases, on several threads, with statistics and reduced failures.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::generate::{Size, generate};
use super::program::OpenClProgram;
use super::run::{Original, Runner};
use crate::layoutc::Layoutc;
use crate::random::campaign::Statistics;
use crate::random::layouts::{Entry, Form, Layouts};
use crate::random::reduce::reduce;
use crate::random::rng::Random;
use crate::random::run::{ClassResult, Failure, FailureKind};

/// The kinds of layouts that every program is tried in, besides the source's own.
pub const KINDS: [&str; 5] = ["soa", "tiled", "groups", "aligned", "mixed"];

/// What to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seeds of the programs.
    pub seeds: Vec<u64>,
    /// Threads.
    pub jobs: usize,
    /// Layouts of each program, at most one of each of [`KINDS`].
    pub layouts: usize,
    /// The size of each program.
    pub size: Size,
    /// Where reduced failures go.
    pub out: Option<PathBuf>,
    /// How long a failure may be reduced.
    pub reduce: Duration,
    /// How many failures of one cause are reduced.
    pub reductions: usize,
    /// The `layoutc` to test instead of the one of this workspace.
    pub layoutc: Option<Layoutc>,
}

impl Default for Campaign {
    fn default() -> Self {
        Campaign {
            seeds: (1..=20).collect(),
            jobs: 1,
            layouts: 3,
            size: Size::default(),
            out: None,
            reduce: Duration::from_secs(60),
            reductions: 1,
            layoutc: None,
        }
    }
}

/// Runs a campaign; `progress` hears of it after each program.
///
/// # Errors
/// When a tool is missing. Failures of cases are in the statistics.
pub fn run(
    campaign: &Campaign,
    progress: &(dyn Fn(&Statistics, Duration) + Sync),
) -> Result<Statistics> {
    let layoutc = campaign.layoutc.clone().map_or_else(Layoutc::built, Ok)?;
    let runner = Runner::new(layoutc)?;
    let statistics = Mutex::new(Statistics::default());
    let (next, start) = (AtomicUsize::new(0), Instant::now());
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(seed) = campaign.seeds.get(number) else {
                return Ok(());
            };
            let folder = tempfile::tempdir()?;
            let worker = Worker { campaign, runner: &runner, statistics: &statistics };
            worker.program(*seed, folder.path())?;
            let statistics = statistics.lock().unwrap_or_else(PoisonError::into_inner);
            progress(&statistics, start.elapsed());
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..campaign.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(statistics.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// A layout of a kind for each record.
fn layouts(program: &OpenClProgram, kind: &'static str, random: &mut Random) -> Layouts {
    if kind != "aligned" {
        return Layouts::random(&program.tree, kind, random);
    }
    let entry = |target: &crate::random::program::LayoutTarget| Entry {
        record: target.record,
        array: None,
        form: Form::Whole(format!("aos align({})", target.alignment.max(16))),
    };
    Layouts { kind, entries: program.tree.targets.iter().map(entry).collect() }
}

struct Worker<'a> {
    campaign: &'a Campaign,
    runner: &'a Runner,
    statistics: &'a Mutex<Statistics>,
}

impl Worker<'_> {
    fn record(&self, with: impl FnOnce(&mut Statistics)) {
        with(&mut self.statistics.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// One program in its own layout and in others.
    fn program(&self, seed: u64, folder: &Path) -> Result<()> {
        let program = generate(seed, self.campaign.size);
        let mut random = Random::new(seed ^ 0x6c61_796f_7574);
        let mut kinds = KINDS;
        random.shuffle(&mut kinds);
        let mut all = vec![Layouts::identity(&program.tree)];
        let kinds = &kinds[..self.campaign.layouts.min(kinds.len())];
        all.extend(kinds.iter().map(|kind| layouts(&program, kind, &mut random)));
        self.record(|all| {
            all.programs += 1;
            all.kernels += program.tree.kernels;
        });
        let original = match self.runner.original(&program, folder, true)? {
            Ok(original) => original,
            Err(failure) => return self.failed(&program, &all[0], failure),
        };
        for layouts in &all {
            let is_counted = layouts.kind != "identity";
            match self.runner.case(&program, &original, layouts)? {
                Ok(classes) if is_counted => self.record(|all| {
                    all.cases += 1;
                    all.add_classes(&program.tree, &classes);
                }),
                Ok(_) => {}
                Err(failure) => {
                    self.record(|all| all.cases += usize::from(is_counted));
                    self.failed(&program, layouts, failure)?;
                }
            }
        }
        Ok(())
    }

    /// Counts a failure, and reduces it if it is one of the first of its kind.
    fn failed(&self, program: &OpenClProgram, layouts: &Layouts, failure: Failure) -> Result<()> {
        let mut known = 0;
        self.record(|all| {
            let seeds = all.failures.entry((failure.kind, failure.cause.clone())).or_default();
            known = seeds.len();
            seeds.push(format!("{} {}", program.tree.seed, layouts.kind));
        });
        let Some(out) = &self.campaign.out else {
            return Ok(());
        };
        if known >= self.campaign.reductions {
            return Ok(());
        }
        let folder = tempfile::tempdir()?;
        let mut last = failure.clone();
        let mut fails = |tree: &crate::random::RandomProgram, layouts: &Layouts| {
            let found = self.fails_again(&program.with(tree), layouts, &failure, folder.path());
            found.map(|found| last = found).is_some()
        };
        let (small, layouts) = reduce(&program.tree, layouts, self.campaign.reduce, &mut fails);
        fs::create_dir_all(out)?;
        let kind = format!("{:?}", failure.kind).to_lowercase();
        let what: String = failure
            .cause
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let what: String = what.chars().take(40).collect();
        let file = out.join(format!("opencl-{kind}-{}-{}-{what}.txt", small.seed, layouts.kind));
        fs::write(file, described(&program.with(&small), &layouts, &last))?;
        Ok(())
    }

    /// The failure of a candidate, if it is of the same kind and cause.
    fn fails_again(
        &self,
        program: &OpenClProgram,
        layouts: &Layouts,
        failure: &Failure,
        folder: &Path,
    ) -> Option<Failure> {
        let same = |found: &Failure| found.kind == failure.kind && found.cause == failure.cause;
        let case = |original: &Original| -> Option<Result<Vec<ClassResult>, Failure>> {
            self.runner.case(program, original, layouts).ok()
        };
        // Kernels are built as the program runs.
        let runs = matches!(
            failure.kind,
            FailureKind::Original | FailureKind::Different | FailureKind::Compile
        );
        if !runs {
            let unchecked = self.runner.original(program, folder, false).ok()?.ok()?;
            let found = case(&unchecked)?.err().filter(same)?;
            return self.runner.original(program, folder, true).ok()?.ok().map(|_| found);
        }
        match self.runner.original(program, folder, true).ok()? {
            Ok(original) => case(&original)?.err().filter(same),
            Err(found) => Some(found).filter(same),
        }
    }
}

/// A program with what is wrong with it.
fn described(program: &OpenClProgram, layouts: &Layouts, failure: &Failure) -> String {
    let seed = program.tree.seed;
    let mut text = format!("// {} (seed {seed}, {})\n", failure.kind, layouts.kind);
    let options: Vec<String> =
        layouts.specs(&program.tree).iter().map(|spec| format!("--layout '{spec}'")).collect();
    let names: Vec<&str> = program.files().into_iter().map(|(name, _)| name).collect();
    let runs: Vec<String> = program.tree.runs.iter().map(ToString::to_string).collect();
    let _ = writeln!(
        text,
        "// layoutc transform {} --out-dir OUT {}; program {}",
        names.join(" "),
        options.join(" "),
        runs.join(" ")
    );
    for line in failure.message.lines().take(40) {
        let _ = writeln!(text, "// {}", line.trim_end_matches('\\'));
    }
    text.push_str(&program.text());
    text
}
