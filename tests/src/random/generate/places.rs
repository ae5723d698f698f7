//! Elements that a function can reach, their leaves, and expressions of them.

use super::records::{FieldType, Scalar, part_names};
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::text::Symbol;

/// An element that can be named.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Its record.
    pub(super) record: usize,
    /// An lvalue, or a pointer to it.
    pub(super) text: String,
    /// Whether `text` is a pointer.
    pub(super) is_pointer: bool,
    /// Whether this thread may write it.
    pub(super) is_writable: bool,
    /// Whether it is a local object and no element.
    pub(super) is_local: bool,
    /// Whether it is an element of a `__shared__` array.
    pub(super) is_shared: bool,
}

impl Place {
    /// The element as an lvalue.
    pub(super) fn lvalue(&self) -> String {
        if self.is_pointer { format!("(*{})", self.text) } else { self.text.clone() }
    }

    /// The element's address.
    pub(super) fn address(&self) -> String {
        if self.is_pointer { self.text.clone() } else { format!("&{}", self.text) }
    }
}

/// An array of which any element may be read.
#[derive(Clone, Debug)]
pub(super) struct Readable {
    pub(super) record: usize,
    pub(super) text: String,
    /// A positive `int`.
    pub(super) count: String,
}

/// An array of which this thread owns one element.
#[derive(Clone, Debug)]
pub(super) struct Owned {
    pub(super) record: usize,
    pub(super) text: String,
    /// Expressions for the element's index.
    pub(super) index: String,
}

/// What can be used at some point of a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) places: Vec<Place>,
    pub(super) readable: Vec<Readable>,
    pub(super) owned: Vec<Owned>,
    /// Non-negative `int` expressions below 100,000.
    pub(super) ints: Vec<String>,
    /// `unsigned` variables.
    pub(super) values: Vec<String>,
    /// Device functions with a smaller number may be called.
    pub(super) helpers: usize,
    /// Nesting of blocks.
    pub(super) depth: usize,
}

impl Generator {
    /// An element that can be written, if there is one.
    pub(super) fn writable(&mut self, scope: &Scope) -> Option<Place> {
        let mut choices: Vec<Place> =
            scope.places.iter().filter(|place| place.is_writable).cloned().collect();
        for owned in &scope.owned {
            let place = self.element(owned.record, &owned.text, &owned.index, true);
            choices.push(place.clone());
            choices.push(place);
        }
        if choices.is_empty() { None } else { Some(self.random.pick(&choices).clone()) }
    }

    /// An element of this record that can be written.
    pub(super) fn writable_of(&mut self, scope: &Scope, record: usize) -> Option<Place> {
        let mut only = scope.clone();
        only.places.retain(|place| place.record == record);
        only.owned.retain(|owned| owned.record == record);
        self.writable(&only)
    }

    /// An element that can be read, if there is one.
    pub(super) fn legible(&mut self, scope: &Scope) -> Option<Place> {
        let mut choices = scope.places.clone();
        for owned in &scope.owned {
            choices.push(self.element(owned.record, &owned.text, &owned.index, true));
        }
        for readable in &scope.readable {
            let index = self.index_below(scope, &readable.count);
            choices.push(self.element(readable.record, &readable.text, &index, false));
        }
        if choices.is_empty() { None } else { Some(self.random.pick(&choices).clone()) }
    }

    /// An element of this record that can be read.
    pub(super) fn legible_of(&mut self, scope: &Scope, record: usize) -> Option<Place> {
        let mut only = scope.clone();
        only.places.retain(|place| place.record == record);
        only.owned.retain(|owned| owned.record == record);
        only.readable.retain(|readable| readable.record == record);
        self.legible(&only)
    }

    /// An element of an array, in one of the forms in which people write it.
    pub(super) fn element(
        &mut self,
        record: usize,
        array: &str,
        index: &str,
        is_writable: bool,
    ) -> Place {
        let simple = index.len() < 8;
        let (text, is_pointer) = match self.random.below(14) {
            0 => (format!("(*({array} + {index}))"), false),
            1 => (format!("({array} + {index})"), true),
            2 => (format!("(&{array}[{index}])"), true),
            3 if simple => (format!("{array}[({index})]"), false),
            4 if simple => (format!("({array})[{index}]"), false),
            _ => (format!("{array}[{index}]"), false),
        };
        Place { record, text, is_pointer, is_writable, is_local: false, is_shared: false }
    }

    /// An `int` expression from 0 to below `count`.
    pub(super) fn index_below(&mut self, scope: &Scope, count: &str) -> String {
        let base = if scope.ints.is_empty() {
            "0".to_owned()
        } else {
            self.random.pick(&scope.ints).clone()
        };
        match self.random.below(7) {
            0 => format!("({base} + {}) % {count}", self.random.between(1, 40)),
            1 => format!(
                "({base} * {} + {}) % {count}",
                self.random.between(2, 9),
                self.random.between(0, 9)
            ),
            2 => format!("({count} - 1 - {base} % {count})"),
            3 => format!("(int)(({}) % (unsigned){count})", self.value(scope, 1)),
            4 if !scope.values.is_empty() => {
                let value = self.random.pick(&scope.values).clone();
                format!("{value} % {count}")
            }
            5 => format!("({base} + 1 < {count} ? {base} + 1 : 0)"),
            _ => format!("{base} % {count}"),
        }
    }

    /// A leaf of an element, as an lvalue, with the symbol of its outermost field.
    pub(super) fn leaf(&mut self, scope: &Scope, place: &Place) -> (String, Scalar) {
        let start = if place.is_pointer {
            if self.random.chance(15) {
                format!("(*{}).", place.text)
            } else {
                format!("{}->", place.text)
            }
        } else {
            format!("{}.", place.text)
        };
        self.leaf_below(scope, place.record, start)
    }

    fn leaf_below(&mut self, scope: &Scope, record: usize, start: String) -> (String, Scalar) {
        let fields = self.records[record].fields.clone();
        let field = self.random.pick(&fields).clone();
        let mut text = format!("{start}{}", field.symbol);
        for extent in &field.extents {
            let index = self.extent_index(scope, *extent);
            text.push_str(&format!("[{index}]"));
        }
        match field.ty {
            FieldType::Scalar(scalar) => (text, scalar),
            FieldType::Vector { name, scalar, width } => {
                let part = part_names(name)[self.random.below(width)];
                (format!("{text}.{part}"), scalar)
            }
            FieldType::Nested(inner) => self.leaf_below(scope, inner, format!("{text}.")),
        }
    }

    /// A subscript of a member array.
    pub(super) fn extent_index(&mut self, scope: &Scope, extent: usize) -> String {
        if self.random.chance(60) || scope.ints.is_empty() {
            return self.random.below(extent).to_string();
        }
        let base = self.random.pick(&scope.ints).clone();
        if self.random.chance(25) && scope.depth < 4 {
            let mut inner = scope.clone();
            inner.depth = 4;
            return format!("({}) % {extent}u", self.value(&inner, 1));
        }
        format!("({base}) % {extent}")
    }

    /// An expression of type `unsigned` without effects, marked as a value.
    pub(super) fn value(&mut self, scope: &Scope, budget: usize) -> String {
        let text = match self.random.below(if budget == 0 { 5 } else { 11 }) {
            0 => format!("{}u", self.random.below(1000)),
            1 if !scope.ints.is_empty() => format!("(unsigned)({})", self.random.pick(&scope.ints)),
            2 if !scope.values.is_empty() => self.random.pick(&scope.values).clone(),
            1..=4 => match self.legible(scope) {
                Some(place) => {
                    let (lvalue, scalar) = self.leaf(scope, &place);
                    scalar.to_value(&lvalue)
                }
                None => "7u".to_owned(),
            },
            5 => format!("({} + {})", self.value(scope, budget - 1), self.value(scope, budget - 1)),
            6 => format!("({} ^ {})", self.value(scope, budget - 1), self.value(scope, budget - 1)),
            7 => format!("({} * {}u)", self.value(scope, budget - 1), self.random.between(2, 99)),
            8 => format!("({} >> {})", self.value(scope, budget - 1), self.random.between(1, 9)),
            9 => {
                let (a, b, c) =
                    (self.value(scope, 0), self.value(scope, budget - 1), self.value(scope, 0));
                format!("(({a}) & 1u ? {b} : {c})")
            }
            _ => format!("({} - {})", self.value(scope, budget - 1), self.value(scope, 0)),
        };
        format!("«{text}»")
    }

    /// A value that uses what the unit's trait adds, or a plain one.
    pub(super) fn value_in(&mut self, unit: &mut Unit, scope: &Scope, budget: usize) -> String {
        if unit.has(Trait::ReadOnlyLoad)
            && self.random.chance(30)
            && let Some(readable) = scope.readable.first().cloned()
        {
            let index = self.index_below(scope, &readable.count);
            let place = self.element(readable.record, &readable.text, &index, false);
            let (lvalue, scalar) = self.leaf(scope, &place);
            if !matches!(scalar, Scalar::Bool | Scalar::Enumeration(..)) {
                return format!("«{}»", scalar.to_value(&format!("__ldg(&{lvalue})")));
            }
        }
        if self.random.chance(25)
            && let Some(call) = self.value_call(unit, scope)
        {
            return format!("«({call} + {})»", self.value(scope, 0));
        }
        self.value(scope, budget)
    }

    /// The symbol of a random record of the unit's arrays.
    pub(super) fn record_symbol(&self, record: usize) -> Symbol {
        self.records[record].symbol
    }
}
