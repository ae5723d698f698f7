//! Objects of the C++ interface that are called like kernels: `cl::KernelFunctor<cl::Buffer, int> step(program, "step")`, and
//! `step(cl::EnqueueArgs(queue, range), buffer, n)`.

use super::api::KernelOf;
use super::handles::{Follow, Handle, Key};
use super::pin;
use super::unseen::unmodelled_words;
use crate::classes::calls::{CallGraph, Context};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::preprocess::tokens;
use layoutc_syntax::{
    ExprId, ExprKind, NameRef, Program, QualType, Storage, TypeId, TypeKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

const UNFOLLOWED: &str = "a functor gives the kernel its arguments";

/// How deep types are looked into.
const DEPTH: usize = 16;

/// The types of such objects.
pub(super) fn is_functor(name: &str) -> bool {
    matches!(name.rsplit("::").next(), Some("KernelFunctor" | "make_kernel"))
}

/// Variables that keep the functor that they begin with, with the expression that makes it.
///
/// *Claim:* each occurrence of one in the program is called.
pub(super) fn kept_functors(program: &Program, calls: &CallGraph) -> BTreeMap<VarId, ExprId> {
    let mut found: BTreeMap<VarId, ExprId> = BTreeMap::new();
    for id in program.variable_ids() {
        let own = program.variable(id);
        let Some(init) = own.init.map(|init| program.strip_parens(init)) else { continue };
        let is_made = match &program.expr(init).kind {
            // `auto step = cl::KernelFunctor<…>(program, "step")`
            ExprKind::Call { arguments, .. } if calls_functor(program, init) => {
                matches!(arguments.len(), 1 | 2)
            }
            ExprKind::Construct { of, arguments } if is_functor_type(program, *of) => {
                matches!(arguments.len(), 1 | 2)
            }
            // `cl::KernelFunctor<…> step(kernel)`
            _ => is_functor_type(program, own.ty),
        };
        if is_made && !own.is_extern && !matches!(own.storage, Storage::Parameter { .. }) {
            found.insert(id, init);
        }
    }
    if found.is_empty() {
        return found;
    }
    let unmodelled = unmodelled_words(program);
    found.retain(|id, _| !unmodelled.contains(program.variable(*id).name.as_str()));
    for id in program.expr_ids() {
        let ExprKind::Name(NameRef::Variable(name)) = program.expr(id).kind else { continue };
        let is_called = matches!(calls.context(id), Context::Operand(parent, 0)
            if matches!(program.expr(parent).kind, ExprKind::Call { .. }));
        if !is_called {
            found.remove(&name);
        }
    }
    found
}

fn is_functor_type(program: &Program, ty: QualType) -> bool {
    matches!(program.types.kind(ty.id), TypeKind::Named(name, _) if is_functor(name))
}

/// Whether an expression makes a functor by the name of its type.
fn calls_functor(program: &Program, id: ExprId) -> bool {
    let ExprKind::Call { callee, .. } = program.expr(id).kind else { return false };
    let name = program.text(program.expr(callee).span);
    let name = name.split('<').next().map_or("", str::trim_end);
    is_functor(name)
}

impl Follow<'_> {
    /// The functor that a call calls.
    pub(super) fn called_functor(&self, call: ExprId) -> Option<VarId> {
        let ExprKind::Call { callee, .. } = self.program.expr(call).kind else { return None };
        match self.program.expr(callee).kind {
            ExprKind::Name(NameRef::Variable(name)) => {
                self.functors.contains_key(&name).then_some(name)
            }
            _ => None,
        }
    }

    /// Whether an expression makes a functor that is followed.
    pub(super) fn makes_functor(&self, id: ExprId) -> bool {
        self.functors.values().any(|made| *made == id)
    }

    /// The kernel of a functor.
    fn kernel_in(&mut self, at: Option<usize>, functor: VarId) -> Option<usize> {
        let own = self.program.variable(functor);
        let made = *self.functors.get(&functor)?;
        let is_local = own.storage != Storage::Static && own.function.is_some();
        Some(self.node_of_key(Key::Made(made, at.filter(|_| is_local)), Handle::Kernel))
    }

    /// A functor is made, from the name of a kernel or from one.
    pub(super) fn made_functor(&mut self, at: Option<usize>, id: ExprId) {
        let program = self.program;
        let functor = self.functors.iter().find(|(_, made)| **made == id).map(|(own, _)| *own);
        let Some(node) = functor.and_then(|own| self.kernel_in(at, own)) else { return };
        let arguments = match &program.expr(id).kind {
            ExprKind::Construct { of, arguments } if is_functor_type(program, *of) => arguments,
            ExprKind::Call { arguments, .. } if calls_functor(program, id) => arguments,
            _ => return self.flow(at, node, id),
        };
        match arguments[..] {
            [kernel] => self.flow(at, node, kernel),
            [_, name] => {
                let found = self.named_kernels(at, name);
                if found.is_none() {
                    let message = "the name of this kernel cannot be seen";
                    self.fail(node, id, Code::OPENCL_KERNEL, message);
                }
                self.made_kernels.push((node, found));
            }
            _ => {}
        }
    }

    /// A functor is called: it sets the arguments behind the first, and launches.
    pub(super) fn call_functor(&mut self, at: Option<usize>, call: ExprId) {
        let Some(node) = self.called_functor(call).and_then(|own| self.kernel_in(at, own)) else {
            return;
        };
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return };
        for (index, value) in arguments.iter().skip(1).enumerate() {
            let indices = i64::try_from(index).ok().map(|index| BTreeSet::from([index]));
            self.set_value(at, call, KernelOf::node(node), indices, None, *value);
        }
        let range = arguments.first().and_then(|queue| self.range_of_arguments(at, call, *queue));
        self.launches.push((node, None, range));
    }

    /// Functors that are not followed give kernels arguments by themselves: those that they are made for, or any.
    pub(super) fn other_functors(&mut self) {
        let program = self.program;
        for id in program.expr_ids() {
            let expr = program.expr(id);
            if matches!(program.types.kind(expr.ty.id),
                TypeKind::Named(name, _) if name == "cl::Program::Binaries")
            {
                let message = "the kernels of this program are no text";
                self.unseen.push(pin(program.expr_site(id), Code::OPENCL_SOURCE, message));
            }
            if matches!(program.types.kind(expr.ty.id),
                TypeKind::Named(name, _) if name == "cl::UserEvent")
            {
                let message = "calls that wait for an event of the host return at once here, and would not in another layout";
                self.unseen.push(pin(program.expr_site(id), Code::OPENCL_BUFFER, message));
            }
            if self.makes_functor(id) {
                continue;
            }
            let name = match &expr.kind {
                ExprKind::Construct { of, arguments } if is_functor_type(program, *of) => {
                    arguments.get(1)
                }
                ExprKind::Call { arguments, .. } if calls_functor(program, id) => arguments.get(1),
                ExprKind::New { of, .. } if mentions_functor(program, of.id, DEPTH) => None,
                _ => continue,
            };
            let reason = pin(program.expr_site(id), Code::OPENCL_KERNEL, UNFOLLOWED);
            match name.and_then(|name| self.named_kernels(None, *name)) {
                Some(kernels) => self
                    .given_unseen
                    .extend(kernels.into_iter().flatten().map(|kernel| (kernel, reason.clone()))),
                None => self.unseen.push(reason),
            }
        }
        let variables = program.variable_ids().filter(|id| !self.functors.contains_key(id));
        let variables = variables.map(|id| program.variable(id)).map(|own| (own.ty, own.site.name));
        let fields = program.fields.iter().map(|field| (field.ty, field.site.name));
        let others: Vec<Span> = variables
            .chain(fields)
            .filter(|(ty, _)| mentions_functor(program, ty.id, DEPTH))
            .map(|(_, span)| span)
            .chain(self.unaccounted_functors())
            .collect();
        let reason = |span| pin(span, Code::OPENCL_KERNEL, UNFOLLOWED);
        self.unseen.extend(others.into_iter().map(reason));
    }

    /// Where text names the type of functors, other than to declare one that is followed, to make one, or for an alias.
    fn unaccounted_functors(&self) -> Vec<Span> {
        let program = self.program;
        let mut known: Vec<Span> = Vec::new();
        for own in self.functors.keys().map(|id| program.variable(*id)) {
            let around = program.declarations.iter().map(|declaration| declaration.span);
            known.extend(around.filter(|span| span.contains(own.site.name)));
        }
        for id in program.expr_ids().filter(|id| calls_functor(program, *id)) {
            known.push(program.expr(id).span);
        }
        known.extend(program.aliases.iter().map(|(_, _, span)| *span));
        let mut found = Vec::new();
        for (file, source) in program.sources.iter().filter(|(_, file)| file.view().is_none()) {
            let text = source.text();
            let all = tokens(text);
            for (at, token) in all.iter().enumerate() {
                let before = |back: usize| at.checked_sub(back).map(|at| all[at].text(text));
                // `using cl::KernelFunctor;`
                let is_used = before(3) == Some("using");
                let span = Span::new(file, token.start as usize, token.end as usize);
                if is_functor(token.text(text))
                    && !is_used
                    && !known.iter().any(|known| known.contains(span))
                {
                    found.push(span);
                }
            }
        }
        found
    }
}

/// Whether a type is that of a functor, or made of such.
fn mentions_functor(program: &Program, ty: TypeId, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    match program.types.kind(ty) {
        TypeKind::Named(name, of) => {
            is_functor(name) || of.iter().any(|of| mentions_functor(program, *of, depth))
        }
        TypeKind::Pointer(to) | TypeKind::Array(to, _) | TypeKind::Reference(to, _) => {
            mentions_functor(program, to.id, depth)
        }
        TypeKind::Unknown
        | TypeKind::Void
        | TypeKind::Scalar(_)
        | TypeKind::Vector(_)
        | TypeKind::Record(_)
        | TypeKind::Enum(..)
        | TypeKind::Function
        | TypeKind::Opaque(_)
        | TypeKind::TemplateParameter(_) => false,
    }
}
