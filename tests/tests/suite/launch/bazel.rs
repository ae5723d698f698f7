//! The rule for Bazel and the fragment for Make. The rule's script is called as Bazel would call it, in a folder of links to the
//! inputs alone; where there is a `bazel`, it builds the rule as well.

use super::{Project, names, object};
use anyhow::{Result, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::repository_root;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const INPUTS: [&str; 5] =
    ["src/main.cu", "src/report.cu", "src/step.cu", "src/report.h", "include/particle.h"];

/// A folder with links to these files of the project, below a package.
fn execution_root(project: &Project, package: &str, more: &[&str]) -> Result<()> {
    for name in INPUTS.iter().chain(more) {
        let link = project.path("execroot").join(package).join(name);
        fs::create_dir_all(link.parent().unwrap_or(Path::new("/")))?;
        symlink(project.path("project").join(name), link)?;
    }
    Ok(())
}

/// Runs the rule's script with these lines as parameters.
fn transform(project: &Project, package: &str, lines: &[String]) -> Result<Outcome> {
    project.sandbox.write("execroot/bazel-out/bin/rewritten-0.params", lines.join("\n"))?;
    let mut command = project.command("sh");
    command
        .current_dir(project.path("execroot"))
        .arg(repository_root().join("integrations/bazel/transform.sh"))
        .arg(Layoutc::built()?.program())
        .args(["bazel-out/bin/rewritten", package, "@bazel-out/bin/rewritten-0.params"]);
    run_limited(&mut command, super::LIMIT)
}

#[test]
fn the_script_of_the_rule_writes_every_file() -> Result<()> {
    for package in ["", "apps/sim/"] {
        let project = Project::new("particles")?;
        project.sandbox.write("project/include/unused.h", "int unused;\n")?;
        execution_root(&project, package, &["include/unused.h"])?;
        let path = |name: &&str| format!("{package}{name}");
        let (sources, headers) = INPUTS.split_at(3);
        let mut lines: Vec<String> = sources.iter().map(&path).collect();
        lines.push(format!("-I{package}include"));
        lines.push("--layout=Particle = tiled(16)".to_owned());
        lines.push("--".to_owned());
        lines.extend(headers.iter().chain(&["include/unused.h"]).map(path));
        let before = project.sandbox.contents()?;
        let outcome = transform(&project, package, &lines)?;
        ensure!(outcome.succeeded(), "{}{}", outcome.stdout, outcome.stderr);
        let written = project.path("execroot/bazel-out/bin/rewritten");
        for name in INPUTS {
            ensure!(written.join(name).is_file(), "{package}: no {name}");
        }
        let step = fs::read_to_string(written.join("src/step.cu"))?;
        ensure!(step.contains("ParticleTile16"), "{step}");
        ensure!(fs::read_to_string(written.join("include/unused.h"))? == "int unused;\n");
        // The source tree is as it was.
        let after = project.sandbox.contents()?;
        let is_source = |path: &&std::path::PathBuf| path.starts_with("project");
        ensure!(before.keys().filter(is_source).eq(after.keys().filter(is_source)));
        ensure!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
        // A second run, for a change of one source, writes the same again.
        let outcome = transform(&project, package, &lines)?;
        ensure!(outcome.succeeded(), "{}", outcome.stderr);
        ensure!(fs::read_to_string(written.join("src/step.cu"))? == step);
    }
    Ok(())
}

/// Bazel is in no package registry, so it runs where somebody installed it.
#[test]
fn bazel_builds_the_rule() -> Result<()> {
    let Some(bazel) = layoutc_tests::nvcc::on_path("bazel") else {
        return Ok(());
    };
    let project = Project::new("particles")?;
    execution_root(&project, "apps/sim/", &[])?;
    let workspace = project.path("execroot");
    project.sandbox.write(
        "execroot/WORKSPACE",
        format!(
            "local_repository(name = \"layoutc_rules\", path = \"{}\")\n",
            repository_root().join("integrations/bazel").display()
        ),
    )?;
    let rule = |layout: &str| {
        let text = format!(
            "load(\"@layoutc_rules//:layoutc.bzl\", \"layoutc_sources\")\n\
             layoutc_sources(name = \"rewritten\", srcs = glob([\"src/*.cu\"]), \
             hdrs = glob([\"include/*.h\", \"src/*.h\"]), includes = [\"include\"], \
             layouts = [\"Particle = {layout}\"], require = [\"Particle\"], layoutc = \"{}\")\n",
            Layoutc::built()?.program().display()
        );
        project.sandbox.write("execroot/apps/sim/BUILD.bazel", text)
    };
    let build = || {
        let mut command = project.command(&bazel.to_string_lossy());
        command
            .current_dir(&workspace)
            .arg(format!("--output_user_root={}", project.path("bazel").display()))
            .args(["--batch", "build", "--color=no", "//apps/sim:rewritten"]);
        run_limited(&mut command, super::LIMIT)
    };
    rule("tiled(16)")?;
    let outcome = build()?;
    ensure!(outcome.succeeded(), "{}{}", outcome.stdout, outcome.stderr);
    let written = workspace.join("bazel-bin/apps/sim/rewritten");
    for name in INPUTS {
        ensure!(written.join(name).is_file(), "no {name}");
    }
    ensure!(fs::read_to_string(written.join("src/step.cu"))?.contains("ParticleTile16"));
    // What cannot be given fails the build, with the reason.
    rule("zigzag")?;
    let outcome = build()?;
    ensure!(!outcome.succeeded() && outcome.stderr.contains("zigzag"), "{}", outcome.stderr);
    Ok(())
}

#[test]
fn an_error_of_the_rule_writes_nothing() -> Result<()> {
    let project = Project::new("particles")?;
    execution_root(&project, "", &[])?;
    let lines = ["src/main.cu", "-Iinclude", "--layout=Particle = zigzag", "--"].map(str::to_owned);
    let outcome = transform(&project, "", &lines)?;
    ensure!(outcome.code() == Some(1) && outcome.stderr.contains("zigzag"), "{}", outcome.stderr);
    ensure!(!project.path("execroot/bazel-out/bin/rewritten").exists());
    Ok(())
}

#[test]
fn a_launch_in_a_folder_of_links() -> Result<()> {
    let project = Project::new("particles")?;
    execution_root(&project, "", &["layoutc.toml"])?;
    project
        .sandbox
        .write("execroot/main.params", "-Iinclude -MD -MF main.d -c src/main.cu -o main.o\n")?;
    let mut command = project.command("layoutc");
    command.current_dir(project.path("execroot")).args(["launch", "--", "nvcc", "@main.params"]);
    let outcome = run_limited(&mut command, super::LIMIT)?;
    ensure!(outcome.succeeded(), "{}", outcome.stderr);
    let text = fs::read_to_string(project.path("execroot/main.o"))?;
    ensure!(text.contains("ParticleTile32"), "{text}");
    let depfile = fs::read_to_string(project.path("execroot/main.d"))?;
    ensure!(
        depfile.contains(" src/main.cu ") && depfile.contains(" include/particle.h"),
        "{depfile}"
    );
    ensure!(!project.path("project/.layoutc").exists());
    Ok(())
}

#[test]
fn the_fragment_for_make_is_in_front_of_nvcc() -> Result<()> {
    let project = Project::new("particles")?;
    for name in ["Makefile", "layoutc.mk"] {
        let from = repository_root().join("integrations/make").join(name);
        fs::copy(from, project.path("project").join(name))?;
    }
    let objects = "main.o report.o step.o";
    project.accepted(&format!("make {objects}"))?;
    ensure!(object(&project, "step.o")?.contains("ParticleTile32"));
    ensure!(project.compiled()? == names(["main.cu", "report.cu", "step.cu"]));
    let outcome = project.accepted(&format!("make {objects}"))?;
    ensure!(outcome.stdout.contains("up to date") && project.compiled()?.is_empty());
    project.accepted("make clean")?;
    ensure!(!project.path("project/.layoutc").exists());
    project.accepted("make LAYOUTC= step.o")?;
    ensure!(!object(&project, "step.o")?.contains("ParticleTile32"));
    Ok(())
}
