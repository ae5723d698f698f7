//! What the runtime wrote about each launch: a hash of every numbered allocation after it.

use crate::lowering::SiteId;
use std::collections::BTreeMap;
use std::fmt;

/// One allocation of a run: the textual call and how often it had run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AllocationKey {
    /// The call.
    pub site: SiteId,
    /// 0 for the first allocation that the call made.
    pub occurrence: u32,
}

impl fmt::Display for AllocationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "allocation {} of call site {}", self.occurrence, self.site.0)
    }
}

/// The number of a launch in a run, generated kernels not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaunchId(pub u64);

/// The state after one launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoggedLaunch {
    pub kernel: String,
    pub memory: BTreeMap<AllocationKey, u64>,
    /// Arguments, counted from 0, that point to host memory.
    pub host_pointers: Vec<u32>,
}

/// The hash that stands for a layout that does not fit its allocation.
pub(crate) const NO_FIT: u64 = 0;

/// All launches of a run in order. Lines that are cut short, as when a program dies, are left out.
pub(crate) fn parse(text: &str) -> Vec<LoggedLaunch> {
    let mut launches: Vec<LoggedLaunch> = Vec::new();
    let mut host_pointers = Vec::new();
    for line in text.lines() {
        let mut words = line.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("launch"), Some(_), Some(kernel)) => {
                let host_pointers = std::mem::take(&mut host_pointers);
                launches.push(LoggedLaunch {
                    kernel: kernel.to_owned(),
                    memory: BTreeMap::new(),
                    host_pointers,
                });
            }
            (Some("mem"), Some(_), Some(rest)) => {
                if let (Some((key, hash)), Some(launch)) = (memory_entry(rest), launches.last_mut())
                {
                    launch.memory.insert(key, hash);
                }
            }
            (Some("host-pointer"), Some(_), Some(argument)) => {
                host_pointers.extend(argument.parse::<u32>())
            }
            _ => {}
        }
    }
    launches
}

fn memory_entry(text: &str) -> Option<(AllocationKey, u64)> {
    let mut words = text.split(' ');
    let site = SiteId(words.next()?.parse().ok()?);
    let occurrence = words.next()?.parse().ok()?;
    let hash = words.next().filter(|h| h.len() == 16)?;
    Some((AllocationKey { site, occurrence }, u64::from_str_radix(hash, 16).ok()?))
}
