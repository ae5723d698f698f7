//! How many blocks a multiprocessor runs at once.
//!
//! [`paper_blocks`] is the formula of Peng, Grossman, Sarkar, PMBS 2016, §IV-E. [`blocks`] follows what
//! NVIDIA's own `cuda_occupancy.h` does: registers go to warps in units of 256 and stay within the
//! quarter (on 6.0: the half) of the multiprocessor that runs the warp, shared memory goes to blocks in
//! units of 128 or 256 bytes, and since 8.0 the driver keeps 1 KB of it for each block.
//!
//! The paper's example with 8 blocks of 256 threads breaks its own limit of 1536 threads; the formula
//! gives 6.

use crate::device::{Device, Fact};

/// What a block needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockNeeds {
    /// Threads.
    pub threads: u64,
    /// Registers of each thread, if they are known.
    pub registers: Option<u32>,
    /// Bytes of shared memory.
    pub shared_bytes: u64,
}

/// The paper's number of blocks: at least 1, and no limit counts that is not known.
#[must_use]
pub fn paper_blocks(device: &Device, needs: BlockNeeds) -> u64 {
    let execution = &device.execution;
    let threads = needs.threads.max(1);
    let by_blocks = known(&execution.blocks_per_multiprocessor);
    let by_threads = known(&execution.threads_per_multiprocessor).map(|most| most / threads);
    let by_registers = needs.registers.filter(|registers| *registers > 0).and_then(|registers| {
        let all = known(&execution.registers_per_multiprocessor)?;
        Some(all / u64::from(registers) / threads)
    });
    least([by_blocks, by_threads, by_registers]).max(1)
}

/// How many blocks run at once; 0 if not even one can.
///
/// For devices that are not NVIDIA's, whole registers and bytes count.
#[must_use]
pub fn blocks(device: &Device, needs: BlockNeeds) -> u64 {
    let execution = &device.execution;
    let warp = u64::from(device.warp_size()).max(1);
    let units = Units::of(device);
    let warps = needs.threads.max(1).div_ceil(warp);
    if needs.threads > 1024 {
        return 0;
    }
    let by_blocks = known(&execution.blocks_per_multiprocessor);
    let by_threads = known(&execution.threads_per_multiprocessor).map(|most| most / warp / warps);
    let by_registers = needs.registers.filter(|registers| *registers > 0).and_then(|registers| {
        let all = known(&execution.registers_per_multiprocessor)?;
        let most = known(&execution.registers_per_thread).unwrap_or(u64::MAX);
        if u64::from(registers) > most {
            return Some(0);
        }
        let of_warp = (u64::from(registers) * warp).next_multiple_of(units.registers);
        // A launch is checked as if the block's warps were spread evenly; on 6.0 as if it were a 6.1.
        let per_block = all.min(65536);
        if of_warp * warps.next_multiple_of(units.checked_parts) > per_block {
            return Some(0);
        }
        Some(all / units.parts / of_warp * units.parts / warps)
    });
    let by_shared = known_bytes(&execution.shared_bytes_per_multiprocessor).and_then(|all| {
        let own = (needs.shared_bytes + units.reserved).next_multiple_of(units.shared);
        all.checked_div(own)
    });
    least([by_blocks, by_threads, by_registers, by_shared])
}

/// In what portions a multiprocessor gives away what it has.
struct Units {
    /// Registers of a warp.
    registers: u64,
    /// Parts with registers of their own.
    parts: u64,
    /// Parts that the check of a launch assumes.
    checked_parts: u64,
    /// Bytes of shared memory of a block.
    shared: u64,
    /// Bytes of shared memory that each block has besides its own.
    reserved: u64,
}

impl Units {
    fn of(device: &Device) -> Units {
        let plain = Units { registers: 1, parts: 1, checked_parts: 1, shared: 1, reserved: 0 };
        let mut numbers = device.compute_capability.split('.').map(str::parse::<u32>);
        let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
            return plain;
        };
        if major < 3 {
            return plain;
        }
        let parts = if (major, minor) == (6, 0) { 2 } else { 4 };
        let (shared, reserved) = if major >= 8 { (128, 1024) } else { (256, 0) };
        Units { registers: 256, parts, checked_parts: 4, shared, reserved }
    }
}

fn known(fact: &Fact<u32>) -> Option<u64> {
    fact.known().copied().map(u64::from)
}

fn known_bytes(fact: &Fact<u64>) -> Option<u64> {
    fact.known().copied()
}

fn least<const N: usize>(limits: [Option<u64>; N]) -> u64 {
    limits.into_iter().flatten().min().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(threads: u64, registers: Option<u32>, shared_bytes: u64) -> BlockNeeds {
        BlockNeeds { threads, registers, shared_bytes }
    }

    #[test]
    fn the_papers_formula() {
        let fermi = Device::built_in("m2050").expect("there");
        assert_eq!(paper_blocks(&fermi, needs(256, None, 0)), 6, "not 8, as the example has it");
        assert_eq!(paper_blocks(&fermi, needs(64, None, 0)), 8);
        assert_eq!(paper_blocks(&fermi, needs(256, Some(63), 0)), 2);
        assert_eq!(paper_blocks(&fermi, needs(1024, Some(63), 0)), 1, "at least one");
        let kepler = Device::built_in("k20c").expect("there");
        assert_eq!(paper_blocks(&kepler, needs(256, None, 0)), 8);
        assert_eq!(paper_blocks(&kepler, needs(64, Some(255), 0)), 4);
    }

    #[test]
    fn registers_come_in_units() {
        let h100 = Device::built_in("h100").expect("there");
        assert_eq!(blocks(&h100, needs(256, Some(32), 0)), 8);
        assert_eq!(blocks(&h100, needs(256, Some(33), 0)), 6, "33 are 40");
        assert_eq!(blocks(&h100, needs(1024, Some(65), 0)), 0, "no launch");
    }
}
