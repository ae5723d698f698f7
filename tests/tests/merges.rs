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
}

#[test]
fn every_program_with_layouts_is_tested() -> Result<()> {
    assert_eq!(Listed::names(SETTINGS)?, TESTED);
    Ok(())
}

/// What is gathered with one index comes with one load, and goes with one store.
#[test]
fn members_are_loaded_together() -> Result<()> {
    let nvcc = Nvcc::find()?;
    let folder = tempfile::tempdir()?;
    let listed = Listed::load("merge_particles", SETTINGS)?;
    let file = folder.path().join("out.cu");
    let mut loads = Vec::new();
    for layout in ["d_fx + d_fy + d_fz = aos align(16)", "unchanged"] {
        if layout == "unchanged" {
            std::fs::copy(listed.folder.join("merge_particles.cu"), &file)?;
        } else {
            let output = file.to_string_lossy().into_owned();
            let arguments = ["transform", "merge_particles.cu", "-o", &output, "--layout", layout];
            let outcome = Layoutc::built()?.run(&listed.folder, TRANSFORM_LIMIT, arguments)?;
            ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
        }
        let cubin = folder.path().join("kernel.cubin");
        nvcc.compile_cubin(&file, &Flags::default(), ARCH, &cubin)?;
        let kernels = nvcc.kernels(&cubin)?;
        let kernel = kernels.into_iter().find(|kernel| kernel.is_named("move"));
        loads.push(kernel.context("the kernel is not there")?.loads_by_width);
    }
    let wide = |at: usize| {
        loads[at].iter().filter(|(width, _)| **width > 32).map(|(_, n)| n).sum::<usize>()
    };
    let all = |at: usize| loads[at].values().sum::<usize>();
    ensure!(wide(0) > wide(1) && all(0) < all(1), "loads by width: {loads:?}");
    Ok(())
}
