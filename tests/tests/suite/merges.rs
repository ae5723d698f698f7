//! Every shipped program with separate arrays, put together as its `merge.toml` says and as the tool chooses: all
//! arrays that it names change, nvcc accepts the result, and on the CPU runtime it does the same as
//! before.

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::listed::Listed;
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};

/// The file beside a program's sources.
const SETTINGS: &str = "merge.toml";

macro_rules! merges {
    ($($program:ident)*) => {
        mod listed {
            $(#[test]
            fn $program() -> anyhow::Result<()> {
                super::Listed::load(stringify!($program), super::SETTINGS)?.test()
            })*
        }

        mod automatic {
            $(#[test]
            fn $program() -> anyhow::Result<()> {
                super::Listed::load(stringify!($program), super::SETTINGS)?.test_automatic()
            })*
        }

        const TESTED: &[&str] = &[$(stringify!($program)),*];
    };
}

merges! {
    merge_particles
    merge_relaxation
    merge_sparse
    merge_triangles
}

#[test]
fn every_program_with_layouts_is_tested() -> Result<()> {
    assert_eq!(Listed::names(SETTINGS)?, TESTED);
    Ok(())
}

/// Arrays whose index is read from memory at each access are found without being asked for.
#[test]
fn what_is_read_through_a_list_is_found() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let listed = Listed::load("merge_triangles", SETTINGS)?;
    let output = folder.path().join("out.cu").to_string_lossy().into_owned();
    let arguments = ["transform", "merge_triangles.cu", "-o", &output];
    let outcome = Layoutc::built()?.run(&listed.folder, TRANSFORM_LIMIT, arguments)?;
    ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
    ensure!(outcome.stderr.contains("to d_px + d_py = aos"), "{}", outcome.stderr);
    Ok(())
}

/// Values of one index come with one load.
#[test]
fn members_are_loaded_together() -> Result<()> {
    let nvcc = Nvcc::find()?;
    let folder = tempfile::tempdir()?;
    let listed = Listed::load("merge_relaxation", SETTINGS)?;
    let file = folder.path().join("out.cu");
    let mut loads = Vec::new();
    for layout in ["west + east + south + north = aos", "unchanged"] {
        if layout == "unchanged" {
            std::fs::copy(listed.folder.join("merge_relaxation.cu"), &file)?;
        } else {
            let output = file.to_string_lossy().into_owned();
            let arguments = ["transform", "merge_relaxation.cu", "-o", &output, "--layout", layout];
            let outcome = Layoutc::built()?.run(&listed.folder, TRANSFORM_LIMIT, arguments)?;
            ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
        }
        let cubin = folder.path().join("kernel.cubin");
        nvcc.compile_cubin(&file, &Flags::default(), ARCH, &cubin)?;
        let kernels = nvcc.kernels(&cubin)?;
        let kernel = kernels.into_iter().find(|kernel| kernel.is_named("relax"));
        loads.push(kernel.context("the kernel is not there")?.loads_by_width);
    }
    let count = |at: usize, width: u32| loads[at].get(&width).copied().unwrap_or(0);
    ensure!(count(0, 128) == 1 && count(0, 32) + 4 == count(1, 32), "loads by width: {loads:?}");
    Ok(())
}
