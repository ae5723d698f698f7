//! The commands on the pages of the book, and what they print.
//!
//! A block of `console` has command lines behind `$ `, each followed by what it prints, standard output first. If no
//! command of a block shows anything, the block is a list of commands: they are run, and what they print is not
//! looked at. Comments, which readers of the book do not see, say what a shell would not:
//!
//! - `<!-- files: testdata/programs/nbody/nbody.cu testdata/builds/particles/ -->` begins a new folder for the
//!   commands behind it, with a copy of the file, and of all that is in the folder;
//! - `<!-- not run: it needs a GPU -->` in front of a block says why its commands are not run.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::layoutc::Layoutc;
use crate::nvcc::Nvcc;
use crate::process::run_limited;
use crate::sandbox::copy_folder;

/// How long one command may take: some build a program.
const LIMIT: Duration = Duration::from_secs(300);

/// The folder that the commands of the book run in.
const SHOWN_FOLDER: &str = "/project";

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Lines that are no commands.
    Lines(Vec<String>),
    /// A new folder with copies of these.
    Files(Vec<String>),
    /// The inside of a block of `console`.
    Block {
        /// The line of the page that it begins at, from 1.
        line: usize,
        /// Why its commands are not run.
        not_run: Option<String>,
        /// Each command line with what the page shows of its output.
        steps: Vec<(String, Vec<String>)>,
    },
}

/// What the commands of a page came to.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The page with the output that its commands have now.
    pub text: String,
    /// How many commands ran.
    pub commands: usize,
    /// Each command that is not run, with the reason.
    pub not_run: Vec<(String, String)>,
}

fn comment<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix("<!-- ")?.strip_suffix(" -->")?.strip_prefix(name)?.strip_prefix(": ")
}

fn parts(text: &str) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut plain: Vec<String> = Vec::new();
    let mut not_run = None;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        plain.push(line.to_owned());
        if let Some(files) = comment(line, "files") {
            parts.push(Part::Lines(std::mem::take(&mut plain)));
            parts.push(Part::Files(files.split_whitespace().map(str::to_owned).collect()));
        } else if let Some(reason) = comment(line, "not run") {
            not_run = Some(reason.to_owned());
        } else if line.starts_with("```") {
            let is_console = line == "```console";
            let mut inside = Vec::new();
            loop {
                let (_, line) = lines
                    .next()
                    .with_context(|| format!("the block of line {} is not closed", number + 1))?;
                if line == "```" {
                    break;
                }
                inside.push(line);
            }
            if is_console {
                parts.push(Part::Lines(std::mem::take(&mut plain)));
                let steps = steps(&inside).with_context(|| format!("line {}", number + 1))?;
                parts.push(Part::Block { line: number + 1, not_run: not_run.take(), steps });
            } else {
                plain.extend(inside.into_iter().map(str::to_owned));
            }
            plain.push("```".to_owned());
        } else if !line.is_empty() {
            not_run = None;
        }
    }
    parts.push(Part::Lines(plain));
    Ok(parts)
}

fn steps(lines: &[&str]) -> Result<Vec<(String, Vec<String>)>> {
    let mut steps: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push((command.to_owned(), Vec::new()));
        } else {
            let (_, shown) = steps.last_mut().context("a block of `console` begins with `$ `")?;
            shown.push((*line).to_owned());
        }
    }
    Ok(steps)
}

/// Runs the commands of a page.
///
/// # Errors
/// A command that fails without showing it, a bad comment, and what cannot be run at all.
pub fn record(root: &Path, text: &str) -> Result<Recorded> {
    let mut recorded = Recorded::default();
    let mut lines: Vec<String> = Vec::new();
    let mut shell = Shell::new()?;
    for part in parts(text)? {
        match part {
            Part::Lines(plain) => lines.extend(plain),
            Part::Files(files) => {
                shell = Shell::new()?;
                for file in &files {
                    shell.copy(root, file)?;
                }
            }
            Part::Block { not_run: Some(reason), steps, .. } => {
                for (command, shown) in steps {
                    lines.push(format!("$ {command}"));
                    lines.extend(shown);
                    recorded.not_run.push((command, reason.clone()));
                }
            }
            Part::Block { line, not_run: None, steps } => {
                let is_list = steps.iter().all(|(_, shown)| shown.is_empty());
                for (command, _) in steps {
                    let printed =
                        shell.run(&command, is_list).with_context(|| format!("line {line}"))?;
                    recorded.commands += 1;
                    lines.push(format!("$ {command}"));
                    if !is_list {
                        lines.extend(printed);
                    }
                }
            }
        }
    }
    recorded.text = lines.join("\n");
    recorded.text.push('\n');
    Ok(recorded)
}

/// A folder for commands, and what is on their path.
struct Shell {
    folder: TempDir,
    path: OsString,
}

impl Shell {
    fn new() -> Result<Shell> {
        let folder = tempfile::tempdir()?;
        let (bin, project) = (folder.path().join("bin"), folder.path().join("project"));
        fs::create_dir(&bin)?;
        fs::create_dir(project)?;
        std::os::unix::fs::symlink(Layoutc::built()?.program(), bin.join("layoutc"))?;
        let mut searched: Vec<PathBuf> = vec![bin];
        if let Ok(nvcc) = Nvcc::find() {
            searched.extend(nvcc.program().parent().map(Path::to_path_buf));
        }
        searched.push(crate::repository_root().join(".tools/venv/bin"));
        searched.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        Ok(Shell { folder, path: env::join_paths(searched)? })
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn copy(&self, root: &Path, file: &str) -> Result<()> {
        let from = root.join(file);
        if file.ends_with('/') {
            return copy_folder(&from, &self.project());
        }
        let name = from.file_name().with_context(|| format!("`{file}` has no name"))?;
        fs::copy(&from, self.project().join(name)).with_context(|| from.display().to_string())?;
        Ok(())
    }

    /// What a command prints.
    fn run(&self, command: &str, is_list: bool) -> Result<Vec<String>> {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", command])
            .current_dir(self.project())
            .env("PATH", &self.path)
            .env("NO_COLOR", "1")
            .env("XDG_DATA_HOME", self.folder.path().join("data"))
            // A commit's name depends on who makes it, and when.
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "somebody")))
            .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "a@example.org")))
            .envs(["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, "@0 +0000")))
            .env_remove("MAKEFLAGS")
            .env_remove("RUST_BACKTRACE");
        let outcome = run_limited(&mut shell, LIMIT)?;
        let shown =
            || format!("$ {command}\n{}{}{}", outcome.stdout, outcome.stderr, outcome.ending());
        ensure!(!outcome.stderr.contains("panicked"), "{}", shown());
        match outcome.code() {
            Some(0) => {}
            // An error that the page shows, and what a check found.
            Some(1) if !is_list => {}
            Some(1 | 3 | 4) if command.contains("--check") => {}
            _ => bail!("{}", shown()),
        }
        if is_list {
            return Ok(Vec::new());
        }
        let folder = fs::canonicalize(self.project())?;
        let mut lines = Vec::new();
        for stream in [&outcome.stdout, &outcome.stderr] {
            let stream = stream.replace(&folder.display().to_string(), SHOWN_FOLDER);
            let stream = stream.replace(&self.project().display().to_string(), SHOWN_FOLDER);
            lines.extend(stream.lines().map(|line| line.trim_end().to_owned()));
        }
        let breaks = |line: &String| line.starts_with("$ ") || line.starts_with("```");
        ensure!(!lines.iter().any(breaks), "a block cannot show this: {}", shown());
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, parts};

    #[test]
    fn a_page_has_parts() {
        let text = "# A\n\n<!-- files: a.cu b/ -->\n\n```console\n$ x 1\nout\n$ y\n```\n\n<!-- not run: no -->\n\
                    ```console\n$ z\n```\n\n```cuda\n$ no\n```\n";
        let found = parts(text).expect("it is a page");
        let files = Part::Files(vec!["a.cu".to_owned(), "b/".to_owned()]);
        assert!(found.contains(&files), "{found:?}");
        let steps = vec![("x 1".to_owned(), vec!["out".to_owned()]), ("y".to_owned(), vec![])];
        assert!(found.contains(&Part::Block { line: 5, not_run: None, steps }), "{found:?}");
        let steps = vec![("z".to_owned(), vec![])];
        let block = Part::Block { line: 12, not_run: Some("no".to_owned()), steps };
        assert!(found.contains(&block), "{found:?}");
    }

    #[test]
    fn a_block_is_closed() {
        assert!(parts("```console\n$ x\n").is_err());
        assert!(parts("```console\nx\n```\n").is_err());
    }
}
