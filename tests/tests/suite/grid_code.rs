//! What the flattening functions of grids cost: the address arithmetic of the D3Q19 kernel, in
//! machine code, beside that of a structure of arrays written by hand.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::nvcc::{Flags, Nvcc};
use layoutc_tests::program::programs_folder;
use layoutc_tests::sass::KernelCode;

const KERNEL: &str = "collide_and_push";

fn measured(nvcc: &Nvcc, file: &Path, arch: &str) -> Result<KernelCode> {
    let folder = tempfile::tempdir()?;
    let cubin = folder.path().join("kernel.cubin");
    nvcc.compile_cubin(file, &Flags::default(), arch, &cubin)?;
    let kernels = nvcc.kernels(&cubin)?;
    kernels.into_iter().find(|kernel| kernel.is_named(KERNEL)).context("the kernel is not there")
}

/// The kernel in a layout may have `percent` of the address instructions of the hand-written one,
/// and no more loads, stores, calls or stack.
fn compare(layout: &str, percent: usize) -> Result<()> {
    let nvcc = Nvcc::find()?;
    let folder = tempfile::tempdir()?;
    let source = programs_folder().join("grid_lbm_d3q19/grid_lbm_d3q19.cu");
    std::fs::copy(&source, folder.path().join("in.cu"))?;
    let outcome = Layoutc::built()?.run(
        folder.path(),
        TRANSFORM_LIMIT,
        ["transform", "in.cu", "-o", "out.cu", "--require", "src", "--layout", layout],
    )?;
    ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
    let by_hand = programs_folder().join("../grids/sass/d3q19_soa.cu");
    for arch in ["sm_80", "sm_90"] {
        let ours = measured(&nvcc, &folder.path().join("out.cu"), arch)?;
        let expert = measured(&nvcc, &by_hand, arch)?;
        let counts = format!("{layout}, {arch}: {ours:?}, by hand {expert:?}");
        ensure!(
            ours.address_instructions * 100 <= expert.address_instructions * percent,
            "too much address arithmetic: {counts}"
        );
        ensure!(
            ours.loads() <= expert.loads()
                && ours.stores <= expert.stores
                && ours.calls <= expert.calls
                && ours.stack_bytes <= expert.stack_bytes,
            "more than address arithmetic: {counts}"
        );
        println!(
            "{layout}, {arch}: {} address instructions, by hand {}",
            ours.address_instructions, expert.address_instructions
        );
    }
    Ok(())
}

/// Rows in tiles of a warp's lanes, the directions directly outside: what the tool chooses.
#[test]
fn rows_in_tiles() -> Result<()> {
    compare("src = [z, y, x/32, field, x%32]", 130)
}

/// Cells in tiles, whatever the extents.
#[test]
fn cells_in_tiles() -> Result<()> {
    compare("src = tiled(32)", 130)
}

/// The test can fail: digits of three dimensions cost more than that.
#[test]
fn a_costly_order_does_not_pass() {
    let layout = "src = [z/3, y/5, x/7, field, z%3, y%5, x%7]";
    assert!(compare(layout, 130).is_err());
}
