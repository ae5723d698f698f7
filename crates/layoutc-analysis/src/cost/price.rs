//! Prices, as both models give them.

use super::vector::CostVector;
use serde::Serialize;
use std::fmt;
use std::ops::AddAssign;

/// How accesses are priced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Peng, Grossman, Sarkar, PMBS 2016: transactions of lines; see [`super::peng`].
    Peng,
    /// Sectors of today's caches; see [`super::sectors`].
    #[default]
    Sectors,
}

impl Model {
    /// All of them.
    pub const ALL: [Model; 2] = [Model::Peng, Model::Sectors];

    /// Its name on command lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Model::Peng => "peng",
            Model::Sectors => "sectors",
        }
    }

    /// The model with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Model> {
        Model::ALL.into_iter().find(|model| model.name() == name)
    }
}

impl fmt::Display for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Why there is no price.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CostError {
    /// The block has no threads.
    EmptyBlock,
    /// The model needs a fact that the device's file does not give.
    UnknownFact {
        /// The device's name.
        device: String,
        /// The fact's place in the file.
        fact: &'static str,
    },
    /// An access to a leaf that the arrangement does not place.
    Unplaced {
        /// The access's position.
        access: usize,
    },
}

impl fmt::Display for CostError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CostError::EmptyBlock => write!(out, "a block has no threads"),
            CostError::UnknownFact { device, fact } => {
                write!(out, "the file of device `{device}` does not give `{fact}`")
            }
            CostError::Unplaced { access } => write!(out, "access {access} has no place"),
        }
    }
}

impl std::error::Error for CostError {}

/// Bytes between the addresses of neighbouring lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stride {
    /// Always this; 0: all lanes access one value.
    Bytes(u64),
    /// Known, and not always the same.
    Mixed,
    /// At least a line, as it is a multiple of an extent or of something else that is large.
    Large,
    /// Not known.
    Unknown,
}

impl fmt::Display for Stride {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stride::Bytes(bytes) => write!(out, "{bytes}"),
            Stride::Mixed => write!(out, "mixed"),
            Stride::Large => write!(out, "large"),
            Stride::Unknown => write!(out, "unknown"),
        }
    }
}

/// The part of what an access asks for that each level serves; they add up to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Shares {
    /// A register: the value is there already, or comes with another access.
    pub register: f64,
    /// The first-level cache.
    pub l1: f64,
    /// The second-level cache.
    pub l2: f64,
    /// Memory.
    pub dram: f64,
}

impl Shares {
    /// The level that serves the most, from the nearest on.
    #[must_use]
    pub fn level(&self) -> &'static str {
        let levels =
            [("register", self.register), ("L1", self.l1), ("L2", self.l2), ("DRAM", self.dram)];
        let most = levels.iter().fold(0.0, |most: f64, (_, share)| most.max(*share));
        levels.iter().find(|(_, share)| *share == most).map_or("DRAM", |(name, _)| name)
    }
}

/// How far back the last use of something near lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Reuse {
    /// The access that used it, by its position.
    pub previous: usize,
    /// Bytes that all threads of a multiprocessor touch from there to here.
    pub l1_distance: u64,
    /// Bytes that all threads touch.
    pub l2_distance: u64,
}

/// What one access costs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct AccessPrice {
    /// Bytes between the addresses of neighbouring lanes; of its first leaf if there are several.
    pub stride: Stride,
    /// What a warp asks for each time: transactions of lines, or sectors.
    pub transactions: f64,
    /// Lines that a warp touches each time.
    pub lines: f64,
    /// Instructions that it takes; 0 if the value comes with another access.
    pub instructions: f64,
    /// The access that brings the value along, by its position.
    pub with: Option<usize>,
    /// How often a warp gets there, loops of unknown length taken at 100.
    pub executions: f64,
    /// Its complexity degree.
    pub degree: usize,
    /// The last use of something near, of its first leaf if there are several.
    pub reuse: Option<Reuse>,
    /// Who serves it.
    pub shares: Shares,
    /// What it costs a warp each time.
    pub cost: f64,
    /// What it costs all warps in all launches.
    pub total: CostVector,
    /// Its part of the kernel's traffic; nothing under [`Model::Peng`].
    pub traffic: Traffic,
}

/// What goes through the caches, in sectors of all warps and launches; loops of unknown length at 100.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Traffic {
    /// What loads and stores ask for.
    pub requested: f64,
    /// What they would ask for if the bytes of each request lay side by side.
    pub ideal: f64,
    /// What leaves the first-level cache.
    pub l2: f64,
    /// What memory reads and writes.
    pub dram: f64,
    /// Of `l2`, what atomic operations ask for.
    pub atomics: f64,
    /// Memory instructions.
    pub instructions: f64,
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.requested += other.requested;
        self.ideal += other.ideal;
        self.l2 += other.l2;
        self.dram += other.dram;
        self.atomics += other.atomics;
        self.instructions += other.instructions;
    }
}

/// What a kernel costs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelPrice {
    /// The kernel's name.
    pub kernel: String,
    /// The model.
    pub model: Model,
    /// Blocks that a multiprocessor runs at once.
    pub blocks_per_multiprocessor: u64,
    /// Warps of a launch.
    pub warps: u64,
    /// The accesses of the kernel, in its order.
    pub accesses: Vec<AccessPrice>,
    /// Everything together.
    pub total: CostVector,
    /// What goes through the caches; nothing under [`Model::Peng`].
    pub traffic: Traffic,
    /// Whether all that it accesses is known to fit into the second-level cache.
    #[serde(skip)]
    pub is_cached: bool,
}
