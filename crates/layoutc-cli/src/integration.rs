//! `layoutc integration`: files for build systems that come with layoutc.

use crate::exit::{Exit, fail, print};
use clap::{Args, ValueEnum};
use layoutc_build::state::{make_folder, write_changed};
use std::env;
use std::path::PathBuf;

/// The package of CMake, with `@VERSION@` and `@EXECUTABLE@` to be replaced.
const CMAKE: &str = include_str!("integration/layoutcConfig.cmake");

/// What the help ends with.
pub const EXAMPLES: &str = "\
The files are written below $XDG_DATA_HOME/layoutc, otherwise ~/.local/share/layoutc.

Example:
  cmake -B build -Dlayoutc_DIR=$(layoutc integration cmake)
with, in CMakeLists.txt,
  find_package(layoutc REQUIRED)
  layoutc_target(simulation LAYOUT \"Particle = soa\")";

/// `layoutc integration`.
#[derive(Debug, Args)]
pub struct IntegrationArguments {
    /// The build system.
    pub system: BuildSystem,
}

/// A build system for which there are files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BuildSystem {
    /// A package for `find_package(layoutc)`.
    Cmake,
}

/// Writes the files and prints their folder.
pub fn run(arguments: &IntegrationArguments) -> Exit {
    let BuildSystem::Cmake = arguments.system;
    let written = folder().and_then(|folder| {
        let executable = env::current_exe()
            .map_err(|error| format!("where layoutc is is not known: {error}"))?;
        make_folder(&folder)?;
        let text = CMAKE
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
            .replace("@EXECUTABLE@", &executable.display().to_string());
        write_changed(&folder.join("layoutcConfig.cmake"), text.as_bytes())?;
        Ok(folder)
    });
    let printed = written.and_then(|folder| {
        print(format!("{}\n", folder.display()))
            .map_err(|error| format!("cannot write to standard output: {error}"))
    });
    match printed {
        Ok(()) => Exit::Done,
        Err(message) => fail(message),
    }
}

/// Where the package is.
fn folder() -> Result<PathBuf, String> {
    Ok(data_folder()?.join(env!("CARGO_PKG_VERSION")).join("cmake"))
}

/// Where layoutc keeps what belongs to a user and to no project.
pub fn data_folder() -> Result<PathBuf, String> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = given("XDG_DATA_HOME").or_else(|| Some(given("HOME")?.join(".local/share")));
    let data = data.ok_or("neither $XDG_DATA_HOME nor $HOME says where files go")?;
    Ok(data.join("layoutc"))
}
