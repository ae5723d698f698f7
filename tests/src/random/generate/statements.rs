//! Statements of kernels and device functions.

use super::places::{Place, Scope};
use super::records::{FieldType, Scalar, is_foreign, part_names};
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

impl Generator {
    /// Some statements; what they declare is added to the scope.
    pub(super) fn statements(
        &mut self,
        unit: &mut Unit,
        scope: &mut Scope,
        count: usize,
    ) -> Vec<Node> {
        let mut nodes = Vec::new();
        for _ in 0..count {
            nodes.extend(self.statement(unit, scope));
        }
        if nodes.is_empty() {
            nodes.extend(self.store(unit, scope));
        }
        nodes
    }

    fn statement(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        if !unit.specials.is_empty() && self.random.chance(33) {
            let nodes = self.special_statement(unit, scope);
            if !nodes.is_empty() {
                return nodes;
            }
        }
        match self.random.below(36) {
            0..=8 => self.store(unit, scope).into_iter().collect(),
            9 | 10 => vec![self.new_value(unit, scope)],
            11 | 12 => self.load_element(unit, scope),
            13 | 14 => self.copy_element(unit, scope),
            15 => self.swap_elements(unit, scope),
            16 | 17 => self.local_pointer(unit, scope),
            18 | 19 => self.local_reference(unit, scope),
            20..=22 => self.effect_call(unit, scope),
            23 | 24 => self.condition(unit, scope),
            25 | 26 => self.counted_loop(unit, scope),
            27 | 28 => self.whole_part(unit, scope),
            29 => self.array_part(unit, scope),
            30 => self.switch(unit, scope),
            31 => self.neighbours(unit, scope),
            32 => self.reseated(unit, scope),
            33 => self.local_array(unit, scope),
            _ => self.store(unit, scope).into_iter().collect(),
        }
    }

    /// `p[i].f = …`, in one of many forms.
    pub(super) fn store(&mut self, unit: &mut Unit, scope: &Scope) -> Option<Node> {
        let place = self.writable(scope)?;
        let (lvalue, scalar) = self.leaf(scope, &place);
        Some(Node::line(&self.store_to(unit, scope, &lvalue, scalar)))
    }

    pub(super) fn store_to(
        &mut self,
        unit: &mut Unit,
        scope: &Scope,
        lvalue: &str,
        scalar: Scalar,
    ) -> String {
        let value = self.value_in(unit, scope, 2);
        let exact = format!("{lvalue} = {};", scalar.of_value(&value));
        match (scalar, self.random.below(8)) {
            (_, 0..=2) => exact,
            (Scalar::Enumeration(..), _) => exact,
            (Scalar::Bits { .. }, 3) => format!("++{lvalue};"),
            (Scalar::Bits { .. }, _) => exact,
            (Scalar::Bool, 3) => format!("{lvalue} = !{lvalue};"),
            (Scalar::Bool, _) => exact,
            (Scalar::Float, 3) => format!("{lvalue} *= 0.5f;"),
            (Scalar::Float, 4) => format!("{lvalue} = {lvalue} * 0.25f + (float)({value} & 255u);"),
            (Scalar::Float, 5) => format!("{lvalue} = -{lvalue};"),
            (Scalar::Float, _) => format!("{lvalue} -= 1.5f;"),
            (Scalar::Double, 3) => format!("{lvalue} /= 2.0;"),
            (Scalar::Double, 4) => format!("{lvalue} += 0.375;"),
            (Scalar::Double, _) => exact,
            (Scalar::Int | Scalar::LongLong, 3) => format!("{lvalue} ^= (int)({value});"),
            (Scalar::Int, 4) => format!("{lvalue} = (int)((unsigned){lvalue} + {value});"),
            (Scalar::Int | Scalar::LongLong, 5) => format!("{lvalue} &= (int)({value} | 0xffu);"),
            (Scalar::Int, 6) => format!("{lvalue} = max({lvalue}, (int)({value} & 0xffffu));"),
            (Scalar::Int | Scalar::LongLong, _) => exact,
            (Scalar::Unsigned | Scalar::UnsignedLongLong, 3) => format!("{lvalue} += {value};"),
            (Scalar::Unsigned, 4) => format!("{lvalue} = min({lvalue}, {value});"),
            (Scalar::Unsigned, 5) => format!("{lvalue} *= {value} | 1u;"),
            (Scalar::Unsigned | Scalar::UnsignedLongLong, 6) => format!("{lvalue} <<= 1;"),
            (Scalar::Unsigned | Scalar::UnsignedLongLong, _) => format!("++{lvalue};"),
            (_, 3) => format!("{lvalue} |= (unsigned char){value};"),
            (_, 4) => format!("{lvalue} += (unsigned char){value};"),
            (_, 5) => format!("{lvalue}++;"),
            (_, 6) => format!("--{lvalue};"),
            (_, _) => exact,
        }
    }

    fn new_value(&mut self, unit: &mut Unit, scope: &mut Scope) -> Node {
        let value = self.value_in(unit, scope, 3);
        let base = *self.random.pick(&["v", "t", "x", "acc", "key", "w0"]);
        let symbol = self.local(base);
        scope.values.push(symbol.to_string());
        let ty =
            *self.random.pick(&["unsigned", "const unsigned", "unsigned int", "uint32_t", "auto"]);
        let ty = if ty == "uint32_t" { "unsigned" } else { ty };
        if ty == "auto" {
            return Node::declaration(symbol, &format!("auto {symbol} = (unsigned)({value});"));
        }
        Node::declaration(symbol, &format!("{ty} {symbol} = {value};"))
    }

    /// `T t = p[i];`
    fn load_element(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        let Some(place) = self.legible(scope) else {
            return Vec::new();
        };
        unit.feature("load-element");
        let symbol = self.local_of(&["e", "cur", "tmp", "me", "x", "record", "p_at"]);
        self.objects.insert(symbol);
        let record = self.type_name(unit, place.record);
        let is_const = self.random.chance(25);
        scope.places.push(Place {
            record: place.record,
            text: symbol.to_string(),
            is_pointer: false,
            is_writable: !is_const,
            is_local: true,
            is_shared: false,
        });
        let qualifier = if is_const { "const " } else { "" };
        let from = place.lvalue();
        let text = match self.random.below(5) {
            0 | 1 if unit.has(Trait::DirectInitialiser) => {
                format!("{qualifier}{record} {symbol}({from});")
            }
            1 if !is_const && !unit.has(Trait::Constructor) => {
                format!("{record} {symbol};\n{symbol} = {from};")
            }
            2 if unit.has(Trait::Auto) => format!("{qualifier}auto {symbol} = {from};"),
            _ => format!("{qualifier}{record} {symbol} = {from};"),
        };
        vec![Node::declaration(symbol, &text)]
    }

    /// `p[i] = q[j];`
    fn copy_element(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        let Some(to) = self.writable(scope) else {
            return Vec::new();
        };
        let Some(from) = self.legible_of(scope, to.record) else {
            return Vec::new();
        };
        unit.feature("copy-element");
        vec![Node::line(&format!("{} = {};", to.lvalue(), from.lvalue()))]
    }

    fn swap_elements(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        let Some(one) = self.writable(scope) else {
            return Vec::new();
        };
        let Some(other) = self.writable_of(scope, one.record) else {
            return Vec::new();
        };
        unit.feature("swap-elements");
        let (symbol, record) = (self.local("held"), self.record_symbol(one.record));
        let text = format!(
            "{{\n    {record} {symbol} = {};\n    {} = {};\n    {} = {symbol};\n}}",
            one.lvalue(),
            one.lvalue(),
            other.lvalue(),
            other.lvalue()
        );
        vec![Node::line(&text)]
    }

    fn local_pointer(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        let Some(place) = self.legible(scope) else {
            return Vec::new();
        };
        if place.is_shared || (place.is_local && !unit.has(Trait::SharedFunction)) {
            return Vec::new();
        }
        unit.feature("local-pointer");
        let symbol = self.local_of(&["q", "it", "ptr", "a_at", "base"]);
        let record = self.record_symbol(place.record);
        let is_const = !place.is_writable || self.random.chance(30);
        let ty = if unit.has(Trait::Auto) && self.random.chance(40) {
            "auto *".to_owned()
        } else if is_const {
            format!("const {record} *")
        } else {
            format!("{record} *")
        };
        scope.places.push(Place {
            text: symbol.to_string(),
            is_pointer: true,
            is_writable: place.is_writable && !is_const,
            ..place.clone()
        });
        vec![Node::declaration(symbol, &format!("{ty}{symbol} = {};", place.address()))]
    }

    fn local_reference(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        let Some(place) = self.legible(scope) else {
            return Vec::new();
        };
        if place.is_shared {
            return Vec::new();
        }
        unit.feature("local-reference");
        let symbol = self.local_of(&["r", "ref", "el", "y", "slot"]);
        let record = self.record_symbol(place.record);
        let is_const = !place.is_writable || self.random.chance(30);
        let ty = if unit.has(Trait::Auto) && self.random.chance(40) {
            if is_const { "const auto &".to_owned() } else { "auto &".to_owned() }
        } else if is_const {
            format!("const {record} &")
        } else {
            format!("{record} &")
        };
        let bound = place.lvalue();
        scope.places.push(Place {
            text: symbol.to_string(),
            is_pointer: false,
            is_writable: place.is_writable && !is_const,
            ..place
        });
        vec![Node::declaration(symbol, &format!("{ty}{symbol} = {bound};"))]
    }

    fn effect_call(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        self.helper_statement(unit, scope).into_iter().collect()
    }

    fn block(&mut self, unit: &mut Unit, scope: &Scope, ints: &[String]) -> Vec<Node> {
        let mut inner = scope.clone();
        inner.depth += 1;
        inner.ints.extend(ints.iter().cloned());
        let count = self.random.between(1, 3);
        self.statements(unit, &mut inner, count)
    }

    fn condition(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        if scope.depth > 2 {
            return self.store(unit, scope).into_iter().collect();
        }
        let value = self.value_in(unit, scope, 1);
        let head = format!("if (({value}) % {}u != 0u) {{", self.random.between(2, 5));
        let body = self.block(unit, scope, &[]);
        if self.random.chance(40) {
            let mut other = Node::new(Kind::Whole, "} else {", self.block(unit, scope, &[]), "}");
            // The two halves are one node, so that what is left of it is balanced.
            other.kind = Kind::Frame;
            let first = Node::new(Kind::Frame, &head, body, "");
            return vec![Node::new(Kind::Whole, "", vec![first, other], "")];
        }
        vec![Node::new(Kind::Block, &head, body, "}")]
    }

    fn counted_loop(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        if scope.depth > 1 {
            return self.store(unit, scope).into_iter().collect();
        }
        let symbol = self.local_of(&["k", "j", "step"]);
        let count = self.random.between(2, 4);
        let body = self.block(unit, scope, &[symbol.to_string()]);
        let head = match self.random.below(4) {
            0 => format!("int {symbol} = 0;\nwhile ({symbol} < {count}) {{"),
            1 => format!("for (int {symbol} = {count}; {symbol} > 0; {symbol}--) {{"),
            _ => format!("for (int {symbol} = 0; {symbol} < {count}; ++{symbol}) {{"),
        };
        let tail =
            if head.contains("while") { format!("    ++{symbol};\n}}") } else { "}".to_owned() };
        if head.contains("while") {
            let inner = Node::new(Kind::Whole, &head, body, &tail);
            return vec![Node::new(Kind::Whole, "{", vec![inner], "}")];
        }
        vec![Node::new(Kind::Whole, &head, body, &tail)]
    }

    fn switch(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        if scope.depth > 1 {
            return self.store(unit, scope).into_iter().collect();
        }
        let value = self.value_in(unit, scope, 1);
        let mut cases = Vec::new();
        for number in 0..2 {
            let mut body = self.block(unit, scope, &[]);
            body.push(Node { kind: Kind::Frame, ..Node::line("break;") });
            cases.push(Node::new(Kind::Frame, &format!("case {number}: {{"), body, "}"));
        }
        cases.push(Node { kind: Kind::Frame, ..Node::line("default: break;") });
        vec![Node::new(Kind::Whole, &format!("switch (({value}) % 3u) {{"), cases, "}")]
    }

    /// A nested struct or vector of an element used as a whole.
    fn whole_part(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        let Some(place) = self.writable(scope) else {
            return Vec::new();
        };
        let Some((part, ty)) = self.part(scope, &place) else {
            return self.store(unit, scope).into_iter().collect();
        };
        unit.feature("whole-part");
        let symbol = self.local("part");
        match ty {
            FieldType::Vector { name, scalar, width } => {
                let which = part_names(name)[self.random.below(width)];
                let store = self.store_to(unit, scope, &format!("{symbol}.{which}"), scalar);
                match self.random.below(3) {
                    0 => {
                        let values: Vec<String> = (0..width)
                            .map(|_| {
                                let value = self.value(scope, 1);
                                scalar.of_value(&value)
                            })
                            .collect();
                        let values = values.join(", ");
                        let made = if is_foreign(name) {
                            format!("{name}{{{values}}}")
                        } else {
                            format!("make_{name}({values})")
                        };
                        vec![Node::line(&format!("{part} = {made};"))]
                    }
                    _ => vec![Node::line(&format!(
                        "{{\n    {name} {symbol} = {part};\n    {store}\n    {part} = {symbol};\n}}"
                    ))],
                }
            }
            FieldType::Nested(inner) => {
                let record = self.record_symbol(inner);
                let local = Place {
                    record: inner,
                    text: symbol.to_string(),
                    is_pointer: false,
                    is_writable: true,
                    is_local: true,
                    is_shared: false,
                };
                let (lvalue, scalar) = self.leaf(scope, &local);
                let store = self.store_to(unit, scope, &lvalue, scalar);
                let form = if self.random.chance(25) {
                    format!("{{\n    {record} &{symbol} = {part};\n    {store}\n}}")
                } else {
                    format!(
                        "{{\n    {record} {symbol} = {part};\n    {store}\n    {part} = {symbol};\n}}"
                    )
                };
                vec![Node::line(&form)]
            }
            FieldType::Scalar(_) => Vec::new(),
        }
    }

    /// A member of an element that is a struct or vector.
    pub(super) fn part(&mut self, scope: &Scope, place: &Place) -> Option<(String, FieldType)> {
        let fields = self.records[place.record].fields.clone();
        let parts: Vec<_> =
            fields.iter().filter(|field| !matches!(field.ty, FieldType::Scalar(_))).collect();
        if parts.is_empty() {
            return None;
        }
        let field = (*self.random.pick(&parts)).clone();
        let mut text = format!("{}.{}", place.lvalue(), field.symbol);
        for extent in &field.extents {
            let index = self.extent_index(scope, *extent);
            text.push_str(&format!("[{index}]"));
        }
        Some((text, field.ty))
    }

    /// A loop over a member array.
    fn array_part(&mut self, unit: &mut Unit, scope: &Scope) -> Vec<Node> {
        let Some(place) = self.writable(scope) else {
            return Vec::new();
        };
        let Some((field, scalar)) = self.scalar_array(&place) else {
            return self.store(unit, scope).into_iter().collect();
        };
        unit.feature("member-array-loop");
        let (symbol, extent) = (self.local("k"), field.1);
        let lvalue = format!("{}.{}[{symbol}]", place.lvalue(), field.0);
        let store = self.store_to(unit, scope, &lvalue, scalar);
        let head = format!("for (int {symbol} = 0; {symbol} < {extent}; ++{symbol}) {{");
        vec![Node::new(Kind::Whole, &head, vec![Node::line(&store)], "}")]
    }

    /// A pointer into an array, and elements around it.
    fn neighbours(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        let Some(array) = scope.readable.last().cloned() else {
            return Vec::new();
        };
        unit.feature("neighbours");
        let (pointer, centre) = (self.local("mid"), self.local("c"));
        let record = self.record_symbol(array.record);
        let (at, other) =
            (self.index_below(scope, &array.count), self.index_below(scope, &array.count));
        let start = match self.random.below(2) {
            0 => format!("&{}[{centre}]", array.text),
            _ => format!("{} + {centre}", array.text),
        };
        let text = format!("int {centre} = (int)({at});\nconst {record} *{pointer} = {start};");
        let (text_of_place, is_pointer) = match self.random.below(3) {
            0 => (format!("({pointer} + ((int)({other}) - {centre}))"), true),
            1 => (format!("(*({pointer} - ({centre} - (int)({other}))))"), false),
            _ => (format!("{pointer}[(int)({other}) - {centre}]"), false),
        };
        scope.places.push(Place {
            record: array.record,
            text: text_of_place,
            is_pointer,
            is_writable: false,
            is_local: false,
            is_shared: false,
        });
        let mut node = Node::declaration(pointer, &text);
        node.declares.push(centre);
        vec![node]
    }

    /// A pointer that points here first and there later.
    fn reseated(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        let mut elements = scope.clone();
        elements.places.retain(|place| !place.is_local && !place.is_shared);
        let Some(one) = self.writable(&elements) else {
            return Vec::new();
        };
        let Some(other) = self.writable_of(&elements, one.record) else {
            return Vec::new();
        };
        unit.feature("reseated-pointer");
        let (pointer, record) = (self.local("cursor"), self.record_symbol(one.record));
        let place =
            Place { text: pointer.to_string(), is_pointer: true, is_writable: true, ..one.clone() };
        let mut lines = Vec::new();
        let declared = format!("{record} *{pointer} = {};", one.address());
        lines.push(Node::declaration(pointer, &declared));
        for step in 0..2 {
            let (lvalue, scalar) = self.leaf(scope, &place);
            let store = self.store_to(unit, scope, &lvalue, scalar);
            lines.push(Node::line(&store));
            if step == 0 {
                let condition = if self.random.chance(50) {
                    format!("if ({} & 1u) ", self.value(scope, 1))
                } else {
                    String::new()
                };
                lines.push(Node::line(&format!("{condition}{pointer} = {};", other.address())));
            }
        }
        vec![Node::new(Kind::Whole, "{", lines, "}")]
    }

    /// Elements held in a local array.
    fn local_array(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        let (Some(one), true) = (self.legible(scope), scope.depth < 3) else {
            return Vec::new();
        };
        let Some(other) = self.legible_of(scope, one.record) else {
            return Vec::new();
        };
        unit.feature("local-array");
        let (array, record) = (self.local("buf"), self.type_name(unit, one.record));
        self.objects.insert(array);
        let text = format!(
            "{record} {array}[2];\n{array}[0] = {};\n{array}[1] = {};",
            one.lvalue(),
            other.lvalue()
        );
        for at in 0..2 {
            scope.places.push(Place {
                record: one.record,
                text: format!("{array}[{at}]"),
                is_pointer: false,
                is_writable: true,
                is_local: true,
                is_shared: false,
            });
        }
        vec![Node::declaration(array, &text)]
    }

    /// A member of an element that is an array of scalars of one dimension, with its extent.
    pub(super) fn scalar_array(&mut self, place: &Place) -> Option<((Symbol, usize), Scalar)> {
        let fields = &self.records[place.record].fields;
        let arrays: Vec<_> = fields
            .iter()
            .filter_map(|field| match (&field.ty, field.extents.as_slice()) {
                (FieldType::Scalar(scalar), [extent]) => Some(((field.symbol, *extent), *scalar)),
                _ => None,
            })
            .collect();
        if arrays.is_empty() { None } else { Some(*self.random.pick(&arrays)) }
    }
}
