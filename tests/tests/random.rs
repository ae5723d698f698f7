//! Random programs: 500 kernels with fixed seeds, each program in three layouts.
//!
//! `cargo xtask fuzz` runs more, and makes what fails small.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, ensure};
use layoutc_tests::random::campaign::{Campaign, run};

/// The share of array classes that must change: otherwise nothing would have been tested.
const FLOOR: f64 = 0.5;

#[test]
fn five_hundred_kernels_do_the_same_in_other_layouts() -> Result<()> {
    let campaign = Campaign {
        kernels: 500,
        seed: 1,
        jobs: std::thread::available_parallelism().map_or(1, usize::from).min(4),
        out: Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("random")),
        reduce: Duration::from_secs(60),
        reductions: 1,
        ..Campaign::default()
    };
    let out = campaign.out.clone().unwrap_or_default();
    let statistics = run(&campaign, &|_, _| {})?;
    ensure!(statistics.failed() == 0, "see {}\n{}", out.display(), statistics.table());
    ensure!(statistics.kernels >= 500 && statistics.cases >= 36, "{}", statistics.table());
    ensure!(statistics.changed_share() > FLOOR, "{}", statistics.table());
    Ok(())
}
