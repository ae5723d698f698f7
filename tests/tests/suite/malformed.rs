//! Malformed input in this process: a fixed series of cases, small enough for every test run.
//! `cargo xtask malformed` runs longer ones, in processes that may die.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use layoutc_tests::malformed::programs::Shipped;
use layoutc_tests::malformed::trial::{self, Verdict};
use layoutc_tests::malformed::{STACK, TIME_LIMIT, cases, command_line};

/// Of its own, so that a long run with a small seed does not repeat what is tested all the time.
const SEED: u64 = 0x6261_645f_696e;

const CASES: u64 = 4000;

#[test]
fn no_case_panics_or_hangs() -> Result<()> {
    trial::keep_panics_quiet();
    let shipped = Shipped::read()?;
    let (tell, told) = mpsc::channel();
    thread::Builder::new().stack_size(STACK).spawn(move || {
        for number in 0..CASES {
            let input = cases::case(&shipped, SEED, number);
            let start = Instant::now();
            let outcome = trial::run(&input);
            if tell.send((number, outcome, start.elapsed())).is_err() {
                return;
            }
        }
    })?;
    let (mut failures, mut changed) = (Vec::new(), 0);
    for number in 0..CASES {
        // A case that never comes back is a failure, not a hung test.
        let limit = TIME_LIMIT + Duration::from_secs(5);
        let (_, outcome, took) =
            told.recv_timeout(limit).with_context(|| format!("case {number} hangs or dies"))?;
        match outcome {
            Ok(verdict) => changed += u64::from(verdict == Verdict::Changed),
            Err(failure) => failures.push(format!("case {number}: {}", failure.message)),
        }
        if took > TIME_LIMIT {
            failures.push(format!("case {number} takes {took:?}"));
        }
    }
    ensure!(failures.is_empty(), "seed {SEED}:\n{}", failures.join("\n"));
    // Cases that are all refused would test the refusal alone.
    ensure!(changed * 20 > CASES, "only {changed} of {CASES} cases are rewritten");
    Ok(())
}

#[test]
fn the_binary_reports_bad_files_and_writes_nothing() -> Result<()> {
    let shipped = Shipped::read()?;
    let mut not_text = 0;
    for number in 0..200 {
        let input = cases::case(&shipped, SEED + 1, number);
        not_text +=
            usize::from(input.files.iter().any(|file| std::str::from_utf8(&file.bytes).is_err()));
        if let Err(failure) = command_line::run(&input)? {
            anyhow::bail!("case {number}: {}", failure.message);
        }
    }
    ensure!(not_text > 0, "no case has bytes that are no UTF-8");
    Ok(())
}
