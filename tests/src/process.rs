//! Running a command with a time limit, so that a hang is a result and not a hung test.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// What a command did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its status; `None` when it was stopped at the limit.
    pub status: Option<ExitStatus>,
    /// What it wrote to standard output, undecodable bytes replaced.
    pub stdout: String,
    /// What it wrote to standard error, undecodable bytes replaced.
    pub stderr: String,
    /// From start to end.
    pub elapsed: Duration,
}

impl Outcome {
    /// The exit code; `None` after a signal or at the time limit.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Whether the command ended with exit code 0.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.code() == Some(0)
    }

    /// How the command ended, in words for a message.
    #[must_use]
    pub fn ending(&self) -> String {
        match (self.status, self.code()) {
            (None, _) => format!("stopped after {:.1} s", self.elapsed.as_secs_f64()),
            (Some(_), Some(code)) => format!("exit code {code}"),
            (Some(status), None) => status.to_string(),
        }
    }
}

/// Runs a command to its end or to the limit, then stops it with everything it started.
///
/// Output goes through temporary files: a pipe that nobody drains would stop the command itself.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run_limited(command: &mut Command, limit: Duration) -> Result<Outcome> {
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))?;
    // Waiting in a thread costs nothing until the end, and the end is seen at once.
    let group = child.id();
    let (ended, end) = mpsc::channel();
    thread::spawn(move || ended.send(child.wait()));
    let status = match end.recv_timeout(limit) {
        Ok(status) => Some(status?),
        Err(_) => {
            // The group, not the child alone: a stopped compiler would leave its passes running.
            Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).status()?;
            end.recv()??;
            None
        }
    };
    let elapsed = start.elapsed();
    Ok(Outcome { status, stdout: text(&mut stdout)?, stderr: text(&mut stderr)?, elapsed })
}

/// The peak resident memory of a command in bytes; `None` where `/proc` does not say (not Linux).
///
/// # Errors
/// When the command cannot be started or does not succeed.
pub fn peak_memory(command: &mut Command) -> Result<Option<u64>> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = None;
    // The mark only rises, so the last reading before the end is the peak but for the very last
    // allocations.
    let status = loop {
        if let Some(read) = fs::read_to_string(&status_file).ok().as_deref().and_then(high_water) {
            peak = peak.max(Some(read));
        }
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(Duration::from_micros(200));
    };
    ensure!(status.success(), "{} does not succeed: {status}", command.get_program().display());
    Ok(peak)
}

/// `VmHWM` of a process's status file, in bytes.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok().map(|kilobytes: u64| kilobytes * 1024)
}

fn text(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_code_come_back() -> Result<()> {
        let outcome = run_limited(
            Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]),
            Duration::from_secs(20),
        )?;
        assert_eq!(
            (outcome.code(), outcome.stdout.as_str(), outcome.stderr.as_str()),
            (Some(3), "out\n", "err\n")
        );
        Ok(())
    }

    #[test]
    fn memory_is_read_from_proc() {
        assert_eq!(high_water("Name:\tx\nVmHWM:\t    2048 kB\n"), Some(2 << 20));
        assert_eq!(high_water("Name:\tx\n"), None);
    }

    #[test]
    fn a_hang_ends_at_the_limit() -> Result<()> {
        let outcome = run_limited(
            Command::new("sh").args(["-c", "sleep 60 & wait"]),
            Duration::from_millis(100),
        )?;
        assert!(outcome.status.is_none());
        assert!(outcome.elapsed < Duration::from_secs(10));
        Ok(())
    }
}
