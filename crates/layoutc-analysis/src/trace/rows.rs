//! The classification of Figure 11 on a trace of single threads, its defects removed (see [`super`]).

use super::class::{Classified, LINE};
use std::collections::BTreeMap;

/// What one thread accessed in one execution: a line of Figure 7, whose number (`uniqueID`) is its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The instruction.
    pub inst_id: u64,
    /// The warp that executed it.
    pub warp_id: u64,
    /// The thread.
    pub thread_id: u64,
    /// The address.
    pub addr: u64,
    /// The kernel.
    pub kernel_id: u64,
    /// The loop.
    pub loop_id: u64,
}

/// The class of each instruction in a trace.
///
/// Rows of one execution by one warp stand together, by rising thread.
#[must_use]
pub fn classify_rows(rows: &[Row]) -> BTreeMap<u64, Classified> {
    /// What Figure 11 keeps for each instruction.
    #[derive(Default)]
    struct Sums {
        executions: u64,
        threads: u64,
        is_shared: bool,
    }
    let is_one_execution = |last: &Row, next: &Row| {
        let key = |row: &Row| (row.inst_id, row.warp_id, row.kernel_id, row.loop_id);
        key(last) == key(next) && last.thread_id < next.thread_id
    };
    let mut sums: BTreeMap<u64, Sums> = BTreeMap::new();
    for execution in rows.chunk_by(is_one_execution) {
        let first = execution[0];
        let own = sums.entry(first.inst_id).or_default();
        let on_line = execution.iter().filter(|row| row.addr / LINE == first.addr / LINE);
        own.executions += 1;
        own.threads += on_line.count() as u64;
        own.is_shared |= execution[1..].iter().any(|row| row.addr == first.addr);
    }
    let classified = |own: Sums| Classified::new(own.executions, own.threads as f64, own.is_shared);
    sums.into_iter().filter_map(|(id, own)| Some((id, classified(own)?))).collect()
}
