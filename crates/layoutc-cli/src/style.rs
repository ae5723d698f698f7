//! How much a command says on standard error, and whether in colour.

use clap::{Args, ValueEnum};
use codespan_reporting::term::termcolor::ColorChoice;
use std::io::{IsTerminal, stderr};
use std::sync::OnceLock;

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct StyleArguments {
    /// Say nothing but errors and what was asked for.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more: every diagnostic of a program with hundreds, and every reason why an array stays.
    #[arg(short, long)]
    pub verbose: bool,
    /// Whether diagnostics are in colour. `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: When,
}

/// Whether there is colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum When {
    /// On a terminal.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// The style of this process; it is set once, in front of everything that is said.
static STYLE: OnceLock<StyleArguments> = OnceLock::new();

/// Sets the style of everything that follows.
pub fn set(style: StyleArguments) {
    // The command line is read once more where a layoutc.toml adds to it; it says the same.
    let _ = STYLE.set(style);
}

fn style() -> StyleArguments {
    STYLE.get().copied().unwrap_or_default()
}

/// Whether only errors are said.
pub fn is_quiet() -> bool {
    style().quiet
}

/// Whether everything is said.
pub fn is_verbose() -> bool {
    style().verbose
}

/// Whether diagnostics are in colour.
pub fn color() -> ColorChoice {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match style().color {
        When::Always => ColorChoice::AlwaysAnsi,
        When::Auto if stderr().is_terminal() && !plain => ColorChoice::Auto,
        When::Auto | When::Never => ColorChoice::Never,
    }
}
