//! Pragmas of layouts in a build: they go before what was chosen, and no compiler sees them.

use super::{COMPILE, Project, object};
use anyhow::{Context, Result, ensure};
use std::fs;

/// The text of the header in the mirror.
fn mirrored(project: &Project) -> Result<String> {
    Ok(fs::read_to_string(project.path("project/.layoutc/program/src/include/particle.h"))?)
}

fn symbol(text: &str) -> Result<String> {
    let at = text.find("layoutc_plan_").context("no symbol")?;
    Ok(text[at..].chars().take(25).collect())
}

#[test]
fn a_pragma_goes_before_what_was_chosen() -> Result<()> {
    let project = Project::new("particles")?;
    project.accepted(COMPILE)?;
    let chosen = object(&project, "main.o")?;
    ensure!(chosen.contains("ParticleTile32"), "{chosen}");
    project.edit("include/particle.h", "struct", "#pragma layoutc layout(tiled(16))\nstruct")?;
    project.accepted(COMPILE)?;
    let asked = object(&project, "main.o")?;
    ensure!(asked.contains("ParticleTile16"), "{asked}");
    // Objects of the two do not link.
    ensure!(symbol(&chosen)? != symbol(&asked)?);
    let lock = fs::read_to_string(project.path("project/.layoutc/program/layoutc.lock"))?;
    ensure!(lock.contains("layout = \"tiled(16)\""), "{lock}");
    // Lines are those of the source.
    let header = mirrored(&project)?;
    ensure!(!header.contains("#pragma layoutc"), "{header}");
    // What a pragma keeps needs no lock file of a build any more.
    project.edit("include/particle.h", "layout(tiled(16))", "keep")?;
    let outcome = project.accepted(COMPILE)?;
    ensure!(outcome.stderr.contains("0 of 1 array changes"), "{}", outcome.stderr);
    ensure!(!object(&project, "main.o")?.contains("ParticleTile"));
    Ok(())
}

/// As above, beside an array that could not change, which is looked at again whenever a file changes.
#[test]
fn a_pragma_goes_before_what_was_chosen_beside_an_array_that_stays() -> Result<()> {
    let project = Project::new("particles")?;
    let other = "struct Other { float a, b; };\nvoid other()\n{\n    Other *o;\n    cudaMalloc(&o, 64 * sizeof(Other));\n\
        \x20   cudaMemset((float *)o + 1, 0, 4);\n}\n\nint main(";
    project.edit("src/main.cu", "int main(", other)?;
    let outcome = project.accepted(COMPILE)?;
    ensure!(outcome.stderr.contains("1 of 2 arrays"), "{}", outcome.stderr);
    project.edit("include/particle.h", "struct", "#pragma layoutc layout(tiled(16))\nstruct")?;
    project.accepted(COMPILE)?;
    ensure!(object(&project, "main.o")?.contains("ParticleTile16"));
    // What was chosen stays, and its reason, when nothing asks for another layout.
    let lock = || fs::read_to_string(project.path("project/.layoutc/program/layoutc.lock"));
    let before = lock()?;
    project.edit("src/main.cu", "Other *o;", "Other *o = nullptr;")?;
    project.accepted(COMPILE)?;
    ensure!(lock()? == before, "{before}{}", lock()?);
    Ok(())
}

#[test]
fn a_lock_file_of_the_project_does_not_follow_by_itself() -> Result<()> {
    let project = Project::new("particles")?;
    project.accepted("layoutc plan")?;
    project.edit("include/particle.h", "struct", "#pragma layoutc layout(tiled(16))\nstruct")?;
    let outcome = project.run(COMPILE)?;
    ensure!(outcome.code() == Some(2), "{}", outcome.ending());
    ensure!(outcome.stderr.contains("is not up to date for `program`"), "{}", outcome.stderr);
    let outcome = project.accepted("layoutc plan")?;
    let changed = "changed: Particle from tiled(32) to tiled(16)";
    ensure!(outcome.stderr.contains(changed), "{}", outcome.stderr);
    project.accepted(COMPILE)?;
    ensure!(object(&project, "main.o")?.contains("ParticleTile16"));
    // `layoutc.toml` goes before it.
    let config = fs::read_to_string(project.path("project/layoutc.toml"))?;
    let config = format!("{config}layout = [\"Particle = soa\"]\n");
    fs::write(project.path("project/layoutc.toml"), config)?;
    project.accepted("layoutc plan")?;
    project.accepted(COMPILE)?;
    ensure!(!object(&project, "main.o")?.contains("ParticleTile16"));
    Ok(())
}
