//! `cargo xtask book`: builds the book of `docs/` with mdBook, and checks the links of what comes out.
//!
//! mdBook knows the files of its own folder only, and the pages link to programs of `testdata` and to the pages of the
//! diagnostic codes. So the book is built from a copy, which has what is linked to: programs as texts, and the pages of
//! the codes as pages of the book.

use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use layoutc_tests::book::{self, codes, commands, markdown};
use layoutc_tests::repository_root;
use layoutc_tests::sandbox::copy_folder;
use rayon::prelude::*;

use crate::test::cargo;

/// The tools, pinned: `cargo install` builds each once, in some minutes, into `.tools`.
const TOOLS: [Tool; 2] = [
    Tool { name: "mdbook", version: "0.5.4", options: &["--no-default-features"] },
    Tool { name: "hyperlink", version: "0.3.2", options: &[] },
];

/// A program from crates.io.
struct Tool {
    name: &'static str,
    version: &'static str,
    options: &'static [&'static str],
}

/// What to do with the book.
#[derive(Args)]
pub struct Options {
    /// Write what the commands on the pages print, and the page of the codes, into docs/; build nothing
    #[arg(long)]
    record: bool,
}

/// Builds the book into target/book, or records the output on its pages.
///
/// # Errors
/// A command on a page that fails, a tool that cannot be installed, and links that lead nowhere.
pub fn run(options: &Options) -> Result<()> {
    let root = repository_root();
    if options.record {
        return record(&root);
    }
    for tool in &TOOLS {
        tool.install(&root)?;
    }
    let copy = root.join("target/book-source");
    stage(&root, &copy)?;
    TOOLS[0].run(&root, &copy, &["build"])?;
    let built = copy.join("target/book");
    TOOLS[1].run(&root, &built, &["--check-anchors", "."])?;
    let place = root.join("target/book");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::rename(&built, &place)?;
    println!("the book: {}", place.join("index.html").display());
    Ok(())
}

/// Writes the page of the codes, and what the commands on all pages print.
fn record(root: &Path) -> Result<()> {
    let folder = book::folder(root);
    fs::write(folder.join(codes::PAGE), codes::page())?;
    let recorded: Vec<Result<usize>> = book::pages(root)?
        .into_par_iter()
        .map(|page| {
            let text = book::read(root, &page)?;
            let recorded = commands::record(root, &text).with_context(|| format!("docs/{page}"))?;
            if recorded.text != text {
                println!("changed: docs/{page}");
                fs::write(folder.join(&page), &recorded.text)?;
            }
            Ok(recorded.commands)
        })
        .collect();
    let count: usize = recorded.into_iter().sum::<Result<usize>>()?;
    println!("{count} commands");
    Ok(())
}

impl Tool {
    fn folder(&self, root: &Path) -> PathBuf {
        root.join(".tools").join(format!("{}-{}", self.name, self.version))
    }

    fn program(&self, root: &Path) -> PathBuf {
        self.folder(root).join("bin").join(self.name)
    }

    /// Builds the program, unless it is there.
    fn install(&self, root: &Path) -> Result<()> {
        if self.program(root).is_file() {
            return Ok(());
        }
        let folder = self.folder(root).display().to_string();
        let version = format!("={}", self.version);
        let mut arguments =
            vec!["install", self.name, "--version", &version, "--locked", "--root", &folder];
        arguments.extend(self.options);
        cargo(&arguments)
    }

    fn run(&self, root: &Path, folder: &Path, arguments: &[&str]) -> Result<()> {
        println!("$ {} {}", self.name, arguments.join(" "));
        let status = Command::new(self.program(root))
            .args(arguments)
            .current_dir(folder)
            .status()
            .with_context(|| format!("cannot run {}", self.name))?;
        ensure!(status.success(), "`{} {}` failed", self.name, arguments.join(" "));
        Ok(())
    }
}

/// Copies book.toml and docs/, with what their links lead to.
fn stage(root: &Path, copy: &Path) -> Result<()> {
    if copy.exists() {
        fs::remove_dir_all(copy)?;
    }
    fs::create_dir_all(copy)?;
    fs::copy(root.join("book.toml"), copy.join("book.toml"))?;
    let docs = copy.join("docs");
    copy_folder(&book::folder(root), &docs)?;
    for page in book::pages(root)? {
        let text = book::read(root, &page)?;
        let mut failed = None;
        let linked = markdown::with_links(&text, |target| {
            let found = staged(root, &docs, target);
            found.unwrap_or_else(|error| {
                failed = Some(error);
                None
            })
        });
        if let Some(error) = failed {
            return Err(error.context(format!("docs/{page}")));
        }
        fs::write(docs.join(&page), linked)?;
    }
    stage_codes(root, &docs)
}

/// Where the copy has what a link out of docs/ leads to; nothing for other links.
fn staged(root: &Path, docs: &Path, target: &str) -> Result<Option<String>> {
    let Some(path) = target.strip_prefix("../") else { return Ok(None) };
    let (path, _) = path.split_once('#').unwrap_or((path, ""));
    if let Some(page) = path.strip_prefix(codes::FOLDER) {
        return Ok(Some(format!("codes{page}")));
    }
    let mut file = PathBuf::from(path);
    ensure!(
        file.components().all(|part| matches!(part, Component::Normal(_))),
        "`{target}` leads out of the repository"
    );
    if root.join(&file).is_dir() {
        file = main_file(root, &file)?;
    }
    // With this ending browsers show it, whatever it is.
    let name = format!("files/{}.txt", file.display());
    let place = docs.join(&name);
    fs::create_dir_all(place.parent().context("a file lies in a folder")?)?;
    fs::copy(root.join(&file), &place).with_context(|| file.display().to_string())?;
    Ok(Some(name))
}

/// The first source in a folder.
fn main_file(root: &Path, folder: &Path) -> Result<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        files.push(folder.join(entry?.file_name()));
    }
    files.sort();
    for extension in ["cu", "c", "cpp", "toml", "md"] {
        let found = files.iter().find(|file| file.extension().is_some_and(|is| is == extension));
        if let Some(file) = found {
            return Ok(file.clone());
        }
    }
    bail!("{} has no source", folder.display())
}

/// Copies the pages of the codes, and lists them below the page of all codes.
fn stage_codes(root: &Path, docs: &Path) -> Result<()> {
    copy_folder(&root.join(codes::FOLDER), &docs.join("codes"))?;
    let path = docs.join(book::SUMMARY);
    let mut summary = String::new();
    for line in fs::read_to_string(&path)?.lines() {
        let _ = writeln!(summary, "{line}");
        if !line.contains(&format!("({})", codes::PAGE)) {
            continue;
        }
        let indent = line.len() - line.trim_start().len() + 2;
        for info in layoutc_diagnostics::code::CODES {
            let (code, name) = (info.code, info.name);
            let _ = writeln!(summary, "{:indent$}- [{code} {name}](codes/{code}.md)", "");
        }
    }
    Ok(fs::write(path, summary)?)
}
