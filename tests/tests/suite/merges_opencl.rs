//! Every shipped OpenCL program with separate buffers, put together as its `merge.toml` says and as the tool chooses: all
//! arrays that it names change, and on the OpenCL that is installed it passes its own check and prints what it
//! did before.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::listed::{DEVICES, Listed};
use layoutc_tests::opencl::{Host, in_words, passed};
use layoutc_tests::program::programs_folder;

/// The file beside a program's sources.
const SETTINGS: &str = "merge.toml";

macro_rules! merges {
    ($($program:ident)*) => {
        mod listed {
            $(#[test]
            fn $program() -> anyhow::Result<()> {
                super::in_all_layouts(stringify!($program))
            })*
        }

        mod automatic {
            $(#[test]
            fn $program() -> anyhow::Result<()> {
                super::by_itself(stringify!($program))
            })*
        }

        const TESTED: &[&str] = &[$(stringify!($program)),*];
    };
}

merges! {
    merge_particles
    merge_relaxation
    merge_triangles
}

/// Programs in which arrays are put together without being asked for.
const CHOSEN: [&str; 1] = ["merge_relaxation"];

#[test]
fn every_program_with_layouts_is_tested() -> Result<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(programs_folder().join("opencl"))? {
        let entry = entry?;
        if entry.path().join(SETTINGS).is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    assert_eq!(names, TESTED);
    Ok(())
}

/// What each run prints.
type Outputs = Vec<Vec<u8>>;

fn outputs(listed: &Listed, folder: &Path) -> Result<Outputs> {
    let files: Vec<PathBuf> = listed.files.iter().map(|file| folder.join(file)).collect();
    let host = Host::build_files(&files, folder, vec![folder.to_path_buf()])?;
    let run = |args: &Vec<String>| {
        let result = host.run(args)?;
        ensure!(passed(&result), "{args:?}:\n{}", in_words(&result));
        Ok(result.stdout)
    };
    listed.args.iter().map(run).collect()
}

fn in_all_layouts(name: &str) -> Result<()> {
    let listed = Listed::load(&format!("opencl/{name}"), SETTINGS)?;
    let before = outputs(&listed, &listed.folder)?;
    ensure!(!listed.layouts.is_empty(), "no layouts");
    for layouts in &listed.layouts {
        let out = tempfile::tempdir()?;
        listed.transform(layouts, out.path()).with_context(|| layouts.join(", "))?;
        let after = outputs(&listed, out.path()).with_context(|| layouts.join(", "))?;
        ensure!(before == after, "{}: another output", layouts.join(", "));
    }
    Ok(())
}

fn by_itself(name: &str) -> Result<()> {
    let listed = Listed::load(&format!("opencl/{name}"), SETTINGS)?;
    let before = outputs(&listed, &listed.folder)?;
    for device in DEVICES {
        let out = tempfile::tempdir()?;
        let mut arguments = vec!["transform".to_owned()];
        arguments.extend(listed.files.iter().cloned());
        arguments.extend(["--out-dir".to_owned(), out.path().display().to_string()]);
        arguments.extend(["--device".to_owned(), device.to_owned()]);
        let outcome = Layoutc::built()?.run(&listed.folder, TRANSFORM_LIMIT, &arguments)?;
        ensure!(outcome.succeeded(), "transform: {}\n{}", outcome.ending(), outcome.stderr);
        let is_changed = outcome.stderr.contains("changed: ");
        ensure!(is_changed || !CHOSEN.contains(&name), "{device}: {}", outcome.stderr);
        let after = outputs(&listed, out.path()).context(device)?;
        ensure!(before == after, "{device}: another output");
    }
    Ok(())
}
