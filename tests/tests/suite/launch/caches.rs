//! Compiler caches beside launches: behind one they see what is compiled, in front of one they pass it on.

use super::{Project, object};
use anyhow::{Result, ensure};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// What ccache does: the object and dependency file of a command are those of an earlier one with the same words
/// whose text is the same after preprocessing; a compiler that it does not know runs as it is.
const CACHE: &str = r#"#!/bin/sh
case "$1" in *layoutc) exec "$@" ;; esac
compiler=$1
given=$*
shift
left=$#
while [ $left -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case "$word" in
        -o) object=$1; shift; left=$((left - 1)) ;;
        -MF) depfile=$1; shift; left=$((left - 1)) ;;
        -c|-MD) ;;
        *) set -- "$@" "$word" ;;
    esac
done
key=$( (echo "$given"; g++ -x c++ -E "$@" 2> /dev/null) | sha256sum | cut -c 1-16)
mkdir -p "$CACHE"
if [ ! -e "$CACHE/$key" ]; then
    "$compiler" -c "$@" -MD -MF "$depfile" -o "$object" || exit $?
    cp "$depfile" "$CACHE/$key.d"
    cp "$object" "$CACHE/$key"
fi
cp "$CACHE/$key.d" "$depfile"
cp "$CACHE/$key" "$object"
"#;

fn project() -> Result<Project> {
    let project = Project::new("particles")?;
    let cache = CACHE.replace("$CACHE", &project.path("cache").display().to_string());
    project.sandbox.write("bin/ccache", cache)?;
    fs::set_permissions(project.path("bin/ccache"), fs::Permissions::from_mode(0o755))?;
    Ok(project)
}

const REST: &str = "nvcc -Iinclude -MD -MF main.o.d -c src/main.cu -o main.o";

#[test]
fn a_cache_behind_a_launch_has_the_rewritten_text() -> Result<()> {
    let project = project()?;
    let compile = || -> Result<(String, usize)> {
        let _ = fs::remove_file(project.path("project/main.o"));
        project.accepted(&format!("layoutc launch -- ccache {REST}"))?;
        Ok((object(&project, "main.o")?, project.commands()?.len()))
    };
    let (first, compilations) = compile()?;
    ensure!(first.contains("ParticleTile32") && compilations == 1, "{first}");
    ensure!(compile()? == (first.clone(), 0));
    let depfile = fs::read_to_string(project.path("project/main.o.d"))?;
    ensure!(depfile.contains(" src/main.cu ") && !depfile.contains(".layoutc/"), "{depfile}");
    // Another layout is another text, and the first one is still known.
    project.edit("include/particle.h", "struct", "#pragma layoutc layout(soa)\nstruct")?;
    let (other, compilations) = compile()?;
    ensure!(!other.contains("ParticleTile32") && compilations == 1, "{other}");
    project.edit("include/particle.h", "layout(soa)", "layout(tiled(32))")?;
    ensure!(compile()?.0.contains("ParticleTile32"));
    Ok(())
}

#[test]
fn a_cache_in_front_of_a_launch_passes_it_on() -> Result<()> {
    let project = project()?;
    for _ in 0..2 {
        project.accepted(&format!("ccache layoutc launch -- {REST}"))?;
        ensure!(object(&project, "main.o")?.contains("ParticleTile32"));
        ensure!(project.commands()?.len() == 1);
    }
    Ok(())
}
