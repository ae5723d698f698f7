//! Makes a random OpenCL program from a seed.

mod host;
mod kernels;
mod names;
mod options;
mod records;
mod steps;

use std::collections::BTreeSet;

use self::kernels::{Helper, Kernel};
use self::names::Scope;
use self::records::Record;
use super::program::{KernelForm, OpenClProgram};
use crate::random::RandomProgram;
use crate::random::program::{Kind, LayoutTarget, Node, UnitFacts};
use crate::random::rng::Random;
use crate::random::text::Symbol;

/// How large programs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Host functions.
    pub units: usize,
    /// Kernels of each.
    pub kernels: usize,
    /// Steps of each, at least; there are half as many again at most.
    pub steps: usize,
}

impl Default for Size {
    fn default() -> Self {
        Size { units: 2, kernels: 2, steps: 7 }
    }
}

/// The program of a seed.
#[must_use]
pub fn generate(seed: u64, size: Size) -> OpenClProgram {
    let mut random = Random::new(seed);
    let is_cpp = random.chance(30);
    let form = match random.below(10) {
        0..5 => KernelForm::File,
        5..8 => KernelForm::Lines,
        _ if is_cpp => KernelForm::Raw,
        _ => KernelForm::Lines,
    };
    let mut generator = Generator {
        random,
        is_cpp,
        names: Vec::new(),
        kernel_scope: Scope::of_kernels(),
        host_scope: Scope::of_hosts(),
        records: Vec::new(),
        macros: Vec::new(),
        host_constants: Vec::new(),
        kernels: Vec::new(),
        host: Vec::new(),
        units: Vec::new(),
        shared: None,
        is_checked: true,
    };
    generator.program(seed, size, form)
}

/// All that belongs to one host function.
struct Unit {
    number: usize,
    /// The structs that it has buffers of.
    records: Vec<usize>,
    helpers: Vec<Helper>,
    kernels: Vec<Kernel>,
    features: BTreeSet<&'static str>,
}

struct Generator {
    random: Random,
    is_cpp: bool,
    /// The spelling of each symbol.
    names: Vec<String>,
    kernel_scope: Scope,
    host_scope: Scope,
    records: Vec<Record>,
    /// Macros of the kernels that are small numbers.
    macros: Vec<Symbol>,
    /// Macros of the host that are small numbers.
    host_constants: Vec<Symbol>,
    kernels: Vec<Node>,
    host: Vec<Node>,
    units: Vec<UnitFacts>,
    /// Functions around calls of OpenCL, for all units.
    shared: Option<host::Wrappers>,
    /// Whether calls that must succeed are given to a macro.
    is_checked: bool,
}

impl Generator {
    fn program(&mut self, seed: u64, size: Size, form: KernelForm) -> OpenClProgram {
        let options = self.options();
        self.host_head(form);
        let mut functions = Vec::new();
        for number in 0..size.units {
            let mut unit = Unit {
                number,
                records: Vec::new(),
                helpers: Vec::new(),
                kernels: Vec::new(),
                features: options.features.clone(),
            };
            unit.features.insert(match form {
                KernelForm::File => "kernels-in-file",
                KernelForm::Lines => "kernels-in-literal",
                KernelForm::Raw => "kernels-in-raw-string",
            });
            self.unit_records(&mut unit);
            self.unit_helpers(&mut unit);
            for _ in 0..size.kernels {
                self.kernel(&mut unit);
            }
            functions.push(self.unit_function(&mut unit, size.steps));
            self.units.push(UnitFacts {
                records: unit.records.iter().map(|at| self.records[*at].kernel).collect(),
                features: unit.features,
            });
        }
        self.host_main(functions, &options);
        let targets = self.records.iter().filter(|record| record.is_target);
        let targets: Vec<LayoutTarget> = targets.map(|record| self.target(record)).collect();
        let kernels = Node::new(Kind::Frame, "", std::mem::take(&mut self.kernels), "");
        let host = Node::new(Kind::Frame, "", std::mem::take(&mut self.host), "");
        let mut runs = vec![
            0,
            1 + self.random.below(2),
            3 + self.random.below(20),
            33 + self.random.below(70),
        ];
        runs.retain(|n| *n % 32 != 0 || *n == 0);
        OpenClProgram {
            tree: RandomProgram {
                seed,
                names: std::mem::take(&mut self.names),
                nodes: vec![kernels, host],
                targets,
                units: std::mem::take(&mut self.units),
                objects: std::collections::BTreeSet::new(),
                runs,
                kernels: size.units * size.kernels,
            },
            form,
            is_cpp: self.is_cpp,
        }
    }

    fn target(&self, record: &Record) -> LayoutTarget {
        LayoutTarget {
            record: record.kernel,
            template: None,
            fields: record.fields.iter().map(|field| field.symbol).collect(),
            alignment: self.alignment(record),
            arrays: Vec::new(),
        }
    }

    /// A symbol with this spelling.
    fn symbol(&mut self, spelling: String) -> Symbol {
        self.names.push(spelling);
        Symbol(u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX))
    }

    fn spelling(&self, Symbol(number): Symbol) -> String {
        self.names[number as usize].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program_and_another_seed_another() {
        let size = Size::default();
        let text = generate(5, size).text();
        assert_eq!(text, generate(5, size).text());
        assert_ne!(text, generate(6, size).text());
        assert!(!text.contains('$') && !text.contains('@') && !text.contains('«'), "{text}");
    }
}
