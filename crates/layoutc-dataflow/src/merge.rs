//! Merging separate arrays: `float *x, *vx` of one length as one array of records `{x, vx}`.
//!
//! Array regrouping (Ding and Kennedy 1999; Zhong et al., PLDI 2004): values that are used together come
//! with one sector of memory. A merged array stays a pointer for each of its members: `x` and `vx` become pointers
//! to records, both to the start of the joint allocation, and an access says which member it means. So pointer
//! arithmetic, comparisons and calls keep their text.
//!
//! # Claims
//!
//! - Each member of a joint allocation is used by the pointers of one class only, so that no two arrays share a
//!   value: every allocation of a class is paired with one of each other class, in one list of
//!   statements, and the first of them is always executed before the others, which are executed at most
//!   once for it.
//! - Paired allocations have the same number of elements: their byte counts, divided by the sizes of the elements,
//!   are one polynomial, and nothing in it changes between them.
//! - The joint memory lives as long as any of its members: the calls that free the members stand together and free
//!   pointers of one allocation, and nothing uses the memory between them; or all is freed where `main` ends.
//!
//! That memory runs out is another matter: the first call says so, and the others succeed.
//!
//! Buffers of OpenCL are joined in the same way (`buffers`), but live as long as their handles: each handle is a
//! reference to the joint buffer.
//!
//! What does not hold is a [`Pin`] that names the expression.

mod buffers;
mod handles;
mod makers;
mod memory;
mod place;
mod stable;
mod twins;

use crate::catalogue::Api;
use crate::classes::{
    ApiCall, Callee, ClassId, Classes, Direction, Element, Pin, PlaceKind, Slot, resolve_callee,
};
use crate::grid::facts::Changes;
pub use buffers::{Created, HandlePlace, JointBuffer};
use layoutc_diagnostics::{Code, Span};
use layoutc_syntax::{ExprId, ExprKind, FunctionId, Program, Space, TypeKind};
use place::Statements;
use std::collections::{BTreeMap, BTreeSet};
use twins::Search;
pub use twins::Twin;

/// Arrays of numbers that become one array of records.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The array of each member, in the order asked for.
    pub members: Vec<ClassId>,
    /// What is allocated together.
    pub allocations: Vec<JointAllocation>,
    /// Buffers of OpenCL that are made together; there are no allocations then.
    pub buffers: Vec<JointBuffer>,
    /// Calls that free what another call frees.
    pub dropped_frees: Vec<ExprId>,
    /// Names of parameters and members in accesses, with another that always points to the same element.
    pub twins: BTreeMap<ExprId, Twin>,
}

/// One allocation of the new program.
#[derive(Clone, Debug)]
pub struct JointAllocation {
    /// The call that stays.
    pub keeper: Allocated,
    /// Calls whose pointers become copies of the keeper's.
    pub followers: Vec<Allocated>,
    /// All of them are executed whenever the keeper is.
    pub is_whole: bool,
}

/// A call of `cudaMalloc`.
#[derive(Clone, Copy, Debug)]
pub struct Allocated {
    /// Position in [`Merge::members`].
    pub member: usize,
    /// The call.
    pub call: ExprId,
    /// The pointer that it sets: a variable or member.
    pub pointer: ExprId,
    /// The byte count.
    pub size: ExprId,
}

/// Whether arrays of numbers can become one, and how.
///
/// The classes are those in which pointers to numbers may move
/// ([`find_classes`](crate::classes::find_classes)).
///
/// # Errors
/// The expression that stands in the way.
pub fn find_merge(program: &Program, classes: &Classes, members: &[ClassId]) -> Result<Merge, Pin> {
    let merging = Merging::new(program, classes, members);
    for class in members {
        merging.check_class(*class)?;
    }
    merging.check_uses()?;
    if members.iter().any(|class| classes.class(*class).is_of_buffers) {
        let buffers = merging.buffers()?;
        return Ok(Merge {
            members: members.to_vec(),
            allocations: Vec::new(),
            buffers,
            dropped_frees: Vec::new(),
            twins: BTreeMap::new(),
        });
    }
    let allocations = merging.allocations()?;
    let search = Search::new(&merging, &allocations);
    let dropped_frees = merging.frees(&search.pairs)?;
    let twins = search.twins();
    Ok(Merge { members: members.to_vec(), allocations, buffers: Vec::new(), dropped_frees, twins })
}

/// What the checks look at.
struct Merging<'a> {
    program: &'a Program,
    classes: &'a Classes,
    members: &'a [ClassId],
    changes: Changes,
    statements: Statements,
    /// Functions that mention one of the arrays, or call one that does.
    mentioning: BTreeSet<FunctionId>,
}

impl<'a> Merging<'a> {
    fn new(program: &'a Program, classes: &'a Classes, members: &'a [ClassId]) -> Self {
        let statements = Statements::new(program);
        let mut this = Merging {
            program,
            classes,
            members,
            changes: Changes::collect(program),
            statements,
            mentioning: BTreeSet::new(),
        };
        this.mentioning = this.find_mentioning();
        this
    }

    fn member(&self, class: ClassId) -> Option<usize> {
        self.members.iter().position(|own| *own == class)
    }

    /// The member whose array an expression points into, with the number of indirections.
    fn value(&self, expr: ExprId) -> Option<(usize, u32)> {
        let (class, depth) = self.classes.value(expr)?;
        Some((self.member(class)?, depth))
    }

    /// The member that an expression is an element of.
    fn element(&self, expr: ExprId) -> Option<usize> {
        self.member(self.classes.place(expr)?.0)
    }

    fn mentions(&self, expr: ExprId) -> bool {
        self.value(expr).is_some() || self.element(expr).is_some()
    }

    fn find_mentioning(&self) -> BTreeSet<FunctionId> {
        let mut found = BTreeSet::new();
        let mut callers: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
        for function in self.program.function_ids() {
            for expr in self.program.function_parts(function).exprs {
                if self.mentions(expr) {
                    found.insert(function);
                }
                for called in self.called(expr) {
                    callers.entry(called).or_default().insert(function);
                }
            }
        }
        let mut work: Vec<FunctionId> = found.iter().copied().collect();
        while let Some(at) = work.pop() {
            for caller in callers.get(&at).into_iter().flatten() {
                if found.insert(*caller) {
                    work.push(*caller);
                }
            }
        }
        found
    }

    /// Functions of the program that an expression may call by itself.
    fn called(&self, expr: ExprId) -> Vec<FunctionId> {
        let of = |callee: ExprId, arguments: &[ExprId]| match resolve_callee(
            self.program,
            callee,
            arguments,
        ) {
            Callee::Function(function) => vec![function],
            Callee::Ambiguous(functions) => functions,
            Callee::Library(_) | Callee::Unknown => Vec::new(),
        };
        match &self.program.expr(expr).kind {
            ExprKind::Call { callee, arguments, .. } => of(*callee, arguments),
            ExprKind::Launch { kernel, arguments, .. } => of(*kernel, arguments),
            _ => self.program.operators.get(&expr).copied().into_iter().collect(),
        }
    }

    /// What an array as a whole must be.
    fn check_class(&self, id: ClassId) -> Result<(), Pin> {
        let class = self.classes.class(id);
        if let Some(pin) = class.pins.first() {
            return Err(pin.clone());
        }
        let slot = class.slots.first().copied();
        let span = slot.map_or(NOWHERE, |slot| self.slot_span(slot));
        if class.element.scalar().is_none() {
            return Err(pin(span, "the elements of this array are no numbers"));
        }
        let is_of_both = class.is_of_buffers && !class.allocations.is_empty();
        if class.is_managed || class.is_native || is_of_both || !class.symbols.is_empty() {
            let message = "only arrays that `cudaMalloc` or `clCreateBuffer` allocate can be merged with others";
            return Err(pin(span, message));
        }
        for slot in &class.slots {
            self.check_slot(*slot)?;
            if let Slot::Variable(id) = slot
                && class.is_of_buffers
                && self.program.variable(*id).pointer_space == Space::Constant
            {
                return Err(pin(span, "an array in constant memory is put together with no other"));
            }
        }
        for call in self.calls_of(id) {
            self.check_call(call)?;
        }
        Ok(())
    }

    fn slot_span(&self, slot: Slot) -> Span {
        match slot {
            Slot::Variable(id) => self.program.variable(id).site.name,
            Slot::Field(id) => self.program.field(id).site.name,
            Slot::Result(id) => self.program.function(id).sites[0].name,
        }
    }

    /// The declared type must be one whose number type can be written as another.
    fn check_slot(&self, slot: Slot) -> Result<(), Pin> {
        let span = self.slot_span(slot);
        let function = match slot {
            Slot::Variable(id) => self.program.variable(id).function,
            Slot::Result(id) => Some(id),
            Slot::Field(id) => {
                let record = self.program.record(self.program.field(id).record);
                if record.shares_text || record.instance.is_some() {
                    return Err(pin(span, "the pointer is a member of a class template"));
                }
                None
            }
        };
        if let Some(id) = function {
            let function = self.program.function(id);
            if function.copy_of.is_some() || !function.template_parameters.is_empty() {
                return Err(pin(span, "the pointer belongs to a function template"));
            }
        }
        let ty = match slot {
            Slot::Variable(id) => self.program.variable(id).ty,
            Slot::Field(id) => self.program.field(id).ty,
            Slot::Result(id) => self.program.function(id).result,
        };
        // Pointers, perhaps in an array or by reference, and nothing else.
        let mut at = ty;
        while let TypeKind::Array(to, _) | TypeKind::Reference(to, _) =
            *self.program.types.kind(at.id)
        {
            at = to;
        }
        if !matches!(self.program.types.kind(at.id), TypeKind::Pointer(_)) {
            return Err(pin(span, "this is an array of numbers itself, no pointer to one"));
        }
        while let TypeKind::Pointer(to) = *self.program.types.kind(at.id) {
            at = to;
        }
        if self.program.types.as_scalar(at.id).is_none() {
            return Err(pin(span, "the type of this pointer is not followed"));
        }
        if at.is_volatile {
            return Err(pin(span, "the values are volatile"));
        }
        Ok(())
    }

    /// Calls of the runtime that are given an array.
    fn calls_of(&self, class: ClassId) -> impl Iterator<Item = &'a ApiCall> {
        let (program, classes) = (self.program, self.classes);
        classes.api_calls.iter().filter(move |call| {
            (0..call.arguments.len()).filter(|at| call.is_device_argument(*at)).any(|at| {
                let argument = strip_casts(program, call.arguments[at]);
                classes.value(argument).is_some_and(|(own, _)| own == class)
            })
        })
    }

    fn check_call(&self, call: &ApiCall) -> Result<(), Pin> {
        let span = self.program.expr(call.call).span;
        if self.program.home(call.call).is_some() {
            return Err(pin(span, "the call stands in the body of a macro"));
        }
        let is_literal = || {
            let kind = call.row.copy_arguments().and_then(|at| at.kind);
            kind.is_some_and(|at| {
                let kind = self.program.strip_parens(call.arguments[at]);
                matches!(&self.program.expr(kind).kind,
                    ExprKind::Name(layoutc_syntax::NameRef::Unknown(name))
                        if name != "cudaMemcpyDefault")
            })
        };
        match call.api {
            Api::Malloc | Api::Free | Api::Memset if !call.row.is_async() => Ok(()),
            Api::Memcpy
                if matches!(
                    call.direction,
                    Direction::HostToDevice | Direction::DeviceToHost | Direction::DeviceToDevice
                ) =>
            {
                if is_literal() {
                    Ok(())
                } else {
                    Err(pin(span, "the direction of this copy is not written out"))
                }
            }
            Api::Malloc
            | Api::MallocFromPool
            | Api::MallocManaged
            | Api::Free
            | Api::Memset
            | Api::Memcpy
            | Api::Memcpy2D
            | Api::MemcpyPeer
            | Api::MallocHost
            | Api::HostAlloc
            | Api::FreeHost
            | Api::LibraryFree
            | Api::LibraryMemset
            | Api::LibraryMemcpy
            | Api::Prefetch
            | Api::Advise
            | Api::Attach
            | Api::ToSymbol
            | Api::FromSymbol
            | Api::PointerToSymbol
            | Api::PointerFromSymbol
            | Api::SymbolAddress => {
                Err(pin(span, &format!("`{}` has no form for merged arrays", call.name)))
            }
        }
    }

    /// Every expression that is an element, or points to one.
    fn check_uses(&self) -> Result<(), Pin> {
        for expr in self.program.expr_ids() {
            let kind = &self.program.expr(expr).kind;
            let span = self.program.expr(expr).span;
            if let Some((class, place)) = self.classes.place(expr)
                && self.member(class).is_some()
            {
                let is_access = matches!(place, PlaceKind::Part(_))
                    && matches!(kind, ExprKind::Index { .. } | ExprKind::Deref(_))
                    && !self.program.operators.contains_key(&expr);
                if !is_access && !matches!(kind, ExprKind::Paren(_)) {
                    return Err(pin(span, "this use of a value is not followed"));
                }
                if is_access && self.program.home(expr).is_some() {
                    return Err(pin(span, "the array is accessed in the body of a macro"));
                }
                self.check_wide(expr, span)?;
            }
            if self.value(expr).is_some() {
                self.check_wide(expr, span)?;
                if matches!(kind, ExprKind::Cast { .. }) {
                    return Err(pin(span, "this cast names the type of the values"));
                }
            }
            match kind {
                ExprKind::AddressOf(operand) => self.check_address(expr, *operand)?,
                ExprKind::Cast { target, .. } if self.is_number_pointer(*target) => {
                    self.check_null(expr)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_wide(&self, expr: ExprId, span: Span) -> Result<(), Pin> {
        if self.classes.wide_accesses.contains_key(&expr)
            || self.classes.element_copies.contains_key(&expr)
        {
            return Err(pin(span, "several values are accessed as one"));
        }
        Ok(())
    }

    /// Whether a type is a pointer to numbers, however deep, of the kind that members have.
    fn is_number_pointer(&self, ty: layoutc_syntax::QualType) -> bool {
        let mut at = ty;
        let mut depth = 0;
        while let TypeKind::Pointer(to) | TypeKind::Reference(to, _) | TypeKind::Array(to, _) =
            *self.program.types.kind(at.id)
        {
            at = to;
            depth += 1;
        }
        let element = Element::of_item(self.program, at);
        depth > 0
            && element.is_some_and(|element| {
                self.members.iter().any(|class| self.classes.class(*class).element == element)
            })
    }

    /// `&x[i]` is a pointer to a number still, which may go where no pointer to records is expected.
    fn check_address(&self, address: ExprId, operand: ExprId) -> Result<(), Pin> {
        if self.element(operand).is_none() {
            return Ok(());
        }
        let refuse = || {
            let span = self.program.expr(address).span;
            Err(pin(span, "the address of a value is kept as one of a number"))
        };
        let mut at = address;
        while let Some((parent, position)) = self.statements.parents.of(at) {
            match &self.program.expr(parent).kind {
                ExprKind::Paren(_) => at = parent,
                ExprKind::Deref(_) => return Ok(()),
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    return match resolve_callee(self.program, *callee, arguments) {
                        Callee::Library(_) => Ok(()),
                        Callee::Function(function) => {
                            let parameters = &self.program.function(function).parameters;
                            match parameters.get(position - 1) {
                                Some(id) if self.slot_member(Slot::Variable(*id)).is_none() => {
                                    Ok(())
                                }
                                _ => refuse(),
                            }
                        }
                        Callee::Ambiguous(_) | Callee::Unknown => refuse(),
                    };
                }
                _ => return refuse(),
            }
        }
        let variable =
            self.program.variable_ids().find(|id| self.program.variable(*id).init == Some(at));
        match variable {
            Some(id) if self.slot_member(Slot::Variable(id)).is_none() => Ok(()),
            _ => refuse(),
        }
    }

    fn slot_member(&self, slot: Slot) -> Option<usize> {
        self.member(self.classes.class_of_slot(slot)?)
    }

    /// `(float *)NULL` has the wrong type where a pointer to records is expected.
    fn check_null(&self, cast: ExprId) -> Result<(), Pin> {
        let refuse = || {
            let span = self.program.expr(cast).span;
            Err(pin(span, "this cast names the type of the values"))
        };
        let mut at = cast;
        while let Some((parent, position)) = self.statements.parents.of(at) {
            match &self.program.expr(parent).kind {
                ExprKind::Paren(_) | ExprKind::Cast { .. } => at = parent,
                ExprKind::Assign(_, left, _) => {
                    return if self.mentions(*left) { refuse() } else { Ok(()) };
                }
                ExprKind::Binary(_, left, right) => {
                    let any = self.mentions(*left) || self.mentions(*right);
                    return if any { refuse() } else { Ok(()) };
                }
                ExprKind::Call { callee, arguments, .. } if position > 0 => {
                    return self.check_null_argument(*callee, arguments, position - 1, cast);
                }
                ExprKind::Launch { kernel, arguments, config, .. } if position > config.len() => {
                    let at = position - 1 - config.len();
                    return self.check_null_argument(*kernel, arguments, at, cast);
                }
                // What it becomes there is not looked at.
                _ => return refuse(),
            }
        }
        let of = self.program.variable_ids().find(|id| self.program.variable(*id).init == Some(at));
        match of {
            Some(id) if self.slot_member(Slot::Variable(id)).is_none() => Ok(()),
            // Dropped, returned, or the initializer of a member.
            _ => refuse(),
        }
    }

    fn check_null_argument(
        &self,
        callee: ExprId,
        arguments: &[ExprId],
        at: usize,
        cast: ExprId,
    ) -> Result<(), Pin> {
        let is_foreign = match resolve_callee(self.program, callee, arguments) {
            Callee::Library(_) => true,
            Callee::Function(function) => {
                let parameters = &self.program.function(function).parameters;
                let slot = parameters.get(at).map(|id| Slot::Variable(*id));
                slot.is_some_and(|slot| self.slot_member(slot).is_none())
            }
            Callee::Ambiguous(_) | Callee::Unknown => false,
        };
        if is_foreign {
            return Ok(());
        }
        Err(pin(self.program.expr(cast).span, "this cast names the type of the values"))
    }
}

const NOWHERE: Span = Span { file: layoutc_diagnostics::FileId(0), start: 0, end: 0 };

/// The operand behind parentheses and casts.
fn strip_casts(program: &Program, mut expr: ExprId) -> ExprId {
    while let ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } =
        program.expr(expr).kind
    {
        expr = inner;
    }
    expr
}

fn pin(span: Span, message: &str) -> Pin {
    Pin { span, code: Code::MERGE_FORM, message: message.to_owned(), related: Vec::new() }
}
