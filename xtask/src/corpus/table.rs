//! The survey as Markdown and JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;
use serde_json::{Value, json};

use super::Section;
use super::survey::{Check, Row};

/// The table, one section per folder, then what stayed and why.
pub fn markdown(sections: &[Section]) -> String {
    let mut text = String::from(HEAD);
    let mut changed =
        sections.iter().flat_map(|section| &section.rows).filter(|row| row.changed() > 0);
    if changed.clone().all(|row| row.compiles_before.is_none()) {
        text.push_str("\nThis run did not compile anything.\n");
    }
    if changed.all(|row| row.same.is_none()) {
        text.push_str("\nThis run did not run anything.\n");
    }
    // Writing into a `String` does not fail.
    let _ = writeln!(text, "\n{TOTALS_HEAD}");
    for section in sections {
        let _ = writeln!(text, "{}", totals_row(&section.name, &section.rows, section.median_ms));
    }
    if sections.len() > 1 {
        let all: Vec<Row> = sections.iter().flat_map(|section| section.rows.clone()).collect();
        let _ = writeln!(text, "{}", totals_row("all", &all, None));
    }
    reasons_by_code(&mut text, sections);
    for section in sections {
        let _ = writeln!(text, "\n## {}\n\n{ROWS_HEAD}", section.name);
        for row in &section.rows {
            let _ = writeln!(text, "{}", program_row(row));
        }
        kept(&mut text, &section.rows);
        problems(&mut text, &section.rows);
    }
    text
}

/// The sections as JSON.
///
/// # Errors
/// When they cannot be written as JSON, which strings and numbers always can.
pub fn json(sections: &[Section]) -> Result<String> {
    // Through `Value`, in which members are sorted by name.
    let sections = serde_json::to_value(sections)?;
    Ok(serde_json::to_string_pretty(&json!({ "sections": sections }))? + "\n")
}

/// What [`json`] wrote.
///
/// # Errors
/// When the text is not of that form.
pub fn sections(json: &str) -> Result<Vec<Section>> {
    let mut file: Value = serde_json::from_str(json)?;
    Ok(serde_json::from_value(file["sections"].take())?)
}

/// All sections in one line for the console.
pub fn totals_line(sections: &[Section]) -> String {
    let rows: Vec<&Row> = sections.iter().flat_map(|section| &section.rows).collect();
    let classes: usize = rows.iter().map(|row| row.classes.len()).sum();
    let changed: usize = rows.iter().map(|row| row.changed()).sum();
    format!("{} programs, {classes} classes, {changed} changed", rows.len())
}

const HEAD: &str = "# The tool over public programs

Written by `cargo xtask corpus DIR… --nvcc --opencl --run --out FILE`; do not edit. The layouts are those that
`layoutc transform` chooses by itself. *Classes* are the arrays of structs in device memory: *changed*
got another layout, the others were kept for the reasons listed below each table. *Compiles* is
`nvcc -arch=sm_80` before → after, for programs of which something changed (nvcc 13, with `cudaThreadSynchronize` and `cudaThreadExit` defined as the calls
that replaced them), and the host's compiler and linker for OpenCL programs, whose kernels are compiled when they run. *Same* is `layoutc verify` for programs of which something changed, with the
arguments and made-up input of `xtask/src/corpus/runs.toml`; a program that needs other data or a library cannot be run.
";

const TOTALS_HEAD: &str = "| corpus | programs | parsed cleanly | refused | crashed | classes | changed | programs with a change | of those: compile before → after | run: same | run: differ | median ms |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

fn totals_row(name: &str, rows: &[Row], median_ms: Option<u64>) -> String {
    let count = |holds: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| holds(row)).count();
    let changed = |row: &Row| row.changed() > 0;
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} → {} | {} | {} | {} |",
        rows.len(),
        count(&|row| row.unclean.is_empty() && row.refused.is_none()),
        count(&|row| row.refused.is_some() && !row.crashed),
        count(&|row| row.crashed),
        rows.iter().map(|row| row.classes.len()).sum::<usize>(),
        rows.iter().map(Row::changed).sum::<usize>(),
        count(&changed),
        count(&|row| changed(row) && row.compiles_before == Some(Check::Passed)),
        count(&|row| changed(row) && row.compiles_after == Some(Check::Passed)),
        count(&|row| row.same == Some(Check::Passed)),
        count(&|row| matches!(row.same, Some(Check::Failed { .. }))),
        median_ms.map(|time| time.to_string()).unwrap_or_default(),
    )
}

fn reasons_by_code(text: &mut String, sections: &[Section]) {
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for class in sections.iter().flat_map(|section| &section.rows).flat_map(|row| &row.classes) {
        if let (None, Some(reason)) = (&class.layout, class.reasons.first()) {
            *codes.entry(&reason.code).or_default() += 1;
        }
    }
    if codes.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\nWhy classes were kept, by first reason:\n\n| code | classes |\n|---|---:|"
    );
    let mut codes: Vec<_> = codes.into_iter().collect();
    codes.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), *code));
    for (code, count) in codes {
        let _ = writeln!(text, "| {code} | {count} |");
    }
}

const ROWS_HEAD: &str = "| program | files | with unparsed regions | classes | changed | compiles | same |\n|---|---:|---:|---:|---|---|---|";

fn program_row(row: &Row) -> String {
    let changed: Vec<String> = row
        .classes
        .iter()
        .filter_map(|class| Some(format!("`{}`: {}", class.record, class.layout.as_ref()?)))
        .collect();
    let compiles = match (mark(row.compiles_before.as_ref()), mark(row.compiles_after.as_ref())) {
        ("", _) => String::new(),
        (before, "") => before.to_owned(),
        (before, after) => format!("{before} → {after}"),
    };
    let classes = match &row.refused {
        Some(_) if row.crashed => "crashed".to_owned(),
        Some(_) => "refused".to_owned(),
        None => row.classes.len().to_string(),
    };
    format!(
        "| {} | {} | {} | {classes} | {} | {compiles} | {} |",
        row.name,
        row.files,
        row.unclean.len(),
        escaped(&changed.join("; ")),
        mark(row.same.as_ref())
    )
}

fn mark(check: Option<&Check>) -> &'static str {
    match check {
        None => "",
        Some(Check::Passed) => "yes",
        Some(Check::Failed { .. }) => "no",
        Some(Check::Impossible { .. }) => "cannot run",
    }
}

/// The classes that stayed, with the first reason of each.
pub fn kept(text: &mut String, rows: &[Row]) {
    let mut lines = Vec::new();
    for row in rows {
        for class in row.classes.iter().filter(|class| class.layout.is_none()) {
            let reason = class.reasons.first();
            let part =
                |get: fn(&super::survey::Reason) -> &str| reason.map(get).unwrap_or_default();
            lines.push(format!(
                "| {} | `{}` | {} | {} | {} |",
                row.name,
                class.record,
                part(|reason| &reason.code),
                part(|reason| &reason.place),
                escaped(part(|reason| &reason.message)),
            ));
        }
    }
    if !lines.is_empty() {
        let head = "| program | record | code | place | reason |\n|---|---|---|---|---|";
        let _ = writeln!(text, "\nKept:\n\n{head}\n{}", lines.join("\n"));
    }
}

/// What was refused, does not compile, cannot be run, or went wrong, with the first message.
pub fn problems(text: &mut String, rows: &[Row]) {
    let mut lines = Vec::new();
    let mut add = |row: &Row, what: &str, why: &str| {
        lines.push(format!("| {} | {what} | {} |", row.name, escaped(why)));
    };
    for row in rows {
        if let Some(why) = &row.refused {
            add(row, if row.crashed { "crashed" } else { "refused" }, why);
        }
        if let Some(Check::Failed { message }) = &row.compiles_before {
            add(row, "does not compile as it is", message);
        } else if let Some(Check::Failed { message }) = &row.compiles_after {
            add(row, "no longer compiles", message);
        }
        match &row.same {
            Some(Check::Failed { message }) => add(row, "differs", message),
            Some(Check::Impossible { message }) => add(row, "cannot run", message),
            Some(Check::Passed) | None => {}
        }
    }
    if !lines.is_empty() {
        let head = "| program | what | first message |\n|---|---|---|";
        let _ = writeln!(text, "\nNotes:\n\n{head}\n{}", lines.join("\n"));
    }
}

/// Text for a table cell: one line, no bars.
pub fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run over one corpus keeps the sections of the others as they are.
    #[test]
    fn the_recorded_table_is_that_of_its_json() -> Result<()> {
        let recorded = include_str!("../../../docs/corpus.json");
        let sections = sections(recorded)?;
        assert_eq!(json(&sections)?, recorded);
        assert_eq!(markdown(&sections), include_str!("../../../docs/corpus.md"));
        Ok(())
    }
}
