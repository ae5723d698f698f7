//! Expressions: their values, and the memory that they access.

use super::arrays::plain_shape;
use super::copies::Holder;
use super::value::{Atom, Key, Root, Value, Variation, roots};
use super::walk::Walk;
use crate::cost::flow::Step;
use crate::cost::kernel::{
    Access, AccessKind, ArrayId, ElementIndex, Lanes, LeafElement, LoopId, Trips,
};
use layoutc_dataflow::catalogue::builtins::{Builtin, builtin_of};
use layoutc_dataflow::catalogue::intrinsics;
use layoutc_dataflow::classes::{Callee, PlaceKind, Slot, resolve_callee};
use layoutc_dataflow::layout::LeafId;
use layoutc_syntax::{
    BinaryOp, ExprId, ExprKind, FunctionId, NameRef, QualType, Space, Storage, TypeKind, UnaryOp,
    VarId, evaluate,
};

/// How deep calls are followed.
const CALLS: usize = 12;
/// Arithmetic operations of a function of the mathematical library, roughly.
const LIBRARY_OPERATIONS: u64 = 8;

/// Scalars of a member that compilers go through without a loop.
const UNROLLED: u64 = 16;

/// Memory of an element.
#[derive(Clone, Debug)]
struct Memory {
    array: ArrayId,
    leaves: Vec<LeafId>,
    element: LeafElement,
    index: Value,
    /// The loop that goes through all scalars of the leaf, which a compiler unrolls.
    unrolled: Option<LoopId>,
    /// Which item of a leaf that is an array, if one.
    item: Option<Value>,
}

impl Walk<'_> {
    /// The value of an expression, with what it accesses on the way.
    pub(super) fn value(&mut self, expr: ExprId) -> Value {
        if !self.goes_on() {
            return self.unknown(true);
        }
        let program = self.program;
        if let Some(value) = evaluate::constant(program, expr) {
            return Value::constant(value);
        }
        if let Some(element) = program.row_start(expr) {
            return match self.classes.place(element).is_some() {
                true => self.address(element),
                false => self.value(element),
            };
        }
        match &program.expr(expr).kind {
            ExprKind::Paren(inner) | ExprKind::Cast { operand: inner, .. } => self.value(*inner),
            ExprKind::Name(NameRef::Variable(id)) => {
                if self.classes.place(expr).is_some() {
                    return self.load(expr);
                }
                self.variable(*id)
            }
            ExprKind::Index { .. } | ExprKind::Deref(_) => self.load(expr),
            ExprKind::Member { .. } => self.builtin(expr).unwrap_or_else(|| self.load(expr)),
            ExprKind::Unary(UnaryOp::Plus, inner) => self.value(*inner),
            ExprKind::Unary(UnaryOp::Minus, inner) => {
                let value = self.value(*inner);
                self.count(1);
                self.symbols.binary(BinaryOp::Sub, &Value::constant(0), &value)
            }
            ExprKind::Unary(op, inner) if op.is_update() => {
                let by = match op {
                    UnaryOp::PreIncrement | UnaryOp::PostIncrement => BinaryOp::Add,
                    _ => BinaryOp::Sub,
                };
                let one = Value::constant(self.unit(*inner));
                let old = self.value(*inner);
                let new = self.symbols.binary(by, &old, &one);
                self.count(1);
                self.store(*inner, new.clone(), None);
                match op {
                    UnaryOp::PreIncrement | UnaryOp::PreDecrement => new,
                    _ => old,
                }
            }
            ExprKind::Unary(_, inner) => {
                let value = self.value(*inner);
                self.count(1);
                self.symbols.operation("~", vec![value])
            }
            ExprKind::AddressOf(inner) => match self.object(*inner) {
                Some(object) => Value::atom(Atom::Object(object)),
                None => self.address(*inner),
            },
            ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, right) => {
                let first = self.value(*left);
                let (second, steps) = self.apart_value(*right);
                if !steps.is_empty() {
                    let holds = self.part_of(*left).lanes;
                    let is_and = matches!(
                        program.expr(expr).kind,
                        ExprKind::Binary(BinaryOp::LogicalAnd, ..)
                    );
                    let part = if is_and { holds } else { 1.0 - holds };
                    self.branch(part, steps, Vec::new());
                }
                self.symbols.operation("&&", vec![first, second])
            }
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.value(*left), self.value(*right));
                self.count(1);
                // Pointers count in elements, and those to rows in rows of them.
                let (a, b) = match (self.is_pointer(*left), self.is_pointer(*right)) {
                    (true, false) => (a, self.scaled(&b, self.unit(*left))),
                    (false, true) => (self.scaled(&a, self.unit(*right)), b),
                    _ => (a, b),
                };
                self.symbols.binary(*op, &a, &b)
            }
            ExprKind::Assign(op, left, right) => {
                if let (None, ExprKind::InitList(items)) =
                    (op, &program.expr(program.strip_parens(*right)).kind)
                    && self.store_members(*left, items)
                {
                    return self.unknown(true);
                }
                let value = match program.expr(program.strip_parens(*left)).kind {
                    ExprKind::Name(NameRef::Variable(id)) if op.is_none() => {
                        self.copied(*right, Holder::Variable(id))
                    }
                    _ => self.value(*right),
                };
                let value = match op {
                    None => value,
                    Some(op) => {
                        let value = match self.is_pointer(*left) {
                            true => self.scaled(&value, self.unit(*left)),
                            false => value,
                        };
                        let old = self.value(*left);
                        self.count(1);
                        self.symbols.binary(*op, &old, &value)
                    }
                };
                let copy = Some(*right).filter(|_| op.is_none());
                self.store(*left, value.clone(), copy);
                if op.is_none()
                    && let Some(to) = self.object(*left)
                {
                    match self.object(*right) {
                        Some(from) => self.copy_object(from, to),
                        None => self.forget(to),
                    }
                }
                value
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.value(*condition);
                let share = self.part_of(*condition).lanes;
                let around = self.threads;
                let failing = self.passing(*condition, false);
                self.threads = self.passing(*condition, true);
                let (first, taken) = self.apart_value(*then);
                self.threads = failing;
                let (second, other) = self.apart_value(*otherwise);
                self.branch(share, taken, other);
                self.threads = around;
                if share < 0.5 { self.either(second, first) } else { self.either(first, second) }
            }
            ExprKind::Comma(left, right) => {
                self.value(*left);
                self.value(*right)
            }
            ExprKind::Call { callee, arguments, .. } => self.call(expr, *callee, arguments),
            ExprKind::Integer(_)
            | ExprKind::Literal
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::SizeOfType { .. }
            | ExprKind::SizeOfExpr(_)
            | ExprKind::OffsetOf(_)
            | ExprKind::Name(_) => {
                let text = program.text(program.expr(expr).span).to_owned();
                self.symbols.operation(&text, Vec::new())
            }
            ExprKind::Launch { .. }
            | ExprKind::MacroCall { .. }
            | ExprKind::New { .. }
            | ExprKind::Delete(_)
            | ExprKind::InitList(_)
            | ExprKind::Construct { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Opaque(_) => {
                for child in program.expr(expr).children() {
                    self.value(child);
                }
                self.unknown(true)
            }
        }
    }

    /// A value of which nothing is known but whether all lanes share it.
    fn unknown(&mut self, lanes: bool) -> Value {
        self.symbols.once(Variation { lanes, blocks: true, data: true, ..Variation::default() })
    }

    fn scaled(&self, value: &Value, by: i64) -> Value {
        value.times(&Value::constant(by)).unwrap_or_else(|| value.clone())
    }

    /// Counts arithmetic operations.
    fn count(&mut self, operations: u64) {
        if self.rehearsals == 0 {
            *self.operations.entry(self.scope).or_default() += operations;
        }
    }

    /// The value of `threadIdx.x`, `get_global_id(0)` and the like.
    pub(super) fn builtin(&mut self, expr: ExprId) -> Option<Value> {
        let (builtin, axis) = builtin_of(self.program, expr)?;
        let (thread, block) = (Value::atom(Atom::Thread(axis)), Value::atom(Atom::Block(axis)));
        let symbols = &mut self.symbols;
        Some(match builtin {
            Builtin::Thread => thread,
            Builtin::Block => block,
            // It moves all accesses alike.
            Builtin::Offset => Value::constant(0),
            Builtin::BlockSize | Builtin::GridSize => symbols.extent(builtin, axis),
            Builtin::GlobalSize => {
                let of_block = symbols.extent(Builtin::BlockSize, axis);
                let of_grid = symbols.extent(Builtin::GridSize, axis);
                symbols.binary(BinaryOp::Mul, &of_block, &of_grid)
            }
            Builtin::Global => {
                let of_block = symbols.extent(Builtin::BlockSize, axis);
                let first = symbols.binary(BinaryOp::Mul, &block, &of_block);
                symbols.binary(BinaryOp::Add, &first, &thread)
            }
        })
    }

    fn is_pointer(&self, expr: ExprId) -> bool {
        let ty = self.program.expr(expr).ty;
        matches!(self.program.types.kind(ty.id), TypeKind::Pointer(_) | TypeKind::Array(..))
    }

    /// How many elements lie between what neighbouring values of a pointer point to; 1 for numbers.
    fn unit(&self, expr: ExprId) -> i64 {
        let ty = self.program.expr(expr).ty;
        match self.program.types.kind(ty.id) {
            TypeKind::Pointer(to) | TypeKind::Array(to, _) => self.items(*to),
            _ => 1,
        }
    }

    /// How many items an array of arrays has below this type; 1 for anything else.
    fn items(&self, ty: QualType) -> i64 {
        match self.program.types.kind(ty.id) {
            TypeKind::Array(of, Some(length)) => {
                i64::try_from(*length).unwrap_or(1).saturating_mul(self.items(*of))
            }
            _ => 1,
        }
    }

    /// Reads memory, or gives the address of an array.
    fn load(&mut self, expr: ExprId) -> Value {
        let is_array =
            matches!(self.program.types.kind(self.program.expr(expr).ty.id), TypeKind::Array(..));
        if is_array {
            return self.address(expr);
        }
        match self.memory(expr) {
            Ok(memory) => {
                self.record(expr, &memory, AccessKind::Read);
                self.loaded(&memory, memory.leaves[0])
            }
            Err(value) => value,
        }
    }

    /// Reads a value into a variable, of which only what is used is loaded.
    pub(super) fn copied(&mut self, expr: ExprId, holder: Holder) -> Value {
        let inner = self.program.strip_parens(expr);
        let used = self
            .copies
            .used(holder)
            .filter(|_| matches!(self.classes.place(inner), Some((_, PlaceKind::Element))));
        let Some(used) = used else { return self.value(expr) };
        let used = used.clone();
        match self.memory(inner) {
            Ok(mut memory) => {
                if let Some((class, _)) = self.classes.place(inner)
                    && let Some((_, shape)) = self.arrays.of_class(class)
                {
                    memory.leaves.retain(|leaf| {
                        let path = &shape.members[leaf.index()].path;
                        path.first().is_some_and(|field| used.contains(field))
                    });
                }
                if !memory.leaves.is_empty() {
                    self.record(expr, &memory, AccessKind::Read);
                }
                let lanes = self.symbols.variation(&memory.index).lanes;
                self.unknown(lanes)
            }
            Err(value) => value,
        }
    }

    /// The element of an array of structs that an expression is.
    pub(super) fn element(&mut self, expr: ExprId) -> Option<(ArrayId, Value)> {
        let expr = self.program.strip_parens(expr);
        let Some((_, PlaceKind::Element)) = self.classes.place(expr) else { return None };
        self.rehearsals += 1;
        let memory = self.memory(expr).ok();
        self.rehearsals -= 1;
        memory.map(|memory| (memory.array, memory.index))
    }

    /// Leaves out what an element has already: a copy of it that was changed in part goes back.
    fn leave_out_unchanged(&self, memory: &mut Memory, from: ExprId) {
        let program = self.program;
        let ExprKind::Name(NameRef::Variable(id)) = program.expr(program.strip_parens(from)).kind
        else {
            return;
        };
        let is_own = self
            .origins
            .get(&id)
            .is_some_and(|(array, index)| (*array, index) == (memory.array, &memory.index));
        let Some(changed) = self.copies.changed(id).filter(|_| is_own) else { return };
        if let Some(members) = self.arrays.members(memory.array) {
            memory.leaves.retain(|leaf| {
                members[leaf.index()].path.first().is_some_and(|field| changed.contains(field))
            });
        }
    }

    /// `auto [a, b] = p[i]`: the names, which stand in front of the variable without one, are the members.
    pub(super) fn bind(&mut self, id: VarId, init: ExprId) -> bool {
        let program = self.program;
        let init = program.strip_parens(init);
        let is_element = matches!(self.classes.place(init), Some((_, PlaceKind::Element)));
        if !program.variable(id).name.is_empty() || !is_element {
            return false;
        }
        let Ok(memory) = self.memory(init) else { return false };
        self.record(init, &memory, AccessKind::Read);
        let first = id.0.saturating_sub(memory.leaves.len() as u32);
        for (leaf, name) in memory.leaves.iter().zip(first..id.0) {
            let value = self.loaded(&memory, *leaf);
            self.values.insert(VarId(name), value);
        }
        true
    }

    /// The value that was read from memory.
    fn loaded(&mut self, memory: &Memory, leaf: LeafId) -> Value {
        let variation = self.symbols.loaded(&memory.index, memory.item.as_ref());
        let key = Key::Load(memory.array, leaf, memory.index.clone(), memory.item.clone());
        self.symbols.symbol(key, variation)
    }

    /// Writes an element member by member, `{a, b}`; what has just been read of it stays.
    fn store_members(&mut self, target: ExprId, items: &[ExprId]) -> bool {
        let target = self.program.strip_parens(target);
        let is_element = matches!(self.classes.place(target), Some((_, PlaceKind::Element)));
        if !is_element {
            return false;
        }
        let values: Vec<Value> = items.iter().map(|item| self.value(*item)).collect();
        let Ok(mut memory) = self.memory(target) else { return true };
        if memory.leaves.len() == values.len() {
            let known = memory.clone();
            let mut values = values.iter();
            memory.leaves.retain(|leaf| {
                let same = self.loaded(&known, *leaf);
                values.next() != Some(&same)
            });
        }
        if !memory.leaves.is_empty() {
            self.record(target, &memory, AccessKind::Write);
        }
        true
    }

    /// Changes a variable or writes to memory; `from` is what is assigned.
    fn store(&mut self, target: ExprId, value: Value, from: Option<ExprId>) {
        let program = self.program;
        let target = program.strip_parens(target);
        if self.classes.place(target).is_none()
            && let ExprKind::Name(NameRef::Variable(id)) = program.expr(target).kind
        {
            self.values.insert(id, value);
            return;
        }
        if let ExprKind::Member { base, arrow, field: Some(field), .. } = program.expr(target).kind
            && let Some(object) = self.base_object(base, arrow)
        {
            self.store_member(object, field, value);
            return;
        }
        if let Ok(mut memory) = self.memory(target) {
            if let Some(from) = from {
                self.leave_out_unchanged(&mut memory, from);
            }
            if !memory.leaves.is_empty() {
                self.record(target, &memory, AccessKind::Write);
            }
        }
    }

    fn record(&mut self, expr: ExprId, memory: &Memory, kind: AccessKind) {
        if self.rehearsals > 0 {
            return;
        }
        let mut index = self.element_index(memory);
        if self.threads.is_single {
            index.lanes = Lanes::Single;
        }
        let zero = crate::cost::kernel::Factor::Number(0);
        if index.lanes == Lanes::Affine([zero; 3])
            && (self.reads_changeable || self.symbols.variation(&memory.index).guessed)
        {
            self.guessed.insert(memory.array);
        }
        let access = Access {
            array: memory.array,
            leaves: memory.leaves.clone(),
            element: memory.element,
            kind,
            index,
            scope: match memory.unrolled {
                Some(LoopId(around)) => self.loops[around as usize].parent,
                None => self.scope,
            },
            share: self.threads.part.lanes,
            warps: self.threads.part.warps,
            phase: self.threads.part.phase,
            span: self.program.expr_site(expr),
            text: self.program.expr(expr).span,
        };
        self.step(Step::Access(self.accesses.len() as u32));
        self.accesses.push(access);
    }

    /// The index within the array: the first pointer to it that the kernel uses counts as its start, so
    /// that indices into separate arrays can be compared.
    fn element_index(&mut self, memory: &Memory) -> ElementIndex {
        let mut index = memory.index.clone();
        if let [root] = roots(&index)[..] {
            let start = *self.starts.entry(memory.array).or_insert(root);
            if start == root
                && let Some(rest) = index.minus(&Value::atom(Atom::Root(root)))
            {
                index = rest;
            }
        }
        self.symbols.element_index(&index)
    }

    /// The memory that an expression is; otherwise what its value is.
    fn memory(&mut self, expr: ExprId) -> Result<Memory, Value> {
        let program = self.program;
        let expr = program.strip_parens(expr);
        if let Some((class, kind)) = self.classes.place(expr) {
            let kind = kind.clone();
            let index = self.address(expr);
            let Some((array, shape)) = self.arrays.of_class(class) else {
                return Err(self.unknown(true));
            };
            let leaves: Vec<LeafId> = match &kind {
                PlaceKind::Element => shape.shape.leaf_ids().collect(),
                PlaceKind::Part(path) => (shape.members.iter().zip(shape.shape.leaf_ids()))
                    .filter(|(member, _)| {
                        member.path.starts_with(path) || path.starts_with(&member.path)
                    })
                    .map(|(_, leaf)| leaf)
                    .collect(),
            };
            let array = *array;
            if leaves.is_empty() {
                return Err(self.unknown(true));
            }
            let scalars = match leaves[..] {
                [leaf] => self.arrays.infos[array.0 as usize].shape.leaf(leaf).scalars(),
                _ => 0,
            };
            let item = self.item(expr);
            let unrolled = item.as_ref().and_then(|item| self.unrolled(item, scalars, &index));
            let element = match unrolled {
                Some(_) => LeafElement::All,
                None => self.leaf_element(expr),
            };
            return Ok(Memory { array, leaves, element, index, unrolled, item });
        }
        match &program.expr(expr).kind {
            ExprKind::Index { .. } | ExprKind::Deref(_) => {
                let index = self.address(expr);
                let ty = program.expr(expr).ty;
                self.plain(index, ty)
            }
            ExprKind::Member { base, arrow, field, name, .. } => {
                if let Some(field) = *field
                    && let Some(object) = self.base_object(*base, *arrow)
                    && let Some(value) = self.stored(object, field)
                {
                    return Err(value);
                }
                if *arrow {
                    let index = self.value(*base);
                    let to = program.types.pointee(program.expr(*base).ty.id);
                    if let Some(to) = to
                        && let Ok(memory) = self.plain(index.clone(), to)
                    {
                        return Ok(self.lane_of(memory, program.text(*name)));
                    }
                    return Err(self.member(*field, vec![index]));
                }
                match self.memory(*base) {
                    Ok(memory) => Ok(self.lane_of(memory, program.text(*name))),
                    Err(value) => Err(self.member(*field, vec![value])),
                }
            }
            ExprKind::Name(NameRef::Variable(id)) => Err(self.variable(*id)),
            _ => Err(self.value(expr)),
        }
    }

    /// A member of what is not in global memory: a pointer that it holds leads to an array of its own.
    fn member(&mut self, field: Option<layoutc_syntax::FieldId>, of: Vec<Value>) -> Value {
        let Some(field) = field else { return self.unknown(true) };
        let ty = self.program.field(field).ty;
        if matches!(self.program.types.kind(ty.id), TypeKind::Pointer(_)) {
            return Value::atom(Atom::Root(Root::Field(field)));
        }
        let mut variation = Variation::default();
        for value in &of {
            variation.join(&self.symbols.variation(value));
        }
        self.symbols.symbol(Key::Member(field, of), variation)
    }

    /// A lane of a vector, or the vector.
    fn lane_of(&self, mut memory: Memory, name: &str) -> Memory {
        let shape = &self.arrays.infos[memory.array.0 as usize].shape;
        if let Some(leaf) = shape.leaf_at(name).filter(|leaf| memory.leaves.contains(leaf)) {
            memory.leaves = vec![leaf];
        }
        memory
    }

    /// Memory of an array of numbers.
    fn plain(&mut self, index: Value, ty: QualType) -> Result<Memory, Value> {
        let [root] = roots(&index)[..] else {
            let variation = self.symbols.variation(&index);
            return Err(self.unknown(variation.lanes));
        };
        match self.arrays.of_root(self.program, self.classes, root, ty) {
            Some(array) => {
                let leaves = self.arrays.leaves(array);
                Ok(Memory {
                    array,
                    leaves,
                    element: LeafElement::All,
                    index,
                    unrolled: None,
                    item: None,
                })
            }
            // Shared memory and the like.
            None => {
                if let Some(memory) = self.reinterpreted(root, &index, ty) {
                    return Ok(memory);
                }
                let mut variation = self.symbols.variation(&index);
                let is_private = self.is_private(root);
                variation.data = is_private != Some(false);
                variation.lanes |= is_private == Some(true);
                Err(self.symbols.once(variation))
            }
        }
    }

    /// Whole elements of an array of structs by a pointer to something else of their size.
    fn reinterpreted(&mut self, root: Root, index: &Value, ty: QualType) -> Option<Memory> {
        let slot = match root {
            Root::Variable(id) => Slot::Variable(id),
            Root::Field(id) => Slot::Field(id),
        };
        let class = self.classes.class_of_slot(slot)?;
        let (array, shape) = self.arrays.of_class(class)?;
        let bytes = plain_shape(self.program, ty)?.size;
        (bytes == shape.shape.size).then(|| Memory {
            array: *array,
            leaves: shape.shape.leaf_ids().collect(),
            element: LeafElement::All,
            index: index.clone(),
            unrolled: None,
            item: None,
        })
    }

    /// Whether each thread has values of its own there; `Some(false)` for a table of constants.
    fn is_private(&self, root: Root) -> Option<bool> {
        let Root::Variable(id) = root else { return None };
        let variable = self.program.variable(id);
        let is_const = match self.program.types.kind(variable.ty.id) {
            TypeKind::Array(of, _) => of.is_const || variable.ty.is_const,
            _ => false,
        };
        let is_own = variable.storage == Storage::Local && variable.space == Space::Default;
        let is_table = is_const || variable.space == Space::Constant;
        (is_own || is_table).then_some(!is_table)
    }

    /// Which item of a member array an expression is.
    fn leaf_element(&mut self, expr: ExprId) -> LeafElement {
        let program = self.program;
        match program.expr(expr).kind {
            ExprKind::Index { base, index, .. }
                if self.classes.place(base).is_some() || program.row_of(base).is_some() =>
            {
                match evaluate::constant(program, index).and_then(|at| u64::try_from(at).ok()) {
                    Some(at) => LeafElement::Known(at),
                    None => LeafElement::Unknown,
                }
            }
            _ => LeafElement::All,
        }
    }

    /// Which item of a member array an expression is: all indices behind the member.
    fn item(&mut self, expr: ExprId) -> Option<Value> {
        let ExprKind::Index { base, index, .. } = self.program.expr(expr).kind else { return None };
        if self.classes.place(base).is_none() && self.program.row_of(base).is_none() {
            return None;
        }
        self.rehearsals += 1;
        let at = self.value(index);
        let outer = self.item(self.program.strip_parens(base));
        self.rehearsals -= 1;
        Some(match outer {
            Some(outer) => self.symbols.operation("[]", vec![outer, at]),
            None => at,
        })
    }

    /// The loop that goes once through all scalars of a leaf of this element.
    fn unrolled(&self, item: &Value, scalars: u64, element: &Value) -> Option<LoopId> {
        let around = self.scope.filter(|_| (2..=UNROLLED).contains(&scalars))?;
        let is_whole = self.loops[around.0 as usize].trips == Trips::Known(scalars)
            && !self.symbols.variation(element).loops.contains(&around);
        (is_whole && *item == Value::atom(Atom::Trip(around))).then_some(around)
    }

    /// How far what an expression stands for lies in its array.
    pub(super) fn address(&mut self, expr: ExprId) -> Value {
        let program = self.program;
        if !self.goes_on() {
            return self.unknown(true);
        }
        match &program.expr(expr).kind {
            ExprKind::Paren(inner) => self.address(*inner),
            ExprKind::Member { base, arrow, .. } => {
                if *arrow && self.classes.place(*base).is_none() {
                    return self.value(*base);
                }
                if self.classes.place(*base).is_some() {
                    return self.address(*base);
                }
                match self.memory(expr) {
                    Ok(memory) => memory.index,
                    Err(value) => value,
                }
            }
            ExprKind::Index { base, index, .. } => {
                if self.classes.place(*base).is_some() && self.classes.value(*base).is_none() {
                    // An item of a member array.
                    let address = self.address(*base);
                    self.value(*index);
                    return address;
                }
                let start = self.value(*base);
                let offset = self.value(*index);
                if program.row_of(*base).is_some() {
                    return start;
                }
                let offset = self.scaled(&offset, self.unit(*base));
                self.symbols.binary(BinaryOp::Add, &start, &offset)
            }
            ExprKind::Deref(operand) => self.value(*operand),
            ExprKind::Name(NameRef::Variable(id)) => self.variable(*id),
            _ => self.value(expr),
        }
    }

    fn call(&mut self, expr: ExprId, callee: ExprId, arguments: &[ExprId]) -> Value {
        let program = self.program;
        match resolve_callee(program, callee, arguments) {
            Callee::Function(function) => self.function(callee, function, arguments),
            Callee::Library(name) => self.library(expr, &name, arguments),
            Callee::Ambiguous(_) | Callee::Unknown => {
                for argument in arguments {
                    self.value(*argument);
                }
                self.unknown(true)
            }
        }
    }

    fn function(&mut self, callee: ExprId, id: FunctionId, arguments: &[ExprId]) -> Value {
        let program = self.program;
        let function = program.function(id);
        let mut given: Vec<(VarId, Value)> = Vec::new();
        let mut object = None;
        if let ExprKind::Member { base, arrow, .. } =
            program.expr(program.strip_parens(callee)).kind
        {
            object = self.base_object(base, arrow);
            match function.this_parameter {
                Some(this) => {
                    let address = match object {
                        Some(object) => Value::atom(Atom::Object(object)),
                        None if arrow => self.value(base),
                        None => self.address(base),
                    };
                    given.push((this, address));
                }
                // A copy of the object is what it is called on.
                None if !arrow && self.classes.place(base).is_some() => {
                    self.copied(base, Holder::Object(id));
                }
                None => {
                    self.value(base);
                }
            }
        }
        given.extend(self.given(id, arguments));
        self.run(id, given, object)
    }

    /// The values of a function's parameters.
    pub(super) fn given(&mut self, id: FunctionId, arguments: &[ExprId]) -> Vec<(VarId, Value)> {
        let program = self.program;
        let function = program.function(id);
        let mut given: Vec<(VarId, Value)> = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let parameter = function.parameters.get(at).copied();
            let is_reference = parameter.is_some_and(|id| {
                let is_read = self.classes.reader_parameters.contains(&id);
                let ty = program.variable(id).ty;
                !is_read && matches!(program.types.kind(ty.id), TypeKind::Reference(..))
            });
            let object = self.object(*argument);
            let value = match is_reference && self.classes.place(*argument).is_some() {
                true => self.address(*argument),
                false => match (parameter, object) {
                    (Some(_), Some(object)) if is_reference => Value::atom(Atom::Object(object)),
                    (Some(parameter), _) => self.copied(*argument, Holder::Variable(parameter)),
                    (None, _) => self.value(*argument),
                },
            };
            if let Some(parameter) = parameter.filter(|_| !is_reference) {
                match object {
                    Some(object) => self.copy_object(object, parameter),
                    None => self.forget(parameter),
                }
            }
            given.extend(parameter.map(|id| (id, value)));
        }
        given
    }

    /// A function's body runs; `object` is its own if that lies in the thread's own memory.
    pub(super) fn run(
        &mut self,
        id: FunctionId,
        given: Vec<(VarId, Value)>,
        object: Option<VarId>,
    ) -> Value {
        let function = self.program.function(id);
        let Some(body) =
            function.body.filter(|_| self.calls.len() < CALLS && !self.calls.contains(&id))
        else {
            return self.unknown(true);
        };
        let caller = std::mem::replace(&mut self.this, object);
        self.values.extend(given);
        self.calls.push(id);
        let before = self.returned.take();
        let around = self.threads;
        let steps = self.apart(|walk| walk.statement(body));
        self.step(Step::Call(steps));
        self.threads = around;
        let returned = std::mem::replace(&mut self.returned, before);
        self.calls.pop();
        self.this = caller;
        returned.unwrap_or_else(|| self.unknown(true))
    }

    fn library(&mut self, expr: ExprId, name: &str, arguments: &[ExprId]) -> Value {
        let access = intrinsics::access(name);
        let mut values = Vec::new();
        if let Some(value) = self.builtin(expr) {
            return value;
        }
        if let ("memcpy" | "memmove", [to, from, size]) = (name, arguments) {
            self.value(*size);
            self.pointed(*from, AccessKind::Read);
            return self.pointed(*to, AccessKind::Write);
        }
        for (at, argument) in arguments.iter().enumerate() {
            let value = match access.filter(|_| at == 0) {
                Some(kind) => self.pointed(*argument, kind),
                None => self.value(*argument),
            };
            values.push(value);
        }
        if let ("min" | "max", [first, second]) = (name, values.as_slice()) {
            self.count(1);
            let (first, second) = (first.clone(), second.clone());
            return self.either(first, second);
        }
        if access.is_some() {
            return self.unknown(true);
        }
        let is_number = matches!(self.program.types.kind(self.program.expr(expr).ty.id),
            TypeKind::Scalar(scalar) if !scalar.is_integer());
        self.count(if is_number { LIBRARY_OPERATIONS } else { 1 });
        self.symbols.operation(name, values)
    }

    /// Accesses what a pointer argument points to.
    fn pointed(&mut self, argument: ExprId, kind: AccessKind) -> Value {
        let program = self.program;
        let mut pointer = program.strip_parens(argument);
        while let ExprKind::Cast { operand, .. } = program.expr(pointer).kind {
            pointer = program.strip_parens(operand);
        }
        let memory = match program.expr(pointer).kind {
            ExprKind::AddressOf(place) => self.memory(place),
            _ => {
                let index = self.value(pointer);
                match (
                    self.classes.value(pointer),
                    program.types.pointee(program.expr(pointer).ty.id),
                ) {
                    (None, Some(to)) => self.plain(index, to),
                    (Some((class, _)), _) => match self.arrays.of_class(class) {
                        Some((array, shape)) => Ok(Memory {
                            array: *array,
                            leaves: shape.shape.leaf_ids().collect(),
                            element: LeafElement::All,
                            index,
                            unrolled: None,
                            item: None,
                        }),
                        None => Err(index),
                    },
                    (None, None) => Err(index),
                }
            }
        };
        match memory {
            Ok(memory) => {
                self.record(argument, &memory, kind);
                memory.index
            }
            Err(value) => value,
        }
    }
}
