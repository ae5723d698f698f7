//! `cargo xtask corpus DIR`.
use anyhow::Result;
/// Options.
#[derive(clap::Args)]
pub struct Options {
    /// The folder
    dir: std::path::PathBuf,
}
/// Runs.
pub fn run(options: &Options) -> Result<()> {
    println!("{}", options.dir.display());
    Ok(())
}
