//! README.md and the book: links lead somewhere, commands print what the pages show, and the README stays short.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::book::{self, codes, commands, markdown};
use layoutc_tests::repository_root;
use rayon::prelude::*;

/// The files of Markdown in a folder.
fn documents(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn has_anchor(file: &Path, wanted: &str) -> Result<bool> {
    let text = fs::read_to_string(file)?;
    Ok(markdown::anchors(&text).iter().any(|anchor| anchor == wanted))
}

#[test]
fn links_lead_somewhere() -> Result<()> {
    let root = repository_root();
    let mut wrong = Vec::new();
    let mut count = 0;
    for document in [documents(&root)?, documents(&book::folder(&root))?].concat() {
        let folder = document.parent().context("a document lies in a folder")?;
        for link in markdown::links(&fs::read_to_string(&document)?) {
            let link = link.target;
            if link.starts_with("http") {
                continue;
            }
            count += 1;
            let (path, place) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { document.clone() } else { folder.join(path) };
            if !target.exists() || !place.is_empty() && !has_anchor(&target, place)? {
                wrong.push(format!("{}: {link}", document.display()));
            }
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    ensure!(count > 100, "only {count} links");
    Ok(())
}

#[test]
fn the_summary_lists_each_page_once() -> Result<()> {
    let root = repository_root();
    let listed = book::pages(&root)?;
    let once: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
    ensure!(once.len() == listed.len(), "a page is listed twice: {listed:?}");
    let files = documents(&book::folder(&root))?;
    let names = files.iter().filter_map(|file| file.file_name()?.to_str());
    let there: BTreeSet<&str> = names.filter(|name| *name != book::SUMMARY).collect();
    ensure!(
        once == there,
        "not in the summary: {:?}; not there: {:?}",
        there.difference(&once).collect::<Vec<_>>(),
        once.difference(&there).collect::<Vec<_>>()
    );
    Ok(())
}

#[test]
fn no_page_has_tags_of_html() -> Result<()> {
    let root = repository_root();
    let mut wrong = Vec::new();
    for page in book::pages(&root)? {
        let tags = markdown::tags(&book::read(&root, &page)?);
        wrong.extend(tags.into_iter().map(|tag| format!("docs/{page}: {tag}")));
    }
    ensure!(wrong.is_empty(), "browsers do not show these:\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn the_page_of_the_codes_is_up_to_date() -> Result<()> {
    let held = book::read(&repository_root(), codes::PAGE)?;
    ensure!(held == codes::page(), "docs/{}: run `cargo xtask book --record`", codes::PAGE);
    Ok(())
}

/// Commands that no test can run, by their first words.
const NOT_RUN: &[&str] = &["layoutc calibrate steering", "layoutc tune nbody.cu -- 65536"];

/// Runs the commands of a page; gives back how many there are.
fn check_commands(root: &Path, page: &str) -> Result<usize> {
    let text = book::read(root, page)?;
    let recorded = commands::record(root, &text)?;
    for (command, reason) in &recorded.not_run {
        let may_be = !command.starts_with("layoutc ")
            || NOT_RUN.iter().any(|words| command.starts_with(words));
        ensure!(may_be, "`{command}` is not run: {reason}");
    }
    let mut lines = text.lines().zip(recorded.text.lines()).enumerate();
    if let Some((number, (shown, printed))) = lines.find(|(_, (shown, printed))| shown != printed) {
        bail!("line {} shows\n  {shown}\nand the tool prints\n  {printed}", number + 1);
    }
    ensure!(text == recorded.text, "the tool prints more, or less");
    Ok(recorded.commands)
}

#[test]
fn commands_print_what_the_pages_show() -> Result<()> {
    let root = repository_root();
    let checked: Vec<(String, Result<usize>)> = book::pages(&root)?
        .into_par_iter()
        .map(|page| {
            let found = check_commands(&root, &page);
            (page, found)
        })
        .collect();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (page, found) in checked {
        match found {
            Ok(commands) => count += commands,
            Err(error) => wrong.push(format!("docs/{page}: {error:#}")),
        }
    }
    ensure!(wrong.is_empty(), "{}\n`cargo xtask book --record` records them", wrong.join("\n"));
    ensure!(count > 40, "only {count} commands");
    Ok(())
}

#[test]
fn the_readme_is_short() -> Result<()> {
    let text = fs::read_to_string(repository_root().join("README.md"))?;
    let (lines, words) = (text.lines().count(), text.split_whitespace().count());
    ensure!(lines <= 120 && words <= 1200, "{lines} lines and {words} words");
    Ok(())
}
