//! README.md and docs: links lead somewhere, and the README stays short.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use layoutc_tests::repository_root;

/// README.md and its like, and the pages of docs.
fn documents() -> Result<Vec<PathBuf>> {
    let root = repository_root();
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("docs")] {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A text's lines outside of fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        !in_code && !is_fence
    })
}

/// The targets of links and pictures in a text.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(text) {
        // What stands in code is no link.
        let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let targets = outside.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        found.extend(targets.map(str::to_owned));
    }
    found
}

/// The name by which a heading is reached, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept =
        heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn has_anchor(file: &Path, wanted: &str) -> Result<bool> {
    let text = fs::read_to_string(file)?;
    let mut headings = prose(&text).filter(|line| line.starts_with('#'));
    Ok(headings.any(|line| anchor(line.trim_start_matches('#')) == wanted))
}

#[test]
fn links_lead_somewhere() -> Result<()> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for document in documents()? {
        let folder = document.parent().context("a document lies in a folder")?;
        for link in links(&fs::read_to_string(&document)?) {
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
fn the_readme_is_short() -> Result<()> {
    let text = fs::read_to_string(repository_root().join("README.md"))?;
    let (lines, words) = (text.lines().count(), text.split_whitespace().count());
    ensure!(lines <= 120 && words <= 1200, "{lines} lines and {words} words");
    Ok(())
}
