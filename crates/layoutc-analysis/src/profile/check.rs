//! What every profile holds to: positions that exist, and counts that requests of warps can have.

use super::{
    Accessed, Counts, Instruction, LEVELS, Launched, Place, Profile, Range, Run, Source, Trips,
};
use std::collections::BTreeSet;

/// The most entries of a list: instructions, loops, leaves, runs.
const MOST: usize = 1 << 20;
/// Lanes of a warp.
const WARP: u64 = 32;
/// Threads of a block at most: 1024 on GPUs, some thousand where OpenCL runs on a CPU.
const BLOCK: u64 = 1 << 16;
/// Bytes of a line, and of a sector.
const LINE: u64 = 128;
const SECTOR: u64 = 32;

/// Whether a condition holds; otherwise why that cannot be.
fn ensure(holds: bool, because: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(because()) }
}

/// Whether a position is one of a list's.
fn within(at: u32, length: usize, what: &str, of: &str) -> Result<(), String> {
    ensure((at as usize) < length, || format!("{of} names {what} {at}, and there are {length}"))
}

impl Profile {
    /// Whether everything fits together.
    ///
    /// # Errors
    /// The first thing that cannot be, in a clause.
    pub(super) fn check(&self) -> Result<(), String> {
        let lengths = [
            ("sources", self.sources.len()),
            ("runs", self.runs.len()),
            ("arrays", self.arrays.len()),
            ("kernels", self.kernels.len()),
            ("loops", self.loops.len()),
            ("instructions", self.instructions.len()),
            ("omitted accesses", self.omitted.len()),
        ];
        for (what, length) in lengths {
            ensure(length <= MOST, || format!("it has {length} {what}"))?;
        }
        self.check_text()?;
        self.runs.iter().enumerate().try_for_each(|(at, run)| {
            self.check_run(run).map_err(|because| format!("in run {at} {because}"))
        })
    }

    /// What does not depend on runs.
    fn check_text(&self) -> Result<(), String> {
        let mut paths = BTreeSet::new();
        for Source { path, sha256 } in &self.sources {
            ensure(paths.insert(path), || format!("`{path}` is named twice"))?;
            let is_sum = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
            ensure(is_sum, || format!("`{path}` has no SHA-256 sum"))?;
        }
        for array in &self.arrays {
            let name = &array.record;
            ensure(array.leaves.len() <= MOST, || format!("`{name}` has too many leaves"))?;
            for leaf in &array.leaves {
                let end = leaf.offset.checked_add(leaf.bytes);
                let fits = leaf.bytes > 0 && end.is_some_and(|end| end <= array.size);
                ensure(fits, || format!("`{}` lies outside of `{name}`", leaf.name))?;
            }
        }
        for kernel in &self.kernels {
            self.check_place(&kernel.place, &kernel.name)?;
        }
        for (at, own) in self.loops.iter().enumerate() {
            self.check_place(&own.place, "a loop")?;
            let Some(parent) = own.parent else { continue };
            ensure((parent as usize) < at, || {
                format!("loop {at} stands before the one around it")
            })?;
            let around = &self.loops[parent as usize].function;
            ensure(*around == own.function, || format!("loop {at} is in another function's loop"))?;
        }
        for instruction in &self.instructions {
            let text = &instruction.text;
            self.check_place(&instruction.place, text)?;
            within(instruction.array, self.arrays.len(), "array", text)?;
            if let Some(scope) = instruction.scope {
                within(scope, self.loops.len(), "loop", text)?;
            }
            let array = &self.arrays[instruction.array as usize];
            for leaf in &instruction.leaves {
                within(*leaf, array.leaves.len(), "leaf", text)?;
            }
            let mut end = 0;
            for Range { offset, bytes } in &instruction.ranges {
                let behind = offset.checked_add(*bytes).filter(|behind| *behind <= array.size);
                let fits = *bytes > 0 && *offset >= end;
                ensure(fits && behind.is_some(), || format!("`{text}` touches {bytes} bytes"))?;
                end = behind.unwrap_or(end);
            }
            ensure(end > 0, || format!("`{text}` touches nothing"))?;
            ensure(!instruction.leaves.is_empty(), || format!("`{text}` touches no leaf"))?;
            let rises = instruction.leaves.windows(2).all(|pair| pair[0] < pair[1]);
            ensure(rises, || format!("`{text}` does not name its leaves in their order"))?;
        }
        self.omitted.iter().try_for_each(|omitted| self.check_place(&omitted.place, "an omission"))
    }

    fn check_place(&self, place: &Place, what: &str) -> Result<(), String> {
        within(place.source, self.sources.len(), "source", what)?;
        let is_one = place.start <= place.end && place.line > 0;
        ensure(is_one, || format!("{what} stands nowhere in the text"))
    }

    fn check_run(&self, run: &Run) -> Result<(), String> {
        let lengths =
            [run.accesses.len(), run.trips.len(), run.launches.len(), run.arguments.len()];
        ensure(lengths.iter().all(|length| *length <= MOST), || "there is too much".to_owned())?;
        let (kernels, loops) = (self.kernels.len(), self.loops.len());
        let mut seen = BTreeSet::new();
        for Accessed { kernel, instruction, scope, counts } in &run.accesses {
            within(*kernel, kernels, "kernel", "an access")?;
            within(*instruction, self.instructions.len(), "instruction", "an access")?;
            if let Some(scope) = scope {
                within(*scope, loops, "loop", "an access")?;
            }
            let instruction_of = &self.instructions[*instruction as usize];
            let text = &instruction_of.text;
            let is_new = seen.insert((*kernel, *instruction, *scope));
            ensure(is_new, || format!("`{text}` is counted twice in one loop"))?;
            counts.check(instruction_of).map_err(|because| format!("`{text}` {because}"))?;
        }
        let mut seen = BTreeSet::new();
        for Trips { kernel, of, entries, iterations } in &run.trips {
            within(*kernel, kernels, "kernel", "a loop")?;
            within(*of, loops, "loop", "a loop")?;
            let is_new = seen.insert((*kernel, *of));
            ensure(is_new, || format!("loop {of} is counted twice in one kernel"))?;
            let is_entered = *entries > 0 || *iterations == 0;
            ensure(is_entered, || format!("loop {of} runs and is not entered"))?;
        }
        for Launched { kernel, grid, block, launches } in &run.launches {
            within(*kernel, kernels, "kernel", "a launch")?;
            let threads = block.iter().try_fold(1_u64, |all, own| all.checked_mul(u64::from(*own)));
            let fits = threads.is_some_and(|threads| (1..=BLOCK).contains(&threads));
            let is_one = fits && *launches > 0 && grid.iter().all(|extent| *extent > 0);
            ensure(is_one, || {
                format!("`{}` is launched with no such shape", self.kernels[*kernel as usize].name)
            })?;
        }
        Ok(())
    }
}

impl Counts {
    /// Whether requests of an instruction can have these sums.
    ///
    /// # Errors
    /// What cannot be, in a clause.
    fn check(&self, instruction: &Instruction) -> Result<(), String> {
        let Counts { requests, lanes, lines, sectors, blocks, .. } = *self;
        let at_most = |own: u64, limit: u64, what: &str, than: &str| {
            ensure(own <= limit, || format!("has more {what} than {than}: {own} and {limit}"))
        };
        at_most(requests, lanes, "requests", "lanes")?;
        at_most(lanes, requests.saturating_mul(WARP), "lanes", "its requests have")?;
        at_most(self.line_lanes, lanes, "lanes in a line", "lanes")?;
        at_most(requests, self.line_lanes, "requests", "first lanes")?;
        at_most(self.address_lanes, self.line_lanes, "lanes at an address", "lanes in its line")?;
        at_most(requests, self.address_lanes, "requests", "first lanes")?;
        at_most(self.shared, requests, "requests that share", "requests")?;
        let others = self.address_lanes - requests;
        at_most(self.shared, others, "requests that share", "lanes that do")?;
        at_most(others, self.shared.saturating_mul(WARP - 1), "lanes that share", "can")?;
        at_most(self.strided, requests, "requests with a stride", "requests")?;
        at_most(requests, lines, "requests", "lines")?;
        at_most(lines, sectors, "lines", "sectors")?;
        at_most(sectors, lines.saturating_mul(LINE / SECTOR), "sectors", "its lines have")?;
        // A range reaches into one more than it fills, at most.
        let most = instruction.ranges.iter().map(|range| (range.bytes - 1) / SECTOR + 2);
        let most = most.fold(0, u64::saturating_add).saturating_mul(lanes);
        at_most(sectors, most, "sectors", "its lanes reach")?;
        let least = instruction.bytes().div_ceil(SECTOR).saturating_mul(requests);
        at_most(least, sectors, "sectors that its bytes fill", "sectors")?;
        at_most(requests, blocks[LEVELS - 1], "requests", "blocks")?;
        at_most(blocks[0], lanes, "elements", "lanes")?;
        for pair in blocks.windows(2) {
            at_most(pair[1], pair[0], "blocks", "smaller ones")?;
            at_most(pair[0], pair[1].saturating_mul(2), "blocks", "larger ones have halves")?;
        }
        Ok(())
    }
}
