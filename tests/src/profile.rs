//! Recorded runs, as the tests of `layoutc profile` make and check them.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use layoutc_analysis::profile::{Accessed, Counts, Instruction, Profile};

use crate::layoutc::{Layoutc, VERIFY_LIMIT};
use crate::process::Outcome;
use crate::program::Program;

/// Runs `layoutc profile` in a folder; the profile, if it wrote one.
///
/// # Errors
/// When it cannot be run, or writes what is no profile.
pub fn profile(folder: &Path, arguments: &[String]) -> Result<(Outcome, Option<Profile>)> {
    let output = tempfile::tempdir()?;
    let path = output.path().join("profile.json");
    let mut all = vec!["profile".to_owned(), "-o".to_owned(), path.display().to_string()];
    all.extend(arguments.iter().cloned());
    let outcome = Layoutc::built()?.run(folder, VERIFY_LIMIT, &all)?;
    let read = |bytes: Vec<u8>| Profile::read(&bytes).map_err(|error| anyhow::anyhow!("{error}"));
    let profile = fs::read(&path).ok().map(read).transpose()?;
    Ok((outcome, profile))
}

/// The program does the same in what the selector chooses from its profile.
///
/// # Errors
/// When it does not, or cannot be run.
pub fn same_in_the_layout_of(
    selector: &str,
    program: &Program,
    args: &[String],
    profile: &Profile,
) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("profile.json");
    fs::write(&path, profile.to_json())?;
    let mut arguments: Vec<String> =
        ["verify", "--selector", selector, "--profile"].map(str::to_owned).into();
    arguments.push(path.display().to_string());
    if !program.native.is_empty() {
        arguments.extend(["--host".to_owned(), "native".to_owned()]);
    }
    if program.name.starts_with("opencl/") {
        arguments.extend(["-I", "."].map(str::to_owned));
    }
    arguments.extend(program.files.iter().map(|file| file.to_string_lossy().into_owned()));
    arguments.push("--".to_owned());
    arguments.extend(args.iter().cloned());
    let outcome = Layoutc::built()?.run(&program.folder, VERIFY_LIMIT, &arguments)?;
    let ending = outcome.ending();
    ensure!(outcome.succeeded(), "{selector}: {ending}\n{}{}", outcome.stdout, outcome.stderr);
    Ok(())
}

/// What holds for the counts of any access.
///
/// # Errors
/// With what does not hold.
pub fn is_possible(own: &Accessed) -> Result<()> {
    let c = &own.counts;
    ensure!(c.requests > 0 && c.requests <= c.lanes && c.lanes <= 32 * c.requests, "lanes");
    ensure!(c.requests <= c.lines && c.lines <= c.sectors && c.sectors <= 4 * c.lines, "sectors");
    ensure!(c.requests <= c.line_lanes && c.line_lanes <= c.lanes, "lanes of the line");
    ensure!(c.address_lanes <= c.line_lanes && c.shared <= c.requests, "lanes of the address");
    ensure!(c.blocks.windows(2).all(|pair| pair[1] <= pair[0]), "blocks grow");
    ensure!(c.blocks[0] <= c.lanes && c.requests <= c.blocks[12], "blocks");
    ensure!(c.strided <= c.requests, "strides");
    Ok(())
}

/// What holds for the sectors of an access of some bytes. A leaf of at most 4 bytes is aligned, so each lane has one.
///
/// # Errors
/// With what does not hold.
pub fn covers_its_bytes(own: &Accessed, instruction: &Instruction) -> Result<()> {
    let (c, bytes) = (&own.counts, instruction.bytes());
    ensure!(32 * c.sectors >= bytes * c.requests, "bytes of a lane");
    let is_small = instruction.leaves.len() == 1 && bytes <= 4;
    ensure!(!is_small || c.sectors <= c.lanes, "sectors of a lane");
    Ok(())
}

/// The sums of all accesses with this text.
///
/// # Errors
/// When there is none.
pub fn sums(profile: &Profile, text: &str) -> Result<Counts> {
    let mut sum = Counts::default();
    for own in &profile.runs[0].accesses {
        if profile.instructions[own.instruction as usize].text == text {
            sum.add(&own.counts);
        }
    }
    ensure!(sum.requests > 0, "`{text}` is not recorded");
    Ok(sum)
}
