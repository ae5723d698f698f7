//! The pages of `layoutc explain` hold: each program under `Before:` has the code of its page, and the one under
//! `After:` has no code at all and changes its array.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use layoutc_diagnostics::code::{CODES, CodeInfo};
use layoutc_tests::explanation::{Version, changes, is_compiled};
use layoutc_tests::sandbox::Sandbox;
use rayon::prelude::*;
use serde_json::Value;

/// The program of pages that show command lines alone.
const MAIN: &str = "struct Particle { float x, y, z, vx, vy, vz; };\n\n__global__ void drift(Particle *p)\n{\n    \
    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    p[i].x += p[i].vx;\n}\n\nint main()\n{\n    \
    Particle *p;\n    cudaMalloc(&p, 4096 * sizeof(Particle));\n    drift<<<16, 256>>>(p);\n    cudaFree(p);\n}\n";

/// Codes that are said although the array changes.
const SAID_OF_ARRAYS_THAT_CHANGE: &[(&str, &str)] = &[
    ("LC0037", "the host's array is the one that keeps its layout"),
    ("LC0060", "the pragma is ignored, and the grid is found without it"),
    ("LC0061", "the pragma is ignored, and the grid is found without it"),
    ("LC0068", "what is assumed is noted, and the grid changes"),
];

/// Codes that only other commands have.
const OF_OTHER_COMMANDS: &[(&str, &str)] = &[
    ("LC0088", "the tests of `layoutc launch` have it"),
    ("LC0089", "the tests of `--types-from` have it"),
    ("LC0090", "a test of the formats of `layoutc verify` has it"),
];

/// What a version of a program is answered.
struct Answer {
    /// The codes of all messages and of all reasons.
    codes: BTreeSet<String>,
    /// By class of arrays: whether it changes, and the codes of its reasons.
    classes: Vec<(bool, Vec<String>)>,
    /// All that the commands wrote to standard error.
    stderr: String,
    /// Whether each command was accepted.
    accepted: bool,
}

impl Answer {
    fn changes_something(&self) -> bool {
        self.classes.iter().any(|(changes, _)| *changes)
    }
}

fn run(version: &Version) -> Result<Answer> {
    let sandbox = Sandbox::new()?;
    for (name, text) in &version.files {
        sandbox.write(name, text)?;
    }
    if version.files.is_empty() {
        sandbox.write("main.cu", MAIN)?;
    }
    let mut commands = version.commands.clone();
    if commands.is_empty() {
        let mut named: Vec<&str> = version.files.keys().map(String::as_str).collect();
        named.retain(|name| is_compiled(name) || name.ends_with(".cl"));
        commands.push(format!("layoutc transform {} --out-dir out", named.join(" ")));
    }
    let mut answer = Answer {
        codes: BTreeSet::new(),
        classes: Vec::new(),
        stderr: String::new(),
        accepted: true,
    };
    for command in commands {
        answer.take(&sandbox, &command).with_context(|| format!("$ {command}"))?;
    }
    for line in &version.printed {
        ensure!(answer.stderr.contains(line), "does not print `{line}`\n{}", answer.stderr);
    }
    Ok(answer)
}

impl Answer {
    /// Runs one command line, and takes over what it answers.
    fn take(&mut self, sandbox: &Sandbox, command: &str) -> Result<()> {
        let words = shlex::split(command).context("quotes do not match")?;
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        if words.is_empty() || words.remove(0) != "layoutc" {
            let status =
                Command::new("sh").args(["-c", command]).current_dir(sandbox.path()).status()?;
            ensure!(status.success(), "{status}");
            return Ok(());
        }
        let transforms = words.first() == Some(&"transform");
        if transforms {
            words.extend(["--report", "report.json"]);
        }
        self.classes.clear();
        let outcome = sandbox.layoutc(&words)?;
        self.accepted &= outcome.succeeded();
        self.codes.extend(printed_codes(&outcome.stderr));
        self.stderr.push_str(&outcome.stderr);
        if !transforms || !outcome.succeeded() {
            return Ok(());
        }
        let report: Value = serde_json::from_slice(&sandbox.read("report.json")?)?;
        self.codes.extend(codes(&report["diagnostics"]));
        for class in report["classes"].as_array().into_iter().flatten() {
            let reasons: Vec<String> = codes(&class["reasons"]).collect();
            self.codes.extend(reasons.iter().cloned());
            self.classes.push((class["status"] == "changed", reasons));
        }
        Ok(())
    }
}

/// The codes in a list of messages or reasons.
fn codes(list: &Value) -> impl Iterator<Item = String> {
    let codes = list.as_array().into_iter().flatten();
    codes.filter_map(|entry| entry["code"].as_str().map(str::to_owned))
}

/// The codes of messages on standard error; a run that ends with an error writes no report.
fn printed_codes(stderr: &str) -> impl Iterator<Item = String> {
    stderr.lines().filter_map(|line| {
        let (head, _) = line.split_once("]: ")?;
        let (severity, code) = head.split_once('[')?;
        matches!(severity, "error" | "warning" | "note").then(|| code.to_owned())
    })
}

/// What is wrong with a page.
fn check(info: &CodeInfo) -> Result<()> {
    let code = info.code.to_string();
    let page = info.explanation;
    let title = format!("# {code} {}\n\n", info.name);
    let text = page.strip_prefix(&title).context("the title is another one")?;
    let (found, rest) =
        text.split_once("\n\n## What to change\n\n").context("no `What to change`")?;
    ensure!(!found.contains("\n\n"), "what was found is said in one paragraph");
    let is_known = |line: &str| matches!(line, "## What may stay" | "## Background");
    let mut sections =
        rest.lines().filter(|line| line.starts_with("# ") || line.starts_with("## "));
    ensure!(sections.all(is_known), "a section has another name");
    let long = page.lines().find(|line| line.chars().count() > 80);
    ensure!(long.is_none(), "longer than 80 columns: {long:?}");
    let changes = changes(page)?;
    ensure!(!changes.is_empty(), "no `Before:` and `After:`");
    if OF_OTHER_COMMANDS.iter().any(|(other, _)| *other == code) {
        return Ok(());
    }
    let changes_anyway = SAID_OF_ARRAYS_THAT_CHANGE.iter().any(|(said, _)| *said == code);
    for change in changes {
        let before = run(&change.before).context("before")?;
        ensure!(before.codes.contains(&code), "before: no {code}\n{}", before.stderr);
        // Whoever follows the message must find this page.
        let first = printed_codes(&before.stderr).next();
        let leads_here = first.as_ref().is_none_or(|first| *first == code);
        ensure!(leads_here, "before: the first message is {first:?}\n{}", before.stderr);
        let changes_before = before.changes_something();
        ensure!(changes_before == changes_anyway, "before: changes is {changes_before}");
        let after = run(&change.after).context("after")?;
        ensure!(after.accepted, "after: refused\n{}", after.stderr);
        // What gains nothing is in the report alone.
        let said = after.codes.iter().find(|said| **said != "LC0053" || **said == code);
        ensure!(said.is_none(), "after: {said:?}\n{}", after.stderr);
        ensure!(after.changes_something(), "after: nothing changes\n{}", after.stderr);
    }
    Ok(())
}

#[test]
fn each_page_has_a_program_with_its_code_and_one_without_it() {
    let failures: Vec<String> = CODES
        .par_iter()
        .filter_map(|info| check(info).err().map(|error| format!("{}: {error:#}", info.code)))
        .collect();
    let mut text = String::new();
    for failure in &failures {
        let _ = writeln!(text, "{failure}");
    }
    assert!(failures.is_empty(), "{text}");
}
