//! Pointers to member arrays, which become pointers to the elements around them.

use super::Rewriter;
use super::declarations::Declared;
use crate::edit::Edit;
use layoutc_diagnostics::Span;
use layoutc_syntax::{Declaration, ExprId, ExprKind, FunctionId, MemberRow, VarId};

impl Rewriter<'_> {
    /// Whether a declaration is that of a pointer to a member array of aligned records, which stays as it is.
    pub(super) fn keeps_row(&self, declared: &Declared) -> bool {
        declared.variable.is_some_and(|id| self.program.rows.variables.contains_key(&id))
            && self.storage(declared.class).is_some_and(|storage| storage.is_record)
    }

    /// `const float *f`, `const float (&f)[19]` and `auto *f` become `const NodeTile32 *f` with a companion.
    pub(super) fn row_declaration(
        &mut self,
        declaration: &Declaration,
        declared: &Declared,
        variable: VarId,
    ) {
        let Some(storage) = self.storage(declared.class) else { return };
        let own = self.program.variable(variable);
        let is_parameter = matches!(own.storage, layoutc_syntax::Storage::Parameter { .. });
        let is_const = self.program.types.pointee(own.ty.id).is_some_and(|to| to.is_const);
        let ty = self.specifier_text(declaration, self.storage_of[&declared.class]);
        let name = self.program.text(declared.site.name);
        let mut text = match (storage.is_handle, is_const) {
            (true, _) => format!("{ty} {name}"),
            (false, true) => format!("const {ty} *{name}"),
            (false, false) => format!("{ty} *{name}"),
        };
        let start = declaration.span.start.min(declared.site.span.start);
        let end = if is_parameter { declaration.span.end } else { declared.site.span.end };
        let end = end.max(declared.site.span.end).max(declared.site.name.end);
        let span = Span { start, end, ..declared.site.span };
        if is_parameter {
            if let Some((companion, width)) = self.indices.get(&variable) {
                text.push_str(&format!(", {width} {companion}"));
            }
            self.push(Edit::replace(span, text));
            return;
        }
        self.push(Edit::replace(span, text));
        self.local_companion(declared, variable, false);
    }

    /// Whether an earlier copy of the same function has the same parameters, and rows of other members: the word
    /// that tells this one apart.
    pub(super) fn row_word(&self, id: FunctionId) -> Option<&str> {
        let program = self.program;
        let own = program.function(id);
        let original = own.copy_of.as_ref()?.original;
        let rows = |id: FunctionId| -> Vec<Option<&MemberRow>> {
            let parameters = program.function(id).parameters.iter();
            parameters.map(|parameter| program.rows.variables.get(parameter)).collect()
        };
        let rows_of = rows(id);
        let has_twin = program.function_ids().any(|other| {
            let is_copy = match &program.function(other).copy_of {
                Some(copy) => copy.original == original,
                None => other == original,
            };
            other < id && is_copy && rows(other) != rows_of
        });
        let last = rows_of.iter().flatten().last()?.path.last()?;
        has_twin.then(|| program.field(*last).name.as_str())
    }

    /// A pointer to a member array where the array stays whole: `f[q]` is `p[i].f[q]` then.
    pub(super) fn row_of_unit(&mut self, expr: ExprId) -> Option<String> {
        if matches!(self.program.expr(expr).kind, ExprKind::Paren(_)) {
            return None;
        }
        let row = self.program.row_of(expr)?.clone();
        let class = self.changed_pointer(expr)?;
        let storage = self.storage(class).filter(|storage| !storage.is_record)?;
        let (parent, position) = self.parents.of(self.outermost(expr))?;
        let is_accessed = match self.program.expr(parent).kind {
            ExprKind::Index { .. } => position == 0,
            ExprKind::Deref(_) => true,
            _ => false,
        };
        let leaf = storage.shape.leaf_around(&row.path).filter(|_| is_accessed)?;
        let text = self.leaf_of(expr, class, leaf, &[])?;
        let behind = &row.path[storage.shape.members[leaf].path.len()..];
        let members = behind.iter().map(|field| format!(".{}", self.program.field(*field).name));
        let fixed = row.fixed.iter().map(|at| format!("[{at}]"));
        Some(format!("{text}{}", members.chain(fixed).collect::<String>()))
    }
}
