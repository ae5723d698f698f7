//! `layoutc tune`: the most promising layouts of a program, built and measured; the best goes into the lock file.

pub mod arguments;
mod bench;
mod candidates;
mod outputs;
mod results;
mod table;

use crate::build::Settings;
use crate::build::make::Stop;
use crate::cost::text::units::time;
use crate::exit::{Exit, fail, print, say};
use crate::plan::{lock_path, named};
use crate::progress::{Phase, phase};
use arguments::{Measure, TuneArguments};
use bench::{Bench, Builder, Runs, put};
use candidates::{Candidate, candidates};
use layoutc_build::lock::{Lock, LockedProgram, SOURCE};
use layoutc_diagnostics::Code;
use outputs::Expected;
use results::{Measured, Results};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Of two candidates that are so near, the one that comes first is as good.
const TIE: f64 = 1.01;

/// Measures the candidates, shows them, and writes the lock file.
pub fn run(arguments: &TuneArguments) -> Exit {
    match tune(arguments) {
        Ok(exit) => exit,
        Err(Stop::Said(message)) => fail(message),
        Err(Stop::Reported(failure)) => arguments.program.format.show_failure(&failure),
    }
}

fn tune(arguments: &TuneArguments) -> Result<Exit, Stop> {
    if arguments.program.format.is_output() {
        return Err(Stop::Said(
            "`layoutc tune` has the formats text and short; its --results are JSON".to_owned(),
        ));
    }
    if arguments.measure == Measure::Simulated
        && let Some(option) = [
            (arguments.figure.is_some(), "--figure"),
            (arguments.build.is_some(), "--build"),
            (arguments.launcher.is_some(), "--launcher"),
        ]
        .into_iter()
        .find_map(|(is_given, name)| is_given.then_some(name))
    {
        return Err(Stop::Said(format!(
            "nothing is built with --measure simulated: leave out {option}"
        )));
    }
    let launcher = match &arguments.launcher {
        None => Vec::new(),
        Some(text) => shlex::split(text)
            .filter(|words| !words.is_empty())
            .ok_or_else(|| format!("--launcher: `{text}` is no command"))?,
    };
    let (lock, name) = place(arguments)?;
    let builder = Builder::new(arguments, &lock);
    if matches!(builder, Builder::Lock { .. }) && (arguments.no_lock || arguments.at_once > 1) {
        return Err(Stop::Said(
            "this --build takes layouts from the lock file, one candidate at a time: leave out --no-lock and --at-once, or \
             name files below {dir}"
                .to_owned(),
        ));
    }
    let undo = matches!(builder, Builder::Lock { .. }).then(|| Undo::new(&lock));
    let mut results = Results::read(&arguments.results)?;
    let most = usize::try_from(arguments.candidates).unwrap_or(usize::MAX);
    let all = candidates(&arguments.program, &name, &arguments.tries, most)?;
    if all.len() < 2 {
        say("there is nothing to try: no candidate differs from the source");
        return Ok(Exit::Done);
    }
    let bench = Bench { arguments, builder, launcher };
    let phase = phase("tune: the source");
    let source = &all[0];
    let mut expected = None;
    if results.known(&bench.id(source)).is_none() {
        let runs = bench.runs(source, None, arguments.runs);
        let own = bench.result(source, &runs);
        results.add(&own)?;
        if let Some(why) = own.failed {
            return reported(&format!("the source gives nothing to compare with: {why}"));
        }
        expected = runs.expected;
    }
    let is_new = |own: &&Candidate| results.known(&bench.id(own)).is_none();
    let new: VecDeque<&Candidate> = all[1..].iter().filter(is_new).collect();
    if !new.is_empty() && arguments.measure == Measure::Time && expected.is_none() {
        // What it prints is not kept, and said by the run that is only compared and one more.
        let runs = bench.runs(source, None, 1);
        if let Err(why) = &runs.values {
            return reported(&format!("the source gives nothing to compare with: {why}"));
        }
        expected = runs.expected;
    }
    if !arguments.ignore_output {
        expected.iter().for_each(say_unsettled);
    }
    measure(&bench, new, expected.as_ref(), &mut results, &phase)?;
    drop((phase, undo));
    finish(&bench, &all, &results, &lock)
}

/// Measures candidates, several at a time where that is asked for.
fn measure(
    bench: &Bench<'_>,
    new: VecDeque<&Candidate>,
    expected: Option<&Expected>,
    results: &mut Results,
    phase: &Phase,
) -> Result<(), String> {
    let (queue, shared) = (Mutex::new(new), Mutex::new((results, Ok(()))));
    let work = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(candidate) = next else { break };
            phase.say(format!("tune: {}", candidate.name));
            let runs: Runs = bench.runs(candidate, expected, bench.arguments.runs);
            let own = bench.result(candidate, &runs);
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            match &own.failed {
                Some(why) => say(format_args!("{}: {why}", own.candidate)),
                None => say(format_args!("{}: {}", own.candidate, shown(bench, own.median()))),
            }
            if let Err(error) = shared.0.add(&own) {
                shared.1 = Err(error);
                break;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..bench.arguments.at_once {
            scope.spawn(work);
        }
        work();
    });
    shared.into_inner().unwrap_or_else(PoisonError::into_inner).1
}

/// Shows all results, and writes the best into the lock file.
fn finish(
    bench: &Bench<'_>,
    all: &[Candidate],
    results: &Results,
    lock: &Path,
) -> Result<Exit, Stop> {
    let rows: Vec<(&Candidate, Option<&Measured>)> =
        all.iter().map(|own| (own, results.known(&bench.id(own)))).collect();
    let medians = rows.iter().filter_map(|(own, found)| Some((*own, found.as_ref()?.median()?)));
    let medians: Vec<(&Candidate, f64)> = medians.collect();
    let least = medians.iter().map(|(_, median)| *median).fold(f64::INFINITY, f64::min);
    let best = medians.iter().find(|(_, median)| *median <= least * TIE);
    let (Some((best, median)), Some((_, before))) = (best, medians.first()) else {
        return reported("nothing could be measured");
    };
    let text = table::text(bench, &rows, *before, best);
    print(text).map_err(|error| format!("cannot write to standard output: {error}"))?;
    if !bench.arguments.no_lock {
        let ratio = median / before;
        let how = format!("measured: {ratio:.2} of the source's {}", quantity(bench));
        put(lock, because(&best.locked, &how))?;
        let is_rebuilt = matches!(bench.builder, Builder::Lock { .. });
        let then = if is_rebuilt { "; the next build has these layouts" } else { "" };
        say(format_args!("written: {}{then}", lock.display()));
    }
    Ok(Exit::Done)
}

/// What the ratio is one of.
fn quantity(bench: &Bench<'_>) -> String {
    match (bench.arguments.measure, &bench.arguments.figure) {
        (Measure::Simulated, _) => "simulated cost".to_owned(),
        (Measure::Time, Some(text)) => format!("`{}`", text.trim()),
        (Measure::Time, None) => "time".to_owned(),
    }
}

/// A value for people.
fn shown(bench: &Bench<'_>, value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if bench.measure() == "seconds" => time(value * 1e6),
        Some(value) if value.abs() >= 1000.0 => format!("{value:.0}"),
        Some(value) => format!("{value:.4}"),
    }
}

/// The same with why arrays have their layouts; those that cannot change keep their reason.
fn because(locked: &LockedProgram, how: &str) -> LockedProgram {
    let no_gain = format!("{}:", Code::NO_GAIN);
    let mut arrays = locked.arrays.clone();
    for array in &mut arrays {
        if array.layout != SOURCE || array.because.starts_with(&no_gain) {
            array.because = match array.layout == SOURCE {
                true => format!("{no_gain} measured: nothing that was tried is faster"),
                false => how.to_owned(),
            };
        }
    }
    LockedProgram::new(&locked.name, arrays)
}

fn say_unsettled(expected: &Expected) {
    match expected.unsettled() {
        Some(0) => {}
        Some(1) => say(
            "1 line of the output is not compared: it has the figure, or differs from run to run",
        ),
        Some(count) => {
            say(format_args!(
                "{count} lines of the output are not compared: they have the figure, or differ from run to run"
            ));
        }
        None => say(
            "what programs print is not compared: the source prints more or fewer lines from run to run",
        ),
    }
}

fn reported(message: &str) -> Result<Exit, Stop> {
    fail(message);
    Ok(Exit::Reported)
}

/// The lock file, and the program's name in it.
fn place(arguments: &TuneArguments) -> Result<(PathBuf, String), Stop> {
    let program = named(&arguments.program)?;
    let (given, name) = match arguments.lock.as_deref() {
        Some(text) => match text.rsplit_once(':') {
            Some((path, name)) if !Path::new(text).exists() => {
                (Some(PathBuf::from(path)), Some(name))
            }
            _ => (Some(PathBuf::from(text)), None),
        },
        None => (None, None),
    };
    let path = lock_path(given.as_ref(), &Settings::of_program(&program)?);
    if let Some(name) = name {
        return Ok((path, name.to_owned()));
    }
    // A build's program has the build's name.
    let lock = if arguments.no_lock { None } else { Lock::read(&path)? };
    let names: Vec<String> =
        lock.into_iter().flat_map(|lock| lock.programs).map(|own| own.name).collect();
    match names.as_slice() {
        [] => Ok((path, program.name)),
        [only] => Ok((path, only.clone())),
        several if several.contains(&program.name) && arguments.build.is_none() => {
            Ok((path, program.name))
        }
        several => Err(Stop::Said(format!(
            "{} has the programs {}; name one: --lock {}:PROGRAM",
            path.display(),
            several.join(", "),
            path.display()
        ))),
    }
}

/// A lock file as it was, put back unless the result is written over it.
struct Undo {
    path: PathBuf,
    before: Option<Vec<u8>>,
}

impl Undo {
    fn new(path: &Path) -> Undo {
        Undo { path: path.to_path_buf(), before: fs::read(path).ok() }
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        // Whoever cannot write it could not write the candidates' layouts either.
        let _ = match &self.before {
            Some(bytes) => fs::write(&self.path, bytes),
            None => fs::remove_file(&self.path),
        };
    }
}
