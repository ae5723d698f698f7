//! Runs a built program under a time limit.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a program is run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The program's arguments.
    pub args: Vec<OsString>,
    /// What it reads on standard input.
    pub stdin: Vec<u8>,
    /// When it is stopped.
    pub timeout: Duration,
    /// Its working folder; the caller's own when absent.
    pub dir: Option<PathBuf>,
    /// Variables added to its environment.
    pub env: Vec<(String, OsString)>,
}

impl RunRequest {
    /// Arguments, no input, the caller's folder, and a limit of one minute.
    pub fn new(args: Vec<OsString>) -> Self {
        Self {
            args,
            stdin: Vec::new(),
            timeout: Duration::from_secs(60),
            dir: None,
            env: Vec::new(),
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// It exited with this status. 97 is the runtime's own: it reported a memory error or a deadlock on stderr.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It ran past the limit and was stopped.
    TimedOut,
}

/// Exit status of a program that the runtime stopped because of a memory error or a deadlock.
pub const REPORTED_STATUS: i32 = 97;

/// What a program wrote and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub status: RunStatus,
}

/// Runs `executable` to its end or to the time limit.
///
/// # Errors
/// The program could not be started or waited for.
pub fn run(executable: &Path, request: &RunRequest) -> io::Result<RunResult> {
    let mut command = Command::new(executable);
    // What a program says of its own name is the same in whatever folder it lies.
    #[cfg(unix)]
    if let Some(name) = executable.file_name() {
        use std::os::unix::process::CommandExt;
        command.arg0(Path::new(".").join(name));
    }
    command.args(&request.args).envs(request.env.iter().map(|(k, v)| (k, v)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(dir) = &request.dir {
        command.current_dir(dir);
    }
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read its input closes the pipe; that is no error.
            let _ = stdin.map(|mut pipe| pipe.write_all(&request.stdin));
        });
        let out = scope.spawn(move || read_all(stdout));
        let err = scope.spawn(move || read_all(stderr));
        let status = wait(&mut child, request.timeout)?;
        Ok(RunResult {
            stdout: out.join().unwrap_or_default(),
            stderr: err.join().unwrap_or_default(),
            status,
        })
    })
}

fn read_all(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What came before a broken pipe is still what the program wrote.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

/// The longest pause between two looks at a program.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);
/// A program is looked at so often that its end is seen within this part of its time.
const PATIENCE: u32 = 500;

fn wait(child: &mut Child, timeout: Duration) -> io::Result<RunStatus> {
    let start = Instant::now();
    let deadline = start + timeout;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status_of(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(RunStatus::TimedOut);
        }
        let pause = start.elapsed() / PATIENCE;
        std::thread::sleep(pause.clamp(Duration::from_micros(100), LONGEST_PAUSE));
    }
}

fn status_of(status: ExitStatus) -> RunStatus {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return RunStatus::Signalled(signal);
    }
    RunStatus::Exited(status.code().unwrap_or(-1))
}
