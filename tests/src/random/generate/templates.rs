//! Structs that are instances of class templates.

use super::places::{Place, Scope};
use super::records::{Field, FieldType, Record, Scalar};
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// What a struct is an instance of: its record's name is another name of that instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    pub(super) symbol: Symbol,
    /// The argument for `T`.
    pub(super) scalar: Scalar,
    /// The argument for `N`, if that is a parameter.
    length: Option<usize>,
}

impl Template {
    /// The instance as C++ names it.
    pub(super) fn instance(&self) -> String {
        let length = self.length.map_or_else(String::new, |length| format!(", {length}"));
        format!("{}<{}{length}>", self.symbol, self.scalar.name())
    }

    /// `template <…>`
    fn head(&self) -> &'static str {
        if self.length.is_some() { "template <typename T, int N>" } else { "template <typename T>" }
    }

    /// The template's own name for the instance, where that needs its arguments.
    fn own_name(&self) -> String {
        let arguments = if self.length.is_some() { "T, N" } else { "T" };
        format!("{}<{arguments}>", self.symbol)
    }

    /// The declaration of a field's array extents, with the parameter where it fits.
    pub(super) fn extents(&self, field: &Field) -> Option<&'static str> {
        let length = self.length?;
        (field.extents == [length]).then_some("[N]")
    }

    /// The name of a field's type, where that is the parameter.
    pub(super) fn type_name(&self, ty: &FieldType) -> Option<&'static str> {
        (*ty == FieldType::Scalar(self.scalar)).then_some("T")
    }

    /// The text around the members.
    pub(super) fn around(&self, specifier: &str, record: Symbol) -> (String, String) {
        let head = format!("{}\nstruct {specifier}{} {{", self.head(), self.symbol);
        (head, format!("}};\nusing {record} = {};", self.instance()))
    }
}

impl Generator {
    /// A template for the struct of this name, in some units.
    pub(super) fn template(
        &mut self,
        unit: &Unit,
        name: &str,
        is_element: bool,
    ) -> Option<Template> {
        if !is_element || !unit.has(Trait::ElementTemplate) {
            return None;
        }
        let scalar = *self.random.pick(&[
            Scalar::Float,
            Scalar::Float,
            Scalar::Double,
            Scalar::Int,
            Scalar::Unsigned,
            Scalar::Short,
        ]);
        let length = self.random.chance(40).then(|| self.random.between(2, 4));
        let symbol = self.named(Role::Type, &format!("Of{name}"));
        Some(Template { symbol, scalar, length })
    }

    /// A field that the parameters decide: its type and its extents.
    pub(super) fn template_field(&mut self, template: &Template) -> (FieldType, Vec<usize>) {
        let extents = match template.length {
            Some(length) if self.random.chance(40) => vec![length],
            _ => Vec::new(),
        };
        (FieldType::Scalar(template.scalar), extents)
    }

    /// Members whose types are the parameter, inside of the template or behind it.
    pub(super) fn template_members(
        &mut self,
        unit: &mut Unit,
        record: &Record,
        template: &Template,
        members: &mut Vec<Node>,
    ) -> Vec<(Symbol, bool)> {
        let of_parameter =
            |field: &&Field| template.type_name(&field.ty).is_some() && field.extents.len() < 2;
        let of_parameter: Vec<&Field> = record.fields.iter().filter(of_parameter).collect();
        let field = *self.random.pick(&of_parameter);
        let at = if field.extents.is_empty() { "" } else { "[1]" };
        let lvalue = format!("this->{}{at}", field.symbol);
        let [least, grow] = ["least", "grow"].map(|name| self.named(Role::Member, name));
        for (symbol, head, body) in [
            (least, "T @() const", format!("return {lvalue};")),
            (grow, "void @(T amount)", format!("{lvalue} = amount;")),
        ] {
            let inside = head.replace('@', &symbol.to_string());
            if self.random.chance(50) {
                let text = format!("__host__ __device__ {inside} {{ {body} }}");
                members.push(Node::declaration(symbol, &text));
                continue;
            }
            unit.feature("method-outside");
            let text = format!("__host__ __device__ {inside};");
            members.push(Node::declaration(symbol, &text));
            let scoped = head.replace('@', &format!("{}::{symbol}", template.own_name()));
            let head = format!("{}\n__host__ __device__ {scoped} {{", template.head());
            unit.outside.push(Node::new(Kind::Function, &head, vec![Node::line(&body)], "}"));
        }
        vec![(least, false), (grow, true)]
    }

    /// A statement that calls one of those members.
    pub(super) fn template_member_call(&mut self, unit: &Unit, scope: &mut Scope) -> Option<Node> {
        let place: Place = self.writable(scope)?;
        let scalar = self.records[place.record].template?.scalar;
        let known = &unit.declared.template_members;
        let known = known.iter().filter(|member| member.0 == place.record);
        let members: Vec<(Symbol, bool)> = known.map(|member| member.1).collect();
        if members.is_empty() {
            return None;
        }
        let (symbol, has_effect) = *self.random.pick(&members);
        let dot = if place.is_pointer { "->" } else { "." };
        let callee = format!("{}{dot}{symbol}", place.text);
        if has_effect {
            let value = scalar.of_value(&self.value(scope, 1));
            return Some(Node::line(&format!("{callee}({value});")));
        }
        let seen = self.local("seen");
        scope.values.push(seen.to_string());
        let value = scalar.to_value(&format!("{callee}()"));
        Some(Node::declaration(seen, &format!("unsigned {seen} = {value};")))
    }
}
