//! `cargo xtask …`: everything we automate that is not `cargo build` or `cargo test`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod bench_nvcc;
mod bench_opencl;
mod book;
mod choices;
mod corpus;
mod demo;
mod fuzz;
mod golden;
mod kdlg;
mod malformed;
mod page;
mod picture;
mod probes;
mod rank;
mod regret;
mod seeded_bugs;
mod setup;
mod slowdown;
mod styles;
mod supported;
mod test;
mod trace;
mod wheel;

/// Set-up, tests, the demo and corpus runs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Install what the tests need: nvcc and its disassembler, as Python wheels, into .tools/venv; OpenCL
    Setup,
    /// Set up, then run every test of the workspace
    Test {
        /// What to hand on to `cargo test`, for example the name of a test
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Rewrite a shipped program, run it before and after, show the diff and what each kernel gains
    Demo,
    /// Write what is supported, with its cases, into docs/supported.md
    Supported,
    /// Build the book of docs/ with mdBook into target/book, and check its links
    Book(book::Options),
    /// Build the wheel, install it into a fresh environment and run it there; check the size of the program
    Wheel(wheel::Options),
    /// Draw the picture of README.md, an element in memory before and after, into docs/strips.svg
    Picture,
    /// Look at the pages of `analyze --html` in a browser, at several widths: nothing is wider than its window
    Page(page::Options),
    /// Run the tool over every CUDA program below a folder and write a table
    Corpus(corpus::Options),
    /// Run the tool over applications, as their compilation databases or the command line describe them, and write a table
    Apps(corpus::apps::Options),
    /// Compile many malformed inputs: no panic, no hang, bounded memory
    Malformed(malformed::Options),
    /// Put known bugs into a copy of the tool and check that the tests notice each
    SeededBugs {
        /// Parts of names; without one, all
        names: Vec<String>,
    },
    /// Record what the tool writes and says about all fixtures and programs, and list what changed
    Golden(golden::Options),
    /// Run random programs before and after their rewrite, and reduce what fails
    Fuzz(fuzz::Options),
    /// Print what the probe kernels cost in machine code: as written, by hand, transformed
    Probes,
    /// Compare the styles of output on the shipped programs: changed lines, and the machine code of all kernels
    Styles,
    /// Write how static prices of layouts and simulated ones rank them, into docs/cost-check.md
    Rank(rank::Options),
    /// Compare the choice with simulations on random programs
    Regret(regret::Options),
    /// Write what the selector `kdlg` chooses against `cost`, both simulated, into docs/kdlg-check.md
    Kdlg(kdlg::Options),
    /// Write what the selectors `trace` and `auto` choose against `cost`, all simulated, into docs/trace-check.md
    Trace(trace::Options),
    /// Print how much longer instrumented programs run
    Slowdown(slowdown::Options),
    /// Time the kernels of the paper's OpenCL programs in several layouts, on the device that is installed
    BenchOpencl(bench_opencl::Options),
    /// Time nvcc's own front end on the programs of the transform bench
    BenchNvcc {
        /// Sizes in lines
        #[arg(default_values_t = [200, 2000, 20_000])]
        lines: Vec<usize>,
        /// Files to time too
        #[arg(long)]
        file: Vec<PathBuf>,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    match task {
        Task::Setup => setup::run(),
        Task::Test { arguments } => test::run(&arguments),
        Task::Demo => demo::run(),
        Task::Picture => picture::run(),
        Task::Page(options) => page::run(&options),
        Task::Book(options) => book::run(&options),
        Task::Wheel(options) => wheel::run(&options),
        Task::Supported => supported::run(),
        Task::Corpus(options) => corpus::run(&options),
        Task::Apps(options) => corpus::apps::run(&options),
        Task::Malformed(options) => malformed::run(&options),
        Task::SeededBugs { names } => seeded_bugs::run(&names),
        Task::Golden(options) => golden::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Probes => probes::run(),
        Task::Styles => styles::run(),
        Task::Kdlg(options) => kdlg::run(&options),
        Task::Trace(options) => trace::run(&options),
        Task::Slowdown(options) => slowdown::run(&options),
        Task::Rank(options) => rank::run(&options),
        Task::Regret(options) => regret::run(&options),
        Task::BenchOpencl(options) => bench_opencl::run(&options),
        Task::BenchNvcc { lines, file } => bench_nvcc::run(&lines, &file),
    }
}
