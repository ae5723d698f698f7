//! SARIF 2.1.0, as the schema of the OASIS has it: what code scanning services take.
//!
//! A diagnostic is a result of its code's rule, with the explain page as help. An array that changes is an
//! informational result of the rule [`LAYOUT`]. Columns count characters, and paths are relative to the current folder,
//! so that two runs write the same bytes wherever the program lies.

use super::short::message;
use super::{Findings, layout_before};
use layoutc_diagnostics::{Code, Diagnostic, Severity, Span};
use layoutc_driver::ClassOutcome;
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, Message, MultiformatMessageString, PhysicalLocation,
    Region, ReportingDescriptor, Result as Found, ResultKind, ResultLevel, Run, Sarif, Tool,
    ToolComponent,
};
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// The rule of arrays that change.
const LAYOUT: &str = "layout";
/// Where the schema is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What relative paths begin at: the folder that the command runs in.
const ROOT: &str = "%SRCROOT%";

/// The log, with a final line break.
pub(super) fn text(findings: &Findings<'_>) -> String {
    // Strings, numbers and lists cannot fail to be written.
    let mut text = serde_json::to_string_pretty(&log(findings)).unwrap_or_default();
    text.push('\n');
    text
}

fn log(findings: &Findings<'_>) -> Sarif {
    let codes: BTreeSet<Code> = findings.diagnostics.iter().map(|found| found.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let mut rules: Vec<ReportingDescriptor> = codes.iter().map(|code| rule(*code)).collect();
    let mut results: Vec<Found> =
        findings.diagnostics.iter().map(|found| diagnostic(findings, &codes, found)).collect();
    let changed: Vec<Found> =
        findings.changed().map(|class| array(findings, codes.len(), class)).collect();
    if !changed.is_empty() {
        rules.push(layout_rule());
    }
    results.extend(changed);
    let driver = ToolComponent::builder()
        .name("layoutc")
        .version(env!("CARGO_PKG_VERSION"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(rules)
        .build();
    let run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .invocations(vec![
            Invocation::builder().execution_successful(findings.success.is_some()).build(),
        ])
        .column_kind("unicodeCodePoints")
        .results(results)
        .build();
    Sarif::builder().schema(SCHEMA).version("2.1.0").runs(vec![run]).build()
}

/// A code with its page.
fn rule(code: Code) -> ReportingDescriptor {
    let page = code.info().explanation;
    // Between the title and the first heading stands what was found.
    let found = page.split("\n## ").next().and_then(|text| text.split_once('\n'));
    let meaning = found.map_or(code.name(), |(_, text)| text);
    let meaning = meaning.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = meaning.split_inclusive(". ").next().unwrap_or(&meaning).trim_end();
    ReportingDescriptor::builder()
        .id(code.to_string())
        .name(code.name())
        .short_description(plain(first))
        .full_description(plain(&meaning))
        .help(MultiformatMessageString::builder().text(page).markdown(page).build())
        .build()
}

fn layout_rule() -> ReportingDescriptor {
    ReportingDescriptor::builder()
        .id(LAYOUT)
        .name("layout")
        .short_description(plain("An array gets another layout."))
        .help(plain(
            "Nothing is wrong. `layoutc transform --diff` shows what changes, `layoutc cost` what it saves.",
        ))
        .build()
}

fn plain(text: &str) -> MultiformatMessageString {
    MultiformatMessageString::builder().text(text).build()
}

fn diagnostic(findings: &Findings<'_>, codes: &[Code], found: &Diagnostic) -> Found {
    let level = match found.severity {
        Severity::Note => ResultLevel::Note,
        Severity::Warning => ResultLevel::Warning,
        Severity::Error => ResultLevel::Error,
    };
    let mut text = message(found);
    if let Some(help) = &found.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    let index = codes.iter().position(|code| *code == found.code).unwrap_or_default();
    let primary = found.primary.iter().map(|label| location(findings, label.span, None));
    let secondary = found.secondary.iter().zip(0..).map(|(label, id)| {
        let message = (!label.message.is_empty()).then_some((label.message.as_str(), id));
        location(findings, label.span, message)
    });
    let mut result = Found::builder()
        .rule_id(found.code.to_string())
        .rule_index(index as i64)
        .level(level)
        .message(Message::from(text.as_str()))
        .locations(primary.collect::<Vec<_>>())
        .build();
    let secondary: Vec<Location> = secondary.collect();
    result.related_locations = (!secondary.is_empty()).then_some(secondary);
    result
}

/// An array that changes, at the first call that allocates it.
fn array(findings: &Findings<'_>, rule: usize, class: &ClassOutcome) -> Found {
    let mut text = format!(
        "`{}` of `{}`: {} to {}",
        class.names.join("`, `"),
        class.type_name,
        layout_before(class),
        class.layout
    );
    if !class.because.is_empty() {
        text.push_str(&format!(": {}", class.because));
    }
    let place = class.allocations.iter().take(1).map(|span| location(findings, *span, None));
    // A result that is not about a failure has no level.
    Found::builder()
        .rule_id(LAYOUT)
        .rule_index(rule as i64)
        .kind(ResultKind::Informational)
        .level(ResultLevel::None)
        .message(Message::from(text.as_str()))
        .locations(place.collect::<Vec<_>>())
        .build()
}

/// A place, with what is to be seen there and a number among the places of its result.
fn location(findings: &Findings<'_>, span: Span, message: Option<(&str, i64)>) -> Location {
    let place = findings.place(span);
    let region = Region::builder()
        .start_line(place.start.line)
        .start_column(place.start.column)
        .end_line(place.end.line)
        .end_column(place.end.column)
        .build();
    let physical =
        PhysicalLocation::builder().artifact_location(file(place.path)).region(region).build();
    let mut location = Location::builder().physical_location(physical).build();
    if let Some((text, id)) = message {
        location.id = Some(id);
        location.message = Some(Message::from(text));
    }
    location
}

/// The URI of a file.
fn file(path: &Path) -> ArtifactLocation {
    let mut uri = String::new();
    for component in path.components() {
        if !(uri.is_empty() || uri.ends_with('/')) {
            uri.push('/');
        }
        match component {
            Component::Prefix(prefix) => encode(&mut uri, &prefix.as_os_str().to_string_lossy()),
            Component::RootDir if !uri.is_empty() => {}
            Component::RootDir => uri.push('/'),
            Component::CurDir => {}
            Component::ParentDir => uri.push_str(".."),
            Component::Normal(name) => encode(&mut uri, &name.to_string_lossy()),
        }
    }
    match path.is_absolute() {
        true => {
            let slash = if uri.starts_with('/') { "" } else { "/" };
            ArtifactLocation::builder().uri(format!("file://{slash}{uri}")).build()
        }
        false => ArtifactLocation::builder().uri(uri).uri_base_id(ROOT).build(),
    }
}

/// A part of a path, with what means something in a URI as the numbers of its bytes.
fn encode(uri: &mut String, part: &str) {
    for byte in part.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutc_diagnostics::{FileId, SourceFile, SourceSet};
    use serde_json::{Value, json};

    #[test]
    fn paths_are_uris() {
        let uri = |path: &str| file(Path::new(path)).uri.unwrap_or_default();
        assert_eq!(uri("./src/a b#é.cu"), "src/a%20b%23%C3%A9.cu");
        assert_eq!(uri("../c:d.h"), "../c%3Ad.h");
        #[cfg(unix)]
        assert_eq!(uri("/usr/a.h"), "file:///usr/a.h");
    }

    #[test]
    fn regions_levels_and_rules() {
        let mut sources = SourceSet::new();
        sources.add(SourceFile::new("a.cu", "é b\nc\n"));
        let span = |start, end| Span::new(FileId(0), start, end);
        let found = [
            Diagnostic::error(Code::OFFSETOF, "two").at(span(3, 6), "lines").with(span(0, 2), "é"),
            Diagnostic::warning(Code::INCOMPATIBLE_CAST, "one"),
        ];
        let value: Value =
            serde_json::from_str(&text(&Findings::errors(&sources, &found))).expect("JSON");
        let run = &value["runs"][0];
        assert_eq!(run["results"][0]["level"], "error");
        assert_eq!(run["results"][0]["ruleIndex"], 1);
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(
            place["region"],
            json!({"startLine": 1, "startColumn": 3, "endLine": 2, "endColumn": 2})
        );
        let related = &run["results"][0]["relatedLocations"][0];
        assert_eq!(related["message"]["text"], "é");
        assert_eq!(related["physicalLocation"]["region"]["endColumn"], 2);
        let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
        let ids: Vec<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
        assert_eq!(ids, ["LC0011", "LC0014"]);
        assert!(
            rules[0]["help"]["markdown"]
                .as_str()
                .is_some_and(|page| page.contains("## What to change"))
        );
        assert!(run["results"][1]["locations"].as_array().is_some_and(Vec::is_empty));
        assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    }
}
