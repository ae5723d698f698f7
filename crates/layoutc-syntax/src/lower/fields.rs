//! The fields of syntax nodes, by number.
//!
//! tree-sitter finds a field by its name in a list of all names, each time; lowering asks for several
//! fields of every node.

use std::num::NonZeroU16;
use std::sync::LazyLock;
use tree_sitter::{Language, Node};

macro_rules! fields {
    ($($field:ident: $name:literal,)*) => {
        /// A field of the grammar.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum FieldName {
            $($field,)*
        }

        const NAMES: &[&str] = &[$($name,)*];
    };
}

fields! {
    Alternative: "alternative",
    Argument: "argument",
    Arguments: "arguments",
    Base: "base",
    Body: "body",
    Captures: "captures",
    Condition: "condition",
    Consequence: "consequence",
    Declarator: "declarator",
    DefaultType: "default_type",
    DefaultValue: "default_value",
    Designator: "designator",
    Field: "field",
    Function: "function",
    Indices: "indices",
    Initializer: "initializer",
    Label: "label",
    Left: "left",
    Length: "length",
    Name: "name",
    Operator: "operator",
    Parameters: "parameters",
    Placement: "placement",
    Right: "right",
    Scope: "scope",
    Size: "size",
    Type: "type",
    Update: "update",
    Value: "value",
}

static IDS: LazyLock<Vec<Option<NonZeroU16>>> = LazyLock::new(|| {
    let language = Language::from(tree_sitter_cuda::LANGUAGE);
    NAMES.iter().map(|name| language.field_id_for_name(name)).collect()
});

/// What nodes hold in fields.
pub(crate) trait Fields<'t> {
    /// What the first field of this name holds.
    fn field(self, field: FieldName) -> Option<Node<'t>>;

    /// What all fields of this name hold.
    fn fields(self, field: FieldName) -> Vec<Node<'t>>;
}

impl<'t> Fields<'t> for Node<'t> {
    fn field(self, field: FieldName) -> Option<Node<'t>> {
        self.child_by_field_id(IDS[field as usize]?.get())
    }

    fn fields(self, field: FieldName) -> Vec<Node<'t>> {
        let id = IDS[field as usize];
        id.map_or_else(Vec::new, |id| self.children_by_field_id(id, &mut self.walk()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_has_all_fields() {
        let missing: Vec<_> = NAMES.iter().zip(IDS.iter()).filter(|(_, id)| id.is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
