//! What is behind the arguments of calls: values that were given to wrappers, memory of the host, and
//! names of kernels.

use super::super::calls::{CallGraph, Callee, is_untyped};
use super::super::operands::strip_casts;
use super::handles::{Follow, string_literal};
use super::instances::variable;
use super::{Kernels, pin};
use crate::classes::{Pin, record_of};
use layoutc_diagnostics::Code;
use layoutc_syntax::{DeclaratorSite, ExprId, ExprKind, Program, Storage, Variable};

/// The value of a parameter for calls that give none.
fn default_of(program: &Program, parameter: &Variable) -> Option<ExprId> {
    let mut sites = std::iter::once(&parameter.site).chain(&parameter.redeclarations);
    let is_in = |id: &ExprId, site: &DeclaratorSite| {
        let whole = program.declaration_of(site);
        whole.is_some_and(|whole| whole.span.contains(program.expr(*id).span))
    };
    sites.find_map(|site| program.file_scope_exprs.iter().find(|id| is_in(id, site)).copied())
}

impl Follow<'_> {
    /// The expression behind parameters and variables that keep their first value.
    pub(super) fn resolved(&self, at: Option<usize>, id: ExprId) -> (Option<usize>, ExprId) {
        let (mut at, mut id) = (at, strip_casts(self.program, id));
        for _ in 0..64 {
            match self.source(at, id) {
                Some(next) => (at, id) = (next.0, strip_casts(self.program, next.1)),
                None => break,
            }
        }
        (at, id)
    }

    /// What a variable has as its first and only value.
    fn source(&self, at: Option<usize>, id: ExprId) -> Option<(Option<usize>, ExprId)> {
        let name = variable(self.program, id).filter(|id| self.functions.is_fixed(*id))?;
        let own = self.program.variable(name);
        match own.storage {
            Storage::Parameter { index } => {
                let frame = &self.frames[at?];
                let (caller, call) = frame.caller?;
                let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else {
                    return None;
                };
                let parameters = &self.program.function(frame.function).parameters;
                if parameters.get(index) != Some(&name) {
                    return None;
                }
                match arguments.get(index) {
                    Some(argument) => Some((Some(caller), *argument)),
                    None => Some((None, default_of(self.program, own)?)),
                }
            }
            Storage::Local | Storage::Static => {
                Some((at.filter(|_| own.function.is_some()), own.init?))
            }
        }
    }

    /// Keeps what record this memory of the host is of.
    pub(super) fn host_record(
        &mut self,
        at: Option<usize>,
        host: Option<ExprId>,
        call: ExprId,
        node: usize,
    ) {
        // The first type that says something: parameters of wrappers are often `void *`.
        let mut next = host.map(|host| (at, host));
        for _ in 0..64 {
            let Some((at, id)) = next else { return };
            for typed in [id, strip_casts(self.program, id)] {
                let ty = self.program.expr(typed).ty;
                if let Some((record, _)) = record_of(self.program, ty)
                    && !is_untyped(self.program, typed)
                {
                    self.host_records.push((node, record, call));
                    return;
                }
            }
            next = self.source(at, strip_casts(self.program, id));
        }
    }
}

/// Calls that make kernels by names that no text defines.
pub(super) fn missing_kernels(program: &Program, calls: &CallGraph, kernels: &Kernels) -> Vec<Pin> {
    let missing = |id: ExprId| {
        let ExprKind::Call { callee, arguments, .. } = &program.expr(id).kind else { return None };
        let [_, name, ..] = arguments.as_slice() else { return None };
        let is_maker = matches!(calls.callee(program, *callee, arguments),
            Callee::Library(name) if name == "clCreateKernel");
        let name = program.expr(program.strip_parens(*name));
        let name = string_literal(program.text(name.span).trim()).filter(|_| is_maker)?;
        let message = format!("no text with kernel `{name}` was given");
        let span = program.expr_site(id);
        (!kernels.by_name.contains_key(&name)).then(|| pin(span, Code::OPENCL_SOURCE, message))
    };
    program.expr_ids().filter_map(missing).collect()
}
