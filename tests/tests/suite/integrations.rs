//! The GitHub Action and the hooks of pre-commit, as far as they can be tested without the services: they are YAML, and
//! the commands in them do what they say.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::repository_root;
use layoutc_tests::sandbox::{PARTICLES, Sandbox, many_launches, refused};
use serde_json::Value;

const ACTION: &str = "integrations/github/action.yml";
const HOOKS: &str = ".pre-commit-hooks.yaml";

fn yaml(path: &str) -> Result<Value> {
    let text = fs::read_to_string(repository_root().join(path)).with_context(|| path.to_owned())?;
    serde_saphyr::from_str(&text).with_context(|| path.to_owned())
}

/// bash with the built `layoutc` on its path.
fn bash(sandbox: &Sandbox, script: &str, variables: &[(&str, String)]) -> Result<Outcome> {
    let layoutc = Layoutc::built()?;
    let folder = layoutc.program().parent().context("a folder")?.display().to_string();
    let path = env::var("PATH").unwrap_or_default();
    let own = sandbox.path().join("bin").display().to_string();
    let mut command = Command::new("bash");
    command.current_dir(sandbox.path()).args(["-e", "-o", "pipefail", "-c", script]);
    command.env("PATH", format!("{own}:{folder}:{path}"));
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    run_limited(&mut command, VERIFY_LIMIT)
}

/// The action as a runner carries it out.
struct Runner<'a> {
    sandbox: &'a Sandbox,
    inputs: BTreeMap<&'a str, &'a str>,
}

impl Runner<'_> {
    /// What an expression means; `outputs` are those of the steps so far.
    fn value(&self, text: &str, action: &Value, outputs: &str) -> Result<String> {
        let Some(inner) = text.strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}")) else {
            ensure!(!text.contains("${{"), "an expression is a part of a text: {text}");
            return Ok(text.to_owned());
        };
        let inner = inner.trim();
        if let Some(name) = inner.strip_prefix("inputs.") {
            let input = &action["inputs"][name];
            ensure!(input.is_object(), "there is no input {name}");
            let given = self.inputs.get(name).copied();
            return Ok(given.or(input["default"].as_str()).context("a text")?.to_owned());
        }
        if let Some((_, name)) =
            inner.strip_prefix("steps.").and_then(|rest| rest.split_once(".outputs."))
        {
            let key = format!("{name}=");
            let found = outputs.lines().rev().find_map(|line| line.strip_prefix(&key));
            return Ok(found.unwrap_or_default().to_owned());
        }
        ensure!(inner.starts_with("github."), "{inner}");
        Ok("7".to_owned())
    }

    /// Runs the steps until one fails: its number of the exit code, what all printed, and the outputs.
    fn run(&self) -> Result<(i32, String, String)> {
        let action = yaml(ACTION)?;
        ensure!(action["runs"]["using"] == "composite");
        let file = |name: &str| self.sandbox.path().join(name).display().to_string();
        for name in ["outputs", "summary"] {
            fs::write(self.sandbox.path().join(name), "")?;
        }
        let mut printed = String::new();
        for step in action["runs"]["steps"].as_array().context("steps")? {
            ensure!(step["shell"] == "bash", "{step:#}");
            let outputs = self.sandbox.text("outputs")?;
            if step["id"] == "comment" && self.inputs.get("comment") != Some(&"true") {
                continue;
            }
            let mut variables = vec![
                ("GITHUB_OUTPUT", file("outputs")),
                ("GITHUB_STEP_SUMMARY", file("summary")),
                ("RUNNER_TEMP", self.sandbox.path().display().to_string()),
            ];
            for (name, text) in step["env"].as_object().context("variables")? {
                let text = text.as_str().context("a text")?;
                variables.push((name, self.value(text, &action, &outputs)?));
            }
            let script = step["run"].as_str().context("a script")?;
            // What comes from outside reaches a script by variables only.
            ensure!(!script.contains("${{"), "{script}");
            let outcome = bash(self.sandbox, script, &variables)?;
            printed.push_str(&outcome.stdout);
            let code = outcome.code().context("an exit code")?;
            if code != 0 {
                return Ok((code, printed, self.sandbox.text("outputs")?));
            }
        }
        Ok((0, printed, self.sandbox.text("outputs")?))
    }
}

fn run(
    sandbox: &Sandbox,
    inputs: &[(&'static str, &'static str)],
) -> Result<(i32, String, String)> {
    Runner { sandbox, inputs: inputs.iter().copied().collect() }.run()
}

#[test]
fn the_action_annotates_and_reviews() -> Result<()> {
    let sandbox = Sandbox::with(&[("a b.cu", refused())])?;
    let (code, printed, outputs) = run(&sandbox, &[("arguments", "'a b.cu' -I include")])?;
    ensure!(code == 0, "{printed}");
    ensure!(printed.contains("::warning file=a b.cu,line="), "{printed}");
    ensure!(outputs.contains("exit-code=4\n") && outputs.contains("review="), "{outputs}");
    ensure!(sandbox.text("summary")?.starts_with("## Data layout: 0 of 1 array would change"));
    Ok(())
}

#[test]
fn the_action_writes_sarif_and_fails_where_that_is_asked_for() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", refused()), ("changes.cu", many_launches())])?;
    let inputs = [("arguments", "in.cu"), ("format", "sarif"), ("fail-on", "2 3 4")];
    let (code, printed, outputs) = run(&sandbox, &inputs)?;
    ensure!(code == 1 && printed.contains("::error title=layoutc::"), "{code} {printed}");
    ensure!(outputs.contains("sarif=layoutc.sarif\n"), "{outputs}");
    let log: Value = serde_json::from_str(&sandbox.text("layoutc.sarif")?)?;
    ensure!(log["version"] == "2.1.0");
    let (code, printed, outputs) = run(&sandbox, &[("arguments", "changes.cu")])?;
    ensure!(code == 0 && outputs.contains("exit-code=1\n"), "{printed}\n{outputs}");
    let (code, _, outputs) = run(&sandbox, &[("arguments", "gone.cu")])?;
    ensure!(code == 1 && outputs.contains("exit-code=2\n"), "{outputs}");
    let (code, printed, _) = run(&sandbox, &[("arguments", "in.cu"), ("format", "xml")])?;
    ensure!(code == 2, "{printed}");
    Ok(())
}

#[test]
fn the_action_reads_the_project_file_and_comments() -> Result<()> {
    let sandbox = Sandbox::with(&[
        ("layoutc.toml", "files = [\"in.cu\"]\nlayout = [\"Particle = soa\"]\n"),
        ("in.cu", PARTICLES),
        ("bin/gh", "#!/bin/sh\necho \"gh $*\"\n"),
    ])?;
    let gh = sandbox.path().join("bin/gh");
    fs::set_permissions(&gh, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let inputs = [("comment", "true"), ("review-arguments", "--verify --no-nvcc -- 1")];
    let (code, printed, _) = run(&sandbox, &inputs)?;
    ensure!(code == 0, "{printed}");
    ensure!(printed.contains("gh pr comment 7 --body-file "), "{printed}");
    ensure!(sandbox.text("summary")?.contains("### Run before and after: identical"));
    Ok(())
}

#[test]
fn hooks_answer_by_their_exit_code() -> Result<()> {
    let hooks = yaml(HOOKS)?;
    let hooks = hooks.as_array().context("a list")?;
    let run = |sandbox: &Sandbox, id: &str, arguments: &str| -> Result<i32> {
        let hook = hooks.iter().find(|hook| hook["id"] == id).with_context(|| id.to_owned())?;
        ensure!(hook["language"] == "system" && hook["pass_filenames"] == false, "{hook:#}");
        let entry = hook["entry"].as_str().context("an entry")?;
        let outcome = bash(sandbox, &format!("{entry} {arguments}"), &[])?;
        outcome.code().with_context(|| outcome.ending())
    };
    ensure!(hooks.len() == 2);
    let sandbox = Sandbox::with(&[
        ("layoutc.toml", "files = [\"in.cu\"]\nlayout = [\"Particle = soa\"]\n"),
        ("in.cu", PARTICLES),
        ("refused.cu", refused().as_str()),
    ])?;
    sandbox.accepted(&["transform", "in.cu", "-o", "done.cu", "--layout", "Particle = soa"])?;
    let expected = [
        ("layoutc-up-to-date", "", 1),
        ("layoutc-up-to-date", "done.cu", 0),
        ("layoutc-required", "", 0),
        ("layoutc-required", "refused.cu", 0),
        ("layoutc-required", "refused.cu --require Particle", 1),
        ("layoutc-required", "gone.cu", 1),
    ];
    for (id, arguments, code) in expected {
        let found = run(&sandbox, id, arguments)?;
        ensure!(found == code, "{id} {arguments}: {found}, not {code}");
    }
    Ok(())
}
