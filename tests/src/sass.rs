//! What a kernel costs in machine code, read from the listings of `cuobjdump`.
//!
//! *SASS* is NVIDIA's machine language. An instruction is counted by its opcode: `LDG` and the
//! generic `LD` are loads from global memory, `STG` and `ST` stores; *address instructions* are
//! the integer and move-and-add opcodes of [`ADDRESS_OPCODES`], which in a kernel that computes
//! with floats are there to find its data. Padding after the last `EXIT` is not counted.

use std::collections::BTreeMap;

/// The opcodes, without suffixes, that count as address instructions.
pub const ADDRESS_OPCODES: &[&str] = &[
    "IMAD", "IADD3", "IADD", "LEA", "SHF", "LOP3", "UIMAD", "UIADD3", "ULEA", "USHF", "ULOP3",
    "IABS", "SEL", "PRMT", "LOP", "VIADD", "USEL",
];

/// The machine code of one kernel, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelCode {
    /// The symbol, mangled as the compiler left it.
    pub symbol: String,
    /// Registers per thread.
    pub registers: u32,
    /// Stack bytes per thread; anything but 0 is local memory.
    pub stack_bytes: u32,
    /// All instructions, without `NOP`s and the self-branch after the end.
    pub instructions: usize,
    /// Instructions with an opcode of [`ADDRESS_OPCODES`].
    pub address_instructions: usize,
    /// Loads from global memory by width in bits: 8, 16, 32, 64, 128 or 256.
    pub loads_by_width: BTreeMap<u32, usize>,
    /// Those of them through the path for data that nothing writes meanwhile.
    pub read_only_loads: usize,
    /// Stores to global memory.
    pub stores: usize,
    /// Loads that come before the first store.
    pub loads_before_first_store: usize,
    /// Calls of functions that were not inlined.
    pub calls: usize,
}

impl KernelCode {
    /// All loads from global memory.
    #[must_use]
    pub fn loads(&self) -> usize {
        self.loads_by_width.values().sum()
    }

    /// Whether this is the kernel that the source calls `name`, whatever its parameters.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.symbol == name || self.symbol.starts_with(&format!("_Z{}{name}", name.len()))
    }
}

/// Reads `cuobjdump -sass` and `cuobjdump --dump-resource-usage` of the same cubin.
///
/// The kernels come in the order of the listing. Lines that are no instruction are passed over.
#[must_use]
pub fn parse(listing: &str, usage: &str) -> Vec<KernelCode> {
    let mut kernels: Vec<(String, Vec<Instruction<'_>>)> = Vec::new();
    for line in listing.lines() {
        if let Some((_, name)) = line.split_once("Function : ") {
            kernels.push((name.trim().to_owned(), Vec::new()));
        } else if let (Some((_, code)), Some(instruction)) = (kernels.last_mut(), instruction(line))
        {
            code.push(instruction);
        }
    }
    let resources = resource_usage(usage);
    kernels
        .into_iter()
        .map(|(symbol, code)| {
            let (registers, stack_bytes) = resources.get(&symbol).copied().unwrap_or_default();
            KernelCode { registers, stack_bytes, ..count(symbol, &code) }
        })
        .collect()
}

/// Opcode with its suffixes, split at the dots: `LDG.E.128` is `["LDG", "E", "128"]`.
type Instruction<'t> = Vec<&'t str>;

fn count(symbol: String, code: &[Instruction<'_>]) -> KernelCode {
    let mut end = code.len();
    while end > 0 && code[end - 1][0] == "NOP" {
        end -= 1;
    }
    if end > 0 && code[end - 1][0] == "BRA" {
        end -= 1;
    }
    let mut result = KernelCode { symbol, ..KernelCode::default() };
    for instruction in code[..end].iter().filter(|instruction| instruction[0] != "NOP") {
        result.instructions += 1;
        match instruction[0] {
            "LDG" | "LD" => {
                *result.loads_by_width.entry(width(instruction)).or_default() += 1;
                result.read_only_loads += usize::from(instruction.contains(&"CONSTANT"));
                result.loads_before_first_store += usize::from(result.stores == 0);
            }
            "STG" | "ST" => result.stores += 1,
            "CALL" => result.calls += 1,
            opcode => result.address_instructions += usize::from(ADDRESS_OPCODES.contains(&opcode)),
        }
    }
    result
}

fn width(instruction: &[&str]) -> u32 {
    instruction[1..]
        .iter()
        .find_map(|suffix| match *suffix {
            "U8" | "S8" => Some(8),
            "U16" | "S16" => Some(16),
            "64" => Some(64),
            "128" => Some(128),
            "256" => Some(256),
            _ => None,
        })
        .unwrap_or(32)
}

/// The instruction in a line such as `/*0040*/  @!P0 LDG.E R2, [R4.64] ;  /* 0x… */`.
fn instruction(line: &str) -> Option<Instruction<'_>> {
    let (address, rest) = line.trim_start().strip_prefix("/*")?.split_once("*/")?;
    if address.len() < 4 || !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut words = rest.split_once(';')?.0.split_whitespace();
    let mut opcode = words.next()?;
    if opcode.starts_with('@') {
        opcode = words.next()?;
    }
    opcode
        .starts_with(|first: char| first.is_ascii_uppercase())
        .then(|| opcode.split('.').collect())
}

/// Registers and stack bytes by symbol.
fn resource_usage(usage: &str) -> BTreeMap<String, (u32, u32)> {
    let mut result = BTreeMap::new();
    let mut function = None;
    for line in usage.lines() {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("Function ") {
            function = Some(name.trim_end_matches(':').to_owned());
        } else if let Some(name) = function.take() {
            let number = |key: &str| {
                line.split_whitespace()
                    .find_map(|word| word.strip_prefix(key)?.parse().ok())
                    .unwrap_or_default()
            };
            result.insert(name, (number("REG:"), number("STACK:")));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<KernelCode> {
        parse(include_str!("sass/sample.sass"), include_str!("sass/sample.usage"))
    }

    #[test]
    fn counts_the_captured_kernels() {
        let kernels = sample();
        let update = kernels.iter().find(|kernel| kernel.is_named("update")).expect("captured");
        assert_eq!(update.loads_by_width, BTreeMap::from([(32, 2), (128, 1)]));
        assert_eq!((update.stores, update.loads_before_first_store), (2, 2));
        assert_eq!((update.stack_bytes, update.calls), (0, 0));
        let spill = kernels.iter().find(|kernel| kernel.is_named("spill")).expect("captured");
        assert_eq!((spill.calls, spill.stores), (1, 1));
        assert!(spill.stack_bytes > 0, "{spill:?}");
    }

    #[test]
    fn predicates_padding_and_the_self_branch_are_not_instructions() {
        let listing = "Function : k\n\
            /*0000*/ @!P0 LDG.E.CONSTANT R2, [R4.64] ; /* 0x0 */\n /* 0x00 */\n\
            /*0010*/ @P1 STG.E.U8 [R4.64], R2 ;\n\
            /*0020*/ EXIT ;\n/*0030*/ BRA 0x30;\n/*0040*/ NOP;\n";
        let kernels = parse(listing, "");
        assert_eq!(kernels.len(), 1);
        assert_eq!((kernels[0].instructions, kernels[0].loads(), kernels[0].stores), (3, 1, 1));
        assert_eq!(kernels[0].read_only_loads, 1);
    }

    #[test]
    fn generic_accesses_count_as_global() {
        let kernels =
            parse("Function : k\n/*0000*/ LD.E.64 R2, [R4] ;\n/*0010*/ ST.E [R4], R2 ;\n", "");
        assert_eq!((kernels[0].loads_by_width.get(&64), kernels[0].stores), (Some(&1), 1));
    }

    #[test]
    fn names_are_found_mangled() {
        let kernel =
            KernelCode { symbol: "_Z5driftP8Particlei".to_owned(), ..KernelCode::default() };
        assert!(kernel.is_named("drift"));
        assert!(!kernel.is_named("drif"));
    }
}
