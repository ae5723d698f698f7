//! Null pointers that make objects.
//!
//! `Buffer b = nullptr;` calls `Buffer(P *)`. Where the array has several pointers no null pointer converts to them, so that
//! this calls another constructor or none.

use super::Rewriter;
use layoutc_dataflow::classes::{Callee, ClassId, Slot, constructor_of, record_of, resolve_callee};
use layoutc_diagnostics::Code;
use layoutc_syntax::{ExprId, ExprKind, Field, QualType, RecordId, RecordTrait, TypeKind};
use std::collections::{BTreeMap, BTreeSet};

/// A constructor that takes an array of several pointers.
struct Maker {
    class: ClassId,
    /// The parameter's position.
    at: usize,
    /// One argument is enough.
    converts: bool,
}

impl Rewriter<'_> {
    /// Refuses arrays that objects are made from by null pointers which are not rewritten.
    pub(super) fn nulls_that_make_objects(&mut self) {
        let makers = self.makers();
        let holders = self.holders_by_position();
        if makers.is_empty() && holders.is_empty() {
            return;
        }
        self.null_members(&makers, &holders);
        self.nulls_in_regions(&makers, &holders);
        // What members and parameters that are pointers start with makes no object.
        let is_pointer = |ty: QualType| self.program.types.pointee(ty.id).is_some();
        let fields = self.program.fields.iter();
        let fields = fields.filter(|field| is_pointer(field.ty) || self.is_of_others(field));
        let fields = fields.filter_map(|field| field.null_initializer).flat_map(|value| {
            let items = match &self.program.expr(value).kind {
                ExprKind::InitList(items) => items.to_vec(),
                _ => Vec::new(),
            };
            items.into_iter().chain([value])
        });
        let defaults =
            self.program.default_arguments.iter().filter_map(|(parameter, (value, _))| {
                let ty = self.program.variable(*parameter).ty;
                self.program.types.pointee(ty.id).map(|_| *value)
            });
        let plain: BTreeSet<ExprId> = fields.chain(defaults).collect();
        let ids: Vec<ExprId> = self.program.expr_ids().filter(|id| !plain.contains(id)).collect();
        for expr in ids {
            let is_null = match self.program.expr(expr).kind {
                ExprKind::Null => true,
                ExprKind::Integer(Some(0)) => false,
                _ => continue,
            };
            if self.receiving_class(expr).is_some() || self.is_in_text_of_others(expr) {
                continue;
            }
            let class = self
                .made_by_null(expr, is_null, &makers)
                .or_else(|| self.filled_by_null(expr, is_null, &holders));
            if let Some(class) = class {
                let span = self.program.expr(expr).span;
                let message = "this makes an object that holds the array, which no null pointer would convert to";
                self.refuse(class, Code::POINTER_EXPRESSION, span, message);
            }
        }
    }

    /// Whether a member cannot hold the program's objects: its type is a name that the program does not declare, such as
    /// `cudaStream_t`, or it is one of a class in a header of others.
    fn is_of_others(&self, field: &Field) -> bool {
        let program = self.program;
        let record = program.record(field.record);
        let is_template = record.instance.is_some() || record.shares_text;
        if program.is_foreign(field.site.span.file) && !is_template {
            return true;
        }
        let TypeKind::Named(name, mentioned) = program.types.kind(field.ty.id) else {
            return false;
        };
        let name = name.rsplit("::").next().unwrap_or(name);
        mentioned.is_empty()
            && program.records.iter().all(|own| own.name != name)
            && program.aliases.iter().all(|(own, ..)| own != name)
    }

    /// Whether it stands in a header of others and in no template of one: what it makes is no object of the program.
    fn is_in_text_of_others(&self, expr: ExprId) -> bool {
        let program = self.program;
        let span = program.expr(expr).span;
        program.is_foreign(span.file)
            && !program.records.iter().any(|own| {
                let is_template = own.instance.is_some()
                    || own.shares_text
                    || own.traits.iter().any(|(which, _)| *which == RecordTrait::Template);
                is_template && own.body.is_some_and(|body| body.contains(span))
            })
    }

    /// Null pointers that members and bases start with in front of constructors' bodies.
    fn null_members(
        &mut self,
        makers: &BTreeMap<RecordId, Vec<Maker>>,
        holders: &BTreeMap<RecordId, Vec<(usize, ClassId)>>,
    ) {
        let program = self.program;
        let defaults = program.default_arguments.iter().filter_map(|(parameter, (value, _))| {
            let ty = program.types.strip_reference(program.variable(*parameter).ty);
            let values = match &program.expr(*value).kind {
                ExprKind::InitList(items) => items.to_vec(),
                _ => vec![*value],
            };
            Some((program.types.as_record(ty.id)?, values))
        });
        let all: Vec<(RecordId, Vec<ExprId>)> =
            program.member_values.iter().cloned().chain(defaults).collect();
        for (record, values) in &all {
            for (at, value) in values.iter().enumerate() {
                let inner = program.strip_parens(*value);
                if !matches!(program.expr(inner).kind, ExprKind::Null | ExprKind::Integer(Some(0)))
                {
                    continue;
                }
                let makers = makers.get(record).into_iter().flatten();
                let made = makers.filter(|maker| maker.at == at).map(|maker| maker.class);
                let own = holders.get(record).into_iter().flatten();
                let held = own.filter(|(position, _)| *position == at).map(|(_, class)| *class);
                for class in made.chain(held).collect::<BTreeSet<ClassId>>() {
                    let span = program.expr(*value).span;
                    let message = "a null pointer makes this member, which holds the array";
                    self.refuse(class, Code::POINTER_EXPRESSION, span, message);
                }
            }
        }
    }

    /// Null pointers in text outside the model that names a record made from one: a default argument in braces.
    fn nulls_in_regions(
        &mut self,
        makers: &BTreeMap<RecordId, Vec<Maker>>,
        holders: &BTreeMap<RecordId, Vec<(usize, ClassId)>>,
    ) {
        let program = self.program;
        let is_null = |word: &&String| matches!(word.as_str(), "nullptr" | "NULL");
        for region in &program.regions {
            if program.is_foreign(region.span.file)
                || !region.identifiers.iter().any(|word| is_null(&word))
            {
                continue;
            }
            let is_named =
                |record: &RecordId| region.identifiers.contains(&program.record(*record).name);
            let made = makers.iter().filter(|(record, _)| is_named(record));
            let made = made.flat_map(|(_, own)| own.iter().map(|maker| maker.class));
            let held = holders.iter().filter(|(record, _)| is_named(record));
            let held = held.flat_map(|(_, own)| own.iter().map(|(_, class)| *class));
            for class in made.chain(held).collect::<BTreeSet<ClassId>>() {
                let message = "a null pointer may make an object here that holds the array";
                self.refuse(class, Code::UNMODELLED_CONSTRUCT, region.span, message);
            }
        }
    }

    /// The members that hold arrays of several pointers, by their places in records.
    fn holders_by_position(&self) -> BTreeMap<RecordId, Vec<(usize, ClassId)>> {
        let mut holders: BTreeMap<RecordId, Vec<(usize, ClassId)>> = BTreeMap::new();
        for class in self.storage_of.keys() {
            if !self.storage(*class).is_some_and(|storage| storage.is_handle) {
                continue;
            }
            for slot in &self.classes.class(*class).slots {
                let Slot::Field(field) = slot else { continue };
                let record = self.program.field(*field).record;
                if self.program.is_modelled_owner(record) {
                    continue;
                }
                let fields = &self.program.record(record).fields;
                if let Some(at) = fields.iter().position(|own| own == field) {
                    holders.entry(record).or_default().push((at, *class));
                }
            }
        }
        holders
    }

    /// The array that an item `nullptr` of a list may be the pointer of, by its place, where it is not known which object the
    /// list makes.
    fn filled_by_null(
        &self,
        expr: ExprId,
        is_null: bool,
        holders: &BTreeMap<RecordId, Vec<(usize, ClassId)>>,
    ) -> Option<ClassId> {
        let outer = self.outermost(expr);
        let (parent, position) = self.parents.of(outer)?;
        if !is_null || !matches!(self.program.expr(parent).kind, ExprKind::InitList(_)) {
            return None;
        }
        let known = self.inits.get(&parent).map(|own| self.program.variable(*own).ty);
        let known = known.or_else(|| {
            let function = self.returned.get(&parent)?;
            Some(self.program.function(*function).result)
        });
        let types = &self.program.types;
        // `P *buffers[2] = {nullptr, nullptr};` makes pointers.
        let mut item = known.map(|ty| types.strip_reference(ty));
        while let Some(TypeKind::Array(of, _)) = item.map(|ty| types.kind(ty.id)) {
            item = Some(*of);
        }
        if item.is_some_and(|ty| types.pointee(ty.id).is_some()) {
            return None;
        }
        let record = known.and_then(|ty| types.as_record(types.strip_reference(ty).id));
        let mut all: Box<dyn Iterator<Item = &(usize, ClassId)>> = match record {
            Some(record) => Box::new(holders.get(&record).into_iter().flatten()),
            None => Box::new(holders.values().flatten()),
        };
        let held = all.find(|(at, _)| *at == position)?;
        Some(held.1)
    }

    fn makers(&self) -> BTreeMap<RecordId, Vec<Maker>> {
        let mut makers: BTreeMap<RecordId, Vec<Maker>> = BTreeMap::new();
        for id in self.program.function_ids() {
            let function = self.program.function(id);
            let Some(record) = function.record else { continue };
            // Owners of the library have constructors for null pointers.
            if function.name != self.program.record(record).name
                || self.program.is_modelled_owner(record)
            {
                continue;
            }
            for (at, parameter) in function.parameters.iter().enumerate() {
                let class = self.changed_slot(Slot::Variable(*parameter));
                let is_handle = |class| self.storage(class).is_some_and(|own| own.is_handle);
                if let Some(class) = class.filter(|class| is_handle(*class)) {
                    let converts = at == 0 && function.required_parameters <= 1;
                    makers.entry(record).or_default().push(Maker { class, at, converts });
                }
            }
        }
        makers
    }

    /// The array that an object holds which a null pointer makes.
    fn made_by_null(
        &self,
        expr: ExprId,
        is_null: bool,
        makers: &BTreeMap<RecordId, Vec<Maker>>,
    ) -> Option<ClassId> {
        let program = self.program;
        let outer = self.outermost(expr);
        let converted = |ty: QualType| {
            let (record, depth) = record_of(program, program.types.strip_reference(ty))?;
            let of_record = makers.get(&record).filter(|_| depth == 0)?;
            of_record.iter().find(|maker| maker.converts).map(|maker| maker.class)
        };
        let at_position = |ty: QualType, position: usize| {
            let record = program.types.as_record(program.types.strip_reference(ty).id)?;
            makers.get(&record)?.iter().find(|maker| maker.at == position).map(|maker| maker.class)
        };
        let any =
            || makers.values().flatten().find(|maker| maker.converts).map(|maker| maker.class);
        if let Some(variable) = self.inits.get(&outer) {
            return converted(program.variable(*variable).ty);
        }
        let Some((parent, position)) = self.parents.of(outer) else {
            return match self.returned.get(&outer) {
                Some(function) => converted(program.function(*function).result),
                // The initializer of a member, or what else is not modelled.
                None => any().filter(|_| is_null),
            };
        };
        match &program.expr(parent).kind {
            ExprKind::Assign(None, left, _) if position == 1 => converted(program.expr(*left).ty),
            ExprKind::Call { callee, arguments, .. } => {
                let at = position.checked_sub(1)?;
                if let Callee::Function(function) = resolve_callee(program, *callee, arguments) {
                    let parameter = *program.function(function).parameters.get(at)?;
                    return converted(program.variable(parameter).ty);
                }
                let callee = &program.expr(program.strip_parens(*callee)).kind;
                let ExprKind::Member { base, .. } = callee else { return None };
                let list = program.types.strip_reference(program.expr(*base).ty).id;
                let is_list = matches!(program.types.kind(list), TypeKind::Named(..));
                let held = makers.iter().find(|(record, _)| program.types.mentions(list, **record));
                held.filter(|_| is_list && is_null)
                    .and_then(|(_, own)| own.iter().find(|maker| maker.converts))
                    .map(|maker| maker.class)
            }
            ExprKind::New { of, lengths, .. } => at_position(*of, position.checked_sub(*lengths)?),
            ExprKind::Construct { of, arguments }
                if constructor_of(program, *of, arguments).is_none() =>
            {
                at_position(*of, position)
            }
            ExprKind::InitList(_) => {
                let variable = self.inits.get(&parent)?;
                at_position(program.variable(*variable).ty, position)
            }
            ExprKind::Opaque(_) => any().filter(|_| is_null),
            _ => None,
        }
    }
}
