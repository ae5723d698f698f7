//! The structs: what the host and the kernels call them, and what their members hold.

use super::names::Scope;
use super::{Generator, Unit};
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// A scalar type of OpenCL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Float,
    Double,
}

impl Scalar {
    const ALL: [Scalar; 14] = [
        Scalar::Char,
        Scalar::UChar,
        Scalar::Short,
        Scalar::UShort,
        Scalar::Int,
        Scalar::Int,
        Scalar::Int,
        Scalar::UInt,
        Scalar::UInt,
        Scalar::Long,
        Scalar::ULong,
        Scalar::Float,
        Scalar::Float,
        Scalar::Double,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Scalar::Char => "char",
            Scalar::UChar => "uchar",
            Scalar::Short => "short",
            Scalar::UShort => "ushort",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }

    fn size(self) -> usize {
        match self {
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Long | Scalar::ULong | Scalar::Double => 8,
        }
    }

    pub(super) fn is_floating(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }

    pub(super) fn is_unsigned(self) -> bool {
        matches!(self, Scalar::UChar | Scalar::UShort | Scalar::UInt | Scalar::ULong)
    }

    /// An unsigned `value` as this type: what is floating stays exact, and a nonnegative number below 2¹⁶.
    ///
    /// The text is good for kernels and for hosts, where `cl_` comes in front of the type.
    pub(super) fn of_value(self, value: &str, prefix: &str) -> String {
        match self {
            Scalar::Float => format!("({prefix}float)(({value}) & 0xffffu) * 0.25f"),
            Scalar::Double => format!("({prefix}double)(({value}) & 0xffffu) * 0.125"),
            Scalar::UInt => format!("({value})"),
            other => format!("({prefix}{})({value})", other.name()),
        }
    }

    /// What is in a place of this type as an unsigned value.
    pub(super) fn to_value(self, place: &str, prefix: &str) -> String {
        match self {
            Scalar::Float => format!("({prefix}uint)({place} * 4.0f)"),
            Scalar::Double => format!("({prefix}uint)({place} * 8.0)"),
            Scalar::UInt => place.to_owned(),
            _ => format!("({prefix}uint){place}"),
        }
    }
}

/// What a member is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FieldType {
    Scalar(Scalar),
    Vector(Scalar, usize),
    /// Another record, by its position.
    Nested(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) symbol: Symbol,
    pub(super) ty: FieldType,
    pub(super) extents: Vec<usize>,
}

/// A struct that the host and the kernels declare alike.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) kernel: Symbol,
    pub(super) host: Symbol,
    /// The types as they are spelled.
    pub(super) kernel_type: String,
    pub(super) host_type: String,
    pub(super) fields: Vec<Field>,
    /// Whether a kernel is given buffers of it.
    pub(super) is_target: bool,
    /// `T make(index, salt)`, `T *array(count, salt)`, `void sum(name, array, count)` of the host.
    pub(super) make: Symbol,
    pub(super) array: Symbol,
    pub(super) sum: Symbol,
}

/// A scalar in a record.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// `pos.a[2]`.
    pub(super) path: String,
    /// `.x` in kernels and `.s[0]` on the host, if the member is a vector.
    pub(super) component: Option<usize>,
    pub(super) width: usize,
    pub(super) scalar: Scalar,
    /// The position of the member at the top.
    pub(super) top: usize,
}

impl Leaf {
    pub(super) fn in_kernel(&self) -> String {
        match self.component {
            None => self.path.clone(),
            Some(at) if self.width <= 4 => {
                format!("{}.{}", self.path, ["x", "y", "z", "w"][at % 4])
            }
            Some(at) => format!("{}.s{at}", self.path),
        }
    }

    pub(super) fn on_host(&self) -> String {
        match self.component {
            None => self.path.clone(),
            Some(at) => format!("{}.s[{at}]", self.path),
        }
    }
}

impl Generator {
    /// One or two structs of a unit, and what they are nested of.
    pub(super) fn unit_records(&mut self, unit: &mut Unit) {
        for _ in 0..1 + usize::from(self.random.chance(35)) {
            let nested = self.random.chance(25).then(|| {
                unit.features.insert("nested-struct");
                self.record(unit, None)
            });
            let record = self.record(unit, nested);
            unit.records.push(record);
        }
    }

    fn record(&mut self, unit: &mut Unit, nested: Option<usize>) -> usize {
        let (kernel, host) = self.record_names();
        let mut scope = Scope::default();
        for name in self.macros.clone().into_iter().chain(self.host_constants.clone()) {
            let spelled = self.spelling(name);
            scope.fresh(&spelled);
        }
        let count = 1 + self.random.below(5);
        let at_nested = self.random.below(count);
        let mut fields = Vec::new();
        for at in 0..count {
            let symbol = self.member(&mut scope);
            let ty = match nested {
                Some(record) if at == at_nested => FieldType::Nested(record),
                _ => self.field_type(unit),
            };
            let extents = match self.random.below(12) {
                0 | 1 => vec![1 + self.random.below(4)],
                2 => vec![2, 1 + self.random.below(3)],
                _ => Vec::new(),
            };
            if !extents.is_empty() {
                unit.features.insert("member-array");
            }
            fields.push(Field { symbol, ty, extents });
        }
        let spelled = self.spelling(host);
        let record = Record {
            kernel,
            host,
            kernel_type: String::new(),
            host_type: String::new(),
            fields,
            is_target: false,
            make: self.host_name(&format!("make_{spelled}")),
            array: self.host_name(&format!("array_of_{spelled}")),
            sum: self.host_name(&format!("sum_{spelled}")),
        };
        self.records.push(record);
        let at = self.records.len() - 1;
        self.declare(unit, at);
        at
    }

    fn field_type(&mut self, unit: &mut Unit) -> FieldType {
        let scalar = *self.random.pick(&Scalar::ALL);
        if scalar != Scalar::Double && self.random.chance(25) {
            unit.features.insert("vector-member");
            // Alignments of more than 32 bytes are not asked for.
            let widths = if scalar.size() > 4 { &[2, 3, 4][..] } else { &[2, 2, 3, 4, 4, 8] };
            let width = *self.random.pick(widths);
            return FieldType::Vector(scalar, width);
        }
        FieldType::Scalar(scalar)
    }

    /// Writes the declarations on both sides, and the host's functions.
    fn declare(&mut self, unit: &mut Unit, at: usize) {
        let Record { kernel, host, fields, .. } = self.records[at].clone();
        let is_tag = self.random.chance(50);
        let (head, tail, kernel_type) = if is_tag {
            (format!("struct {kernel} {{"), "};".to_owned(), format!("struct {kernel}"))
        } else {
            unit.features.insert("typedef-struct");
            ("typedef struct {".to_owned(), format!("}} {kernel};"), kernel.to_string())
        };
        let (host_head, host_tail, host_type) = if self.is_cpp {
            (format!("struct {host} {{"), "};".to_owned(), host.to_string())
        } else if is_tag {
            (format!("struct {host} {{"), "};".to_owned(), format!("struct {host}"))
        } else {
            ("typedef struct {".to_owned(), format!("}} {host};"), host.to_string())
        };
        let (mut members, mut host_members) = (Vec::new(), Vec::new());
        let has_plain_types = self.random.chance(25);
        for field in &fields {
            let extents: String =
                field.extents.iter().map(|extent| format!("[{extent}]")).collect();
            let (own, other) = match field.ty {
                FieldType::Scalar(scalar @ (Scalar::Int | Scalar::Float | Scalar::Short))
                    if has_plain_types =>
                {
                    (scalar.name().to_owned(), scalar.name().to_owned())
                }
                FieldType::Scalar(scalar) => {
                    (scalar.name().to_owned(), format!("cl_{}", scalar.name()))
                }
                FieldType::Vector(scalar, width) => {
                    (format!("{}{width}", scalar.name()), format!("cl_{}{width}", scalar.name()))
                }
                FieldType::Nested(nested) => {
                    let nested = &self.records[nested];
                    (nested.kernel_type.clone(), nested.host_type.clone())
                }
            };
            let symbol = field.symbol;
            let text = format!("{own} {symbol}{extents};");
            members.push(Node { kind: Kind::Field, ..Node::declaration(symbol, &text) });
            let text = format!("{other} {symbol}{extents};");
            host_members.push(Node { kind: Kind::Frame, ..Node::line(&text) });
        }
        let mut node = Node::new(Kind::Record, &head, members, &tail);
        node.declares = vec![kernel];
        self.kernels.push(node);
        let mut node = Node::new(Kind::Record, &host_head, host_members, &host_tail);
        node.declares = vec![host];
        self.host.push(node);
        self.records[at].kernel_type = kernel_type;
        self.records[at].host_type = host_type;
        self.host_functions(at);
    }

    /// The host's functions that make elements, make arrays, and print sums.
    fn host_functions(&mut self, at: usize) {
        let Record { host_type, make, array, sum, fields, .. } = self.records[at].clone();
        let leaves = self.leaves(at);
        let (mut made, mut summed) = (Vec::new(), Vec::new());
        for (top, field) in fields.iter().enumerate() {
            let (mut lines, mut sums) = (Vec::new(), Vec::new());
            for (number, leaf) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.top == top) {
                let value = format!("h * {}u + {}u", 2 * number + 1, 7 * number + 3);
                let place = leaf.on_host();
                lines.push(format!("made.{place} = {};", leaf.scalar.of_value(&value, "cl_")));
                let value = match leaf.scalar {
                    Scalar::Long | Scalar::ULong => format!("(cl_ulong)a[at].{place}"),
                    other => other.to_value(&format!("a[at].{place}"), "cl_"),
                };
                sums.push(format!("h = h * 1099511628211u + {value};"));
            }
            made.push(Node::line(&lines.join("\n")));
            let name = field.symbol;
            let mut head = "h = 14695981039346656037u;\nfor (at = 0; at < n; at++) {".to_owned();
            for line in sums {
                head.push_str("\n    ");
                head.push_str(&line);
            }
            head.push_str(&format!(
                "\n}}\nprintf(\"%s {name}: %016llx\\n\", text, (unsigned long long)h);"
            ));
            summed.push(Node::line(&head));
        }
        let mut node = Node::new(
            Kind::Function,
            &format!(
                "static {host_type} {make}(size_t at, cl_uint salt)\n{{\n    \
                 cl_uint h = ((cl_uint)at * 2654435761u) ^ (salt * 40503u);\n    {host_type} made;\n    \
                 memset(&made, 0, sizeof made);"
            ),
            made,
            "    return made;\n}",
        );
        node.declares = vec![make];
        self.host.push(node);
        let text = format!(
            "static {host_type} *{array}(size_t n, cl_uint salt)\n{{\n    \
             {host_type} *a = ({host_type} *)calloc(n + 1, sizeof({host_type}));\n    size_t at;\n    \
             for (at = 0; at < n; at++) a[at] = {make}(at, salt);\n    return a;\n}}"
        );
        self.host.push(Node { kind: Kind::Function, ..Node::declaration(array, &text) });
        let mut node = Node::new(
            Kind::Function,
            &format!(
                "static void {sum}(const char *text, const {host_type} *a, size_t n)\n{{\n    \
                 cl_ulong h;\n    size_t at;"
            ),
            summed,
            "}",
        );
        node.declares = vec![sum];
        self.host.push(node);
    }

    /// All scalars of a record.
    pub(super) fn leaves(&self, at: usize) -> Vec<Leaf> {
        let mut out = Vec::new();
        for (top, field) in self.records[at].fields.iter().enumerate() {
            let mut paths = vec![field.symbol.to_string()];
            for extent in &field.extents {
                paths = paths
                    .iter()
                    .flat_map(|path| (0..*extent).map(move |at| format!("{path}[{at}]")))
                    .collect();
            }
            for path in paths {
                match field.ty {
                    FieldType::Scalar(scalar) => {
                        out.push(Leaf { path, component: None, width: 1, scalar, top });
                    }
                    FieldType::Vector(scalar, width) => {
                        out.extend((0..width).map(|at| Leaf {
                            path: path.clone(),
                            component: Some(at),
                            width,
                            scalar,
                            top,
                        }));
                    }
                    FieldType::Nested(nested) => {
                        out.extend(self.leaves(nested).into_iter().map(|leaf| Leaf {
                            path: format!("{path}.{}", leaf.path),
                            top,
                            ..leaf
                        }));
                    }
                }
            }
        }
        out
    }

    pub(super) fn alignment(&self, record: &Record) -> usize {
        let of = |field: &Field| match field.ty {
            FieldType::Scalar(scalar) => scalar.size(),
            FieldType::Vector(scalar, width) => scalar.size() * width.next_power_of_two(),
            FieldType::Nested(nested) => self.alignment(&self.records[nested]),
        };
        record.fields.iter().map(of).max().unwrap_or(1)
    }

    /// The size of an element in bytes.
    pub(super) fn size(&self, record: &Record) -> usize {
        let mut at = 0usize;
        for field in &record.fields {
            let (size, alignment) = match field.ty {
                FieldType::Scalar(scalar) => (scalar.size(), scalar.size()),
                FieldType::Vector(scalar, width) => {
                    let size = scalar.size() * width.next_power_of_two();
                    (size, size)
                }
                FieldType::Nested(nested) => {
                    let nested = &self.records[nested];
                    (self.size(nested), self.alignment(nested))
                }
            };
            at = at.next_multiple_of(alignment) + size * field.extents.iter().product::<usize>();
        }
        at.next_multiple_of(self.alignment(record))
    }

    /// Whether a value of which some bytes are those of another one is still a small number.
    pub(super) fn has_no_double(&self, at: usize) -> bool {
        self.leaves(at).iter().all(|leaf| leaf.scalar != Scalar::Double)
    }

    /// Whether no member is floating: any bytes are values then.
    pub(super) fn is_integral(&self, at: usize) -> bool {
        self.leaves(at).iter().all(|leaf| !leaf.scalar.is_floating())
    }
}
