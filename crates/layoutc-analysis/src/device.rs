//! Devices as data: what the models know about a GPU.
//!
//! A device is a TOML file in `devices/`, built into the program, or one that the user names. Every
//! fact is a table with its value and where it comes from, or the string `"unknown"`:
//!
//! ```toml
//! name = "gtx280"
//! title = "NVIDIA GeForce GTX 280"
//! compute_capability = "1.3"
//!
//! [execution]
//! multiprocessors = { value = 30, source = "…" }
//! # …
//! [steering]
//! channel_hash = { value = "none", source = "…" }   # none, present, or the fact is "unknown"
//! coalescing_bits = { value = [5, 2], source = "…" } # [highest, lowest]
//! steering_bits = { value = [13, 6], source = "…" }
//! most_important_bits = { value = [10, 6], source = "…" }
//! ```
//!
//! A fact may have a `confidence`: `A` primary data or source code, `B` a vendor's document or a
//! maintainer's statement, `C` recalled from the literature, `D` inferred. A fact that a file does not
//! mention is unknown; a key that the schema does not have is an error, so that no misspelt fact goes
//! unnoticed. To add a fact, add a field of type [`Fact`] to one of the tables below.

mod check;
pub mod tree;

use crate::device::tree::Tree;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The devices that are built in: their names and texts, sorted by name.
const DEVICES: &[(&str, &str)] = &[
    ("a100", include_str!("../devices/a100.toml")),
    ("b200", include_str!("../devices/b200.toml")),
    ("firepro-s9000", include_str!("../devices/firepro-s9000.toml")),
    ("gtx280", include_str!("../devices/gtx280.toml")),
    ("gtx480", include_str!("../devices/gtx480.toml")),
    ("h100", include_str!("../devices/h100.toml")),
    ("h200", include_str!("../devices/h200.toml")),
    ("k20c", include_str!("../devices/k20c.toml")),
    ("k20m", include_str!("../devices/k20m.toml")),
    ("m2050", include_str!("../devices/m2050.toml")),
    ("mi250x", include_str!("../devices/mi250x.toml")),
    ("mi300x", include_str!("../devices/mi300x.toml")),
    ("p100", include_str!("../devices/p100.toml")),
    ("rtx3090", include_str!("../devices/rtx3090.toml")),
    ("rtx4090", include_str!("../devices/rtx4090.toml")),
    ("t4", include_str!("../devices/t4.toml")),
    ("v100", include_str!("../devices/v100.toml")),
];

/// The names of the built-in devices, sorted.
#[must_use]
pub fn device_names() -> Vec<&'static str> {
    DEVICES.iter().map(|(name, _)| *name).collect()
}

/// Something that is known about a device, or not.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(untagged, expecting = "a fact is \"unknown\" or a table with `value` and `source`")]
pub enum Fact<T> {
    /// Known, and from where.
    Known(Known<T>),
    /// Not known; the text says so.
    Unknown(Unknown),
    /// The file does not mention it.
    #[default]
    Absent,
}

/// A known fact.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known<T> {
    /// What is known.
    pub value: T,
    /// Where it comes from.
    pub source: String,
    /// How sure it is: `A` to `D`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
}

/// The string `"unknown"`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// The only one.
    Unknown,
}

/// How sure a fact is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Confidence {
    /// Primary data, or source code.
    A,
    /// A vendor's document or a maintainer's statement.
    B,
    /// Recalled from the literature.
    C,
    /// Inferred.
    D,
}

impl<T> Fact<T> {
    /// The value, if it is known.
    #[must_use]
    pub fn known(&self) -> Option<&T> {
        match self {
            Fact::Known(known) => Some(&known.value),
            Fact::Unknown(_) | Fact::Absent => None,
        }
    }
}

/// A range of address bits, `[highest, lowest]`, both included. Bit 0 selects a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "[u32; 2]", into = "[u32; 2]")]
pub struct BitRange {
    /// The highest bit.
    pub high: u32,
    /// The lowest bit.
    pub low: u32,
}

impl BitRange {
    /// Whether a bit lies within.
    #[must_use]
    pub fn contains(self, bit: u32) -> bool {
        (self.low..=self.high).contains(&bit)
    }
}

impl TryFrom<[u32; 2]> for BitRange {
    type Error = String;

    fn try_from([high, low]: [u32; 2]) -> Result<Self, String> {
        if low <= high && high < 48 {
            Ok(BitRange { high, low })
        } else {
            Err(format!("[{high}, {low}] is no range of address bits, highest first, below 48"))
        }
    }
}

impl From<BitRange> for [u32; 2] {
    fn from(range: BitRange) -> [u32; 2] {
        [range.high, range.low]
    }
}

impl fmt::Display for BitRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{}:{}]", self.high, self.low)
    }
}

/// Whether address bits choose channels directly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChannelHash {
    /// They do: steering bits exist.
    None,
    /// Channels are a hash of many bits.
    Present,
}

/// How many threads run at once.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Execution {
    /// Lanes of a warp.
    pub warp_size: Fact<u32>,
    /// Streaming multiprocessors, or compute units.
    pub multiprocessors: Fact<u32>,
    /// Resident threads of one of them.
    pub threads_per_multiprocessor: Fact<u32>,
    /// Resident blocks of one of them.
    pub blocks_per_multiprocessor: Fact<u32>,
    /// 32-bit registers of one of them.
    pub registers_per_multiprocessor: Fact<u32>,
    /// Registers that one thread can have.
    pub registers_per_thread: Fact<u32>,
    /// Bytes of shared memory of one of them that blocks can have, at most.
    pub shared_bytes_per_multiprocessor: Fact<u64>,
    /// Single-precision operations that one of them begins in a cycle, a fused one counted once.
    pub operations_per_cycle: Fact<u32>,
    /// The clock under load.
    pub clock_megahertz: Fact<u32>,
    /// From the end of a kernel to the start of the next, which waits for it.
    pub launch_nanoseconds: Fact<u32>,
}

/// Caches and memory.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Memory {
    /// Bytes of first-level cache for global loads of one multiprocessor, at most; 0: none.
    pub l1_bytes: Fact<u64>,
    /// Bytes of a line of it.
    pub l1_line: Fact<u32>,
    /// Bytes that it fetches at least.
    pub l1_sector: Fact<u32>,
    /// Bytes that first-level cache and shared memory divide; 0 where each has its own.
    pub l1_and_shared_bytes: Fact<u64>,
    /// Lines of a set of it.
    pub l1_ways: Fact<u32>,
    /// Bytes of second-level cache; 0: none.
    pub l2_bytes: Fact<u64>,
    /// Bytes of a line of it.
    pub l2_line: Fact<u32>,
    /// Bytes that it fetches at least.
    pub l2_sector: Fact<u32>,
    /// Lines of a set of it.
    pub l2_ways: Fact<u32>,
    /// Parts of it that can each hold a copy of what all multiprocessors read.
    pub l2_partitions: Fact<u32>,
    /// Width of the memory bus.
    pub dram_bus_bits: Fact<u32>,
    /// Peak bandwidth in 10⁹ bytes per second.
    pub dram_gigabytes_per_second: Fact<u32>,
    /// Channels of the memory.
    pub dram_channels: Fact<u32>,
}

/// Latencies of dependent loads in cycles, `[least, most]` of what was measured.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Latency {
    /// A hit in the first-level cache.
    pub l1_cycles: Fact<[u32; 2]>,
    /// A hit in the second-level cache.
    pub l2_cycles: Fact<[u32; 2]>,
    /// Memory.
    pub dram_cycles: Fact<[u32; 2]>,
}

/// What a sector costs the models of [`crate::cost`], relative to each other: from the first-level
/// cache, from the second-level cache, and from memory.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// For sectors: what limits their number in a second.
    pub sectors: Fact<[u32; 3]>,
}

/// The device as Peng et al. describe it, where that differs from what is known of it otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PengFacts {
    /// What a transaction costs in the first-level cache, the second-level cache and memory.
    pub weights: Fact<[u32; 3]>,
    /// Bytes of first-level cache; 0: none.
    pub l1_bytes: Fact<u64>,
    /// Bytes of a line of it.
    pub l1_line: Fact<u32>,
    /// Bytes of second-level cache.
    pub l2_bytes: Fact<u64>,
    /// Bytes of a line of it.
    pub l2_line: Fact<u32>,
}

/// Which address bits coalesce and steer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Steering {
    /// Whether channels are hashed. Only `none` makes the other facts of this table mean something.
    pub channel_hash: Fact<ChannelHash>,
    /// Offset of a word in a burst.
    pub coalescing_bits: Fact<BitRange>,
    /// Bits that choose channels and banks.
    pub steering_bits: Fact<BitRange>,
    /// Those of them that suffice to reach all channels and banks.
    pub most_important_bits: Fact<BitRange>,
}

/// Decision trees for the tiles of clusters, as [`Tree`] reads them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tiles {
    /// By the size of a cluster alone, as Kofler et al. have it.
    pub by_size: Fact<String>,
    /// By its size, its fields, and the trips of the loop around.
    pub by_access: Fact<String>,
}

/// Which tree of a device chooses the tiles of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TileModel {
    /// [`Tiles::by_size`].
    #[default]
    Size,
    /// [`Tiles::by_access`].
    Access,
}

/// A GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// What `--device` calls it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// Such as `8.0`.
    pub compute_capability: String,
    /// How many threads run at once.
    #[serde(default)]
    pub execution: Execution,
    /// Caches and memory.
    #[serde(default)]
    pub memory: Memory,
    /// Latencies.
    #[serde(default)]
    pub latency: Latency,
    /// Prices.
    #[serde(default)]
    pub weights: Weights,
    /// What Peng et al. say of it.
    #[serde(default)]
    pub peng: PengFacts,
    /// Tiles.
    #[serde(default)]
    pub tiles: Tiles,
    /// Address bits.
    #[serde(default)]
    pub steering: Steering,
}

/// The steering model of a device whose channels are not hashed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct SteeringModel {
    /// Offset of a word in a burst.
    pub coalescing: BitRange,
    /// Bits that choose channels and banks; above `coalescing`.
    pub steering: BitRange,
    /// Those that suffice, if that is known.
    pub most_important: Option<BitRange>,
}

impl Device {
    /// The built-in device with this name.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Device> {
        let (_, text) = DEVICES.iter().find(|(own, _)| *own == name)?;
        Some(Device::parse(text).expect("the built-in devices are tested"))
    }

    /// The device that a TOML text describes.
    ///
    /// # Errors
    /// What is wrong with it, in lines for people.
    pub fn parse(text: &str) -> Result<Device, String> {
        let device: Device = toml::from_str(text).map_err(|error| error.to_string())?;
        check::check(&device)?;
        Ok(device)
    }

    /// The steering model, or the reason why there is none.
    ///
    /// # Errors
    /// A phrase that says what is in the way.
    pub fn steering_model(&self) -> Result<SteeringModel, &'static str> {
        match self.steering.channel_hash.known() {
            None => return Err("it is unknown whether its memory channels are hashed"),
            Some(ChannelHash::Present) => return Err("its memory channels are hashed"),
            Some(ChannelHash::None) => {}
        }
        let bits = (self.steering.coalescing_bits.known(), self.steering.steering_bits.known());
        let (Some(coalescing), Some(steering)) = bits else {
            return Err("its steering bits are unknown");
        };
        let most_important = self.steering.most_important_bits.known().copied();
        Ok(SteeringModel { coalescing: *coalescing, steering: *steering, most_important })
    }

    /// The tree that chooses the tiles of clusters, if there is one.
    #[must_use]
    pub fn tile_tree(&self, model: TileModel) -> Option<Tree> {
        let fact = match model {
            TileModel::Size => &self.tiles.by_size,
            TileModel::Access => &self.tiles.by_access,
        };
        // `parse` has read it.
        Tree::parse(fact.known()?).ok()
    }

    /// Lanes of a warp; 32 where it is not known.
    #[must_use]
    pub fn warp_size(&self) -> u32 {
        self.execution.warp_size.known().copied().unwrap_or(32)
    }

    /// How many blocks of `threads` threads run at once at most, registers and shared memory left
    /// aside; `None` where the limits are not known.
    #[must_use]
    pub fn active_blocks(&self, threads: u64) -> Option<u64> {
        let known = |fact: &Fact<u32>| fact.known().copied().map(u64::from);
        let execution = &self.execution;
        let by_threads = known(&execution.threads_per_multiprocessor)?.checked_div(threads)?.max(1);
        let blocks = by_threads.min(known(&execution.blocks_per_multiprocessor)?);
        Some(known(&execution.multiprocessors)? * blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_devices() {
        let names = device_names();
        assert!(names.is_sorted());
        for name in names {
            let text = DEVICES.iter().find(|(own, _)| *own == name).expect("listed").1;
            let device = Device::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(device.name, name);
            assert!(device.execution.multiprocessors.known().is_some(), "{name}");
            // Every table is a known fact with a source, so what is left are the sources themselves.
            let values = text.matches("value = ").count();
            assert_eq!(values, text.matches("source = \"").count(), "{name}");
            assert!(!text.contains("source = \"\""), "{name}");
        }
        assert_eq!(Device::built_in("gtx281"), None);
    }

    #[test]
    fn bits_of_the_gtx_280() {
        let model = Device::built_in("gtx280").expect("there").steering_model().expect("plain");
        assert_eq!(model.coalescing, BitRange { high: 5, low: 2 });
        assert_eq!(model.steering, BitRange { high: 13, low: 6 });
        assert_eq!(model.most_important, Some(BitRange { high: 10, low: 6 }));
        assert_eq!(model.steering.to_string(), "[13:6]");
    }

    #[test]
    fn steering_is_modelled_only_without_a_hash() {
        for name in device_names() {
            let modelled = Device::built_in(name).expect("there").steering_model().is_ok();
            assert_eq!(modelled, name == "gtx280", "{name}");
        }
        let text = include_str!("../devices/gtx280.toml");
        let hashed = text.replace("value = \"none\"", "value = \"present\"");
        let reason = Device::parse(&hashed).expect("parses").steering_model();
        assert_eq!(reason, Err("its memory channels are hashed"));
    }

    #[test]
    fn mistakes_are_found() {
        let head = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"1.0\"\n";
        let error = |tail: &str| Device::parse(&format!("{head}{tail}")).expect_err("a mistake");
        assert!(Device::parse(head).is_ok());
        assert!(error("[steering]\nchannel_hash = 3\n").contains("a fact is \"unknown\""));
        assert!(error("[memory]\nl3_bytes = \"unknown\"\n").contains("l3_bytes"));
        assert!(error("[execution]\nwarp_size = { value = 32 }\n").contains("a fact is"));
        let reversed = "[steering]\nsteering_bits = { value = [6, 13], source = \"s\" }\n";
        assert!(error(reversed).contains("a fact is"));
        let overlap = "[steering]\ncoalescing_bits = { value = [6, 2], source = \"s\" }\n\
            steering_bits = { value = [13, 6], source = \"s\" }\n";
        assert!(error(overlap).contains("do not begin above"));
    }

    #[test]
    fn active_blocks_are_bounded_by_blocks_and_threads() {
        let device = Device::built_in("gtx280").expect("there");
        assert_eq!(device.active_blocks(128), Some(240));
        assert_eq!(device.active_blocks(512), Some(60));
        assert_eq!(device.active_blocks(0), None);
    }
}
