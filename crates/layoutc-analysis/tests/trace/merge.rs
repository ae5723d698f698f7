//! Several profiles as one.

use crate::make::{counts, scattered, small, strided, times};
use layoutc_analysis::profile::{Accessed, Kernel, Launched, Place, Profile, ProfileError};

const TEXT: &str = "a k for (;;) s[i].x; s[i].y";

/// The same program, in which another kernel in front of the first one ran.
fn other() -> Profile {
    let mut profile = small(TEXT);
    let place = Place { source: 0, start: 0, end: 1, line: 1 };
    profile.kernels = vec![Kernel { name: "a".into(), place }];
    profile.runs[0].arguments = vec!["200".into()];
    profile
}

#[test]
fn runs_are_put_together() {
    let (first, second) = (small(TEXT), other());
    let merged = Profile::merge(vec![first.clone(), second, first]).expect("one program");
    let names: Vec<&str> = merged.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["a", "k"]);
    let kernels: Vec<u32> = merged.runs.iter().map(|run| run.accesses[0].kernel).collect();
    assert_eq!(kernels, [1, 0, 1]);
    let launched: Vec<u32> = merged.runs.iter().map(|run| run.launches[0].kernel).collect();
    assert_eq!(launched, [1, 0, 1]);
    let looped: Vec<u32> = merged.runs.iter().map(|run| run.trips[0].kernel).collect();
    assert_eq!(looped, [1, 0, 1]);
    assert_eq!(Profile::read(merged.to_json().as_bytes()), Ok(merged));
}

#[test]
fn sums_are_over_runs() {
    let merged = Profile::merge(vec![small(TEXT), other(), small(TEXT)]).expect("one program");
    let all = merged.all_runs();
    assert_eq!(all.accesses[&(1, 0, Some(1))], times(counts(&strided(1), 8, 0), 80));
    assert_eq!(all.of_instruction(0), times(counts(&strided(1), 8, 0), 120));
    assert_eq!(all.trips[&(1, 0)], (512, 2048));
    assert_eq!(all.launches[&(1, [4, 1, 1], [64, 1, 1])], 4);
    let one = merged.totals([1]);
    assert_eq!(one.of_instruction(1).requests, counts(&scattered(9), 8, 4).requests);
    assert_eq!(one.launches.len(), 1);
    assert_eq!(merged.totals([7]), layoutc_analysis::profile::Totals::default());
}

#[test]
fn other_programs_are_refused() {
    let refused = |change: fn(&mut Profile)| {
        let mut second = small(TEXT);
        change(&mut second);
        Profile::merge(vec![small(TEXT), small(TEXT), second])
            .expect_err("another program")
            .to_string()
    };
    assert_eq!(
        refused(|own| own.sources[0].path = "b.cu".into()),
        "the profiles are not of one program: number 3 has other texts than the first"
    );
    assert!(refused(|own| own.arrays[0].record = "T".into()).contains("other arrays"));
    assert!(refused(|own| own.loops[0].place.line = 9).contains("other loops"));
    assert!(refused(|own| own.instructions.truncate(1)).contains("other accesses"));
    assert_eq!(Profile::merge(Vec::new()), Err(ProfileError::Missing));
}

/// Sums stay within their range.
#[test]
fn large_counts_are_added() {
    let mut profile = small(TEXT);
    let launch = Launched { launches: u64::MAX, ..profile.runs[0].launches[0] };
    profile.runs[0].launches.push(launch);
    let most = times(counts(&strided(1), 8, 0), 1 << 58);
    let access = Accessed { counts: most, ..profile.runs[0].accesses[0].clone() };
    profile.runs[0].accesses = vec![access.clone(), access];
    let sum = profile.all_runs();
    assert_eq!(sum.launches[&(0, [4, 1, 1], [64, 1, 1])], u64::MAX);
    assert_eq!(sum.of_instruction(0).lanes, u64::MAX);
}
