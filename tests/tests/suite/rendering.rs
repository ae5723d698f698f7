//! What people read: diagnostics and diffs as the binary prints them, as recorded snapshots.
//!
//! `cargo insta review`, or `INSTA_UPDATE=always`, records new ones; each is to be read first.

use anyhow::Result;
use layoutc_tests::layoutc::{Layoutc, TRANSFORM_LIMIT};
use layoutc_tests::repository_root;

/// Both streams of `layoutc transform --diff` on a file below `testdata`.
fn printed(folder: &str, arguments: &[&str]) -> Result<String> {
    let mut all = vec!["transform", "--diff", "--helpers", "inline"];
    all.extend(arguments);
    let outcome = Layoutc::built()?.run(
        &repository_root().join("testdata").join(folder),
        TRANSFORM_LIMIT,
        all,
    )?;
    Ok(format!("{}\n{}---\n{}", outcome.ending(), outcome.stdout, outcome.stderr))
}

#[test]
fn a_refusal_shows_the_expression_and_the_way_there() -> Result<()> {
    let text = printed("refusals/accesses", &["address_as_integer.cu"])?;
    insta::assert_snapshot!("refusal", text);
    Ok(())
}

#[test]
fn an_unknown_name_has_a_suggestion() -> Result<()> {
    let text = printed("programs/nbody", &["nbody.cu", "--layout", "Bodi = soa"])?;
    insta::assert_snapshot!("unknown_name", text);
    Ok(())
}

#[test]
fn the_diff_of_a_tiled_program() -> Result<()> {
    let text = printed("programs/nbody", &["nbody.cu", "--layout", "Body = tiled(32)"])?;
    insta::assert_snapshot!("nbody_tiled", text);
    Ok(())
}
