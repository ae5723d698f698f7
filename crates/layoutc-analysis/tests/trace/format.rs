//! Reading profiles.

use crate::make::small;
use layoutc_analysis::profile::{MOST_BYTES, Profile, ProfileError, Range};
use proptest::prelude::*;

const TEXT: &str = "k for (;;) s[i].x; s[i].y";

#[test]
fn what_is_written_is_read() {
    let profile = small(TEXT);
    let text = profile.to_json();
    assert_eq!(Profile::read(text.as_bytes()), Ok(profile));
    assert!(text.ends_with("}\n"));
}

#[test]
fn what_is_no_profile_is_refused() {
    let message = |bytes: &[u8]| Profile::read(bytes).expect_err("no profile").to_string();
    let text = small(TEXT).to_json();
    assert_eq!(
        message(&text.as_bytes()[..text.len() / 2]),
        "the file ends in the middle of a profile"
    );
    assert_eq!(message(b""), "the file ends in the middle of a profile");
    assert!(
        message(b"{\"a\": 1}").starts_with("the file is no profile of `layoutc profile`: missing")
    );
    assert!(
        message(b"\x7fELF").starts_with("the file is no profile of `layoutc profile`: expected")
    );
    assert!(message(b"[1, 2]").starts_with("the file is no profile"));
    let newer = text.replacen("\"version\":2", "\"version\":3,\"more\":[]", 1);
    assert!(message(newer.as_bytes()).starts_with("the profile is of version 3 of the format"));
    let other = text.replacen("\"version\":2", "\"version\":2,\"more\":[]", 1);
    assert!(message(other.as_bytes()).contains("unknown field `more`"));
    let large = vec![b' '; MOST_BYTES + 1];
    assert_eq!(Profile::read(&large), Err(ProfileError::TooLarge { bytes: MOST_BYTES + 1 }));
}

/// What is wrong with a profile after a change.
fn after(change: impl FnOnce(&mut Profile)) -> String {
    let mut profile = small(TEXT);
    change(&mut profile);
    let error = Profile::read(profile.to_json().as_bytes()).expect_err("a damaged profile");
    let text = error.to_string();
    assert!(matches!(error, ProfileError::Impossible { .. }), "{text}");
    text.strip_prefix("the profile is damaged: ").unwrap_or(&text).to_owned()
}

#[test]
fn positions_must_exist() {
    assert_eq!(after(|own| own.instructions[0].array = 1), "s[i].x names array 1, and there are 1");
    assert_eq!(
        after(|own| own.instructions[1].leaves = vec![7]),
        "s[i].y names leaf 7, and there are 2"
    );
    assert_eq!(
        after(|own| own.instructions[1].scope = Some(2)),
        "s[i].y names loop 2, and there are 2"
    );
    assert_eq!(after(|own| own.kernels[0].place.source = 3), "k names source 3, and there are 1");
    assert_eq!(
        after(|own| own.runs[0].accesses[0].instruction = 9),
        "in run 0 an access names instruction 9, and there are 2"
    );
    assert_eq!(
        after(|own| own.runs[0].accesses[0].kernel = 1),
        "in run 0 an access names kernel 1, and there are 1"
    );
    assert_eq!(
        after(|own| own.runs[0].accesses[0].scope = Some(4)),
        "in run 0 an access names loop 4, and there are 2"
    );
    assert_eq!(
        after(|own| own.runs[0].trips[0].of = 2),
        "in run 0 a loop names loop 2, and there are 2"
    );
    assert_eq!(
        after(|own| own.runs[0].launches[0].kernel = 2),
        "in run 0 a launch names kernel 2, and there are 1"
    );
}

#[test]
fn text_must_be_possible() {
    assert_eq!(
        after(|own| own.loops[0].parent = Some(1)),
        "loop 0 stands before the one around it"
    );
    assert_eq!(
        after(|own| own.loops[1].parent = Some(1)),
        "loop 1 stands before the one around it"
    );
    assert_eq!(
        after(|own| own.loops[1].function = "f".into()),
        "loop 1 is in another function's loop"
    );
    assert_eq!(after(|own| own.arrays[0].leaves[1].bytes = 8), "`y` lies outside of `S`");
    assert_eq!(after(|own| own.arrays[0].leaves[1].offset = u64::MAX), "`y` lies outside of `S`");
    assert_eq!(after(|own| own.sources[0].sha256.clear()), "`test.cu` has no SHA-256 sum");
    assert_eq!(after(|own| own.sources.push(own.sources[0].clone())), "`test.cu` is named twice");
    assert_eq!(after(|own| own.instructions[0].place.end = 0), "s[i].x stands nowhere in the text");
    assert_eq!(after(|own| own.instructions[0].leaves.clear()), "`s[i].x` touches no leaf");
    assert_eq!(after(|own| own.instructions[0].ranges.clear()), "`s[i].x` touches nothing");
    let range = |offset, bytes| {
        move |own: &mut Profile| {
            own.instructions[0].ranges.push(Range { offset, bytes });
        }
    };
    assert_eq!(after(range(4, 0)), "`s[i].x` touches 0 bytes");
    assert_eq!(after(range(4, 5)), "`s[i].x` touches 5 bytes");
    assert_eq!(after(range(u64::MAX, 2)), "`s[i].x` touches 2 bytes");
    // It begins where the one in front of it has not ended.
    assert_eq!(after(range(2, 4)), "`s[i].x` touches 4 bytes");
    assert_eq!(
        after(|own| own.instructions[0].leaves = vec![1, 0]),
        "`s[i].x` does not name its leaves in their order"
    );
}

#[test]
fn counts_must_be_possible() {
    let count = |change: fn(&mut layoutc_analysis::profile::Counts)| {
        after(|own| change(&mut own.runs[0].accesses[0].counts))
    };
    assert_eq!(
        count(|own| own.requests = 2000),
        "in run 0 `s[i].x` has more requests than lanes: 2000 and 1280"
    );
    assert_eq!(
        count(|own| own.lanes = 1281),
        "in run 0 `s[i].x` has more lanes than its requests have: 1281 and 1280"
    );
    assert!(count(|own| own.line_lanes = 0).contains("more requests than first lanes"));
    assert!(count(|own| own.address_lanes = 1000).contains("more lanes at an address"));
    assert!(count(|own| own.shared = 1).contains("more requests that share than lanes that do"));
    assert!(count(|own| own.strided = 41).contains("more requests with a stride"));
    assert!(count(|own| own.lines = 1000).contains("more lines than sectors"));
    // 40 requests on 2 lines each, in structs of 8 bytes; 4 bytes reach into two sectors at most.
    assert!(
        count(|own| own.sectors = 321).contains("more sectors than its lines have: 321 and 320")
    );
    assert!(
        count(|own| (own.lines, own.sectors) = (2561, 2561))
            .contains("more sectors than its lanes reach: 2561 and 2560")
    );
    // 36 bytes fill two sectors.
    let wide = after(|own| {
        (own.arrays[0].size, own.instructions[0].ranges[0].bytes) = (36, 36);
        (own.runs[0].accesses[0].counts.lines, own.runs[0].accesses[0].counts.sectors) = (79, 79);
    });
    assert!(wide.contains("more sectors that its bytes fill than sectors: 80 and 79"), "{wide}");
    assert!(count(|own| own.blocks[0] = 3000).contains("more elements than lanes"));
    assert!(count(|own| own.blocks[3] = 1000).contains("more blocks than smaller ones"));
    assert!(count(|own| own.blocks[4] = 40).contains("more blocks than larger ones have halves"));
    assert!(count(|own| own.blocks[12] = 0).contains("more requests than blocks"));
    assert_eq!(
        after(|own| own.runs[0].accesses[1] = own.runs[0].accesses[0].clone()),
        "in run 0 `s[i].x` is counted twice in one loop"
    );
    assert_eq!(
        after(|own| own.runs[0].trips[0].entries = 0),
        "in run 0 loop 0 runs and is not entered"
    );
    for shape in [[0, 1, 1], [1 << 16, 2, 1], [u32::MAX, u32::MAX, u32::MAX]] {
        let text = after(|own| own.runs[0].launches[0].block = shape);
        assert_eq!(text, "in run 0 `k` is launched with no such shape");
    }
}

#[test]
fn another_version_of_the_program_is_refused() {
    let profile = small(TEXT);
    let sum = "0123456789ABCDEF".repeat(4);
    assert_eq!(profile.is_of([("test.cu", sum.as_str()), ("main.cpp", "")]), Ok(()));
    let error = profile.is_of([("test.cu", "00")]).expect_err("another text");
    assert_eq!(
        error.to_string(),
        "the profile is of another version of the program: `test.cu` has changed since; record it again"
    );
    let error = profile.is_of([("other.cu", sum.as_str())]).expect_err("another program");
    assert!(error.to_string().contains("`test.cu` is none of its files"), "{error}");
}

#[test]
fn a_profile_may_come_from_another_folder() {
    let sum = "0123456789ABCDEF".repeat(4);
    let placed = |texts: &[(&str, &str)]| {
        let mut profile = small(TEXT);
        profile.rename(texts);
        profile.is_of(texts.iter().copied()).is_ok()
    };
    assert!(placed(&[("../sim/test.cu", sum.as_str())]));
    assert!(!placed(&[("../sim/test.cu", "00")]), "another content");
    assert!(!placed(&[("sim/other.cu", sum.as_str())]), "another name");
    assert!(!placed(&[("a/test.cu", sum.as_str()), ("b/test.cu", sum.as_str())]), "either");
}

proptest! {
    /// Reading never panics, and what is read is written and read again as it was.
    #[test]
    fn damaged_files_are_read_or_refused(
        cut in 0.0..1.0_f64,
        changes in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 0..4),
        digits in prop::collection::vec((0.0..1.0_f64, b'0'..=b'9'), 0..6),
    ) {
        let mut bytes = small(TEXT).to_json().into_bytes();
        let at = |part: f64, length: usize| ((part * length as f64) as usize).min(length - 1);
        let numbers: Vec<usize> =
            (0..bytes.len()).filter(|own| bytes[*own].is_ascii_digit()).collect();
        for (part, digit) in digits {
            bytes[numbers[at(part, numbers.len())]] = digit;
        }
        for (part, byte) in changes {
            let place = at(part, bytes.len());
            bytes[place] = byte;
        }
        if cut < 0.3 {
            bytes.truncate(at(cut / 0.3, bytes.len()));
        }
        if let Ok(profile) = Profile::read(&bytes) {
            prop_assert_eq!(Profile::read(profile.to_json().as_bytes()), Ok(profile));
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Profile::read(&bytes).is_err());
    }
}
