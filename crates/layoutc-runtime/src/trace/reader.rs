//! The trace's records; `runtime/trace.cpp` and `opencl/tracer.cpp` describe them.

use super::{
    Access, AccessKind, Allocation, Block, Launch, Place, PlaceId, Rewrite, TraceError, TraceSink,
};
use crate::lowering::SiteId;
use std::ffi::OsString;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// Kinds of memory, in the order of the runtime's `MemoryKind`.
const PINNED: u8 = 2;

/// Of a block; CUDA has at most 1024, devices of OpenCL may have more.
const MOST_THREADS: u32 = 4096;

/// Reads to the end and hands every record on. A record that is cut short, as when a program dies, is left out.
pub(super) fn read(
    stream: impl Read,
    answers: impl Write,
    sink: &mut dyn TraceSink,
    rewrite: Rewrite,
) -> Result<(), TraceError> {
    let mut reader = Reader {
        input: BufReader::with_capacity(1 << 20, stream),
        answers,
        units: None,
        places: Vec::new(),
        count: 0,
        pointers: Vec::new(),
        ends: Vec::new(),
        accesses: Vec::new(),
        bytes: vec![0; 1 << 20],
    };
    loop {
        match reader.record(sink, rewrite) {
            Ok(()) => {}
            Err(Stop::Ended) => return Ok(()),
            Err(Stop::Kernels(why)) => return Err(TraceError::Kernels(why)),
            Err(Stop::Malformed(what)) => return Err(TraceError::Malformed(what)),
        }
    }
}

/// Why no further record comes.
enum Stop {
    Ended,
    Malformed(&'static str),
    Kernels(String),
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Self {
        // A program that is stopped leaves a broken connection; its status tells.
        Stop::Ended
    }
}

struct Reader<R, W> {
    input: BufReader<R>,
    answers: W,
    /// Of the allocation that follows.
    units: Option<u64>,
    /// The number of each place, by its offset; places have an offset below 2^24.
    places: Vec<u32>,
    count: u32,
    pointers: Vec<(u64, u32)>,
    ends: Vec<u64>,
    accesses: Vec<Access>,
    bytes: Vec<u8>,
}

const NONE: u32 = u32::MAX;

impl<R: Read, W: Write> Reader<R, W> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, Stop> {
        Ok(self.array::<1>()?[0])
    }

    fn u32(&mut self) -> Result<u32, Stop> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Stop> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn triple(&mut self) -> Result<[u32; 3], Stop> {
        Ok([self.u32()?, self.u32()?, self.u32()?])
    }

    fn record(&mut self, sink: &mut dyn TraceSink, rewrite: Rewrite) -> Result<(), Stop> {
        match self.byte()? {
            b'S' => self.place(sink, false),
            b'T' => self.place(sink, true),
            b'K' => self.kernels(rewrite),
            b'U' => {
                self.units = Some(self.u64()?);
                Ok(())
            }
            b'A' => {
                let (base, bytes, kind) = (self.u64()?, self.u64()?, self.byte()?);
                let site = u32::try_from(i32::from_le_bytes(self.array()?)).ok().map(SiteId);
                let (is_host, units) = (kind == PINNED, self.units.take());
                sink.allocation(Allocation { base, bytes, site, is_host, units });
                Ok(())
            }
            b'P' => {
                let pointer = (self.u64()?, self.u32()?);
                self.pointers.push(pointer);
                Ok(())
            }
            b'L' => {
                let (grid, block, dynamic_shared) = (self.triple()?, self.triple()?, self.u64()?);
                let mut name = vec![0; self.u32()? as usize];
                self.input.read_exact(&mut name)?;
                let kernel = String::from_utf8_lossy(&name).into_owned();
                let pointers = std::mem::take(&mut self.pointers);
                sink.launch(Launch { kernel, grid, block, dynamic_shared, pointers });
                Ok(())
            }
            b'B' => self.block(sink),
            b'E' => {
                sink.launch_end();
                Ok(())
            }
            _ => Err(Stop::Malformed("unknown record")),
        }
    }

    fn kernels(&mut self, rewrite: Rewrite) -> Result<(), Stop> {
        let hooks = [self.u64()?, self.u64()?, self.u64()?];
        let mut path = vec![0; self.u32()? as usize];
        self.input.read_exact(&mut path)?;
        let done = rewrite(&PathBuf::from(OsString::from_vec(path)), hooks);
        self.answers.write_all(&[u8::from(done.is_err())])?;
        done.map_err(Stop::Kernels)
    }

    fn place(&mut self, sink: &mut dyn TraceSink, has_align: bool) -> Result<(), Stop> {
        let (offset, kind, bytes) = (self.u32()?, self.byte()?, self.u32()?);
        let align = if has_align { self.u32()? } else { 1 };
        let kind = match kind {
            0 => AccessKind::Read,
            1 => AccessKind::Write,
            2 => AccessKind::Atomic,
            _ => return Err(Stop::Malformed("unknown kind of access")),
        };
        if offset >= 1 << 24 {
            return Err(Stop::Malformed("place out of range"));
        }
        let at = offset as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, NONE);
        }
        self.places[at] = self.count;
        sink.place(PlaceId(self.count), Place { offset, kind, bytes, align });
        self.count += 1;
        Ok(())
    }

    fn block(&mut self, sink: &mut dyn TraceSink) -> Result<(), Stop> {
        let (index, static_shared, threads) = (self.triple()?, self.u64()?, self.u32()?);
        if threads > MOST_THREADS {
            return Err(Stop::Malformed("block too large"));
        }
        self.ends.clear();
        let mut total = 0;
        for _ in 0..threads {
            total += u64::from(self.u32()?);
            self.ends.push(total);
        }
        self.accesses.clear();
        let mut left = total as usize * 8;
        while left > 0 {
            let take = left.min(self.bytes.len());
            self.input.read_exact(&mut self.bytes[..take])?;
            for word in self.bytes[..take].chunks_exact(8) {
                let word = word.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                let place = self.places.get((word & 0xff_ffff) as usize).copied();
                let Some(place) = place.filter(|place| *place != NONE) else {
                    return Err(Stop::Malformed("access from an unknown place"));
                };
                self.accesses.push(Access { address: word >> 24, place: PlaceId(place) });
            }
            left -= take;
        }
        sink.block(Block { index, static_shared, ends: &self.ends, accesses: &self.accesses });
        Ok(())
    }
}
