//! `cargo xtask setup`: NVIDIA's compiler from its Python wheels, OpenCL on the CPU and glm from
//! Debian's packages, and a look for a C++ compiler.
//!
//! The wheels go into a virtual environment at `.tools/venv`; no GPU, driver or administrator is
//! needed. A second run finds the same versions and does nothing.

mod apt;
mod glm;
mod opencl;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use layoutc_tests::nvcc::{Nvcc, on_path};
use layoutc_tests::repository_root;

/// The wheels, pinned: code quality is gated on what exactly this compiler makes. The
/// disassemblers came out as wheels later than 13.0 and read its cubins.
const WHEELS: &[&str] = &[
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cuda-cuobjdump==13.5.37",
    "nvidia-cuda-nvdisasm==13.5.37",
];

/// Tools beside nvcc: what reads the tables that `layoutc profile --rows` writes, and what builds projects.
const TOOLS: [&str; 3] = ["duckdb==2.0.0", "cmake==4.4.5", "ninja==1.13.2"];

/// The file that says which wheels an environment was made with.
const STAMP: &str = "layoutc-wheels.txt";

/// Installs what is missing and says what there is.
///
/// # Errors
/// When there is no C++ compiler or no Python, with what to install, and when pip fails.
pub fn run() -> Result<()> {
    let compiler = host_compiler()?;
    println!("C++ compiler: {}", compiler.display());
    if env::var_os("LAYOUTC_NVCC").is_none() {
        install_wheels(&repository_root().join(".tools/venv"))?;
    }
    install_tools(&repository_root().join(".tools/venv"))?;
    let nvcc = Nvcc::find()?;
    if env::var_os("LAYOUTC_NVCC").is_none() {
        link_libraries(&nvcc)?;
    }
    println!("nvcc {}: {}", nvcc.release()?, nvcc.program().display());
    // CUDA programs need none: without it, only the tests of OpenCL programs fail.
    match opencl::install() {
        Ok(devices) => println!("OpenCL: {}", devices.join(", ")),
        Err(error) => eprintln!("warning: no OpenCL, so its tests will fail: {error:#}"),
    }
    match glm::install(&compiler) {
        Ok(()) => println!("glm: installed"),
        Err(error) => {
            eprintln!("warning: no glm, so the tests of programs with it will fail: {error:#}")
        }
    }
    Ok(())
}

/// The C++ compiler that nvcc and `layoutc verify` use: `$CXX`, `g++`, `c++` or `clang++`.
fn host_compiler() -> Result<PathBuf> {
    let given = env::var("CXX").ok();
    let names = given.iter().map(String::as_str).chain(["g++", "c++", "clang++"]);
    let found = names.filter_map(|name| {
        let path = Path::new(name);
        if path.is_absolute() { path.is_file().then(|| path.to_path_buf()) } else { on_path(name) }
    });
    found.into_iter().next().context(
        "no C++ compiler found. Install one and run this again:\n  \
         Debian, Ubuntu: apt-get install g++\n  Fedora: dnf install gcc-c++\n  Arch: pacman -S gcc\n\
         or name one in $CXX",
    )
}

fn install_wheels(venv: &Path) -> Result<()> {
    let wanted: String = WHEELS.iter().flat_map(|wheel| [*wheel, "\n"]).collect();
    let stamp = venv.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted)
        && Nvcc::in_venv(venv).is_some()
    {
        return Ok(());
    }
    let venv_python = venv.join("bin/python");
    if !venv_python.is_file() || !has_pip(&venv_python) {
        make_venv(venv)?;
    }
    println!("installing nvcc into {} (about 300 MB on disk)", venv.display());
    if !pip_install(venv, WHEELS)? {
        bail!(
            "pip could not install the CUDA wheels. They exist for Linux on x86-64 and Arm; \
             behind a proxy or mirror, set pip up for it (`pip config`), or name an nvcc 13.0 of your own \
             in $LAYOUTC_NVCC"
        );
    }
    if Nvcc::in_venv(venv).is_none() {
        bail!("pip installed the CUDA wheels, but {} holds no nvcc", venv.display());
    }
    // Last, so that an interrupted installation is repeated.
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Installs [`TOOLS`] beside nvcc.
fn install_tools(venv: &Path) -> Result<()> {
    let venv_python = venv.join("bin/python");
    if !venv_python.is_file() || !has_pip(&venv_python) {
        make_venv(venv)?;
    }
    let stamp = venv.join("layoutc-tools.txt");
    let wanted = TOOLS.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("installing {} into {} (about 150 MB on disk)", TOOLS.join(", "), venv.display());
    if !pip_install(venv, &TOOLS)? {
        bail!(
            "pip could not install {}; behind a proxy or mirror, set pip up for it (`pip config`)",
            TOOLS.join(", ")
        );
    }
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Lets programs be linked: nvcc looks for its libraries in `lib64`, and the wheels have them in `lib`.
fn link_libraries(nvcc: &Nvcc) -> Result<()> {
    let Some(toolkit) = nvcc.program().ancestors().nth(2) else { return Ok(()) };
    let (libraries, expected) = (toolkit.join("lib"), toolkit.join("lib64"));
    if expected.exists() || !libraries.is_dir() {
        return Ok(());
    }
    std::os::unix::fs::symlink("lib", &expected)
        .with_context(|| format!("cannot make the link {}", expected.display()))
}

/// Installs packages into an environment; whether pip did so.
///
/// # Errors
/// pip cannot be run.
pub fn pip_install(venv: &Path, wheels: &[&str]) -> Result<bool> {
    let python = venv.join("bin/python");
    let status = Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"])
        .args(wheels)
        .status()
        .with_context(|| format!("cannot run {}", python.display()))?;
    Ok(status.success())
}

/// Makes an empty environment for Python packages.
///
/// # Errors
/// There is no Python, or it has no `venv`.
pub fn make_venv(venv: &Path) -> Result<()> {
    let python = ["python3", "python"].into_iter().find_map(on_path).context(
        "no python3 found; it is needed to install the CUDA wheels. Install it and run this again:\n  \
         Debian, Ubuntu: apt-get install python3 python3-venv\n\
         or name an nvcc 13.0 of your own in $LAYOUTC_NVCC",
    )?;
    println!("making {}", venv.display());
    let output = Command::new(&python)
        .args(["-m", "venv", "--clear"])
        .arg(venv)
        .output()
        .with_context(|| format!("cannot run {}", python.display()))?;
    if !output.status.success() {
        bail!(
            "`{} -m venv` failed; on Debian and Ubuntu it needs `apt-get install python3-venv`\n{}{}",
            python.display(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

fn has_pip(python: &Path) -> bool {
    let status = Command::new(python)
        .args(["-m", "pip", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
