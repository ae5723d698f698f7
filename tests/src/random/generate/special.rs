//! What a unit's trait adds to its structs and statements.

use super::holders::Holder;
use super::members::Call;
use super::objects::CallObject;
use super::places::{Place, Scope};
use super::records::{FieldType, Scalar};
use super::traits::Trait;
use super::{Generator, Unit};
use crate::random::names::Role;
use crate::random::program::{Kind, Node};
use crate::random::text::Symbol;

/// What was declared for a trait.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    /// Methods: record, name, and whether it has an effect.
    methods: Vec<(usize, Symbol, bool)>,
    /// Records with `+=`.
    operators: Vec<usize>,
    /// Methods with results: a reference to itself, an element, a number from no element.
    results: Vec<(usize, [Symbol; 3])>,
    /// Functions that take the address of a nested struct.
    by_part: Vec<(usize, Symbol)>,
    /// Records with a constructor from `unsigned`.
    constructors: Vec<usize>,
    /// Functions that take the address of a scalar.
    by_address: Vec<(Scalar, Symbol)>,
    /// Templates over the element type: copy by pointer, swap by reference.
    templates: Option<(Symbol, Symbol)>,
    /// Macros for elements and for one leaf of them.
    element_macro: Option<Symbol>,
    leaf_macros: Vec<(usize, Symbol, Scalar)>,
    /// Functions from a pointer and an index to a pointer.
    pointer_results: Vec<(usize, Symbol)>,
    /// Functions that sum a member array.
    array_sums: Vec<(Scalar, Symbol)>,
    /// Classes that own an array.
    pub(super) buffers: Vec<(usize, Symbol)>,
    /// Functions that allocate an array.
    pub(super) allocators: Vec<(usize, Symbol)>,
    /// A class template that holds device memory.
    pub(super) holder: Option<Holder>,
    /// A class template that holds a pointer and a length.
    pub(super) view: Option<Symbol>,
    /// Members of class templates: record, name and whether it has an effect.
    pub(super) template_members: Vec<(usize, (Symbol, bool))>,
    /// Objects with call operators.
    pub(super) objects: Vec<CallObject>,
    /// A function template that calls such an object with an element.
    pub(super) visitor: Option<Symbol>,
    /// Calls of members and friends.
    pub(super) calls: Vec<Call>,
}

impl Generator {
    /// Member functions and constructors of a struct.
    pub(super) fn members(&mut self, unit: &mut Unit, record: usize, members: &mut Vec<Node>) {
        self.plain_members(unit, record, members);
        if let Some([both, _, _]) = unit.qualifiers {
            for member in members.iter_mut().chain(&mut unit.outside) {
                member.head.replace("__host__ __device__", both);
            }
        }
    }

    /// The members before a macro stands for their qualifiers.
    fn plain_members(&mut self, unit: &mut Unit, record: usize, members: &mut Vec<Node>) {
        let this = Place {
            record,
            text: "this".to_owned(),
            is_pointer: true,
            is_writable: true,
            is_local: true,
            is_shared: false,
        };
        let name = self.record_symbol(record);
        let none = Scope { depth: 9, ..Scope::default() };
        self.called_members(unit, &this, members);
        if unit.has(Trait::Methods) {
            self.locals.clear();
            let v = self.local("amount");
            let scope =
                Scope { values: vec![v.to_string()], places: vec![this.clone()], ..none.clone() };
            let advance = self.named(Role::Member, "advance");
            let (lvalue, scalar) = self.leaf(&none, &this);
            let store = self.store_to(unit, &scope, &lvalue, scalar);
            let head = format!("void @{advance}(unsigned {v})");
            self.method(unit, members, name, (advance, &head, &store));
            let peek = self.named(Role::Member, "peek");
            let (lvalue, scalar) = self.leaf(&none, &this);
            let value = scalar.to_value(&lvalue);
            let (head, body) = (format!("unsigned @{peek}() const"), format!("return {value};"));
            self.method(unit, members, name, (peek, &head, &body));
            unit.declared.methods.push((record, advance, true));
            unit.declared.methods.push((record, peek, false));
            let (lvalue, scalar) = self.leaf(&none, &this);
            let other = lvalue.replacen("(*this)", "other", 1).replacen("this->", "other.", 1);
            let value = format!("{} + {}", scalar.to_value(&lvalue), scalar.to_value(&other));
            members.push(Node::line(&format!(
                "__host__ __device__ {name} &operator+=(const {name} &other) {{ {lvalue} = {}; return *this; }}",
                scalar.of_value(&value)
            )));
            unit.declared.operators.push(record);
            self.more_methods(unit, record, &this, members);
        }
        if unit.has(Trait::Constructor) {
            let fields: Vec<String> = self.records[record]
                .fields
                .iter()
                .filter(|field| !field.is_inherited)
                .map(|field| format!("{}()", field.symbol))
                .collect();
            // What a base class holds has no value until the constructor gives it one.
            let inherited: String = self.records[record]
                .fields
                .iter()
                .filter(|field| field.is_inherited)
                .map(|field| format!("{} = 0; ", field.symbol))
                .collect();
            let (lvalue, scalar) = self.leaf(&none, &this);
            members.push(Node::line(&format!("{name}() = default;")));
            members.push(Node::line(&format!(
                "__host__ __device__ explicit {name}(unsigned amount) : {} {{ {inherited}{lvalue} = {}; }}",
                fields.join(", "),
                scalar.of_value("amount")
            )));
            unit.declared.constructors.push(record);
        }
    }

    /// Methods that give an element, or a reference to it; comparisons; static functions.
    fn more_methods(
        &mut self,
        unit: &mut Unit,
        record: usize,
        this: &Place,
        members: &mut Vec<Node>,
    ) {
        let name = self.record_symbol(record);
        let none = Scope { depth: 9, ..Scope::default() };
        let (reset, blend, rate) = (
            self.named(Role::Member, "reset"),
            self.named(Role::Member, "blend"),
            self.named(Role::Member, "rate"),
        );
        let (lvalue, scalar) = self.leaf(&none, this);
        let zero = scalar.of_value("0u");
        members.push(Node::declaration(
            reset,
            &format!(
                "__host__ __device__ {name} &{reset}() {{ {lvalue} = {zero}; return *this; }}"
            ),
        ));
        let (lvalue, scalar) = self.leaf(&none, this);
        let mine = lvalue.replacen("(*this)", "made", 1).replacen("this->", "made.", 1);
        let value = scalar
            .to_value(&lvalue.replacen("(*this)", "other", 1).replacen("this->", "other.", 1));
        members.push(Node::declaration(
            blend,
            &format!(
                "__host__ __device__ {name} {blend}(const {name} &other) const {{\n    {name} made = *this;\n    {mine} = {};\n    return made;\n}}",
                scalar.of_value(&value)
            ),
        ));
        members.push(Node::declaration(
            rate,
            &format!(
                "__host__ __device__ static unsigned {rate}(unsigned v) {{ return v * 5u + 1u; }}"
            ),
        ));
        let (lvalue, scalar) = self.leaf(&none, this);
        let other = lvalue.replacen("(*this)", "other", 1).replacen("this->", "other.", 1);
        members.push(Node::line(&unprefixed(&format!(
            "__host__ __device__ bool operator<(const {name} &other) const {{ return {} < {}; }}",
            scalar.to_value(&lvalue),
            scalar.to_value(&other)
        ))));
        unit.declared.results.push((record, [reset, blend, rate]));
    }

    /// A call of one of [`Generator::more_methods`].
    fn other_method(&mut self, unit: &Unit, scope: &mut Scope, place: &Place) -> Option<Node> {
        let known = unit.declared.results.iter().find(|known| known.0 == place.record);
        let [reset, blend, rate] = known?.1;
        let other = self.legible_of(scope, place.record)?;
        let none = Scope { depth: 9, ..Scope::default() };
        let (dot, from) = (if place.is_pointer { "->" } else { "." }, &place.text);
        let text = match self.random.below(5) {
            0 => format!("{from}{dot}{reset}();"),
            1 => {
                let element = Place {
                    text: format!("{from}{dot}{reset}()"),
                    is_pointer: false,
                    ..place.clone()
                };
                let (lvalue, scalar) = self.leaf(&none, &element);
                format!("{lvalue} = {};", scalar.of_value(&self.value(scope, 1)))
            }
            2 => {
                let (held, record) = (self.local("blended"), self.record_symbol(place.record));
                format!(
                    "{{\n    {record} {held} = {from}{dot}{blend}({});\n    {} = {held};\n}}",
                    other.lvalue(),
                    place.lvalue()
                )
            }
            3 => {
                let symbol = self.local("less");
                let text = format!(
                    "unsigned {symbol} = {} < {} ? 1u : {}::{rate}(3u);",
                    place.lvalue(),
                    other.lvalue(),
                    self.record_symbol(place.record)
                );
                scope.values.push(symbol.to_string());
                return Some(Node::declaration(symbol, &text));
            }
            _ => {
                let (lvalue, scalar) = self.leaf(&none, place);
                let value = format!(
                    "{}::{rate}({})",
                    self.record_symbol(place.record),
                    self.value(scope, 1)
                );
                format!("{lvalue} = {};", scalar.of_value(&value))
            }
        };
        Some(Node::line(&text))
    }

    /// A statement that uses the trait, if the scope has what it needs.
    pub(super) fn special_statement(&mut self, unit: &mut Unit, scope: &mut Scope) -> Vec<Node> {
        let special =
            if unit.specials.is_empty() { None } else { Some(*self.random.pick(&unit.specials)) };
        let node = match special {
            Some(Trait::FieldAddress) => self.by_address(unit, scope),
            Some(Trait::Methods) => self.method_call(unit, scope),
            Some(Trait::Constructor) => self.constructed(unit, scope),
            Some(Trait::TypeTemplate) => self.template_call(unit, scope),
            Some(Trait::MacroAccess) => self.macro_access(unit, scope),
            Some(Trait::PointerResult) => self.pointer_result(unit, scope),
            Some(Trait::WalkInHead) => self.walk(scope),
            Some(Trait::ChosenPointer) => self.chosen_pointer(scope),
            Some(Trait::AssignedValue) => self.assigned_value(scope),
            Some(Trait::BraceInitialiser) => self.brace_initialised(scope),
            Some(Trait::DecayedField) => self.decayed_field(unit, scope),
            Some(Trait::Lambda) => self.lambda(scope),
            Some(Trait::Binding) => self.binding(scope),
            Some(Trait::InactiveBranch) => self.inactive_branch(unit, scope),
            Some(Trait::EffectIndex) => self.effect_index(scope),
            Some(Trait::FunctionObject) => self.called_object(unit, scope),
            Some(
                special @ (Trait::MemberTemplate
                | Trait::MemberOverload
                | Trait::MemberOperator
                | Trait::Friend
                | Trait::DefaultArgument),
            ) => self.member_call(unit, scope, special),
            Some(Trait::ElementTemplate) => self.template_member_call(unit, scope),
            // These are no statements.
            Some(
                Trait::SharedFunction
                | Trait::ValueTemplate
                | Trait::OffsetLaunch
                | Trait::SubRangeCopy
                | Trait::Handle
                | Trait::OwningBuffer
                | Trait::AllocateByPointer
                | Trait::ReadOnlyLoad
                | Trait::Auto
                | Trait::NestedTwin
                | Trait::DefaultInitialiser
                | Trait::Base
                | Trait::Managed
                | Trait::DeviceTable
                | Trait::LaunchMacro
                | Trait::DirectInitialiser
                | Trait::StoredResult
                | Trait::PartOfRecord
                | Trait::UntypedPointer
                | Trait::Packed
                | Trait::AlignedMember
                | Trait::BitField
                | Trait::HolderTemplate
                | Trait::ViewTemplate
                | Trait::OwnerTemplate
                | Trait::AllocateTemplate
                | Trait::ForeignMember,
            )
            | None => None,
        };
        node.into_iter().collect()
    }

    /// `touch(&p[i].inner, v)` and `Inner *at = &p[i].inner;`
    fn part_by_address(&mut self, unit: &mut Unit, scope: &Scope, place: &Place) -> Option<Node> {
        let (part, ty) = self.part(scope, place)?;
        let FieldType::Nested(inner) = ty else {
            return None;
        };
        let name = self.record_symbol(inner);
        let element = |text: &str| Place {
            record: inner,
            text: text.to_owned(),
            is_pointer: true,
            is_writable: true,
            is_local: false,
            is_shared: false,
        };
        if self.random.chance(40) {
            let symbol = self.local("inside");
            let (lvalue, scalar) = self.leaf(scope, &element(&symbol.to_string()));
            let store = self.store_to(unit, scope, &lvalue, scalar);
            return Some(Node::line(&format!(
                "{{\n    {name} *{symbol} = &{part};\n    {store}\n}}"
            )));
        }
        let known = unit.declared.by_part.iter().find(|known| known.0 == inner);
        let function = match known {
            Some((_, symbol)) => *symbol,
            None => {
                let symbol = self.named(
                    Role::Global,
                    &format!("touch{}_{}", unit.number, unit.declared.by_part.len()),
                );
                let none = Scope { values: vec!["v".to_owned()], depth: 9, ..Scope::default() };
                let (lvalue, scalar) = self.leaf(&none, &element("part_"));
                let store = self.store_to(unit, &none, &lvalue, scalar);
                let text =
                    format!("__device__ void {symbol}({name} *part_, unsigned v) {{ {store} }}");
                unit.nodes.push(Node::declaration(symbol, &text));
                unit.declared.by_part.push((inner, symbol));
                symbol
            }
        };
        Some(Node::line(&format!("{function}(&{part}, {});", self.value(scope, 1))))
    }

    /// `float *row = p[i].m;` and what is done with it.
    fn row_by_address(&mut self, unit: &mut Unit, scope: &Scope, place: &Place) -> Option<Node> {
        let ((field, extent), scalar) = self.scalar_array(place)?;
        let (row, k) = (self.local("row"), self.local("k"));
        let store = self.store_to(unit, scope, &format!("{row}[{k}]"), scalar);
        Some(Node::line(&format!(
            "{{\n    {} *{row} = {}.{field};\n    for (int {k} = 0; {k} < {extent}; ++{k}) {store}\n}}",
            scalar.name(),
            place.lvalue()
        )))
    }

    fn by_address(&mut self, unit: &mut Unit, scope: &Scope) -> Option<Node> {
        let place = self.writable(scope)?;
        if self.random.chance(30) {
            return self.part_by_address(unit, scope, &place);
        }
        if self.random.chance(20) {
            return self.row_by_address(unit, scope, &place);
        }
        let (lvalue, scalar) = self.leaf(scope, &place);
        let known = unit.declared.by_address.iter().find(|known| known.0 == scalar);
        let function = match known {
            Some((_, symbol)) => *symbol,
            None => {
                let symbol = self.named(
                    Role::Global,
                    &format!("poke{}_{}", unit.number, unit.declared.by_address.len()),
                );
                let inner = Scope { values: vec!["v".to_owned()], depth: 9, ..Scope::default() };
                let store = self.store_to(unit, &inner, "(*at)", scalar);
                let text = format!(
                    "__device__ void {symbol}({} *at, unsigned v) {{ {store} }}",
                    scalar.name()
                );
                unit.nodes.push(Node::declaration(symbol, &text));
                unit.declared.by_address.push((scalar, symbol));
                symbol
            }
        };
        if self.random.chance(30) {
            let symbol = self.local("at");
            let store = self.store_to(unit, scope, &format!("(*{symbol})"), scalar);
            return Some(Node::line(&format!(
                "{{\n    {} *{symbol} = &{lvalue};\n    {store}\n}}",
                scalar.name()
            )));
        }
        Some(Node::line(&format!("{function}(&{lvalue}, {});", self.value(scope, 1))))
    }

    fn method_call(&mut self, unit: &mut Unit, scope: &mut Scope) -> Option<Node> {
        let place = self.writable(scope)?;
        if unit.declared.operators.contains(&place.record) && self.random.chance(30) {
            let other = self.legible_of(scope, place.record)?;
            return Some(Node::line(&format!("{} += {};", place.lvalue(), other.lvalue())));
        }
        if self.random.chance(50) {
            return self.other_method(unit, scope, &place);
        }
        let methods: Vec<_> = unit
            .declared
            .methods
            .iter()
            .filter(|method| method.0 == place.record)
            .map(|method| (method.1, method.2))
            .collect();
        if methods.is_empty() {
            return None;
        }
        let (method, has_effect) = *self.random.pick(&methods);
        let dot = if place.is_pointer { "->" } else { "." };
        if has_effect {
            let value = self.value(scope, 1);
            return Some(Node::line(&format!("{}{dot}{method}({value});", place.text)));
        }
        let symbol = self.local("seen");
        scope.values.push(symbol.to_string());
        Some(Node::declaration(
            symbol,
            &format!("unsigned {symbol} = {}{dot}{method}();", place.text),
        ))
    }

    fn constructed(&mut self, unit: &Unit, scope: &mut Scope) -> Option<Node> {
        let place = self.writable(scope)?;
        if !unit.declared.constructors.contains(&place.record) {
            return None;
        }
        let (name, value) = (self.record_symbol(place.record), self.value(scope, 1));
        Some(Node::line(&format!("{} = {name}({value});", place.lvalue())))
    }

    fn template_call(&mut self, unit: &mut Unit, scope: &Scope) -> Option<Node> {
        let (copy, swap) = match unit.declared.templates {
            Some(known) => known,
            None => {
                let copy = self.named(Role::Global, &format!("copy{}", unit.number));
                let swap = self.named(Role::Global, &format!("swap{}", unit.number));
                unit.nodes.push(Node::declaration(
                    copy,
                    &format!("template <typename T>\n__device__ void {copy}(T *to, const T *from) {{ *to = *from; }}"),
                ));
                unit.nodes.push(Node::declaration(
                    swap,
                    &format!("template <class T>\n__device__ inline void {swap}(T &a, T &b) {{ T c = a; a = b; b = c; }}"),
                ));
                unit.declared.templates = Some((copy, swap));
                (copy, swap)
            }
        };
        let place = self.writable(scope)?;
        let text = if self.random.chance(50) {
            let other = self.legible_of(scope, place.record)?;
            if other.is_shared {
                return None;
            }
            format!("{copy}({}, {});", place.address(), other.address())
        } else {
            let other = self.writable_of(scope, place.record)?;
            format!("{swap}({}, {});", place.lvalue(), other.lvalue())
        };
        Some(Node::line(&text))
    }

    fn macro_access(&mut self, unit: &mut Unit, scope: &Scope) -> Option<Node> {
        let owned = if scope.owned.is_empty() {
            return None;
        } else {
            self.random.pick(&scope.owned).clone()
        };
        if self.random.chance(50) {
            let element = match unit.declared.element_macro {
                Some(known) => known,
                None => {
                    let symbol = self.symbol(&format!("AT{}", unit.number));
                    unit.nodes.push(Node::declaration(
                        symbol,
                        &format!("#define {symbol}(array_, at_) (array_)[at_]"),
                    ));
                    unit.declared.element_macro = Some(symbol);
                    symbol
                }
            };
            let place = Place {
                record: owned.record,
                text: format!("{element}({}, {})", owned.text, owned.index),
                is_pointer: false,
                is_writable: true,
                is_local: false,
                is_shared: false,
            };
            let (lvalue, scalar) = self.leaf(scope, &place);
            return Some(Node::line(&self.store_to(unit, scope, &lvalue, scalar)));
        }
        let known: Vec<_> = unit
            .declared
            .leaf_macros
            .iter()
            .filter(|leaf| leaf.0 == owned.record)
            .copied()
            .collect();
        let (symbol, scalar) = match known.first() {
            Some((_, symbol, scalar)) => (*symbol, *scalar),
            None => {
                let symbol = self.symbol(&format!(
                    "LEAF{}_{}",
                    unit.number,
                    unit.declared.leaf_macros.len()
                ));
                let place = Place {
                    record: owned.record,
                    text: "(array_)[at_]".to_owned(),
                    is_pointer: false,
                    is_writable: true,
                    is_local: false,
                    is_shared: false,
                };
                let none = Scope { depth: 9, ..Scope::default() };
                let (lvalue, scalar) = self.leaf(&none, &place);
                unit.nodes.push(Node::declaration(
                    symbol,
                    &format!("#define {symbol}(array_, at_) ({lvalue})"),
                ));
                unit.declared.leaf_macros.push((owned.record, symbol, scalar));
                (symbol, scalar)
            }
        };
        let lvalue = format!("{symbol}({}, {})", owned.text, owned.index);
        Some(Node::line(&self.store_to(unit, scope, &lvalue, scalar)))
    }

    fn pointer_result(&mut self, unit: &mut Unit, scope: &Scope) -> Option<Node> {
        let owned = if scope.owned.is_empty() {
            return None;
        } else {
            self.random.pick(&scope.owned).clone()
        };
        let known = unit.declared.pointer_results.iter().find(|known| known.0 == owned.record);
        let function = match known {
            Some((_, symbol)) => *symbol,
            None => {
                let symbol = self.named(
                    Role::Global,
                    &format!("at{}_{}", unit.number, unit.declared.pointer_results.len()),
                );
                let record = self.record_symbol(owned.record);
                unit.nodes.push(Node::declaration(
                    symbol,
                    &format!("__device__ inline {record} *{symbol}({record} *p, int i) {{ return &p[i]; }}"),
                ));
                unit.declared.pointer_results.push((owned.record, symbol));
                symbol
            }
        };
        let place = Place {
            record: owned.record,
            text: format!("{function}({}, {})", owned.text, owned.index),
            is_pointer: true,
            is_writable: true,
            is_local: false,
            is_shared: false,
        };
        let (lvalue, scalar) = self.leaf(scope, &place);
        Some(Node::line(&self.store_to(unit, scope, &lvalue, scalar)))
    }

    fn walk(&mut self, scope: &Scope) -> Option<Node> {
        let array = scope.readable.first()?.clone();
        let (pointer, record) = (self.local("it"), self.record_symbol(array.record));
        let place = Place {
            record: array.record,
            text: pointer.to_string(),
            is_pointer: true,
            is_writable: false,
            is_local: false,
            is_shared: false,
        };
        let mut inner = scope.clone();
        inner.places = vec![place];
        inner.readable.clear();
        let value = self.value(&inner, 2);
        let target = self.writable(scope)?;
        let none = Scope { depth: 9, ..Scope::default() };
        let (lvalue, scalar) = self.leaf(&none, &target);
        let store = format!(
            "{lvalue} = {};",
            scalar.of_value(&format!("{} + {value}", scalar.to_value(&lvalue)))
        );
        let (count, text) = (&array.count, &array.text);
        let head = match self.random.below(3) {
            0 => format!(
                "for (const {record} *{pointer} = {text}; {pointer} < {text} + {count}; ++{pointer}) {{"
            ),
            1 => format!(
                "for (const {record} *{pointer} = {text}; {pointer} != {text} + {count}; {pointer} += 1) {{"
            ),
            _ => {
                let k = self.local("k");
                format!(
                    "int {k} = 0;\nfor (const {record} *{pointer} = {text}; {k} < {count} && {k} < 5; {pointer}++, {k}++) {{"
                )
            }
        };
        Some(Node::new(
            Kind::Whole,
            "{",
            vec![Node::new(Kind::Whole, &head, vec![Node::line(&store)], "}")],
            "}",
        ))
    }

    fn chosen_pointer(&mut self, scope: &mut Scope) -> Option<Node> {
        let one = self.legible(scope)?;
        let other = self.legible_of(scope, one.record)?;
        if one.is_shared || other.is_shared || one.is_local || other.is_local {
            return None;
        }
        let (symbol, record) = (self.local("sel"), self.record_symbol(one.record));
        let is_writable = one.is_writable && other.is_writable;
        let qualifier = if is_writable { "" } else { "const " };
        let value = self.value(scope, 1);
        let text = format!(
            "{qualifier}{record} *{symbol} = ({value} & 1u) ? {} : {};",
            one.address(),
            other.address()
        );
        scope.places.push(Place { text: symbol.to_string(), is_pointer: true, is_writable, ..one });
        Some(Node::declaration(symbol, &text))
    }

    fn assigned_value(&mut self, scope: &Scope) -> Option<Node> {
        let mut elements = scope.clone();
        elements.places.retain(|place| !place.is_local);
        let (one, other) = (self.writable(&elements)?, self.writable(&elements)?);
        let (first, scalar) = self.leaf(scope, &one);
        let none = Scope { depth: 9, ..Scope::default() };
        for _ in 0..6 {
            let (second, same) = self.leaf(&none, &other);
            if same == scalar {
                let value = scalar.of_value("9u");
                return Some(Node::line(&format!("{first} = {second} = {value};")));
            }
        }
        let value = scalar.of_value(&self.value(scope, 1));
        let symbol = self.local("kept");
        Some(Node::line(&format!(
            "{{ {} {symbol} = ({first} = {value}); (void){symbol}; }}",
            scalar.name()
        )))
    }

    fn brace_initialised(&mut self, scope: &Scope) -> Option<Node> {
        let place = self.writable(scope)?;
        let (symbol, record) = (self.local("blank"), self.record_symbol(place.record));
        let text = match self.random.below(3) {
            0 => format!("{} = {record}{{}};", place.lvalue()),
            1 => format!("{} = {record}();", place.lvalue()),
            _ => format!("{{ {record} {symbol} = {{}}; {} = {symbol}; }}", place.lvalue()),
        };
        Some(Node::line(&text))
    }

    fn decayed_field(&mut self, unit: &mut Unit, scope: &mut Scope) -> Option<Node> {
        let place = self.legible(scope)?;
        let ((field, extent), scalar) = self.scalar_array(&place)?;
        let symbol = self.local("sum");
        if self.random.chance(50) {
            let known = unit.declared.array_sums.iter().find(|known| known.0 == scalar);
            let function = match known {
                Some((_, symbol)) => *symbol,
                None => {
                    let symbol = self.named(
                        Role::Global,
                        &format!("total{}_{}", unit.number, unit.declared.array_sums.len()),
                    );
                    unit.nodes.push(Node::declaration(
                        symbol,
                        &format!(
                            "__device__ unsigned {symbol}(const {} *a, int n) {{\n    unsigned s = 0;\n    for (int k = 0; k < n; ++k) s = s * 3u + {};\n    return s;\n}}",
                            scalar.name(),
                            scalar.to_value("a[k]")
                        ),
                    ));
                    unit.declared.array_sums.push((scalar, symbol));
                    symbol
                }
            };
            scope.values.push(symbol.to_string());
            let text =
                format!("unsigned {symbol} = {function}({}.{field}, {extent});", place.lvalue());
            return Some(Node::declaration(symbol, &text));
        }
        scope.values.push(symbol.to_string());
        let at = self.local("at");
        let last = scalar.to_value(&format!("{at}[{}]", extent - 1));
        let text = format!(
            "const {} *{at} = {}.{field};\nunsigned {symbol} = {last};",
            scalar.name(),
            place.lvalue()
        );
        let mut node = Node::declaration(symbol, &text);
        node.declares.push(at);
        Some(node)
    }

    fn lambda(&mut self, scope: &mut Scope) -> Option<Node> {
        let place = self.writable(scope)?;
        let (function, result) = (self.local("f"), self.local("got"));
        let record = self.record_symbol(place.record);
        let element = Place { text: "el".to_owned(), is_pointer: false, ..place.clone() };
        let none = Scope { depth: 9, ..Scope::default() };
        let (lvalue, scalar) = self.leaf(&none, &element);
        let value = scalar.to_value(&lvalue);
        let text = match self.random.below(3) {
            0 => format!(
                "auto {function} = [=](const {record} &el) {{ return {value} * 3u; }};\nunsigned {result} = {function}({});",
                place.lvalue()
            ),
            1 => format!(
                "auto {function} = []({record} &el) {{ {lvalue} = {}; return 5u; }};\nunsigned {result} = {function}({});",
                scalar.of_value("77u"),
                place.lvalue()
            ),
            _ => {
                let (captured, scalar) = self.leaf(&none, &place);
                format!(
                    "auto {function} = [&]() {{ return {}; }};\nunsigned {result} = {function}();",
                    scalar.to_value(&captured)
                )
            }
        };
        scope.values.push(result.to_string());
        let mut node = Node::declaration(result, &text);
        node.declares.push(function);
        Some(node)
    }

    fn binding(&mut self, scope: &mut Scope) -> Option<Node> {
        let place = self.legible(scope)?;
        let fields = self.records[place.record].fields.clone();
        if fields.iter().any(|field| field.is_inherited) {
            // All members must be of one class.
            return None;
        }
        let names: Vec<Symbol> = fields.iter().map(|_| self.local("part")).collect();
        let list: Vec<String> = names.iter().map(ToString::to_string).collect();
        let reference = if self.random.chance(40) { "&" } else { "" };
        let mut text = format!("const auto {reference}[{}] = {};", list.join(", "), place.lvalue());
        for (field, name) in fields.iter().zip(&names) {
            if let (FieldType::Scalar(scalar), []) = (&field.ty, field.extents.as_slice()) {
                let seen = self.local("seen");
                text.push_str(&format!(
                    "\nunsigned {seen} = {};",
                    scalar.to_value(&name.to_string())
                ));
                scope.values.push(seen.to_string());
                let mut node = Node::declaration(seen, &text);
                node.declares.extend(names);
                return Some(node);
            }
        }
        None
    }

    fn inactive_branch(&mut self, unit: &mut Unit, scope: &Scope) -> Option<Node> {
        let (one, other) = (self.store(unit, scope)?, self.store(unit, scope)?);
        let head = *self.random.pick(&[
            "#ifdef NEVER_DEFINED",
            "#if 0",
            "#ifndef NEVER_DEFINED",
            "#if defined(__CUDACC__) || 1",
        ]);
        let parts = vec![one, Node { kind: Kind::Frame, ..Node::line("#else") }, other];
        Some(Node::new(Kind::Whole, head, parts, "#endif"))
    }

    fn effect_index(&mut self, scope: &Scope) -> Option<Node> {
        let owned = if scope.owned.is_empty() {
            return None;
        } else {
            self.random.pick(&scope.owned).clone()
        };
        let symbol = self.local("c");
        let index = *self.random.pick(&["@++", "++@", "@--", "(@ += 1)"]);
        let start = match index {
            "@++" | "@--" => owned.index.clone(),
            _ => format!("{} - 1", owned.index),
        };
        let place = self.element(owned.record, &owned.text, "@", true);
        let none = Scope { depth: 9, ..Scope::default() };
        let (lvalue, scalar) = self.leaf(&none, &place);
        // One evaluation: a compound assignment, or a plain one of something that does not look.
        let text = match (scalar, self.random.below(2)) {
            (
                Scalar::Unsigned | Scalar::UnsignedLongLong | Scalar::UnsignedChar | Scalar::Short,
                0,
            ) => {
                format!("{lvalue} += 3;")
            }
            (Scalar::Float | Scalar::Double, 0) => format!("{lvalue} *= 0.5f;"),
            _ => format!("{lvalue} = {};", scalar.of_value("123u")),
        };
        let index = index.replace('@', &symbol.to_string());
        let text = text.replace('@', &index);
        Some(Node::line(&format!("{{\n    int {symbol} = {start};\n    {text}\n}}")))
    }
}

/// A member function names its fields plainly.
pub(super) fn unprefixed(text: &str) -> String {
    text.replace("(*this).", "").replace("this->", "")
}
