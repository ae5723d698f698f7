//! `cargo xtask seeded-bugs`: puts each bug of `testdata/seeded_bugs` into a copy of the tree and
//! checks that the tests named for it fail.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::repository_root;
use layoutc_tests::seeded::SeededBug;

/// The longest that a build or a test run may take.
const LIMIT: Duration = Duration::from_secs(1800);

/// What became of one bug.
enum Verdict {
    Caught(Duration),
    /// These tests pass all the same.
    Survived(Vec<String>),
    /// It cannot be put in, does not compile, or its tests fail without it.
    Invalid(String),
}

/// Runs the bugs whose names contain one of `names`, or all, and prints the table.
///
/// # Errors
/// When one survives or is invalid, or the tests fail without any bug.
pub fn run(names: &[String]) -> Result<()> {
    let mut bugs = SeededBug::read_all()?;
    bugs.retain(|bug| names.is_empty() || names.iter().any(|name| bug.name.contains(name)));
    // Taking one bug out and putting the next one into the same file is one build.
    bugs.sort_by(|a, b| (&a.file, &a.name).cmp(&(&b.file, &b.name)));
    ensure!(!bugs.is_empty(), "no seeded bug is called {}", quoted(names));
    let tree = Tree::copy()?;
    let healthy = tree.passing(&bugs)?;
    println!("| bug | what it breaks | in | caught by |\n|---|---|---|---|");
    let mut bad = 0;
    for bug in &bugs {
        let verdict = match bug.tests.iter().find(|test| !healthy.contains(&key(bug, test))) {
            Some(test) => Verdict::Invalid(format!("`{test}` does not pass without it")),
            None => tree.try_bug(bug)?,
        };
        let caught_by = match &verdict {
            Verdict::Caught(took) => {
                eprintln!("{}: caught in {:.0} s", bug.name, took.as_secs_f64());
                format!("`{}`: {}", suite(bug), quoted(&bug.tests))
            }
            Verdict::Survived(tests) => {
                bad += 1;
                format!("**not caught** by {}", quoted(tests))
            }
            Verdict::Invalid(why) => {
                bad += 1;
                format!("**invalid**: {}", why.lines().next().unwrap_or_default())
            }
        };
        if let Verdict::Survived(_) | Verdict::Invalid(_) = verdict {
            eprintln!("{}: {caught_by}", bug.name);
        }
        let file = bug.file.trim_start_matches("crates/layoutc-").replace("/src/", ": ");
        println!("| `{}` | {} | {file} | {caught_by} |", bug.name, bug.breaks);
    }
    println!("\n{} of {} caught", bugs.len() - bad, bugs.len());
    ensure!(bad == 0, "{bad} of {} seeded bugs are not caught", bugs.len());
    Ok(())
}

fn quoted(tests: &[String]) -> String {
    tests.iter().map(|test| format!("`{test}`")).collect::<Vec<_>>().join(", ")
}

fn suite(bug: &SeededBug) -> String {
    match bug.target.as_str() {
        "lib" | "bins" => bug.package.clone(),
        target => format!("{} {target}", bug.package),
    }
}

fn key(bug: &SeededBug, test: &str) -> (String, String, String) {
    (bug.package.clone(), bug.target.clone(), test.to_owned())
}

/// A copy of the repository's files with a target folder of its own.
struct Tree {
    root: PathBuf,
    target: PathBuf,
}

impl Tree {
    /// Copies what git tracks or would track. Unchanged files keep their time, so that a second
    /// run builds little.
    fn copy() -> Result<Tree> {
        let executable = env::current_exe()?;
        let target = executable.ancestors().nth(2).context("a target folder")?.join("seeded-bugs");
        let tree = Tree { root: target.join("tree"), target: target.join("build") };
        let source = repository_root();
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&source)
            .output()
            .context("git lists the files to copy")?;
        ensure!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        let listed = String::from_utf8(listed.stdout)?;
        let mut wanted = BTreeSet::new();
        for name in listed.split('\0').filter(|name| source.join(name).is_file()) {
            let (from, to) = (source.join(name), tree.root.join(name));
            let bytes = fs::read(&from)?;
            if fs::read(&to).ok().as_ref() != Some(&bytes) {
                fs::create_dir_all(to.parent().context("a folder")?)?;
                fs::write(&to, bytes)?;
            }
            wanted.insert(to);
        }
        remove_others(&tree.root, &wanted)?;
        // The CUDA compiler is not copied.
        let tools = tree.root.join(".tools");
        if source.join(".tools").exists() && !tools.exists() {
            std::os::unix::fs::symlink(source.join(".tools"), &tools)?;
        }
        Ok(tree)
    }

    fn cargo(&self, arguments: &[String]) -> Result<Outcome> {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "false")
            .env("CARGO_TERM_COLOR", "never")
            // The copy tests the copy.
            .env_remove("LAYOUTC_BIN");
        run_limited(&mut cargo, LIMIT)
    }

    /// Builds the tests of a bug and the binary that some of them run.
    fn build(&self, bug: &SeededBug) -> Result<Outcome> {
        if bug.package == "layoutc-tests" && bug.target != "fixtures" {
            let binary = ["build", "--package", "layoutc-cli"].map(str::to_owned);
            let outcome = self.cargo(&binary)?;
            if !outcome.succeeded() {
                return Ok(outcome);
            }
        }
        let test = [vec!["test".to_owned()], bug.test_arguments(false)].concat();
        self.cargo(&test)
    }

    /// The tests among those that the bugs name that pass; without bugs that should be all.
    fn passing(&self, bugs: &[SeededBug]) -> Result<BTreeSet<(String, String, String)>> {
        let mut passing = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for bug in bugs {
            if !seen.insert((bug.package.clone(), bug.target.clone())) {
                continue;
            }
            let same =
                |other: &&SeededBug| other.package == bug.package && other.target == bug.target;
            let mut all = bug.clone();
            let tests: BTreeSet<String> =
                bugs.iter().filter(same).flat_map(|bug| bug.tests.iter().cloned()).collect();
            all.tests = tests.into_iter().collect();
            let built = self.build(&all)?;
            ensure!(built.succeeded(), "the tree does not build\n{}", built.stderr);
            let outcome = self.tests(&all)?;
            for test in &all.tests {
                if outcome.stdout.contains(&format!("test {test} ... ok")) {
                    passing.insert(key(bug, test));
                }
            }
        }
        Ok(passing)
    }

    fn tests(&self, bug: &SeededBug) -> Result<Outcome> {
        self.cargo(&[vec!["test".to_owned()], bug.test_arguments(true)].concat())
    }

    /// Puts a bug in, runs its tests, and takes it out again.
    fn try_bug(&self, bug: &SeededBug) -> Result<Verdict> {
        let changed = match bug.applied(&self.root) {
            Ok(text) => text,
            Err(error) => return Ok(Verdict::Invalid(error.to_string())),
        };
        let file = self.root.join(&bug.file);
        let before = fs::read(&file)?;
        fs::write(&file, changed)?;
        let verdict = self.with_bug(bug);
        fs::write(&file, before)?;
        verdict
    }

    fn with_bug(&self, bug: &SeededBug) -> Result<Verdict> {
        let start = Instant::now();
        let built = self.build(bug)?;
        if !built.succeeded() {
            let error = built.stderr.lines().find(|line| line.starts_with("error"));
            let error = error.unwrap_or("cargo says no more");
            return Ok(Verdict::Invalid(format!("does not compile: {error}")));
        }
        let outcome = self.tests(bug)?;
        let said =
            |test: &String, word: &str| outcome.stdout.contains(&format!("test {test} ... {word}"));
        let survivors: Vec<String> =
            bug.tests.iter().filter(|test| said(test, "ok")).cloned().collect();
        if !survivors.is_empty() {
            return Ok(Verdict::Survived(survivors));
        }
        // A test that hangs or dies with its process has noticed, too, but should be said.
        match bug.tests.iter().find(|test| !said(test, "FAILED")) {
            Some(test) if outcome.succeeded() => bail!("`{test}` did not run"),
            Some(test) => eprintln!("{}: `{test}` did not end: {}", bug.name, outcome.ending()),
            None => {}
        }
        Ok(Verdict::Caught(start.elapsed()))
    }
}

/// Removes files that are no longer in the repository.
fn remove_others(folder: &Path, wanted: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            remove_others(&path, wanted)?;
        } else if entry.file_type()?.is_file() && !wanted.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
