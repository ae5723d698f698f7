//! Builds of CMake with several configurations, and with device code that is linked.

use super::{LIMIT, Project, cmake_tools};
use anyhow::{Result, ensure};
use layoutc_tests::process::{Outcome, run_limited};
use std::fs;
use std::process::Command;

#[test]
fn configurations_and_device_code_of_several_units() -> Result<()> {
    let project = Project::new("units")?;
    let nvcc = cmake_tools(&project)?;
    let mut configure = project.command("cmake");
    configure
        .args(["-G", "Ninja Multi-Config", "-B", "build", "-DCMAKE_CUDA_ARCHITECTURES=80"])
        .arg("-DCMAKE_CONFIGURATION_TYPES=Debug;Release")
        .arg(format!("-DCMAKE_CUDA_COMPILER={}", nvcc.program().display()))
        .arg("-DCMAKE_CUDA_COMPILER_LAUNCHER=layoutc;launch;--");
    let outcome = run_limited(&mut configure, LIMIT)?;
    ensure!(outcome.succeeded(), "{}{}", outcome.stdout, outcome.stderr);
    let build = |name: &str| -> Result<Outcome> {
        project.accepted(&format!("cmake --build build --config {name}"))
    };
    for name in ["Debug", "Release"] {
        let outcome = build(name)?;
        ensure!(outcome.stdout.contains("cmake_device_link.o"), "{}", outcome.stdout);
        let program = project.path("project/build").join(name).join("units");
        let symbols = Command::new("nm").arg("-C").arg(&program).output()?;
        let symbols = String::from_utf8_lossy(&symbols.stdout).into_owned();
        ensure!(symbols.contains("layoutc_plan_"), "{symbols}");
    }
    // One does not undo the other.
    for name in ["Debug", "Release"] {
        let outcome = build(name)?;
        ensure!(outcome.stdout.contains("no work to do"), "{name}: {}", outcome.stdout);
    }
    // The pragma says the layout, and no compiler of the build, to which all warnings are errors, has seen it.
    let mut mirrors = 0;
    for state in fs::read_dir(project.path("project/build/.layoutc"))? {
        let mirror = state?.path().join("src");
        if !mirror.is_dir() {
            continue;
        }
        let text = |name: &str| fs::read_to_string(mirror.join(name));
        let (header, source) = (text("body.h")?, text("advance.cu")?);
        ensure!(header.contains("align") && !header.contains("#pragma layoutc"), "{header}");
        ensure!(!source.contains("bodies[i].x"), "{source}");
        mirrors += 1;
    }
    // Each configuration is a program.
    ensure!(mirrors == 2);
    Ok(())
}
