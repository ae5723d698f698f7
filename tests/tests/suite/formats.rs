//! `--format`: what goes to which stream, and in which form; the exit codes of `--check`.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

use anyhow::{Context, Result, anyhow, ensure};
use layoutc_tests::process::Outcome;
use layoutc_tests::sandbox::{PLAIN, Sandbox, many_launches, refused};
use layoutc_tests::schema::{self, Schema};
use serde_json::{Value, json};

/// A program in which the layout of least cost changes an array.
static PARTICLES: LazyLock<String> = LazyLock::new(many_launches);

/// The forms that take standard output.
const OUTPUTS: [&str; 4] = ["json", "sarif", "github", "markdown"];

/// A program with an array that changes and one that stays.
fn mixed() -> String {
    let changes =
        PARTICLES.replace("Particle", "Atom").replace("drift", "move").replace("main", "other");
    format!("{}\n{changes}", refused())
}

/// The schema of SARIF 2.1.0.
fn schema() -> Result<&'static Schema> {
    static SCHEMA: OnceLock<Result<Schema, String>> = OnceLock::new();
    let schema = SCHEMA.get_or_init(|| schema::sarif().map_err(|error| format!("{error:#}")));
    schema.as_ref().map_err(|error| anyhow!("{error}"))
}

/// A log that keeps the schema.
fn sarif(outcome: &Outcome) -> Result<Value> {
    let log: Value = serde_json::from_str(&outcome.stdout)
        .with_context(|| format!("{}\n{}", outcome.stdout, outcome.stderr))?;
    let errors = schema()?.errors(&log);
    ensure!(errors.is_empty(), "{errors:?}\n{log:#}");
    Ok(log)
}

fn results(log: &Value) -> Result<&Vec<Value>> {
    log["runs"][0]["results"].as_array().context("a list of results")
}

fn formatted<'a>(command: &[&'a str], format: &'a str) -> Vec<&'a str> {
    [command, &["--format", format]].concat()
}

#[test]
fn text_is_the_default() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", refused())])?;
    let plain = sandbox.layoutc(&["transform", "in.cu", "--check"])?;
    let named = sandbox.layoutc(&["transform", "in.cu", "--check", "--format", "text"])?;
    ensure!(plain.stderr == named.stderr && plain.stdout.is_empty() && named.stdout.is_empty());
    ensure!(named.stderr.contains("┌─ in.cu:"), "{}", named.stderr);
    Ok(())
}

#[test]
fn short_is_a_line_for_each_diagnostic() -> Result<()> {
    let text = refused();
    let sandbox = Sandbox::with(&[("in.cu", &text)])?;
    let outcome = sandbox.layoutc(&["transform", "in.cu", "--check", "--format", "short"])?;
    let at = text.lines().position(|line| line.contains("(float *)d")).context("the cast")? + 1;
    let column =
        text.lines().nth(at - 1).and_then(|line| line.find("(float *)d")).context("it")? + 1;
    let start = format!("in.cu:{at}:{column}: warning[LC0011]: ");
    ensure!(outcome.stderr.lines().any(|line| line.starts_with(&start)), "{}", outcome.stderr);
    ensure!(outcome.stdout.is_empty() && !outcome.stderr.contains('│'), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn json_is_the_report() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", mixed())])?;
    let command = ["transform", "in.cu", "--check", "--report", "report.json"];
    let outcome = sandbox.layoutc(&formatted(&command, "json"))?;
    ensure!(outcome.stdout == sandbox.text("report.json")?);
    let report: Value = serde_json::from_str(&outcome.stdout)?;
    ensure!(report["classes"].as_array().is_some_and(|classes| classes.len() == 2), "{report:#}");
    ensure!(!outcome.stderr.contains("warning["), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn sarif_keeps_the_schema_and_points_at_the_text() -> Result<()> {
    let text = mixed();
    let sandbox = Sandbox::with(&[("src/a b/é.cu", &text)])?;
    let outcome =
        sandbox.layoutc(&["transform", "src/a b/é.cu", "--check", "--format", "sarif"])?;
    let log = sarif(&outcome)?;
    ensure!(!outcome.stderr.contains("warning["), "{}", outcome.stderr);
    let found = results(&log)?;
    let cast = found.iter().find(|result| result["ruleId"] == "LC0011").context("LC0011")?;
    ensure!(cast["level"] == "warning", "{cast:#}");
    let place = &cast["locations"][0]["physicalLocation"];
    ensure!(place["artifactLocation"]["uri"] == "src/a%20b/%C3%A9.cu", "{place:#}");
    let region = &place["region"];
    let number = |name: &str| region[name].as_u64().map(|n| n as usize - 1).context("a number");
    let line = text.lines().nth(number("startLine")?).context("a line")?;
    ensure!(region["startLine"] == region["endLine"]);
    ensure!(&line[number("startColumn")?..number("endColumn")?] == "(float *)d", "{region:#}");
    let related = cast["relatedLocations"].as_array().context("the flow")?;
    ensure!(related.iter().all(|place| place["message"]["text"].is_string()), "{related:#?}");
    let array = found.iter().find(|result| result["ruleId"] == "layout").context("an array")?;
    ensure!(array["kind"] == "informational" && array["level"] == "none", "{array:#}");
    ensure!(
        array["message"]["text"].as_str().is_some_and(|text| text.contains("Atom")),
        "{array:#}"
    );
    // A rule's help is its page.
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().context("rules")?;
    for result in found {
        let rule = &rules[result["ruleIndex"].as_u64().context("an index")? as usize];
        ensure!(rule["id"] == result["ruleId"], "{result:#}");
    }
    let page = sandbox.accepted(&["explain", "LC0011"])?.stdout;
    let rule = rules.iter().find(|rule| rule["id"] == "LC0011").context("the rule")?;
    ensure!(rule["help"]["markdown"] == page.as_str() && rule["help"]["text"] == page.as_str());
    Ok(())
}

#[test]
fn the_schema_refuses_other_logs() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", refused())])?;
    let outcome = sandbox.layoutc(&["transform", "in.cu", "--check", "--format", "sarif"])?;
    let log = sarif(&outcome)?;
    let region = "/runs/0/results/0/locations/0/physicalLocation/region";
    let uri = "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri";
    let broken: [(&str, Value, &str); 7] = [
        ("/runs/0/results/0/message", Value::Null, "/message: null does not have the type"),
        ("/runs/0/results/0/message", json!({"text": "x", "txt": "x"}), "/message/txt: not known"),
        ("/runs/0/results/0/message", json!({}), "/message: 0 of anyOf fit"),
        ("/runs/0/results/0/level", "fatal".into(), "/level: \"fatal\" does not have the enum"),
        (region, json!({"startLine": 0}), "/startLine: 0 does not have the minimum"),
        (uri, "a b.cu".into(), "/uri: \"a b.cu\" does not have the format"),
        ("/runs/0/tool", json!({}), "/tool: {} does not have the required"),
    ];
    for (place, value, expected) in broken {
        let mut broken = log.clone();
        *broken.pointer_mut(place).with_context(|| place.to_owned())? = value;
        let errors = schema()?.errors(&broken);
        ensure!(errors.iter().any(|error| error.contains(expected)), "{expected}: {errors:?}");
    }
    Ok(())
}

#[test]
fn github_commands_are_escaped() -> Result<()> {
    let sandbox = Sandbox::with(&[("a,b%.cu", mixed())])?;
    let outcome = sandbox.layoutc(&["transform", "a,b%.cu", "--check", "--format", "github"])?;
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    ensure!(lines.iter().all(|line| line.starts_with("::")), "{}", outcome.stdout);
    let start = "::warning file=a%2Cb%25.cu,line=";
    let warning = lines.iter().find(|line| line.starts_with(start)).context("a warning")?;
    ensure!(warning.contains(",title=LC0011::") && warning.contains("%0A"), "{warning}");
    let notice = lines.iter().find(|line| line.starts_with("::notice ")).context("a notice")?;
    ensure!(notice.contains("title=layout of Atom::"), "{notice}");
    Ok(())
}

#[test]
fn markdown_has_a_table_and_a_list() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", mixed())])?;
    let outcome = sandbox.layoutc(&["transform", "in.cu", "--check", "--format", "markdown"])?;
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    ensure!(lines[0] == "### layoutc: 1 of 2 arrays change", "{}", outcome.stdout);
    let rows: Vec<&&str> = lines.iter().filter(|line| line.starts_with("| `")).collect();
    let row = |name: &str| rows.iter().find(|row| row.contains(name)).context(name.to_owned());
    ensure!(row("`Particle`")?.contains("| `aos` | stays | LC0011 at `in.cu:"), "{rows:?}");
    ensure!(row("`Atom`")?.contains("| `aos` | `"), "{rows:?}");
    // Four cells, and no other bar.
    ensure!(rows.iter().all(|row| row.replace("\\|", "").matches('|').count() == 5), "{rows:?}");
    let items = lines.iter().filter(|line| line.starts_with("- **warning LC0011** `in.cu:"));
    ensure!(items.count() == 1, "{}", outcome.stdout);
    Ok(())
}

#[test]
fn a_diff_and_a_format_do_not_share_standard_output() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES.as_str())])?;
    for format in OUTPUTS {
        let outcome = sandbox.layoutc(&formatted(&["transform", "in.cu", "--diff"], format))?;
        ensure!(outcome.code() == Some(2) && outcome.stdout.is_empty(), "{}", outcome.stdout);
        let advice = format!("use `--check --format {format}`");
        ensure!(outcome.stderr.contains(&advice), "{}", outcome.stderr);
    }
    let short = sandbox.accepted(&["transform", "in.cu", "--diff", "--format", "short"])?;
    ensure!(short.stdout.starts_with("--- a/in.cu"), "{}", short.stdout);
    Ok(())
}

#[test]
fn outputs_are_written_beside_a_format() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES.as_str())])?;
    let outcome = sandbox.accepted(&["transform", "in.cu", "-o", "out.cu", "--format", "sarif"])?;
    sarif(&outcome)?;
    ensure!(sandbox.text("out.cu")? != *PARTICLES);
    Ok(())
}

/// Every command, for a program and for a text that is none.
#[test]
fn standard_output_has_nothing_else() -> Result<()> {
    let sandbox = Sandbox::with(&[
        ("in.cu", mixed().as_str()),
        ("run.cu", PARTICLES.as_str()),
        ("bad.cu", "#include \"gone.h\"\nint main() { return 0; }\n"),
    ])?;
    let commands: [&[&str]; 5] = [
        &["transform", "--check"],
        &["verify", "--no-nvcc"],
        &["analyze"],
        &["cost"],
        &["profile", "-o", "p.profile"],
    ];
    for command in commands {
        for (file, is_program) in [("in.cu", true), ("bad.cu", false)] {
            // These run the program.
            let is_run = matches!(command[0], "verify" | "profile");
            let file = if is_run && is_program { "run.cu" } else { file };
            for format in OUTPUTS {
                // One form shows where the program's own output goes.
                if is_run && is_program && format != "sarif" && format != "json" {
                    continue;
                }
                let arguments = formatted(&[command, &[file]].concat(), format);
                let outcome = sandbox.layoutc(&arguments)?;
                let shown = || format!("{arguments:?}\n{}\n{}", outcome.stdout, outcome.stderr);
                let log = match format {
                    "sarif" => sarif(&outcome).with_context(shown)?,
                    "json" => serde_json::from_str(&outcome.stdout).with_context(shown)?,
                    "github" => {
                        ensure!(outcome.stdout.lines().all(|line| line.starts_with("::")), shown());
                        Value::Null
                    }
                    _ => {
                        ensure!(outcome.stdout.starts_with("### layoutc: "), shown());
                        Value::Null
                    }
                };
                if !is_program {
                    ensure!(matches!(outcome.code(), Some(1 | 2)), shown());
                    ensure!(outcome.stdout.contains("LC0004"), shown());
                    // A pipeline that keeps standard output in a file has its log.
                    ensure!(outcome.stderr.contains("error[LC0004]"), shown());
                    if format == "sarif" {
                        let run = &log["runs"][0];
                        ensure!(run["invocations"][0]["executionSuccessful"] == false, shown());
                        ensure!(results(&log)?[0]["level"] == "error", shown());
                    }
                }
                if format == "json" && command[0] == "verify" && is_program {
                    ensure!(log["verify"]["verdict"] == "same", shown());
                    ensure!(log["verify"]["launches"].as_u64().is_some_and(|n| n > 0), shown());
                }
            }
        }
    }
    Ok(())
}

#[test]
fn a_difference_is_a_result() -> Result<()> {
    // What the two runs print depends on a file that each run makes longer.
    let text = PARTICLES.replace(
        "  printf(\"%.3f\\n\", sum);",
        "  FILE *f = fopen(getenv(\"RUNS\"), \"a\");\n  fputc('x', f);\n  printf(\"%ld\\n\", ftell(f));\n  fclose(f);",
    );
    let sandbox = Sandbox::with(&[("in.cu", text.as_str()), ("empty", "")])?;
    let runs = sandbox.path().join("runs");
    let program = layoutc_tests::layoutc::Layoutc::built()?.program().to_path_buf();
    let run = |format: &str| -> Result<Outcome> {
        let mut command = Command::new(&program);
        command.current_dir(sandbox.path()).env("RUNS", &runs).args([
            "verify",
            "in.cu",
            "--no-nvcc",
            "--layout",
            "Particle = soa",
            "--format",
            format,
        ]);
        layoutc_tests::process::run_limited(&mut command, layoutc_tests::layoutc::VERIFY_LIMIT)
    };
    let outcome = run("sarif")?;
    ensure!(outcome.code() == Some(1), "{}\n{}", outcome.ending(), outcome.stderr);
    let log = sarif(&outcome)?;
    let found = results(&log)?.iter().find(|own| own["ruleId"] == "LC0090").context("LC0090")?;
    ensure!(found["level"] == "error", "{found:#}");
    Ok(())
}

#[test]
fn json_of_costs_and_grids_has_two_names() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES.as_str())])?;
    for command in ["cost", "analyze"] {
        let long = sandbox.accepted(&[command, "in.cu", "--format", "json"])?.stdout;
        ensure!(long == sandbox.accepted(&[command, "in.cu", "--json"])?.stdout);
        let own: Value = serde_json::from_str(&long)?;
        ensure!(own["device"] == "h100", "{own:#}");
        let both = sandbox.layoutc(&[command, "in.cu", "--json", "--format", "sarif"])?;
        ensure!(both.code() == Some(2) && both.stdout.is_empty(), "{}", both.stdout);
    }
    let table = sandbox.accepted(&["cost", "in.cu", "--format", "markdown"])?.stdout;
    ensure!(table.contains("```text\nParticle (24 bytes"), "{table}");
    Ok(())
}

#[test]
fn check_tells_its_answers_apart() -> Result<()> {
    let soa = ["--layout", "Particle = soa"];
    let sandbox = Sandbox::with(&[
        ("changes.cu", PARTICLES.as_str()),
        ("plain.cu", PLAIN),
        ("refused.cu", refused().as_str()),
        ("mixed.cu", mixed().as_str()),
        ("bad.cu", "#include \"gone.h\"\n"),
    ])?;
    sandbox.accepted(&[&["transform", "changes.cu", "-o", "done.cu"][..], &soa].concat())?;
    let code = |arguments: &[&str]| -> Result<i32> {
        let outcome = sandbox.layoutc(&[&["transform", "--check"][..], arguments].concat())?;
        outcome.code().context("an exit code")
    };
    let expected: [(i32, &[&str]); 10] = [
        (0, &["plain.cu"]),
        (0, &["done.cu"]),
        (0, &["changes.cu", "--keep", "Particle"]),
        (1, &["changes.cu"]),
        (1, &["mixed.cu"]),
        (2, &["bad.cu"]),
        (2, &["changes.cu", "--layout", "Particle = zigzag"]),
        (3, &["refused.cu", "--require", "Particle"]),
        (3, &["mixed.cu", "--require", "Particle"]),
        (4, &["refused.cu"]),
    ];
    for (wanted, arguments) in expected {
        let found = code(arguments)?;
        ensure!(found == wanted, "{arguments:?}: {found}, not {wanted}");
    }
    // Without --check the codes are those that they were.
    let written = sandbox.layoutc(&["transform", "refused.cu", "--diff"])?;
    ensure!(written.code() == Some(0), "{}", written.ending());
    let required = ["transform", "refused.cu", "--diff", "--require", "Particle"];
    ensure!(sandbox.layoutc(&required)?.code() == Some(1));
    // Each is in the help.
    let help = sandbox.accepted(&["transform", "--help"])?.stdout;
    let codes: BTreeSet<i32> = expected.iter().map(|(code, _)| *code).collect();
    for code in codes {
        ensure!(
            help.lines().any(|line| line.starts_with(&format!("  {code}  "))),
            "{code}\n{help}"
        );
    }
    Ok(())
}

#[test]
fn quiet_verbose_and_colour() -> Result<()> {
    let sandbox =
        Sandbox::with(&[("in.cu", mixed()), ("bad.cu", "#include \"gone.h\"\n".to_owned())])?;
    let check = |options: &[&str]| {
        sandbox.layoutc(&[&["transform", "in.cu", "--check"][..], options].concat())
    };
    let quiet = check(&["-q"])?;
    ensure!(quiet.code() == Some(1) && quiet.stderr.is_empty(), "{}", quiet.stderr);
    ensure!(check(&["-q", "--format", "short"])?.stderr.is_empty());
    let bad = sandbox.layoutc(&["transform", "bad.cu", "--check", "-q"])?;
    ensure!(bad.stderr.contains("error[LC0004]"), "{}", bad.stderr);
    let verbose = check(&["-v"])?.stderr;
    ensure!(
        verbose.contains("kept: Particle (") && verbose.contains("\n  LC0011 at in.cu:"),
        "{verbose}"
    );
    let both = check(&["-q", "-v"])?;
    ensure!(both.code() == Some(2), "{}", both.stderr);
    // Tests set NO_COLOR, and there is no terminal.
    ensure!(check(&["--color", "always"])?.stderr.contains("\u{1b}["));
    for options in [&["--color", "never"][..], &["--color", "auto"], &[]] {
        ensure!(!check(options)?.stderr.contains('\u{1b}'), "{options:?}");
    }
    Ok(())
}
