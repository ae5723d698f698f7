//! The golden gate: what the tool writes and says about every fixture and program is what is recorded.

use anyhow::{Result, ensure};
use layoutc_tests::golden::{self, FULL, Golden};
use layoutc_tests::layoutc::Layoutc;

#[test]
fn everything_is_as_recorded() -> Result<()> {
    let recorded = Golden::read(&golden::folder())?;
    let changes = golden::run(&Layoutc::built()?)?.changes(&recorded);
    ensure!(
        changes.is_empty(),
        "{} changes; `cargo xtask golden` records them, with `--before BINARY` it shows them:\n{}",
        changes.len(),
        changes.join("\n")
    );
    Ok(())
}

#[test]
fn the_cases_in_full_exist() -> Result<()> {
    let recorded = Golden::read(&golden::folder())?;
    let missing: Vec<_> =
        FULL.iter().filter(|name| !recorded.hashes.contains_key(**name)).collect();
    ensure!(missing.is_empty(), "{missing:?}");
    ensure!(recorded.full.len() == FULL.len(), "two cases in full share a file");
    Ok(())
}

#[test]
fn each_kind_of_change_is_told() {
    let golden = |hashes: &[(&str, &str)], full: &[(&str, &str)]| {
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        Golden {
            hashes: hashes.iter().map(owned).collect(),
            full: full.iter().map(owned).collect(),
        }
    };
    let before = golden(&[("a", "1 2 3"), ("b", "1 2 3"), ("c", "1 2 3")], &[("a.txt", "one")]);
    let after = golden(&[("a", "1 2 4"), ("b", "1 2 3"), ("d", "1 2 3")], &[("a.txt", "two")]);
    let changes = ["a: report", "d: new", "c: gone", "full/a.txt: other text"];
    assert_eq!(after.changes(&before), changes);
    assert!(before.changes(&before).is_empty());
}
