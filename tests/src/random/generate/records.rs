//! The structs of a unit, and host functions that fill and sum arrays of them.

use super::packing::Placement;
use super::templates::Template;
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::rng::Random;
use crate::random::text::Symbol;

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    Unsigned,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
    /// An enumeration of four values that a struct declares: the struct and the enumeration.
    Enumeration(Symbol, Symbol),
    /// A bit-field of `int` or `unsigned`.
    Bits {
        width: usize,
        is_signed: bool,
    },
}

impl Scalar {
    pub(super) const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::Char,
        Scalar::SignedChar,
        Scalar::UnsignedChar,
        Scalar::Short,
        Scalar::UnsignedShort,
        Scalar::Int,
        Scalar::Unsigned,
        Scalar::LongLong,
        Scalar::UnsignedLongLong,
        Scalar::Float,
        Scalar::Double,
    ];

    pub(super) fn name(self) -> String {
        let name = match self {
            Scalar::Enumeration(record, name) => return format!("{record}::{name}"),
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::SignedChar => "signed char",
            Scalar::UnsignedChar => "unsigned char",
            Scalar::Short => "short",
            Scalar::UnsignedShort => "unsigned short",
            Scalar::Int | Scalar::Bits { is_signed: true, .. } => "int",
            Scalar::Unsigned | Scalar::Bits { is_signed: false, .. } => "unsigned",
            Scalar::LongLong => "long long",
            Scalar::UnsignedLongLong => "unsigned long long",
            Scalar::Float => "float",
            Scalar::Double => "double",
        };
        name.to_owned()
    }

    pub(super) fn size(self) -> usize {
        match self {
            Scalar::Bool | Scalar::Char | Scalar::SignedChar | Scalar::UnsignedChar => 1,
            Scalar::Short | Scalar::UnsignedShort => 2,
            Scalar::Int
            | Scalar::Unsigned
            | Scalar::Float
            | Scalar::Enumeration(..)
            | Scalar::Bits { .. } => 4,
            Scalar::LongLong | Scalar::UnsignedLongLong | Scalar::Double => 8,
        }
    }

    pub(super) fn is_floating(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }

    fn takes_any_bytes(self) -> bool {
        !self.is_floating() && !matches!(self, Scalar::Bool | Scalar::Enumeration(..))
    }

    /// `value` (an `unsigned`) as this type, in the range that keeps all arithmetic exact.
    pub(super) fn of_value(self, value: &str) -> String {
        match self {
            Scalar::Bool => format!("(({value}) & 1u) != 0u"),
            Scalar::Float => format!("(float)(({value}) & 0xffffu) * 0.25f"),
            Scalar::Double => format!("(double)(({value}) & 0xfffffu) * 0.125"),
            Scalar::UnsignedLongLong => format!("({value}) * 4294967311ull"),
            Scalar::LongLong => format!("(long long)(({value}) * 4294967311ull)"),
            Scalar::Unsigned => value.to_owned(),
            Scalar::Enumeration(..) => format!("({})(({value}) & 3u)", self.name()),
            // No compiler has to warn of bits that get lost.
            Scalar::Bits { width, is_signed } => {
                let mask = (1_u32 << (width - usize::from(is_signed))) - 1;
                format!("({})(({value}) & {mask}u)", self.name())
            }
            other => format!("({})({value})", other.name()),
        }
    }

    /// An lvalue of this type as an `unsigned` value.
    pub(super) fn to_value(self, lvalue: &str) -> String {
        match self {
            Scalar::Float => format!("(unsigned)(int)({lvalue} * 4.0f)"),
            Scalar::Double => format!("(unsigned)(int)({lvalue} * 8.0)"),
            Scalar::Unsigned => lvalue.to_owned(),
            Scalar::UnsignedLongLong => format!("(unsigned)({lvalue} >> 7)"),
            _ => format!("(unsigned){lvalue}"),
        }
    }
}

/// What a field is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FieldType {
    Scalar(Scalar),
    /// `float4` and its like, or a struct of the C library.
    Vector {
        name: &'static str,
        scalar: Scalar,
        width: usize,
    },
    /// Another record, by its position.
    Nested(usize),
}

/// A field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) symbol: Symbol,
    pub(super) ty: FieldType,
    pub(super) extents: Vec<usize>,
    /// Whether a base class has it.
    pub(super) is_inherited: bool,
    /// What its `alignas` asks for.
    pub(super) alignment: Option<usize>,
}

/// A struct.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) symbol: Symbol,
    pub(super) fields: Vec<Field>,
    pub(super) alignment: usize,
    /// The class template that it is an instance of.
    pub(super) template: Option<Template>,
    /// Whether any bytes are a value: no `bool`, no floating point.
    pub(super) any_bytes: bool,
    /// Host functions `fill(T *, int, unsigned)` and `sum(const char *, const T *, int)`.
    pub(super) fill: Symbol,
    pub(super) sum: Symbol,
}

pub(super) const VECTORS: [(&str, Scalar, usize, usize); 10] = [
    ("float2", Scalar::Float, 2, 8),
    ("float3", Scalar::Float, 3, 4),
    ("float4", Scalar::Float, 4, 16),
    ("double2", Scalar::Double, 2, 16),
    ("int2", Scalar::Int, 2, 8),
    ("int3", Scalar::Int, 3, 4),
    ("uint4", Scalar::Unsigned, 4, 16),
    ("uchar4", Scalar::UnsignedChar, 4, 4),
    ("ushort2", Scalar::UnsignedShort, 2, 4),
    ("short4", Scalar::Short, 4, 8),
];

/// Structs of the C library, as [`VECTORS`].
pub(super) const FOREIGN: [(&str, Scalar, usize, usize); 2] =
    [("div_t", Scalar::Int, 2, 4), ("lldiv_t", Scalar::LongLong, 2, 8)];

/// The names of the members of a vector or of a struct of the C library.
pub(super) fn part_names(name: &str) -> [&'static str; 4] {
    if is_foreign(name) { ["quot", "rem", "", ""] } else { ["x", "y", "z", "w"] }
}

/// Whether it is a struct of the C library.
pub(super) fn is_foreign(name: &str) -> bool {
    FOREIGN.iter().any(|known| known.0 == name)
}

/// Whether there are member arrays of one element.
const EXTENT_ONE: bool = true;

/// Some are names that a rewrite might want for itself.
const FIELD_NAMES: [&str; 40] = [
    "x", "y", "z", "w", "vx", "vy", "m", "id", "next", "flags", "count", "data", "key", "val",
    "pos", "vel", "state", "lo", "hi", "mask", "cost", "u", "v", "rank", "alive", "size", "left",
    "tag", "at", "i", "n", "p", "base", "index", "tile", "lane", "bytes", "step", "x_at", "g0",
];

/// The unit's number follows, and may be followed by a letter.
const RECORD_NAMES: [&str; 12] = [
    "Particle", "cell", "Node", "BODY", "item_t", "Ray", "Edge", "Tri", "sample", "Body2", "S",
    "Voxel",
];

/// What follows the name of the second struct of a unit, the third, …
const SUFFIXES: [&str; 6] = ["", "Tile", "a", "Arrays", "b", "Aligned"];

impl Generator {
    /// The structs of a unit: one or two with arrays, and what they are made of.
    pub(super) fn unit_records(&mut self, unit: &mut Unit) {
        let mut inner = Vec::new();
        for _ in 0..self.random.below(3) {
            let known = inner.clone();
            let at = self.record(unit, &known, false);
            inner.push(at);
        }
        let arrays = if self.random.chance(35) { 2 } else { 1 };
        for _ in 0..arrays {
            let at = self.record(unit, &inner, true);
            unit.array_records.push(at);
        }
        // Arrays of a struct that another unit has arrays of, too.
        if self.random.chance(25)
            && let Some(shared) = self.shared.last()
        {
            unit.array_records.push(shared.record);
            unit.helpers = shared.helpers.clone();
            unit.feature("shared-record");
        }
        if unit.has(Trait::NestedTwin)
            && let Some(twin) = inner.first()
        {
            unit.array_records.push(*twin);
        }
    }

    fn record(&mut self, unit: &mut Unit, inner: &[usize], is_element: bool) -> usize {
        // Structs of one unit share the first part of their names.
        let base = match unit.base_name {
            Some(base) => base,
            None => *self.random.pick(&RECORD_NAMES),
        };
        unit.base_name = Some(base);
        let name = format!("{base}{}{}", unit.number, SUFFIXES[self.records_of(unit)]);
        let symbol = self.named(Role::Type, &name);
        let count = match (is_element, self.random.below(10)) {
            (false, _) => self.random.between(1, 3),
            (true, 0..=4) => self.random.between(1, 4),
            (true, 5..=8) => self.random.between(3, 9),
            (true, _) => self.random.between(9, 16),
        };
        let template = self.template(unit, &name, is_element);
        let is_packed = is_element && unit.has(Trait::Packed);
        // What moves is a member behind a smaller one.
        let count = if is_packed { count.max(2) } else { count };
        let mut names: Vec<&str> = FIELD_NAMES.to_vec();
        self.random.shuffle(&mut names);
        let (mut fields, mut alignment, mut any_bytes) = (Vec::new(), 1, true);
        let enumeration = self.random.chance(15).then(|| self.named(Role::Member, "Mood"));
        for name in names.into_iter().take(count) {
            let field = self.named(Role::Member, name);
            let ty = match enumeration {
                Some(name) if self.random.chance(40) => {
                    FieldType::Scalar(Scalar::Enumeration(symbol, name))
                }
                _ if is_packed => self.packed_type(fields.is_empty()),
                _ if unit.has(Trait::BitField) && self.random.chance(60) => self.bits(),
                _ if is_element && unit.has(Trait::ForeignMember) && self.random.chance(35) => {
                    let (name, scalar, width, _) = *self.random.pick(&FOREIGN);
                    FieldType::Vector { name, scalar, width }
                }
                _ => self.field_type(inner, is_element),
            };
            let (align, bytes) = match &ty {
                FieldType::Scalar(scalar) => (scalar.size(), scalar.takes_any_bytes()),
                FieldType::Vector { name, scalar, .. } => {
                    let mut known = VECTORS.iter().chain(&FOREIGN);
                    let align = known.find(|vector| vector.0 == *name);
                    (align.map_or(16, |vector| vector.3), !scalar.is_floating())
                }
                FieldType::Nested(at) => (self.records[*at].alignment, self.records[*at].any_bytes),
            };
            let asked = self.member_alignment(unit, align);
            alignment = alignment.max(asked.unwrap_or(align));
            any_bytes &= bytes;
            let is_bits = matches!(ty, FieldType::Scalar(Scalar::Bits { .. }));
            let extents = match self.random.below(12) {
                _ if is_bits => Vec::new(),
                0 if EXTENT_ONE && self.random.chance(6) => vec![1],
                0 => vec![self.random.between(2, 5)],
                1 => vec![self.random.between(2, 9)],
                2 => vec![self.random.between(2, 3), self.random.between(2, 4)],
                _ => Vec::new(),
            };
            let is_inherited = false;
            fields.push(Field { symbol: field, ty, extents, is_inherited, alignment: asked });
        }
        if let Some(template) = &template {
            // In front, so that the parameter decides where the others are.
            let (ty, extents) = self.template_field(template);
            let symbol = self.symbol("lead");
            alignment = alignment.max(template.scalar.size());
            any_bytes &= template.scalar.takes_any_bytes();
            let field = Field { symbol, ty, extents, is_inherited: false, alignment: None };
            fields.insert(0, field);
        }
        let base = (is_element && unit.has(Trait::Base)).then(|| {
            let (base, field) =
                (self.named(Role::Type, &format!("Base{name}")), self.symbol("stamp"));
            let members = vec![Node {
                kind: Kind::Field,
                ..Node::declaration(field, &format!("int {field};"))
            }];
            let mut node = Node::new(Kind::Record, &format!("struct {base} {{"), members, "};");
            node.declares.push(base);
            unit.nodes.push(node);
            let ty = FieldType::Scalar(Scalar::Int);
            let extents = Vec::new();
            fields.push(Field { symbol: field, ty, extents, is_inherited: true, alignment: None });
            alignment = alignment.max(4);
            base
        });
        let fill = self.named(Role::Global, &format!("fill{name}", name = self.name_of(symbol)));
        let sum = self.named(Role::Global, &format!("sum{name}", name = self.name_of(symbol)));
        let record = Record { symbol, fields, alignment, template, any_bytes, fill, sum };
        self.records.push(record);
        let at = self.records.len() - 1;
        let node = self.record_node(unit, at, is_element, base);
        unit.nodes.push(node);
        unit.nodes.append(&mut unit.outside);
        if is_element || unit.has(Trait::NestedTwin) {
            let nodes = self.host_functions(at);
            unit.nodes.extend(nodes);
        }
        at
    }

    /// How many structs the unit has so far, for a name of its own.
    fn records_of(&self, unit: &Unit) -> usize {
        unit.nodes.iter().filter(|node| node.kind == Kind::Record).count().min(5)
    }

    fn name_of(&self, Symbol(number): Symbol) -> String {
        self.names[number as usize].clone()
    }

    fn field_type(&mut self, inner: &[usize], is_element: bool) -> FieldType {
        match self.random.below(10) {
            0 | 1 => {
                let (name, scalar, width, _) = *self.random.pick(&VECTORS);
                FieldType::Vector { name, scalar, width }
            }
            2 | 3 if is_element && !inner.is_empty() => FieldType::Nested(*self.random.pick(inner)),
            2 if !inner.is_empty() => FieldType::Nested(*self.random.pick(inner)),
            4 | 5 => FieldType::Scalar(Scalar::Float),
            6 => FieldType::Scalar(Scalar::Int),
            _ => FieldType::Scalar(*self.random.pick(&Scalar::ALL)),
        }
    }

    fn record_node(
        &mut self,
        unit: &mut Unit,
        at: usize,
        is_element: bool,
        base: Option<Symbol>,
    ) -> Node {
        let record = self.records[at].clone();
        let mut members = self.member_types(&record);
        for field in record.fields.iter().filter(|field| !field.is_inherited) {
            let parameter = record.template.and_then(|template| template.type_name(&field.ty));
            let ty = match &field.ty {
                _ if let Some(parameter) = parameter => parameter.to_owned(),
                FieldType::Scalar(Scalar::Enumeration(_, name)) => name.to_string(),
                FieldType::Scalar(scalar) => self.scalar_name(unit, *scalar, &mut members),
                FieldType::Vector { name, .. } => (*name).to_owned(),
                FieldType::Nested(at) => self.records[*at].symbol.to_string(),
            };
            let extents: String =
                field.extents.iter().map(|extent| format!("[{extent}]")).collect();
            let has_initialiser = unit.has(Trait::DefaultInitialiser)
                && is_element
                && field.extents.is_empty()
                && matches!(field.ty, FieldType::Scalar(scalar) if !matches!(scalar, Scalar::Enumeration(..) | Scalar::Bits { .. }))
                && self.random.chance(60);
            let initialiser = if has_initialiser { " = 1" } else { "" };
            let extents = match field.ty {
                FieldType::Scalar(Scalar::Bits { width, .. }) => format!(" : {width}"),
                _ => record
                    .template
                    .and_then(|template| template.extents(field))
                    .map_or(extents, str::to_owned),
            };
            let align =
                field.alignment.map_or_else(String::new, |asked| format!("alignas({asked}) "));
            let text = format!("{align}{ty} {}{extents}{initialiser};", field.symbol);
            members.push(Node { kind: Kind::Field, ..Node::declaration(field.symbol, &text) });
        }
        if is_element {
            self.members(unit, at, &mut members);
        }
        if let Some(template) = &record.template {
            let made = self.template_members(unit, &record, template, &mut members);
            unit.declared.template_members.extend(made.into_iter().map(|member| (at, member)));
        }
        let placement = self.placement(unit, at, is_element);
        let typedef = self.random.chance(20) && !is_element;
        let (head, tail) = if let Some(template) = &record.template {
            template.around(&placement.specifier, record.symbol)
        } else if typedef {
            ("typedef struct {".to_owned(), format!("}} {};", record.symbol))
        } else {
            let base = base.map_or_else(String::new, |base| format!(" : {base}"));
            let Placement { specifier, behind, .. } = &placement;
            let head = format!("struct {specifier}{}{base} {{", record.symbol);
            (head, format!("}}{behind};"))
        };
        let (head, tail) = (placement.before + &head, tail + &placement.after);
        let mut node = Node::new(Kind::Record, &head, members, &tail);
        node.declares.push(record.symbol);
        node.declares.extend(record.template.map(|template| template.symbol));
        node
    }

    /// The enumeration that a struct declares for its members.
    fn member_types(&mut self, record: &Record) -> Vec<Node> {
        let enumeration = record.fields.iter().find_map(|field| match field.ty {
            FieldType::Scalar(Scalar::Enumeration(_, name)) => Some(name),
            _ => None,
        });
        let Some(name) = enumeration else {
            return Vec::new();
        };
        let values = ["calm", "busy", "tired", "gone"].map(|name| self.named(Role::Member, name));
        let list: Vec<String> = values.iter().map(ToString::to_string).collect();
        vec![Node::declaration(name, &format!("enum {name} {{ {} }};", list.join(", ")))]
    }

    /// A name of a scalar type: its own, one that the program gives it, or one of the struct alone.
    fn scalar_name(&mut self, unit: &mut Unit, scalar: Scalar, members: &mut Vec<Node>) -> String {
        if !self.random.chance(12) {
            return scalar.name();
        }
        let known = unit.scalar_names.iter().find(|known| known.0 == scalar);
        if let Some((_, name)) = known {
            return name.to_string();
        }
        let ty = scalar.name();
        let text = |name: Symbol, random: &mut Random| {
            if random.chance(50) {
                format!("typedef {ty} {name};")
            } else {
                format!("using {name} = {ty};")
            }
        };
        if self.random.chance(40) {
            unit.feature("member-typedef");
            let name = self.named(Role::Member, &format!("real{}", members.len()));
            let text = text(name, &mut self.random);
            members.push(Node { kind: Kind::Field, ..Node::declaration(name, &text) });
            return name.to_string();
        }
        unit.feature("scalar-typedef");
        let name = self.named(Role::Type, &format!("real{}_{}", unit.number, self.names.len()));
        let text = text(name, &mut self.random);
        unit.nodes.push(Node::declaration(name, &text));
        unit.scalar_names.push((scalar, name));
        name.to_string()
    }

    /// At least the bytes of a record.
    pub(super) fn size(&self, record: usize) -> usize {
        let sizes = self.records[record].fields.iter().map(|field| {
            let one = match field.ty {
                FieldType::Scalar(scalar) => scalar.size(),
                FieldType::Vector { scalar, width, .. } => scalar.size() * width,
                FieldType::Nested(inner) => self.size(inner),
            };
            let all = one * field.extents.iter().product::<usize>();
            all.next_multiple_of(field.alignment.unwrap_or(1))
        });
        sizes.sum()
    }

    /// `fill` and `sum` of a record, with one statement for each leaf.
    fn host_functions(&mut self, at: usize) -> [Node; 2] {
        let record = self.records[at].clone();
        self.locals.clear();
        let (p, i, n, seed) =
            (self.local("p"), self.local("i"), self.local("n"), self.local("seed"));
        let what = self.local("what");
        let mut leaves = Vec::new();
        self.leaves_below(at, &format!("{p}[{i}]"), &[], &mut leaves);
        let mut fills = Vec::new();
        let mut sums = Vec::new();
        for (number, leaf) in leaves.iter().enumerate() {
            let (lvalue, scalar) = (&leaf.lvalue, leaf.scalar);
            let terms: String = (0..leaf.extents.len())
                .map(|at| format!(" + (unsigned)k{at} * {}u", 97 + at))
                .collect();
            let value =
                scalar.of_value(&format!("mixed((unsigned){i} * 64u + {number}u{terms}, {seed})"));
            let loops: String = leaf
                .extents
                .iter()
                .enumerate()
                .map(|(at, extent)| format!("for (int k{at} = 0; k{at} < {extent}; ++k{at}) "))
                .collect();
            fills.push(Node::line(&format!("{loops}{lvalue} = {value};")));
            sums.push(Node::line(&if let Scalar::Bits { .. } = scalar {
                let ty = scalar.name();
                format!("{loops}{{ {ty} bits = {lvalue}; sum.bytes(&bits, sizeof(bits)); }}")
            } else {
                format!("{loops}sum.bytes(&{lvalue}, sizeof({lvalue}));")
            }));
        }
        let head = format!(
            "static void {}({} *{p}, int {n}, unsigned {seed}) {{\n    for (int {i} = 0; {i} < {n}; ++{i}) {{",
            record.fill, record.symbol
        );
        let mut fill = Node::new(Kind::Frame, &head, fills, "    }\n}");
        let head = format!(
            "static void {}(const char *{what}, const {} *{p}, int {n}) {{\n    Sum sum;\n    for (int {i} = 0; {i} < {n}; ++{i}) {{",
            record.sum, record.symbol
        );
        let mut sum =
            Node::new(Kind::Frame, &head, sums, &format!("    }}\n    sum.print({what});\n}}"));
        (fill.kind, sum.kind) = (Kind::Function, Kind::Function);
        fill.declares.push(record.fill);
        sum.declares.push(record.sum);
        [fill, sum]
    }

    /// Every leaf of `lvalue`, subscripted with `k0`, `k1`, ….
    fn leaves_below(&self, at: usize, lvalue: &str, around: &[usize], out: &mut Vec<Leaf>) {
        for field in &self.records[at].fields {
            let mut text = format!("{lvalue}.{}", field.symbol);
            let mut extents = around.to_vec();
            for extent in &field.extents {
                text.push_str(&format!("[k{}]", extents.len()));
                extents.push(*extent);
            }
            let leaf = |lvalue, scalar| Leaf { lvalue, scalar, extents: extents.clone() };
            match &field.ty {
                FieldType::Scalar(scalar) => out.push(leaf(text, *scalar)),
                FieldType::Vector { name, scalar, width } => {
                    let names = &part_names(name)[..*width];
                    out.extend(names.iter().map(|name| leaf(format!("{text}.{name}"), *scalar)));
                }
                FieldType::Nested(inner) => self.leaves_below(*inner, &text, &extents, out),
            }
        }
    }
}

/// A scalar of a struct, or the scalars of a member array.
struct Leaf {
    lvalue: String,
    scalar: Scalar,
    extents: Vec<usize>,
}
