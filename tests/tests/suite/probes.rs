//! The code-quality gate: what `layoutc transform` writes is as good as what an expert writes.
//!
//! Each probe kernel is transformed and compiled to machine code for `sm_80`. Beside the
//! hand-written kernel for the same layout it may not have more global loads, stores, registers,
//! stack or calls, and at most one more address instruction. The hand-written numbers are measured
//! here too, with the same compiler, so that the gate holds for any version of nvcc.

use std::fs;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::nvcc::Nvcc;
use layoutc_tests::probe::Probe;
use layoutc_tests::sass::KernelCode;

/// How many address instructions more than the hand-written form are let pass.
const ADDRESS_SLACK: usize = 1;

fn transformed(probe: &Probe, layout: &str, nvcc: &Nvcc) -> Result<KernelCode> {
    let folder = tempfile::tempdir()?;
    fs::copy(&probe.source, folder.path().join("in.cu"))?;
    let outcome = Layoutc::built()?.run(
        folder.path(),
        TRANSFORM_LIMIT,
        ["transform", "in.cu", "-o", "out.cu", "--layout", layout],
    )?;
    ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
    let out = folder.path().join("out.cu");
    let text = fs::read_to_string(&out)?;
    ensure!(text != fs::read_to_string(&probe.source)?, "nothing was changed\n{}", outcome.stderr);
    probe.measure(nvcc, &out).with_context(|| format!("the output is\n{text}"))
}

/// Fails with every count that is worse than the hand-written one's.
fn compare(ours: &KernelCode, by_hand: &KernelCode) -> Result<()> {
    let count = |value: u32| usize::try_from(value).unwrap_or(usize::MAX);
    let limits = [
        ("global loads", ours.loads(), by_hand.loads()),
        ("stores", ours.stores, by_hand.stores),
        ("registers", count(ours.registers), count(by_hand.registers)),
        ("stack bytes", count(ours.stack_bytes), count(by_hand.stack_bytes)),
        ("calls", ours.calls, by_hand.calls),
        (
            "address instructions",
            ours.address_instructions,
            by_hand.address_instructions + ADDRESS_SLACK,
        ),
    ];
    let worse: Vec<String> = limits
        .iter()
        .filter(|(_, ours, limit)| ours > limit)
        .map(|(what, ours, limit)| format!("{ours} {what}, at most {limit}"))
        .collect();
    ensure!(
        worse.is_empty(),
        "{}\ntransformed  {ours:?}\nhand-written {by_hand:?}",
        worse.join("; ")
    );
    Ok(())
}

fn gate(probe: &str, reference: &str) -> Result<()> {
    let nvcc = Nvcc::find()?;
    let probe = Probe::load(probe)?;
    let reference = probe.reference(reference)?;
    let by_hand = probe.measure(&nvcc, &reference.file)?;
    let ours = transformed(&probe, &reference.layout, &nvcc)?;
    compare(&ours, &by_hand).with_context(|| format!("{} in {}", probe.name, reference.layout))
}

macro_rules! gates {
    ($($probe:ident { $($layout:ident),* })*) => {
        $(mod $probe {
            $(#[test]
            fn $layout() -> anyhow::Result<()> {
                super::gate(stringify!($probe), stringify!($layout))
            })*
        })*
    };
}

gates! {
    k1_update { aligned, soa, clustered, tiled }
    k2_gather { aligned, soa, clustered, tiled }
    k3_grid { aligned, soa, clustered, tiled }
}

/// What the layouts are worth, as the design states it: if a compiler changes these, the gate
/// above measures against the wrong forms.
#[test]
fn the_hand_written_forms_are_worth_copying() -> Result<()> {
    let nvcc = Nvcc::find()?;
    let measure = |probe: &str, form: &str| -> Result<KernelCode> {
        let probe = Probe::load(probe)?;
        let file =
            if form == "aos" { probe.source.clone() } else { probe.reference(form)?.file.clone() };
        probe.measure(&nvcc, &file)
    };
    let (aos, tiled) = (measure("k1_update", "aos")?, measure("k1_update", "tiled")?);
    ensure!(tiled.loads() == 7 && tiled.loads_before_first_store == 7, "{tiled:?}");
    ensure!(tiled.registers <= aos.registers, "{tiled:?} {aos:?}");
    let soa = measure("k1_update", "soa")?;
    ensure!(soa.loads() == 7, "restrict locals no longer help: {soa:?}");
    let aligned = measure("k1_update", "aligned")?;
    ensure!(aligned.loads_by_width.get(&128) == Some(&2), "{aligned:?}");
    let (gather, clustered) = (measure("k2_gather", "aos")?, measure("k2_gather", "clustered")?);
    ensure!(clustered.loads() * 2 < gather.loads(), "{clustered:?} {gather:?}");
    Ok(())
}

#[test]
fn a_worse_kernel_does_not_pass() {
    let good = KernelCode { registers: 18, address_instructions: 7, ..KernelCode::default() };
    assert!(compare(&KernelCode { address_instructions: 8, ..good.clone() }, &good).is_ok());
    assert!(compare(&KernelCode { address_instructions: 9, ..good.clone() }, &good).is_err());
    assert!(compare(&KernelCode { registers: 19, ..good.clone() }, &good).is_err());
    assert!(compare(&KernelCode { stores: 1, ..good.clone() }, &good).is_err());
    assert!(compare(&KernelCode { stack_bytes: 8, ..good.clone() }, &good).is_err());
}
