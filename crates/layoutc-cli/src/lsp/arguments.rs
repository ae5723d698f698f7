//! What `layoutc lsp` takes on its command line.

use clap::Args;
use std::time::Duration;

/// `layoutc lsp`.
#[derive(Debug, Args)]
pub struct LspArguments {
    /// Talk on standard input and output, which is what happens without this option, too.
    #[arg(long)]
    stdio: bool,
    /// Compile when nothing was typed for so long.
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(..=60_000))]
    debounce: u64,
}

impl LspArguments {
    /// How long nothing is typed before the program is compiled.
    pub fn debounce(&self) -> Duration {
        Duration::from_millis(self.debounce)
    }
}
