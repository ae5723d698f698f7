//! The `layoutc` binary: arguments, files, rendering and exit codes.
//!
//! Everything that touches the world is here: the crates below are functions from texts to texts.

mod analyze;
mod arguments;
mod build;
mod calibrate;
mod check;
mod compile;
mod config;
mod cost;
mod diff;
mod encoding;
mod exit;
mod explain;
mod folder;
mod folder_copy;
mod format;
mod helpers;
mod integration;
mod jobs;
mod launch;
mod load;
mod lsp;
mod manual;
mod measure;
mod nvcc;
mod outputs;
mod plan;
mod profile;
mod progress;
mod refusals;
mod render;
mod report;
mod review;
mod scope;
mod strips;
mod style;
mod summary;
mod transform;
mod tune;
mod verify;
mod write;

use arguments::Command;
use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Trees, sets and texts are many small pieces of memory.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The option `purge_delay` of `mimalloc.h`; the crate does not name it.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Memory goes back to the system 1 ms after it is freed instead of 10: each tree of a file is read once, and the model
/// that is made from it comes after. 20,000 lines take 58 MB instead of 82.
#[allow(unsafe_code)]
fn return_memory_soon() {
    // SAFETY: the function takes any option and value, and may be called at any time.
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, 1) }
}

fn main() -> ExitCode {
    return_memory_soon();
    compile::keep_panics_quiet();
    let words = arguments::spelled_as_options(std::env::args_os());
    if arguments::asks_for_devices(&words) {
        return match exit::print(arguments::devices()) {
            Ok(()) => exit::Exit::Done,
            Err(error) => exit::fail(format_args!("cannot write to standard output: {error}")),
        }
        .into();
    }
    let arguments = match config::parse(words) {
        Ok(arguments) => arguments,
        Err(message) => return exit::fail(message).into(),
    };
    jobs::set(arguments.jobs);
    let exit = match arguments.command {
        Command::Transform(arguments) => transform::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Cost(arguments) => cost::run(&arguments),
        Command::Profile(arguments) => profile::run(&arguments),
        Command::Review(arguments) => review::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Launch(arguments) => launch::run(&arguments),
        Command::Integration(arguments) => integration::run(&arguments),
        Command::Completions(arguments) => manual::completions(&arguments),
        Command::Man(arguments) => manual::pages(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Calibrate(arguments) => calibrate::run(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
    };
    exit.into()
}
