//! Helper functions and kernels.

use super::names::Scope;
use super::records::{Leaf, Scalar};
use super::{Generator, Unit};
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// How a helper function is given an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HelperForm {
    /// `uint f(T v, uint c)`.
    Value,
    /// `T f(T v, uint c)`.
    Changed,
    /// `void f(__global T *v, uint c)`.
    Pointer,
    /// `uint f(__global const T *v, uint c)`, which reads element `c`.
    Indexed,
    /// `void f(T *v, uint c)`, for copies.
    Private,
}

#[derive(Clone, Debug)]
pub(super) struct Helper {
    symbol: Symbol,
    record: usize,
    form: HelperForm,
}

/// What a kernel does with an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
    Both,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parameter {
    Array {
        record: usize,
        access: Access,
    },
    /// The length of the array that is the parameter with this number.
    Length(usize),
    Number,
}

#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub(super) symbol: Symbol,
    pub(super) parameters: Vec<Parameter>,
    /// The work-group size that it needs.
    pub(super) group: Option<usize>,
}

/// An element that an expression may read.
#[derive(Clone, Debug)]
struct Source {
    /// What stands in front of a member: `p[i].`, `e->`.
    place: String,
    /// The whole element, and the array and index if it is in one.
    whole: Option<String>,
    array: Option<(String, String)>,
    record: usize,
    /// Members that may be read; all without.
    tops: Option<Vec<usize>>,
}

/// The work-group size of kernels with local memory.
const GROUP: usize = 4;

impl Generator {
    pub(super) fn unit_helpers(&mut self, unit: &mut Unit) {
        for _ in 0..self.random.below(4) {
            let record = *self.random.pick(&unit.records.clone());
            let form = *self.random.pick(&[
                HelperForm::Value,
                HelperForm::Changed,
                HelperForm::Pointer,
                HelperForm::Indexed,
                HelperForm::Private,
            ]);
            let symbol = self.kernel_function();
            let mut scope = self.kernel_scope.clone();
            let (v, c) = (self.kernel_variable(&mut scope), self.kernel_variable(&mut scope));
            let ty = self.records[record].kernel_type.clone();
            let source =
                |place: String| Source { place, whole: None, array: None, record, tops: None };
            let inline = if self.random.chance(30) { "static inline " } else { "" };
            let number = c.to_string();
            let (head, body, tail) = match form {
                HelperForm::Value => {
                    let own = self.value(2, &[source(format!("{v}."))], &number, &[]);
                    (
                        format!("uint {symbol}({ty} {v}, uint {c})"),
                        Vec::new(),
                        format!("return {own};"),
                    )
                }
                HelperForm::Changed => {
                    let body = self.changes(&source(format!("{v}.")), &number, 2);
                    (format!("{ty} {symbol}({ty} {v}, uint {c})"), body, format!("return {v};"))
                }
                HelperForm::Pointer => {
                    let body = self.changes(&source(format!("{v}->")), &number, 2);
                    (format!("void {symbol}(__global {ty} *{v}, uint {c})"), body, String::new())
                }
                HelperForm::Indexed => {
                    let own = self.value(1, &[source(format!("{v}[{c}]."))], &number, &[]);
                    let head = format!("uint {symbol}(__global const {ty} *{v}, uint {c})");
                    (head, Vec::new(), format!("return {own};"))
                }
                HelperForm::Private => {
                    let body = self.changes(&source(format!("{v}->")), &number, 2);
                    (format!("void {symbol}({ty} *{v}, uint {c})"), body, String::new())
                }
            };
            let tail = if tail.is_empty() { "}".to_owned() } else { format!("    {tail}\n}}") };
            let head = format!("{inline}{head}\n{{");
            let mut node = Node::new(Kind::Function, &head, body, &tail);
            node.declares = vec![symbol];
            self.kernels.push(node);
            unit.features.insert(match form {
                HelperForm::Value => "helper-by-value",
                HelperForm::Changed => "helper-returns-struct",
                HelperForm::Pointer => "helper-by-pointer",
                HelperForm::Indexed => "helper-by-index",
                HelperForm::Private => "helper-by-private-pointer",
            });
            unit.helpers.push(Helper { symbol, record, form });
        }
    }

    /// Statements that change an element.
    fn changes(&mut self, source: &Source, number: &str, most: usize) -> Vec<Node> {
        let count = 1 + self.random.below(most);
        (0..count)
            .map(|_| {
                let text = self.change(source, std::slice::from_ref(source), number, &[]);
                Node::line(&text)
            })
            .collect()
    }

    fn leaf(&mut self, record: usize, tops: Option<&[usize]>) -> Option<Leaf> {
        let mut leaves = self.leaves(record);
        leaves.retain(|leaf| tops.is_none_or(|tops| tops.contains(&leaf.top)));
        (!leaves.is_empty()).then(|| self.random.pick(&leaves).clone())
    }

    /// One assignment to a member of an element.
    fn change(
        &mut self,
        target: &Source,
        sources: &[Source],
        number: &str,
        helpers: &[Helper],
    ) -> String {
        let Some(leaf) = self.leaf(target.record, target.tops.as_deref()) else {
            return ";".to_owned();
        };
        let place = format!("{}{}", target.place, leaf.in_kernel());
        // A vector as a whole.
        if leaf.component.is_some() && self.random.chance(40) {
            let vector = format!("{}{}", target.place, leaf.path);
            let ty = format!("{}{}", leaf.scalar.name(), leaf.width);
            return match self.random.below(3) {
                0 if leaf.width == 4 => format!("{vector} = {vector}.wzyx;"),
                1 if leaf.width == 2 || leaf.width == 4 => {
                    format!("{vector}.xy = {vector}.yx;")
                }
                _ => {
                    let value = self.value(1, sources, number, helpers);
                    let value = leaf.scalar.of_value(&value, "");
                    format!("{vector} = ({ty})({value});")
                }
            };
        }
        let value = self.value(2, sources, number, helpers);
        match (leaf.scalar, self.random.below(4)) {
            (Scalar::Float, 0) => format!("{place} *= 0.5f;"),
            (Scalar::Double, 0) => format!("{place} = {place} * 0.5;"),
            (scalar, 0) if scalar.is_unsigned() => {
                let sign = *self.random.pick(&["+", "-", "*", "^"]);
                format!("{place} {sign}= {};", scalar.of_value(&value, ""))
            }
            (scalar, 0) => {
                let sign = *self.random.pick(&["^", "|", "&"]);
                format!("{place} {sign}= {};", scalar.of_value(&value, ""))
            }
            (scalar @ (Scalar::UInt | Scalar::ULong), 1) if leaf.component.is_none() => {
                let _ = scalar;
                if self.random.chance(50) { format!("{place}++;") } else { format!("--{place};") }
            }
            (scalar, _) => format!("{place} = {};", scalar.of_value(&value, "")),
        }
    }

    /// An expression of type `uint`; `number` is one that is there.
    fn value(
        &mut self,
        depth: usize,
        sources: &[Source],
        number: &str,
        helpers: &[Helper],
    ) -> String {
        if depth > 0 && self.random.chance(55) {
            let left = self.value(depth - 1, sources, number, helpers);
            let right = self.value(depth - 1, sources, number, helpers);
            let sign = *self.random.pick(&["+", "-", "*", "^", "|", "+"]);
            return format!("«({left} {sign} {right})»");
        }
        let text = match self.random.below(10) {
            0 => format!("{}u", self.random.below(1000)),
            1 => format!("(uint){number}"),
            2 if !self.macros.is_empty() => {
                let name = *self.random.pick(&self.macros);
                format!("(uint){name}")
            }
            3 | 4 if !helpers.is_empty() => {
                let helper = self.random.pick(helpers).clone();
                self.call_of(&helper, sources, number).unwrap_or_else(|| format!("(uint){number}"))
            }
            _ if !sources.is_empty() => {
                let source = self.random.pick(sources).clone();
                match self.leaf(source.record, source.tops.as_deref()) {
                    Some(leaf) => {
                        leaf.scalar.to_value(&format!("{}{}", source.place, leaf.in_kernel()), "")
                    }
                    None => "3u".to_owned(),
                }
            }
            _ => format!("{}u", self.random.below(1000)),
        };
        format!("«{text}»")
    }

    /// A call of a helper that has a value.
    fn call_of(&mut self, helper: &Helper, sources: &[Source], number: &str) -> Option<String> {
        let fitting: Vec<&Source> = sources
            .iter()
            .filter(|source| source.record == helper.record && source.tops.is_none())
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let source = (*self.random.pick(&fitting)).clone();
        match helper.form {
            HelperForm::Value => {
                let whole = source.whole?;
                Some(format!("{}({whole}, (uint){number})", helper.symbol))
            }
            HelperForm::Indexed => {
                let (array, index) = source.array?;
                Some(format!("{}({array}, (uint)({index}))", helper.symbol))
            }
            HelperForm::Changed | HelperForm::Pointer | HelperForm::Private => None,
        }
    }

    /// A kernel of a unit.
    pub(super) fn kernel(&mut self, unit: &mut Unit) {
        let wish =
            format!("{}{}", self.random.pick(&["update", "move", "kick", "run"]), unit.number);
        let symbol = self.kernel_name(&wish);
        let mut kernel = Body {
            scope: self.kernel_scope.clone(),
            parameters: Vec::new(),
            declared: Vec::new(),
            group: None,
        };
        let record = *self.random.pick(&unit.records.clone());
        let helpers: Vec<Helper> = unit.helpers.clone();
        let body = match self.random.below(10) {
            0..4 => self.update(unit, &mut kernel, record, &helpers),
            4 | 5 => self.gather(unit, &mut kernel, record),
            6 | 7 => self.map(unit, &mut kernel, record, &helpers),
            8 => self.atomics(unit, &mut kernel, record),
            _ => self.local(unit, &mut kernel, record),
        };
        let parameters: Vec<String> =
            kernel.declared.iter().map(|text| format!("    {text}")).collect();
        let word = if self.random.chance(80) { "__kernel" } else { "kernel" };
        let head = if self.random.chance(50) {
            let flat: Vec<&str> = kernel.declared.iter().map(String::as_str).collect();
            format!("{word} void {symbol}({})\n{{", flat.join(", "))
        } else {
            format!("{word} void {symbol}(\n{})\n{{", parameters.join(",\n"))
        };
        let mut node = Node::new(Kind::Function, &head, body, "}");
        node.declares = vec![symbol];
        self.kernels.push(node);
        unit.kernels.push(Kernel { symbol, parameters: kernel.parameters, group: kernel.group });
    }

    fn array(&mut self, kernel: &mut Body, record: usize, access: Access) -> Symbol {
        let symbol = self.kernel_variable(&mut kernel.scope);
        let ty = &self.records[record].kernel_type;
        let space = if self.random.chance(85) { "__global" } else { "global" };
        let is_const = access == Access::Read && self.random.chance(75);
        let is_const = if is_const { "const " } else { "" };
        let restrict = if self.random.chance(15) { "restrict " } else { "" };
        kernel.declared.push(format!("{space} {is_const}{ty} *{restrict}{symbol}"));
        kernel.parameters.push(Parameter::Array { record, access });
        symbol
    }

    fn length(&mut self, kernel: &mut Body, of: usize) -> Symbol {
        let symbol = self.kernel_variable(&mut kernel.scope);
        let ty = *self.random.pick(&["uint", "uint", "const uint", "unsigned int"]);
        kernel.declared.push(format!("{ty} {symbol}"));
        kernel.parameters.push(Parameter::Length(of));
        symbol
    }

    fn number(&mut self, kernel: &mut Body) -> Option<Symbol> {
        if !self.random.chance(40) {
            return None;
        }
        let symbol = self.kernel_variable(&mut kernel.scope);
        kernel.declared.push(format!("uint {symbol}"));
        kernel.parameters.push(Parameter::Number);
        Some(symbol)
    }

    /// The index of the work-item, and its bound.
    fn index(&mut self, kernel: &mut Body, length: Symbol) -> (Symbol, Node) {
        let symbol = self.kernel_variable(&mut kernel.scope);
        let ty = *self.random.pick(&["uint", "size_t", "const uint", "int", "unsigned int"]);
        let bound = if ty == "int" { format!("(int){length}") } else { length.to_string() };
        let text = format!("{ty} {symbol} = get_global_id(0);\nif ({symbol} >= {bound}) return;");
        (symbol, Node { kind: Kind::Frame, ..Node::declaration(symbol, &text) })
    }

    /// Each work-item changes its own element.
    fn update(
        &mut self,
        unit: &mut Unit,
        kernel: &mut Body,
        record: usize,
        helpers: &[Helper],
    ) -> Vec<Node> {
        let p = self.array(kernel, record, Access::Both);
        let n = self.length(kernel, 0);
        let number = self.number(kernel);
        let (i, index) = self.index(kernel, n);
        let number = number.map_or_else(|| i.to_string(), |number| number.to_string());
        let mut body = vec![index];
        let own = element(p, i, record);
        for _ in 0..1 + self.random.below(3) {
            body.push(self.own_step(unit, kernel, &own, p, i, &number, helpers));
        }
        body
    }

    /// Something with the own element of a work-item.
    #[expect(clippy::too_many_arguments, reason = "all of them are what is in scope")]
    fn own_step(
        &mut self,
        unit: &mut Unit,
        kernel: &mut Body,
        own: &Source,
        p: Symbol,
        i: Symbol,
        number: &str,
        helpers: &[Helper],
    ) -> Node {
        let record = own.record;
        let ty = self.records[record].kernel_type.clone();
        let fitting: Vec<&Helper> =
            helpers.iter().filter(|helper| helper.record == record).collect();
        match self.random.below(10) {
            0 | 1 => {
                unit.features.insert("local-copy");
                let e = self.kernel_variable(&mut kernel.scope);
                let copy = Source {
                    place: format!("{e}."),
                    whole: Some(e.to_string()),
                    array: None,
                    record,
                    tops: None,
                };
                let mut body = Vec::new();
                for _ in 0..1 + self.random.below(2) {
                    body.push(Node::line(&self.change(
                        &copy,
                        std::slice::from_ref(&copy),
                        number,
                        helpers,
                    )));
                }
                let private = fitting.iter().find(|helper| helper.form == HelperForm::Private);
                if let Some(helper) = private {
                    body.push(Node::line(&format!("{}(&{e}, (uint){number});", helper.symbol)));
                }
                let head = format!("{{\n    {ty} {e} = {p}[{i}];");
                let mut node =
                    Node::new(Kind::Whole, &head, body, &format!("    {p}[{i}] = {e};\n}}"));
                node.declares = vec![e];
                node
            }
            2 | 3 => {
                unit.features.insert("element-pointer");
                let e = self.kernel_variable(&mut kernel.scope);
                let own = Source { place: format!("{e}->"), ..own.clone() };
                let mut body = Vec::new();
                for _ in 0..1 + self.random.below(2) {
                    body.push(Node::line(&self.change(
                        &own,
                        std::slice::from_ref(&own),
                        number,
                        helpers,
                    )));
                }
                let address = if self.random.chance(50) {
                    format!("&{p}[{i}]")
                } else {
                    format!("{p} + {i}")
                };
                let head = format!("{{\n    __global {ty} *{e} = {address};");
                let mut node = Node::new(Kind::Whole, &head, body, "}");
                node.declares = vec![e];
                node
            }
            4 => {
                let changed = fitting.iter().find(|helper| helper.form == HelperForm::Changed);
                let pointer = fitting.iter().find(|helper| helper.form == HelperForm::Pointer);
                match (changed, pointer) {
                    (Some(helper), _) => Node::line(&format!(
                        "{p}[{i}] = {}({p}[{i}], (uint){number});",
                        helper.symbol
                    )),
                    (None, Some(helper)) => {
                        let address = if self.random.chance(50) {
                            format!("&{p}[{i}]")
                        } else {
                            format!("{p} + {i}")
                        };
                        Node::line(&format!("{}({address}, (uint){number});", helper.symbol))
                    }
                    (None, None) => {
                        Node::line(&self.change(own, std::slice::from_ref(own), number, helpers))
                    }
                }
            }
            5 => {
                let change = self.change(own, std::slice::from_ref(own), number, helpers);
                let value = self.value(1, std::slice::from_ref(own), number, helpers);
                Node::new(
                    Kind::Block,
                    &format!("if (({value}) & 1u) {{"),
                    vec![Node::line(&change)],
                    "}",
                )
            }
            6 => {
                let k = self.kernel_variable(&mut kernel.scope);
                let change = self.change(own, std::slice::from_ref(own), &k.to_string(), helpers);
                let rounds = 1 + self.random.below(3);
                let head = format!("for (int {k} = 0; {k} < {rounds}; {k}++) {{");
                let mut node = Node::new(Kind::Whole, &head, vec![Node::line(&change)], "}");
                node.declares = vec![k];
                node
            }
            _ => Node::line(&self.change(own, std::slice::from_ref(own), number, helpers)),
        }
    }

    /// Some members are written, others read, from any element.
    fn gather(&mut self, unit: &mut Unit, kernel: &mut Body, record: usize) -> Vec<Node> {
        unit.features.insert("gather");
        let p = self.array(kernel, record, Access::Both);
        let n = self.length(kernel, 0);
        let number = self.number(kernel);
        let (i, index) = self.index(kernel, n);
        let number = number.map_or_else(|| i.to_string(), |number| number.to_string());
        let count = self.records[record].fields.len();
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for top in 0..count {
            if self.random.chance(50) { read.push(top) } else { written.push(top) }
        }
        if written.is_empty() {
            written.push(read.pop().unwrap_or(0));
        }
        let own = Source { tops: Some(written), ..element(p, i, record) };
        let mut sources = vec![own.clone()];
        let mut body = vec![index];
        if !read.is_empty() {
            let step = 1 + self.random.below(7);
            let other = match self.random.below(3) {
                0 => format!("({i} + {step}u) % {n}"),
                1 => format!("{n} - 1u - {i}"),
                _ => format!("({i} * {step}u) % {n}"),
            };
            let other = if self.random.chance(50) {
                let j = self.kernel_variable(&mut kernel.scope);
                let text = format!("const uint {j} = (uint)({other});");
                body.push(Node { kind: Kind::Frame, ..Node::declaration(j, &text) });
                j.to_string()
            } else {
                other
            };
            sources.push(Source {
                place: format!("{p}[{other}]."),
                whole: None,
                array: None,
                record,
                tops: Some(read),
            });
        }
        for _ in 0..1 + self.random.below(3) {
            body.push(Node::line(&self.change(&own, &sources, &number, &[])));
        }
        body
    }

    /// From one array to another one.
    fn map(
        &mut self,
        unit: &mut Unit,
        kernel: &mut Body,
        record: usize,
        helpers: &[Helper],
    ) -> Vec<Node> {
        unit.features.insert("two-arrays");
        let from = *self.random.pick(&unit.records.clone());
        let is_first = self.random.chance(50);
        let (q, p);
        if is_first {
            q = self.array(kernel, from, Access::Read);
            p = self.array(kernel, record, Access::Write);
        } else {
            p = self.array(kernel, record, Access::Write);
            q = self.array(kernel, from, Access::Read);
        }
        let (of_q, of_p) = if is_first { (0, 1) } else { (1, 0) };
        let m = self.length(kernel, of_q);
        let n = self.length(kernel, of_p);
        let number = self.number(kernel);
        let (i, index) = self.index(kernel, n);
        let number = number.map_or_else(|| i.to_string(), |number| number.to_string());
        let mut body = vec![index];
        let step = 1 + self.random.below(5);
        let other = format!("({i} + {step}u) % {m}");
        let source = Source {
            place: format!("{q}[{other}]."),
            whole: Some(format!("{q}[{other}]")),
            array: Some((q.to_string(), other.clone())),
            record: from,
            tops: None,
        };
        let ty = self.records[record].kernel_type.clone();
        if from == record && self.random.chance(50) {
            unit.features.insert("whole-element");
            let text = format!("{p}[{i}] = {q}[{other}];");
            body.push(Node { kind: Kind::Frame, ..Node::line(&text) });
        } else {
            // Every member is set: what is written only is not read.
            let e = self.kernel_variable(&mut kernel.scope);
            let mut lines = vec![format!("{ty} {e};")];
            for leaf in self.leaves(record) {
                let value = self.value(0, std::slice::from_ref(&source), &number, helpers);
                let value = leaf.scalar.of_value(&value, "");
                lines.push(format!("{e}.{} = {value};", leaf.in_kernel()));
            }
            lines.push(format!("{p}[{i}] = {e};"));
            let node = Node::declaration(e, &lines.join("\n"));
            body.push(Node { kind: Kind::Frame, ..node });
        }
        if self.random.chance(40) {
            let own = element(p, i, record);
            body.push(Node::line(&self.change(&own, &[source], &number, helpers)));
            kernel.parameters[of_p] = Parameter::Array { record, access: Access::Both };
        }
        body
    }

    /// Additions to a member of few elements.
    fn atomics(&mut self, unit: &mut Unit, kernel: &mut Body, record: usize) -> Vec<Node> {
        let leaves: Vec<Leaf> = self
            .leaves(record)
            .into_iter()
            .filter(|leaf| {
                matches!(leaf.scalar, Scalar::Int | Scalar::UInt) && leaf.component.is_none()
            })
            .collect();
        if leaves.is_empty() {
            return self.gather(unit, kernel, record);
        }
        unit.features.insert("atomics");
        let leaf = self.random.pick(&leaves).clone();
        let p = self.array(kernel, record, Access::Both);
        let n = self.length(kernel, 0);
        let number = self.number(kernel);
        let (i, index) = self.index(kernel, n);
        let number = number.map_or_else(|| i.to_string(), |number| number.to_string());
        let step = 2 + self.random.below(3);
        let place = format!("{p}[({i} / {step}u) % {n}].{}", leaf.in_kernel());
        let tops: Vec<usize> =
            (0..self.records[record].fields.len()).filter(|top| *top != leaf.top).collect();
        let own = Source { tops: Some(tops), ..element(p, i, record) };
        let value = self.value(1, std::slice::from_ref(&own), &number, &[]);
        let ty = leaf.scalar.name();
        let text = match self.random.below(4) {
            0 => format!("atomic_inc(&{place});"),
            1 => format!("atomic_xor(&{place}, ({ty})({value}));"),
            _ => format!("atomic_add(&{place}, ({ty})({value} & 1023u));"),
        };
        vec![index, Node::line(&text)]
    }

    /// Elements of a work-group in local memory.
    fn local(&mut self, unit: &mut Unit, kernel: &mut Body, record: usize) -> Vec<Node> {
        unit.features.insert("local-memory");
        kernel.group = Some(GROUP);
        let p = self.array(kernel, record, Access::Both);
        let n = self.length(kernel, 0);
        let number = self.number(kernel);
        let mut names = || self.kernel_variable(&mut kernel.scope);
        let (i, l, tile) = (names(), names(), names());
        let number = number.map_or_else(|| i.to_string(), |number| number.to_string());
        let ty = self.records[record].kernel_type.clone();
        let head = format!(
            "__local {ty} {tile}[{GROUP}];\nconst uint {i} = get_global_id(0);\nconst uint {l} = get_local_id(0);\n\
             if ({i} < {n}) {tile}[{l}] = {p}[{i}];\nelse {tile}[{l}] = {p}[0];\nbarrier(CLK_LOCAL_MEM_FENCE);"
        );
        let mut node = Node::declaration(tile, &head);
        node.kind = Kind::Frame;
        node.declares.extend([i, l]);
        let source = Source {
            place: format!("{tile}[({l} + 1u) % {GROUP}u]."),
            whole: Some(format!("{tile}[({l} + 1u) % {GROUP}u]")),
            array: None,
            record,
            tops: None,
        };
        // Element 0 is read by all work-groups.
        let target = element(p, i, record);
        let change = self.change(&target, &[source], &number, &[]);
        let block = Node::new(
            Kind::Block,
            &format!("if ({i} > 0u && {i} < {n}) {{"),
            vec![Node::line(&change)],
            "}",
        );
        vec![node, block]
    }
}

/// A kernel that is being written.
struct Body {
    scope: Scope,
    parameters: Vec<Parameter>,
    declared: Vec<String>,
    group: Option<usize>,
}

fn element(p: Symbol, i: Symbol, record: usize) -> Source {
    Source {
        place: format!("{p}[{i}]."),
        whole: Some(format!("{p}[{i}]")),
        array: Some((p.to_string(), i.to_string())),
        record,
        tops: None,
    }
}
