//! `cargo xtask styles`: what views change beside the inline style, in the text and in machine code.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};
use layoutc_tests::program::{self, Program};
use layoutc_tests::sandbox::copy_folder;
use layoutc_tests::sass::KernelCode;

/// The layout that both styles write.
const LAYOUT: &str = "* = tiled(32)";

/// A program in one style.
struct Written {
    /// Lines that are added or removed in the files that people wrote.
    lines: usize,
    /// The machine code of its kernels with the symbols up to the parameters, sorted.
    kernels: Vec<(String, KernelCode)>,
}

/// Prints one Markdown row per shipped program that changes.
///
/// # Errors
/// When nvcc is missing, or does not take an output; when a kernel is worse in the style of views.
pub fn run() -> Result<()> {
    let (nvcc, layoutc) = (Nvcc::find()?, Layoutc::built()?);
    println!("nvcc {}, {ARCH}, `{LAYOUT}`\n", nvcc.release()?);
    println!(
        "| program | lines inline | lines with views and a header | kernels | with other machine code |"
    );
    println!("|---|---:|---:|---:|---:|");
    let mut worse = Vec::new();
    for name in program::names()? {
        let program = Program::load(&name)?;
        let inline = written(&layoutc, &nvcc, &program, ["inline", "inline"])?;
        let view = written(&layoutc, &nvcc, &program, ["view", "header"])?;
        if inline.lines == 0 {
            continue;
        }
        ensure!(inline.kernels.len() == view.kernels.len(), "{name}: other kernels");
        let mut others = 0;
        for ((symbol, before), (_, after)) in inline.kernels.iter().zip(&view.kernels) {
            let counts = |code: &KernelCode| {
                [code.loads(), code.stores, code.registers as usize, code.stack_bytes as usize]
            };
            let is_worse = counts(after).iter().zip(counts(before)).any(|(new, old)| *new > old)
                || after.read_only_loads < before.read_only_loads;
            if is_worse {
                worse.push(format!("{name}: {symbol}\n{before:?}\n{after:?}"));
            }
            let own = KernelCode { symbol: before.symbol.clone(), ..after.clone() };
            others += usize::from(own != *before);
        }
        println!(
            "| {name} | {} | {} | {} | {others} |",
            inline.lines,
            view.lines,
            view.kernels.len()
        );
    }
    ensure!(worse.is_empty(), "worse with views:\n{}", worse.join("\n"));
    Ok(())
}

/// Writes a program and compiles its kernels.
fn written(
    layoutc: &Layoutc,
    nvcc: &Nvcc,
    program: &Program,
    [style, helpers]: [&str; 2],
) -> Result<Written> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("out");
    copy_folder(&program.folder, &out)?;
    let mut arguments = vec!["transform".to_owned()];
    arguments.extend(program.files.iter().map(|file| file.display().to_string()));
    let options = ["--layout", LAYOUT, "--style", style, "--helpers", helpers, "--out-dir"];
    arguments.extend(options.map(str::to_owned));
    arguments.push(out.display().to_string());
    let outcome = layoutc.run(&program.folder, TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "{}: {}\n{}", program.name, outcome.ending(), outcome.stderr);
    let mut kernels = Vec::new();
    let flags = Flags { include_dirs: vec![out.clone()], ..Flags::default() };
    for file in program.files.iter().filter(|file| file.extension().is_some_and(|end| end == "cu"))
    {
        let cubin = folder.path().join("out.cubin");
        nvcc.compile_cubin(&out.join(file), &flags, ARCH, &cubin)?;
        for kernel in nvcc.kernels(&cubin)? {
            kernels.push((format!("{} {}", file.display(), stem(&kernel.symbol)), kernel));
        }
    }
    kernels.sort_by(|(a, one), (b, other)| (a, one.instructions).cmp(&(b, other.instructions)));
    Ok(Written { lines: lines(&program.folder, &out)?, kernels })
}

/// A mangled name up to its parameters, which the style changes: names without the lengths in front.
fn stem(symbol: &str) -> String {
    let Some(rest) = symbol.strip_prefix("_Z") else { return symbol.to_owned() };
    let is_nested = rest.starts_with('N');
    let mut rest = rest.trim_start_matches('N');
    let mut names = Vec::new();
    while let Some(end) = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0) {
        let Ok(length) = rest[..end].parse::<usize>() else { break };
        let Some(name) = rest.get(end..end + length) else { break };
        // The names of unnamed namespaces differ from file to file.
        names.push(if name.starts_with("_GLOBAL__N_") { "(unnamed)" } else { name });
        rest = &rest[end + length..];
        if !is_nested {
            break;
        }
    }
    names.join("::")
}

/// Lines that differ in the files of a folder and their copies elsewhere.
fn lines(from: &Path, to: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let other = to.join(path.file_name().context("a name")?);
        if path.is_dir() {
            count += lines(&path, &other)?;
            continue;
        }
        let (before, after) = (fs::read(&path)?, fs::read(&other)?);
        let diff = similar::TextDiff::from_lines(&before, &after);
        let is_changed =
            |change: &similar::Change<&[u8]>| change.tag() != similar::ChangeTag::Equal;
        count += diff.iter_all_changes().filter(is_changed).count();
    }
    Ok(count)
}
