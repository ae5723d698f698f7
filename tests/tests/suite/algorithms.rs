//! Fixtures whose output runs: the CPU runtime has the algorithms of thrust that the tool follows.

use std::time::Duration;

use anyhow::{Result, ensure};
use layoutc_tests::layoutc::Layoutc;
use layoutc_tests::repository_root;

const LIMIT: Duration = Duration::from_secs(120);

#[test]
fn fixtures_with_algorithms_run_identically() -> Result<()> {
    for fixture in [
        "functions/algorithms_of_thrust.cu",
        "functions/lists_of_host_objects.cu",
        "types/friends_behind_specifiers.cu",
    ] {
        let path = repository_root().join("testdata/rewrites").join(fixture).display().to_string();
        for layout in ["* = soa", "* = tiled(32)", "* = tiled(4)"] {
            let asked = ["verify", &path, "--no-nvcc", "--layout", layout];
            let outcome = Layoutc::built()?.run(&repository_root(), LIMIT, asked)?;
            ensure!(
                outcome.stdout.contains("identical on the CPU runtime"),
                "{fixture} {layout}\n{}\n{}",
                outcome.stdout,
                outcome.stderr
            );
        }
    }
    Ok(())
}
