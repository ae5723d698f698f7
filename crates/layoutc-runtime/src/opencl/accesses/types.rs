//! How many bytes types of LLVM have.

use super::operands::split;
use std::collections::BTreeMap;

/// The named types of a module.
pub(super) struct Types<'t> {
    named: BTreeMap<&'t str, &'t str>,
}

impl<'t> Types<'t> {
    pub(super) fn new(module: &'t str) -> Self {
        let named = module.lines().filter_map(|line| {
            let (name, of) = line.strip_prefix('%')?.split_once(" = type ")?;
            Some((name, of))
        });
        Types { named: named.collect() }
    }

    /// Bytes that a value of the type has in memory; 0 for what is not known.
    pub(super) fn bytes(&self, of: &str) -> u64 {
        self.layout(of.trim()).0
    }

    /// Bytes and alignment.
    fn layout(&self, of: &str) -> (u64, u64) {
        let one = |bytes| (bytes, bytes);
        if let Some(bits) = of.strip_prefix('i').and_then(|bits| bits.parse::<u64>().ok()) {
            return one(bits.div_ceil(8).next_power_of_two());
        }
        if of.starts_with("ptr") {
            return one(8);
        }
        let inside = |open: char, close: char| of.strip_prefix(open)?.strip_suffix(close);
        // A vector of three is read and written as what it is; what is behind it belongs to nobody.
        if let Some((count, of)) = inside('<', '>').and_then(|own| own.split_once(" x ")) {
            let bytes = count.parse::<u64>().unwrap_or(0) * self.layout(of).0;
            return (bytes, bytes.next_power_of_two());
        }
        if let Some((count, of)) = inside('[', ']').and_then(|own| own.split_once(" x ")) {
            let (bytes, align) = self.layout(of);
            return (count.parse::<u64>().unwrap_or(0) * bytes, align);
        }
        if let Some(members) = inside('{', '}') {
            let (mut at, mut align) = (0u64, 1);
            for member in split(members) {
                let (bytes, own) = self.layout(member);
                at = at.next_multiple_of(own.max(1)) + bytes;
                align = align.max(own);
            }
            return (at.next_multiple_of(align), align);
        }
        if let Some(of) = of.strip_prefix('%').and_then(|name| self.named.get(name)) {
            return self.layout(of);
        }
        match of {
            "half" | "bfloat" => one(2),
            "float" => one(4),
            "double" => one(8),
            _ => (0, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Types;

    #[test]
    fn sizes() {
        let types = Types::new("%struct.Body = type { <4 x float>, i8, double }\n");
        for (of, bytes) in [
            ("i32", 4),
            ("i1", 1),
            ("<3 x float>", 12),
            ("<4 x double>", 32),
            ("[3 x i16]", 6),
            ("ptr addrspace(1)", 8),
            ("{ i8, i32 }", 8),
            ("%struct.Body", 32),
            ("token", 0),
        ] {
            assert_eq!(types.bytes(of), bytes, "{of}");
        }
    }
}
