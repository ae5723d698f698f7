//! Facts of one device that cannot be true together.

use super::{Device, Fact};
use crate::device::tree::Tree;

/// Finds the first contradiction of a device.
pub(super) fn check(device: &Device) -> Result<(), String> {
    let (execution, memory) = (&device.execution, &device.memory);
    let number = |fact: &Fact<u32>| fact.known().copied().map(u64::from);
    let bytes = |fact: &Fact<u64>| fact.known().copied();

    let at_least_one = [
        ("execution.warp_size", number(&execution.warp_size)),
        ("execution.multiprocessors", number(&execution.multiprocessors)),
        ("execution.threads_per_multiprocessor", number(&execution.threads_per_multiprocessor)),
        ("execution.blocks_per_multiprocessor", number(&execution.blocks_per_multiprocessor)),
        ("execution.registers_per_multiprocessor", number(&execution.registers_per_multiprocessor)),
        ("execution.operations_per_cycle", number(&execution.operations_per_cycle)),
        ("execution.clock_megahertz", number(&execution.clock_megahertz)),
        ("memory.l2_partitions", number(&memory.l2_partitions)),
        ("memory.dram_gigabytes_per_second", number(&memory.dram_gigabytes_per_second)),
    ];
    for (name, value) in at_least_one {
        if value == Some(0) {
            return Err(format!("`{name}` is 0"));
        }
    }

    let (peng, warp) = (&device.peng, &execution.warp_size);
    let powers = [
        ("execution.warp_size", number(warp)),
        ("memory.l1_line", number(&memory.l1_line)),
        ("memory.l1_sector", number(&memory.l1_sector)),
        ("memory.l2_line", number(&memory.l2_line)),
        ("memory.l2_sector", number(&memory.l2_sector)),
        ("peng.l1_line", number(&peng.l1_line)),
        ("peng.l2_line", number(&peng.l2_line)),
    ];
    for (name, value) in powers {
        if let Some(value) = value.filter(|value| !value.is_power_of_two()) {
            return Err(format!("`{name}` is {value}, which is no power of two"));
        }
    }

    // A cache of 0 bytes is none, and shared memory of its own divides nothing.
    let some = |value: Option<u64>| value.filter(|bytes| *bytes > 0);
    let (l1, unified) = (bytes(&memory.l1_bytes), some(bytes(&memory.l1_and_shared_bytes)));
    let shared = bytes(&execution.shared_bytes_per_multiprocessor);
    let pairs = [
        ("memory.l1_sector", number(&memory.l1_sector), "memory.l1_line", number(&memory.l1_line)),
        ("memory.l2_sector", number(&memory.l2_sector), "memory.l2_line", number(&memory.l2_line)),
        ("memory.l1_line", number(&memory.l1_line), "memory.l1_bytes", some(l1)),
        (
            "memory.l2_line",
            number(&memory.l2_line),
            "memory.l2_bytes",
            some(bytes(&memory.l2_bytes)),
        ),
        ("memory.l1_bytes", l1, "memory.l1_and_shared_bytes", unified),
        (
            "execution.shared_bytes_per_multiprocessor",
            shared,
            "memory.l1_and_shared_bytes",
            unified,
        ),
        (
            "execution.warp_size",
            number(warp),
            "execution.threads_per_multiprocessor",
            number(&execution.threads_per_multiprocessor),
        ),
        (
            "execution.registers_per_thread",
            number(&execution.registers_per_thread),
            "execution.registers_per_multiprocessor",
            number(&execution.registers_per_multiprocessor),
        ),
    ];
    for (small, less, large, more) in pairs {
        if let (Some(less), Some(more)) = (less, more)
            && less > more
        {
            return Err(format!("`{small}` is {less}, more than `{large}`, which is {more}"));
        }
    }

    let latency = &device.latency;
    let ranges = [
        ("latency.l1_cycles", &latency.l1_cycles),
        ("latency.l2_cycles", &latency.l2_cycles),
        ("latency.dram_cycles", &latency.dram_cycles),
    ];
    for (name, fact) in ranges {
        if let Some([least, most]) = fact.known()
            && (least > most || *least == 0)
        {
            return Err(format!(
                "`{name}` is [{least}, {most}], which is no range from least to most"
            ));
        }
    }
    for (name, fact) in
        [("weights.sectors", &device.weights.sectors), ("peng.weights", &peng.weights)]
    {
        if let Some(weights) = fact.known()
            && (weights[0] == 0 || !weights.is_sorted())
        {
            return Err(format!(
                "`{name}` is {weights:?}: nearer levels cannot cost more, nor nothing"
            ));
        }
    }

    for (name, fact) in
        [("tiles.by_size", &device.tiles.by_size), ("tiles.by_access", &device.tiles.by_access)]
    {
        if let Some(Err(error)) = fact.known().map(|text| Tree::parse(text)) {
            return Err(format!("`{name}` is no decision tree: {error}"));
        }
    }

    let steering = &device.steering;
    match (steering.coalescing_bits.known(), steering.steering_bits.known()) {
        (Some(coalescing), Some(bits)) if bits.low <= coalescing.high => Err(format!(
            "the steering bits {bits} do not begin above the coalescing bits {coalescing}"
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::Device;

    fn error(tail: &str) -> String {
        let head = "name = \"x\"\ntitle = \"X\"\ncompute_capability = \"1.0\"\n";
        Device::parse(&format!("{head}{tail}")).expect_err("a contradiction")
    }

    fn fact(name: &str, value: &str) -> String {
        format!("{name} = {{ value = {value}, source = \"s\" }}\n")
    }

    fn memory(facts: &[(&str, &str)]) -> String {
        let facts = facts.iter().map(|(name, value)| fact(name, value));
        error(&format!("[memory]\n{}", facts.collect::<String>()))
    }

    #[test]
    fn contradictions_are_found() {
        assert_eq!(
            memory(&[("l1_line", "96")]),
            "`memory.l1_line` is 96, which is no power of two"
        );
        assert_eq!(
            memory(&[("l2_line", "32"), ("l2_sector", "64")]),
            "`memory.l2_sector` is 64, more than `memory.l2_line`, which is 32"
        );
        assert!(memory(&[("l1_bytes", "64"), ("l1_line", "128")]).contains("more than"));
        assert!(memory(&[("l1_bytes", "200"), ("l1_and_shared_bytes", "128")]).contains("more"));
        assert_eq!(memory(&[("l2_partitions", "0")]), "`memory.l2_partitions` is 0");
        assert_eq!(memory(&[("l1_line", "0")]), "`memory.l1_line` is 0, which is no power of two");
        let execution = |name, value| error(&format!("[execution]\n{}", fact(name, value)));
        assert!(execution("warp_size", "48").contains("no power of two"));
        assert!(execution("multiprocessors", "0").contains("is 0"));
        let latency = error(&format!("[latency]\n{}", fact("l1_cycles", "[40, 30]")));
        assert!(latency.contains("no range"), "{latency}");
        let tiles = error(&format!("[tiles]\n{}", fact("by_size", "\"size <= 4: soa\"")));
        assert_eq!(
            tiles,
            "`tiles.by_size` is no decision tree: a line with `>` is missing at the end"
        );
        let weights = error(&format!("[weights]\n{}", fact("sectors", "[1, 10, 4]")));
        assert!(weights.contains("nearer levels"), "{weights}");
        let weights = error(&format!("[peng]\n{}", fact("weights", "[0, 1, 2]")));
        assert!(weights.contains("nearer levels"), "{weights}");
    }

    #[test]
    fn no_cache_is_no_contradiction() {
        let text = include_str!("../../devices/k20c.toml");
        assert!(Device::parse(text).is_ok(), "a line of 128 bytes and 0 bytes of cache");
    }
}
