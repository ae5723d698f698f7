//! What a program's kernels access in global memory, recorded while they run.
//!
//! The program is built with [`BuildRequest::is_traced`](crate::toolchain::BuildRequest::is_traced): the compiler puts
//! a call in front of each load and store (`-fsanitize=thread`), and the runtime answers it. What is recorded is thus
//! what is left after the compiler's own optimisation: a value that is kept in a register is loaded once. Device and
//! managed memory and `__device__` variables count; shared memory, stacks, constants and pinned host memory do not.
//!
//! The accesses of a block arrive when it has run, and are handed to a [`TraceSink`] one block at a time; the blocks
//! of a cooperative launch arrive once for each stretch between two grid barriers. Launches from kernels are not
//! traced. A copy of memory by `memcpy` in device code is seen only where the compiler makes assignments of it.
//!
//! OpenCL programs are traced by [`OpenClBuilt::trace`](crate::opencl::OpenClBuilt::trace), which hands on the same.

mod reader;
mod symbols;

pub use symbols::{Location, Locations};

use crate::lowering::SiteId;
use crate::process::{RunRequest, RunResult, run};
use crate::toolchain::Built;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A place of the compiled program that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub u32);

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read and a write that no other thread comes between.
    Atomic,
}

/// A place and what it does, the same each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Offset of its return address from the start of the program's image; for OpenCL its number.
    pub offset: u32,
    /// What it does.
    pub kind: AccessKind,
    /// How many bytes.
    pub bytes: u32,
    /// What the compiler knows that the address is aligned to; 1 if nothing.
    pub align: u32,
}

/// Memory that kernels can access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its first byte, in the addresses of the trace.
    pub base: u64,
    /// Bytes that were asked for.
    pub bytes: u64,
    /// The call that allocated it, where it is numbered.
    pub site: Option<SiteId>,
    /// Whether it is the host's own memory, which kernels reach over the bus.
    pub is_host: bool,
    /// The first eight bytes of an OpenCL buffer when it was made: the number of units, if it is a divided one.
    pub units: Option<u64>,
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel as the text names it, template arguments included.
    pub kernel: String,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u64,
    /// Its pointer arguments: addresses, and what the type that they point to is aligned to.
    pub pointers: Vec<(u64, u32)>,
}

/// One access of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its first byte.
    pub address: u64,
    /// Where it was made.
    pub place: PlaceId,
}

/// What the threads of a block did, or, in a cooperative launch, up to the next grid barrier.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Its index.
    pub index: [u32; 3],
    /// Bytes of its static shared memory.
    pub static_shared: u64,
    /// The end of each thread's accesses, by the thread's rank.
    pub ends: &'a [u64],
    /// All threads' accesses, one thread after another, each in its order.
    pub accesses: &'a [Access],
}

impl<'a> Block<'a> {
    /// The accesses of each thread, in the order of ranks.
    pub fn threads(&self) -> impl Iterator<Item = &'a [Access]> {
        let (ends, accesses) = (self.ends, self.accesses);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        starts.zip(ends).map(move |(start, end)| &accesses[start as usize..*end as usize])
    }
}

/// Takes a trace while the program runs.
pub trait TraceSink {
    /// A place, before its first access; places come in order.
    fn place(&mut self, id: PlaceId, place: Place);
    /// An allocation, before the first access to it.
    fn allocation(&mut self, allocation: Allocation);
    /// A launch begins.
    fn launch(&mut self, launch: Launch);
    /// A block of the launch has run.
    fn block(&mut self, block: Block<'_>);
    /// The launch has ended.
    fn launch_end(&mut self);
}

/// Why there is no trace.
#[derive(Debug)]
pub enum TraceError {
    /// The program could not be started, or its image or trace not be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The trace is none that this version writes.
    Malformed(&'static str),
    /// The program's kernels cannot be rewritten, in words.
    Kernels(String),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Kernels(why) => write!(f, "the kernels cannot be traced: {why}"),
            Self::Malformed(what) => write!(f, "the trace cannot be read: {what}"),
        }
    }
}

impl std::error::Error for TraceError {}

/// Runs a program that was built to be traced and hands what its kernels access to `sink`.
///
/// A program that ends early or runs out of time is no error here: [`RunResult::status`] says so, and the trace ends
/// where it got to.
///
/// # Errors
/// [`TraceError`].
pub fn trace(
    built: &Built,
    variables: &BTreeSet<String>,
    request: &RunRequest,
    sink: &mut dyn TraceSink,
) -> Result<RunResult, TraceError> {
    let executable = &built.executable;
    let ranges = symbols::ranges(executable, variables)?;
    let mut request = request.clone();
    request.env.push(("LAYOUTC_RT_TRACE_SYMBOLS".to_owned(), OsString::from(ranges)));
    listen(executable, &request, &mut |request| run(executable, request), sink, &mut |_, _| {
        Err("the program builds kernels".to_owned())
    })
}

/// What is asked for while a program runs: the module at a path is to have calls of the functions at three addresses.
pub(crate) type Rewrite<'a> = &'a mut dyn FnMut(&Path, [u64; 3]) -> Result<(), String>;

/// Runs a program and hands what it sends to `sink`.
pub(crate) fn listen(
    executable: &Path,
    request: &RunRequest,
    run: &mut (dyn FnMut(&RunRequest) -> io::Result<RunResult> + Send),
    sink: &mut dyn TraceSink,
    rewrite: Rewrite,
) -> Result<RunResult, TraceError> {
    // The path of a socket has about 100 bytes.
    let folder = tempfile::Builder::new().prefix("trace").tempdir();
    let folder = folder.map_err(io_error(&std::env::temp_dir()))?;
    let path = folder.path().join("s");
    let listener = UnixListener::bind(&path).map_err(io_error(&path))?;
    listener.set_nonblocking(true).map_err(io_error(&path))?;
    let mut request = request.clone();
    request.env.push(("LAYOUTC_RT_TRACE".to_owned(), path.clone().into_os_string()));
    std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&request));
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    stream.set_nonblocking(false).map_err(io_error(&path))?;
                    let answers = stream.try_clone().map_err(io_error(&path))?;
                    reader::read(stream, answers, sink, rewrite)?;
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(io_error(&path)(error)),
            }
            // A program without a launch never connects.
            if running.is_finished() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let result = running.join().unwrap_or_else(|_| Err(io::Error::other("the run failed")));
        result.map_err(io_error(executable))
    })
}

pub(crate) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> TraceError {
    let path = path.to_path_buf();
    move |source| TraceError::Io { path, source }
}
