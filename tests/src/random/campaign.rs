//! Many cases, on several threads, with statistics and reduced failures.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::generate::{Size, generate};
use super::layouts::{KINDS, Layouts};
use super::program::RandomProgram;
use super::reduce::reduce;
use super::rng::Random;
use super::run::{Checks, ClassResult, Failure, FailureKind, Runner};
use crate::layoutc::Layoutc;

/// What to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// At least this many kernels, in whole programs.
    pub kernels: usize,
    /// The seed of the first program; the others follow.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
    /// nvcc compiles every case of one of so many programs, and the program itself.
    pub nvcc_every: Option<usize>,
    /// Layouts of each program, at most one of each of [`KINDS`].
    pub layouts: usize,
    /// The size of each program.
    pub size: Size,
    /// Where reduced failures go.
    pub out: Option<PathBuf>,
    /// How long a failure may be reduced; no time: it is written as it is.
    pub reduce: Duration,
    /// How many failures of one cause are reduced.
    pub reductions: usize,
    /// The `layoutc` to test instead of the one of this workspace.
    pub layoutc: Option<Layoutc>,
}

impl Default for Campaign {
    fn default() -> Self {
        Campaign {
            kernels: 500,
            seed: 1,
            jobs: 1,
            nvcc_every: Some(1),
            layouts: 3,
            size: Size::default(),
            out: None,
            reduce: Duration::from_secs(120),
            reductions: 2,
            layoutc: None,
        }
    }
}

/// What came of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Programs.
    pub programs: usize,
    /// Their kernels.
    pub kernels: usize,
    /// Programs times layouts.
    pub cases: usize,
    /// Cases that nvcc compiled.
    pub nvcc: usize,
    /// Programs with functions that nothing uses, where warnings of nvcc are no failures.
    pub lenient: usize,
    /// Cases compiled with optimisation.
    pub optimised: usize,
    /// Array classes that changed, over all cases.
    pub changed: usize,
    /// Array classes that stayed, by the code of the first reason.
    pub kept: BTreeMap<String, usize>,
    /// Units of a feature: with all classes changed, and with one that stayed.
    pub features: BTreeMap<&'static str, [usize; 2]>,
    /// First reasons in units of a feature.
    pub reasons: BTreeMap<(String, String), usize>,
    /// Failures by kind and cause, with the seeds and layouts.
    pub failures: BTreeMap<(FailureKind, String), Vec<String>>,
}

impl Statistics {
    /// Changed classes among all, from 0 to 1.
    #[must_use]
    pub fn changed_share(&self) -> f64 {
        // An array that has the layout already is not refused.
        let kept = self.kept.iter().filter(|(code, _)| *code != "LC0053");
        let kept: usize = kept.map(|(_, count)| count).sum();
        self.changed as f64 / ((self.changed + kept).max(1)) as f64
    }

    /// The number of failures.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.failures.values().map(Vec::len).sum()
    }

    /// One line for progress.
    #[must_use]
    pub fn line(&self, elapsed: Duration) -> String {
        format!(
            "{} programs, {} kernels ({:.1}/s), {} cases, {:.0} % of classes changed, {} failures",
            self.programs,
            self.kernels,
            self.kernels as f64 / elapsed.as_secs_f64().max(0.001),
            self.cases,
            100.0 * self.changed_share(),
            self.failed()
        )
    }

    /// All of it.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = format!(
            "cases compiled with optimisation: {}, by nvcc: {}, programs with unused functions: {}\n\
             classes changed: {}\n",
            self.optimised, self.nvcc, self.lenient, self.changed
        );
        for (code, count) in &self.kept {
            let _ = writeln!(text, "classes kept, {code}: {count}");
        }
        text.push_str("\nfeature of a unit            changed  kept\n");
        for (feature, [changed, kept]) in &self.features {
            let _ = writeln!(text, "{feature:<28} {changed:>7} {kept:>5}");
        }
        if !self.reasons.is_empty() {
            text.push_str("\nfirst reasons (ten most frequent)\n");
            let mut reasons: Vec<_> = self.reasons.iter().collect();
            reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for ((code, reason), count) in reasons.into_iter().take(10) {
                let _ = writeln!(text, "{count:>6} {code} {reason}");
            }
        }
        for ((kind, cause), seeds) in &self.failures {
            let _ = writeln!(text, "\nFAILURE {kind}: {} times: {cause}", seeds.len());
            let _ = writeln!(text, "  {}", seeds[..seeds.len().min(8)].join(", "));
        }
        text
    }

    /// Counts the classes of a case.
    pub fn add_classes(&mut self, program: &RandomProgram, classes: &[ClassResult]) {
        for class in classes {
            if class.changed {
                self.changed += 1;
            } else {
                let code = class.codes.first().cloned().unwrap_or_default();
                *self.kept.entry(code.clone()).or_default() += 1;
                let words: Vec<&str> = class.reason.split('`').step_by(2).collect();
                *self.reasons.entry((code, words.join("…"))).or_default() += 1;
            }
        }
        for unit in &program.units {
            let own = classes
                .iter()
                .filter(|class| class.record.is_some_and(|record| unit.records.contains(&record)));
            let stays = own.clone().any(|class| !class.changed);
            for feature in &unit.features {
                self.features.entry(feature).or_default()[usize::from(stays)] += 1;
            }
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
    let runner = Runner::new(layoutc, campaign.nvcc_every.is_some())?;
    let statistics = Mutex::new(Statistics::default());
    let per_program = (campaign.size.units * campaign.size.kernels).max(1);
    let programs = campaign.kernels.div_ceil(per_program);
    let (next, start) = (AtomicUsize::new(0), Instant::now());
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= programs {
                return Ok(());
            }
            let folder = tempfile::tempdir()?;
            let worker = Worker { campaign, runner: &runner, statistics: &statistics };
            worker.program(number, folder.path())?;
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

struct Worker<'a> {
    campaign: &'a Campaign,
    runner: &'a Runner,
    statistics: &'a Mutex<Statistics>,
}

impl Worker<'_> {
    fn record(&self, with: impl FnOnce(&mut Statistics)) {
        with(&mut self.statistics.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// One program in all its layouts.
    fn program(&self, number: usize, folder: &Path) -> Result<()> {
        let seed = self.campaign.seed + number as u64;
        let program = generate(seed, self.campaign.size);
        let mut random = Random::new(seed ^ 0x6c61_796f_7574);
        let mut kinds = KINDS;
        random.shuffle(&mut kinds);
        let layouts: Vec<Layouts> = kinds[..self.campaign.layouts.min(kinds.len())]
            .iter()
            .map(|kind| Layouts::random(&program, kind, &mut random))
            .collect();
        self.record(|all| {
            all.programs += 1;
            all.kernels += program.kernels;
        });
        let original = match self.runner.original(&program, folder)? {
            Ok(original) => original,
            Err(failure) => {
                let layouts = Layouts::identity(&program);
                return self.failed(&program, &layouts, failure, Checks::default());
            }
        };
        let nvcc =
            self.campaign.nvcc_every.is_some_and(|every| number.is_multiple_of(every.max(1)));
        let mut lenient = false;
        if nvcc {
            match self.runner.nvcc_original(&original)? {
                Ok(has_unused) => lenient = has_unused,
                Err(failure) => {
                    let layouts = Layouts::identity(&program);
                    return self.failed(&program, &layouts, failure, Checks::default());
                }
            }
            self.record(|all| all.lenient += usize::from(lenient));
        }
        for (at, layouts) in layouts.iter().enumerate() {
            let optimised = at == 1 && number.is_multiple_of(4);
            let checks = Checks { nvcc, optimised, lenient };
            match self.runner.case(&program, &original, layouts, checks)? {
                Ok(classes) => self.record(|all| {
                    all.cases += 1;
                    all.nvcc += usize::from(checks.nvcc);
                    all.optimised += usize::from(checks.optimised);
                    all.add_classes(&program, &classes);
                }),
                Err(failure) => {
                    self.record(|all| all.cases += 1);
                    self.failed(&program, layouts, failure, checks)?;
                }
            }
            if at == 0
                && let Some(failure) = self.runner.metamorphic(&program, &original, layouts)?
            {
                self.failed(&program, layouts, failure, Checks::default())?;
            }
        }
        Ok(())
    }

    /// Counts a failure, and reduces it if it is one of the first of its kind.
    fn failed(
        &self,
        program: &RandomProgram,
        layouts: &Layouts,
        failure: Failure,
        checks: Checks,
    ) -> Result<()> {
        let mut known = 0;
        self.record(|all| {
            let seeds = all.failures.entry((failure.kind, failure.cause.clone())).or_default();
            known = seeds.len();
            seeds.push(format!("{} {}", program.seed, layouts.kind));
        });
        let Some(out) = &self.campaign.out else {
            return Ok(());
        };
        if known >= self.campaign.reductions {
            return Ok(());
        }
        let folder = tempfile::tempdir()?;
        let mut last = failure.clone();
        let mut fails = |program: &RandomProgram, layouts: &Layouts| {
            let found = self.fails_again(program, layouts, &failure, checks, folder.path());
            found.map(|found| last = found).is_some()
        };
        let (small, layouts) = reduce(program, layouts, self.campaign.reduce, &mut fails);
        fs::create_dir_all(out)?;
        let kind = format!("{:?}", failure.kind).to_lowercase();
        let file = out.join(format!("{kind}-{}-{}.cu", small.seed, layouts.kind));
        fs::write(&file, described(&small, &layouts, &last))?;
        let sources = small.sources();
        if sources.0.len() > 1 {
            sources.write(&file.with_extension(""))?;
        }
        Ok(())
    }

    /// The failure of a candidate, if it is of the same kind and cause.
    fn fails_again(
        &self,
        program: &RandomProgram,
        layouts: &Layouts,
        failure: &Failure,
        checks: Checks,
        folder: &Path,
    ) -> Option<Failure> {
        let same = |found: &Failure| found.kind == failure.kind && found.cause == failure.cause;
        let checks = Checks {
            nvcc: failure.kind == FailureKind::Nvcc,
            lenient: !failure.is_warning(),
            ..checks
        };
        let runs = matches!(failure.kind, FailureKind::Original | FailureKind::Different);
        if runs {
            let original = match self.runner.original(program, folder).ok()? {
                Ok(original) => original,
                Err(found) => return Some(found).filter(same),
            };
            return self.runner.case(program, &original, layouts, checks).ok()?.err().filter(same);
        }
        // What shows without a run is looked for first: most candidates are rejected there.
        let unchecked = self.runner.unchecked(program, folder).ok()?;
        let mut found = self.runner.case(program, &unchecked, layouts, checks).ok()?.err();
        if found.is_none() && failure.kind != FailureKind::Compile {
            found = self.runner.metamorphic(program, &unchecked, layouts).ok()?;
        }
        let found = found.filter(same)?;
        self.runner.original(program, folder).ok()?.ok().map(|_| found)
    }
}

/// A program with a comment that says what is wrong with it.
fn described(program: &RandomProgram, layouts: &Layouts, failure: &Failure) -> String {
    let mut text = format!("// {} (seed {}, {})\n", failure.kind, program.seed, layouts.kind);
    let options: Vec<String> =
        layouts.specs(program).iter().map(|spec| format!("--layout '{spec}'")).collect();
    let runs: Vec<String> = program.runs.iter().map(ToString::to_string).collect();
    let sources = program.sources();
    // The listing is one file, or shows those of the folder beside it.
    let names: Vec<&str> = sources.roots().collect();
    let names = if sources.0.len() > 1 { names.join(" ") } else { "THIS".to_owned() };
    let _ =
        writeln!(text, "// layoutc verify {names} {} -- {}", options.join(" "), runs.join(" or "));
    for line in failure.message.lines().take(40) {
        let _ = writeln!(text, "// {}", line.trim_end_matches('\\'));
    }
    text.push_str(&sources.listing());
    text
}
