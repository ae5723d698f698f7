//! From a seed to a program.
//!
//! The parts in the order in which they are made: the structs ([`records`]), device functions
//! ([`functions`]), kernels ([`kernels`]) with their [`statements`], and the host function
//! ([`host`]). [`traits`] lists what is added to some units only.

mod functions;
mod host;
mod kernels;
mod places;
mod records;
mod special;
mod statements;
mod traits;

use super::program::{Kind, LayoutTarget, Node, RandomProgram, UnitFacts};
use super::rng::Random;
use super::text::Symbol;
use functions::Helper;
use kernels::Kernel;
use records::Record;
use std::collections::BTreeSet;
use traits::Trait;

/// How large a program becomes.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Units.
    pub units: usize,
    /// Kernels of each unit.
    pub kernels: usize,
}

impl Default for Size {
    fn default() -> Self {
        Size { units: 6, kernels: 5 }
    }
}

/// The program of a seed: the same for ever, as long as the generator is.
#[must_use]
pub fn generate(seed: u64, size: Size) -> RandomProgram {
    let mut generator = Generator::new(seed);
    let mut nodes = vec![Node::new(Kind::Frame, HEAD, Vec::new(), "")];
    let (mut units, mut calls, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..size.units {
        let unit = generator.unit(number, size.kernels);
        calls.push(Node::line(&format!("{}(n);", unit.run)));
        for record in &unit.array_records {
            targets.push(generator.target(*record));
        }
        let records = unit.array_records.iter().map(|at| generator.records[*at].symbol);
        units.push(UnitFacts { records: records.collect(), features: unit.features });
        nodes.push(Node { kind: Kind::Unit, ..Node::new(Kind::Unit, "", unit.nodes, "") });
    }
    nodes.push(Node::new(Kind::Frame, MAIN, calls, "    return 0;\n}"));
    let mut runs = vec![0, 1];
    runs.push(generator.random.between(2, 31));
    runs.push(32 * generator.random.between(1, 4));
    runs.push(generator.random.between(33, 200));
    RandomProgram {
        seed,
        names: generator.names,
        nodes,
        targets,
        units,
        runs,
        kernels: size.units * size.kernels,
    }
}

const HEAD: &str = r#"#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) \
    do { \
        cudaError_t status_ = (call); \
        if (status_ != cudaSuccess) { printf("failed: %s\n", cudaGetErrorString(status_)); exit(2); } \
    } while (0)

static void must(cudaError_t status) {
    if (status != cudaSuccess) { printf("failed: %s\n", cudaGetErrorString(status)); exit(2); }
}

static unsigned mixed(unsigned a, unsigned b) {
    unsigned v = a * 2654435761u ^ (b + 0x9e3779b9u + (a << 6) + (a >> 2));
    v ^= v >> 15; v *= 2246822519u; v ^= v >> 13;
    return v;
}

struct Sum {
    unsigned long long value;
    Sum() : value(14695981039346656037ull) {}
    void bytes(const void *data, size_t size) {
        const unsigned char *at = (const unsigned char *)data;
        for (size_t i = 0; i < size; ++i) value = (value ^ at[i]) * 1099511628211ull;
    }
    void print(const char *what) const { printf("%s %016llx\n", what, value); }
};
"#;

const MAIN: &str = "int main(int argc, char **argv) {\n    int n = argc > 1 ? atoi(argv[1]) : 37;";

/// What is made so far.
struct Generator {
    random: Random,
    names: Vec<String>,
    records: Vec<Record>,
    /// Local names in use in the function that is being made.
    locals: BTreeSet<String>,
}

/// The unit that is being made.
struct Unit {
    number: usize,
    nodes: Vec<Node>,
    array_records: Vec<usize>,
    helpers: Vec<Helper>,
    kernels: Vec<Kernel>,
    special: Option<Trait>,
    declared: special::Declared,
    features: BTreeSet<&'static str>,
    run: Symbol,
}

impl Unit {
    fn has(&self, special: Trait) -> bool {
        self.special == Some(special)
    }

    fn feature(&mut self, name: &'static str) {
        self.features.insert(name);
    }
}

impl Generator {
    fn new(seed: u64) -> Self {
        Generator {
            random: Random::new(seed),
            names: Vec::new(),
            records: Vec::new(),
            locals: BTreeSet::new(),
        }
    }

    /// A new symbol with this spelling.
    fn symbol(&mut self, name: &str) -> Symbol {
        self.names.push(name.to_owned());
        Symbol(u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX))
    }

    /// A new local variable or parameter whose spelling is free in the function.
    fn local(&mut self, base: &str) -> Symbol {
        let mut name = base.to_owned();
        let mut number = 1;
        while !self.locals.insert(name.clone()) {
            number += 1;
            name = format!("{base}{number}");
        }
        self.symbol(&name)
    }

    /// As [`Generator::local`], with one of some spellings.
    fn local_of(&mut self, bases: &[&str]) -> Symbol {
        let base = *self.random.pick(bases);
        self.local(base)
    }

    fn unit(&mut self, number: usize, kernels: usize) -> Unit {
        let run = self.symbol(&format!("run{number}"));
        let special =
            if self.random.chance(45) { Some(*self.random.pick(&traits::ALL)) } else { None };
        let mut unit = Unit {
            number,
            nodes: Vec::new(),
            array_records: Vec::new(),
            helpers: Vec::new(),
            kernels: Vec::new(),
            special,
            declared: special::Declared::default(),
            features: BTreeSet::new(),
            run,
        };
        if let Some(special) = special {
            unit.feature(special.name());
        }
        self.unit_records(&mut unit);
        self.unit_helpers(&mut unit);
        for _ in 0..kernels {
            self.kernel(&mut unit);
        }
        self.host(&mut unit);
        unit
    }

    fn target(&self, at: usize) -> LayoutTarget {
        let record = &self.records[at];
        LayoutTarget {
            record: record.symbol,
            fields: record.fields.iter().map(|field| field.symbol).collect(),
            alignment: record.alignment,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program_and_another_seed_another() {
        let small = Size { units: 2, kernels: 3 };
        let text = generate(5, small).text();
        assert_eq!(text, generate(5, small).text());
        assert_ne!(text, generate(6, small).text());
        assert_eq!(text.matches("__global__").count(), 6);
    }
}
