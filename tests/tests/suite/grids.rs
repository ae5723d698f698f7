//! Every shipped grid program in every layout that its `grid.toml` lists, and in those that are chosen
//! for two devices: all arrays that it names change, nvcc accepts the result, and on the CPU runtime it
//! does the same as before.

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::listed::{DEVICES, Listed};
use serde_json::Value;

/// The file beside a program's sources.
const SETTINGS: &str = "grid.toml";

macro_rules! grids {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() -> anyhow::Result<()> {
            Listed::load(stringify!($program), SETTINGS)?.test()
        })*

        const TESTED: &[&str] = &[$(stringify!($program)),*];
    };
}

grids! {
    grid_divmod
    grid_files
    grid_flat_records
    grid_gauss_seidel
    grid_halo
    grid_heat3d
    grid_lbm_d2q9
    grid_lbm_d3q19
    grid_macros
    grid_multigrid
    grid_pragma
    grid_ranges
    grid_structs
    grid_structs_columns
    grid_thermal
    grid_typed
    grid_vla
    grid_wave2d
}

/// What the tool chooses for grids.
mod automatic {
    macro_rules! automatic {
        ($($program:ident)*) => {
            $(#[test]
            fn $program() -> anyhow::Result<()> {
                super::Listed::load(stringify!($program), super::SETTINGS)?.test_automatic()
            })*
            pub const TESTED: &[&str] = &[$(stringify!($program)),*];
        };
    }

    automatic! {
        grid_divmod
        grid_flat_records
        grid_gauss_seidel
        grid_halo
        grid_heat3d
        grid_heat3d_column
        grid_lbm_d2q9
        grid_lbm_d3q19
        grid_multigrid
        grid_pragma
        grid_structs
        grid_structs_columns
        grid_thermal
        grid_typed
        grid_wave2d
    }
}

/// OpenCL programs, in `testdata/programs/opencl`.
mod opencl {
    use super::{Listed, SETTINGS};

    macro_rules! opencl {
        ($($program:ident)*) => {
            $(mod $program {
                use super::{Listed, SETTINGS};

                #[test]
                fn asked_for() -> anyhow::Result<()> {
                    Listed::load(concat!("opencl/", stringify!($program)), SETTINGS)?.test()
                }

                #[test]
                fn automatic() -> anyhow::Result<()> {
                    Listed::load(concat!("opencl/", stringify!($program)), SETTINGS)?
                        .test_automatic()
                }
            })*

            const TESTED: &[&str] = &[$(concat!("opencl/", stringify!($program))),*];
        };
    }

    opencl! {
        grid_channel
        grid_columns
        grid_heat3d
    }

    #[test]
    fn every_program_with_layouts_is_tested() -> anyhow::Result<()> {
        assert_eq!(Listed::names_in("opencl/", SETTINGS)?, TESTED);
        Ok(())
    }

    /// What nobody asks for: lanes that are apart come together, and the others stay.
    #[test]
    fn choices() -> anyhow::Result<()> {
        insta::assert_snapshot!("opencl_choices", super::choices_of(TESTED)?);
        Ok(())
    }
}

/// All grids of all programs with what becomes of them and why, so that a change of the rules shows.
#[test]
fn choices() -> Result<()> {
    insta::assert_snapshot!("choices", choices_of(automatic::TESTED)?);
    Ok(())
}

fn choices_of(names: &[&str]) -> Result<String> {
    let mut text = String::new();
    for name in names {
        let settings = Listed::load(name, SETTINGS)?;
        for device in DEVICES {
            let mut arguments = vec!["analyze", "--json", "--device", device];
            arguments.extend(settings.files.iter().map(String::as_str));
            let outcome = Layoutc::built()?.run(&settings.folder, TRANSFORM_LIMIT, arguments)?;
            ensure!(outcome.succeeded(), "analyze: {}\n{}", outcome.ending(), outcome.stderr);
            let analysis: Value = serde_json::from_str(&outcome.stdout)?;
            for grid in analysis["grids"].as_array().context("no `grids`")? {
                let word = |key: &str| grid[key].as_str().unwrap_or("-").to_owned();
                let (array, status) = (grid["names"][0].as_str().unwrap_or("-"), word("status"));
                let layout = if status == "stays" { String::new() } else { word("layout") + " " };
                text +=
                    &format!("{name} {device} {array} {status} {layout}- {}\n", word("because"));
            }
        }
    }
    Ok(text)
}

#[test]
fn every_program_with_layouts_is_tested() -> Result<()> {
    assert_eq!(Listed::names(SETTINGS)?, TESTED);
    Ok(())
}
