//! Sums over the accesses of an instrumented program, recorded while it runs.
//!
//! The program is one whose text calls what `layoutc/profile.hpp` declares, or what `opencl/recorder.cpp` puts in front of
//! its kernels. What is linked with it keeps the sums in a mapped file of a fixed size, so what was recorded until a crash or a
//! time limit is there; single accesses are sent as rows on request. `runtime/profile_sums.hpp` describes the bytes.

use crate::process::{RunRequest, RunResult, run};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Folder and name of the header that instrumented programs include.
pub const HEADER: &str = "layoutc/profile.hpp";
/// The header's text, for compilers that do not see the runtime's folder.
pub const HEADER_TEXT: &str = include_str!("../include/layoutc/profile.hpp");

const MAGIC: &[u8; 8] = b"LAYPROF2";
/// Different accesses by kernel and loop, loops and launches that have room; 15 MB, of which a run touches what it needs.
const CAPACITY: u32 = 1 << 16;
const HEADER_BYTES: usize = 32;
const INSTRUCTION_BYTES: usize = 12;
const RANGE_BYTES: usize = 8;
const SLOT_BYTES: usize = 232;
/// Powers of two at which indices are counted.
pub const LEVELS: usize = 13;

/// An access of the text, as its number in the calls means it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrument {
    /// Bytes of an element of its array.
    pub element_bytes: u64,
    /// What a lane accesses, from the first byte of what is noted: offsets and lengths in bytes, ascending and apart from
    /// each other.
    pub ranges: Vec<(u64, u64)>,
}

/// What an access did in one kernel and loop; `layoutc_analysis::profile::Counts` says what the sums are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "documented there")]
pub struct AccessSums {
    pub kernel: Option<u32>,
    pub instruction: u32,
    pub scope: Option<u32>,
    pub requests: u64,
    pub lanes: u64,
    pub line_lanes: u64,
    pub shared: u64,
    pub address_lanes: u64,
    pub lines: u64,
    pub sectors: u64,
    pub strided: u64,
    pub stride: i64,
    pub blocks: [u64; LEVELS],
}

/// What a loop did in one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopSums {
    /// The kernel's number; none where it did not say one.
    pub kernel: Option<u32>,
    /// The loop's number.
    pub of: u32,
    /// Times that threads entered it.
    pub entries: u64,
    /// Times that they ran its body.
    pub iterations: u64,
}

/// Launches of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchSums {
    /// The kernel's number.
    pub kernel: u32,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// How many.
    pub launches: u64,
}

/// All sums of a run, in the order in which they were begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Accesses.
    pub accesses: Vec<AccessSums>,
    /// Loops.
    pub loops: Vec<LoopSums>,
    /// Launches.
    pub launches: Vec<LaunchSums>,
    /// There was no room for all of them.
    pub is_incomplete: bool,
}

/// One access of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The warp's number among all of the run.
    pub warp: u64,
    /// Its first byte.
    pub address: u64,
    /// The instruction.
    pub instruction: u32,
    /// The thread's place in the warp.
    pub lane: u32,
    /// The kernel's number; none where it did not say one.
    pub kernel: Option<u32>,
    /// The innermost loop that ran.
    pub scope: Option<u32>,
}

/// Takes rows while the program runs; the rows of one request follow each other.
pub type RowSink<'a> = dyn FnMut(Row) -> io::Result<()> + Send + 'a;

/// Runs a program.
pub type Run<'a> = dyn Fn(&RunRequest) -> io::Result<RunResult> + Sync + 'a;

/// Runs an executable.
pub fn run_of(executable: &Path) -> impl Fn(&RunRequest) -> io::Result<RunResult> + Sync + '_ {
    move |request| run(executable, request)
}

/// Why there are no sums.
#[derive(Debug)]
pub enum ProfileError {
    /// A file or socket failed.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The program could not be started or waited for.
    NotRun(io::Error),
    /// The sums are none that this version writes.
    Malformed(&'static str),
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::NotRun(source) => write!(f, "cannot run the program: {source}"),
            Self::Malformed(what) => write!(f, "the recorded sums cannot be read: {what}"),
        }
    }
}

impl std::error::Error for ProfileError {}

/// Runs an instrumented program and gives what it recorded, to its end or to where it got.
///
/// `run` runs it: [`run_of`] does for one that the runtime is linked with, [`OpenClBuilt::run`] for one in OpenCL.
/// With `rows`, of every so many warps one is handed over
/// access by access.
///
/// [`OpenClBuilt::run`]: crate::opencl::OpenClBuilt::run
///
/// # Errors
/// [`ProfileError`]; a program that ends early is none.
pub fn record(
    run: &Run<'_>,
    instruments: &[Instrument],
    request: &RunRequest,
    rows: Option<(u64, &mut RowSink<'_>)>,
) -> Result<(RunResult, Sums), ProfileError> {
    let folder = tempfile::Builder::new().prefix("profile").tempdir();
    let folder = folder.map_err(io_error(&std::env::temp_dir()))?;
    let path = folder.path().join("sums");
    write_empty(&path, instruments).map_err(io_error(&path))?;
    let mut request = request.clone();
    request.env.push(("LAYOUTC_RT_PROFILE".to_owned(), path.clone().into_os_string()));
    let result = match rows {
        None => run(&request).map_err(ProfileError::NotRun)?,
        Some((every, sink)) => {
            let socket = folder.path().join("rows");
            request.env.extend([
                ("LAYOUTC_RT_PROFILE_ROWS".to_owned(), socket.clone().into_os_string()),
                ("LAYOUTC_RT_PROFILE_EVERY".to_owned(), OsString::from(every.to_string())),
            ]);
            run_with_rows(run, &request, &socket, sink)?
        }
    };
    let bytes = fs::read(&path).map_err(io_error(&path))?;
    Ok((result, read_sums(&bytes)?))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> ProfileError {
    let path = path.to_path_buf();
    move |source| ProfileError::Io { path, source }
}

fn write_empty(path: &Path, instruments: &[Instrument]) -> io::Result<()> {
    let number = |number: usize| u32::try_from(number).map_err(io::Error::other);
    let bytes = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let ranges: Vec<(u64, u64)> = instruments.iter().flat_map(|own| own.ranges.clone()).collect();
    let mut numbers = vec![number(instruments.len())?, CAPACITY, 0, 0, number(ranges.len())?, 0];
    let mut first = 0;
    for own in instruments {
        numbers.extend([bytes(own.element_bytes), number(first)?, number(own.ranges.len())?]);
        first += own.ranges.len();
    }
    numbers.extend(ranges.iter().flat_map(|(offset, length)| [bytes(*offset), bytes(*length)]));
    let mut text = MAGIC.to_vec();
    text.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    fs::write(path, &text)?;
    let whole = text.len().next_multiple_of(8) + CAPACITY as usize * SLOT_BYTES;
    fs::OpenOptions::new().write(true).open(path)?.set_len(whole as u64)
}

fn run_with_rows(
    run: &Run<'_>,
    request: &RunRequest,
    socket: &Path,
    sink: &mut RowSink<'_>,
) -> Result<RunResult, ProfileError> {
    let listener = UnixListener::bind(socket).map_err(io_error(socket))?;
    listener.set_nonblocking(true).map_err(io_error(socket))?;
    std::thread::scope(|scope| {
        let running = scope.spawn(|| run(request));
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).map_err(io_error(socket))?;
                    read_rows(stream, sink).map_err(io_error(socket))?;
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(io_error(socket)(error)),
            }
            // A program without a launch never connects.
            if running.is_finished() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let result = running.join().unwrap_or_else(|_| Err(io::Error::other("the run failed")));
        result.map_err(ProfileError::NotRun)
    })
}

/// Reads rows to the end of the stream; a last one that is cut off does not count.
fn read_rows(stream: UnixStream, sink: &mut RowSink<'_>) -> io::Result<()> {
    let mut reader = io::BufReader::with_capacity(1 << 16, stream);
    let mut bytes = [0; 32];
    loop {
        match reader.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
        let field = Fields(&bytes);
        sink(Row {
            warp: field.u64(0),
            address: field.u64(8),
            instruction: field.u32(16),
            lane: field.u32(20),
            kernel: field.number(24),
            scope: field.number(28),
        })?;
    }
}

/// Numbers at places of a text that is long enough.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn u32(&self, at: usize) -> u32 {
        self.0[at..at + 4].iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from(self.u32(at)) | u64::from(self.u32(at + 4)) << 32
    }

    /// A number that may be missing, which is -1.
    fn number(&self, at: usize) -> Option<u32> {
        Some(self.u32(at)).filter(|number| *number <= i32::MAX as u32)
    }
}

fn read_sums(bytes: &[u8]) -> Result<Sums, ProfileError> {
    if bytes.len() < HEADER_BYTES || !bytes.starts_with(MAGIC) {
        return Err(ProfileError::Malformed("it does not begin as one"));
    }
    let header = Fields(bytes);
    let (instructions, used, ranges) = (header.u32(8), header.u32(16), header.u32(24));
    let tables = instructions as usize * INSTRUCTION_BYTES + ranges as usize * RANGE_BYTES;
    let start = (HEADER_BYTES + tables).next_multiple_of(8);
    let slots = bytes.get(start..).unwrap_or_default().chunks_exact(SLOT_BYTES);
    if used as usize > slots.len() {
        return Err(ProfileError::Malformed("it ends early"));
    }
    let mut sums = Sums { is_incomplete: header.u32(20) != 0, ..Sums::default() };
    for slot in slots.take(used as usize).map(Fields) {
        let (kind, kernel, item) = (slot.u32(0), slot.number(4), slot.u32(8));
        let count = |number: usize| slot.u64(48 + 8 * number);
        match kind {
            1 => sums.accesses.push(AccessSums {
                kernel,
                instruction: item,
                scope: slot.number(12),
                requests: count(0),
                lanes: count(1),
                line_lanes: count(2),
                shared: count(3),
                address_lanes: count(4),
                lines: count(5),
                sectors: count(6),
                strided: count(7),
                stride: count(8) as i64,
                blocks: std::array::from_fn(|level| count(10 + level)),
            }),
            2 => sums.loops.push(LoopSums {
                kernel,
                of: item,
                entries: count(0),
                iterations: count(1),
            }),
            3 => {
                let shape = |at: usize| std::array::from_fn(|axis| slot.u32(16 + 4 * (at + axis)));
                let (grid, block) = (shape(0), shape(3));
                let Some(kernel) = kernel else { continue };
                sums.launches.push(LaunchSums { kernel, grid, block, launches: count(0) });
            }
            // It was being written when the program ended.
            0 => {}
            _ => return Err(ProfileError::Malformed("it has an entry of no known kind")),
        }
    }
    Ok(sums)
}
