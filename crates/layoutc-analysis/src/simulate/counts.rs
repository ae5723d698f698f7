//! What is counted.

use serde::Serialize;
use std::ops::AddAssign;

/// What requests asked for and who served it. Sectors are those of the device, of 32 bytes on most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Instructions of warps.
    pub requests: u64,
    /// Lanes that took part in them.
    pub lanes: u64,
    /// Sectors that they touched: what Nsight Compute calls theoretical sectors.
    pub sectors: u64,
    /// Sectors that the bytes asked for would fill if they lay next to each other: its ideal sectors.
    pub ideal_sectors: u64,
    /// Of `sectors`, those that loads asked for.
    pub load_sectors: u64,
    /// Sectors that loads found in the first-level cache.
    pub l1_hits: u64,
    /// Sectors that came to the second-level cache; two for each of an atomic operation.
    pub l2_sectors: u64,
    /// Of these, the ones that were there.
    pub l2_hits: u64,
    /// Sectors read from memory.
    pub dram_reads: u64,
    /// Sectors written to memory.
    pub dram_writes: u64,
    /// Transactions as the paper has them: lines of requests, or their sectors where there is no
    /// first-level cache.
    pub transactions: u64,
    /// Of these, the ones served by the first-level cache.
    pub l1_transactions: u64,
    /// By the second-level cache.
    pub l2_transactions: u64,
    /// By memory.
    pub dram_transactions: u64,
}

impl Counts {
    /// Sectors that memory reads and writes.
    #[must_use]
    pub fn dram_sectors(&self) -> u64 {
        self.dram_reads + self.dram_writes
    }

    /// What they cost by the weights of sectors from the first level, the second level and memory, as the
    /// model of [`crate::cost::sectors`] charges them.
    #[must_use]
    pub fn sector_cost(&self, weights: [f64; 3]) -> f64 {
        let [w1, w2, w3] = weights;
        self.requests as f64
            + w1 * self.load_sectors as f64
            + w2 * self.l2_sectors as f64
            + w3 * self.dram_sectors() as f64
    }

    /// The paper's dynamic cost: each transaction costs the weight of the level that served it.
    #[must_use]
    pub fn transaction_cost(&self, weights: [f64; 3]) -> f64 {
        let [w1, w2, w3] = weights;
        w1 * self.l1_transactions as f64
            + w2 * self.l2_transactions as f64
            + w3 * self.dram_transactions as f64
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.requests += other.requests;
        self.lanes += other.lanes;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
        self.load_sectors += other.load_sectors;
        self.l1_hits += other.l1_hits;
        self.l2_sectors += other.l2_sectors;
        self.l2_hits += other.l2_hits;
        self.dram_reads += other.dram_reads;
        self.dram_writes += other.dram_writes;
        self.transactions += other.transactions;
        self.l1_transactions += other.l1_transactions;
        self.l2_transactions += other.l2_transactions;
        self.dram_transactions += other.dram_transactions;
    }
}
