//! `cargo xtask probes`: the numbers behind the code-quality gate of `tests/tests/suite/probes.rs`.

use std::fs;

use anyhow::{Result, bail};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::nvcc::{ARCH, Nvcc};
use layoutc_tests::probe::{self, Probe};
use layoutc_tests::sass::KernelCode;

/// Prints one Markdown row per probe and form: as written, by hand, transformed.
///
/// # Errors
/// When nvcc or a probe is missing. A probe that is not transformed gets a row that says so.
pub fn run() -> Result<()> {
    let nvcc = Nvcc::find()?;
    let layoutc = Layoutc::built()?;
    println!("nvcc {}, {ARCH}\n", nvcc.release()?);
    println!(
        "| probe | form | registers | stack | instructions | address | loads (bits × count) | before first store | stores |"
    );
    println!("|---|---|---:|---:|---:|---:|---|---:|---:|");
    for name in probe::names()? {
        let probe = Probe::load(&name)?;
        println!("{}", row(&name, "as written", &probe.measure(&nvcc, &probe.source)?));
        for reference in &probe.references {
            let by_hand = probe.measure(&nvcc, &reference.file)?;
            println!("{}", row(&name, &format!("{}, by hand", reference.name), &by_hand));
            let form = format!("{}, transformed", reference.name);
            match transformed(&layoutc, &nvcc, &probe, &reference.layout) {
                Ok(code) => println!("{}", row(&name, &form, &code)),
                Err(error) => {
                    let line = error.to_string();
                    println!("| {name} | {form} | {} |", line.lines().next().unwrap_or_default());
                }
            }
        }
    }
    Ok(())
}

fn transformed(layoutc: &Layoutc, nvcc: &Nvcc, probe: &Probe, layout: &str) -> Result<KernelCode> {
    let folder = tempfile::tempdir()?;
    fs::copy(&probe.source, folder.path().join("in.cu"))?;
    let arguments = ["transform", "in.cu", "-o", "out.cu", "--layout", layout];
    let outcome = layoutc.run(folder.path(), TRANSFORM_LIMIT, arguments)?;
    if !outcome.succeeded() {
        bail!("{}: {}", outcome.ending(), outcome.stderr.trim());
    }
    probe.measure(nvcc, &folder.path().join("out.cu"))
}

fn row(probe: &str, form: &str, code: &KernelCode) -> String {
    let loads: Vec<String> =
        code.loads_by_width.iter().map(|(bits, count)| format!("{bits} × {count}")).collect();
    format!(
        "| {probe} | {form} | {} | {} | {} | {} | {} | {} | {} |",
        code.registers,
        code.stack_bytes,
        code.instructions,
        code.address_instructions,
        loads.join(", "),
        code.loads_before_first_store,
        code.stores
    )
}
