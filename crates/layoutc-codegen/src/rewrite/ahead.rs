//! Text in front of the struct, where that is only declared: the generated type is declared there, too, or defined.
//!
//! A pointer to a generated struct needs no more of a type than its name. A handle, as in `struct Buffers { P *points; };`
//! or in a prototype that is called, needs its definition. *Form:* behind `struct P;` stands `struct PTile32;`, or the
//! types' definitions with a guard, which those behind the struct have, too. *Claim:* the types name nothing of the struct, and
//! what they name is known there; no other rewritten text stands in front of the struct.

use super::declarations::Declared;
use super::order::FileOrder;
use super::{Refused, Rewriter, host_files, pin, placement};
use crate::edit::Edit;
use crate::helpers::{Declarations, Part};
use crate::hygiene::{Surroundings, settle};
use crate::storage::Storage;
use layoutc_dataflow::classes::{ClassId, Slot};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{DeclarationId, ExprKind, FunctionId, NameRef, Program, RecordId};
use std::collections::{BTreeMap, BTreeSet};

/// The declarations of the struct behind which the type of a storage stands: handles are defined there, others declared.
pub(super) type Ahead = BTreeSet<Span>;

/// The declarations of parameters and results in prototypes, with the function and which of its sites
/// that is.
pub(super) fn prototypes(program: &Program) -> BTreeMap<DeclarationId, (FunctionId, usize)> {
    let mut found = BTreeMap::new();
    for id in program.function_ids() {
        let function = program.function(id);
        let body = function.body.map(|body| program.stmt(body).span);
        for (at, site) in function.sites.iter().enumerate() {
            if body.is_some_and(|body| site.span.contains(body)) {
                continue;
            }
            let parameters = site.parameters.iter().map(|id| &program.variable(*id).site);
            let declared = parameters.chain([&site.result]).filter_map(|site| site.declaration);
            found.extend(declared.map(|declaration| (declaration, (id, at))));
        }
    }
    found
}

/// Words of which the names of built-in types are made.
const BUILT_IN: &[&str] =
    &["bool", "char", "const", "double", "float", "int", "long", "short", "signed", "unsigned"];

impl Rewriter<'_> {
    /// What declares the type of the class's arrays in front of a prototype that stands before the
    /// struct, and where; nothing if it cannot be declared there.
    ///
    /// A prototype needs no more of a type than its name.
    pub(super) fn declared_ahead(
        &self,
        function: FunctionId,
        at: usize,
        class: ClassId,
        order: &FileOrder,
    ) -> Option<(Span, String)> {
        let program = self.program;
        let own = program.function(function);
        let site = &own.sites[at];
        let record = self.classes.class(class).element.record()?;
        let home = program.record(placement::home(program, record));
        let declaration = program.declaration_of(&site.result)?;
        let is_free = own.record.is_none()
            && own.copy_of.is_none()
            && own.template_parameters.is_empty()
            && program.record(record).instance.is_none();
        let is_plain = !program.files[site.span.file.index()].is_opencl
            && program.declaration_home(&site.result).is_none()
            && declaration.namespaces == home.namespaces
            && !home.in_linkage_block;
        if !is_free || !is_plain || self.stands_inside(site.span) || self.has_namesake(record) {
            return None;
        }
        let storage = self.storage(class)?;
        (!self.is_called_early(function, record, order)).then(|| {
            (site.span.at_start(), storage.in_space(&format!("struct {};\n", storage.type_name)))
        })
    }

    /// Whether a function is called in front of the struct: a call needs the definition of the type.
    fn is_called_early(&self, function: FunctionId, record: RecordId, order: &FileOrder) -> bool {
        let program = self.program;
        let definition = placement::definition(program, record);
        program.expr_ids().any(|id| {
            matches!(&program.expr(id).kind, ExprKind::Name(NameRef::Functions(named))
                if named.contains(&function))
                && order.obstacle(program.expr_site(id), definition).is_some()
        })
    }

    /// Whether the type of a declaration in front of the struct can be declared, or defined, where the struct is declared.
    pub(super) fn types_ahead(&mut self, declared: &Declared, order: &FileOrder) -> bool {
        let program = self.program;
        let Some(at) = self.storage_of.get(&declared.class).copied() else { return false };
        let (record, storage) = &self.storages[at];
        let (own, site) = (program.record(*record), declared.site.span);
        let is_plain = own.instance.is_none()
            && own.pack.is_none()
            && !own.is_local
            && !own.in_linkage_block
            && placement::home(program, *record) == *record
            && !storage.is_opencl
            && !storage.is_internal
            && storage.views.is_none();
        if !is_plain || self.is_in_shared_text(declared.slot) || self.has_namesake(*record) {
            return false;
        }
        let is_suitable = |place: &&Span| {
            !program.is_foreign(place.file) && order.obstacle(site, **place).is_none()
        };
        let Some(place) = own.forward.iter().find(is_suitable).copied() else { return false };
        // A prototype needs no more than the name, but a call, also one of a member or an operator, makes an object.
        if storage.is_handle && !self.are_members_known(storage, own, place, order) {
            return false;
        }
        self.ahead.entry(at).or_default().insert(place);
        true
    }

    /// Whether several instances of a template share the text of a declaration.
    fn is_in_shared_text(&self, slot: Slot) -> bool {
        let program = self.program;
        let of_record = |id: RecordId| {
            let record = program.record(id);
            record.shares_text || record.instance.is_some()
        };
        let of_function = |id: FunctionId| {
            let function = program.function(id);
            function.copy_of.is_some()
                || !function.template_parameters.is_empty()
                || function.record.is_some_and(of_record)
        };
        match slot {
            Slot::Field(id) => of_record(program.field(id).record),
            Slot::Result(id) => of_function(id),
            Slot::Variable(id) => {
                let variable = program.variable(id);
                variable.record.is_some_and(of_record) || variable.function.is_some_and(of_function)
            }
        }
    }

    /// Whether the types of a storage's members mean the same behind `place` as behind the struct.
    fn are_members_known(
        &self,
        storage: &Storage,
        own: &layoutc_syntax::Record,
        place: Span,
        order: &FileOrder,
    ) -> bool {
        let program = self.program;
        let is_known = |name: &str| {
            let found = tokens(name);
            let mut words = found.iter().filter(|token| token.kind == TokenKind::Identifier);
            let library = name.split_once("::").map_or("", |(library, _)| library);
            let mut libraries = program.files.iter().flat_map(|file| &file.libraries);
            words.all(|word| BUILT_IN.contains(&word.text(name)))
                || libraries.any(|(directive, own)| {
                    *own == library && order.obstacle(place, *directive).is_none()
                })
                || program.declarations.iter().any(|other| {
                    let is_around =
                        name.contains("::") || own.namespaces.starts_with(&other.namespaces);
                    is_around
                        && program.text(other.specifier) == name
                        && order.obstacle(place, other.span).is_none()
                        && !self.stands_inside(other.span)
                })
        };
        storage
            .shape
            .shape
            .leaves
            .iter()
            .all(|leaf| is_known(leaf.type_name.trim_end_matches('*').trim()))
    }

    /// The edits that declare or define types in front of their structs, which then have a guard behind them, too.
    pub(super) fn place_types_ahead(
        &mut self,
        declared: &mut [Option<Declarations>],
        macros: &BTreeSet<String>,
    ) -> (Vec<Edit>, Vec<Refused>) {
        let program = self.program;
        let (mut edits, mut refused) = (Vec::new(), Vec::new());
        for (at, ahead) in std::mem::take(&mut self.ahead) {
            let Some(own) = declared.get_mut(at).and_then(Option::as_mut) else { continue };
            let (record, storage) = &self.storages[at];
            if storage.is_handle {
                let wish = format!("{}_TYPES", storage.prefix.to_uppercase());
                own.guard_types(&self.names.fresh(&wish));
            }
            let around = Surroundings::of(program, macros, &self.names, Some(*record));
            for place in &ahead {
                let text = match storage.is_handle {
                    true => own.of(Part::Types),
                    false => storage.in_space(&format!("struct {};\n", storage.type_name)),
                };
                let text = match settle(&text, &around) {
                    Ok(text) => host_files::types_in_header(program, storage, place.file, text),
                    Err(clash) => {
                        let own = self.storage_of.iter().filter(|(_, own)| **own == at);
                        refused.extend(own.map(|(class, _)| (*class, clash.pin(program, *place))));
                        continue;
                    }
                };
                // What stands behind the declaration on its line would belong to the directive.
                let file = program.sources.file(place.file);
                let line = file.line_range(place.end as usize);
                let is_last = file.text()[place.end as usize..line.end].trim().is_empty();
                let end = if is_last { "" } else { "\n" };
                let text = format!("\n{}{end}", text.trim_matches('\n'));
                let text = self.with_newlines(*place, text);
                edits.push(Edit::host_call(place.at_end(), text));
            }
            self.settled_ahead.insert(at, ahead);
        }
        (edits, refused)
    }

    /// Whether a text in front of the struct finds the type where the struct is declared.
    pub(super) fn is_ahead(&self, at: usize, text: Span, order: &FileOrder) -> bool {
        let record = self.storages[at].0;
        let definition = placement::definition(self.program, record);
        let ahead = self.settled_ahead.get(&at);
        order.obstacle(text, definition).is_some()
            && ahead.is_some_and(|ahead| {
                ahead.iter().any(|place| order.obstacle(text, *place).is_none())
            })
    }

    /// Refuses storages of which text in front of the struct uses more than what is declared there.
    pub(super) fn check_ahead(
        &self,
        declared: &[Option<Declarations>],
        versions: impl Fn(usize) -> String,
        edits: &[Edit],
        order: &FileOrder,
    ) -> Vec<Refused> {
        let program = self.program;
        let mut refused = Vec::new();
        for at in self.settled_ahead.keys() {
            let Some(own) = &declared[*at] else { continue };
            let (record, _) = &self.storages[*at];
            let definition = placement::definition(program, *record);
            let types = host_files::words(&own.of(Part::Types), &self.names);
            let all = host_files::words(&format!("{}{}", own.whole(), versions(*at)), &self.names);
            let early = edits.iter().find(|edit| {
                let used = host_files::words(&edit.text, &self.names);
                !edit.is_generated
                    && used.iter().any(|word| all.contains(word) && !types.contains(word))
                    && order.obstacle(edit.span, definition).is_some()
            });
            if let Some(edit) = early {
                let message = "this stands in front of the struct, where it is only declared";
                let own = self.storage_of.iter().filter(|(_, own)| *own == at);
                refused.extend(
                    own.map(|(class, _)| (*class, pin(edit.span, Code::DECLARATION_FORM, message))),
                );
            }
        }
        refused
    }

    /// Whether a text stands in a function or class.
    fn stands_inside(&self, span: Span) -> bool {
        let bodies = self.program.functions.iter().filter_map(|function| function.body);
        let mut bodies = bodies.map(|body| self.program.stmt(body).span);
        let mut classes = self.program.records.iter().filter_map(|record| record.body);
        bodies.any(|body| body.contains(span)) || classes.any(|body| body.contains(span))
    }

    /// Whether another record could be meant by the same name in some compilation. One without a body in the same namespace is
    /// the same.
    fn has_namesake(&self, record: RecordId) -> bool {
        let own = self.program.record(record);
        self.program.record_ids().any(|other| {
            let twin = self.program.record(other);
            let is_declaration = twin.body.is_none() && twin.namespaces == own.namespaces;
            other != record && twin.name == own.name && !twin.is_local && !is_declaration
        })
    }
}
