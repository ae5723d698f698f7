//! `cargo xtask malformed`: many malformed inputs, in processes that may die of them.
//!
//! A worker runs a range of cases one by one and reports each when it is done. It watches its own
//! time and memory and ends at the first case that exceeds a limit; a stack overflow ends it
//! without being asked. Either way the case behind the last report is the guilty one, and another
//! worker goes on behind it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::malformed::programs::{Input, Shipped};
use layoutc_tests::malformed::shrink::shrink;
use layoutc_tests::malformed::trial::{self, Failure, Verdict};
use layoutc_tests::malformed::{MEMORY_LIMIT, STACK, TIME_LIMIT, cases, command_line};
use layoutc_tests::process::run_limited;
use layoutc_tests::repository_root;

/// What `cargo xtask malformed` is asked to do.
#[derive(clap::Args)]
pub struct Options {
    /// How many cases
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// Which series of cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first case
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Worker processes
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Hand every so manieth case to the `layoutc` binary too, as files; 0 for none
    #[arg(long, default_value_t = 200)]
    binary_every: u64,
    /// Where failing inputs go
    #[arg(long, default_value = "out/malformed")]
    out: PathBuf,
    /// Run one saved input instead
    #[arg(long)]
    replay: Option<PathBuf>,
    /// Save the input of this case in the folder of failing inputs instead, whole and as small as
    /// it can be made without another outcome
    #[arg(long)]
    save: Option<u64>,
    /// Run these cases in this process: FIRST..END
    #[arg(long, hide = true)]
    worker: Option<String>,
}

/// Exit codes of a worker that stopped itself.
const TOO_SLOW: i32 = 71;
const TOO_LARGE: i32 = 72;

/// Cases of one worker process: few enough that nothing piles up, many enough that its start does
/// not count.
const CHUNK: u64 = 5000;

/// Runs cases, a worker's share, or one saved input.
///
/// # Errors
/// When a case fails, or nothing can be run.
pub fn run(options: &Options) -> Result<()> {
    if let Some(number) = options.save {
        let folder =
            repository_root().join(&options.out).join(format!("{}-{number}", options.seed));
        return save(&cases::case(&Shipped::read()?, options.seed, number), &folder);
    }
    match (&options.replay, &options.worker) {
        (Some(folder), _) => replay(&Input::load(folder)?),
        (None, Some(range)) => work(range, options.seed),
        (None, None) => lead(options),
    }
}

/// Writes an input, and the smallest one found with its verdict or its panic.
fn save(input: &Input, folder: &Path) -> Result<()> {
    trial::keep_panics_quiet();
    input.save(&folder.join("full"))?;
    let outcome = |input: &Input| trial::run(input).map_err(|failure| failure.cause);
    let small = on_deep_stack(|| {
        let found = outcome(input);
        shrink(input, 20_000, |input| outcome(input) == found)
    })?;
    small.save(&folder.join("small"))?;
    println!("{}", folder.display());
    Ok(())
}

/// Compiles one input under all limits.
fn replay(input: &Input) -> Result<()> {
    let watched = Watched::start();
    let outcome = on_deep_stack(|| watched.run(input))?.0;
    match outcome {
        Ok(verdict) => println!("{verdict:?}"),
        Err(failure) => bail!("{}\n{}", failure.cause, failure.message),
    }
    match command_line::run(input)? {
        Ok(()) => Ok(()),
        Err(failure) => bail!("{}\n{}", failure.cause, failure.message),
    }
}

fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    thread::scope(|scope| {
        let handle = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        handle.join().map_err(|_| anyhow::anyhow!("the driver itself panicked"))
    })
}

/// Runs cases and tells each result in a line: `NUMBER VERDICT MICROSECONDS PEAK`, or for a
/// failure `NUMBER ! CAUSE`.
fn work(range: &str, seed: u64) -> Result<()> {
    let (first, end) = range.split_once("..").context("FIRST..END")?;
    let (first, end): (u64, u64) = (first.parse()?, end.parse()?);
    let shipped = Shipped::read()?;
    let watched = Watched::start();
    on_deep_stack(|| {
        for number in first..end {
            let input = cases::case(&shipped, seed, number);
            let start = computing_time();
            let (outcome, peak) = watched.run(&input);
            let took = computing_time().saturating_sub(start).as_micros();
            match outcome {
                Ok(verdict) => println!("{number} {verdict:?} {took} {peak}"),
                Err(failure) => println!("{number} ! {}", failure.cause),
            }
        }
    })
}

/// The limits on time and memory in this process.
struct Watched {
    start: &'static Mutex<Option<Start>>,
}

/// When a case began: by the clock, and in what this process has computed.
#[derive(Clone, Copy)]
struct Start {
    clock: Instant,
    computing: Duration,
}

impl Start {
    fn now() -> Start {
        Start { clock: Instant::now(), computing: computing_time() }
    }

    /// A busy machine makes no case slow; one that waits for something is caught later.
    fn is_too_long_ago(self) -> bool {
        computing_time().saturating_sub(self.computing) > TIME_LIMIT
            || self.clock.elapsed() > 12 * TIME_LIMIT
    }
}

/// How long the threads of this process have been computing.
fn computing_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// When the current case began.
static START: Mutex<Option<Start>> = Mutex::new(None);

impl Watched {
    /// Starts the watchdog of this process.
    fn start() -> Watched {
        trial::keep_panics_quiet();
        thread::spawn(|| {
            loop {
                thread::sleep(Duration::from_millis(20));
                let start = *START.lock().unwrap_or_else(PoisonError::into_inner);
                if start.is_some_and(Start::is_too_long_ago) {
                    std::process::exit(TOO_SLOW);
                }
                if resident("VmRSS:").is_some_and(|bytes| bytes > MEMORY_LIMIT) {
                    std::process::exit(TOO_LARGE);
                }
            }
        });
        Watched { start: &START }
    }

    /// Runs one input; also gives the peak of the resident memory in it, in bytes.
    fn run(&self, input: &Input) -> (Result<Verdict, Failure>, u64) {
        // Linux forgets the peak on request, so that the next one is this case's.
        let _ = fs::write("/proc/self/clear_refs", "5");
        *self.start.lock().unwrap_or_else(PoisonError::into_inner) = Some(Start::now());
        let outcome = trial::run(input);
        *self.start.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let peak = resident("VmHWM:").unwrap_or(0);
        // What was over between two looks of the watchdog.
        if peak > MEMORY_LIMIT {
            std::process::exit(TOO_LARGE);
        }
        (outcome, peak)
    }
}

/// A number of `/proc/self/status`, in bytes; `None` where there is none (not Linux).
fn resident(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok().map(|kilobytes: u64| kilobytes * 1024)
}

/// What all workers found.
#[derive(Default)]
struct Tally {
    verdicts: BTreeMap<String, u64>,
    longest: (u64, u64),
    largest: (u64, u64),
    binary: u64,
    /// Cases whose output parses worse than the input.
    doubtful: Vec<u64>,
    /// By cause: how often, and the first cases.
    failures: BTreeMap<String, (u64, Vec<u64>)>,
}

impl Tally {
    fn cases(&self) -> u64 {
        self.verdicts.values().sum::<u64>()
            + self.failures.values().map(|(count, _)| count).sum::<u64>()
    }

    /// Counts a failure; whether it is the first of its cause.
    fn fail(&mut self, number: u64, cause: &str) -> bool {
        let (count, numbers) = self.failures.entry(cause.to_owned()).or_default();
        *count += 1;
        if numbers.len() < 5 {
            numbers.push(number);
        }
        *count == 1
    }

    fn summary(&self, elapsed: Duration) -> String {
        let cases = self.cases();
        let seconds = elapsed.as_secs_f64();
        let mut text =
            format!("{cases} cases in {seconds:.0} s ({:.0} a second):", cases as f64 / seconds);
        for (verdict, count) in &self.verdicts {
            let _ = write!(text, " {count} {},", verdict.to_lowercase());
        }
        let failures: u64 = self.failures.values().map(|(count, _)| count).sum();
        let _ = write!(
            text,
            " {failures} failures; {} by the binary too; longest {:.2} s (case {}), largest {:.0} MiB (case {})",
            self.binary,
            self.longest.0 as f64 / 1e6,
            self.longest.1,
            self.largest.0 as f64 / f64::from(1 << 20),
            self.largest.1,
        );
        text
    }
}

struct Run<'a> {
    options: &'a Options,
    shipped: Shipped,
    out: PathBuf,
    next: AtomicU64,
    tally: Mutex<Tally>,
}

/// Starts workers until all cases are done.
fn lead(options: &Options) -> Result<()> {
    if options.binary_every > 0 {
        Layoutc::built()?;
    }
    let run = Run {
        options,
        shipped: Shipped::read()?,
        out: repository_root().join(&options.out),
        next: AtomicU64::new(options.first),
        tally: Mutex::default(),
    };
    let start = Instant::now();
    thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> =
            (0..options.jobs.max(1)).map(|_| scope.spawn(|| run.chunks(start))).collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a worker's thread panicked"))??;
        }
        Ok(())
    })?;
    let tally = run.tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("seed {}: {}", options.seed, tally.summary(start.elapsed()));
    for (cause, (count, numbers)) in &tally.failures {
        println!("  {count} × {cause}: cases {numbers:?}");
    }
    if !tally.doubtful.is_empty() {
        println!("  to look at (`--save N` makes them small): cases {:?}", tally.doubtful);
    }
    if !tally.failures.is_empty() {
        bail!("failing inputs, made small, are in {}", run.out.display());
    }
    Ok(())
}

impl Run<'_> {
    /// Takes chunks of cases until there are no more.
    fn chunks(&self, start: Instant) -> Result<()> {
        let end = self.options.first + self.options.count;
        loop {
            let first = self.next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= end {
                return Ok(());
            }
            let mut at = first;
            let last = end.min(first + CHUNK);
            while at < last {
                at = self.chunk(at, last)?;
            }
            let summary =
                self.tally.lock().unwrap_or_else(PoisonError::into_inner).summary(start.elapsed());
            eprintln!("{summary}");
        }
    }

    /// Runs one worker process; gives the case to go on with.
    fn chunk(&self, first: u64, end: u64) -> Result<u64> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["malformed", "--seed", &self.options.seed.to_string()])
            .args(["--worker", &format!("{first}..{end}")])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut at = first;
        let output = child.stdout.take().context("the output is piped")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            let (number, result) = line.split_once(' ').context("NUMBER RESULT")?;
            let number: u64 = number.parse()?;
            match result.strip_prefix("! ") {
                Some(cause) => self.failed(number, cause)?,
                None => self.passed(number, result)?,
            }
            at = number + 1;
            if self.options.binary_every > 0 && number.is_multiple_of(self.options.binary_every) {
                self.with_binary(number)?;
            }
        }
        let status = child.wait()?;
        if at < end {
            let cause = match status.code() {
                Some(TOO_SLOW) => "time".to_owned(),
                Some(TOO_LARGE) => "memory".to_owned(),
                _ => format!("worker: {status}"),
            };
            self.failed(at, &cause)?;
            at += 1;
        }
        Ok(at)
    }

    fn passed(&self, number: u64, result: &str) -> Result<()> {
        let words: Vec<&str> = result.split(' ').collect();
        let [verdict, micros, peak] = words[..] else { bail!("`{result}` is no result") };
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        *tally.verdicts.entry(verdict.to_owned()).or_default() += 1;
        if verdict == "Doubtful" {
            tally.doubtful.push(number);
        }
        tally.longest = tally.longest.max((micros.parse()?, number));
        // The allocator keeps what it had, so later cases of a process show the peak of an earlier
        // one and a little more.
        let peak: u64 = peak.parse()?;
        if peak > tally.largest.0 + (1 << 20) {
            tally.largest = (peak, number);
        }
        Ok(())
    }

    /// Keeps the input of a failing case, and a small one for the first of each cause.
    fn failed(&self, number: u64, cause: &str) -> Result<()> {
        let is_first =
            self.tally.lock().unwrap_or_else(PoisonError::into_inner).fail(number, cause);
        eprintln!("case {number}: {cause}");
        if !is_first {
            return Ok(());
        }
        let input = cases::case(&self.shipped, self.options.seed, number);
        let folder = self.out.join(format!("{}-{number}", self.options.seed));
        input.save(&folder.join("full"))?;
        let small = self.shrunk(&input, cause)?;
        small.save(&folder.join("small"))?;
        fs::write(folder.join("cause.txt"), format!("{cause}\n"))?;
        Ok(())
    }

    fn shrunk(&self, input: &Input, cause: &str) -> Result<Input> {
        // Panics are tried in this process, which costs a millisecond; the rest needs one of its
        // own, and perhaps ten seconds.
        if cause.contains(".rs:") {
            trial::keep_panics_quiet();
            let same =
                |input: &Input| trial::run(input).is_err_and(|failure| failure.cause == cause);
            return on_deep_stack(|| shrink(input, 20_000, same));
        }
        if cause.starts_with("binary") {
            let same = |input: &Input| {
                command_line::run(input)
                    .is_ok_and(|outcome| outcome.is_err_and(|failure| failure.cause == cause))
            };
            return Ok(shrink(input, 2000, same));
        }
        let folder = tempfile::tempdir()?;
        let same = |input: &Input| replayed(input, folder.path()).is_ok_and(|found| found == cause);
        Ok(shrink(input, 100, same))
    }

    fn with_binary(&self, number: u64) -> Result<()> {
        let input = cases::case(&self.shipped, self.options.seed, number);
        let outcome = command_line::run(&input)?;
        self.tally.lock().unwrap_or_else(PoisonError::into_inner).binary += 1;
        match outcome {
            Ok(()) => Ok(()),
            Err(failure) => self.failed(number, &failure.cause),
        }
    }
}

/// How a process of its own ends on an input, as a cause.
fn replayed(input: &Input, folder: &Path) -> Result<String> {
    input.save(folder)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["malformed", "--replay"]).arg(folder);
    let outcome = run_limited(&mut command, 2 * TIME_LIMIT + Duration::from_secs(5))?;
    Ok(match (outcome.code(), outcome.status) {
        (Some(TOO_SLOW), _) => "time".to_owned(),
        (Some(TOO_LARGE), _) => "memory".to_owned(),
        (_, Some(status)) => format!("worker: {status}"),
        (_, None) => "time".to_owned(),
    })
}
