//! Objects with a call operator that takes elements.

use super::places::{Place, Scope};
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// A struct with a call operator for elements of one record.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallObject {
    record: usize,
    symbol: Symbol,
    /// Whether it changes the element; otherwise it has a result.
    is_writer: bool,
}

impl Generator {
    /// A call of an object, which is made at that place, held in a variable, or given to a function template.
    pub(super) fn called_object(&mut self, unit: &mut Unit, scope: &mut Scope) -> Option<Node> {
        let is_writer = self.random.chance(50);
        let place = if is_writer { self.writable(scope) } else { self.legible(scope) }?;
        let object = self.call_object(unit, place.record, is_writer);
        let made = format!("{}{{{}u}}", object.symbol, self.random.below(900));
        let element = place.lvalue();
        let (before, call) = match self.random.below(3) {
            0 => (String::new(), format!("{made}({element})")),
            1 => {
                let held = self.local("op");
                let text = format!("const {} {held} = {made};\n", object.symbol);
                (text, format!("{held}({element})"))
            }
            // What the walk of a pointer leaves in one lane's hand is no array to index.
            _ if !place.is_local => {
                let visitor = self.visitor(unit);
                (String::new(), format!("{visitor}({}, 0, {made})", place.address()))
            }
            _ => (String::new(), format!("{made}({element})")),
        };
        if is_writer {
            return Some(Node::line(&format!("{{\n    {before}{call};\n}}")));
        }
        let seen = self.local("seen");
        scope.values.push(seen.to_string());
        Some(Node::declaration(seen, &format!("{before}unsigned {seen} = {call};")))
    }

    fn call_object(&mut self, unit: &mut Unit, record: usize, is_writer: bool) -> CallObject {
        let known = unit
            .declared
            .objects
            .iter()
            .find(|known| known.record == record && known.is_writer == is_writer);
        if let Some(known) = known {
            return *known;
        }
        let number = unit.declared.objects.len();
        let symbol = self.named(Role::Type, &format!("Op{}_{number}", unit.number));
        let amount = self.named(Role::Member, "amount");
        let name = self.record_symbol(record);
        let element = Place {
            record,
            text: "el_".to_owned(),
            is_pointer: false,
            is_writable: true,
            is_local: false,
            is_shared: false,
        };
        let none = Scope { values: vec![amount.to_string()], depth: 9, ..Scope::default() };
        let (lvalue, scalar) = self.leaf(&none, &element);
        let operator = if is_writer {
            let store = self.store_to(unit, &none, &lvalue, scalar);
            let result = if self.random.chance(30) { "auto" } else { "void" };
            format!("{result} operator()({name} &el_) const {{ {store} }}")
        } else {
            let value = scalar.to_value(&lvalue);
            let by = if self.random.chance(70) { "const @ &" } else { "@ " };
            let by = by.replace('@', &name.to_string());
            format!("unsigned operator()({by}el_) const {{ return {value} * 3u + {amount}; }}")
        };
        let members = vec![
            Node { kind: Kind::Field, ..Node::declaration(amount, &format!("unsigned {amount};")) },
            Node::line(&format!("__device__ {operator}")),
        ];
        let mut node = Node::new(Kind::Record, &format!("struct {symbol} {{"), members, "};");
        node.declares.push(symbol);
        unit.nodes.push(node);
        let object = CallObject { record, symbol, is_writer };
        unit.declared.objects.push(object);
        object
    }

    /// A function template that calls an object with an element of an array.
    fn visitor(&mut self, unit: &mut Unit) -> Symbol {
        if let Some(known) = unit.declared.visitor {
            return known;
        }
        let symbol = self.named(Role::Global, &format!("visit{}", unit.number));
        let by = *self.random.pick(&["F_ f_", "const F_ &f_", "F_ &&f_"]);
        let text = format!(
            "template <typename R_, typename F_>\n__device__ auto {symbol}(R_ *p_, int i_, {by}) {{ return f_(p_[i_]); }}"
        );
        unit.nodes.push(Node::declaration(symbol, &text));
        unit.declared.visitor = Some(symbol);
        symbol
    }
}
