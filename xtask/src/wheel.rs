//! `cargo xtask wheel`: builds the wheel as it is published, and uses it as somebody who installed it.
//!
//! maturin packs the program. zig links it against the C library of manylinux2014 (glibc 2.17), so the wheel runs on
//! every Linux since, wherever it was built; maturin refuses a program that needs more.

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::repository_root;

use crate::setup::{make_venv, pip_install};

/// What builds wheels, pinned.
const PACKAGES: [&str; 2] = ["maturin==1.16.0", "ziglang==0.17.1"];

/// How large the program may be, in bytes.
const MOST_BYTES: u64 = 30_000_000;

/// How the wheel is built and where it goes.
#[derive(Args)]
pub struct Options {
    /// The folder of the wheel
    #[arg(long, default_value = "target/wheels")]
    out: PathBuf,
}

/// Builds the wheel, installs it into a fresh environment, and runs it there.
///
/// # Errors
/// A step fails, the installed program does not work, or it is too large.
pub fn run(options: &Options) -> Result<()> {
    let root = repository_root();
    let wheel = build(&root, &root.join(&options.out))?;
    let fresh = tempfile::tempdir()?;
    make_venv(fresh.path())?;
    let name = wheel.to_str().context("the name of the wheel is not UTF-8")?;
    // Nothing but the wheel: it depends on no other package.
    ensure!(pip_install(fresh.path(), &["--no-index", name])?, "pip does not install {name}");
    let program = fresh.path().join("bin/layoutc");
    use_it(&root, &program)?;
    let size = fs::metadata(&program).with_context(|| program.display().to_string())?.len();
    println!("{}: the program has {:.1} MB", wheel.display(), size as f64 / 1e6);
    ensure!(size <= MOST_BYTES, "the program has {size} bytes, and {MOST_BYTES} are allowed");
    Ok(())
}

/// Builds the wheel into a folder.
fn build(root: &Path, out: &Path) -> Result<PathBuf> {
    let tools = root.join(".tools/wheel");
    let stamp = tools.join("layoutc-packages.txt");
    let wanted = PACKAGES.join("\n");
    if !fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        make_venv(&tools)?;
        ensure!(pip_install(&tools, &PACKAGES)?, "pip could not install {}", PACKAGES.join(", "));
        fs::write(&stamp, wanted).with_context(|| stamp.display().to_string())?;
    }
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| out.display().to_string())?;
    }
    let target = format!("{ARCH}-unknown-linux-gnu");
    let maturin = tools.join("bin/maturin");
    let arguments = ["build", "--release", "--zig", "--compatibility", "manylinux2014", "--target"];
    println!("$ maturin {} {target}", arguments.join(" "));
    let status = Command::new(&maturin)
        .args(arguments)
        .args([&target, "--out"])
        .arg(out)
        // zig is found in the environment of maturin.
        .env("VIRTUAL_ENV", &tools)
        .env("PATH", path_with(&tools.join("bin"))?)
        .current_dir(root)
        .status()
        .with_context(|| format!("cannot run {}", maturin.display()))?;
    ensure!(status.success(), "maturin failed");
    let mut wheels = Vec::new();
    for entry in fs::read_dir(out).with_context(|| out.display().to_string())? {
        wheels.push(entry?.path());
    }
    match wheels.as_slice() {
        [wheel] => Ok(wheel.clone()),
        _ => bail!("maturin made {} files", wheels.len()),
    }
}

/// The path with a folder in front.
fn path_with(folder: &Path) -> Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path));
    Ok(std::env::join_paths(folders)?)
}

/// Asks an installed program for its version, and transforms a program with it.
fn use_it(root: &Path, program: &Path) -> Result<()> {
    let layoutc = Layoutc::at(program.to_path_buf());
    let sandbox = tempfile::tempdir()?;
    let version = layoutc.run(sandbox.path(), TRANSFORM_LIMIT, ["--version"])?;
    let wanted = format!("layoutc {}", env!("CARGO_PKG_VERSION"));
    ensure!(version.stdout.starts_with(&wanted), "`--version` prints `{}`", version.stdout);
    print!("{}", version.stdout);
    fs::copy(root.join("testdata/programs/nbody/nbody.cu"), sandbox.path().join("nbody.cu"))?;
    let arguments = ["transform", "nbody.cu", "-o", "out.cu"];
    let outcome = layoutc.run(sandbox.path(), TRANSFORM_LIMIT, arguments)?;
    print!("{}{}", outcome.stdout, outcome.stderr);
    let text = fs::read_to_string(sandbox.path().join("out.cu")).context("nothing was written")?;
    ensure!(text.contains("struct BodyTile32"), "the program was not changed");
    Ok(())
}
