//! Kernels: which thread owns which elements, and what it does with them.

use super::places::{Owned, Place, Readable, Scope};
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// What a kernel does with an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Each thread has its own elements.
    Owned,
    /// All threads read all elements.
    Read,
    /// All threads change all elements with one atomic operation.
    Atomic,
}

/// An array parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) record: usize,
    pub(super) mode: Mode,
}

/// Which elements a thread owns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Direct,
    EarlyReturn,
    Stride,
    Reverse,
    Permuted,
    Chunk,
    ChunkBase,
    ChunkWalk,
    Staged,
    Phases,
    StrideWalk,
    Serial,
    /// Two dimensions: rows of eight.
    Plane,
}

const SHAPES: [Shape; 16] = [
    Shape::StrideWalk,
    Shape::Plane,
    Shape::Direct,
    Shape::Direct,
    Shape::Direct,
    Shape::EarlyReturn,
    Shape::EarlyReturn,
    Shape::Stride,
    Shape::Reverse,
    Shape::Permuted,
    Shape::Chunk,
    Shape::ChunkBase,
    Shape::ChunkWalk,
    Shape::Staged,
    Shape::Phases,
    Shape::Serial,
];

/// A kernel of a unit.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) symbol: Symbol,
    pub(super) parameters: Vec<Parameter>,
    pub(super) shape: Shape,
    /// The struct of pointers that it takes instead of the first array and the count.
    pub(super) handle: Option<String>,
    /// Whether it is a template over a number.
    pub(super) is_template: bool,
    /// The record of a parameter that is a struct by value.
    pub(super) by_value: Option<usize>,
}

impl Kernel {
    /// Whether it takes arrays of this record only, and nothing else of its unit.
    pub(super) fn works_on(&self, record: usize) -> bool {
        self.handle.is_none()
            && self.by_value.is_none()
            && self.parameters.iter().all(|parameter| parameter.record == record)
    }
}

/// The names in a kernel.
struct Frame {
    arrays: Vec<String>,
    /// The element count.
    n: String,
    /// `unsigned` parameter.
    seed: Symbol,
    /// A permutation of the indices.
    perm: Symbol,
    /// An `unsigned` array of outputs, one for each index.
    out: Symbol,
    /// A parameter that is a struct by value.
    one: Option<Place>,
}

impl Generator {
    /// Adds a kernel to a unit.
    pub(super) fn kernel(&mut self, unit: &mut Unit) {
        self.locals.clear();
        let number = unit.kernels.len();
        let base = *self.random.pick(&["step", "apply", "gather", "scatter", "solve", "kern"]);
        let symbol = self.named(Role::Global, &format!("{base}{}k{number}", unit.number));
        let mut shape = *self.random.pick(&SHAPES);
        let parameters = self.kernel_parameters(unit);
        if shape == Shape::Staged
            && (unit.has(Trait::DefaultInitialiser) || self.size(parameters[0].record) > 384)
        {
            // Such types are not allowed in shared memory, or 64 of them are too large for it.
            shape = Shape::Direct;
        }
        let record = parameters[0].record;
        let handle = if unit.has(Trait::ViewTemplate) && self.random.chance(60) {
            Some(self.view_template(unit, record))
        } else if unit.has(Trait::Handle) && self.random.chance(60) {
            Some(self.handle_struct(unit, record).to_string())
        } else {
            None
        };
        let is_template = unit.has(Trait::ValueTemplate) && self.random.chance(70);

        let (mut arrays, mut list) = (Vec::new(), Vec::new());
        let mut n = String::new();
        for (at, parameter) in parameters.iter().enumerate() {
            let name = self.local_of(&["p", "q", "a", "b", "cells", "src"]);
            let record = self.type_name(unit, parameter.record);
            if let (0, Some(handle)) = (at, &handle) {
                list.push(format!("{handle} {name}"));
                arrays.push(if handle.ends_with('>') {
                    self.viewed(name)
                } else {
                    format!("{name}.items")
                });
                n = format!("{name}.count");
                continue;
            }
            let restrict = if self.random.chance(15) { "__restrict__ " } else { "" };
            let qualifier = if parameter.mode == Mode::Read { "const " } else { "" };
            list.push(format!("{qualifier}{record} *{restrict}{name}"));
            arrays.push(name.to_string());
        }
        let (perm, out) = (self.local("perm"), self.local("out"));
        list.push(format!("const int *{perm}, unsigned *{out}"));
        let mut one = None;
        let by_value = self.random.chance(10).then(|| {
            unit.feature("struct-by-value");
            let record = parameters[0].record;
            let name = self.local("one");
            self.objects.insert(name);
            list.push(format!("{} {name}", self.record_symbol(record)));
            one = Some(Place {
                record,
                text: name.to_string(),
                is_pointer: false,
                is_writable: true,
                is_local: true,
                is_shared: false,
            });
            record
        });
        if n.is_empty() {
            let count = self.local("n");
            list.push(format!("int {count}"));
            n = count.to_string();
        }
        let seed = self.local("seed");
        list.push(format!("unsigned {seed}"));
        let frame = Frame { arrays, n, seed, perm, out, one };
        let body = self.kernel_body(unit, shape, &parameters, &frame, is_template);
        let template = if is_template { "template <int K>\n" } else { "" };
        let qualifier =
            unit.qualifiers.map_or("__global__".to_owned(), |[_, _, macro_]| macro_.to_string());
        let head = format!("{template}{qualifier} void {symbol}({}) {{", list.join(", "));
        let mut node = Node::new(Kind::Function, &head, body, "}");
        node.declares.push(symbol);
        unit.nodes.push(node);
        unit.kernels.push(Kernel { symbol, parameters, shape, handle, is_template, by_value });
    }

    fn kernel_parameters(&mut self, unit: &Unit) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut add = |this: &mut Self, mode| {
            let record = *this.random.pick(&unit.array_records);
            parameters.push(Parameter { record, mode });
        };
        add(self, Mode::Owned);
        if self.random.chance(25) {
            add(self, Mode::Owned);
        }
        if self.random.chance(50) {
            add(self, Mode::Read);
        }
        if self.random.chance(20) {
            add(self, Mode::Read);
        }
        // What is packed is not aligned as atomic operations want it.
        if self.random.chance(15) && !unit.has(Trait::Packed) {
            add(self, Mode::Atomic);
        }
        parameters
    }

    fn handle_struct(&mut self, unit: &mut Unit, record: usize) -> Symbol {
        let number = unit.kernels.len();
        let symbol = self.named(Role::Type, &format!("View{}_{number}", unit.number));
        let text =
            format!("struct {symbol} {{ {} *items; int count; }};", self.record_symbol(record));
        unit.nodes.push(Node::declaration(symbol, &text));
        symbol
    }

    fn kernel_body(
        &mut self,
        unit: &mut Unit,
        shape: Shape,
        parameters: &[Parameter],
        frame: &Frame,
        is_template: bool,
    ) -> Vec<Node> {
        let n = &frame.n;
        let mut scope = Scope {
            values: vec![frame.seed.to_string()],
            helpers: unit.helpers.len(),
            ..Scope::default()
        };
        if is_template {
            scope.ints.push("K".to_owned());
        }
        for (parameter, array) in parameters.iter().zip(&frame.arrays) {
            if parameter.mode == Mode::Read {
                scope.readable.push(Readable {
                    record: parameter.record,
                    text: array.clone(),
                    count: n.clone(),
                });
            }
        }
        scope.places.extend(frame.one.clone());
        if let Some((record, table)) = unit.table {
            scope.readable.push(Readable {
                record,
                text: table.to_string(),
                count: "8".to_owned(),
            });
        }
        let i = self.local_of(&["i", "tid", "t", "gid"]);
        let ty = *self.random.pick(&[
            "int",
            "int",
            "int",
            "const int",
            "unsigned",
            "long long",
            "size_t",
        ]);
        let global = *self.random.pick(&[
            "blockIdx.x * blockDim.x + threadIdx.x",
            "threadIdx.x + blockIdx.x * blockDim.x",
            "blockDim.x * blockIdx.x + threadIdx.x",
        ]);
        let signed = matches!(ty, "int" | "const int");
        // Wider and unsigned indices are used as they are for elements, and as `int` elsewhere.
        let int = if signed { i.to_string() } else { format!("(int){i}") };
        let first = frame_line(i, &format!("{ty} {i} = {global};"));
        let limit = if signed { n.clone() } else { format!("({ty}){n}") };
        scope.ints.push(int.clone());
        match shape {
            Shape::Direct => {
                let index = i.to_string();
                let body = self.owner_body(unit, &mut scope, parameters, frame, &index, &int);
                vec![first, whole(&format!("if ({i} < {limit}) {{"), body)]
            }
            Shape::EarlyReturn => {
                let guard = Node {
                    kind: Kind::Frame,
                    ..Node::line(&format!("if ({i} >= {limit}) return;"))
                };
                let index = i.to_string();
                let mut body = vec![first, guard];
                body.extend(self.owner_body(unit, &mut scope, parameters, frame, &index, &int));
                body
            }
            Shape::StrideWalk => {
                unit.feature("stride-walk");
                let stride = self.local("stride");
                let mut nodes = vec![
                    first,
                    frame_line(stride, &format!("const int {stride} = gridDim.x * blockDim.x;")),
                    Node {
                        kind: Kind::Frame,
                        ..Node::line(&format!("if ({i} >= {limit}) return;"))
                    },
                ];
                let k = self.local("k");
                scope.ints.push(k.to_string());
                let mut steps = Vec::new();
                for (parameter, array) in parameters.iter().zip(&frame.arrays) {
                    if parameter.mode == Mode::Owned {
                        let (pointer, record) =
                            (self.local("walk"), self.record_symbol(parameter.record));
                        let text = format!("{record} *{pointer} = {array} + {i};");
                        nodes.push(frame_line(pointer, &text));
                        let line = Node::line(&format!("{pointer} += {stride};"));
                        steps.push(Node { kind: Kind::Frame, ..line });
                        scope.places.push(Place {
                            record: parameter.record,
                            text: pointer.to_string(),
                            is_pointer: true,
                            is_writable: true,
                            is_local: false,
                            is_shared: false,
                        });
                    }
                }
                let int = k.to_string();
                let walked = scope.places.clone();
                let mut body = self.body(unit, &mut scope, parameters, frame, &int);
                body.extend(self.used(unit, &scope, &walked));
                body.extend(steps);
                let head = format!("for (int {k} = {i}; {k} < {n}; {k} += {stride}) {{");
                nodes.push(whole(&head, body));
                nodes
            }
            Shape::Reverse => {
                let index = format!("{n} - 1 - {int}");
                let body = self.owner_body(unit, &mut scope, parameters, frame, &index, &int);
                vec![first, whole(&format!("if ({i} < {limit}) {{"), body)]
            }
            Shape::Permuted => {
                let own = self.local("own");
                scope.ints.push(own.to_string());
                let index = if self.random.chance(50) {
                    own.to_string()
                } else {
                    format!("{}[{i}]", frame.perm)
                };
                let mut body =
                    vec![Node::declaration(own, &format!("int {own} = {}[{i}];", frame.perm))];
                body.extend(self.owner_body(unit, &mut scope, parameters, frame, &index, &int));
                vec![first, whole(&format!("if ({i} < {limit}) {{"), body)]
            }
            Shape::Stride => {
                let (start, stride) = (i, self.local("stride"));
                let head = match self.random.below(2) {
                    0 => format!(
                        "for ({}; {start} < {limit}; {start} += gridDim.x * blockDim.x) {{",
                        format_args!("{} {start} = {global}", unqualified(ty))
                    ),
                    _ => format!(
                        "for ({} {start} = {global}, {stride} = gridDim.x * blockDim.x; {start} < {limit}; {start} += {stride}) {{",
                        unqualified(ty)
                    ),
                };
                let index = start.to_string();
                let body = self.owner_body(unit, &mut scope, parameters, frame, &index, &int);
                vec![whole(&head, body)]
            }
            Shape::Chunk | Shape::ChunkBase | Shape::ChunkWalk => {
                self.chunk(unit, shape, scope, parameters, frame, (first, &int))
            }
            Shape::Plane => {
                unit.feature("plane");
                let (x, y) = (self.local("x"), self.local("y"));
                scope.ints.extend([x.to_string(), y.to_string()]);
                let mut nodes = vec![
                    frame_line(x, &format!("int {x} = blockIdx.x * blockDim.x + threadIdx.x;")),
                    frame_line(y, &format!("int {y} = blockIdx.y * blockDim.y + threadIdx.y;")),
                ];
                let own = format!("{y} * 8 + {x}");
                let (index, int) = if self.random.chance(50) {
                    nodes.push(frame_line(i, &format!("int {i} = {own};")));
                    (i.to_string(), i.to_string())
                } else {
                    scope.ints.retain(|known| *known != int);
                    (own.clone(), format!("({own})"))
                };
                let body = self.owner_body(unit, &mut scope, parameters, frame, &index, &int);
                nodes.push(whole(&format!("if ({x} < 8 && {own} < {n}) {{"), body));
                nodes
            }
            Shape::Staged => self.staged(unit, scope, parameters, frame, global),
            Shape::Phases => self.phases(unit, scope, parameters, frame, global),
            Shape::Serial => {
                let k = self.local("k");
                scope.ints = vec![k.to_string()];
                let index = k.to_string();
                let body = self.owner_body(unit, &mut scope, parameters, frame, &index, &index);
                let inner = whole(&format!("for (int {k} = 0; {k} < {n}; ++{k}) {{"), body);
                vec![whole("if (blockIdx.x == 0 && threadIdx.x == 0) {", vec![inner])]
            }
        }
    }

    /// The statements of one owner, with the owned arrays at `index`.
    fn owner_body(
        &mut self,
        unit: &mut Unit,
        scope: &mut Scope,
        parameters: &[Parameter],
        frame: &Frame,
        index: &str,
        int: &str,
    ) -> Vec<Node> {
        for (parameter, array) in parameters.iter().zip(&frame.arrays) {
            if parameter.mode == Mode::Owned {
                let owned = Owned {
                    record: parameter.record,
                    text: array.clone(),
                    index: index.to_owned(),
                };
                scope.owned.push(owned);
            }
        }
        self.body(unit, scope, parameters, frame, int)
    }

    fn body(
        &mut self,
        unit: &mut Unit,
        scope: &mut Scope,
        parameters: &[Parameter],
        frame: &Frame,
        int: &str,
    ) -> Vec<Node> {
        let count = self.random.between(2, 6);
        let mut nodes = self.statements(unit, scope, count);
        for (parameter, array) in parameters.iter().zip(&frame.arrays) {
            if parameter.mode == Mode::Atomic {
                nodes.extend(self.atomic(unit, scope, parameter.record, array, &frame.n));
            }
        }
        if self.random.chance(30) {
            let value = self.value_in(unit, scope, 2);
            nodes.push(Node::line(&format!("{}[{int}] += {value};", frame.out)));
        }
        nodes
    }

    /// `atomicAdd(&p[…].f, …);`
    fn atomic(
        &mut self,
        unit: &mut Unit,
        scope: &Scope,
        record: usize,
        array: &str,
        n: &str,
    ) -> Option<Node> {
        use super::records::Scalar;
        let index = self.index_below(scope, n);
        let place = self.element(record, array, &index, true);
        let none = Scope { depth: 9, ..Scope::default() };
        for _ in 0..8 {
            let (lvalue, scalar) = self.leaf(&none, &place);
            let value = self.value(scope, 1);
            let value = match scalar {
                Scalar::Int => format!("(int)({value} & 0xffu)"),
                Scalar::Unsigned => value,
                Scalar::UnsignedLongLong => format!("(unsigned long long){value}"),
                _ => continue,
            };
            if scalar == Scalar::Unsigned && self.random.chance(25) {
                unit.feature("compare-and-swap");
                let (seen, old) = (self.local("assumed"), self.local("old"));
                return Some(Node::line(&format!(
                    "{{\n    unsigned {old} = atomicAdd(&{lvalue}, 0u), {seen};\n    do {{\n        {seen} = {old};\n        {old} = atomicCAS(&{lvalue}, {seen}, max({seen}, {value}));\n    }} while ({seen} != {old});\n}}"
                )));
            }
            let functions: &[&str] = if scalar == Scalar::Int {
                &["atomicMax", "atomicMin", "atomicOr", "atomicXor"]
            } else {
                &["atomicAdd", "atomicMax", "atomicOr", "atomicXor", "atomicAnd"]
            };
            let function = *self.random.pick(functions);
            unit.feature("atomic");
            return Some(Node::line(&format!("{function}(&{lvalue}, {value});")));
        }
        None
    }

    /// A thread owns some consecutive elements.
    fn chunk(
        &mut self,
        unit: &mut Unit,
        shape: Shape,
        mut scope: Scope,
        parameters: &[Parameter],
        frame: &Frame,
        (first, int): (Node, &str),
    ) -> Vec<Node> {
        let (n, b, j) = (&frame.n, self.local("b"), self.local("j"));
        let width = *self.random.pick(&[2, 3, 4, 5, 8]);
        let base = frame_line(b, &format!("int {b} = {int} * {width};"));
        let guard = Node { kind: Kind::Frame, ..Node::line(&format!("if ({b} >= {n}) return;")) };
        scope.ints.push(format!("({b} + {j})"));
        let loop_head = format!("for (int {j} = 0; {j} < {width} && {b} + {j} < {n}; ++{j}) {{");
        let whole_index = format!("({b} + {j})");
        if shape == Shape::Chunk {
            let index = format!("{b} + {j}");
            let body = self.owner_body(unit, &mut scope, parameters, frame, &index, &whole_index);
            return vec![first, base, whole(&loop_head, body)];
        }
        unit.feature(if shape == Shape::ChunkBase { "chunk-base" } else { "chunk-walk" });
        let mut nodes = vec![first, base, guard];
        let mut steps = Vec::new();
        for (parameter, array) in parameters.iter().zip(&frame.arrays) {
            if parameter.mode != Mode::Owned {
                continue;
            }
            let pointer = self.local_of(&["mine", "row", "base"]);
            let record = self.record_symbol(parameter.record);
            let start = if self.random.chance(50) {
                format!("{array} + {b}")
            } else {
                format!("&{array}[{b}]")
            };
            nodes.push(frame_line(pointer, &format!("{record} *{pointer} = {start};")));
            if shape == Shape::ChunkBase {
                scope.owned.push(Owned {
                    record: parameter.record,
                    text: pointer.to_string(),
                    index: j.to_string(),
                });
            } else {
                scope.places.push(Place {
                    record: parameter.record,
                    text: pointer.to_string(),
                    is_pointer: true,
                    is_writable: true,
                    is_local: false,
                    is_shared: false,
                });
                let step = *self.random.pick(&["++@;", "@++;", "@ += 1;", "@ = @ + 1;"]);
                let line = step.replace('@', &pointer.to_string());
                steps.push(Node { kind: Kind::Frame, ..Node::line(&line) });
            }
        }
        let walked = scope.places.clone();
        let mut body = self.body(unit, &mut scope, parameters, frame, &whole_index);
        body.extend(self.used(unit, &scope, &walked));
        body.extend(steps);
        nodes.push(whole(&loop_head, body));
        nodes
    }

    /// A store through each pointer that walks: one that only moves is not used in all layouts.
    fn used(&mut self, unit: &mut Unit, scope: &Scope, walked: &[Place]) -> Vec<Node> {
        let mut nodes = Vec::new();
        for place in walked.iter().filter(|place| place.is_pointer && place.is_writable) {
            let (lvalue, scalar) = self.leaf(scope, place);
            nodes.push(Node::line(&self.store_to(unit, scope, &lvalue, scalar)));
        }
        nodes
    }

    /// The block copies its elements to shared memory, and each thread reads those of others.
    fn staged(
        &mut self,
        unit: &mut Unit,
        mut scope: Scope,
        parameters: &[Parameter],
        frame: &Frame,
        global: &str,
    ) -> Vec<Node> {
        unit.feature("staged");
        let (n, i) = (&frame.n, self.local("i"));
        let (tile, count) = (self.local("tile"), self.local("have"));
        let (record, array) = (self.record_symbol(parameters[0].record), &frame.arrays[0]);
        let mut nodes = vec![
            frame_line(tile, &format!("__shared__ {record} {tile}[64];")),
            frame_line(i, &format!("int {i} = {global};")),
            frame_line(
                count,
                &format!(
                    "int {count} = min({n} - (int)(blockIdx.x * blockDim.x), (int)blockDim.x);"
                ),
            ),
        ];
        let load = *self.random.pick(&[
            "if (@i < @n) @s[threadIdx.x] = @a[@i];",
            "if (@i < @n) {\n    @s[threadIdx.x] = @a[@i];\n}",
        ]);
        let load = load
            .replace("@i", &i.to_string())
            .replace("@n", n)
            .replace("@s", &tile.to_string())
            .replace("@a", array);
        nodes.push(Node { kind: Kind::Frame, ..Node::line(&load) });
        nodes.push(Node { kind: Kind::Frame, ..Node::line("__syncthreads();") });
        scope.ints = vec![i.to_string(), "(int)threadIdx.x".to_owned()];
        for step in [1, 5] {
            scope.places.push(Place {
                record: parameters[0].record,
                text: format!("{tile}[((int)threadIdx.x + {step}) % {count}]"),
                is_pointer: false,
                is_writable: false,
                is_local: true,
                is_shared: true,
            });
        }
        let index = i.to_string();
        let mut body = self.owner_body(unit, &mut scope, parameters, frame, &index, &index);
        let other = scope.places.iter().rev().find(|place| place.is_shared).cloned();
        if let Some(other) = other {
            let (lvalue, scalar) = self.leaf(&scope, &other);
            let value = scalar.to_value(&lvalue);
            body.push(Node::line(&format!("{}[{i}] += {value};", frame.out)));
        }
        nodes.push(whole(&format!("if ({i} < {n}) {{"), body));
        nodes
    }

    /// Elements are written, and behind a barrier those of the block's other threads are read.
    fn phases(
        &mut self,
        unit: &mut Unit,
        mut scope: Scope,
        parameters: &[Parameter],
        frame: &Frame,
        global: &str,
    ) -> Vec<Node> {
        unit.feature("phases");
        let (n, i, count) = (&frame.n, self.local("i"), self.local("have"));
        let mut nodes = vec![
            frame_line(i, &format!("int {i} = {global};")),
            frame_line(
                count,
                &format!(
                    "int {count} = min({n} - (int)(blockIdx.x * blockDim.x), (int)blockDim.x);"
                ),
            ),
        ];
        let index = i.to_string();
        scope.ints = vec![index.clone()];
        let mut second = scope.clone();
        let body = self.owner_body(unit, &mut scope, parameters, frame, &index, &index);
        nodes.push(whole(&format!("if ({i} < {n}) {{"), body));
        nodes.push(Node { kind: Kind::Frame, ..Node::line("__syncthreads();") });
        for (parameter, array) in parameters.iter().zip(&frame.arrays) {
            if parameter.mode == Mode::Owned {
                let other =
                    format!("blockIdx.x * blockDim.x + (threadIdx.x + 3u) % (unsigned){count}");
                let place = self.element(parameter.record, array, &format!("({other})"), false);
                second.places.push(place);
            }
        }
        let value = self.value_in(unit, &second, 3);
        let line = format!("{}[{i}] ^= {value};", frame.out);
        nodes.push(whole(&format!("if ({i} < {n}) {{"), vec![Node::line(&line)]));
        nodes
    }
}

fn unqualified(ty: &str) -> &str {
    ty.trim_start_matches("const ")
}

fn frame_line(symbol: Symbol, text: &str) -> Node {
    Node::declaration(symbol, text)
}

fn whole(head: &str, body: Vec<Node>) -> Node {
    Node::new(Kind::Whole, head, body, "}")
}
