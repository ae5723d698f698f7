//! Every program in `testdata/grids/bad`: what is wrong with its grid is reported at each marked
//! place, and what comes out is what went in. The README there lists the kinds of marks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT, VERIFY_LIMIT};
use layoutc_tests::repository_root;
use serde_json::Value;

/// A mark: `//~ KIND WORDS`.
#[derive(Debug)]
struct Mark {
    line: u64,
    kind: String,
    words: String,
}

/// Something that was said: a code, a line and a text without the source.
#[derive(Debug)]
struct Said {
    code: String,
    line: u64,
    text: String,
}

/// The codes that a kind of mark may have.
fn codes(kind: &str) -> Result<&'static [&'static str]> {
    Ok(match kind {
        "syntax" => &["LC0060"],
        "name" => &["LC0061"],
        "extent" => &["LC0062"],
        "rank" => &["LC0063"],
        "size" => &["LC0064"],
        "conflict" => &["LC0065"],
        "bounds" => &["LC0066"],
        "unproven" => &["LC0067"],
        "offset" => &["LC0026", "LC0017"],
        "cast" => &["LC0011", "LC0017"],
        _ => bail!("no kind `{kind}`"),
    })
}

fn folder() -> PathBuf {
    repository_root().join("testdata/grids/bad")
}

fn marks(text: &str) -> Result<Vec<Mark>> {
    let mut found = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, mark)) = text.split_once("//~ ") else { continue };
        let (kind, words) = mark.trim().split_once(' ').unwrap_or((mark.trim(), ""));
        codes(kind)?;
        found.push(Mark { line, kind: kind.to_owned(), words: words.to_owned() });
    }
    ensure!(!found.is_empty(), "no marks");
    Ok(found)
}

/// What a report says: diagnostics with all their texts, and the reasons of arrays that stay.
fn reported(report: &Value) -> Result<Vec<Said>> {
    let mut found = Vec::new();
    let list = |value: &Value| value.as_array().cloned().context("a list");
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    for said in list(&report["diagnostics"])? {
        let mut all = [text(&said, "message"), text(&said, "label")].join(" ");
        for note in list(&said["related"])? {
            all.push(' ');
            all.push_str(&text(&note, "message"));
        }
        let line = said["line"].as_u64().unwrap_or(0);
        found.push(Said { code: text(&said, "code"), line, text: all });
    }
    for class in list(&report["classes"])? {
        for reason in list(&class["reasons"])? {
            let line = reason["line"].as_u64().unwrap_or(0);
            found.push(Said { code: text(&reason, "code"), line, text: text(&reason, "message") });
        }
    }
    Ok(found)
}

/// What standard error says, where errors leave no report: `error[LC0066]: …`, then `┌─ FILE:LINE:COLUMN`.
fn printed(stderr: &str) -> Vec<Said> {
    let mut found: Vec<Said> = Vec::new();
    for line in stderr.lines() {
        let head = ["error[", "warning[", "note["].iter().find_map(|head| line.strip_prefix(head));
        if let Some((code, text)) = head.and_then(|rest| rest.split_once(']')) {
            found.push(Said { code: code.to_owned(), line: 0, text: text.to_owned() });
        } else if let Some(said) = found.last_mut() {
            if let Some((_, place)) = line.split_once("┌─ ") {
                said.line = place.rsplit(':').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
            } else if line.trim_start().starts_with(['│', '=']) {
                said.text.push_str(line);
            }
        }
    }
    found
}

/// The array that a layout is asked for.
fn target(name: &str) -> &'static str {
    match name {
        // The kernel's `f` is an address to the model, and no array of its own.
        "offset_by_address" => "d_f",
        "bounds_of_type" | "extent_of_type" => "A",
        _ => "f",
    }
}

fn check(path: &Path) -> Result<()> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let file = path.file_name().context("a name")?;
    let text = fs::read_to_string(path)?;
    let marks = marks(&text)?;
    let out = tempfile::tempdir()?;
    let report = out.path().join("report.json");
    let result = out.path().join("out.cu");
    let mut arguments = vec![
        "transform".to_owned(),
        path.to_string_lossy().into_owned(),
        "-o".to_owned(),
        result.to_string_lossy().into_owned(),
        "--report".to_owned(),
        report.to_string_lossy().into_owned(),
    ];
    // Without the pragma it is a grid as any other.
    let is_ignored = marks.iter().all(|mark| matches!(mark.kind.as_str(), "syntax" | "name"));
    if !is_ignored {
        arguments.extend(["--layout".to_owned(), format!("{} = tiled(32)", target(&name))]);
    }
    let outcome = Layoutc::built()?.run(&folder(), TRANSFORM_LIMIT, &arguments)?;
    let mut said = printed(&outcome.stderr);
    if outcome.succeeded() {
        said = reported(&serde_json::from_slice(&fs::read(&report)?)?)?;
        if !is_ignored {
            ensure!(
                fs::read_to_string(&result)? == lowered(path, &text)?,
                "{} changed",
                file.display()
            );
        }
    } else {
        ensure!(outcome.stderr.contains("error["), "{}", outcome.stderr);
        ensure!(!result.exists(), "errors, and an output");
    }
    for mark in &marks {
        let codes = codes(&mark.kind)?;
        let is_said = said.iter().any(|said| {
            said.line == mark.line
                && codes.contains(&said.code.as_str())
                && said.text.contains(&mark.words)
        });
        ensure!(is_said, "{mark:?} is not said\n{said:#?}\n{}", outcome.stderr);
    }
    // What is wrong is what the marks say.
    let lines: BTreeSet<u64> = marks.iter().map(|mark| mark.line).collect();
    let other = said.iter().find(|said| {
        ("LC0060"..="LC0067").contains(&said.code.as_str()) && !lines.contains(&said.line)
    });
    ensure!(other.is_none(), "said of no marked line: {other:?}");
    Ok(())
}

/// The program without a layout asked for: C99 parameters are lowered in any case.
fn lowered(path: &Path, text: &str) -> Result<String> {
    let is_c99 = path.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("vla_"));
    if !is_c99 {
        return Ok(text.to_owned());
    }
    let out = tempfile::tempdir()?;
    let result = out.path().join("out.cu");
    let path = path.to_string_lossy().into_owned();
    let arguments =
        ["transform".to_owned(), path, "-o".to_owned(), result.to_string_lossy().into_owned()];
    let outcome = Layoutc::built()?.run(&folder(), TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    let lowered = fs::read_to_string(&result)?;
    ensure!(lowered != text && !lowered.contains("[ny]"), "{lowered}");
    Ok(lowered)
}

#[test]
fn every_mark_is_reported_and_the_program_stays() -> Result<()> {
    let mut failures = Vec::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder())?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    paths.sort();
    ensure!(paths.len() > 40, "only {} programs", paths.len());
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Err(error) = check(&path) {
            failures.push(format!("{name}: {error:#}"));
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n\n"));
    Ok(())
}

fn verify(name: &str, options: &[&str]) -> Result<(Option<i32>, String)> {
    let mut arguments = vec!["verify", name];
    arguments.extend(options);
    let outcome = Layoutc::built()?.run(&folder(), VERIFY_LIMIT, &arguments)?;
    Ok((outcome.code(), format!("{}{}", outcome.stdout, outcome.stderr)))
}

const LAYOUT: [&str; 2] = ["--layout", "f = [y/4, x/8, y%4, x%8]"];

#[test]
fn a_violated_assumption_is_found_when_the_program_runs() -> Result<()> {
    for (name, place, assume) in [
        ("unproven_neighbour.cu", ":13:31", "in-bounds"),
        ("unproven_no_guard.cu", ":10:17", "in-bounds=d_g,nothing"),
    ] {
        let (code, text) = verify(name, &[&LAYOUT[..], &["--assume", assume]].concat())?;
        ensure!(code == Some(1), "{name} {assume}: {code:?}\n{text}");
        let said = format!("{name}{place}: the coordinate `x` is 37, and its extent is 37");
        ensure!(text.contains(&said), "{text}");
    }
    // For another array nothing is assumed.
    let options = [&LAYOUT[..], &["--assume", "in-bounds=h"]].concat();
    let (code, text) = verify("unproven_neighbour.cu", &options)?;
    ensure!(
        code == Some(0) && text.contains("LC0067") && text.contains("nothing changes"),
        "{text}"
    );
    Ok(())
}

#[test]
fn the_report_lists_what_is_assumed() -> Result<()> {
    let out = tempfile::tempdir()?;
    let report = out.path().join("report.json");
    let report_text = report.to_string_lossy().into_owned();
    let mut arguments = vec!["transform", "unproven_no_guard.cu", "--diff", "--report"];
    arguments.push(&report_text);
    arguments.extend(LAYOUT);
    arguments.extend(["--assume", "in-bounds"]);
    let outcome = Layoutc::built()?.run(&folder(), TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    ensure!(!outcome.stdout.contains("layoutc_inside"), "production code holds a check");
    let report: Value = serde_json::from_slice(&fs::read(&report)?)?;
    let assumed = report["classes"][0]["assumed"].as_array().context("nothing assumed")?;
    let lines: Vec<Option<u64>> = assumed.iter().map(|place| place["line"].as_u64()).collect();
    ensure!(lines == [Some(10), Some(10), Some(12)], "{report:#}");
    ensure!(report["diagnostics"][0]["code"] == "LC0068", "{report:#}");
    ensure!(report["diagnostics"][0]["severity"] == "note", "{report:#}");
    Ok(())
}

#[test]
fn an_assumption_that_holds_is_reported_and_the_program_changes() -> Result<()> {
    let options = [&LAYOUT[..], &["--assume", "in-bounds"]].concat();
    let (code, text) = verify("unproven_index_from_memory.cu", &options)?;
    ensure!(code == Some(0) && text.contains("identical"), "{text}");
    ensure!(text.contains("note[LC0068]") && text.contains(":10:23"), "{text}");
    Ok(())
}
