//! Members that an element type has from base classes.

use super::*;
use layoutc_syntax::{FieldId, QualType, RecordId, VectorType};

impl Classifier<'_> {
    /// Pins for inherited members that generated code could not name.
    pub(super) fn inherited_members(&mut self, class: ClassId, record: RecordId) {
        let program = self.program;
        for field in program.record(record).fields.clone() {
            let own = program.field(field);
            if own.inherited.is_none() {
                continue;
            }
            let message = if is_hidden(program, record, field) {
                format!("`{}` of a base class is hidden by another member", own.name)
            } else if is_out_of_reach(program, record, field) {
                format!(
                    "the type of `{}` is named in the scope of a base class in another namespace",
                    own.name
                )
            } else {
                continue;
            };
            self.pin(class, Code::UNSUPPORTED_RECORD, own.site.name, message);
        }
    }
}

/// Whether the name of an inherited member means another one, or several, in objects of a record.
fn is_hidden(program: &Program, record: RecordId, field: FieldId) -> bool {
    let name = &program.field(field).name;
    let fields = &program.record(record).fields;
    let twin = fields.iter().any(|other| *other != field && program.field(*other).name == *name);
    twin || program.with_bases(record).into_iter().any(|class| {
        let class = program.record(class);
        class.scope.contains_key(name)
            || class.methods.iter().any(|method| program.function(*method).name == *name)
    })
}

/// Whether the type of an inherited member may have no such name behind the record.
fn is_out_of_reach(program: &Program, record: RecordId, field: FieldId) -> bool {
    let mut origin = field;
    while let Some(inherited) = program.field(origin).inherited {
        origin = inherited;
    }
    let home = program.record(program.field(origin).record);
    if home.namespaces == program.record(record).namespaces {
        return false;
    }
    let site = &program.field(origin).site;
    let Some(declaration) = program.declaration_of(site) else { return true };
    let is_built_in = |ty: QualType| match program.types.kind(ty.id) {
        TypeKind::Scalar(scalar) => program.text(declaration.specifier) == scalar.spelling(),
        TypeKind::Vector(vector) => {
            VectorType::parse(program.text(declaration.specifier)) == Some(*vector)
        }
        _ => false,
    };
    !is_built_in(declaration.specifier_type)
}
