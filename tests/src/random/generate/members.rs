//! Member functions, operators and friends of structs, and how elements are given to them.

use super::places::{Place, Scope};
use super::special::unprefixed;
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// A statement or value that calls a member or friend of a struct.
#[derive(Clone, Debug)]
pub(super) struct Call {
    record: usize,
    /// The trait that the callee belongs to.
    special: Trait,
    /// `@on` stands for an element with `.` or `->` behind it, `@it` for the element, `@other` for
    /// another one and `@value` for an `unsigned` value.
    text: String,
    effect: Effect,
}

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Effect {
    /// It gives an `unsigned` value, from an element that may be `const`.
    Value,
    /// It is a statement that changes the element.
    Store,
}

/// A member function or a friend to be declared.
struct Member<'a> {
    symbol: Symbol,
    /// `template <…>` or nothing.
    template: &'a str,
    /// What stands before the body; `@` stands in front of the name.
    head: &'a str,
    body: &'a str,
}

/// A struct while its members are made.
struct Owner<'a> {
    record: usize,
    name: Symbol,
    this: &'a Place,
    members: &'a mut Vec<Node>,
    calls: Vec<(Effect, String)>,
}

impl Owner<'_> {
    fn value(&mut self, text: String) {
        self.calls.push((Effect::Value, text));
    }

    fn store(&mut self, text: String) {
        self.calls.push((Effect::Store, text));
    }
}

impl Generator {
    /// A member function, inside of its struct or behind it; `@` stands in front of its name.
    pub(super) fn method(
        &mut self,
        unit: &mut Unit,
        members: &mut Vec<Node>,
        record: Symbol,
        (symbol, head, body): (Symbol, &str, &str),
    ) {
        self.member(unit, members, record, &Member { symbol, template: "", head, body });
    }

    fn member(
        &mut self,
        unit: &mut Unit,
        members: &mut Vec<Node>,
        record: Symbol,
        Member { symbol, template, head, body }: &Member,
    ) {
        let template = if template.is_empty() { String::new() } else { format!("{template}\n") };
        let (word, head) = match head.split_once(' ') {
            Some(("friend", rest)) => ("friend ", rest),
            Some(("static", rest)) => ("static ", rest),
            _ => ("", *head),
        };
        let inside = head.replace('@', "");
        let inside = format!("{template}{word}__host__ __device__ {inside}");
        if self.random.chance(60) {
            let text = format!("{inside} {{ {body} }}");
            members.push(Node::declaration(*symbol, &unprefixed(&text)));
            return;
        }
        unit.feature("method-outside");
        members.push(Node::declaration(*symbol, &format!("{inside};")));
        let scope = if word == "friend " { String::new() } else { format!("{record}::") };
        let scoped = without_defaults(head).replace('@', &scope);
        let head = format!("{template}__host__ __device__ inline {scoped} {{");
        unit.outside.push(Node::new(Kind::Function, &head, vec![Node::line(body)], "}"));
    }

    /// The members that the unit's traits ask for, and calls of them.
    pub(super) fn called_members(
        &mut self,
        unit: &mut Unit,
        this: &Place,
        members: &mut Vec<Node>,
    ) {
        for special in unit.specials.clone() {
            let name = self.record_symbol(this.record);
            let mut owner = Owner {
                record: this.record,
                name,
                this,
                members: &mut *members,
                calls: Vec::new(),
            };
            match special {
                Trait::MemberTemplate => self.member_templates(unit, &mut owner),
                Trait::MemberOverload => self.member_overloads(unit, &mut owner),
                Trait::MemberOperator => self.member_operators(&mut owner),
                Trait::Friend => self.friends(unit, &mut owner),
                Trait::DefaultArgument => self.default_arguments(unit, &mut owner),
                _ => continue,
            }
            let record = owner.record;
            let calls = owner.calls.into_iter();
            let calls = calls.map(|(effect, text)| Call { record, special, text, effect });
            unit.declared.calls.extend(calls);
        }
    }

    /// A statement that calls a member or friend of this trait.
    pub(super) fn member_call(
        &mut self,
        unit: &Unit,
        scope: &mut Scope,
        special: Trait,
    ) -> Option<Node> {
        let record = self.legible(scope)?.record;
        let fitting: Vec<&Call> = unit
            .declared
            .calls
            .iter()
            .filter(|call| call.record == record && call.special == special)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let call = *self.random.pick(&fitting);
        let place = match call.effect {
            Effect::Value => self.legible_of(scope, record)?,
            Effect::Store => self.writable_of(scope, record)?,
        };
        let other = self.legible_of(scope, record)?;
        let dot = if place.is_pointer { "->" } else { "." };
        let text = call
            .text
            .replace("@on", &format!("{}{dot}", place.text))
            .replace("@it", &place.lvalue())
            .replace("@other", &other.lvalue())
            .replace("@value", &self.value(scope, 1));
        if call.effect == Effect::Store {
            return Some(Node::line(&format!("{text};")));
        }
        let symbol = self.local("seen");
        scope.values.push(symbol.to_string());
        Some(Node::declaration(symbol, &format!("unsigned {symbol} = {text};")))
    }

    /// A leaf as a statement that changes it by `value`.
    fn changed_leaf(&mut self, owner: &Owner, value: &str) -> String {
        let none = Scope { depth: 9, ..Scope::default() };
        let (lvalue, scalar) = self.leaf(&none, owner.this);
        let value = format!("{} * 3u + {value}", scalar.to_value(&lvalue));
        format!("{lvalue} = {};", scalar.of_value(&value))
    }

    /// A leaf as an `unsigned` value.
    fn read_leaf(&mut self, owner: &Owner) -> String {
        let none = Scope { depth: 9, ..Scope::default() };
        let (lvalue, scalar) = self.leaf(&none, owner.this);
        scalar.to_value(&lvalue)
    }

    /// `p[i].scale(2)`, `p[i].times<3>()`
    fn member_templates(&mut self, unit: &mut Unit, owner: &mut Owner) {
        self.locals.clear();
        let amount = self.local("amount");
        let [scale, measure, times] =
            ["scale", "measure", "times"].map(|name| self.named(Role::Member, name));
        let by_type = *self.random.pick(&["template <typename S>", "template <class S>"]);
        let store = self.changed_leaf(owner, &format!("(unsigned){amount}"));
        let head = format!("void @{scale}(S {amount})");
        let member = Member { symbol: scale, template: by_type, head: &head, body: &store };
        self.member(unit, owner.members, owner.name, &member);
        let read = self.read_leaf(owner);
        // In a range that every number type has.
        let body = format!("return (S)(({read}) & 0x7fu);");
        let head = format!("S @{measure}() const");
        let member = Member { symbol: measure, template: by_type, head: &head, body: &body };
        self.member(unit, owner.members, owner.name, &member);
        let read = self.read_leaf(owner);
        let body = format!("return ({read}) * (unsigned)N;");
        let head = format!("unsigned @{times}() const");
        let member =
            Member { symbol: times, template: "template <int N>", head: &head, body: &body };
        self.member(unit, owner.members, owner.name, &member);
        owner.store(format!("@on{scale}(2)"));
        owner.store(format!("@on{scale}(2.5f)"));
        owner.store(format!("@on{scale}(@value)"));
        owner.store(format!("@on{scale}<unsigned>(@value)"));
        owner.value(format!("@on{measure}<unsigned>()"));
        owner.value(format!("(unsigned)@on{measure}<float>()"));
        owner.value(format!("@on{times}<3>()"));
    }

    /// Functions of one name by argument type and by `const`, and static ones that take elements.
    fn member_overloads(&mut self, unit: &mut Unit, owner: &mut Owner) {
        self.locals.clear();
        let amount = self.local("amount");
        let [add, look, gap] = ["add", "look", "gap"].map(|name| self.named(Role::Member, name));
        let name = owner.name;
        for ty in ["unsigned", "float", "const $&", "int"] {
            let ty = ty.replace("$&", &format!("{name} &"));
            let value = if ty.ends_with('&') {
                on(&self.read_leaf(owner), &amount.to_string())
            } else {
                format!("(unsigned){amount}")
            };
            let store = self.changed_leaf(owner, &value);
            let head = format!("void @{add}({ty} {amount})");
            self.method(unit, owner.members, name, (add, &head, &store));
        }
        for qualifier in ["", " const"] {
            let body = format!("return {};", self.read_leaf(owner));
            let head = format!("unsigned @{look}(){qualifier}");
            self.method(unit, owner.members, name, (look, &head, &body));
        }
        let read = self.read_leaf(owner);
        let body = format!("return {} - {};", on(&read, "one"), on(&read, "other"));
        let head = format!("static unsigned @{gap}(const {name} &one, const {name} &other)");
        self.method(unit, owner.members, name, (gap, &head, &body));
        owner.store(format!("@on{add}(@value)"));
        owner.store(format!("@on{add}(1.5f)"));
        owner.store(format!("@on{add}(@other)"));
        owner.store(format!("@on{add}((int)(@value & 0xffu))"));
        owner.value(format!("@on{look}()"));
        owner.value(format!("{name}::{gap}(@it, @other)"));
        self.reference_members(unit, owner);
    }

    /// A function for `const` and for other elements that gives a reference to a field.
    fn reference_members(&mut self, unit: &mut Unit, owner: &mut Owner) {
        let none = Scope { depth: 9, ..Scope::default() };
        let (lvalue, scalar) = self.leaf(&none, owner.this);
        let (part, ty) = (self.named(Role::Member, "part"), scalar.name());
        let body = format!("return {lvalue};");
        for (qualifier, behind) in [("const ", " const"), ("", "")] {
            let head = format!("{qualifier}{ty} &@{part}(){behind}");
            self.method(unit, owner.members, owner.name, (part, &head, &body));
        }
        owner.value(scalar.to_value(&format!("@on{part}()")));
        owner.store(format!("@on{part}() = {}", scalar.of_value("@value")));
    }

    /// `p[i] += v`, `p[i][1]`, `++p[i]`, `p[i](v)`, `(unsigned)p[i]`
    fn member_operators(&mut self, owner: &mut Owner) {
        let name = owner.name;
        let add = self.changed_leaf(owner, "amount");
        let scale = self.changed_leaf(owner, "(unsigned)factor");
        let step = self.changed_leaf(owner, "1u");
        let reads = [(); 4].map(|()| self.read_leaf(owner));
        let [even, odd, called, all] = &reads;
        for text in [
            format!("{name} &operator+=(unsigned amount) {{ {add} return *this; }}"),
            format!("{name} &operator*=(int factor) {{ {scale} return *this; }}"),
            format!("{name} &operator++() {{ {step} return *this; }}"),
            format!("unsigned operator[](int nth) const {{ return nth == 0 ? {even} : {odd}; }}"),
            format!("unsigned operator()(unsigned amount) const {{ return {called} + amount; }}"),
            format!("explicit operator unsigned() const {{ return {all}; }}"),
        ] {
            let text = unprefixed(&format!("__host__ __device__ {text}"));
            owner.members.push(Node::line(&text));
        }
        owner.store("@it += @value".to_owned());
        owner.store("@it *= 3".to_owned());
        owner.store("++@it".to_owned());
        owner.store("(@it += 2u) *= 5".to_owned());
        owner.value("@it[0]".to_owned());
        owner.value("@it[1]".to_owned());
        owner.value("@it(@value)".to_owned());
        owner.value("(unsigned)@it".to_owned());
        owner.value("static_cast<unsigned>(@it)".to_owned());
    }

    /// Functions that a struct names as friends.
    fn friends(&mut self, unit: &mut Unit, owner: &mut Owner) {
        let name = owner.name;
        let number = self.names.len();
        let [apart, nudge] = ["apart", "nudge"]
            .map(|base| self.named(Role::Global, &format!("{base}{}_{number}", unit.number)));
        let both = format!("const {name} &one, const {name} &other");
        let read = self.read_leaf(owner);
        let body = format!("return {} ^ {};", on(&read, "one"), on(&read, "other"));
        self.friend(unit, owner, apart, &format!("friend unsigned @{apart}({both})"), &body);
        let store = on(&self.changed_leaf(owner, "amount"), "one");
        let head = format!("friend void @{nudge}({name} &one, unsigned amount)");
        self.friend(unit, owner, nudge, &head, &store);
        let read = self.read_leaf(owner);
        let (one, other) = (on(&read, "one"), on(&read, "other"));
        let text = format!(
            "friend __host__ __device__ bool operator==({both}) {{ return {one} == {other}; }}"
        );
        owner.members.push(Node::line(&text));
        let store = on(&self.changed_leaf(owner, &on(&read, "other")), "one");
        let text = format!(
            "friend __host__ __device__ {name} operator+({name} one, const {name} &other) {{ {store} return one; }}"
        );
        owner.members.push(Node::line(&text));
        owner.value(format!("{apart}(@it, @other)"));
        owner.value("(@it == @other ? 3u : 5u)".to_owned());
        owner.store(format!("{nudge}(@it, @value)"));
        owner.store("@it = @it + @other".to_owned());
    }

    fn friend(
        &mut self,
        unit: &mut Unit,
        owner: &mut Owner,
        symbol: Symbol,
        head: &str,
        body: &str,
    ) {
        self.member(unit, owner.members, owner.name, &Member { symbol, template: "", head, body });
    }

    /// Default arguments and trailing return types.
    fn default_arguments(&mut self, unit: &mut Unit, owner: &mut Owner) {
        self.locals.clear();
        let (amount, factor) = (self.local("amount"), self.local("factor"));
        let [bump, total, half, moved] =
            ["bump", "total", "half", "moved"].map(|name| self.named(Role::Member, name));
        let name = owner.name;
        let store = self.changed_leaf(owner, &format!("{amount} * {factor}"));
        let head = format!("void @{bump}(unsigned {amount} = 5u, unsigned {factor} = 2u)");
        self.method(unit, owner.members, name, (bump, &head, &store));
        let body = format!("return {} + {amount};", self.read_leaf(owner));
        let head = format!("unsigned @{total}(unsigned {amount} = 7u) const");
        self.method(unit, owner.members, name, (total, &head, &body));
        let body = format!("return ({}) >> 1;", self.read_leaf(owner));
        let head = format!("auto @{half}() const -> unsigned");
        self.method(unit, owner.members, name, (half, &head, &body));
        let store = on(&self.changed_leaf(owner, &amount.to_string()), "made");
        let body = format!("{name} made = *this; {store} return made;");
        let head = format!("auto @{moved}(unsigned {amount} = 1u) const -> {name}");
        self.method(unit, owner.members, name, (moved, &head, &body));
        owner.store(format!("@on{bump}()"));
        owner.store(format!("@on{bump}(@value)"));
        owner.store(format!("@on{bump}(@value, 9u)"));
        owner.store(format!("@it = @on{moved}()"));
        owner.store(format!("@it = @on{moved}(@value)"));
        owner.value(format!("@on{total}()"));
        owner.value(format!("@on{total}(@value)"));
        owner.value(format!("@on{half}()"));
    }
}

/// Text about `this` as text about another object.
fn on(text: &str, object: &str) -> String {
    text.replace("(*this)", object).replace("this->", &format!("{object}."))
}

/// The head of a function without its default arguments.
fn without_defaults(head: &str) -> String {
    let mut parts = head.split(" = ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(&part[part.find([',', ')']).unwrap_or(part.len())..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_said_once() {
        let head = "void @f(unsigned a = 5u, unsigned b = 2u) const";
        assert_eq!(without_defaults(head), "void @f(unsigned a, unsigned b) const");
        assert_eq!(without_defaults("void @f()"), "void @f()");
    }
}
