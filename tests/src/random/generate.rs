//! From a seed to a program.
//!
//! The parts in the order in which they are made: the structs ([`records`]), device functions
//! ([`functions`]), kernels ([`kernels`]) with their [`statements`], and the host function
//! ([`host`]). [`traits`] lists what is added to some units only; [`spaces`] puts some into
//! namespaces, and [`files`] makes several files of some programs.

mod files;
mod functions;
mod holders;
mod host;
mod kernels;
mod members;
mod objects;
mod owners;
mod packing;
mod places;
mod records;
mod spaces;
mod special;
mod statements;
mod templates;
mod traits;

use super::names::{Role, respell};
use super::program::{Kind, LayoutTarget, Node, RandomProgram, UnitFacts};
use super::rng::Random;
use super::text::Symbol;
use files::Parts;
use functions::Helper;
use kernels::Kernel;
use records::{Record, Scalar};
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
        Size { units: 5, kernels: 8 }
    }
}

/// The program of a seed: the same for ever, as long as the generator is.
#[must_use]
pub fn generate(seed: u64, size: Size) -> RandomProgram {
    let mut generator = Generator::new(seed);
    let mut parts = Parts::default();
    let (mut units, mut calls, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    let mut known = Vec::new();
    // Apart from what makes the units, so that a change here leaves them as they are.
    let mut random = Random::new(seed ^ 0x0066_696c_6573);
    let several = random.chance(34);
    for number in 0..size.units {
        let mut unit = generator.unit(number, size.kernels);
        let (node, space) = generator.in_namespaces(&mut unit, &mut random);
        calls.push(Node::line(&format!("{space}{}(n);", unit.run)));
        for record in unit.array_records.iter().filter(|record| !unit.untyped.contains(record)) {
            if !known.contains(record) {
                known.push(*record);
                targets.push(generator.target(*record));
            }
            let variable = unit.arrays.iter().find(|array| array.0 == *record);
            let target = targets
                .iter_mut()
                .find(|target| target.record == generator.records[*record].symbol);
            if let (Some((_, variable)), Some(target)) = (variable, target) {
                target.arrays.push((unit.run, *variable));
            }
        }
        let records = unit.array_records.iter().map(|at| generator.records[*at].symbol);
        let mut features = unit.features;
        if several {
            features.insert("several-files");
        }
        units.push(UnitFacts { records: records.collect(), features });
        parts.runs.insert(unit.run);
        parts.tables.extend(unit.table.map(|(_, table)| table));
        let kernels = unit.kernels.iter().filter(|kernel| !kernel.is_template);
        parts.kernels.extend(kernels.map(|kernel| kernel.symbol));
        parts.units.push(node);
    }
    parts.head = Node::new(Kind::Frame, HEAD, Vec::new(), "");
    parts.main = Node::new(Kind::Frame, MAIN, calls, "    return 0;\n}");
    let (nodes, hidden) =
        if several { parts.split(&mut random) } else { parts.joined(&mut random) };
    for number in hidden {
        units[number].features.insert("anonymous-namespace");
    }
    let mut runs = vec![0, 1];
    runs.push(generator.random.between(2, 31));
    runs.push(32 * generator.random.between(1, 4));
    runs.push(generator.random.between(33, 200));
    let mut program = RandomProgram {
        seed,
        names: generator.names,
        nodes,
        targets,
        units,
        runs,
        kernels: size.units * size.kernels,
        objects: generator.objects,
    };
    program.publish_overloads();
    program.drop_unused();
    respell(&mut program, &generator.roles);
    program
}

const HEAD: &str = r#"#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
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

static int *permutation(int n, unsigned factor) {
    int *order = (int *)malloc((n + 1) * sizeof(int)), *device;
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int i = n - 1; i > 0; --i) {
        int j = (int)(mixed((unsigned)i, factor) % (unsigned)(i + 1)), held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
    must(cudaMalloc(&device, n * sizeof(int)));
    must(cudaMemcpy(device, order, n * sizeof(int), cudaMemcpyHostToDevice));
    free(order);
    return device;
}

static unsigned *zeros(int n) {
    unsigned *device;
    must(cudaMalloc(&device, n * sizeof(unsigned)));
    must(cudaMemset(device, 0, n * sizeof(unsigned)));
    return device;
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

static void results(const char *what, const unsigned *device, int n) {
    unsigned *host = (unsigned *)calloc(n + 1, sizeof(unsigned));
    must(cudaMemcpy(host, device, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
    Sum sum;
    sum.bytes(host, n * sizeof(unsigned));
    sum.print(what);
    free(host);
}
"#;

const MAIN: &str = "int main(int argc, char **argv) {\n    int n = argc > 1 ? atoi(argv[1]) : 37;";

/// What is made so far.
struct Generator {
    random: Random,
    names: Vec<String>,
    roles: Vec<Role>,
    records: Vec<Record>,
    /// Records that later units may have arrays of.
    shared: Vec<Shared>,
    /// Local names in use in the function that is being made.
    locals: BTreeSet<String>,
    /// Local objects of record types.
    objects: BTreeSet<Symbol>,
}

/// A record of which several units have arrays, with functions and kernels for it alone.
#[derive(Clone, Debug)]
struct Shared {
    record: usize,
    helpers: Vec<Helper>,
    kernels: Vec<Kernel>,
}

/// The unit that is being made.
struct Unit {
    number: usize,
    nodes: Vec<Node>,
    array_records: Vec<usize>,
    helpers: Vec<Helper>,
    kernels: Vec<Kernel>,
    /// What may be refused.
    specials: Vec<Trait>,
    declared: special::Declared,
    features: BTreeSet<&'static str>,
    run: Symbol,
    /// A host struct that holds the device pointers, and its members.
    context: Option<(Symbol, Vec<String>)>,
    stream: Option<Symbol>,
    /// The first part of the names of its structs.
    base_name: Option<&'static str>,
    namespace: Option<Symbol>,
    /// A namespace inside of that.
    inner_namespace: Option<Symbol>,
    /// A `__device__` array of eight elements.
    table: Option<(usize, Symbol)>,
    /// Other names of records.
    aliases: Vec<(usize, String)>,
    /// Macros for `__host__ __device__`, `__device__ __forceinline__` and `__global__`.
    qualifiers: Option<[Symbol; 3]>,
    /// Other names of scalar types.
    scalar_names: Vec<(Scalar, Symbol)>,
    /// Member functions that are defined behind their struct.
    outside: Vec<Node>,
    /// A macro that launches.
    launcher: Option<Symbol>,
    /// The variables of the arrays by record.
    arrays: Vec<(usize, Symbol)>,
    /// Records whose arrays nothing but untyped pointers holds: no array of structs to the tool.
    untyped: BTreeSet<usize>,
}

impl Unit {
    fn has(&self, special: Trait) -> bool {
        self.specials.contains(&special)
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
            roles: Vec::new(),
            records: Vec::new(),
            shared: Vec::new(),
            locals: BTreeSet::new(),
            objects: BTreeSet::new(),
        }
    }

    /// A new symbol that keeps this spelling.
    fn symbol(&mut self, name: &str) -> Symbol {
        self.named(Role::Kept, name)
    }

    /// A new symbol that may be spelled otherwise in the end.
    fn named(&mut self, role: Role, name: &str) -> Symbol {
        self.names.push(name.to_owned());
        self.roles.push(role);
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
        self.named(Role::Local, &name)
    }

    /// As [`Generator::local`], with one of some spellings.
    fn local_of(&mut self, bases: &[&str]) -> Symbol {
        let base = *self.random.pick(bases);
        self.local(base)
    }

    fn unit(&mut self, number: usize, kernels: usize) -> Unit {
        let run = self.named(Role::Global, &format!("run{number}"));
        let mut specials = Vec::new();
        if self.random.chance(65) {
            specials.push(*self.random.pick(&traits::ALL));
            if self.random.chance(40) {
                let other = *self.random.pick(&traits::ALL);
                // A trait that is there twice would declare its members twice.
                specials.extend((!specials.contains(&other)).then_some(other));
            }
        }
        if let Some(alone) = specials.iter().copied().find(|special| special.stands_alone()) {
            specials = vec![alone];
        }
        let mut unit = Unit {
            number,
            nodes: Vec::new(),
            array_records: Vec::new(),
            helpers: Vec::new(),
            kernels: Vec::new(),
            specials,
            declared: special::Declared::default(),
            features: BTreeSet::new(),
            run,
            context: None,
            stream: None,
            base_name: None,
            namespace: None,
            inner_namespace: None,
            table: None,
            aliases: Vec::new(),
            qualifiers: None,
            scalar_names: Vec::new(),
            outside: Vec::new(),
            launcher: None,
            arrays: Vec::new(),
            untyped: BTreeSet::new(),
        };
        for special in unit.specials.clone() {
            unit.feature(special.name());
        }
        self.unit_qualifiers(&mut unit);
        self.unit_records(&mut unit);
        self.unit_names(&mut unit);
        self.unit_helpers(&mut unit);
        for _ in 0..kernels {
            self.kernel(&mut unit);
        }
        self.share(&mut unit);
        self.host(&mut unit);
        unit
    }

    /// Lets later units use the unit's first record and what works on it alone, or gives the unit
    /// a namespace; and takes over kernels of a record that is shared already.
    fn share(&mut self, unit: &mut Unit) {
        let uses_shared = unit.features.contains("shared-record");
        if !uses_shared && self.random.chance(20) {
            unit.feature("namespace");
            unit.namespace = Some(self.named(Role::Global, &format!("space{}", unit.number)));
            if self.random.chance(40) {
                let name = format!("detail{}", unit.number);
                unit.inner_namespace = Some(self.named(Role::Global, &name));
            }
        } else if unit.specials.is_empty() && !uses_shared {
            let record = unit.array_records[0];
            let mut helpers = unit.helpers.clone();
            helpers.retain(|helper| helper.record() == record);
            let mut kernels = unit.kernels.clone();
            kernels.retain(|kernel| kernel.works_on(record));
            self.shared.push(Shared { record, helpers, kernels });
        } else if uses_shared
            && let Some(shared) = self.shared.last()
            && !shared.kernels.is_empty()
        {
            let kernels = shared.kernels.clone();
            unit.feature("shared-kernel");
            let kernel = self.random.pick(&kernels).clone();
            unit.kernels.push(kernel);
        }
    }

    /// Function qualifiers behind macros.
    fn unit_qualifiers(&mut self, unit: &mut Unit) {
        if !self.random.chance(30) {
            return;
        }
        unit.feature("qualifier-macros");
        let both = self.symbol(&format!("HD{}", unit.number));
        let device = self.symbol(&format!("DEV{}", unit.number));
        let global = self.symbol(&format!("GLOBAL{}", unit.number));
        for (symbol, text) in [
            (both, "__host__ __device__"),
            (device, "__device__ __forceinline__"),
            (global, "__global__"),
        ] {
            let text = format!("#define {symbol} {text}");
            unit.nodes.push(Node::declaration(symbol, &text));
        }
        unit.qualifiers = Some([both, device, global]);
    }

    /// Aliases of types, a device array, a macro.
    fn unit_names(&mut self, unit: &mut Unit) {
        for record in unit.array_records.clone() {
            let name = self.records[record].symbol;
            if let Some(template) = self.records[record].template {
                unit.aliases.push((record, template.instance()));
            }
            if self.random.chance(15) {
                unit.feature("alias");
                let alias = self.named(Role::Type, &format!("Elem{}_{record}", unit.number));
                let text = if self.random.chance(50) {
                    format!("typedef {name} {alias};")
                } else {
                    format!("using {alias} = {name};")
                };
                unit.nodes.push(Node::declaration(alias, &text));
                unit.aliases.push((record, alias.to_string()));
            }
            if unit.has(Trait::DeviceTable)
                && !unit.has(Trait::DefaultInitialiser)
                && unit.table.is_none()
            {
                let table = self.named(Role::Global, &format!("table{}", unit.number));
                unit.nodes
                    .push(Node::declaration(table, &format!("__device__ {name} {table}[8];")));
                unit.table = Some((record, table));
            }
        }
        if unit.has(Trait::LaunchMacro) {
            let symbol = self.symbol(&format!("LAUNCH{}", unit.number));
            let text = format!(
                "#define {symbol}(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)"
            );
            unit.nodes.push(Node::declaration(symbol, &text));
            unit.launcher = Some(symbol);
        }
    }

    /// A name of a record's type.
    fn type_name(&mut self, unit: &Unit, record: usize) -> String {
        let aliases = unit.aliases.iter().filter(|alias| alias.0 == record);
        let aliases: Vec<&String> = aliases.map(|(_, alias)| alias).collect();
        if aliases.is_empty() || !self.random.chance(60) {
            return self.records[record].symbol.to_string();
        }
        (*self.random.pick(&aliases)).clone()
    }

    fn target(&self, at: usize) -> LayoutTarget {
        let record = &self.records[at];
        LayoutTarget {
            record: record.symbol,
            template: record.template.map(|template| template.symbol),
            fields: record
                .fields
                .iter()
                .filter(|field| !field.is_inherited)
                .map(|field| field.symbol)
                .collect(),
            alignment: record.alignment,
            arrays: Vec::new(),
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
        assert!(text.contains("__global__"));
    }
}
