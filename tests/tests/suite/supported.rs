//! The lists of what is rewritten and what is kept are true, and are those of docs/supported.md.

use std::fs;

use layoutc_tests::supported::Supported;
use layoutc_tests::{picture, repository_root};

#[test]
fn every_claim_has_its_cases() {
    let root = repository_root();
    let supported = Supported::read(&root).expect("the list can be read");
    let mistakes = supported.mistakes(&root).expect("the cases can be read");
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn a_claim_without_its_case_is_noticed() {
    let root = repository_root();
    let mut supported = Supported::read(&root).expect("the list can be read");
    let known = supported.mistakes(&root).expect("the cases can be read").len();
    supported.area[0].rewritten[0].cases.push("refusals/offset_of".to_owned());
    supported.area[0].kept[0].cases.push("refusals/offset_of".to_owned());
    supported.area[0].kept[1].code = "LC0014".to_owned();
    let mistakes = supported.mistakes(&root).expect("the cases can be read");
    assert!(mistakes.len() >= known + 3, "{mistakes:?}");
}

#[test]
fn the_page_holds_the_lists() {
    let root = repository_root();
    let supported = Supported::read(&root).expect("the list can be read");
    let page = fs::read_to_string(root.join("docs/supported.md")).expect("docs/supported.md");
    // Both are long: their difference is better seen by the command and `git diff`.
    let cases = supported.page(&root).expect("the cases");
    assert!(cases == page, "docs/supported.md: run `cargo xtask supported`");
}

#[test]
fn the_picture_is_what_the_tool_draws() {
    let drawn = picture::memory_strips().expect("the program can be recorded");
    let held =
        fs::read_to_string(repository_root().join("docs/strips.svg")).expect("docs/strips.svg");
    assert!(drawn == held, "docs/strips.svg: run `cargo xtask picture`");
}
