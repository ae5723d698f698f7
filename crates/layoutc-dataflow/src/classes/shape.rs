//! The leaves of a class's elements.

use super::{ArrayClass, FieldPath};
use crate::layout::{Bytes, Leaf, RecordShape};
use layoutc_syntax::preprocess::{TokenKind, tokens};
use layoutc_syntax::{FieldId, Program, QualType, RecordId, RecordTrait, TypeKind, abi};

/// How deep nested members are followed.
const NESTING: usize = 32;

/// A leaf as the program model knows it; the n-th belongs to the n-th leaf of the shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeafMember {
    /// The members from the record to the leaf.
    pub path: FieldPath,
    /// Dimensions that belong to a leaf which the program uses as a whole: `[9]` for `float f[9]`.
    pub unit_dimensions: Vec<u64>,
    /// The type of one item, below extents and unit dimensions.
    pub item: QualType,
}

/// The leaves of a record, as the layout algebra and as the program model see them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClassShape {
    /// For the layout algebra.
    pub shape: RecordShape,
    /// For the code generator.
    pub members: Vec<LeafMember>,
}

impl ClassShape {
    /// Position of the leaf with that path.
    #[must_use]
    pub fn leaf_at(&self, path: &[FieldId]) -> Option<usize> {
        self.members.iter().position(|member| member.path == path)
    }

    /// Whether the path is a leaf or leads into one that is used as a whole.
    #[must_use]
    pub fn leaf_around(&self, path: &[FieldId]) -> Option<usize> {
        self.members.iter().position(|member| path.starts_with(&member.path))
    }
}

/// The leaves of a class's record: members without parts, arrays of them, and what the program
/// uses as a whole. `None` if a size is not known, or the elements are no records.
#[must_use]
pub fn class_shape(program: &Program, class: &ArrayClass) -> Option<ClassShape> {
    let record = class.element.record()?;
    let layout = abi::record_layout(program, record)?;
    let mut builder = Builder { program, class, record, leaves: Vec::new(), members: Vec::new() };
    builder.record(record, 0, &mut Vec::new(), &[], NESTING)?;
    let Builder { leaves, members, .. } = builder;
    let shape = RecordShape {
        name: program.record(record).name.clone(),
        size: Bytes(layout.size),
        align: Bytes(layout.align),
        leaves,
    };
    Some(ClassShape { shape, members })
}

struct Builder<'a> {
    program: &'a Program,
    class: &'a ArrayClass,
    /// The element type.
    record: RecordId,
    leaves: Vec<Leaf>,
    members: Vec<LeafMember>,
}

impl Builder<'_> {
    fn record(
        &mut self,
        record: RecordId,
        offset: u64,
        path: &mut FieldPath,
        extents: &[u64],
        depth: usize,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let layout = abi::record_layout(self.program, record)?;
        for (at, field) in self.program.record(record).fields.clone().into_iter().enumerate() {
            path.push(field);
            self.member(
                self.program.field(field).ty,
                offset + layout.offsets[at],
                path,
                extents,
                depth,
            )?;
            path.pop();
        }
        Some(())
    }

    fn member(
        &mut self,
        ty: QualType,
        offset: u64,
        path: &mut FieldPath,
        outer: &[u64],
        depth: usize,
    ) -> Option<()> {
        let site = &self.program.field(*path.last()?).site;
        let declaration = self.program.declaration_of(site)?;
        let specifier = declaration.specifier_type;
        let mut extents = outer.to_vec();
        let mut item = ty;
        while let TypeKind::Array(element, length) = self.program.types.kind(item.id) {
            extents.push((*length).filter(|length| *length > 0)?);
            item = *element;
        }
        let own = extents.len() - outer.len();
        // An array typedef hides dimensions that the generated declaration would repeat: the item's
        // type is written out, if it has a name of its own.
        let hidden = matches!(self.program.types.kind(specifier.id), TypeKind::Array(..));
        let spelled = match self.program.types.kind(item.id) {
            TypeKind::Scalar(scalar) => Some(scalar.spelling().to_owned()),
            TypeKind::Vector(vector) => Some(vector.name()),
            _ => None,
        };
        if hidden && (spelled.is_none() || !site.pointers.is_empty()) {
            return None;
        }
        if let TypeKind::Record(inner) = *self.program.types.kind(item.id)
            && !self.class.units.contains_key(path)
            && self.is_divisible(inner)
        {
            // Items of a nested array lie `sizeof(item)` apart, which a leaf of its own cannot say.
            if own == 0 {
                return self.record(inner, offset, path, &extents, depth);
            }
        }
        if let TypeKind::Record(inner) = *self.program.types.kind(item.id)
            && self.program.record(inner).body.is_some_and(|inner| {
                self.program.with_bases(self.record).into_iter().any(|outer| {
                    self.program.record(outer).body.is_some_and(|outer| outer.contains(inner))
                })
            })
        {
            return None;
        }
        // `float (*f)(float)` is declared in another form than a type and a name.
        let mut pointed = item;
        while let TypeKind::Pointer(to) = *self.program.types.kind(pointed.id) {
            pointed = to;
        }
        if matches!(self.program.types.kind(pointed.id), TypeKind::Function) {
            return None;
        }
        if !declaration.is_plain {
            return None;
        }
        let is_record = matches!(self.program.types.kind(item.id), TypeKind::Record(_));
        let is_unit = self.class.units.contains_key(path) || (is_record && own > 0);
        let (size, align) = abi::size_align(self.program, item.id)?;
        let (extents, unit_dimensions) = if is_unit {
            (outer.to_vec(), extents[outer.len()..].to_vec())
        } else {
            (extents, Vec::new())
        };
        let scalar_size = size.checked_mul(unit_dimensions.iter().product())?;
        self.leaves.push(Leaf {
            path: path
                .iter()
                .map(|field| self.program.field(*field).name.as_str())
                .collect::<Vec<_>>()
                .join("."),
            offset: Bytes(offset),
            scalar_size: Bytes(scalar_size),
            align: Bytes(align),
            extents,
            type_name: match spelled.filter(|_| hidden) {
                Some(spelled) => spelled,
                // What a template parameter stands for is not in the text.
                None if self
                    .program
                    .record(self.program.field(*path.last()?).record)
                    .shares_text =>
                {
                    self.program.spelling(QualType { is_const: false, ..item })?
                }
                None => {
                    let records = self.program.with_bases(self.record);
                    outer_type_text(self.program, &records, &type_text(self.program, path))?
                }
            },
        });
        self.members.push(LeafMember { path: path.clone(), unit_dimensions, item });
        Some(())
    }

    /// Whether a nested record may be divided into its members.
    fn is_divisible(&self, record: RecordId) -> bool {
        let record = self.program.record(record);
        let is_plain = record.traits.iter().all(|(which, _)| {
            matches!(
                which,
                RecordTrait::Methods | RecordTrait::Constructor | RecordTrait::Initializer
            )
        });
        is_plain
            && record.bases.is_empty()
            && !record.fields.is_empty()
            && record.explicit_align.is_none()
    }
}

/// The text of a type as it stands in some classes, for text behind them in the same namespace: what a
/// class declares for itself is named with its scope. `None` if it has no name outside.
#[must_use]
pub fn outer_type_text(program: &Program, records: &[RecordId], text: &str) -> Option<String> {
    // The definition of the type stands in the declaration of the member.
    let text = match text.split_once('{') {
        Some((head, rest)) => {
            let stars = rest.rsplit_once('}').map_or("", |(_, stars)| stars.trim());
            let name = tokens(head)
                .iter()
                .filter(|token| token.kind == TokenKind::Identifier)
                .map(|token| token.text(head))
                .find(|word| !matches!(*word, "enum" | "class" | "struct" | "const"))?;
            format!("{name} {stars}").trim_end().to_owned()
        }
        None => text.to_owned(),
    };
    let mut out = String::new();
    let mut end = 0;
    let mut is_qualified = false;
    for token in tokens(&text) {
        let word = token.text(&text);
        let owner = records.iter().copied().find(|record| {
            token.kind == TokenKind::Identifier
                && !is_qualified
                && program.record(*record).scope.contains_key(word)
        });
        if let Some(owner) = owner {
            if program.record(owner).private_names.contains(word) {
                return None;
            }
            out.push_str(&text[end..token.start as usize]);
            end = token.start as usize;
            out.push_str(&program.qualified_name(owner)?);
            out.push_str("::");
        }
        is_qualified = word == "::";
    }
    out.push_str(&text[end..]);
    // `enum Agent::Mood` names the type as `Agent::Mood` does.
    Some(out)
}

/// The type of one item of the member at the end of the path, as the source spells it.
fn type_text(program: &Program, path: &[FieldId]) -> String {
    let Some(field) = path.last() else { return String::new() };
    let field = program.field(*field);
    let Some(declaration) = program.declaration_of(&field.site) else { return String::new() };
    let mut text = program.text(declaration.specifier).to_owned();
    let mut ty = field.ty;
    let mut stars = 0;
    loop {
        match program.types.kind(ty.id) {
            TypeKind::Array(of, _) => ty = *of,
            TypeKind::Pointer(to) => {
                stars += 1;
                if to.is_const && stars == 1 && field.site.pointers.len() == 1 {
                    text.insert_str(0, "const ");
                }
                ty = *to;
            }
            _ => break,
        }
    }
    // Stars behind a typedef belong to the typedef.
    let written = field.site.pointers.len().min(stars);
    if written > 0 {
        text.push(' ');
        text.push_str(&"*".repeat(written));
    }
    text
}
