//! What a command is doing, on a terminal, once it has taken a while.
//!
//! A phase is shown for as long as its value lives; of several, the one that began last. Nothing is shown where
//! standard error is no terminal, with `-q`, and where the command writes for programs. What else goes to standard
//! error goes through [`aside`].

use indicatif::{ProgressBar, ProgressStyle};
use std::env;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a command is silent first, unless [`PATIENCE_VARIABLE`] says another time.
const PATIENCE: Duration = Duration::from_secs(2);
/// A time in milliseconds.
const PATIENCE_VARIABLE: &str = "LAYOUTC_PROGRESS_AFTER_MS";
/// How often the time is shown anew.
const TICK: Duration = Duration::from_millis(200);

static SHOWN: Mutex<Shown> =
    Mutex::new(Shown { since: None, phases: Vec::new(), last: 0, bar: None });

/// What is on the terminal.
struct Shown {
    /// When the command began; `None` until its phases are worth a line.
    since: Option<Instant>,
    /// The phases that have not ended, with their numbers.
    phases: Vec<(u64, String)>,
    /// The number of the last phase.
    last: u64,
    bar: Option<ProgressBar>,
}

fn shown() -> MutexGuard<'static, Shown> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows phases from now on, once the command has taken a while.
pub fn allow() {
    if !stderr().is_terminal() {
        return;
    }
    let given = env::var(PATIENCE_VARIABLE).ok().and_then(|text| text.parse().ok());
    let patience = given.map_or(PATIENCE, Duration::from_millis);
    let began = Instant::now();
    let show = move || {
        let mut shown = shown();
        shown.since = Some(began);
        shown.refresh();
    };
    if patience.is_zero() {
        return show();
    }
    // It ends with the process.
    thread::spawn(move || {
        thread::sleep(patience);
        show();
    });
}

/// Begins a phase.
pub fn phase(text: impl Into<String>) -> Phase {
    let mut shown = shown();
    shown.last += 1;
    let number = shown.last;
    shown.phases.push((number, text.into()));
    shown.refresh();
    Phase(number)
}

/// What is done now; it ends with this value.
#[must_use]
pub struct Phase(u64);

impl Phase {
    /// Says something else of the same phase.
    pub fn say(&self, text: impl Into<String>) {
        let mut shown = shown();
        if let Some((_, own)) = shown.phases.iter_mut().find(|(number, _)| *number == self.0) {
            *own = text.into();
        }
        shown.refresh();
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        let mut shown = shown();
        shown.phases.retain(|(number, _)| *number != self.0);
        shown.refresh();
    }
}

/// Writes to standard error where no phase is shown in the meantime.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    let bar = shown().bar.clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

impl Shown {
    fn refresh(&mut self) {
        let (Some(since), Some((_, text))) = (self.since, self.phases.last()) else {
            if let Some(bar) = self.bar.take() {
                bar.finish_and_clear();
            }
            return;
        };
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner().with_elapsed(since.elapsed());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        bar.set_message(text.clone());
        bar.tick();
    }
}
