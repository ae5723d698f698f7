//! Member functions of instances that nothing uses.
//!
//! A compiler instantiates a member function of a class template when something uses it, and so does the model: the body of
//! one that nothing names is not lowered. What might use it unseen (text outside the model, a macro, a base class, a loop
//! over the object, an access to an object of unknown type) counts as a use of everything with that name.

use super::Lowering;
use super::pasted::identifiers;
use crate::preprocess::has_directive;
use crate::program::{ExprKind, FunctionId, NameRef, RecordId, RecordTrait, StmtKind};
use crate::types::TypeKind;
use std::collections::{BTreeSet, HashSet};

/// What the expressions that were looked at name.
#[derive(Default)]
pub(crate) struct NamedMembers {
    functions: HashSet<FunctionId>,
    /// Names of members and functions that are not resolved.
    names: HashSet<String>,
    /// Words of text outside the model, and of explicit instantiations: one that names a class makes all of its members.
    words: HashSet<String>,
    /// Records over which loops run.
    ranges: HashSet<RecordId>,
    /// There is a loop over something whose type is not known.
    has_open_range: bool,
    /// How many expressions and statements were looked at.
    seen: (usize, usize),
    has_macros: bool,
}

impl<'t> Lowering<'t> {
    /// Looks at what was lowered since the last call.
    pub(super) fn note_named_members(&mut self) {
        let mut named = std::mem::take(&mut self.templates.classes.named);
        let program = &self.program;
        if !std::mem::replace(&mut named.has_macros, true) {
            let words = program.macros.iter().flat_map(|def| &def.body_identifiers);
            named.names.extend(words.cloned());
            for (file, node) in &self.explicit_instantiations {
                let text = &self.preprocessed.files[file.index()].masked[node.byte_range()];
                named.words.extend(identifiers(text).map(str::to_owned));
            }
        }
        for expr in &program.exprs[named.seen.0..] {
            match &expr.kind {
                ExprKind::Member { methods, .. } if !methods.is_empty() => {
                    named.functions.extend(methods.iter().copied());
                }
                ExprKind::Member { base, arrow, field: None, name, .. } => {
                    let ty = program.types.strip_reference(program.expr(*base).ty);
                    let is_of_library = !arrow
                        && matches!(program.types.kind(ty.id), TypeKind::Named(class, _) if program.is_library_class(class));
                    if !is_of_library {
                        // `b.Buffer<P>::end`
                        let words = identifiers(program.text(*name));
                        named.names.extend(words.map(str::to_owned));
                    }
                }
                ExprKind::Name(NameRef::Functions(functions)) => {
                    named.functions.extend(functions.iter().copied());
                }
                ExprKind::Name(NameRef::Unknown(name)) => {
                    named.names.extend(identifiers(name).map(str::to_owned));
                }
                // Its operands are expressions of their own; what else it names is text.
                ExprKind::Opaque(_) => {
                    let words = identifiers(program.text(expr.span));
                    named.names.extend(words.map(str::to_owned));
                }
                // These name nothing but what their operands name. Constructors and operators always count as used.
                ExprKind::Name(NameRef::Variable(_) | NameRef::Constant(_) | NameRef::Macro(_))
                | ExprKind::Member { field: Some(_), .. }
                | ExprKind::Integer(_)
                | ExprKind::Literal
                | ExprKind::Null
                | ExprKind::This
                | ExprKind::Paren(_)
                | ExprKind::Unary(..)
                | ExprKind::Deref(_)
                | ExprKind::AddressOf(_)
                | ExprKind::Binary(..)
                | ExprKind::Assign(..)
                | ExprKind::Conditional(..)
                | ExprKind::Comma(..)
                | ExprKind::Index { .. }
                | ExprKind::Call { .. }
                | ExprKind::Launch { .. }
                | ExprKind::MacroCall { .. }
                | ExprKind::Cast { .. }
                | ExprKind::SizeOfType { .. }
                | ExprKind::SizeOfExpr(_)
                | ExprKind::OffsetOf(_)
                | ExprKind::New { .. }
                | ExprKind::Delete(_)
                | ExprKind::InitList(_)
                | ExprKind::Construct { .. }
                | ExprKind::Lambda { .. } => {}
            }
        }
        for stmt in &program.stmts[named.seen.1..] {
            if let StmtKind::Opaque { .. } = stmt.kind {
                named.names.extend(identifiers(program.text(stmt.span)).map(str::to_owned));
            }
            let StmtKind::ForRange { range, .. } = stmt.kind else { continue };
            let ty = program.types.strip_reference(program.expr(range).ty);
            match *program.types.kind(ty.id) {
                TypeKind::Record(record) => {
                    named.ranges.insert(record);
                }
                TypeKind::Array(..) | TypeKind::Named(..) => {}
                _ => named.has_open_range = true,
            }
        }
        for region in &program.regions {
            named.words.extend(identifiers(program.text(region.span)).map(str::to_owned));
            named.words.extend(region.identifiers.iter().cloned());
        }
        named.seen = (program.exprs.len(), program.stmts.len());
        self.templates.classes.named = named;
    }

    /// Whether something may use a member function of an instance.
    pub(super) fn may_be_used(&self, method: FunctionId, record: RecordId) -> bool {
        let program = &self.program;
        let named = &self.templates.classes.named;
        let (own, class) = (program.function(method), program.record(record));
        // A directive may belong to another outside of its text.
        let has_directive = || own.sites.iter().any(|site| has_directive(program.text(site.span)));
        let is_special = own.record.is_none()
            || own.name == class.name
            || own.name.starts_with(['~', '('])
            || own.name.starts_with("operator")
            // Functions of the library call these.
            || (program.is_modelled_owner(record) && matches!(own.name.as_str(), "get" | "swap" | "reset" | "take_"))
            || program.accessors.contains_key(&method)
            || program.index_accessors.contains_key(&method)
            || matches!(program.types.kind(own.result.id), TypeKind::Unknown);
        let is_of_loops = matches!(own.name.as_str(), "begin" | "end")
            && (named.has_open_range || named.ranges.contains(&record));
        let is_open = class.traits.iter().any(|(which, _)| {
            matches!(which, RecordTrait::Virtual | RecordTrait::Bases | RecordTrait::Template)
        });
        let is_base = || program.records.iter().any(|other| other.bases.contains(&record));
        is_special
            || is_of_loops
            || is_open
            || named.functions.contains(&method)
            || named.names.contains(&own.name)
            || named.words.contains(&own.name)
            || named.words.contains(&class.name)
            || is_base()
            || has_directive()
    }

    /// Notes the member functions that nothing used, once all else is lowered.
    pub(super) fn leave_unused_members(&mut self) {
        let left: BTreeSet<(RecordId, FunctionId)> =
            std::mem::take(&mut self.templates.classes.waiting)
                .into_iter()
                .map(|(method, _, record)| (record, method))
                .collect();
        for (record, method) in left {
            if let Some(instance) = &mut self.program.records[record.index()].instance {
                instance.unused.insert(method);
                self.program.functions[method.index()].is_deleted = true;
            }
        }
    }
}
