//! What items of containers are.
//!
//! Items of `std::vector<T>` that are plain data are not followed: `v[i]`, `e` in `for (auto &e : v)` and their members have no
//! type in the program. What they are is known all the same, and so is what they are not: objects that hold an array.

use layoutc_syntax::{
    ExprId, ExprKind, FieldId, NameRef, Program, QualType, RecordId, StmtKind, TypeKind, VarId,
};
use std::collections::BTreeMap;

/// How deep members, subscripts and variables are followed.
const DEPTH: usize = 16;

/// The types of items.
pub(super) struct HostItems<'p> {
    program: &'p Program,
    /// What the loops over ranges run over, by their variables.
    ranges: BTreeMap<VarId, ExprId>,
}

impl<'p> HostItems<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let ranges = program.stmts.iter().filter_map(|stmt| match &stmt.kind {
            // Several names take an item apart.
            StmtKind::ForRange { variable, range, .. } => match variable[..] {
                [variable] => Some((variable, *range)),
                _ => None,
            },
            _ => None,
        });
        HostItems { program, ranges: ranges.collect() }
    }

    /// The type of an expression, also if it is an item or a part of one; none if it is not known.
    pub(super) fn type_of(&self, expr: ExprId) -> Option<QualType> {
        self.followed(expr, DEPTH)
    }

    fn followed(&self, expr: ExprId, depth: usize) -> Option<QualType> {
        let program = self.program;
        let depth = depth.checked_sub(1)?;
        let own = program.types.strip_reference(program.expr(expr).ty);
        if !matches!(program.types.kind(own.id), TypeKind::Unknown) {
            return Some(own);
        }
        match program.expr(expr).kind {
            ExprKind::Paren(inner) => self.followed(inner, depth),
            ExprKind::Index { base, .. } => {
                let list = self.followed(base, depth)?;
                program.types.pointee(list.id).or_else(|| self.item_of(list))
            }
            ExprKind::Member { base, arrow: false, field: None, name, .. } => {
                let object = self.followed(base, depth)?;
                let record = program.types.as_record(object.id)?;
                let field = self.field(record, program.text(name))?;
                Some(program.types.strip_reference(program.field(field).ty))
            }
            ExprKind::Call { callee, .. } => {
                let callee = program.strip_parens(callee);
                let ExprKind::Member { base, arrow: false, field: None, name, .. } =
                    program.expr(callee).kind
                else {
                    return None;
                };
                matches!(program.text(name), "front" | "back" | "at")
                    .then(|| self.item_of(self.followed(base, depth)?))?
            }
            ExprKind::Name(NameRef::Variable(id)) => {
                let variable = program.variable(id);
                if !variable.is_auto {
                    return None;
                }
                match (variable.init, self.ranges.get(&id)) {
                    (Some(init), None) => self.followed(init, depth),
                    (None, Some(range)) => {
                        let list = self.followed(*range, depth)?;
                        match *program.types.kind(list.id) {
                            TypeKind::Array(of, _) => Some(of),
                            _ => self.item_of(list),
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What the items of a container of the standard library, or of thrust in host memory, are.
    fn item_of(&self, list: QualType) -> Option<QualType> {
        let types = &self.program.types;
        let TypeKind::Named(name, mentioned) = types.kind(types.strip_reference(list).id) else {
            return None;
        };
        let name = name.trim_start_matches("::").trim_start_matches("std::");
        (matches!(name, "vector" | "array" | "deque" | "host_vector")
            && self.program.is_library_class(name))
        .then(|| mentioned.first().map(|item| QualType::plain(*item)))?
    }

    /// The member of that name; none if the record may have another one of it.
    fn field(&self, record: RecordId, name: &str) -> Option<FieldId> {
        let own = self.program.record(record);
        if !own.bases.is_empty() || own.unmodelled_members.contains(name) {
            return None;
        }
        let mut found = own.fields.iter().filter(|id| self.program.field(**id).name == name);
        let first = *found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Whether `base.name`, whose object has no type in the program, is certainly none of the members.
    pub(super) fn is_another(
        &self,
        base: ExprId,
        arrow: bool,
        name: &str,
        is_one: impl Fn(FieldId) -> bool,
    ) -> bool {
        if arrow {
            return false;
        }
        let Some(ty) = self.type_of(base) else { return false };
        match self.program.types.kind(ty.id) {
            TypeKind::Record(record) => {
                self.field(*record, name).is_some_and(|field| !is_one(field))
            }
            TypeKind::Scalar(_) | TypeKind::Vector(_) | TypeKind::Enum(..) => true,
            _ => false,
        }
    }
}
