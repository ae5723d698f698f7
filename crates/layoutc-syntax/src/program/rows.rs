//! Pointers to member arrays that stand for the element around the array.
//!
//! `const float *f = p[i].f;` with nothing but `f[q]` behind it says the same as `const T *f = &p[i];` with
//! `f->f[q]`. The model holds the second: the variable has the type `const T *`, the path of the member is kept
//! here, and `p[i].f` is a pointer to the element. The text is that of the source.

use super::{ExprId, ExprKind, FieldId, NameRef, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What such a pointer leads to, from the element on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MemberRow {
    /// The path of the member.
    pub path: Vec<FieldId>,
    /// The first subscripts, of a row of a member array with several extents: 1 for `p[i].m[1]`.
    pub fixed: Vec<u64>,
}

/// All such pointers of a program.
#[derive(Clone, Default, Debug)]
pub struct MemberRows {
    /// The variables and parameters, with what each leads to.
    pub variables: BTreeMap<VarId, MemberRow>,
    /// What flows into them (`p[i].f`, `&p[i].f[0]`, `q->f`), with the element or the pointer to it.
    pub starts: BTreeMap<ExprId, ExprId>,
    /// What lies between an address and its element: `p[i].f[0]` and `p[i].f` of `&p[i].f[0]`.
    pub inside: BTreeSet<ExprId>,
}

impl Program {
    /// What an expression leads to if it names a pointer to a member array, behind parentheses.
    #[must_use]
    pub fn row_of(&self, expr: ExprId) -> Option<&MemberRow> {
        match self.expr(self.strip_parens(expr)).kind {
            ExprKind::Name(NameRef::Variable(id)) => self.rows.variables.get(&id),
            _ => None,
        }
    }

    /// The element, or the pointer to it, that a pointer to a member array begins with.
    #[must_use]
    pub fn row_start(&self, expr: ExprId) -> Option<ExprId> {
        self.rows.starts.get(&expr).copied()
    }
}
