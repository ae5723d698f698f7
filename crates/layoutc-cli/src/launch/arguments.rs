//! The arguments of `layoutc launch`.

use clap::Args;
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
    /// Choose layouts anew where those of the lock file no longer fit.
    #[arg(long)]
    pub update: bool,
    /// The compiler and its arguments.
    #[arg(last = true, required = true, value_name = "COMPILER")]
    pub command: Vec<OsString>,
}
