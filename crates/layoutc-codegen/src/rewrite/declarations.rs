//! Declarations of slots: variables, parameters, fields and results.

use super::Rewriter;
use crate::edit::Edit;
use crate::unused_locals::MAYBE_UNUSED;
use layoutc_dataflow::classes::{Callee, ClassId, Slot, resolve_callee, sizes_of_whole_objects};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    DeclarationId, DeclaratorSite, FieldId, Function, FunctionId, StmtKind, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A declared slot of a changed class.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) class: ClassId,
    pub(super) site: DeclaratorSite,
    pub(super) variable: Option<VarId>,
    /// The member that it declares, or the function of which it is the result.
    pub(super) slot: Slot,
    /// Declared with `auto`.
    is_auto: bool,
    /// The null pointer that a member starts with.
    null_initializer: Option<layoutc_syntax::ExprId>,
}

impl Rewriter<'_> {
    /// Edits of all declarations.
    pub(super) fn declarations(&mut self) {
        self.index_only = self.index_only();
        self.nulls_that_make_objects();
        let size_of_lambda = self.size_of_lambda();
        let mut by_declaration: BTreeMap<DeclarationId, Vec<Declared>> = BTreeMap::new();
        let classes: Vec<ClassId> = self.storage_of.keys().copied().collect();
        for class in classes {
            let is_handle = self.storages[self.storage_of[&class]].1.is_handle;
            for slot in self.classes.class(class).slots.clone() {
                // The specialisation of an owner of the library has another size, whatever it holds.
                if let Slot::Field(id) = slot
                    && (is_handle || self.program.is_modelled_owner(self.program.field(id).record))
                    && let Some(span) = self.size_of_holder(self.program.field(id).record)
                {
                    self.refuse(
                        class,
                        Code::DECLARATION_FORM,
                        span,
                        "the size of the object that holds the array would change",
                    );
                }
                // `P *const &p` takes what is no variable, and what is constant.
                if let Slot::Variable(id) = slot
                    && is_handle
                    && let variable = self.program.variable(id)
                    && let TypeKind::Reference(to, false) = *self.program.types.kind(variable.ty.id)
                    && to.is_const
                    && matches!(self.program.types.kind(to.id), TypeKind::Pointer(_))
                {
                    let span = variable.site.span;
                    let message = "a reference to a constant pointer is not rewritten";
                    self.refuse(class, Code::DECLARATION_FORM, span, message);
                }
                if let Slot::Variable(_) = slot
                    && is_handle
                    && let Some(span) = size_of_lambda
                {
                    self.refuse(
                        class,
                        Code::DECLARATION_FORM,
                        span,
                        "the size of a lambda that captures the array would change",
                    );
                }
                if let Slot::Field(id) = slot
                    && is_handle
                    && let Some(span) = self.raw_memory_of_holder(self.program.field(id).record)
                {
                    self.refuse(
                        class,
                        Code::DECLARATION_FORM,
                        span,
                        "memory of another type holds the object that holds the array, whose size would change",
                    );
                }
                if let Slot::Field(id) = slot
                    && is_handle
                    && self.may_be_filled_as_pointer(id)
                {
                    let field = self.program.field(id);
                    let (span, name) = (field.site.name, &field.name);
                    self.refuse(
                        class, Code::UNKNOWN_MEMBER,
                        span,
                        &format!(
                            "it cannot be shown that nothing initializes member `{name}` as a pointer"
                        ),
                    );
                }
                if let Slot::Field(id) = slot {
                    self.drop_accessors(class, id);
                }
                // One pointer can be kept as `void *`: it is cast where it is used.
                if !is_handle && self.is_untyped_slot(slot) {
                    continue;
                }
                // The object of a copy is declared by the copy.
                for declared in self.declared(class, slot) {
                    if self.keeps_row(&declared) {
                        continue;
                    }
                    if let Some(id) = declared.site.declaration {
                        by_declaration.entry(id).or_default().push(declared);
                    }
                }
            }
        }
        let inline = self.inline_declarations();
        self.loop_heads = self.for_heads();
        let order = super::order::FileOrder::new(self.program);
        let prototypes = super::ahead::prototypes(self.program);
        let mut declared_ahead: BTreeSet<(Span, String)> = BTreeSet::new();
        for (id, mut declared) in by_declaration {
            for declared in &declared {
                let Some(record) = self.classes.class(declared.class).element.record() else {
                    continue;
                };
                if let Some(outside) = self.unseen_declaration(declared) {
                    let message = "the declaration of this function in its class is not modelled";
                    self.refuse(declared.class, Code::DECLARATION_FORM, outside, message);
                    continue;
                }
                let definition = super::placement::definition(self.program, record);
                // A version of a member function is written behind the generated structs.
                let in_version = self.versions.of_declaration(id).is_some_and(|copy| {
                    let copy = self.program.function(copy);
                    let is_instance =
                        copy.copy_of.as_ref().is_some_and(layoutc_syntax::CopyOf::is_instance);
                    let is_row = declared
                        .variable
                        .is_some_and(|id| self.program.rows.variables.contains_key(&id));
                    // The one definition of such a version moves behind the struct.
                    is_instance
                        || (is_row && copy.sites.len() == 1)
                        || (copy.this_parameter.is_some()
                            && definition.contains(declared.site.span))
                });
                // A specialisation stands behind them too.
                if in_version || self.versions.instance_of_declaration(id).is_some() {
                    continue;
                }
                if let Some(obstacle) = order.obstacle(declared.site.span, definition) {
                    if self.types_ahead(declared, &order) {
                        continue;
                    }
                    let ahead = prototypes.get(&id).copied().and_then(|(function, at)| {
                        self.declared_ahead(function, at, declared.class, &order)
                    });
                    if let Some((place, text)) = ahead {
                        declared_ahead.insert((place, text));
                        continue;
                    }
                    self.refuse(
                        declared.class,
                        Code::DECLARATION_FORM,
                        declared.site.span,
                        obstacle,
                    );
                }
            }
            declared.sort_by_key(|declared| declared.site.index);
            declared.dedup_by_key(|declared| declared.site.index);
            self.owner = self.versions.of_declaration(id);
            self.text_owner = self.versions.instance_of_declaration(id);
            let home = self.program.declaration_homes.of(id.index());
            self.in_home(home, |this| this.declaration(id, &declared, inline.contains(&id)));
            self.text_owner = None;
        }
        // Several loops may end at one place.
        for ((owner, end), count) in std::mem::take(&mut self.loop_ends) {
            self.owner = owner;
            self.insert(end, " }".repeat(count));
        }
        self.owner = None;
        let mut known: BTreeMap<(layoutc_diagnostics::FileId, String), Span> = BTreeMap::new();
        for (place, text) in declared_ahead {
            // Once is enough where no condition stands between.
            let first = *known.entry((place.file, text.clone())).or_insert(place);
            let between = Span { start: first.start, ..place };
            if first == place
                || layoutc_syntax::preprocess::has_directive(self.program.text(between))
            {
                known.insert((place.file, text.clone()), place);
                let text = self.with_newlines(place, text);
                self.insert(place, text);
            }
        }
    }

    /// Takes the functions that give back elements of the member's array out of its class: no element has an address of its
    /// own. A private pointer gets a function that gives it back instead.
    fn drop_accessors(&mut self, class: ClassId, field: FieldId) {
        let program = self.program;
        let Some((type_name, is_handle, is_record)) = self
            .storage(class)
            .map(|storage| (storage.outer_type(), storage.is_handle, storage.is_record))
        else {
            return;
        };
        let accessors: Vec<(FunctionId, &Function)> = program
            .accessors
            .iter()
            .filter(|(_, accessed)| **accessed == field)
            .map(|(function, _)| (*function, program.function(*function)))
            .collect();
        let is_private = program.field(field).is_private;
        let holder = program.field(field).record;
        if program.is_device_vector(holder) {
            self.places_of_vector(holder, class);
        }
        let mut given: BTreeSet<(Span, bool)> = BTreeSet::new();
        let mut dropped: BTreeSet<Span> = BTreeSet::new();
        for (id, function) in accessors {
            let site = &function.sites[0];
            let given_back = *program.index_accessors.get(&id).unwrap_or(&function.result);
            let declaration = site.result.declaration.map(|id| program.declaration(id));
            let is_known = declaration.is_some_and(|own| {
                !matches!(program.types.kind(own.specifier_type.id), TypeKind::Unknown)
            });
            if (is_record || is_private) && !is_known {
                let message = "a reference to an element is returned";
                self.refuse(class, Code::ELEMENT_EXPRESSION, site.name, message);
                continue;
            }
            if !is_record && self.is_named_otherwise(id) {
                let message =
                    "a function that gives back an element may be named other than by a call";
                self.refuse(class, Code::ELEMENT_EXPRESSION, site.name, message);
                continue;
            }
            let record = function.record.filter(|id| program.record(*id).shares_text);
            if let Some(record) = record {
                self.write_out(record, class, site.name);
            }
            if !dropped.insert(site.span) {
                continue;
            }
            if let Some(declaration) = declaration
                && is_record
            {
                let head = Span { end: declaration.specifier.start, ..site.span };
                let is_written = program.text(head).trim_end().ends_with("const");
                let is_const = program.types.strip_reference(given_back).is_const;
                let constant = if is_const && !is_written { "const " } else { "" };
                self.text_owner = record;
                let text = format!("{constant}{type_name}");
                self.push(Edit::replace(declaration.specifier, text));
                self.text_owner = None;
                continue;
            }
            let body = program.record(program.field(field).record).body.unwrap_or(site.span);
            let becomes_index = program.index_accessors.contains_key(&id);
            if becomes_index {
                self.text_owner = record;
                let is_written = self.write_index_accessor(id);
                self.text_owner = None;
                if !is_written {
                    let message = "a reference to an element is returned";
                    self.refuse(class, Code::ELEMENT_EXPRESSION, site.name, message);
                    continue;
                }
            }
            let mut edit = (!becomes_index).then(|| Edit::replace(self.whole_lines(site.span), ""));
            if let Some(declaration) = declaration
                && is_private
                && given.insert((body, function.is_const))
            {
                let head = Span { end: declaration.specifier.start, ..site.span };
                let head = program.text(head).trim_end();
                let head = head.strip_suffix("const").map_or(head, str::trim_end);
                let blank = if head.is_empty() { "" } else { " " };
                let is_const = program.types.strip_reference(given_back).is_const;
                let pointer = match (is_handle, is_const) {
                    (true, _) => format!("{type_name} "),
                    (false, true) => format!("const {type_name} *"),
                    (false, false) => format!("{type_name} *"),
                };
                let name = self.accessed_name(field);
                let qualifier = if function.is_const { " const" } else { "" };
                let member = &program.field(field).name;
                let text =
                    format!("{head}{blank}{pointer}{name}{qualifier} {{ return {member}; }}");
                edit = Some(match becomes_index {
                    true => Edit::replace(site.span.at_start(), format!("{text} ")),
                    false => Edit::replace(site.span, text),
                });
            }
            self.text_owner = record;
            if let Some(edit) = edit {
                self.push(edit);
            }
            self.text_owner = None;
        }
    }

    /// An index accessor becomes what it is in the model: a function that gives back the index.
    fn write_index_accessor(&mut self, id: FunctionId) -> bool {
        let program = self.program;
        let function = program.function(id);
        let site = &function.sites[0];
        let returned = function.body.and_then(|body| match &program.stmt(body).kind {
            StmtKind::Block(statements) => statements.last().copied(),
            _ => None,
        });
        let returned = returned.and_then(|last| match program.stmt(last).kind {
            StmtKind::Return(Some(value)) => {
                Some((program.stmt(last).span, program.expr(value).span))
            }
            _ => None,
        });
        let specifier = site.result.declaration.map(|own| program.declaration(own).specifier);
        let index = program.types.as_scalar(function.result.id);
        let (Some((whole, value)), Some(specifier), Some(index), Some(name)) =
            (returned, specifier, index, self.index_name(id))
        else {
            return false;
        };
        let text = program.text(whole);
        if !text.starts_with("return") || !text.ends_with(';') || !whole.contains(value) {
            return false;
        }
        let before = Span { end: specifier.start, ..site.span };
        let before = program.text(before).trim_end();
        let start = match before.strip_suffix("const") {
            Some(rest) if !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                site.span.start + rest.len() as u32
            }
            _ => specifier.start,
        };
        let head = Span { start, end: site.name.end, ..site.span };
        self.push(Edit::replace(head, format!("{} {name}", index.spelling())));
        let front = Span { start: whole.start + 6, end: value.start, ..whole };
        self.push(Edit::replace(front, " "));
        let behind = Span { start: value.end, end: whole.end - 1, ..whole };
        self.push(Edit::replace(behind, ""));
        true
    }

    /// The name of the function that an index accessor becomes.
    pub(super) fn index_name(&self, id: FunctionId) -> Option<String> {
        let function = self.program.function(id);
        let wanted = match function.name.as_str() {
            "operator[]" => "place".to_owned(),
            "operator()" => "cell".to_owned(),
            name => format!("{name}_place"),
        };
        Some(self.free_member(function.record?, wanted))
    }

    /// What stands for a member's array where an accessor was called: the member, or a call of the function that gives back
    /// a private one.
    pub(super) fn accessed_name(&self, field: FieldId) -> String {
        let mut declared = field;
        while let Some(base) = self.program.field(declared).inherited {
            declared = base;
        }
        let own = self.program.field(declared);
        if !own.is_private {
            return own.name.clone();
        }
        format!("{}()", self.free_member(own.record, "elements".to_owned()))
    }

    /// A name for a member of a class that nothing has there, nor in those that it is derived from or that derive from it.
    fn free_member(&self, record: layoutc_syntax::RecordId, mut name: String) -> String {
        let is_taken = |name: &str| {
            let around = self.program.record_ids().filter(|id| {
                *id == record
                    || self.program.derives_from(*id, record)
                    || self.program.derives_from(record, *id)
            });
            let mut scopes = around.map(|id| self.program.record(id));
            scopes.any(|own| own.scope.contains_key(name) || own.unmodelled_members.contains(name))
        };
        // Another name of the program would be hidden in the class.
        while is_taken(&name)
            || self.program.identifiers.contains(&name)
            || self.program.macros.iter().any(|own| own.name == name)
        {
            name.push('_');
        }
        name
    }

    /// A span with the lines around it, where nothing else stands on them.
    pub(super) fn whole_lines(&self, span: Span) -> Span {
        let text = self.program.sources.file(span.file).text();
        let is_blank = |c: char| matches!(c, ' ' | '\t');
        let before = text[..span.start as usize].trim_end_matches(is_blank);
        let behind = text[span.end as usize..].trim_start_matches(is_blank);
        let line = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n'));
        match line {
            Some(rest) if before.ends_with('\n') => {
                Span::new(span.file, before.len(), text.len() - rest.len())
            }
            Some(_) | None => span,
        }
    }

    /// Whether something that is not modelled may initialize the member as a pointer.
    fn may_be_filled_as_pointer(&self, id: layoutc_syntax::FieldId) -> bool {
        use layoutc_syntax::RecordTrait;
        let field = self.program.field(id);
        let traits = &self.program.record(field.record).traits;
        // A list in braces fills the bases of an aggregate, and no other class is filled by one.
        let is_aggregate = !traits.iter().any(|(which, _)| {
            matches!(which, RecordTrait::Constructor | RecordTrait::Private | RecordTrait::Virtual)
        });
        (field.has_initializer && field.inherited.is_none() && field.null_initializer.is_none())
            || traits.iter().any(|(which, _)| {
                let is_base = matches!(which, RecordTrait::Bases | RecordTrait::Virtual);
                if is_base && !is_aggregate {
                    return false;
                }
                !matches!(
                    which,
                    RecordTrait::Methods
                        | RecordTrait::Constructor
                        | RecordTrait::Destructor
                        | RecordTrait::CopyControl
                        | RecordTrait::Initializer
                        | RecordTrait::Private
                        | RecordTrait::NestedType
                        // A member beside the pointer. Lists that fill the pointer are judged by their items.
                        | RecordTrait::UnknownMember
                        | RecordTrait::ConstMember
                        | RecordTrait::BitField
                )
            })
    }

    /// A parameter or result of a function whose declaration in its class is none of its sites, as that of a constructor.
    fn unseen_declaration(&self, declared: &Declared) -> Option<Span> {
        let program = self.program;
        let id = match declared.slot {
            Slot::Variable(id) => program.variable(id).function?,
            Slot::Result(id) => id,
            Slot::Field(_) => return None,
        };
        let own = program.function(id);
        let is_parameter = match declared.slot {
            Slot::Variable(id) => {
                matches!(program.variable(id).storage, layoutc_syntax::Storage::Parameter { .. })
            }
            Slot::Result(_) | Slot::Field(_) => true,
        };
        let record = program.record(own.record.filter(|_| is_parameter && own.copy_of.is_none())?);
        let body = record.body.filter(|_| record.instance.is_none() && !record.shares_text)?;
        let is_seen = own.sites.iter().any(|site| body.contains(site.span));
        (!is_seen).then_some(declared.site.span)
    }

    /// The record, and all that hold it.
    fn holders_of(&self, record: layoutc_syntax::RecordId) -> BTreeSet<layoutc_syntax::RecordId> {
        let mut holders = BTreeSet::from([record]);
        loop {
            let before = holders.len();
            for field in &self.program.fields {
                if layoutc_dataflow::classes::record_of(self.program, field.ty)
                    .is_some_and(|(inner, _)| holders.contains(&inner))
                {
                    holders.insert(field.record);
                }
            }
            if holders.len() == before {
                return holders;
            }
        }
    }

    /// Memory of another type in which a record, or one that holds it, is put: it may be too small then.
    fn raw_memory_of_holder(&self, record: layoutc_syntax::RecordId) -> Option<Span> {
        use layoutc_dataflow::classes::record_of;
        use layoutc_syntax::{CastStyle, ExprKind, NameRef};
        let program = self.program;
        let holders = self.holders_of(record);
        let is_holder = |ty| record_of(program, ty).is_some_and(|(own, _)| holders.contains(&own));
        // `(Scene *)malloc(sizeof(Scene))`
        let is_sized = |operand| match &program.expr(program.strip_parens(operand)).kind {
            ExprKind::Null | ExprKind::Integer(Some(0)) => true,
            ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(program, *callee, arguments) {
                    Callee::Library(name) => {
                        sizes_of_whole_objects(program, &name, arguments).is_some()
                    }
                    _ => false,
                }
            }
            // What a function is handed as `void *` was the address of such an object.
            ExprKind::Name(NameRef::Variable(id))
                if matches!(
                    program.variable(*id).storage,
                    layoutc_syntax::Storage::Parameter { .. }
                ) =>
            {
                true
            }
            _ => record_of(program, program.expr(operand).ty).is_some(),
        };
        program.expr_ids().find_map(|id| {
            let is_raw = match &program.expr(id).kind {
                // Where it finds another object, it gives null.
                ExprKind::Cast { style: CastStyle::Dynamic, .. } => false,
                ExprKind::Cast { target, operand, .. } => is_holder(*target) && !is_sized(*operand),
                ExprKind::New { of, is_placed: true, .. } => is_holder(*of),
                _ => false,
            };
            is_raw.then_some(program.expr(id).span)
        })
    }

    /// A `sizeof` of a record, or of one that holds it.
    fn size_of_holder(&self, record: layoutc_syntax::RecordId) -> Option<Span> {
        let holders = self.holders_of(record);
        let copied: BTreeSet<layoutc_syntax::ExprId> = self.sizes_of_whole_copies();
        let may_ask = |id: &layoutc_syntax::ExprId| {
            !copied.contains(id) && !self.is_asked_for_less_than_a_pointer(*id)
        };
        self.program.expr_ids().filter(may_ask).find_map(|id| {
            let of = match &self.program.expr(id).kind {
                layoutc_syntax::ExprKind::SizeOfType { of, .. } => *of,
                layoutc_syntax::ExprKind::SizeOfExpr(operand) => self.program.expr(*operand).ty,
                _ => return None,
            };
            let types = &self.program.types;
            let may_hold = match types.kind(types.strip_reference(of).id) {
                // A container of a library, such as `std::array<Holder, 2>`, or a type that one names:
                // `std::vector<Holder>::value_type`, `decltype(list)::value_type`.
                TypeKind::Named(name, _) => {
                    name.contains(['<', '('])
                        || holders.iter().any(|holder| types.mentions(of.id, *holder))
                }
                TypeKind::Unknown => self.may_be_holder(id, &holders),
                // `template <class T> constexpr int size_v = sizeof(T);`
                TypeKind::TemplateParameter(_) => self.program.variables.iter().any(|variable| {
                    let init = variable.init.filter(|_| variable.function.is_none());
                    init.is_some_and(|init| {
                        self.program.expr(init).span.contains(self.program.expr(id).span)
                    }) && !self.is_of_others_alone(variable)
                }),
                _ => layoutc_dataflow::classes::record_of(self.program, of)
                    .is_some_and(|(found, depth)| depth == 0 && holders.contains(&found)),
            };
            may_hold.then_some(self.program.expr(id).span)
        })
    }

    /// Whether a static member of a class template of others is asked for by their own text alone, which has to do with the
    /// size that the object has.
    fn is_of_others_alone(&self, variable: &layoutc_syntax::Variable) -> bool {
        let program = self.program;
        let Some(record) = variable.record else { return false };
        let name = &program.record(record).name;
        let is_named = |file: &layoutc_syntax::ProgramFile| {
            let text = program.sources.file(file.id).text();
            !program.is_foreign(file.id)
                && tokens(text).iter().any(|token| token.text(text) == name)
        };
        program.is_foreign(variable.site.name.file) && !program.files.iter().any(is_named)
    }

    /// Whether a size is compared with a number below that of any pointer, as in `sizeof(T) > 1`: what holds an array is
    /// larger before and after.
    fn is_asked_for_less_than_a_pointer(&self, size: layoutc_syntax::ExprId) -> bool {
        use layoutc_syntax::BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        use layoutc_syntax::ExprKind;
        let Some((parent, position)) = self.parents.of(self.outermost(size)) else { return false };
        let ExprKind::Binary(op, left, right) = self.program.expr(parent).kind else {
            return false;
        };
        let other = if position == 0 { right } else { left };
        matches!(op, Eq | Ne | Lt | Le | Gt | Ge)
            && matches!(
                self.program.expr(self.program.strip_parens(other)).kind,
                ExprKind::Integer(Some(0..4))
            )
    }

    /// Whether a `sizeof` of something whose type is not known may be of one of the records.
    fn may_be_holder(
        &self,
        size: layoutc_syntax::ExprId,
        holders: &BTreeSet<layoutc_syntax::RecordId>,
    ) -> bool {
        use layoutc_syntax::ExprKind;
        let ExprKind::SizeOfExpr(operand) = self.program.expr(size).kind else { return true };
        match self.program.expr(self.program.strip_parens(operand)).kind {
            // A member that the name may mean keeps the array.
            ExprKind::Member { .. } => false,
            // A name that nothing declares is none of the program, but `std::optional<Holder>` reads as one, too.
            ExprKind::Name(layoutc_syntax::NameRef::Unknown(_)) => {
                self.text(self.program.strip_parens(operand)).contains(['<', '('])
            }
            ExprKind::Index { base, .. } => {
                let list = self.program.expr(base).ty.id;
                holders.iter().any(|holder| self.program.types.mentions(list, *holder))
            }
            _ => true,
        }
    }

    /// A `sizeof` of a lambda: what it captures may be any variable.
    fn size_of_lambda(&self) -> Option<Span> {
        let is_lambda = |operand: layoutc_syntax::ExprId| {
            let operand = self.program.strip_parens(operand);
            let layoutc_syntax::ExprKind::Name(layoutc_syntax::NameRef::Variable(id)) =
                self.program.expr(operand).kind
            else {
                return false;
            };
            self.program.variable(id).init.is_some_and(|init| {
                matches!(self.program.expr(init).kind, layoutc_syntax::ExprKind::Lambda { .. })
            })
        };
        self.program.expr_ids().find_map(|id| match self.program.expr(id).kind {
            layoutc_syntax::ExprKind::SizeOfExpr(operand) if is_lambda(operand) => {
                Some(self.program.expr(id).span)
            }
            _ => None,
        })
    }

    /// Sizes in calls that allocate, copy or clear whole objects.
    fn sizes_of_whole_copies(&self) -> BTreeSet<layoutc_syntax::ExprId> {
        let sizes = |id| match &self.program.expr(id).kind {
            layoutc_syntax::ExprKind::Call { callee, arguments, .. } => {
                match resolve_callee(self.program, *callee, arguments) {
                    Callee::Library(name) => sizes_of_whole_objects(self.program, &name, arguments),
                    _ => None,
                }
            }
            _ => None,
        };
        self.program.expr_ids().filter_map(sizes).flatten().collect()
    }

    fn declared(&self, class: ClassId, slot: Slot) -> Vec<Declared> {
        match slot {
            Slot::Variable(id) => {
                let variable = self.program.variable(id);
                std::iter::once(&variable.site)
                    .chain(&variable.redeclarations)
                    .map(|site| Declared {
                        class,
                        site: site.clone(),
                        variable: Some(id),
                        slot,
                        is_auto: variable.is_auto,
                        null_initializer: None,
                    })
                    .collect()
            }
            Slot::Field(id) => {
                let field = self.program.field(id);
                // The base class declares it.
                if field.inherited.is_some() {
                    return Vec::new();
                }
                let site = field.site.clone();
                let null_initializer = field.null_initializer;
                vec![Declared {
                    class,
                    site,
                    variable: None,
                    slot,
                    is_auto: false,
                    null_initializer,
                }]
            }
            Slot::Result(id) => self
                .program
                .function(id)
                .sites
                .iter()
                .map(|site| Declared {
                    class,
                    site: site.result.clone(),
                    variable: None,
                    slot,
                    is_auto: false,
                    null_initializer: None,
                })
                .collect(),
        }
    }

    /// Declarations that stand in the head of a statement, where nothing can be put beside them.
    fn inline_declarations(&self) -> BTreeSet<DeclarationId> {
        let mut found = BTreeSet::new();
        for stmt in &self.program.stmts {
            let head = match &stmt.kind {
                StmtKind::If { init, .. }
                | StmtKind::For { init, .. }
                | StmtKind::While { init, .. }
                | StmtKind::Switch { init, .. } => *init,
                _ => None,
            };
            if let Some(head) = head
                && let StmtKind::Declaration(id, _) = self.program.stmt(head).kind
            {
                found.insert(id);
            }
        }
        found
    }

    /// Declarations in the head of a `for`, with the loop.
    fn for_heads(&self) -> BTreeMap<DeclarationId, Span> {
        self.program
            .stmts
            .iter()
            .filter_map(|stmt| match stmt.kind {
                StmtKind::For { init: Some(init), .. } => match self.program.stmt(init).kind {
                    StmtKind::Declaration(id, _) => Some((id, stmt.span)),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// Puts declarations in front of a loop, in a block around both.
    fn before_loop(&mut self, head: Span, text: &str) {
        let file = self.program.sources.file(head.file);
        // A pragma is about the loop that follows it.
        let mut start = head.start as usize;
        loop {
            let line = file.line_range(start);
            if !file.text()[line.start..start].trim().is_empty() || line.start == 0 {
                break;
            }
            let above = file.line_range(line.start - 1);
            if !file.text()[above.clone()].trim_start().starts_with("#pragma") {
                break;
            }
            let blank =
                file.text()[above.clone()].len() - file.text()[above.clone()].trim_start().len();
            start = above.start + blank;
        }
        if start == head.start as usize {
            self.insert(head.at_start(), format!("{{ {text}; "));
        } else {
            let line = file.line_range(start);
            let indent = file.text()[line.start..start].to_owned();
            let newline = if file.text().contains("\r\n") { "\r\n" } else { "\n" };
            let place = Span::new(head.file, start, start);
            self.insert(place, format!("{{ {text};{newline}{indent}"));
        }
        *self.loop_ends.entry((self.owner, head.at_end())).or_default() += 1;
    }

    fn declaration(&mut self, id: DeclarationId, declared: &[Declared], is_inline: bool) {
        let head = self.loop_heads.get(&id).copied();
        let declaration = self.program.declaration(id).clone();
        if let [only] = declared
            && let Some(variable) = only.variable
            && self.program.rows.variables.contains_key(&variable)
        {
            self.row_declaration(&declaration, only, variable);
            return;
        }
        let is_parameter = declared.iter().any(|declared| {
            declared.variable.is_some_and(|id| {
                matches!(
                    self.program.variable(id).storage,
                    layoutc_syntax::Storage::Parameter { .. }
                )
            })
        });
        if let [only] = declared
            && only.is_auto
        {
            let is_index = only.variable.is_some_and(|id| self.index_only.contains(&id));
            if is_index && !self.may_be_unused(only) {
                self.insert(only.site.name.at_end(), format!(" {}", MAYBE_UNUSED.trim_end()));
            }
            self.auto_declaration(&declaration, only, is_inline, head);
            return;
        }
        if declared.iter().any(|declared| declared.is_auto) {
            self.auto_declarations(&declaration, declared);
            return;
        }
        if let [only] = declared
            && let Some(id) = only.variable
            && self.classes.class(only.class).symbols.contains(&id)
        {
            if is_inline || head.is_some() {
                let message = "this declaration cannot be divided where it stands";
                self.refuse(only.class, Code::DECLARATION_FORM, declaration.span, message);
                return;
            }
            let specifier = self.specifier_text(&declaration, self.storage_of[&only.class]);
            self.symbol_declaration(&declaration, only.class, id, specifier);
            return;
        }
        if let [only] = declared
            && let Some(ty) = self.view_type(only.variable)
        {
            self.view_declaration(&declaration, only, ty);
            return;
        }
        let storages: Vec<Option<usize>> = (0..declaration.count.max(1))
            .map(|index| {
                let found = declared.iter().find(|declared| declared.site.index == index)?;
                Some(self.storage_of[&found.class])
            })
            .collect();
        let companions = declared.iter().filter(|declared| self.has_companion(declared)).count();
        let first = storages[0];
        let is_mixed = storages.iter().any(|other| *other != first);
        let is_loop = head.is_some();
        let needs_split = declaration.count > 1 && (is_mixed || (companions > 0 && !is_loop));
        if (needs_split && (is_inline || is_parameter)) || (companions > 0 && is_inline && !is_loop)
        {
            self.refuse(
                declared[0].class,
                Code::DECLARATION_FORM,
                declaration.span,
                "this declaration cannot be divided where it stands",
            );
            return;
        }
        if is_inline
            && !is_loop
            && declared
                .iter()
                .any(|declared| self.storages[self.storage_of[&declared.class]].1.is_handle)
        {
            self.refuse(
                declared[0].class,
                Code::DECLARATION_FORM,
                declaration.span,
                "this declaration is tested as a pointer",
            );
            return;
        }
        if let Some(at) = first {
            let text = self.specifier_text(&declaration, at);
            let mut span = declaration.specifier;
            // The star of a typedef stands at the name.
            let behind = &self.program.sources.file(span.file).text()[span.end as usize..];
            let is_alias = matches!(
                self.program.types.kind(declaration.specifier_type.id),
                TypeKind::Pointer(_)
            );
            if is_alias && text.ends_with('*') && behind.starts_with(' ') {
                span.end += 1;
            }
            let is_fixed = text.ends_with('*') && self.has_const(&declaration, &declared[0]);
            if text.ends_with('*') && declaration.count > 1 {
                let message = "a name for a pointer cannot be written out for several declarators";
                let at = declaration.span;
                self.refuse(declared[0].class, Code::DECLARATION_FORM, at, message);
                return;
            }
            // `const T q` is a pointer that does not move where `T` is one.
            let text = match is_fixed {
                true => {
                    self.drop_const(&declaration, declared);
                    let blank = if span.end > declaration.specifier.end { " " } else { "" };
                    format!("{text}const{blank}")
                }
                false => text,
            };
            self.edit(span, text);
        }
        let handles = declared
            .iter()
            .any(|declared| self.storages[self.storage_of[&declared.class]].1.is_handle);
        if handles {
            self.drop_const(&declaration, declared);
        }
        if needs_split {
            self.split(&declaration, declared, &storages);
        }
        let is_index =
            |declared: &Declared| declared.variable.is_some_and(|id| self.index_only.contains(&id));
        if declared.iter().all(|own| self.may_be_unused(own)) {
            // The text says so.
        } else if !needs_split
            && declared.len() == declaration.count
            && declared.iter().all(is_index)
        {
            let start = Span { end: declaration.span.start, ..declaration.span };
            self.edit(start, MAYBE_UNUSED.to_owned());
        } else {
            let unused: Vec<Span> =
                declared.iter().filter(|own| is_index(own)).map(|own| own.site.name).collect();
            for name in unused {
                self.insert(name.at_end(), format!(" {}", MAYBE_UNUSED.trim_end()));
            }
        }
        let mut before = Vec::new();
        for declared in declared {
            before.extend(self.declarator(declared, is_parameter, is_loop));
        }
        if let Some(head) = head.filter(|_| !before.is_empty()) {
            self.before_loop(head, &before.join("; "));
        }
    }

    /// A parameter that becomes a view, or a reference to an element of one.
    fn view_declaration(
        &mut self,
        declaration: &layoutc_syntax::Declaration,
        declared: &Declared,
        ty: String,
    ) {
        let (_, storage) = &self.storages[self.storage_of[&declared.class]];
        let text = self.specifier_text(declaration, self.storage_of[&declared.class]);
        let qualifier = if text.starts_with(&storage.qualifier) { &storage.qualifier } else { "" };
        self.edit(declaration.specifier, format!("{qualifier}{ty}"));
        self.drop_const(declaration, std::slice::from_ref(declared));
        for span in declared.site.pointers.iter().copied().chain(declared.site.reference) {
            self.drop_sign(span, &declared.site);
        }
    }

    /// Takes a `*` or `&` of a declarator away, with the blank that would be one too many: in `Particle *__restrict__ p`, and in
    /// an unnamed `Particle *`.
    fn drop_sign(&mut self, mut span: Span, site: &DeclaratorSite) {
        let text = self.between_words(span);
        let file = self.program.sources.file(span.file).text();
        let is_behind_blank = file[..span.start as usize].ends_with(' ');
        let behind = &file[span.end as usize..];
        let is_before_blank = behind.starts_with(' ');
        if is_behind_blank && site.name.start == site.name.end && !behind.starts_with('{') {
            span.start -= 1;
        } else if is_behind_blank && is_before_blank {
            span.end += 1;
        }
        self.edit(span, text);
    }

    /// The new specifier, qualified outside the record's namespace.
    pub(super) fn specifier_text(
        &self,
        declaration: &layoutc_syntax::Declaration,
        storage: usize,
    ) -> String {
        let (record, storage) = &self.storages[storage];
        let home = super::placement::home(self.program, *record);
        let namespaces = &self.program.record(home).namespaces;
        let name = if declaration.namespaces.starts_with(namespaces) {
            storage.type_name.clone()
        } else {
            storage.outer_type()
        };
        // What a type parameter stands for in an instance says more than the record's name.
        let bound = self.owner.and_then(|owner| {
            let copy_of = self.program.function(owner).copy_of.as_ref()?;
            let text = self.program.text(declaration.specifier);
            let found = copy_of.aliases.iter().find(|(name, _)| name == text);
            found.map(|(_, ty)| ty.clone())
        });
        let bound = bound.or_else(|| self.parameter_of_text(declaration.specifier));
        match bound {
            Some(ty) if !storage.is_handle => {
                let star = if ty.ends_with('*') { " *" } else { "" };
                let before = Span { end: declaration.specifier.start, ..declaration.span };
                // In front of a pointer's name it is not the elements that are constant.
                let is_written = star.is_empty() && self.program.text(before).contains("const");
                let constant = if ty.starts_with("const ") && !is_written { "const " } else { "" };
                format!("{constant}{name}{star}")
            }
            // A typedef of a pointer to elements.
            None if !storage.is_handle => {
                match self.program.types.kind(declaration.specifier_type.id) {
                    TypeKind::Pointer(to) => {
                        let constant = if to.is_const { "const " } else { "" };
                        format!("{constant}{name} *")
                    }
                    _ => name,
                }
            }
            _ => name,
        }
    }

    fn has_companion(&self, declared: &Declared) -> bool {
        declared.variable.is_some_and(|id| self.indices.contains_key(&id))
    }

    /// `auto q = &p[i]` gets its type written out; `auto a = p` stays.
    fn auto_declaration(
        &mut self,
        declaration: &layoutc_syntax::Declaration,
        declared: &Declared,
        is_inline: bool,
        head: Option<Span>,
    ) {
        if !self.has_companion(declared) {
            let is_handle = self.storages[self.storage_of[&declared.class]].1.is_handle;
            if is_handle
                && let ([star], None, false) =
                    (&declared.site.pointers[..], declared.site.reference, is_inline)
                && declaration.count == 1
            {
                // `auto *p`
                self.drop_sign(*star, &declared.site);
                self.drop_const(declaration, std::slice::from_ref(declared));
                return;
            }
            if is_handle
                && (is_inline
                    || declaration.count > 1
                    || !declared.site.pointers.is_empty()
                    || declared.site.reference.is_some())
            {
                self.refuse(
                    declared.class,
                    Code::DECLARATION_FORM,
                    declaration.span,
                    "this deduced type is a pointer, and the array would not be",
                );
            }
            return;
        }
        if (is_inline && head.is_none()) || declaration.count > 1 {
            self.refuse(
                declared.class,
                Code::DECLARATION_FORM,
                declaration.span,
                "this declaration cannot be divided where it stands",
            );
            return;
        }
        let storage = &self.storages[self.storage_of[&declared.class]].1;
        let is_written = declared.site.reference.is_some() || !declared.site.pointers.is_empty();
        let is_handle = storage.is_handle;
        let star = if is_handle || is_written { "" } else { " *" };
        let name = storage.outer_type();
        // What is deduced is written out: constant elements, and a pointer that does not move.
        let ty = declared.variable.map(|id| self.program.variable(id).ty);
        let points_to_const = ty
            .and_then(|ty| self.program.types.pointee(ty.id))
            .is_some_and(|to| to.is_const && !is_handle);
        let is_fixed = ty.is_some_and(|ty| ty.is_const) && !star.is_empty();
        let has_word = is_written && self.has_const(declaration, declared);
        let constant = if points_to_const && !has_word { "const " } else { "" };
        let fixed = if is_fixed { "const" } else { "" };
        self.edit(declaration.specifier, format!("{constant}{name}{star}{fixed}"));
        if is_handle || is_fixed {
            self.drop_const(declaration, std::slice::from_ref(declared));
        }
        let before = self.declarator(declared, false, head.is_some());
        if let (Some(head), Some(before)) = (head, before) {
            self.before_loop(head, &before);
        }
    }

    /// `auto q = p, e = p + n` stays where all of its pointers become one type, which has no index beside it.
    fn auto_declarations(
        &mut self,
        declaration: &layoutc_syntax::Declaration,
        declared: &[Declared],
    ) {
        let [first, rest @ ..] = declared else { return };
        let storage = self.storage_of[&first.class];
        let is_handle = self.storages[storage].1.is_handle;
        let is_plain =
            |own: &Declared| own.site.pointers.is_empty() && own.site.reference.is_none();
        let stays = declared.len() == declaration.count
            && rest.iter().all(|own| self.storage_of[&own.class] == storage)
            && declared.iter().all(|own| !self.has_companion(own) && (!is_handle || is_plain(own)));
        if !stays {
            let message = "this declaration cannot be divided where it stands";
            self.refuse(first.class, Code::DECLARATION_FORM, declaration.span, message);
        }
    }

    /// `*`, `&`, the companion and the initializer of one declarator.
    ///
    /// In the head of a loop the companion cannot stand beside it; it is returned.
    fn declarator(
        &mut self,
        declared: &Declared,
        is_parameter: bool,
        is_loop: bool,
    ) -> Option<String> {
        let storage = &self.storages[self.storage_of[&declared.class]].1;
        if storage.is_record {
            return None;
        }
        let site = &declared.site;
        let refers_to_pointer = declared.variable.is_some_and(|id| {
            matches!(*self.program.types.kind(self.program.variable(id).ty.id), TypeKind::Reference(to, _)
                if self.program.types.pointee(to.id).is_some())
        });
        if let Some(reference) = site.reference
            && !refers_to_pointer
        {
            if storage.is_handle {
                self.drop_sign(reference, site);
            } else {
                self.edit(reference, "*".to_owned());
            }
        } else if storage.is_handle
            && let Some(star) = site.pointers.last()
        {
            self.drop_sign(*star, site);
        }
        if storage.is_handle && is_parameter && self.program.text(site.span).contains('[') {
            let own =
                |brackets: &Span| brackets.start >= site.name.end && site.span.contains(*brackets);
            let mut brackets = self.program.brackets.keys().copied().filter(own);
            match (brackets.next(), brackets.next()) {
                (Some(only), None) if site.pointers.is_empty() && only.end == site.span.end => {
                    self.edit(only, String::new());
                }
                _ => self.refuse(
                    declared.class,
                    Code::DECLARATION_FORM,
                    site.span,
                    "an array parameter, and the array would not be a pointer",
                ),
            }
        }
        if let Some(init) = declared.null_initializer.filter(|_| storage.is_handle)
            && !matches!(self.program.expr(init).kind, layoutc_syntax::ExprKind::InitList(_))
        {
            let span = self.program.expr(init).span;
            self.edit(span, "{}".to_owned());
        }
        let variable = declared.variable?;
        self.default_argument(declared, variable);
        if is_parameter {
            let (companion, width) = self.indices.get(&variable).cloned()?;
            match self.program.default_arguments.get(&variable) {
                Some((default, _)) => {
                    let behind = self.program.expr(*default).span.at_end();
                    self.insert(behind, format!(", {width} {companion} = 0"));
                }
                // An array parameter's brackets are part of its declarator.
                None => self.insert(site.span.at_end(), format!(", {width} {companion}")),
            }
            return None;
        }
        self.local_companion(declared, variable, is_loop)
    }

    /// The companion of a local variable, and the initializers of both.
    pub(super) fn local_companion(
        &mut self,
        declared: &Declared,
        variable: VarId,
        is_loop: bool,
    ) -> Option<String> {
        let (companion, width) = self.indices.get(&variable).cloned()?;
        let site = &declared.site;
        // A row of a reference's kind is a pointer.
        let is_reference =
            site.reference.is_some() && !self.program.rows.variables.contains_key(&variable);
        let init = self.program.variable(variable).init;
        let parts = match init {
            Some(init) => {
                self.consumed.insert(init);
                let parts = match self.classes.place(init) {
                    Some((_, layoutc_dataflow::classes::PlaceKind::Element)) => {
                        self.element_parts(init, declared.class)
                    }
                    _ => self.pointer_parts(init, declared.class),
                };
                match parts {
                    Some(parts) => {
                        let span = self.program.expr(init).span;
                        self.edit(span, parts.base.clone());
                        Some(parts.index.text)
                    }
                    None => {
                        let span = self.program.expr(init).span;
                        self.refuse(
                            declared.class,
                            Code::DECLARATION_FORM,
                            span,
                            "this initializer has no form in the new layout",
                        );
                        None
                    }
                }
            }
            None => None,
        };
        let constant = if is_reference { "const " } else { "" };
        // Without a value neither has one: a jump may lead past the declaration.
        let value = parts.map_or_else(String::new, |index| format!(" = {index}"));
        let text = format!("{constant}{width} {companion}{value}");
        if is_loop {
            return Some(text);
        }
        let unused = if self.may_be_unused(declared) { MAYBE_UNUSED } else { "" };
        let text = format!("{unused}{text}");
        self.insert(site.full.at_end(), format!("; {text}"));
        None
    }

    /// The null pointer that a parameter has as its default argument.
    fn default_argument(&mut self, declared: &Declared, variable: VarId) {
        let storage = &self.storages[self.storage_of[&declared.class]].1;
        let Some((default, _)) = self.program.default_arguments.get(&variable).copied() else {
            return;
        };
        let span = self.program.expr(default).span;
        if self.program.home(default).is_some() {
            let message = "the default argument stands in a macro";
            self.refuse(declared.class, Code::DECLARATION_FORM, span, message);
        } else if storage.is_handle {
            self.edit(span, "{}".to_owned());
        }
    }

    /// Divides `T *a, b;` where `a` and `b` no longer have one specifier.
    fn split(
        &mut self,
        declaration: &layoutc_syntax::Declaration,
        declared: &[Declared],
        storages: &[Option<usize>],
    ) {
        let sites = self.all_sites(declaration, declared);
        for index in 1..declaration.count {
            let same = storages[index] == storages[index - 1];
            let after_companion = declared
                .iter()
                .any(|declared| declared.site.index == index - 1 && self.has_companion(declared));
            if same && !after_companion {
                continue;
            }
            let (Some(before), Some(this)) = (sites.get(&(index - 1)), sites.get(&index)) else {
                self.refuse(
                    declared[0].class,
                    Code::DECLARATION_FORM,
                    declaration.span,
                    "this declaration cannot be divided",
                );
                return;
            };
            let between = Span { start: before.end, end: this.start, ..*before };
            let specifier = match storages[index] {
                Some(at) => self.specifier_text(declaration, at),
                None => self.program.text(declaration.specifier).to_owned(),
            };
            let start = self.specifiers_start(declaration);
            let prefix = on_one_line(self.program.text(Span {
                start,
                end: declaration.specifier.start,
                ..declaration.span
            }));
            let behind = on_one_line(sites.get(&0).map_or("", |first| {
                let end = first.start.max(declaration.specifier.end);
                self.program.text(Span { start: declaration.specifier.end, end, ..*first }).trim()
            }));
            let is_handle = storages[index].is_some_and(|at| self.storages[at].1.is_handle);
            let (prefix, behind) = match is_handle {
                true => (without_const(&prefix), without_const(&behind)),
                false => (prefix, behind),
            };
            let behind = match behind.trim_end() {
                "" => String::new(),
                words => format!("{words} "),
            };
            if layoutc_syntax::preprocess::has_directive(self.program.text(between)) {
                let message = "a preprocessor directive stands between the declarators";
                let at = declaration.span;
                self.refuse(declared[0].class, Code::DECLARATION_FORM, at, message);
                return;
            }
            if self.has_space_behind(declaration, &sites) {
                self.refuse(
                    declared[0].class,
                    Code::DECLARATION_FORM,
                    declaration.span,
                    "this declaration cannot be divided behind its address space",
                );
                return;
            }
            self.edit(between, format!("; {prefix}{specifier} {behind}"));
        }
    }

    /// Where a declaration begins with its address space, which is no part of the model's span.
    fn specifiers_start(&self, declaration: &layoutc_syntax::Declaration) -> u32 {
        let span = declaration.span;
        if !self.program.files[span.file.index()].is_opencl {
            return span.start;
        }
        let text = self.program.sources.file(span.file).text();
        let mut start = span.start;
        loop {
            let before = text[..start as usize].trim_end();
            let word = ["__global", "global", "const", "volatile"].iter().find_map(|word| {
                let rest = before.strip_suffix(word)?;
                let is_word = !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                is_word.then_some(rest.len() as u32)
            });
            match word {
                Some(at) => start = at,
                None => return start,
            }
        }
    }

    /// Whether the address space stands behind the type: `P __global *a, *b`.
    fn has_space_behind(
        &self,
        declaration: &layoutc_syntax::Declaration,
        sites: &BTreeMap<usize, Span>,
    ) -> bool {
        let span = declaration.span;
        let Some(first) = sites.get(&0) else { return true };
        self.program.files[span.file.index()].is_opencl
            && self
                .program
                .text(Span { start: declaration.specifier.end, end: first.start, ..span })
                .split_ascii_whitespace()
                .any(|word| word.ends_with("global") || word.ends_with("generic"))
    }

    /// The span of each declarator with its initializer, by position.
    fn all_sites(
        &self,
        declaration: &layoutc_syntax::Declaration,
        declared: &[Declared],
    ) -> BTreeMap<usize, Span> {
        let id = declared[0].site.declaration;
        let mut found: BTreeMap<usize, Span> = BTreeMap::new();
        for variable in &self.program.variables {
            for site in std::iter::once(&variable.site).chain(&variable.redeclarations) {
                if site.declaration == id {
                    found.insert(site.index, site.full);
                }
            }
        }
        for field in &self.program.fields {
            if field.site.declaration == id {
                found.insert(field.site.index, field.site.full);
            }
        }
        debug_assert!(found.len() <= declaration.count.max(1));
        found
    }

    /// Whether `const` stands beside a declaration's specifier.
    fn has_const(&self, declaration: &layoutc_syntax::Declaration, declared: &Declared) -> bool {
        around_specifier(declaration, &declared.site).into_iter().any(|span| {
            let text = self.program.text(span);
            let mut tokens = layoutc_syntax::preprocess::tokens(text).into_iter();
            tokens.any(|token| token.text(text) == "const")
        })
    }

    /// Whether a declaration's text says that nothing may use what it declares.
    fn may_be_unused(&self, declared: &Declared) -> bool {
        let site = &declared.site;
        let Some(id) = site.declaration else { return false };
        let declaration = self.program.declaration(id);
        let before = Span { end: declaration.specifier.start, ..declaration.span };
        let behind = Span { start: site.name.end, end: site.span.end, ..site.span };
        [before, behind].into_iter().any(|span| {
            let text = self.program.text(span);
            let mut tokens = layoutc_syntax::preprocess::tokens(text).into_iter();
            tokens.any(|token| token.text(text) == "maybe_unused")
        })
    }

    /// Removes `const` beside the specifier: a handle that is constant could not be assigned.
    fn drop_const(&mut self, declaration: &layoutc_syntax::Declaration, declared: &[Declared]) {
        let Some(first) = declared.first() else { return };
        let is_partial = declared.len() != declaration.count.max(1) && declaration.count > 1;
        for span in around_specifier(declaration, &first.site) {
            let text = self.program.text(span);
            for token in layoutc_syntax::preprocess::tokens(text) {
                if token.text(text) == "const" {
                    if is_partial {
                        self.refuse(
                            first.class,
                            Code::DECLARATION_FORM,
                            declaration.span,
                            "this declaration cannot be divided where it stands",
                        );
                        return;
                    }
                    // The blank behind goes with it.
                    let blank = usize::from(text[token.range().end..].starts_with(' '));
                    let start = span.start as usize + token.range().start;
                    let end = span.start as usize + token.range().end + blank;
                    self.edit(Span::new(span.file, start, end), String::new());
                }
            }
        }
    }

    /// What is left of a `*` or `&` that goes away: a blank, if nothing else keeps the words apart.
    fn between_words(&self, span: Span) -> String {
        let text = self.program.sources.file(span.file).text();
        // `V<T>` in front becomes a word.
        let blank =
            |c: Option<char>| c.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '>')));
        let before = text[..span.start as usize].chars().next_back();
        let after = text[span.end as usize..].chars().next();
        if blank(before) || blank(after) { String::new() } else { " ".to_owned() }
    }

    fn edit(&mut self, span: Span, text: String) {
        if self.program.text(span) != text {
            self.push(Edit::replace(span, text));
        }
    }

    fn insert(&mut self, span: Span, text: String) {
        self.push(Edit::replace(span, text));
    }
}

/// The texts in front of a declaration's specifier, and between it and the first declarator.
fn around_specifier(
    declaration: &layoutc_syntax::Declaration,
    first: &layoutc_syntax::DeclaratorSite,
) -> [Span; 2] {
    let before = Span { end: declaration.specifier.start, ..declaration.span };
    let after = Span {
        start: declaration.specifier.end,
        end: first.full.start.max(declaration.specifier.end),
        ..declaration.span
    };
    [before, after]
}

/// Specifiers without the comments and line ends between them, which would take in what is written behind.
fn on_one_line(text: &str) -> String {
    if !text.contains(['/', '\n', '\\']) {
        return text.to_owned();
    }
    let words = layoutc_syntax::preprocess::tokens(text).into_iter().map(|token| token.text(text));
    words.filter(|word| *word != "\\").map(|word| format!("{word} ")).collect()
}

/// Specifiers without the word `const`, and without the blank behind it.
fn without_const(text: &str) -> String {
    let mut rest = text.to_owned();
    let all = layoutc_syntax::preprocess::tokens(text);
    for token in all.into_iter().rev().filter(|token| token.text(text) == "const") {
        let blank = usize::from(rest[token.range().end..].starts_with(' '));
        rest.replace_range(token.range().start..token.range().end + blank, "");
    }
    rest
}
