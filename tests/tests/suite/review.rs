//! `layoutc review`: the Markdown, and the comparison with a revision of git.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::TRANSFORM_LIMIT;
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::sandbox::{PARTICLES, PLAIN, Sandbox, many_launches, refused};

/// Runs git in a sandbox, whatever the user has configured.
fn git(sandbox: &Sandbox, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .current_dir(sandbox.path())
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"])
        .args(["-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null"])
        .args(arguments)
        .output()
        .context("git")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "git {arguments:?}: {said}");
    Ok(String::from_utf8(output.stdout)?)
}

/// A repository whose branch `main` has these files, and whose work tree has them too.
fn repository(files: &[(&str, &str)]) -> Result<Sandbox> {
    let sandbox = Sandbox::with(files)?;
    git(&sandbox, &["init", "-q"])?;
    git(&sandbox, &["add", "."])?;
    git(&sandbox, &["commit", "-q", "-m", "first"])?;
    Ok(sandbox)
}

/// The review, of which nothing is written and git sees nothing.
fn review(sandbox: &Sandbox, arguments: &[&str]) -> Result<String> {
    let before = git(sandbox, &["status", "--porcelain"])?;
    let outcome = sandbox.accepted(&[&["review"], arguments].concat())?;
    ensure!(git(sandbox, &["status", "--porcelain"])? == before, "the repository changed");
    ensure!(git(sandbox, &["worktree", "list"])?.lines().count() == 1);
    Ok(outcome.stdout)
}

/// The section below a heading.
fn section<'a>(text: &'a str, heading: &str) -> Result<&'a str> {
    let start = format!("\n### {heading}");
    let (_, rest) = text.split_once(&start).with_context(|| format!("no `{heading}`\n{text}"))?;
    let end = rest.find("\n### ").or_else(|| rest.find("\n<details>")).unwrap_or(rest.len());
    Ok(&rest[..end])
}

fn fails(sandbox: &Sandbox, arguments: &[&str], said: &str) -> Result<Outcome> {
    let outcome = sandbox.layoutc(&[&["review"], arguments].concat())?;
    let shown =
        format!("{arguments:?}: {}\n{}\n{}", outcome.ending(), outcome.stdout, outcome.stderr);
    ensure!(outcome.code() == Some(2) && outcome.stdout.is_empty(), "{shown}");
    ensure!(outcome.stderr.contains(said), "no `{said}`\n{shown}");
    Ok(outcome)
}

#[test]
fn a_review_says_what_changes_and_what_it_saves() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let text = sandbox.accepted(&["review", "in.cu", "--layout", "Particle = soa"])?.stdout;
    ensure!(text.starts_with("## Data layout: 1 of 1 array would change\n"), "{text}");
    let arrays = section(&text, "Arrays")?;
    ensure!(arrays.contains("of `Particle` | `aos` | `soa` |"), "{arrays}");
    let costs = section(&text, "Predicted cost of kernels")?;
    let row = costs.lines().find(|line| line.starts_with("| `drift` | `Particle` |"));
    let cells: Vec<&str> = row.context("no row")?.split('|').map(str::trim).collect();
    let number = |at: usize| cells[at].parse::<f64>().with_context(|| cells.join("|"));
    ensure!(number(4)? < number(3)? && number(5)? < 1.0, "{costs}");
    let memory = section(&text, "The first elements in memory")?;
    ensure!(memory.contains("| x0 | y0 | z0 | vx0 | vy0 | vz0 | x1 |"), "{memory}");
    ensure!(memory.contains("| x0 | x1 | x2 |"), "{memory}");
    // The diff is what `transform` prints.
    let diff = sandbox.accepted(&["transform", "in.cu", "--diff", "--layout", "Particle = soa"])?;
    let fenced = format!("</summary>\n\n```diff\n{}```\n\n</details>\n", diff.stdout);
    ensure!(text.ends_with(&fenced), "{text}");
    Ok(())
}

#[test]
fn costs_are_those_of_the_cost_command() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let layout = ["--layout", "Particle = tiled(32)"];
    let text = sandbox.accepted(&[&["review", "in.cu"][..], &layout].concat())?.stdout;
    let json = sandbox.accepted(&[&["cost", "in.cu", "--json"][..], &layout].concat())?.stdout;
    let costs: serde_json::Value = serde_json::from_str(&json)?;
    let layouts = &costs["tables"][0]["layouts"];
    let ratio = layouts[1]["ratio"].as_f64().context("a ratio")?;
    let sectors = |at: usize| {
        let traffic = &layouts[at]["kernels"][0]["traffic"];
        traffic["requested"].as_f64().map(|sectors| format!("{sectors:.0}")).context("sectors")
    };
    let row = format!("| `drift` | `Particle` | {} | {} | {ratio:.2} |", sectors(0)?, sectors(1)?);
    ensure!(text.contains(&row), "no {row}\n{text}");
    Ok(())
}

#[test]
fn what_stays_is_told_with_the_flow() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", refused())])?;
    let text = sandbox.accepted(&["review", "in.cu"])?.stdout;
    ensure!(text.starts_with("## Data layout: 0 of 1 array would change\n"), "{text}");
    let kept = section(&text, "What stays, and why")?;
    ensure!(kept.contains("\n  - LC0011 at `in.cu:"), "{kept}");
    ensure!(!text.contains("<details>"), "{text}");
    let plain = Sandbox::with(&[("plain.cu", PLAIN)])?;
    let text = plain.accepted(&["review", "plain.cu"])?.stdout;
    ensure!(text.contains("no array of structs"), "{text}");
    Ok(())
}

#[test]
fn an_array_that_stays_because_of_the_change() -> Result<()> {
    let sandbox = repository(&[("src/in.cu", &many_launches())])?;
    let arguments = ["src/in.cu", "--base", "main", "--layout", "Particle = soa"];
    let same = review(&sandbox, &arguments)?;
    let compared = section(&same, "Compared with `main`")?;
    ensure!(compared.contains("Every array has the layout that it had."), "{same}");

    let text = refused();
    sandbox.write("src/in.cu", &text)?;
    let found = review(&sandbox, &arguments)?;
    let compared = section(&found, "Compared with `main`")?;
    let cast = text.lines().position(|line| line.contains("(float *)d")).context("the cast")? + 1;
    let said = format!("of `Particle`, `soa` before. LC0011 at `src/in.cu:{cast}`: ");
    ensure!(compared.contains("- **stays now**: ") && compared.contains(&said), "{compared}");

    // The other way round: the revision is the one with the cast.
    git(&sandbox, &["commit", "-q", "-a", "-m", "second"])?;
    sandbox.write("src/in.cu", many_launches())?;
    let found = review(&sandbox, &["src/in.cu", "--base=HEAD"])?;
    let compared = section(&found, "Compared with `HEAD`")?;
    let said = format!("It stayed before: LC0011 at `src/in.cu:{cast}`: ");
    ensure!(compared.contains("- **changes now**: ") && compared.contains(&said), "{compared}");
    let found = review(&sandbox, &["src/in.cu", "--base=HEAD~1"])?;
    ensure!(found.contains("Every array has the layout that it had."), "{found}");
    Ok(())
}

#[test]
fn new_arrays_other_layouts_and_headers_of_the_revision() -> Result<()> {
    let particles = many_launches();
    let (header, main) = particles.split_once("__global__").context("a kernel")?;
    let main = format!("#include \"particle.h\"\n__global__{main}");
    let sandbox = repository(&[("src/in.cu", &main), ("include/particle.h", header)])?;
    // The header and a second array change, from a folder below.
    let wide = header.replace("float vx, vy, vz;", "float vx, vy, vz;\n  float pad[10];");
    sandbox.write("include/particle.h", &wide)?;
    let second = particles.replace("Particle", "Atom").replace("drift", "move");
    let second = second.replace("int main()", "int other()");
    sandbox.write("src/in.cu", format!("{main}\n{second}"))?;
    let arguments = ["src/in.cu", "-I", "include", "--base", "main"];
    let found = review(&sandbox, &arguments)?;
    let compared = section(&found, "Compared with `main`")?;
    ensure!(compared.contains("- **new**: ") && compared.contains("of `Atom`, to `"), "{compared}");
    ensure!(!compared.contains("cannot be compiled"), "{compared}");
    Ok(())
}

#[test]
fn a_program_of_a_compilation_database() -> Result<()> {
    let sandbox = repository(&[("src/in.cu", &many_launches())])?;
    let folder = std::fs::canonicalize(sandbox.path())?;
    let folder = folder.display();
    // The database is generated, and no part of the revision.
    let database = format!(
        "[{{\"directory\": \"{folder}/build\", \"file\": \"{folder}/src/in.cu\", \"command\": \
         \"nvcc -I{folder}/src -c {folder}/src/in.cu\"}}, {{\"directory\": \"{folder}/build\", \"file\": \
         \"{folder}/src/new.cu\", \"command\": \"nvcc -c {folder}/src/new.cu\"}}]"
    );
    sandbox.write("build/compile_commands.json", database)?;
    sandbox.write("src/new.cu", "int added() { return 1; }\n")?;
    sandbox.write("src/in.cu", refused())?;
    let found = review(&sandbox, &["--project", "build", "--base", "main"])?;
    let compared = section(&found, "Compared with `main`")?;
    ensure!(compared.contains("- **stays now**: "), "{compared}");
    Ok(())
}

#[test]
fn a_revision_that_cannot_be_compiled_is_said() -> Result<()> {
    let sandbox = repository(&[("in.cu", "#include \"gone.h\"\nint main() { return 0; }\n")])?;
    sandbox.write("in.cu", PARTICLES)?;
    let found = review(&sandbox, &["in.cu", "--base", "main"])?;
    let compared = section(&found, "Compared with `main`")?;
    ensure!(compared.contains("- LC0004: cannot find header `gone.h`"), "{compared}");
    Ok(())
}

#[test]
fn errors_name_what_is_wrong() -> Result<()> {
    let outside = Sandbox::with(&[("in.cu", PARTICLES)])?;
    fails(&outside, &["in.cu", "--base", "main"], "`--base` needs a git repository")?;
    let sandbox = repository(&[("in.cu", PARTICLES)])?;
    fails(
        &sandbox,
        &["in.cu", "--base", "no-such"],
        "`--base no-such`: there is no such revision",
    )?;
    sandbox.write("new.cu", PARTICLES)?;
    fails(&sandbox, &["new.cu", "--base", "main"], "`new.cu` is not in `main`")?;
    let elsewhere = outside.path().join("in.cu").display().to_string();
    fails(&sandbox, &["in.cu", &elsewhere, "--base", "main"], "is not in the repository")?;
    for bad in ["--base=--output=x", "--base=-q", "--base=", "--base=a..b", "--base=a b"] {
        fails(&sandbox, &["in.cu", bad], "--base <REF>")?;
    }
    fails(&sandbox, &["in.cu", "--format", "sarif"], "`layoutc review` writes Markdown")?;
    let profile = ["in.cu", "--base", "main", "--profile", "p"];
    fails(&sandbox, &profile, "`--base` and `--profile` exclude each other")?;
    Ok(())
}

#[test]
fn in_a_hook_of_git_the_folder_decides() -> Result<()> {
    let sandbox = repository(&[("src/in.cu", PARTICLES)])?;
    let other = repository(&[("other.cu", PLAIN)])?;
    let layoutc = layoutc_tests::layoutc::Layoutc::built()?;
    let mut command = Command::new(layoutc.program());
    command.current_dir(sandbox.path().join("src")).args(["review", "in.cu", "--base", "main"]);
    command.env("GIT_DIR", other.path().join(".git")).env("GIT_INDEX_FILE", "/dev/null");
    let outcome = run_limited(&mut command, TRANSFORM_LIMIT)?;
    ensure!(outcome.succeeded(), "{}\n{}", outcome.ending(), outcome.stderr);
    ensure!(
        outcome.stdout.contains("Every array has the layout that it had."),
        "{}",
        outcome.stdout
    );
    Ok(())
}

#[test]
fn a_review_runs_the_program_and_writes_a_file() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", PARTICLES)])?;
    let arguments = ["review", "in.cu", "--layout", "Particle = soa", "-o", "review.md"];
    let verify = ["--verify", "--no-nvcc", "--", "1"];
    let outcome = sandbox.accepted(&[&arguments[..], &verify].concat())?;
    ensure!(outcome.stdout.is_empty(), "{}", outcome.stdout);
    let text = sandbox.text("review.md")?;
    let ran = section(&text, "Run before and after: identical")?;
    ensure!(ran.contains("compared: 1 kernel launch"), "{ran}");
    // The program is no output.
    let over = ["review", "in.cu", "-o", "in.cu"];
    sandbox.rejected(&over, &["LC0052"])?;
    Ok(())
}
