//! Device functions that take elements, and calls of them.

use super::places::{Owned, Place, Readable, Scope};
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// How a device function takes its element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `unsigned h(const T *e, unsigned v)`
    ReadPointer,
    /// `unsigned h(const T &e, unsigned v)`
    ReadReference,
    /// `unsigned h(T e, unsigned v)`
    ByValue,
    /// `unsigned h(const T *p, int n, unsigned v)`
    ReadArray,
    /// `void h(T *e, unsigned v)`
    WritePointer,
    /// `void h(T &e, unsigned v)`
    WriteReference,
    /// `void h(const T &a, T *b, unsigned v)`, which may be given one element twice
    ReadAndWrite,
    /// `void h(T *p, int i, unsigned v)`
    WriteArray,
    /// `T h(T e, unsigned v)`
    Changed,
}

const FORMS: [Form; 9] = [
    Form::ReadPointer,
    Form::ReadReference,
    Form::ByValue,
    Form::ReadArray,
    Form::WritePointer,
    Form::WriteReference,
    Form::ReadAndWrite,
    Form::WriteArray,
    Form::Changed,
];

/// A device function of a unit.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    symbol: Symbol,
    form: Form,
    record: usize,
    /// Whether it is called with local objects, where that must be decided once.
    for_locals: bool,
}

impl Helper {
    /// The record of its elements.
    pub(super) fn record(&self) -> usize {
        self.record
    }
}

/// Whether a node may call a function.
fn calls(node: &Node) -> bool {
    let mut text = String::new();
    node.head.write(&|_| "@".to_owned(), &mut text);
    text.contains("@(") || text.contains("__ldg") || !node.body.is_empty()
}

impl Generator {
    /// The device functions of a unit.
    pub(super) fn unit_helpers(&mut self, unit: &mut Unit) {
        for _ in 0..self.random.between(1, 5) {
            let record = *self.random.pick(&unit.array_records);
            let form = *self.random.pick(&FORMS);
            self.helper(unit, record, form);
        }
    }

    fn helper(&mut self, unit: &mut Unit, record: usize, form: Form) {
        self.locals.clear();
        let number = unit.helpers.len();
        let base = *self.random.pick(&["weight", "relax", "mix", "probe", "advance", "update"]);
        // Another function of the name takes another type.
        let overloaded = unit.helpers.iter().find(|other| {
            let same = |helper: &&Helper| helper.symbol == other.symbol && helper.record == record;
            other.form == form && !unit.helpers.iter().any(|helper| same(&helper))
        });
        let symbol = match overloaded.map(|other| other.symbol) {
            Some(other) if self.random.chance(60) => {
                unit.feature("overload");
                other
            }
            _ => self.named(Role::Global, &format!("{base}{}_{number}", unit.number)),
        };
        let (element, value) = (self.local("e"), self.local("v"));
        let name = self.record_symbol(record);
        let mut scope = Scope {
            values: vec![value.to_string()],
            helpers: number,
            depth: 1,
            ..Scope::default()
        };
        let place = |is_pointer, is_writable, is_local| Place {
            record,
            text: element.to_string(),
            is_pointer,
            is_writable,
            is_local,
            is_shared: false,
        };
        let for_locals = self.random.chance(15) && !unit.has(Trait::SharedFunction);
        let (result, parameters) = match form {
            Form::ReadPointer => {
                scope.places.push(place(true, false, for_locals));
                ("unsigned", format!("const {name} *{element}, unsigned {value}"))
            }
            Form::ReadReference => {
                scope.places.push(place(false, false, for_locals));
                ("unsigned", format!("const {name} &{element}, unsigned {value}"))
            }
            Form::ByValue => {
                self.objects.insert(element);
                scope.places.push(place(false, true, true));
                ("unsigned", format!("{name} {element}, unsigned {value}"))
            }
            Form::ReadArray => {
                let count = self.local("n");
                scope.readable.push(Readable {
                    record,
                    text: element.to_string(),
                    count: count.to_string(),
                });
                ("unsigned", format!("const {name} *{element}, int {count}, unsigned {value}"))
            }
            Form::WritePointer => {
                scope.places.push(place(true, true, for_locals));
                ("void", format!("{name} *{element}, unsigned {value}"))
            }
            Form::WriteReference => {
                scope.places.push(place(false, true, for_locals));
                ("void", format!("{name} &{element}, unsigned {value}"))
            }
            Form::ReadAndWrite => {
                let other = self.local("from");
                scope.places.push(place(true, true, false));
                scope.places.push(Place { text: other.to_string(), ..place(false, false, false) });
                ("void", format!("const {name} &{other}, {name} *{element}, unsigned {value}"))
            }
            Form::WriteArray => {
                let index = self.local("i");
                scope.owned.push(Owned {
                    record,
                    text: element.to_string(),
                    index: index.to_string(),
                });
                scope.ints.push(index.to_string());
                ("void", format!("{name} *{element}, int {index}, unsigned {value}"))
            }
            Form::Changed => {
                self.objects.insert(element);
                scope.places.push(place(false, true, true));
                let result = name.to_string();
                let parameters = format!("{name} {element}, unsigned {value}");
                self.finish_helper(
                    unit,
                    symbol,
                    &result,
                    &parameters,
                    &mut scope,
                    Some(element.to_string()),
                );
                unit.helpers.push(Helper { symbol, form, record, for_locals });
                return;
            }
        };
        let returned = (result == "unsigned").then(|| self.value(&scope, 2));
        self.finish_helper(unit, symbol, result, &parameters, &mut scope, returned);
        unit.helpers.push(Helper { symbol, form, record, for_locals });
    }

    fn finish_helper(
        &mut self,
        unit: &mut Unit,
        symbol: Symbol,
        result: &str,
        parameters: &str,
        scope: &mut Scope,
        returned: Option<String>,
    ) {
        let writes = !scope.owned.is_empty() || scope.places.iter().any(|place| place.is_writable);
        let count = if writes { self.random.between(1, 3) } else { 0 };
        let mut body = if writes { self.statements(unit, scope, count) } else { Vec::new() };
        if let Some(returned) = returned {
            body.push(Node { kind: Kind::Frame, ..Node::line(&format!("return {returned};")) });
        }
        let qualifier = *self.random.pick(&[
            "__device__",
            "__device__ inline",
            "static __device__",
            "__device__ __forceinline__",
        ]);
        // Overloads are used or not as one, so that they may not be of this file alone.
        let overloads = unit.array_records.len() > 1;
        let qualifier = if overloads { qualifier.trim_start_matches("static ") } else { qualifier };
        let qualifier = match unit.qualifiers {
            Some([both, device, _]) => match self.random.below(4) {
                0 if !overloads => format!("static {device}"),
                // What is for the host too may call nothing that is for the device alone.
                1 if body.len() == 1 && !body.iter().any(calls) => both.to_string(),
                2 => qualifier.to_owned(),
                _ => device.to_string(),
            },
            None => qualifier.to_owned(),
        };
        let head = format!("{qualifier} {result} {symbol}({parameters}) {{");
        let mut node = Node::new(Kind::Function, &head, body, "}");
        node.declares.push(symbol);
        unit.nodes.push(node);
    }

    /// A call without effects, of type `unsigned`.
    pub(super) fn value_call(&mut self, unit: &mut Unit, scope: &Scope) -> Option<String> {
        let reads = [Form::ReadPointer, Form::ReadReference, Form::ByValue, Form::ReadArray];
        let helper = self.some_helper(unit, scope, &reads)?;
        let value = self.value(scope, 1);
        if helper.form == Form::ReadArray {
            let arrays: Vec<_> =
                scope.readable.iter().filter(|array| array.record == helper.record).collect();
            let array = (*arrays.first()?).clone();
            unit.feature("call-with-array");
            return Some(format!("{}({}, {}, {value})", helper.symbol, array.text, array.count));
        }
        let place = self.legible_of(scope, helper.record)?;
        let argument = match helper.form {
            Form::ReadPointer => {
                if !self.may_be_given(unit, &helper, &place) {
                    return None;
                }
                place.address()
            }
            _ => place.lvalue(),
        };
        unit.feature("call-with-element");
        Some(format!("{}({argument}, {value})", helper.symbol))
    }

    /// A call with an effect.
    pub(super) fn helper_statement(&mut self, unit: &mut Unit, scope: &Scope) -> Option<Node> {
        let writes = [
            Form::WritePointer,
            Form::WriteReference,
            Form::ReadAndWrite,
            Form::WriteArray,
            Form::Changed,
        ];
        let helper = self.some_helper(unit, scope, &writes)?;
        let value = self.value(scope, 2);
        let name = helper.symbol;
        if helper.form == Form::WriteArray {
            let arrays: Vec<_> =
                scope.owned.iter().filter(|owned| owned.record == helper.record).cloned().collect();
            let array = arrays.first()?;
            unit.feature("call-with-array-and-index");
            return Some(Node::line(&format!("{name}({}, {}, {value});", array.text, array.index)));
        }
        let place = self.writable_of(scope, helper.record)?;
        let text = match helper.form {
            Form::WritePointer | Form::WriteReference => {
                if !self.may_be_given(unit, &helper, &place) {
                    return None;
                }
                let argument = if helper.form == Form::WritePointer {
                    place.address()
                } else {
                    place.lvalue()
                };
                unit.feature("call-that-writes");
                format!("{name}({argument}, {value});")
            }
            Form::ReadAndWrite => {
                let from = self.legible_of(scope, helper.record)?;
                if !self.may_be_given(unit, &helper, &place)
                    || !self.may_be_given(unit, &helper, &from)
                {
                    return None;
                }
                unit.feature("call-with-two-elements");
                format!("{name}({}, {}, {value});", from.lvalue(), place.address())
            }
            _ => {
                let from = self.legible_of(scope, helper.record)?;
                unit.feature("call-by-value");
                let (to, call) = (place.lvalue(), format!("{name}({}, {value})", from.lvalue()));
                if unit.has(Trait::StoredResult) {
                    format!("{to} = {call};")
                } else {
                    let (held, record) = (self.local("made"), self.type_name(unit, place.record));
                    format!("{{\n    {record} {held} = {call};\n    {to} = {held};\n}}")
                }
            }
        };
        Some(Node::line(&text))
    }

    fn some_helper(&mut self, unit: &Unit, scope: &Scope, forms: &[Form]) -> Option<Helper> {
        let known = &unit.helpers[..scope.helpers.min(unit.helpers.len())];
        let fitting: Vec<_> = known.iter().filter(|helper| forms.contains(&helper.form)).collect();
        if fitting.is_empty() { None } else { Some((*self.random.pick(&fitting)).clone()) }
    }

    /// Whether an element's address may go to a function: it takes either elements or local objects.
    fn may_be_given(&self, unit: &Unit, helper: &Helper, place: &Place) -> bool {
        if place.is_shared {
            return false;
        }
        unit.has(Trait::SharedFunction) || place.is_local == helper.for_locals
    }
}
