//! The arguments of `layoutc launch`.

use crate::jobs::JobsArguments;
use clap::{Args, Parser};
use layoutc_build::Unit;
use std::ffi::OsString;

/// What the help ends with.
pub const EXAMPLES: &str = "\
The program that a source belongs to is found in the build folder (Ninja's or CMake's files), in layoutc.toml, or in
compile_commands.json. Its layouts are those of layoutc.lock, if the project has one; otherwise they are chosen once
and kept in the folder .layoutc of the build. Messages and dependency files of the compiler name the original files.
What is no source of a program is passed on as it is.

Examples:
  cmake -B build -DCMAKE_CUDA_COMPILER_LAUNCHER=\"layoutc;launch;--\" -DCMAKE_CXX_COMPILER_LAUNCHER=\"layoutc;launch;--\"
  make NVCC=\"layoutc launch -- nvcc\"
  layoutc launch -- nvcc main.cu kernels.cu -o simulation
  layoutc launch -- ccache nvcc -c main.cu -o main.o

Exit codes: that of the compiler; 1 if the program has errors or its layouts no longer fit; 2 if layoutc fails.";

/// `layoutc launch`.
#[derive(Debug, Args)]
pub struct LaunchArguments {
    /// What is wanted of the program.
    #[command(flatten)]
    pub wanted: WantedArguments,
    /// The compiler and its arguments.
    #[arg(last = true, required = true, value_name = "COMPILER")]
    pub command: Vec<OsString>,
}

/// What is wanted of a program that a build compiles. What the launches of its units say counts together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct WantedArguments {
    /// Choose layouts anew where those of the lock file no longer fit.
    #[arg(long)]
    pub update: bool,
    /// The layout of a struct's or array's elements, such as 'Particle = soa'. May be repeated.
    #[arg(long = "layout", value_name = "SPEC")]
    pub layouts: Vec<String>,
    /// Leave the arrays of this struct, or this array, as they are. May be repeated.
    #[arg(long = "keep", value_name = "NAME")]
    pub keep: Vec<String>,
    /// Fail if the arrays of this struct keep their layout. May be repeated.
    #[arg(long = "require", value_name = "TYPE")]
    pub require: Vec<String>,
}

/// Options without a command.
#[derive(Debug, Parser)]
#[command(no_binary_name = true)]
struct Options {
    #[command(flatten)]
    wanted: WantedArguments,
    /// Every launch has its own.
    #[command(flatten)]
    _jobs: JobsArguments,
}

impl WantedArguments {
    /// What the launches of all units say.
    ///
    /// # Errors
    /// An option that `layoutc launch` does not have.
    pub fn of_units(units: &[Unit]) -> Result<Self, String> {
        let mut all = WantedArguments::default();
        let mut seen: Vec<&[String]> = Vec::new();
        for unit in units.iter().filter(|unit| !unit.options.is_empty()) {
            if seen.contains(&&*unit.options) {
                continue;
            }
            seen.push(&unit.options);
            let options = Options::try_parse_from(&unit.options).map_err(|error| {
                let text = error.to_string();
                format!(
                    "the launch of {}: {}",
                    unit.source.display(),
                    text.lines().next().unwrap_or_default().trim_start_matches("error: ")
                )
            })?;
            all.add(&options.wanted);
        }
        Ok(all)
    }

    /// The same as options.
    pub fn words(&self) -> Vec<String> {
        let lists = [("layout", &self.layouts), ("keep", &self.keep), ("require", &self.require)];
        let update = self.update.then(|| "--update".to_owned());
        let options = lists
            .into_iter()
            .flat_map(|(name, values)| values.iter().map(move |value| format!("--{name}={value}")));
        update.into_iter().chain(options).collect()
    }

    /// Adds what another launch says.
    pub fn add(&mut self, other: &WantedArguments) {
        self.update |= other.update;
        let lists = [
            (&mut self.layouts, &other.layouts),
            (&mut self.keep, &other.keep),
            (&mut self.require, &other.require),
        ];
        for (own, more) in lists {
            let new = more.iter().filter(|text| !own.contains(text)).cloned().collect::<Vec<_>>();
            own.extend(new);
        }
    }
}
