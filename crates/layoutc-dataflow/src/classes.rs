//! Array classes: which allocations, pointers and parameters must share one layout.
//!
//! A *slot* is a variable, field or function result that can hold pointers into an array of
//! records, or a reference to an element. Slots between which a pointer may flow are unified
//! (Steensgaard's analysis with all pointer levels of one slot collapsed), and each equivalence
//! class that holds memory from the CUDA allocator is an [`ArrayClass`].
//!
//! Every occurrence of a class in the program has a [`Place`] (it is memory of an element) or a
//! [`Value`] (it is a pointer to one), and the construct around it either is one that the code
//! generator rewrites or gives the class a [`Pin`]. There is no third case: [`classify`] ends each
//! match in a pin. What the program model does not hold (unparsed text, inactive branches, macro
//! bodies) pins the classes whose names it mentions.
//!
//! The invariant that codegen relies on: in a class without pins, every expression with a place or
//! value of that class stands in a context that [`classify`] accepts.

mod accessors;
mod api;
mod calls;
mod carriers;
mod classify;
mod deleters;
mod device_vectors;
mod direction;
mod directives;
mod element;
mod host_arrays;
mod host_items;
mod host_memory;
mod in_file;
mod lambdas;
mod lists;
mod names;
mod open_templates;
mod opencl;
mod operands;
mod places;
mod positions;
mod readers;
mod regions;
mod rows;
mod separate;
mod shape;
mod single_object;
mod sizes;
mod slots;
mod symbols;
mod typed;
mod unfollowed;
mod unify;
mod unseen;
mod untyped;
mod versions;
mod whole_objects;

pub use api::ApiCall;
pub use calls::{Callee, constructor_of, given_object, operator_operands, resolve_callee};
pub use classify::{ElementCopy, WideAccess, classes_of_functor};
pub use direction::Direction;
pub use element::{Element, element_of, record_of};
pub use host_arrays::{HostAllocation, HostArray, HostSource};
pub use in_file::classes_in_file;
pub use lambdas::captures_reference;
pub use names::{array_names, is_same_instance, slot_names};
pub use opencl::{
    BufferApi, BufferCall, Buffers, BuildOptions, Form, Given, Instance, Numbers, Range,
};
pub(crate) use opencl::{is_buffer, runs_kernels};
pub use operands::{exchanged, given_back, is_null, led_back, strip_casts};
pub use places::{Place, PlaceKind, Places, Value};
pub use positions::Position;
pub use readers::Stores;
pub use rows::with_member_rows;
pub use separate::{Separation, separate};
pub use shape::{ClassShape, LeafMember, class_shape, outer_type_text};
pub use sizes::Sizes;
pub use slots::Slot;
pub use typed::{
    Chain, Declared, Extent, RowSize, TypedArrays, brackets_of, is_of_variables, takes_none,
};
pub use unfollowed::{UnfollowedAllocation, first_unfollowed_allocation};
pub use unseen::foreign_pin;
pub use untyped::type_untyped_pointers;
pub use versions::Version;
pub use whole_objects::sizes_of_whole_objects;

use crate::catalogue::{self, Api, Effect};
use layoutc_diagnostics::{Code, FileId, Span};
use layoutc_syntax::{ExprId, ExprKind, FieldId, FunctionId, Program, Space, VarId};
use positions::{Addresses, Positions};
use slots::SlotGraph;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An array class of [`Classes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClassId(pub u32);

impl ClassId {
    /// Position in [`Classes::classes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A reason why a class keeps its layout.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pin {
    /// The smallest span that shows the reason.
    pub span: Span,
    /// The registered code.
    pub code: Code,
    /// What is to be seen there.
    pub message: String,
    /// The flow that led there.
    pub related: Vec<(Span, String)>,
}

/// A member path from an element to a part of it, outermost field first.
pub type FieldPath = Vec<FieldId>;

/// Memory from the CUDA allocator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// The allocating call.
    pub call: ExprId,
    /// The byte count.
    pub size: ExprId,
}

/// A set of slots and allocations that must share one layout.
#[derive(Clone, Debug)]
pub struct ArrayClass {
    /// Its element type.
    pub element: Element,
    /// Its slots, in order of declaration.
    pub slots: Vec<Slot>,
    /// Its allocations, in source order.
    pub allocations: Vec<Allocation>,
    /// Arrays at file scope in device memory; in a native class, arrays that are objects of the host.
    pub symbols: Vec<VarId>,
    /// Why it must keep its layout, in source order; empty if it can move.
    pub pins: Vec<Pin>,
    /// Closed branches that mention it: they must not be compiled once it has changed.
    pub closed_branches: BTreeSet<Span>,
    /// Its memory is OpenCL buffers.
    pub is_of_buffers: bool,
    /// Inner parts of the record that the program uses as a whole, with a place that shows it.
    pub units: BTreeMap<FieldPath, Span>,
    /// Slots that may point behind the first element.
    pub interior: BTreeSet<Slot>,
    /// Host code may access the elements: all its memory is managed.
    pub is_managed: bool,
    /// Some of its memory is the host's, in the same layout: host code may access the elements.
    pub is_native: bool,
}

impl ArrayClass {
    /// Where the element type is declared; of numbers and vectors, where the first slot is.
    #[must_use]
    pub fn site(&self, program: &Program) -> Span {
        let slot = || match self.slots.first() {
            Some(Slot::Variable(id)) => program.variable(*id).site.name,
            Some(Slot::Field(id)) => program.field(*id).site.name,
            Some(Slot::Result(id)) => program.function(*id).sites[0].name,
            None => Span::new(FileId(0), 0, 0),
        };
        self.element.record().map_or_else(slot, |record| program.record(record).name_span)
    }

    /// The byte count of an allocation if each of them is `sizeof(T)`: room for one element.
    #[must_use]
    pub fn size_of_one(&self, program: &Program) -> Option<ExprId> {
        let record = self.element.record()?;
        let is_one = |allocation: &Allocation| {
            let size = program.strip_parens(allocation.size);
            let of = match &program.expr(size).kind {
                ExprKind::SizeOfType { of, is_align: false, .. } => *of,
                ExprKind::SizeOfExpr(operand) => {
                    program.types.strip_reference(program.expr(*operand).ty)
                }
                _ => return false,
            };
            program.types.as_record(of.id) == Some(record)
        };
        let first = self.allocations.first().filter(|_| self.symbols.is_empty())?;
        self.allocations.iter().all(is_one).then_some(first.size)
    }

    /// Whether nothing keeps its layout.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.pins.is_empty()
    }
}

/// All array classes of a program.
#[derive(Clone, Debug)]
pub struct Classes {
    /// The classes: of records, then of numbers and vectors, each in order of their first slot.
    pub classes: Vec<ArrayClass>,
    /// Place and value of each expression.
    pub places: Arc<Places>,
    /// Calls of the CUDA runtime that concern a class, in source order.
    pub api_calls: Vec<ApiCall>,
    /// Parameters of type `const T&` that can be given a copy of the element.
    pub reader_parameters: BTreeSet<VarId>,
    /// Parameters `T &` of call operators that a `const` in front would suit.
    pub could_be_constant: BTreeSet<VarId>,
    /// Member functions that can be called on a copy of the element.
    pub reader_methods: BTreeSet<FunctionId>,
    /// What functions may store to.
    pub stores: Stores,
    /// Calls that should reach another meaning of their function, before anything is decided.
    pub versions: Vec<Version>,
    /// Comparisons and differences of pointers that certainly point into one array.
    pub same_array: BTreeSet<ExprId>,
    /// Calls of `memcpy` in device code that move one element.
    pub element_copies: BTreeMap<ExprId, ElementCopy>,
    /// Accesses to whole elements as vectors: the lvalue, the load, or the assignment.
    pub wide_accesses: BTreeMap<ExprId, WideAccess>,
    /// What gives memory to host arrays of native classes, by expression without parentheses.
    pub host_allocations: BTreeMap<ExprId, HostAllocation>,
    /// Whether the program selects devices more than once: memory may be on several.
    pub several_devices: bool,
    /// The slot that each item of a list in braces fills.
    pub list_slots: BTreeMap<ExprId, Slot>,
    /// OpenCL buffers that reach kernels.
    pub buffers: Buffers,
    class_of_node: Vec<Option<ClassId>>,
    slot_nodes: BTreeMap<Slot, usize>,
}

impl Classes {
    /// The class with this id.
    #[must_use]
    pub fn class(&self, id: ClassId) -> &ArrayClass {
        &self.classes[id.index()]
    }

    /// All class ids.
    pub fn ids(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.classes.len() as u32).map(ClassId)
    }

    /// The class whose memory the expression is, with what part of an element it is.
    #[must_use]
    pub fn place(&self, expr: ExprId) -> Option<(ClassId, &PlaceKind)> {
        let place = self.places.place(expr)?;
        Some((self.class_of_node[place.node]?, &place.kind))
    }

    /// The class into which the expression points, with the number of indirections to an element.
    #[must_use]
    pub fn value(&self, expr: ExprId) -> Option<(ClassId, u32)> {
        let value = self.places.value(expr)?;
        Some((self.class_of_node[value.node]?, value.depth))
    }

    /// The same, without the arrays of numbers and vectors; a class of records keeps its id.
    #[must_use]
    pub fn of_records(&self) -> Classes {
        self.only(|element| element.record().is_some())
    }

    /// The classes with some elements, numbered in the same order.
    #[must_use]
    pub fn only(&self, keeps: impl Fn(Element) -> bool) -> Classes {
        let mut found = self.clone();
        found.classes.retain(|class| keeps(class.element));
        let mut ids = (0..).map(ClassId);
        let new: Vec<Option<ClassId>> = (self.classes.iter())
            .map(|class| if keeps(class.element) { ids.next() } else { None })
            .collect();
        for class in &mut found.class_of_node {
            *class = class.and_then(|class| new[class.index()]);
        }
        found
    }

    /// The class of a slot.
    #[must_use]
    pub fn class_of_slot(&self, slot: Slot) -> Option<ClassId> {
        self.slot_nodes.get(&slot).and_then(|node| self.class_of_node[*node])
    }

    /// Whether a slot may point behind the first element.
    #[must_use]
    pub fn is_interior(&self, slot: Slot) -> bool {
        self.class_of_slot(slot).is_some_and(|class| self.class(class).interior.contains(&slot))
    }
}

/// Finds the array classes of a program and classifies every use of them.
#[must_use]
pub fn find_classes(program: &Program) -> Classes {
    find_classes_with(program, &BTreeSet::new())
}

/// The same, where the host's side of some copies has the layout of the device's.
///
/// The copies are named by the spans of their calls.
#[must_use]
pub fn find_classes_with(program: &Program, native_copies: &BTreeSet<Span>) -> Classes {
    find(program, native_copies, Moves::Stay)
}

/// The same, for layouts of grids: pointers that are moved keep their arrays of numbers.
#[must_use]
pub fn find_grid_classes(program: &Program) -> Classes {
    find(program, &BTreeSet::new(), Moves::Pin)
}

/// What becomes of arrays of numbers whose pointers are moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moves {
    /// They keep their layout: coordinates count from the start.
    Pin,
    /// Nothing: they stay arrays of one index.
    Stay,
}

impl Moves {
    /// The addresses of numbers that are places in their array.
    fn addresses(self) -> Addresses {
        match self {
            Moves::Pin => Addresses::OfTransfers,
            Moves::Stay => Addresses::Kept,
        }
    }
}

fn find(program: &Program, native_copies: &BTreeSet<Span>, moves: Moves) -> Classes {
    let Grouped { calls, graph, flows, mut classes } = group(program, native_copies, moves);
    classify::classify(program, &calls, &graph, &flows, moves, &mut classes);
    carriers::pin_by_carriers(program, &calls, &mut classes);
    deleters::pin_by_deleters(program, &calls, &mut classes);
    accessors::pin_by_accessors(program, &mut classes);
    regions::pin_by_regions(program, &mut classes);
    directives::pin_by_directives(program, &mut classes);
    unseen::pin_by_unseen_headers(program, &mut classes);
    let buffers = std::mem::take(&mut classes.buffers);
    buffers.pin(&mut classes);
    classes.buffers = buffers;
    unseen::pin_without_memory(program, &mut classes);
    for class in &mut classes.classes {
        // Nobody sees the text of layoutc: what holds there is said of what the array is called first.
        let slots = class.slots.iter().filter_map(|slot| match slot {
            Slot::Variable(id) => Some(program.variable(*id).site.name),
            Slot::Field(id) => Some(program.field(*id).site.name),
            Slot::Result(id) => program.function(*id).sites.first().map(|site| site.name),
        });
        let mut slots = slots.filter(|place| !program.is_model_text(place.file));
        if class.pins.iter().any(|pin| program.is_model_text(pin.span.file))
            && let Some(place) = slots.next()
        {
            for pin in &mut class.pins {
                if program.is_model_text(pin.span.file) {
                    pin.span = place;
                }
                pin.related.retain(|(span, _)| !program.is_model_text(span.file));
            }
        }
        class.pins.sort();
        class.pins.dedup();
    }
    classes
}

/// Classes before their uses were looked at, and what they were made from.
#[derive(Debug)]
struct Grouped {
    calls: calls::CallGraph,
    graph: SlotGraph,
    flows: Vec<unify::Flow>,
    classes: Classes,
}

/// Puts the pointers that hold addresses of one array together.
fn group(program: &Program, native_copies: &BTreeSet<Span>, moves: Moves) -> Grouped {
    let calls = calls::CallGraph::new(program);
    let readers = readers::readers(program, &calls);
    let host = host_memory::HostMemory::new(program, &calls);
    let mut graph = SlotGraph::new(program);
    let positions = Positions::find(program, &calls, moves.addresses());
    let mut places = Places::compute(program, &graph, &calls, positions);
    let list_slots = lists::slots(program, &calls);
    let given = unify::Given { readers: &readers.parameters, list_slots: &list_slots };
    let flows = unify::unify(program, &calls, &host, &places, given, moves, &mut graph);
    let buffers = Buffers::find(program, &calls);
    buffers.unite(&mut graph);
    let native = host_arrays::unite(program, &calls, &places, native_copies, &mut graph);
    let native: BTreeSet<usize> = native.into_iter().map(|node| graph.find(node)).collect();
    places.resolve(&mut graph);
    let api = api::find_api_calls(program, &calls, &host, &places, &native);
    let host_allocations =
        host_arrays::allocations(program, &calls, &graph, &places, &flows, &native);
    let host_objects = host_arrays::objects(program, &graph, &native);
    let allocated = api
        .iter()
        .filter(|call| call.row.allocates())
        .filter_map(|call| {
            let mut at = operands::strip_casts(program, call.arguments[0]);
            while let ExprKind::AddressOf(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Index { base: inner, .. }
            | ExprKind::Deref(inner) = program.expr(at).kind
            {
                at = inner;
            }
            unify::slot_of(program, at)
        })
        .chain(symbols::arrays(program).map(Slot::Variable))
        .chain(host_arrays::allocated_slots(program, &host_allocations))
        .chain(host_objects.iter().copied().map(Slot::Variable))
        .collect();
    let versions =
        versions::wanted_versions(program, &calls, &flows, &readers, &allocated, &host_allocations);

    // A class is a node with memory: from the allocator, or of a symbol.
    let mut class_of_node: Vec<Option<ClassId>> = vec![None; graph.len()];
    let mut allocations: BTreeMap<usize, Vec<Allocation>> = BTreeMap::new();
    let mut unmanaged: BTreeSet<usize> = BTreeSet::new();
    for call in &api {
        if let (Some(node), Some(size)) = (call.allocated_node, call.size_if_allocation()) {
            allocations.entry(node).or_default().push(Allocation { call: call.call, size });
            if call.api != Api::MallocManaged {
                unmanaged.insert(node);
            }
        }
    }
    let mut symbols: BTreeMap<usize, Vec<VarId>> = BTreeMap::new();
    for (slot, node) in graph.slots() {
        if let Slot::Variable(id) = slot
            && (symbols::is_array(program, id) || host_objects.contains(&id))
        {
            let node = graph.find(node);
            symbols.entry(node).or_default().push(id);
            if program.variable(id).space != Space::Managed {
                unmanaged.insert(node);
            }
        }
    }
    let mut members: BTreeMap<usize, Vec<Slot>> = BTreeMap::new();
    for (slot, node) in graph.slots() {
        members.entry(graph.find(node)).or_default().push(slot);
    }
    let members_of_buffers: BTreeSet<usize> = members
        .iter()
        .filter(|(_, slots)| buffers.is_of_buffers(slots))
        .map(|(node, _)| *node)
        .collect();
    // An array of unknown memory that a kernel is given is one to speak of, too; one of numbers, if
    // its memory is a buffer.
    let mut launched = launched_parameters(program, &calls);
    launched.extend(&buffers.parameters);
    let unseen: BTreeSet<usize> = graph
        .slots()
        .filter(|(slot, _)| matches!(slot, Slot::Variable(id) if launched.contains(id)))
        .map(|(_, node)| graph.find(node))
        .filter(|node| !allocations.contains_key(node) && !symbols.contains_key(node))
        .filter(|node| match graph.element(*node) {
            Element::Record(record) => program.record(record).body.is_some(),
            Element::Scalar(_) | Element::Vector(_) => members_of_buffers.contains(node),
        })
        .collect();
    let nodes: BTreeSet<usize> =
        allocations.keys().chain(symbols.keys()).chain(&unseen).copied().collect();
    let mut order: Vec<usize> = nodes.into_iter().collect();
    order.sort_by_key(|node| {
        let first = members.get(node).and_then(|slots| slots.first().copied());
        (graph.element(*node).is_leaf(), first)
    });
    let mut classes = Vec::new();
    for node in order {
        class_of_node[node] = Some(ClassId(classes.len() as u32));
        classes.push(ArrayClass {
            element: graph.element(node),
            slots: members.remove(&node).unwrap_or_default(),
            allocations: allocations.remove(&node).unwrap_or_default(),
            symbols: symbols.remove(&node).unwrap_or_default(),
            pins: Vec::new(),
            closed_branches: BTreeSet::new(),
            is_of_buffers: members_of_buffers.contains(&node),
            units: BTreeMap::new(),
            interior: BTreeSet::new(),
            is_managed: !unmanaged.contains(&node) && !members_of_buffers.contains(&node),
            is_native: native.contains(&node),
        });
    }
    for node in 0..class_of_node.len() {
        class_of_node[node] = class_of_node[graph.find(node)];
    }
    let slot_nodes = graph.slots().map(|(slot, node)| (slot, graph.find(node))).collect();
    let classes = Classes {
        classes,
        places: Arc::new(places),
        api_calls: api,
        reader_parameters: readers.parameters,
        could_be_constant: readers.could_be_constant,
        reader_methods: readers.methods,
        stores: readers.stores,
        versions,
        same_array: BTreeSet::new(),
        element_copies: BTreeMap::new(),
        wide_accesses: BTreeMap::new(),
        host_allocations,
        list_slots,
        several_devices: several_devices(program, &calls),
        buffers,
        class_of_node,
        slot_nodes,
    };
    Grouped { calls, graph, flows, classes }
}

/// Parameters of kernels that are launched which point to records.
fn launched_parameters(program: &Program, calls: &calls::CallGraph) -> BTreeSet<VarId> {
    program
        .expr_ids()
        .filter_map(|id| match &program.expr(id).kind {
            ExprKind::Launch { kernel, arguments, .. } => {
                match calls.callee(program, *kernel, arguments) {
                    Callee::Function(function) => Some(&program.function(function).parameters),
                    Callee::Library(_) | Callee::Ambiguous(_) | Callee::Unknown => None,
                }
            }
            _ => None,
        })
        .flatten()
        .copied()
        .filter(|id| element_of(program, program.variable(*id).ty).is_some_and(|(_, to)| to > 0))
        .collect()
}

/// Whether devices are selected by more than one call, or by one in a loop.
fn several_devices(program: &Program, calls: &calls::CallGraph) -> bool {
    let selects: Vec<Span> = program
        .expr_ids()
        .filter(|id| match &program.expr(*id).kind {
            ExprKind::Call { callee, arguments, .. } => {
                matches!(calls.callee(program, *callee, arguments), Callee::Library(name)
                    if catalogue::effect(&name) == Some(Effect::SelectsDevice))
            }
            _ => false,
        })
        .map(|id| program.expr_site(id))
        .collect();
    let in_loop = program.stmt_ids().any(|id| {
        let stmt = program.stmt(id);
        let is_loop = matches!(
            stmt.kind,
            layoutc_syntax::StmtKind::For { .. }
                | layoutc_syntax::StmtKind::ForRange { .. }
                | layoutc_syntax::StmtKind::While { .. }
                | layoutc_syntax::StmtKind::DoWhile { .. }
        );
        is_loop && selects.iter().any(|select| program.stmt_site(id).contains(*select))
    });
    in_loop || selects.len() > 1
}
