//! Every shipped grid program in every layout that its `grid.toml` lists, and in those that are chosen
//! for two devices: all arrays that it names change, nvcc accepts the result, and on the CPU runtime it
//! does the same as before.
//!
//! ```toml
//! files = ["grid_heat3d.cu"]
//! args = [[], ["64", "32", "3"]]             # one small run each
//! layouts = [["u = [z, y/4, x/16, y%4, x%16]"]]   # what follows `--layout`, one list for each test
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT, VERIFY_LIMIT};
use layoutc_tests::nvcc::{ARCH, Flags, Nvcc};
use layoutc_tests::program::programs_folder;
use serde::Deserialize;
use serde_json::Value;

/// A `grid.toml`; what else it says is for people.
#[derive(Deserialize)]
struct Settings {
    files: Vec<String>,
    args: Vec<Vec<String>>,
    #[serde(default)]
    layouts: Vec<Vec<String>>,
}

fn load(name: &str) -> Result<(PathBuf, Settings)> {
    let folder = programs_folder().join(name);
    let text = fs::read_to_string(folder.join("grid.toml")).context("no grid.toml")?;
    Ok((folder, toml::from_str(&text)?))
}

fn test(name: &str) -> Result<()> {
    let (folder, settings) = load(name)?;
    ensure!(!settings.layouts.is_empty(), "no layouts");
    for (number, layouts) in settings.layouts.iter().enumerate() {
        let out = tempfile::tempdir()?;
        transform(&folder, &settings, layouts, out.path()).with_context(|| layouts.join(", "))?;
        let nvcc = Nvcc::find()?;
        let flags = Flags { include_dirs: vec![out.path().to_path_buf()], ..Flags::default() };
        for file in &settings.files {
            let object = out.path().join("object.o");
            nvcc.compile_object(&out.path().join(file), &flags, ARCH, &object)
                .with_context(|| layouts.join(", "))?;
        }
        // The first run in each layout, and each of the others in one.
        let count = settings.layouts.len();
        let runs = settings.args.iter().enumerate();
        for (_, args) in runs.filter(|(at, _)| *at == 0 || (at - 1) % count == number) {
            verify(&folder, &settings, &options(layouts), args)
                .with_context(|| format!("{} -- {}", layouts.join(", "), args.join(" ")))?;
        }
    }
    Ok(())
}

/// Devices without and with steering bits.
const DEVICES: [&str; 2] = ["h100", "gtx280"];

/// What the tool does by itself, for both devices.
fn test_automatic(name: &str) -> Result<()> {
    let (folder, settings) = load(name)?;
    for (number, device) in DEVICES.into_iter().enumerate() {
        let out = tempfile::tempdir()?;
        let options = ["--device".to_owned(), device.to_owned()];
        let mut arguments = vec!["transform".to_owned()];
        arguments.extend(settings.files.iter().cloned());
        arguments.extend(["--out-dir".to_owned(), path(out.path())]);
        arguments.extend(options.iter().cloned());
        let outcome = Layoutc::built()?.run(&folder, TRANSFORM_LIMIT, &arguments)?;
        ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
        if !outcome.stderr.contains("changed: ") {
            continue;
        }
        let nvcc = Nvcc::find()?;
        let flags = Flags { include_dirs: vec![out.path().to_path_buf()], ..Flags::default() };
        for file in &settings.files {
            let object = out.path().join("object.o");
            nvcc.compile_object(&out.path().join(file), &flags, ARCH, &object).context(device)?;
        }
        // The first run for each device, and each of the others for one.
        let runs = settings.args.iter().enumerate();
        for (_, args) in runs.filter(|(at, _)| *at == 0 || at % 2 == number) {
            verify(&folder, &settings, &options, args)
                .with_context(|| format!("{device} -- {}", args.join(" ")))?;
        }
    }
    Ok(())
}

fn options(layouts: &[String]) -> Vec<String> {
    layouts.iter().flat_map(|layout| ["--layout".to_owned(), layout.clone()]).collect()
}

fn transform(folder: &Path, settings: &Settings, layouts: &[String], out: &Path) -> Result<()> {
    let report = out.join("report.json");
    let mut arguments = vec!["transform".to_owned()];
    arguments.extend(settings.files.iter().cloned());
    arguments.extend(["--out-dir".to_owned(), path(out), "--report".to_owned(), path(&report)]);
    arguments.extend(options(layouts));
    for layout in layouts {
        let target = layout.split('=').next().unwrap_or_default().trim();
        arguments.extend(["--require".to_owned(), target.to_owned()]);
    }
    let outcome = Layoutc::built()?.run(folder, TRANSFORM_LIMIT, &arguments)?;
    ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
    let report: Value = serde_json::from_slice(&fs::read(&report)?)?;
    let classes = report["classes"].as_array().context("the report has no `classes`")?;
    for layout in layouts {
        let target = layout.split('=').next().unwrap_or_default().trim();
        let changed = classes.iter().any(|class| {
            let names = class["names"].as_array();
            class["status"] == "changed"
                && names.is_some_and(|names| names.iter().any(|name| name == target))
        });
        ensure!(changed, "{target} did not change\n{report:#}");
    }
    Ok(())
}

fn verify(folder: &Path, settings: &Settings, options: &[String], args: &[String]) -> Result<()> {
    let mut arguments = vec!["verify".to_owned()];
    arguments.extend(settings.files.iter().cloned());
    arguments.extend(options.iter().cloned());
    arguments.push("--".to_owned());
    arguments.extend(args.iter().cloned());
    let outcome = Layoutc::built()?.run(folder, VERIFY_LIMIT, &arguments)?;
    ensure!(
        outcome.succeeded() && outcome.stdout.contains("identical"),
        "verify: {}\n{}{}",
        outcome.ending(),
        outcome.stdout,
        outcome.stderr
    );
    Ok(())
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

macro_rules! grids {
    ($($program:ident)*) => {
        $(#[test]
        fn $program() -> anyhow::Result<()> {
            test(stringify!($program))
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
                super::test_automatic(stringify!($program))
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

/// All grids of all programs with what becomes of them and why, so that a change of the rules shows.
#[test]
fn choices() -> Result<()> {
    let mut text = String::new();
    for name in automatic::TESTED {
        let (folder, settings) = load(name)?;
        for device in DEVICES {
            let mut arguments = vec!["analyze", "--json", "--device", device];
            arguments.extend(settings.files.iter().map(String::as_str));
            let outcome = Layoutc::built()?.run(&folder, TRANSFORM_LIMIT, arguments)?;
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
    insta::assert_snapshot!("choices", text);
    Ok(())
}

#[test]
fn every_program_with_layouts_is_tested() -> Result<()> {
    let mut with_layouts = Vec::new();
    for entry in fs::read_dir(programs_folder())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Ok((_, settings)) = load(&name)
            && !settings.layouts.is_empty()
        {
            with_layouts.push(name);
        }
    }
    with_layouts.sort();
    assert_eq!(with_layouts, TESTED);
    Ok(())
}
