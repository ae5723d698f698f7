//! What `cargo xtask demo` builds: xtask itself, and then only what xtask has not.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::process::Command;

use anyhow::{Result, ensure};
use layoutc_tests::repository_root;

/// By package, the sets of features that it is built with.
type Features = BTreeMap<String, BTreeSet<String>>;

fn features(packages: &[&str]) -> Result<Features> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(repository_root()).args(["tree", "--offline", "--edges", "normal,build"]);
    command.args(["--prefix", "none", "--format", "{p}|{f}"]);
    for package in packages {
        command.args(["--package", package]);
    }
    let outcome = command.output()?;
    ensure!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
    let mut found = Features::new();
    for line in String::from_utf8_lossy(&outcome.stdout).lines() {
        if let Some((name, features)) = line.trim_end_matches(" (*)").split_once('|') {
            found.entry(name.to_owned()).or_default().insert(features.to_owned());
        }
    }
    Ok(found)
}

/// A package with other features is compiled again, and so is all that depends on it: half of the workspace.
#[test]
fn nothing_is_built_twice() -> Result<()> {
    let own = features(&["xtask"])?;
    let both = features(&["xtask", "layoutc-cli"])?;
    ensure!(own.len() > 50, "{own:?}");
    let differ = own.iter().filter(|(name, features)| both.get(*name) != Some(*features));
    let differ: Vec<_> = differ.map(|(name, own)| (name, own, both.get(name))).collect();
    ensure!(
        differ.is_empty(),
        "`cargo xtask demo` builds these twice; give xtask/Cargo.toml the features of the second set\n{differ:#?}"
    );
    Ok(())
}
