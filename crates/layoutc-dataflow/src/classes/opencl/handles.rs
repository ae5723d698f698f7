//! Where handles of buffers and kernels go in the host program, and what is done with them.

use super::super::calls::{CallGraph, Callee, Context};
use super::super::operands::strip_casts;
use super::argument_tables::argument_tables;
use super::build::Builds;
use super::cpp::{is_kernel_function, queue_function, takes_buffer};
use super::functors::kept_functors;
use super::instances::{Functions, MOST_INSTANCES, variable};
use super::settings::Found;
use super::values::{Integers, integer_arguments};
use super::{BufferApi, BufferCall, Buffers, Form, Given, Kernels, Range, pin};
use crate::classes::operands::is_null;
use crate::classes::{Pin, Slot};
use layoutc_diagnostics::Code;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FieldId, FunctionId, NameRef, Program, QualType, RecordId,
    StmtKind, Storage, TypeKind, TypeTable, UnaryOp, VarId,
};
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet};

/// What a handle is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Handle {
    Buffer,
    Kernel,
}

/// The handle at the end of a type's pointers and arrays.
pub(super) fn handle_of(program: &Program, ty: QualType) -> Option<Handle> {
    match library_type(program, ty)? {
        "cl_mem" | "cl::Buffer" => Some(Handle::Buffer),
        "cl_kernel" | "cl::Kernel" => Some(Handle::Kernel),
        _ => None,
    }
}

/// Whether a queue of commands or a kernel is at the end of a type's pointers and arrays.
pub(super) fn runs_kernels(program: &Program, ty: QualType) -> bool {
    handle_of(program, ty) == Some(Handle::Kernel)
        || matches!(
            library_type(program, ty),
            Some("cl_command_queue" | "cl::CommandQueue" | "cl::EnqueueArgs")
        )
}

/// The name of the library's type at the end of a type's pointers and arrays.
fn library_type(program: &Program, ty: QualType) -> Option<&str> {
    let mut ty = ty;
    loop {
        match program.types.kind(ty.id) {
            TypeKind::Named(name, of) => match (name.trim_start_matches("std::"), of.as_slice()) {
                ("vector" | "array", [item, ..]) => ty = QualType::plain(*item),
                (name, _) => return Some(name),
            },
            TypeKind::Pointer(to) | TypeKind::Array(to, _) | TypeKind::Reference(to, _) => ty = *to,
            TypeKind::Unknown
            | TypeKind::Void
            | TypeKind::Scalar(_)
            | TypeKind::Vector(_)
            | TypeKind::Record(_)
            | TypeKind::Enum(..)
            | TypeKind::Function
            | TypeKind::Opaque(_)
            | TypeKind::TemplateParameter(_) => return None,
        }
    }
}

fn is_void_pointer(program: &Program, ty: QualType) -> bool {
    matches!(*program.types.kind(ty.id), TypeKind::Pointer(to) if to.id == TypeTable::VOID)
}

/// What holds handles: all indirections and items of one are taken together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// A variable, of an instance if it is local.
    Variable(VarId, Option<usize>),
    /// A member, of any object.
    Field(FieldId),
    /// What an instance returns.
    Result(usize),
    /// What a call in an instance makes.
    Made(ExprId, Option<usize>),
}

/// A function in the making.
pub(super) struct Frame {
    pub(super) function: FunctionId,
    /// The one call that reaches it.
    pub(super) caller: Option<(usize, ExprId)>,
    /// Values of integer arguments in it.
    pub(super) integers: Integers,
    /// Parameters without type that are given handles.
    pub(super) untyped: BTreeSet<VarId>,
    pub(super) calls: BTreeMap<ExprId, usize>,
}

/// A call of `clSetKernelArg`.
pub(super) struct Setting {
    pub(super) call: ExprId,
    pub(super) kernel: Option<usize>,
    /// The one kernel of a table, by its place there.
    pub(super) of_table: Option<Option<FunctionId>>,
    /// The arguments that it may set.
    pub(super) indices: Option<BTreeSet<i64>>,
    /// The buffer, if it is one.
    pub(super) buffer: Option<usize>,
    /// It may be a buffer that is not followed.
    pub(super) may_be_buffer: bool,
    pub(super) is_null: bool,
    /// The size is that of a handle, as far as it can be told.
    pub(super) has_size_of_handle: bool,
    /// What it is if it is a number.
    pub(super) number: Option<Given>,
}

/// A call on a buffer, before it is known which kernels' parameters the buffer reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferEvent {
    pub(super) node: usize,
    pub(super) call: ExprId,
    pub(super) instance: usize,
    pub(super) api: BufferApi,
    pub(super) form: Form,
}

pub(super) struct Follow<'a> {
    pub(super) program: &'a Program,
    pub(super) calls: &'a CallGraph,
    pub(super) kernels: &'a Kernels,
    pub(super) functions: Functions,
    pub(super) recursive: BTreeSet<FunctionId>,
    pub(super) shared: BTreeMap<FunctionId, usize>,
    pub(super) frames: Vec<Frame>,
    pub(super) keys: BTreeMap<Key, usize>,
    pub(super) union: UnionFind<usize>,
    pub(super) handles: Vec<Handle>,
    pub(super) bad: Vec<(usize, Pin)>,
    /// Kernels that may be in a node; none if they cannot be told. A kernel whose text is not given
    /// is no function.
    pub(super) made_kernels: Vec<(usize, Option<Vec<Option<FunctionId>>>)>,
    pub(super) made_buffers: Vec<usize>,
    pub(super) events: Vec<BufferEvent>,
    pub(super) host_records: Vec<(usize, RecordId, ExprId)>,
    pub(super) settings: Vec<Setting>,
    /// Kernels that are launched, by groups of so many work-items, and how many in all.
    pub(super) launches: Vec<(usize, Option<[u64; 3]>, Option<Range>)>,
    /// What cannot be followed and may give any kernel any memory.
    pub(super) unseen: Vec<Pin>,
    /// Kernels that get arguments which are not seen.
    pub(super) given_unseen: Vec<(FunctionId, Pin)>,
    /// The variables of range-based loops.
    pub(super) ranges: BTreeMap<ExprId, Vec<VarId>>,
    pub(super) tables: BTreeMap<Slot, Vec<Option<FunctionId>>>,
    /// Tables of which the items are given to kernels.
    pub(super) argument_tables: BTreeSet<VarId>,
    /// Objects that are called like kernels, with the expressions that make them.
    pub(super) functors: BTreeMap<VarId, ExprId>,
    /// What kernels are built with.
    pub(super) builds: Builds,
}

/// Follows all handles of the program.
pub(super) fn follow(program: &Program, calls: &CallGraph, kernels: &Kernels) -> Buffers {
    let functions = Functions::new(program, calls);
    let mut this = Follow {
        program,
        calls,
        kernels,
        recursive: recursive(program, calls, &functions),
        functions,
        shared: BTreeMap::new(),
        frames: Vec::new(),
        keys: BTreeMap::new(),
        union: UnionFind::new(0),
        handles: Vec::new(),
        bad: Vec::new(),
        made_kernels: Vec::new(),
        made_buffers: Vec::new(),
        events: Vec::new(),
        host_records: Vec::new(),
        settings: Vec::new(),
        launches: Vec::new(),
        unseen: Vec::new(),
        given_unseen: Vec::new(),
        ranges: ranges(program),
        tables: BTreeMap::new(),
        argument_tables: BTreeSet::new(),
        functors: kept_functors(program, calls),
        builds: Builds::default(),
    };
    this.argument_tables = argument_tables(program, calls, &this.functions);
    this.tables = this.kernel_tables();
    this.run();
    this.finish()
}

/// Functions that may reach themselves.
fn recursive(program: &Program, calls: &CallGraph, functions: &Functions) -> BTreeSet<FunctionId> {
    let mut graph = petgraph::graphmap::DiGraphMap::<FunctionId, ()>::new();
    let mut itself = BTreeSet::new();
    for (from, exprs) in &functions.exprs {
        graph.add_node(*from);
        for id in exprs {
            if let ExprKind::Call { callee, arguments, .. } = &program.expr(*id).kind
                && let Callee::Function(to) = calls.callee(program, *callee, arguments)
            {
                graph.add_edge(*from, to, ());
                if to == *from {
                    itself.insert(to);
                }
            }
        }
    }
    let components = petgraph::algo::tarjan_scc(&graph);
    itself.extend(components.into_iter().filter(|all| all.len() > 1).flatten());
    itself
}

impl Follow<'_> {
    fn run(&mut self) {
        let roots: Vec<FunctionId> = self.functions.roots.iter().copied().collect();
        for root in roots {
            self.frame(root, None, BTreeMap::new());
        }
        let mut done = 0;
        loop {
            while done < self.frames.len() {
                self.walk(done);
                done += 1;
            }
            // Functions that only call each other.
            let seen: BTreeSet<FunctionId> =
                self.frames.iter().map(|frame| frame.function).collect();
            let is_left =
                |id: &&FunctionId| !seen.contains(id) && !self.functions.dead.contains(id);
            let rest = self.functions.exprs.keys().find(is_left).copied();
            match rest {
                Some(id) => {
                    self.frame(id, None, BTreeMap::new());
                }
                None => break,
            }
        }
        // Outside of functions.
        for id in self.program.expr_ids() {
            if self.calls.function(id).is_none() {
                self.visit(None, id);
            }
        }
        for id in self.program.variable_ids() {
            let own = self.program.variable(id);
            let Some(handle) = handle_of(self.program, own.ty) else { continue };
            if own.is_extern {
                let node = self.node_of_key(Key::Variable(id, None), handle);
                self.bad.push((
                    node,
                    pin(
                        own.site.name,
                        Code::UNKNOWN_MEMORY,
                        "another part of the program, which was not given, defines this",
                    ),
                ));
            }
        }
        for at in 0..self.program.fields.len() as u32 {
            let field = self.program.field(FieldId(at));
            let Some(handle) = handle_of(self.program, field.ty) else { continue };
            let initializer = field.has_initializer && field.null_initializer.is_none();
            let is_shared = self.program.record(field.record).is_union;
            if initializer || is_shared || field.inherited.is_some() {
                let node = self.node_of_key(Key::Field(FieldId(at)), handle);
                self.bad.push((
                    node,
                    pin(
                        field.site.name,
                        Code::OPENCL_BUFFER,
                        "handles in a member of this form are not followed",
                    ),
                ));
            }
        }
        self.unmodelled_text();
        self.other_functors();
        self.templates();
        self.other_parts();
    }

    pub(super) fn node_of_key(&mut self, key: Key, handle: Handle) -> usize {
        if let Some(known) = self.keys.get(&key) {
            return *known;
        }
        let node = self.union.new_set();
        self.handles.push(handle);
        self.keys.insert(key, node);
        node
    }

    /// The instance of a function that a call reaches.
    fn frame(
        &mut self,
        function: FunctionId,
        caller: Option<(usize, ExprId)>,
        integers: BTreeMap<VarId, i64>,
    ) -> usize {
        let is_shared = self.recursive.contains(&function) || self.frames.len() >= MOST_INSTANCES;
        if is_shared && let Some(known) = self.shared.get(&function) {
            return *known;
        }
        let at = self.frames.len();
        let (caller, integers) =
            if is_shared { (None, BTreeMap::new()) } else { (caller, integers) };
        if is_shared {
            self.shared.insert(function, at);
        }
        let integers = match self.program.function(function).body {
            Some(body) => integer_arguments(self.program, body, integers, &self.functions.aliased),
            None => Integers::default(),
        };
        self.frames.push(Frame {
            function,
            caller,
            integers,
            untyped: BTreeSet::new(),
            calls: BTreeMap::new(),
        });
        // Whoever else calls it may give it anything.
        if caller.is_none() && !is_shared {
            let parameters = self.program.function(function).parameters.clone();
            for id in parameters {
                let own = self.program.variable(id);
                if let Some(handle) = handle_of(self.program, own.ty) {
                    let span = own.site.name;
                    let node = self.node_of_key(Key::Variable(id, Some(at)), handle);
                    self.bad.push((node, pin(span, Code::UNKNOWN_MEMORY, "other parts of the program, which were not given, can call this function")));
                }
            }
        }
        at
    }

    /// The instance that a call in an instance reaches.
    fn callee(&mut self, at: usize, call: ExprId, function: FunctionId) -> Option<usize> {
        if let Some(known) = self.frames[at].calls.get(&call) {
            return Some(*known);
        }
        if !self.functions.exprs.contains_key(&function) {
            return None;
        }
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return None };
        let parameters = &self.program.function(function).parameters;
        let integers = parameters
            .iter()
            .zip(arguments)
            .filter_map(|(id, argument)| Some((*id, self.frames[at].integers.one(*argument)?)))
            .collect();
        let callee = self.frame(function, Some((at, call)), integers);
        self.frames[at].calls.insert(call, callee);
        Some(callee)
    }

    fn walk(&mut self, at: usize) {
        let exprs = self.functions.exprs[&self.frames[at].function].clone();
        // What is given to parameters without type is known before their uses are looked at: a
        // call comes before the function that it reaches.
        for id in exprs {
            self.visit(Some(at), id);
        }
    }

    /// The node of a handle, or of something with handles in it.
    pub(super) fn node(&mut self, at: Option<usize>, id: ExprId) -> Option<usize> {
        let program = self.program;
        match &program.expr(id).kind {
            ExprKind::Name(NameRef::Variable(variable)) => {
                let own = program.variable(*variable);
                let is_local = own.storage != Storage::Static && own.function.is_some();
                let key = Key::Variable(*variable, at.filter(|_| is_local));
                match handle_of(program, own.ty) {
                    Some(handle) => Some(self.node_of_key(key, handle)),
                    None => self.keys.get(&key).copied(),
                }
            }
            ExprKind::Member { field: Some(field), .. } => {
                let handle = handle_of(program, program.field(*field).ty)?;
                Some(self.node_of_key(Key::Field(*field), handle))
            }
            ExprKind::Paren(inner)
            | ExprKind::Deref(inner)
            | ExprKind::AddressOf(inner)
            | ExprKind::Index { base: inner, .. }
            | ExprKind::Comma(_, inner)
            | ExprKind::Assign(_, inner, _) => self.node(at, *inner),
            ExprKind::Unary(op, inner) if op.is_update() => self.node(at, *inner),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                self.node(at, *left).or_else(|| self.node(at, *right))
            }
            ExprKind::Conditional(_, then, otherwise) => {
                self.node(at, *then).or_else(|| self.node(at, *otherwise))
            }
            ExprKind::Cast { target, operand, .. } => {
                let keeps = is_void_pointer(program, *target)
                    || handle_of(program, *target).is_some()
                    || program
                        .types
                        .pointee(target.id)
                        .is_some_and(|to| is_void_pointer(program, to));
                keeps.then(|| self.node(at, *operand)).flatten()
            }
            ExprKind::Call { callee, arguments, .. } => {
                match self.calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => {
                        let handle = handle_of(program, program.function(function).result)?;
                        match at.and_then(|at| self.callee(at, id, function)) {
                            Some(instance) => Some(self.node_of_key(Key::Result(instance), handle)),
                            None => Some(self.node_of_key(Key::Made(id, at), handle)),
                        }
                    }
                    Callee::Library(name) => match name.as_str() {
                        "clCreateBuffer" => {
                            Some(self.node_of_key(Key::Made(id, at), Handle::Buffer))
                        }
                        "clCreateKernel" => {
                            Some(self.node_of_key(Key::Made(id, at), Handle::Kernel))
                        }
                        _ => None,
                    },
                    // `buffer()` of the C++ interface.
                    Callee::Unknown if arguments.is_empty() => self.node(at, *callee),
                    Callee::Ambiguous(_) | Callee::Unknown => None,
                }
            }
            ExprKind::Construct { of, arguments } => {
                let handle = handle_of(program, *of)?;
                self.constructed_node(at, id, handle, arguments)
            }
            _ => None,
        }
    }

    pub(super) fn fail(&mut self, node: usize, id: ExprId, code: Code, message: impl Into<String>) {
        let span = self.program.expr_site(id);
        self.bad.push((node, pin(span, code, message)));
    }

    /// Joins what flows into a node.
    pub(super) fn flow(&mut self, at: Option<usize>, to: usize, from: ExprId) {
        match self.node(at, from) {
            Some(node) if self.handles[node] == self.handles[to] => {
                self.union.union(to, node);
            }
            Some(node) => {
                self.fail(
                    node,
                    from,
                    Code::UNTYPED_POINTER,
                    "the handle becomes one of another kind",
                );
                self.fail(to, from, Code::UNTYPED_POINTER, "this is a handle of another kind");
            }
            None if is_null(self.program, from) => {}
            None => {
                let stripped = strip_casts(self.program, from);
                let is_room = match &self.program.expr(stripped).kind {
                    ExprKind::New { of, .. } => handle_of(self.program, *of).is_some(),
                    ExprKind::InitList(_) => true,
                    ExprKind::Call { callee, arguments, .. } => {
                        matches!(self.calls.callee(self.program, *callee, arguments),
                            Callee::Library(name) if matches!(name.as_str(), "malloc" | "calloc"))
                    }
                    _ => false,
                };
                if !is_room {
                    self.fail(
                        to,
                        from,
                        Code::UNKNOWN_MEMORY,
                        "it cannot be seen which handle this is",
                    );
                }
            }
        }
    }

    /// Looks at one expression of an instance.
    fn visit(&mut self, at: Option<usize>, id: ExprId) {
        let program = self.program;
        match &program.expr(id).kind {
            ExprKind::Assign(None, left, right) => {
                if let Some(to) = self.node(at, *left) {
                    self.flow(at, to, *right);
                }
            }
            ExprKind::Conditional(_, then, otherwise) => {
                if let Some(to) = self.node(at, id) {
                    self.flow(at, to, *then);
                    self.flow(at, to, *otherwise);
                }
            }
            ExprKind::Call { callee, arguments, .. } => {
                match self.calls.callee(program, *callee, arguments) {
                    Callee::Function(function) => self.bind(at, id, function),
                    Callee::Library(name) => self.library(at, id, &name),
                    Callee::Ambiguous(_) | Callee::Unknown => {
                        self.method(at, id);
                        self.call_functor(at, id);
                        if let Some((object, "push_back" | "emplace_back")) =
                            member_call(program, id)
                            && let Some(to) = self.node(at, object)
                        {
                            for argument in arguments {
                                self.flow(at, to, *argument);
                            }
                        }
                    }
                }
            }
            ExprKind::Construct { .. } => {
                self.constructed(at, id);
                self.listed(at, id);
            }
            ExprKind::InitList(_) => self.listed(at, id),
            // No handle flows here; each handle is judged below, wherever it stands.
            _ => {}
        }
        if self.makes_functor(id) {
            self.made_functor(at, id);
        }
        match self.calls.context(id) {
            Context::Init(variable) => {
                let own = program.variable(variable);
                if let Some(handle) = handle_of(program, own.ty) {
                    let is_local = own.storage != Storage::Static && own.function.is_some();
                    let key = Key::Variable(variable, at.filter(|_| is_local));
                    let to = self.node_of_key(key, handle);
                    let mut items = vec![id];
                    while let Some(item) = items.pop() {
                        match &program.expr(item).kind {
                            ExprKind::InitList(inner) => items.extend(inner),
                            _ => self.flow(at, to, item),
                        }
                    }
                }
            }
            Context::Range => {
                for variable in self.ranges.get(&id).cloned().unwrap_or_default() {
                    let own = program.variable(variable);
                    if let Some(handle) = handle_of(program, own.ty) {
                        let is_local = own.storage != Storage::Static && own.function.is_some();
                        let key = Key::Variable(variable, at.filter(|_| is_local));
                        let to = self.node_of_key(key, handle);
                        self.flow(at, to, id);
                    } else if let Some(node) = self.node(at, id) {
                        self.fail(
                            node,
                            id,
                            Code::UNTYPED_POINTER,
                            "the type of this loop's variable is not that of a handle",
                        );
                    }
                }
            }
            Context::Returned { in_lambda: false } => {
                if let Some(frame) = at
                    && let Some(handle) =
                        handle_of(program, program.function(self.frames[frame].function).result)
                {
                    let to = self.node_of_key(Key::Result(frame), handle);
                    self.flow(at, to, id);
                }
            }
            _ => {}
        }
        if let Some(node) = self.node(at, id) {
            self.judge(at, id, node);
        }
    }

    /// Arguments become parameters.
    fn bind(&mut self, at: Option<usize>, call: ExprId, function: FunctionId) {
        let ExprKind::Call { arguments, .. } = &self.program.expr(call).kind else { return };
        let Some(instance) = at.and_then(|at| self.callee(at, call, function)) else {
            self.tables_given(at, call, false);
            return;
        };
        let parameters = self.program.function(function).parameters.clone();
        let is_own = self.frames[instance].caller == at.map(|at| (at, call));
        self.tables_given(at, call, is_own);
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            let ty = self.program.variable(parameter).ty;
            let key = Key::Variable(parameter, Some(instance));
            if let Some(handle) = handle_of(self.program, ty) {
                let to = self.node_of_key(key, handle);
                self.flow(at, to, *argument);
            } else if let Some(node) = self.node(at, *argument)
                && is_own
                && is_void_pointer(self.program, ty)
            {
                let to = self.node_of_key(key, self.handles[node]);
                self.union.union(to, node);
                self.frames[instance].untyped.insert(parameter);
            }
        }
    }

    /// The kernels that a name stands for; none if that cannot be told.
    pub(super) fn named_kernels(
        &self,
        at: Option<usize>,
        name: ExprId,
    ) -> Option<Vec<Option<FunctionId>>> {
        let (_, id) = self.resolved(at, strip_text(self.program, name));
        let program = self.program;
        let names: Vec<String> = match &program.expr(id).kind {
            ExprKind::Literal => vec![string_value(program, id)?],
            // One of a table.
            ExprKind::Index { base, .. } => {
                let table = variable(program, *base).filter(|id| self.functions.is_fixed(*id))?;
                let init = program.variable(table).init?;
                let ExprKind::InitList(items) = &program.expr(init).kind else { return None };
                items
                    .iter()
                    .map(|item| match program.expr(program.strip_parens(*item)).kind {
                        ExprKind::Literal => string_literal(program.text(program.expr_site(*item))),
                        _ => None,
                    })
                    .collect::<Option<Vec<_>>>()?
            }
            _ => return None,
        };
        let mut found = Vec::new();
        for name in names {
            match self.kernels.by_name.get(&name).map(Vec::as_slice) {
                // Several texts may have one of that name.
                Some(all) => found.extend(all.iter().copied().map(Some)),
                None => found.push(None),
            }
        }
        Some(found)
    }

    /// What surrounds a handle.
    fn judge(&mut self, at: Option<usize>, id: ExprId, node: usize) {
        let program = self.program;
        let unknown = "this use of the handle is not followed";
        let parent = match self.calls.context(id) {
            Context::Dropped | Context::Condition => return,
            Context::Init(_) if self.handles[node] == Handle::Kernel && self.makes_functor(id) => {
                return;
            }
            // Looked at with the flows.
            Context::Init(variable) => {
                if handle_of(program, program.variable(variable).ty).is_none() {
                    self.fail(
                        node,
                        id,
                        Code::UNTYPED_POINTER,
                        "the handle is kept in a variable of another type",
                    );
                }
                return;
            }
            Context::Returned { in_lambda } => {
                let result = at.map(|at| program.function(self.frames[at].function).result);
                let is_handle = result.is_some_and(|ty| handle_of(program, ty).is_some());
                if in_lambda || !is_handle {
                    self.fail(
                        node,
                        id,
                        Code::UNTYPED_POINTER,
                        "the handle is returned as another type",
                    );
                }
                return;
            }
            // Looked at with the flows.
            Context::Range if self.ranges.contains_key(&id) => return,
            Context::Range | Context::Opaque | Context::Assembly => {
                self.fail(node, id, Code::OPENCL_BUFFER, unknown);
                return;
            }
            Context::Operand(parent, position) => (parent, position),
        };
        let (parent, position) = parent;
        let is_followed = match &program.expr(parent).kind {
            ExprKind::Paren(_) | ExprKind::Deref(_) | ExprKind::AddressOf(_) => true,
            ExprKind::Cast { .. } => self.node(at, parent).is_some(),
            ExprKind::Index { .. } => position == 0,
            ExprKind::Comma(..) => true,
            ExprKind::Conditional(..) => true,
            // The handle on the right is a flow.
            ExprKind::Assign(None, left, _) => position == 0 || self.node(at, *left).is_some(),
            ExprKind::Assign(Some(_), ..) => position == 0,
            ExprKind::Unary(UnaryOp::Not, _) => true,
            ExprKind::Unary(op, _) => op.is_update(),
            ExprKind::Binary(op, ..) => matches!(
                op,
                BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::LogicalAnd
                    | BinaryOp::LogicalOr
                    | BinaryOp::Add
                    | BinaryOp::Sub
            ),
            ExprKind::SizeOfExpr(_) => true,
            ExprKind::Delete(_) => true,
            // What a container does with its items, other than giving them out.
            ExprKind::Member { .. } => self
                .calls
                .operand(parent)
                .and_then(|(call, at)| member_call(program, call).filter(|_| at == 0))
                .is_some_and(|(_, name)| {
                    (self.handles[node] == Handle::Kernel && is_kernel_function(name))
                        || matches!(
                            name,
                            "push_back"
                                | "emplace_back"
                                | "size"
                                | "empty"
                                | "clear"
                                | "reserve"
                                | "resize"
                        )
                }),
            ExprKind::InitList(_) => {
                self.initializes_handles(parent)
                    || self.is_in_argument_table(parent)
                    || self.is_item_of_handles(at, parent, position, self.handles[node])
            }
            ExprKind::Call { .. }
                if position > 0
                    && matches!(member_call(program, parent), Some((object, "push_back" | "emplace_back"))
                        if self.node(at, object).is_some()) =>
            {
                true
            }
            ExprKind::Call { arguments, .. } if position == 0 => {
                arguments.is_empty() && self.node(at, parent).is_some()
            }
            ExprKind::Construct { .. } | ExprKind::Call { .. } if self.makes_functor(parent) => {
                self.handles[node] == Handle::Kernel
            }
            ExprKind::Call { .. } if position > 1 && self.called_functor(parent).is_some() => true,
            ExprKind::Construct { of, arguments } => {
                let is_copy =
                    arguments.len() == 1 && handle_of(program, *of) == Some(self.handles[node]);
                is_copy || self.is_item_of_handles(at, parent, position, self.handles[node])
            }
            ExprKind::Call { .. } if member_call(program, parent).is_some() => {
                match member_call(program, parent) {
                    Some((_, name)) if self.handles[node] == Handle::Kernel => {
                        if matches!(name, "enqueueNDRangeKernel" | "enqueueTask") {
                            let range = self.range_of_method(at, parent);
                            self.launches.push((node, None, range));
                        }
                        matches!(name, "enqueueNDRangeKernel" | "enqueueTask") && position == 1
                    }
                    Some((_, "setArg")) => true,
                    Some((_, name)) => match queue_function(name) {
                        Some(api) if takes_buffer(api, position - 1) => {
                            self.event(at, parent, api, Form::Method, node);
                            if let ExprKind::Call { arguments, .. } = &program.expr(parent).kind
                                && matches!(api, BufferApi::Write | BufferApi::Read)
                            {
                                self.host_record(at, arguments.get(4).copied(), parent, node);
                            }
                            true
                        }
                        _ => false,
                    },
                    None => false,
                }
            }
            ExprKind::Call { callee, arguments, .. } if position > 0 => {
                let callee = self.calls.callee(program, *callee, arguments);
                return self.argument(at, id, node, parent, &callee, position - 1);
            }
            _ => false,
        };
        if !is_followed {
            self.fail(node, id, Code::OPENCL_BUFFER, unknown);
        }
    }

    /// Whether a list initializes a variable that is made of handles.
    fn initializes_handles(&self, list: ExprId) -> bool {
        let mut at = list;
        loop {
            match self.calls.context(at) {
                Context::Operand(parent, _)
                    if matches!(self.program.expr(parent).kind, ExprKind::InitList(_)) =>
                {
                    at = parent;
                }
                Context::Init(variable) => {
                    return handle_of(self.program, self.program.variable(variable).ty).is_some();
                }
                _ => return false,
            }
        }
    }

    fn argument(
        &mut self,
        at: Option<usize>,
        id: ExprId,
        node: usize,
        call: ExprId,
        callee: &Callee,
        position: usize,
    ) {
        match callee {
            Callee::Function(function) => {
                let own = self.program.function(*function);
                // Arguments come before the call that binds them.
                self.bind(at, call, *function);
                let instance = at.and_then(|at| self.callee(at, call, *function));
                let parameter = own.parameters.get(position).copied();
                let (Some(instance), Some(parameter)) = (instance, parameter) else {
                    let message = format!("`{}` is not followed", own.name);
                    self.fail(node, id, Code::ESCAPING_POINTER, message);
                    return;
                };
                let ty = self.program.variable(parameter).ty;
                let is_taken = handle_of(self.program, ty).is_some()
                    || self.frames[instance].untyped.contains(&parameter);
                if !is_taken {
                    let message = format!(
                        "parameter `{}` of `{}` has another type",
                        self.program.variable(parameter).name,
                        own.name
                    );
                    self.fail(node, id, Code::UNTYPED_POINTER, message);
                }
            }
            Callee::Library(name) => self.library_argument(at, id, node, call, name, position),
            Callee::Ambiguous(_) | Callee::Unknown => {
                self.fail(
                    node,
                    id,
                    Code::ESCAPING_POINTER,
                    "the function that takes this argument is not known",
                );
            }
        }
    }

    /// What is known when all handles are joined.
    fn finish(mut self) -> Buffers {
        let mut found = Found::new(self.kernels, std::mem::take(&mut self.unseen));
        found.buffers.options = self.build_options();
        let mut kernels: BTreeMap<usize, Option<BTreeSet<Option<FunctionId>>>> = BTreeMap::new();
        for (node, made) in std::mem::take(&mut self.made_kernels) {
            let own = kernels.entry(self.union.find(node)).or_insert(Some(BTreeSet::new()));
            match (own.as_mut(), made) {
                (Some(own), Some(made)) => own.extend(made),
                _ => *own = None,
            }
        }
        for (kernel, reason) in std::mem::take(&mut self.given_unseen) {
            found.pin_kernel(self.program, kernel, &reason);
        }
        let mut reasons: BTreeMap<usize, Vec<Pin>> = BTreeMap::new();
        for (node, pin) in std::mem::take(&mut self.bad) {
            let root = self.union.find(node);
            if self.handles[node] == Handle::Kernel {
                // Whoever has the kernel may set its arguments; and what is here may be any kernel.
                match kernels.get(&root) {
                    Some(Some(known)) => {
                        for kernel in known.iter().flatten() {
                            found.pin_kernel(self.program, *kernel, &pin);
                        }
                    }
                    Some(None) | None => found.unseen.push(pin.clone()),
                }
            }
            reasons.entry(root).or_default().push(pin);
        }
        for setting in std::mem::take(&mut self.settings) {
            let kernel = setting.kernel.map(|node| self.union.find(node));
            let targets = kernel
                .filter(|root| !reasons.contains_key(root))
                .and_then(|root| kernels.get(&root)?.as_ref());
            let of_table = setting.of_table.map(|kernel| BTreeSet::from([kernel]));
            let targets = targets.map(|targets| of_table.as_ref().unwrap_or(targets));
            let buffer = setting.buffer.map(|node| self.union.find(node));
            found.set(self.program, &setting, targets, buffer);
        }
        for (node, block, range) in std::mem::take(&mut self.launches) {
            let Some(Some(kernels)) = kernels.get(&self.union.find(node)) else {
                found.buffers.numbers.launch_any();
                continue;
            };
            for kernel in kernels.iter().flatten() {
                found.buffers.numbers.launch(*kernel, range.as_ref());
                let known = found.buffers.blocks.entry(*kernel).or_insert(block);
                *known = known.filter(|known| block == Some(*known));
            }
        }
        let made: BTreeSet<usize> =
            self.made_buffers.iter().map(|node| self.union.find(*node)).collect();
        let mut records: BTreeMap<usize, Vec<(RecordId, ExprId)>> = BTreeMap::new();
        for (node, record, call) in std::mem::take(&mut self.host_records) {
            records.entry(self.union.find(node)).or_default().push((record, call));
        }
        for (root, given) in std::mem::take(&mut found.given) {
            let mut pins = reasons.remove(&root).unwrap_or_default();
            pins.extend(found.others.remove(&root).unwrap_or_default());
            found.close(self.program, &given, pins, made.contains(&root), records.get(&root));
            let Some(parameter) = given.first_key_value().map(|(id, _)| *id) else { continue };
            for BufferEvent { node, call, instance, api, form } in self.events.iter().copied() {
                if self.union.find(node) == root {
                    let call = BufferCall { call, instance, api, form, parameter };
                    found.buffers.calls.push(call);
                }
            }
        }
        found.finish(self.program, self.frames)
    }
}

/// Whether the flags of a buffer are constants that leave its memory to OpenCL.
pub(super) fn is_plain_flags(program: &Program, id: ExprId) -> bool {
    match &program.expr(program.strip_parens(id)).kind {
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            is_plain_flags(program, *left) && is_plain_flags(program, *right)
        }
        ExprKind::Cast { operand, .. } => is_plain_flags(program, *operand),
        ExprKind::Conditional(_, yes, no) => {
            is_plain_flags(program, *yes) && is_plain_flags(program, *no)
        }
        ExprKind::Integer(Some(0)) => true,
        ExprKind::Name(NameRef::Unknown(name)) => {
            name.starts_with("CL_MEM_") && name != "CL_MEM_USE_HOST_PTR"
        }
        _ => false,
    }
}

/// The variables of range-based loops by their ranges.
fn ranges(program: &Program) -> BTreeMap<ExprId, Vec<VarId>> {
    program
        .stmts
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::ForRange { variable, range, .. } => Some((*range, variable.clone())),
            _ => None,
        })
        .collect()
}

/// The object and the name of a call of a member function that is not the program's.
pub(super) fn member_call(program: &Program, call: ExprId) -> Option<(ExprId, &str)> {
    let ExprKind::Call { callee, .. } = program.expr(call).kind else { return None };
    match &program.expr(program.strip_parens(callee)).kind {
        ExprKind::Member { base, field: None, methods, name, .. } if methods.is_empty() => {
            Some((*base, program.text(*name)))
        }
        _ => None,
    }
}

/// The text behind `.c_str()`.
pub(super) fn strip_text(program: &Program, id: ExprId) -> ExprId {
    match member_call(program, strip_casts(program, id)) {
        Some((text, "c_str" | "data")) => program.strip_parens(text),
        _ => strip_casts(program, id),
    }
}

/// The value of a string: a literal, or the word that `#x` in the body of a macro spells.
fn string_value(program: &Program, id: ExprId) -> Option<String> {
    let text = program.text(program.expr(id).span);
    let Some(parameter) = text.strip_prefix('#').map(str::trim) else {
        return string_literal(text);
    };
    let (mut home, mut word) = (program.home(id), parameter);
    while let Some(id) = home {
        let expansion = program.expansion(id);
        if let Some(at) = expansion.parameters.iter().position(|name| name == word) {
            word = program.text(expansion.arguments[at]);
        }
        home = expansion.home;
    }
    let is_word = word.chars().all(|c| c.is_alphanumeric() || c == '_');
    // Between two macros it would be expanded.
    let is_macro = program.macros.iter().any(|def| def.name == word);
    (is_word && !is_macro).then(|| word.to_owned())
}

/// The value of a string literal without escapes.
pub(super) fn string_literal(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains(['\\', '"'])).then(|| inner.to_owned())
}
