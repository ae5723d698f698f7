//! A candidate built, run and measured.

use super::arguments::{Measure, TuneArguments};
use super::candidates::Candidate;
use super::outputs::{Expected, figure};
use super::results::Measured;
use crate::arguments::ProgramArguments;
use crate::compile::{Purpose, compile_for};
use crate::cost::simulate::{Simulated, SimulatedRun, simulate_layout, simulate_source};
use crate::nvcc::{self, NotBuilt};
use layoutc_build::lock::{Lock, LockedProgram, short};
use layoutc_build::state::write_changed;
use layoutc_runtime::process::{RunRequest, RunResult, RunStatus, run};
use serde::Serialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What `--build` and `--program` say instead of the folder with a candidate's files.
const FOLDER: &str = "{dir}";
/// What a launcher says instead of the program and its arguments.
const PROGRAM: &str = "{}";
/// Grows with what results mean.
const VERSION: u32 = 1;

/// How candidates are built.
pub enum Builder {
    /// By nvcc, in a folder of their own.
    Nvcc { options: Vec<OsString> },
    /// By a command, in a folder of their own.
    Folder { command: String, program: String },
    /// By a command that takes layouts from the lock file.
    Lock { command: String, program: PathBuf, lock: PathBuf },
}

impl Builder {
    /// What the command line says.
    pub fn new(arguments: &TuneArguments, lock: &Path) -> Builder {
        match (&arguments.build, &arguments.built) {
            (Some(command), Some(program))
                if command.contains(FOLDER) || program.contains(FOLDER) =>
            {
                Builder::Folder { command: command.clone(), program: program.clone() }
            }
            (Some(command), Some(program)) => Builder::Lock {
                command: command.clone(),
                program: program.into(),
                lock: lock.to_path_buf(),
            },
            (None, _) | (_, None) => Builder::Nvcc {
                options: arguments.nvcc_options.iter().map(OsString::from).collect(),
            },
        }
    }

    /// Builds a candidate; a program in a folder of its own lies in `folder`.
    fn build(&self, candidate: &Candidate, folder: &Path) -> Result<PathBuf, String> {
        match self {
            Builder::Nvcc { options } => {
                nvcc::write_below(folder, &candidate.sources)?;
                nvcc::build(&candidate.units, folder, options).map_err(|error| match error {
                    NotBuilt::NoCompiler(message) => {
                        format!("{message}; set $NVCC, or give --build and --program")
                    }
                    NotBuilt::Refused(messages) => format!("nvcc does not build it\n{messages}"),
                })
            }
            Builder::Folder { command, program } => {
                nvcc::write_below(folder, &candidate.sources)?;
                let place = folder.display().to_string();
                shell(&command.replace(FOLDER, &place))?;
                Ok(program.replace(FOLDER, &place).into())
            }
            Builder::Lock { command, program, lock } => {
                put(lock, candidate.locked.clone())?;
                shell(command)?;
                // A program without a folder is not one of the PATH.
                Ok(Path::new(".").join(program))
            }
        }
    }

    /// What tells it from others.
    fn key(&self) -> [String; 3] {
        let text = |options: &[OsString]| {
            options.iter().map(|own| own.to_string_lossy()).collect::<Vec<_>>().join("\0")
        };
        match self {
            Builder::Nvcc { options } => ["nvcc".to_owned(), nvcc::compiler(), text(options)],
            Builder::Folder { command, program } => {
                ["folder".to_owned(), command.clone(), program.clone()]
            }
            Builder::Lock { command, program, .. } => {
                ["lock".to_owned(), command.clone(), program.display().to_string()]
            }
        }
    }
}

/// Puts a program into a lock file.
///
/// # Errors
/// It cannot be read or written.
pub fn put(path: &Path, program: LockedProgram) -> Result<(), String> {
    let mut lock = Lock::read(path)?.unwrap_or_default();
    lock.put(program);
    write_changed(path, lock.text().as_bytes()).map(|_| ())
}

fn shell(command: &str) -> Result<(), String> {
    let output = Command::new("sh").arg("-c").arg(command).output();
    let output = output.map_err(|error| format!("cannot run `sh`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    Err(format!("`{command}` fails ({})\n{}", output.status, said.trim_end()))
}

/// What all candidates share.
pub struct Bench<'a> {
    /// The command line.
    pub arguments: &'a TuneArguments,
    /// How they are built.
    pub builder: Builder,
    /// The words in front of a program.
    pub launcher: Vec<String>,
}

/// What the runs of a candidate say.
pub struct Runs {
    /// Its values, or why there are none.
    pub values: Result<Vec<f64>, String>,
    /// What all runs print, for the source.
    pub expected: Option<Expected>,
}

impl Bench<'_> {
    /// What the values are.
    pub fn measure(&self) -> String {
        match (self.arguments.measure, &self.arguments.figure) {
            (Measure::Simulated, _) => "simulated".to_owned(),
            (Measure::Time, Some(figure)) => figure.clone(),
            (Measure::Time, None) => "seconds".to_owned(),
        }
    }

    /// Tells what is measured of a candidate from everything else.
    pub fn id(&self, candidate: &Candidate) -> String {
        #[derive(Serialize)]
        struct Key<'k> {
            version: u32,
            tool: &'static str,
            measure: String,
            runs: u32,
            compares: bool,
            device: Option<&'k str>,
            builder: Option<[String; 3]>,
            launcher: &'k [String],
            units: Vec<String>,
            arguments: Vec<String>,
        }
        let is_run = self.arguments.measure == Measure::Time;
        let key = Key {
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION"),
            measure: self.measure(),
            runs: if is_run { self.arguments.runs } else { 1 },
            compares: !self.arguments.ignore_output,
            device: (!is_run).then_some(&self.arguments.program.device.name),
            builder: is_run.then(|| self.builder.key()),
            launcher: &self.launcher,
            units: candidate.units.iter().map(|unit| format!("{unit:?}")).collect(),
            arguments: self.arguments.args.iter().map(|own| format!("{own:?}")).collect(),
        };
        let mut hash = blake3::Hasher::new();
        // Strings and numbers cannot fail to be written.
        hash.update(serde_json::to_string(&key).unwrap_or_default().as_bytes());
        for source in &candidate.sources {
            for part in [&*source.path.to_string_lossy(), &source.text] {
                hash.update(part.as_bytes());
                hash.update(b"\0");
            }
        }
        short(&hash.finalize())
    }

    /// The result of a candidate's runs.
    pub fn result(&self, candidate: &Candidate, runs: &Runs) -> Measured {
        let (values, failed) = match &runs.values {
            Ok(values) => (values.clone(), None),
            Err(why) => (Vec::new(), Some(why.clone())),
        };
        Measured {
            id: self.id(candidate),
            candidate: candidate.name.clone(),
            layouts: candidate.layouts.clone(),
            measure: self.measure(),
            values,
            failed,
        }
    }

    /// Measures a candidate; its runs are compared with `expected`, or each other where that is missing.
    pub fn runs(&self, candidate: &Candidate, expected: Option<&Expected>, count: u32) -> Runs {
        if self.arguments.measure == Measure::Simulated {
            return Runs {
                values: self.simulated(candidate).map(|cost| vec![cost]),
                expected: None,
            };
        }
        let mut own = None;
        let values = self.times(candidate, expected, count, &mut own);
        Runs { values, expected: own }
    }

    /// One run that is only compared, and those that count.
    fn times(
        &self,
        candidate: &Candidate,
        expected: Option<&Expected>,
        count: u32,
        own: &mut Option<Expected>,
    ) -> Result<Vec<f64>, String> {
        let folder = tempfile::tempdir()
            .map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let program = self.builder.build(candidate, folder.path())?;
        let mut values = Vec::new();
        for number in 0..=count {
            let (result, seconds) = self.run(&program)?;
            let (status, output) = (result.status, &result.stdout);
            match (expected, own.as_mut()) {
                (Some(expected), _) => {
                    let difference = expected.difference(status, output);
                    if let Some(how) = difference.filter(|_| !self.arguments.ignore_output) {
                        return Err(how);
                    }
                }
                (None, Some(own)) => own.agree(output),
                (None, None) => {
                    *own = Some(Expected::of(status, output, self.arguments.figure.as_deref()));
                }
            }
            if status != RunStatus::Exited(0) {
                let said = String::from_utf8_lossy(&result.stderr);
                return Err(format!("the program ends with {status}\n{}", said.trim_end()));
            }
            if number > 0 {
                values.push(self.value(&result, seconds)?);
            }
        }
        Ok(values)
    }

    fn run(&self, program: &Path) -> Result<(RunResult, f64), String> {
        let mut words: Vec<OsString> = Vec::new();
        let own = || [program.into()].into_iter().chain(self.arguments.args.iter().cloned());
        let is_placed = self.launcher.iter().any(|word| word == PROGRAM);
        for word in &self.launcher {
            match word == PROGRAM {
                true => words.extend(own()),
                false => words.push(word.into()),
            }
        }
        if !is_placed {
            words.extend(own());
        }
        let first = PathBuf::from(words.remove(0));
        let request = RunRequest {
            timeout: Duration::from_secs(self.arguments.timeout),
            ..RunRequest::new(words)
        };
        let start = Instant::now();
        let result = run(&first, &request)
            .map_err(|error| format!("cannot run `{}`: {error}", first.display()))?;
        let seconds = start.elapsed().as_secs_f64();
        match result.status {
            RunStatus::TimedOut => {
                Err(format!("a run takes more than {} s", self.arguments.timeout))
            }
            RunStatus::Exited(_) | RunStatus::Signalled(_) => Ok((result, seconds)),
        }
    }

    fn value(&self, result: &RunResult, seconds: f64) -> Result<f64, String> {
        let Some(text) = &self.arguments.figure else { return Ok(seconds) };
        let found = figure(&result.stdout, text).or_else(|| figure(&result.stderr, text));
        found.ok_or_else(|| format!("it prints no number behind `{text}`"))
    }

    /// What the kernels cost on the simulated device, conversions and what is written back in the end included.
    fn simulated(&self, candidate: &Candidate) -> Result<f64, String> {
        let program = &self.arguments.program;
        let run = SimulatedRun {
            program,
            args: &self.arguments.args,
            timeout: Duration::from_secs(self.arguments.timeout),
            device: &program.device,
        };
        let found = match candidate.layouts.as_slice() {
            [] => {
                let source =
                    ProgramArguments { layouts: vec!["* = aos".to_owned()], ..program.clone() };
                match compile_for(&source, Purpose::Price) {
                    Ok(success) => simulate_source(&run, &success),
                    // It was compiled before.
                    Err(_) => Err("it does not compile".to_owned()),
                }
            }
            layouts => simulate_layout(&run, layouts),
        };
        found.map(|own| total(&own))
    }
}

fn total(simulated: &Simulated) -> f64 {
    simulated.kernels.iter().map(|kernel| kernel.cost).sum::<f64>() + simulated.write_back_cost
}
