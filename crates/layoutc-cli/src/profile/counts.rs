//! The counts that an instrumented program writes that was built elsewhere: lines of numbers.

use layoutc_analysis::profile::{Accessed, Counts, LEVELS, Launched, Profile, Run, Trips};
use std::fs;
use std::path::Path;

/// Bytes that such a file has at most.
const MOST: u64 = 64 << 20;

/// Reads the counts of one run.
///
/// # Errors
/// A sentence: the file cannot be read, or is none of this program.
pub fn read(path: &Path, profile: &Profile) -> Result<Run, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let length = fs::metadata(path).map_err(failed)?.len();
    if length > MOST {
        return Err(format!("{}: {length} bytes are too many for counts", path.display()));
    }
    let bytes = fs::read(path).map_err(failed)?;
    parse(&String::from_utf8_lossy(&bytes), profile)
        .map_err(|(line, message)| format!("{}:{line}: {message}", path.display()))
}

/// The run, or the line that is wrong.
pub fn parse(text: &str, profile: &Profile) -> Result<Run, (usize, String)> {
    let mut run = Run {
        arguments: Vec::new(),
        device: String::new(),
        partial: None,
        accesses: Vec::new(),
        trips: Vec::new(),
        launches: Vec::new(),
    };
    let mut is_open = false;
    for (line, text) in (1..).zip(text.lines()) {
        let mut words = text.split_whitespace();
        let kind = words.next().unwrap_or_default();
        if kind == "device" {
            run.device = text["device".len()..].trim().to_owned();
            is_open = true;
            continue;
        }
        if kind == "end" {
            is_open = false;
            continue;
        }
        let numbers: Vec<i64> = words
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map_err(|_| (line, "this is no line of counts".to_owned()))?;
        let known = |number: i64, count: usize, what: &str| match u32::try_from(number) {
            Ok(at) if (at as usize) < count => Ok(at),
            _ => Err((line, format!("the program has no {what} {number}"))),
        };
        let count = |at: usize| numbers[at].max(0) as u64;
        match (kind, numbers.len()) {
            ("launch", 8) => {
                let shape = |at: usize| -> [u32; 3] {
                    std::array::from_fn(|axis| u32::try_from(numbers[at + axis]).unwrap_or(0))
                };
                run.launches.push(Launched {
                    kernel: known(numbers[0], profile.kernels.len(), "kernel")?,
                    grid: shape(1),
                    block: shape(4),
                    launches: count(7),
                });
            }
            ("loop", 4) => run.trips.push(Trips {
                kernel: known(numbers[0], profile.kernels.len(), "kernel")?,
                of: known(numbers[1], profile.loops.len(), "loop")?,
                entries: count(2),
                iterations: count(3),
            }),
            ("access", 25) => {
                let instruction = known(numbers[1], profile.instructions.len(), "access")?;
                let blocks: [u64; LEVELS] = std::array::from_fn(|level| count(12 + level));
                run.accesses.push(Accessed {
                    kernel: known(numbers[0], profile.kernels.len(), "kernel")?,
                    instruction,
                    scope: profile.instructions[instruction as usize].scope,
                    counts: Counts {
                        requests: count(2),
                        lanes: count(3),
                        line_lanes: count(4),
                        shared: count(5),
                        address_lanes: count(6),
                        lines: count(7),
                        sectors: count(8),
                        strided: count(9),
                        stride: numbers[10],
                        blocks,
                    },
                });
            }
            _ => return Err((line, "this is no line of counts".to_owned())),
        }
    }
    if run.device.is_empty() {
        return Err((1, "there are no counts".to_owned()));
    }
    run.partial = is_open.then(|| "the counts end early".to_owned());
    Ok(joined(run))
}

/// Files of one program count apart.
fn joined(run: Run) -> Run {
    let mut found = Run { accesses: Vec::new(), trips: Vec::new(), launches: Vec::new(), ..run };
    for own in run.accesses {
        let key = |own: &Accessed| (own.kernel, own.scope, own.instruction);
        match found.accesses.iter_mut().find(|known| key(known) == key(&own)) {
            Some(known) => known.counts.add(&own.counts),
            None => found.accesses.push(own),
        }
    }
    for own in run.trips {
        match found.trips.iter_mut().find(|known| (known.kernel, known.of) == (own.kernel, own.of))
        {
            Some(known) => {
                known.entries = known.entries.saturating_add(own.entries);
                known.iterations = known.iterations.saturating_add(own.iterations);
            }
            None => found.trips.push(own),
        }
    }
    for own in run.launches {
        let key = |own: &Launched| (own.kernel, own.grid, own.block);
        match found.launches.iter_mut().find(|known| key(known) == key(&own)) {
            Some(known) => known.launches = known.launches.saturating_add(own.launches),
            None => found.launches.push(own),
        }
    }
    found.accesses.sort_by_key(|own| (own.kernel, own.scope, own.instruction));
    found.trips.sort_by_key(|own| (own.kernel, own.of));
    found
}
