//! Prototypes in front of the struct: the generated type is declared there, as the struct is.

use super::Rewriter;
use super::order::FileOrder;
use super::placement;
use layoutc_dataflow::classes::ClassId;
use layoutc_diagnostics::Span;
use layoutc_syntax::{DeclarationId, ExprKind, FunctionId, NameRef, Program, RecordId};
use std::collections::BTreeMap;

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
        // A call would need the type's definition.
        let definition = placement::definition(program, record);
        let is_called_early = program.expr_ids().any(|id| {
            matches!(&program.expr(id).kind, ExprKind::Name(NameRef::Functions(named))
                if named.contains(&function))
                && order.obstacle(program.expr_site(id), definition).is_some()
        });
        let storage = self.storage(class)?;
        (!is_called_early).then(|| {
            (site.span.at_start(), storage.in_space(&format!("struct {};\n", storage.type_name)))
        })
    }

    /// Whether a text stands in a function or class.
    fn stands_inside(&self, span: Span) -> bool {
        let bodies = self.program.functions.iter().filter_map(|function| function.body);
        let mut bodies = bodies.map(|body| self.program.stmt(body).span);
        let mut classes = self.program.records.iter().filter_map(|record| record.body);
        bodies.any(|body| body.contains(span)) || classes.any(|body| body.contains(span))
    }

    /// Whether another record could be meant by the same name in some compilation.
    fn has_namesake(&self, record: RecordId) -> bool {
        let own = self.program.record(record);
        self.program.record_ids().any(|other| {
            let twin = self.program.record(other);
            other != record && twin.name == own.name && !twin.is_local
        })
    }
}
