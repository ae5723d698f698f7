//! What a command shows of its progress: on a terminal, when it takes long, and nowhere else.

use std::process::Command;

use anyhow::{Result, ensure};
use layoutc_tests::layoutc::{Layoutc, VERIFY_LIMIT};
use layoutc_tests::process::{Outcome, run_limited};
use layoutc_tests::sandbox::{Sandbox, many_launches};

/// Runs a command on a terminal, and prints what that shows.
const TERMINAL: &str = "\
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
";

/// When progress is shown, in milliseconds.
const AFTER: &str = "LAYOUTC_PROGRESS_AFTER_MS";

/// What a terminal shows of a command that is slow from the start.
fn on_terminal(arguments: &[&str], after: Option<&str>) -> Result<Outcome> {
    let sandbox = Sandbox::with(&[("in.cu", &many_launches())])?;
    let mut command = Command::new("python3");
    command.current_dir(sandbox.path()).args(["-c", TERMINAL]).arg(Layoutc::built()?.program());
    command.args(arguments).env("TERM", "xterm").env("NO_COLOR", "1").env_remove(AFTER);
    command.envs(after.map(|after| (AFTER, after)));
    run_limited(&mut command, VERIFY_LIMIT)
}

#[test]
fn a_terminal_shows_what_is_done() -> Result<()> {
    let verify = ["verify", "in.cu", "--no-nvcc"];
    let outcome = on_terminal(&verify, Some("0"))?;
    ensure!(outcome.succeeded(), "{}\n{}{}", outcome.ending(), outcome.stdout, outcome.stderr);
    for phase in ["verify: building the original, 1 of 4", "2 of 4"] {
        ensure!(outcome.stdout.contains(phase), "no `{phase}` in {}", outcome.stdout);
    }
    // It is gone at the end.
    let last = outcome.stdout.trim_end().rsplit('\n').next().unwrap_or_default();
    ensure!(!last.contains("verify: "), "{last:?}");
    // Messages stand on lines of their own.
    let outcome = on_terminal(&["transform", "in.cu", "--check"], Some("0"))?;
    ensure!(outcome.stdout.contains("would change: Particle (p, d) to "), "{}", outcome.stdout);
    Ok(())
}

#[test]
fn nothing_is_shown_of_what_is_quick_or_quiet_or_for_programs() -> Result<()> {
    let cases: [(&[&str], Option<&str>); 4] = [
        (&["transform", "in.cu", "--check"], None),
        (&["cost", "in.cu", "-q"], Some("0")),
        (&["cost", "in.cu", "--json"], Some("0")),
        (&["transform", "in.cu", "--check", "--format", "json"], Some("0")),
    ];
    for (arguments, after) in cases {
        let outcome = on_terminal(arguments, after)?;
        ensure!(!outcome.stdout.contains("layouts: 1 files"), "{arguments:?}: {}", outcome.stdout);
        ensure!(!outcome.stdout.contains('\u{1b}'), "{arguments:?}: {:?}", outcome.stdout);
    }
    // Where it would be shown.
    let outcome = on_terminal(&["cost", "in.cu"], Some("0"))?;
    ensure!(outcome.stdout.contains('\u{1b}'), "{:?}", outcome.stdout);
    Ok(())
}

#[test]
fn nothing_is_shown_where_there_is_no_terminal() -> Result<()> {
    let sandbox = Sandbox::with(&[("in.cu", &many_launches())])?;
    let mut command = Command::new(Layoutc::built()?.program());
    command.current_dir(sandbox.path()).args(["verify", "in.cu", "--no-nvcc"]).env(AFTER, "0");
    let outcome = run_limited(&mut command, VERIFY_LIMIT)?;
    ensure!(outcome.succeeded() && !outcome.stderr.contains("verify: "), "{}", outcome.stderr);
    ensure!(!outcome.stderr.contains('\u{1b}'), "{:?}", outcome.stderr);
    Ok(())
}
