//! Restrict-qualified copies of a handle's pointers.
//!
//! With one pointer per member nvcc must assume that a store through one changes what another
//! points to; the members of one array never overlap, and saying so gives back the loads that the
//! array of structs had. The claim also holds against everything else: the memory of a class is
//! reached only through its slots, and the function has one slot and hands it to nobody.

use super::Rewriter;
use crate::edit::Edit;
use crate::storage::{GroupKind, Storage};
use layoutc_dataflow::classes::{ClassId, PlaceKind, Slot};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, NameRef, StmtKind, TypeKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A copy of one pointer of a handle.
pub(super) struct LocalCopy {
    name: String,
    function: FunctionId,
    declaration: String,
    /// Whether an access was written with it.
    is_used: bool,
}

impl Rewriter<'_> {
    /// Finds the copies that kernels may have.
    pub(super) fn local_pointers(&mut self) {
        let mut mentions: BTreeMap<VarId, Vec<ExprId>> = BTreeMap::new();
        for id in self.program.expr_ids() {
            if let ExprKind::Name(NameRef::Variable(variable)) = self.program.expr(id).kind {
                mentions.entry(variable).or_default().push(id);
            }
        }
        let mut declared: BTreeMap<FunctionId, BTreeSet<&str>> = BTreeMap::new();
        for variable in &self.program.variables {
            if let Some(function) = variable.function {
                declared.entry(function).or_default().insert(&variable.name);
            }
        }
        for function in self.program.function_ids() {
            if self.program.function(function).space == layoutc_syntax::ExecutionSpace::Kernel {
                let mut names = declared.remove(&function).unwrap_or_default();
                let own = &self.program.function(function).template_parameters;
                names.extend(own.iter().map(String::as_str));
                self.local_pointers_of(function, &mentions, &names);
            }
        }
    }

    fn local_pointers_of(
        &mut self,
        function: FunctionId,
        mentions: &BTreeMap<VarId, Vec<ExprId>>,
        declared: &BTreeSet<&str>,
    ) {
        let Some(body) = self.program.function(function).body else { return };
        let StmtKind::Block(_) = self.program.stmt(body).kind else { return };
        for parameter in self.program.function(function).parameters.clone() {
            let Some(class) = self.changed_slot(Slot::Variable(parameter)) else { continue };
            let has_pointers = |storage: &&Storage| storage.is_handle || storage.is_sectioned();
            let Some(storage) = self.storage(class).filter(has_pointers) else {
                continue;
            };
            let Some(leaves) = self.only_leaf_accesses(function, class, parameter, mentions) else {
                continue;
            };
            let groups: BTreeSet<usize> =
                leaves.iter().map(|leaf| storage.group_of(*leaf)).collect();
            let name = self.program.variable(parameter).name.clone();
            let is_const = matches!(*self.program.types.kind(self.program.variable(parameter).ty.id), TypeKind::Pointer(to) if to.is_const);
            for group in groups {
                let own = &storage.groups[group];
                let item = match &own.kind {
                    GroupKind::Struct { struct_name } | GroupKind::Tile { struct_name, .. } => {
                        format!("{}{struct_name}", storage.qualifier)
                    }

                    GroupKind::Array => {
                        let leaf = own.leaves[0];
                        let plain = storage.shape.shape.leaves[leaf].extents.is_empty()
                            && storage.shape.members[leaf].unit_dimensions.is_empty();
                        if !plain {
                            continue;
                        }
                        storage.shape.shape.leaves[leaf].type_name.clone()
                    }
                };
                let local = self.names.fresh_local(&format!("{name}_{}", own.handle_member));
                // A name that the kernel declares hides the type.
                let is_hidden =
                    tokens(&item).iter().any(|token| declared.contains(token.text(&item)));
                if is_hidden && storage.is_opencl {
                    continue;
                }
                // So may a type of the struct's namespace have no such name here.
                let is_distant = matches!(own.kind, GroupKind::Array)
                    && self.is_elsewhere(function, class)
                    && !is_built_in(&item);
                let item = if is_hidden || is_distant { "auto".to_owned() } else { item };
                // The items are constant, not what they point to.
                let is_pointer = item.ends_with('*');
                let (constant, item) = match (is_const, is_pointer) {
                    (true, true) => ("", format!("{item}const")),
                    (true, false) => ("const ", item),
                    (false, _) => ("", item),
                };
                let space = if item.ends_with('*') { "" } else { " " };
                let declaration = if storage.is_opencl {
                    let section = &own.section_function;
                    format!(
                        "__global {constant}{item}{space}*restrict {local} = {section}({name});"
                    )
                } else {
                    let member = &own.handle_member;
                    format!("{constant}{item}{space}*__restrict__ {local} = {name}.{member};")
                };
                let copy = LocalCopy { name: local, function, declaration, is_used: false };
                self.local_copies.insert((parameter, group), copy);
            }
        }
    }

    /// Whether a function stands in another namespace than the element's struct.
    fn is_elsewhere(&self, function: FunctionId, class: ClassId) -> bool {
        let site = self.program.function(function).sites.first();
        let within = site.and_then(|site| self.program.declaration_of(&site.result));
        let record = self.classes.class(class).element.record();
        let of_struct = record.map(|record| &self.program.record(record).namespaces);
        match (within, of_struct) {
            (Some(within), Some(of_struct)) => within.namespaces != *of_struct,
            _ => true,
        }
    }

    /// The copy of a group's pointer, for an access through a slot.
    pub(super) fn local_copy(&mut self, slot: VarId, group: usize) -> Option<String> {
        let copy = self.local_copies.get_mut(&(slot, group))?;
        copy.is_used = true;
        Some(copy.name.clone())
    }

    /// Declares, at the start of each kernel, the copies that its accesses were written with.
    pub(super) fn declare_local_copies(&mut self) {
        let mut lines: BTreeMap<FunctionId, Vec<String>> = BTreeMap::new();
        let copies = std::mem::take(&mut self.local_copies);
        let written = self.written_words(copies.values().map(|copy| copy.function).collect());
        for copy in copies.into_values() {
            // What an access was written for may have been left out since.
            let is_written = |function| {
                written.get(&function).is_some_and(|words| words.contains(copy.name.as_str()))
            };
            if copy.is_used && (is_written(Some(copy.function)) || is_written(None)) {
                lines.entry(copy.function).or_default().push(copy.declaration);
            }
        }
        for (function, lines) in lines {
            let Some(body) = self.program.function(function).body else { continue };
            let span = self.program.stmt(body).span;
            let file = self.program.sources.file(span.file);
            let newline = if file.text().contains("\r\n") { "\r\n" } else { "\n" };
            let indent = self.indent_of(body);
            let text: String =
                lines.iter().flat_map(|line| [newline, &indent, line.as_str()]).collect();
            let open = layoutc_diagnostics::Span { end: span.start + 1, ..span };
            self.owner = self.program.function(function).copy_of.is_some().then_some(function);
            self.push(Edit::replace(open.at_end(), text));
            self.owner = None;
        }
    }

    /// The words of all edits: of those in the bodies of some functions, and of all others, which macros may
    /// bring into a function.
    fn written_words(
        &self,
        functions: BTreeSet<FunctionId>,
    ) -> BTreeMap<Option<FunctionId>, BTreeSet<String>> {
        let mut bodies: Vec<(layoutc_diagnostics::Span, FunctionId)> = Vec::new();
        let mut found: BTreeMap<Option<FunctionId>, BTreeSet<String>> = BTreeMap::new();
        let mut add = |function: Option<FunctionId>, text: &str| {
            let words = found.entry(function).or_default();
            let identifiers =
                tokens(text).into_iter().filter(|token| token.kind == TokenKind::Identifier);
            words.extend(identifiers.map(|token| token.text(text).to_owned()));
        };
        for function in functions {
            let own = self.program.function(function);
            match own.copy_of {
                Some(_) => {
                    let edits = self.versions.edits.get(&function).into_iter().flatten();
                    edits.for_each(|edit| add(Some(function), &edit.text));
                }
                None => {
                    let body = own.body.map(|body| self.program.stmt(body).span);
                    bodies.extend(body.map(|body| (body, function)));
                }
            }
        }
        bodies.sort_by_key(|(body, _)| (body.file, body.start));
        for edit in &self.edits {
            let behind = bodies.partition_point(|(body, _)| {
                (body.file, body.start) <= (edit.span.file, edit.span.start)
            });
            let around = bodies[..behind].last().filter(|(body, _)| body.contains(edit.span));
            add(around.map(|(_, function)| *function), &edit.text);
        }
        self.macro_texts().for_each(|text| add(None, text));
        found
    }

    /// White space in front of the first statement of a block.
    fn indent_of(&self, body: layoutc_syntax::StmtId) -> String {
        let StmtKind::Block(statements) = &self.program.stmt(body).kind else {
            return String::new();
        };
        let Some(first) = statements.first() else { return "    ".to_owned() };
        let span = self.program.stmt(*first).span;
        let file = self.program.sources.file(span.file);
        let line = file.line_range(span.start as usize);
        let before = &file.text()[line.start..span.start as usize];
        if before.trim().is_empty() { before.to_owned() } else { "    ".to_owned() }
    }

    /// The leaves that a function accesses through a slot, if it does nothing else with it and
    /// reaches the class through no other slot.
    fn only_leaf_accesses(
        &self,
        function: FunctionId,
        class: ClassId,
        slot: VarId,
        mentions: &BTreeMap<VarId, Vec<ExprId>>,
    ) -> Option<BTreeSet<usize>> {
        let storage = self.storage(class)?;
        if self.indices.contains_key(&slot) {
            return None;
        }
        for other in &self.classes.class(class).slots {
            match other {
                Slot::Variable(id) if *id == slot => {}
                Slot::Variable(id) => {
                    let variable = self.program.variable(*id);
                    let elsewhere = variable.function != Some(function)
                        && !(variable.storage == layoutc_syntax::Storage::Static
                            && variable.function.is_none());
                    if !elsewhere {
                        return None;
                    }
                }
                // A handle that holds the pointer may be passed in as well.
                Slot::Field(_) => return None,
                Slot::Result(_) => {}
            }
        }
        let mut leaves = BTreeSet::new();
        for mention in mentions.get(&slot).into_iter().flatten() {
            leaves.insert(self.accessed_leaf(storage, *mention)?);
        }
        Some(leaves)
    }

    /// The leaf for whose access the name of a pointer is the base.
    fn accessed_leaf(&self, storage: &Storage, mention: ExprId) -> Option<usize> {
        let mut at = mention;
        loop {
            let (parent, position) = self.parents.of(at)?;
            // The text of a macro's body, which serves other functions too, cannot name the copy.
            if !self.is_own_text(at) || self.is_other_text(parent) {
                return None;
            }
            match self.program.expr(parent).kind {
                ExprKind::Paren(_) | ExprKind::Deref(_) | ExprKind::Member { .. } => {}
                ExprKind::Index { .. } if position == 0 => {}
                ExprKind::Binary(..) if self.classes.value(parent).is_some() => {}
                _ => return None,
            }
            if let Some((_, PlaceKind::Part(path))) = self.classes.place(parent)
                && let Some(leaf) = storage.shape.leaf_at(path)
            {
                return Some(leaf);
            }
            at = parent;
        }
    }
}

/// Whether a type is made of words of the language alone.
fn is_built_in(item: &str) -> bool {
    tokens(item).iter().filter(|token| token.kind == TokenKind::Identifier).all(|token| {
        matches!(
            token.text(item),
            "bool"
                | "char"
                | "const"
                | "double"
                | "float"
                | "int"
                | "long"
                | "short"
                | "signed"
                | "unsigned"
        )
    })
}
