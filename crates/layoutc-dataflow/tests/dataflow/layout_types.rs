//! Laws of the layout types, and the propagation against a naive iteration.

use layoutc_dataflow::framework::MeetSemilattice;
use layoutc_dataflow::layout::{Layout, LayoutSpec};
use layoutc_dataflow::layout_type::{
    ArrayType, BlockId, Conflict, Flow, LayoutFacts, LayoutTransformation, LayoutType,
    LayoutTypeId, LayoutTypeTable, OpIndex, Origin, PointerId, PointerKind, PointerOp,
    PointerProgram, PointerTypes, ProcedureId, Seeds, SiteId, propagate_layout_types,
};
use proptest::prelude::*;

use crate::pointer_programs::{
    layout_types, places, procedures, program_of, seeds, span, transformations,
};
use crate::records::particle;
use crate::round_robin;

const UT: LayoutType = LayoutType::Untransformed;
const BOTTOM: LayoutType = LayoutType::Incompatible;
const L1: LayoutType = LayoutType::Layout(LayoutTypeId(1));
const L2: LayoutType = LayoutType::Layout(LayoutTypeId(2));

#[test]
fn table_2() {
    for (first, second, meet) in [
        (L1, L1, L1),
        (L1, L2, BOTTOM),
        (L1, UT, BOTTOM),
        (UT, UT, UT),
        (UT, BOTTOM, BOTTOM),
        (L1, BOTTOM, BOTTOM),
        (BOTTOM, BOTTOM, BOTTOM),
    ] {
        assert_eq!(first.meet(second), meet, "{first} ∧ {second}");
        assert_eq!(second.meet(first), meet, "{second} ∧ {first}");
    }
}

#[test]
fn table_1() {
    let [p1, p2] = [PointerId(1), PointerId(2)];
    let (s, t) = (SiteId(0), SiteId(7));
    let seeds = Seeds::from_iter([(s, LayoutTypeId(2))]);
    let mu = |first, second| -> PointerTypes { [(p1, first), (p2, second)].into_iter().collect() };
    for (op, first, second, expected) in [
        (PointerOp::Use { pointer: p1 }, L1, UT, Some(L1)),
        (PointerOp::Copy { target: p1, source: p2 }, L1, L2, Some(L2)),
        (PointerOp::ElementOf { target: p1, source: p2 }, UT, L2, Some(L2)),
        // The printed test of the old value of p1 would give the opposite in both.
        (PointerOp::Offset { target: p1, source: p2 }, UT, L2, Some(BOTTOM)),
        (PointerOp::Offset { target: p1, source: p2 }, L1, UT, Some(UT)),
        (PointerOp::Offset { target: p1, source: p2 }, UT, BOTTOM, Some(BOTTOM)),
        (PointerOp::Declare { pointer: p1 }, L1, L1, Some(UT)),
        (PointerOp::DeclareGrid { pointer: p1, layout: LayoutTypeId(1) }, UT, UT, Some(L1)),
        (PointerOp::Null { pointer: p1 }, L1, UT, None),
        (PointerOp::Allocate { pointer: p1, site: s }, BOTTOM, UT, Some(L2)),
        (PointerOp::Allocate { pointer: p1, site: t }, BOTTOM, UT, Some(UT)),
        (PointerOp::Apply { pointer: p1, site: s }, L1, UT, Some(L2)),
        (PointerOp::Apply { pointer: p1, site: s }, BOTTOM, UT, Some(BOTTOM)),
        (PointerOp::Apply { pointer: p1, site: t }, L1, UT, Some(L1)),
    ] {
        let after = op.transfer(&seeds, &mu(first, second));
        assert_eq!(after.get(p1), expected, "{op:?} with {first}, {second}");
        assert_eq!(after.get(p2), Some(second), "{op:?}");
    }
}

fn states() -> impl Strategy<Value = PointerTypes> {
    prop::collection::vec((0..6_u32, layout_types()), 0..6).prop_map(|types| {
        types.into_iter().map(|(pointer, layout)| (PointerId(pointer), layout)).collect()
    })
}

fn simple_ops() -> impl Strategy<Value = PointerOp> {
    (0..9_u8, 0..6_u32, 0..6_u32, 0..6_u32).prop_map(|(kind, first, second, third)| {
        let (target, source) = (PointerId(first), PointerId(second));
        let site = SiteId(third);
        match kind {
            0 => PointerOp::Use { pointer: target },
            1 => PointerOp::Copy { target, source },
            2 => PointerOp::Offset { target, source },
            3 => PointerOp::ElementOf { target, source },
            4 => PointerOp::Declare { pointer: target },
            5 => PointerOp::DeclareGrid { pointer: target, layout: LayoutTypeId(third % 3) },
            6 => PointerOp::Null { pointer: target },
            7 => PointerOp::Allocate { pointer: target, site },
            _ => PointerOp::Apply { pointer: target, site },
        }
    })
}

proptest! {
    #[test]
    fn meet_is_commutative_associative_and_idempotent_and_bottom_absorbs(
        a in layout_types(), b in layout_types(), c in layout_types(),
    ) {
        prop_assert_eq!(a.meet(b), b.meet(a));
        prop_assert_eq!(a.meet(b).meet(c), a.meet(b.meet(c)));
        prop_assert_eq!(a.meet(a), a);
        prop_assert_eq!(a.meet(BOTTOM), BOTTOM);
        if let LayoutType::Layout(_) = a {
            prop_assert_eq!(a.meet(UT), BOTTOM, "UT is not a top element");
        }
    }

    #[test]
    fn the_pointwise_meet_obeys_the_same_laws(a in states(), b in states(), c in states()) {
        prop_assert_eq!(a.meet(&b), b.meet(&a));
        prop_assert_eq!(a.meet(&b).meet(&c), a.meet(&b.meet(&c)));
        prop_assert_eq!(a.meet(&a), a.clone());
        prop_assert_eq!(a.meet(&PointerTypes::new()), a.clone(), "absence is the top element");
        for pointer in (0..6).map(PointerId) {
            let expected = match (a.get(pointer), b.get(pointer)) {
                (Some(left), Some(right)) => Some(left.meet(right)),
                (left, right) => left.or(right),
            };
            prop_assert_eq!(a.meet(&b).get(pointer), expected);
        }
    }

    #[test]
    fn transformations_are_monotone(
        transformation in transformations(), a in layout_types(), b in layout_types(),
    ) {
        let apply = |layout| LayoutTransformation::apply(&transformation, layout);
        prop_assert!(MeetSemilattice::is_below(&apply(a.meet(b)), &apply(a)));
    }

    #[test]
    fn transfer_functions_are_monotone(
        op in simple_ops(), seeds in seeds(), a in states(), b in states(),
    ) {
        let below = a.meet(&b);
        prop_assert!(op.transfer(&seeds, &below).is_below(&op.transfer(&seeds, &a)));
    }

    #[test]
    fn the_solution_is_that_of_a_naive_iteration(procedures in procedures(), seeds in seeds()) {
        let program = program_of(&procedures);
        let facts = propagate_layout_types(&program, &seeds);
        let naive = round_robin::iterate(&program, &seeds);
        let pointers = || (0..program.pointers.len() as u32).map(PointerId);
        for (procedure, at) in places(&program) {
            let state = naive.before.get(&(procedure, at));
            for pointer in pointers() {
                let shared = program.is_shared(pointer);
                let expected = match state {
                    Some(_) if shared => naive.cells.get(&pointer),
                    Some(state) => state.get(&pointer),
                    None => None,
                };
                prop_assert_eq!(
                    facts.fact_at(procedure, at, pointer), expected.copied(),
                    "{:?} {:?} {:?}", procedure, at, pointer
                );
            }
        }
        for pointer in pointers().filter(|pointer| program.is_shared(*pointer)) {
            prop_assert_eq!(facts.fact_of_slot(pointer), naive.cells.get(&pointer).copied());
        }
        for (procedure, exit) in naive.exits.iter().enumerate() {
            let id = ProcedureId(procedure as u32);
            for pointer in pointers().filter(|pointer| !program.is_shared(*pointer)) {
                let expected = exit.as_ref().and_then(|exit| exit.get(&pointer)).copied();
                prop_assert_eq!(facts.fact_at_exit(id, pointer), expected);
            }
        }
    }

    #[test]
    fn every_bottom_has_its_conflict_and_nothing_else_has(
        procedures in procedures(), seeds in seeds(),
    ) {
        let program = program_of(&procedures);
        let facts = propagate_layout_types(&program, &seeds);
        for (procedure, at) in places(&program) {
            for pointer in (0..program.pointers.len() as u32).map(PointerId) {
                let fact = facts.fact_at(procedure, at, pointer);
                let origins = facts.origins_at(procedure, at, pointer);
                prop_assert_eq!(origins.is_empty(), fact.is_none());
                match facts.conflict_at(procedure, at, pointer) {
                    None => prop_assert_ne!(fact, Some(BOTTOM)),
                    Some(Conflict::Meet(first, second)) => {
                        prop_assert_eq!(fact, Some(BOTTOM));
                        prop_assert_ne!(first.layout, second.layout);
                        for flow in [first, second] {
                            prop_assert!(origins.contains(&flow.origin), "{:?}", flow);
                        }
                    }
                    Some(Conflict::Refused { flow, steps, .. }) => {
                        prop_assert_eq!(fact, Some(BOTTOM));
                        prop_assert_ne!(flow.layout, BOTTOM);
                        prop_assert!(origins.contains(&flow.origin) && !steps.is_empty());
                    }
                }
            }
        }
    }
}

/// A program whose operations are pushed one by one; spans count them.
struct Builder {
    program: PointerProgram,
    count: usize,
}

impl Builder {
    fn new() -> Self {
        Builder { program: PointerProgram::new(), count: 0 }
    }

    fn push(&mut self, procedure: ProcedureId, block: BlockId, op: PointerOp) -> OpIndex {
        self.count += 1;
        self.program.push(procedure, block, op, span(self.count - 1))
    }

    fn local(&mut self, procedure: ProcedureId, name: &str) -> PointerId {
        self.program.add_pointer(name, PointerKind::Local(procedure))
    }
}

const ENTRY: BlockId = BlockId(0);

fn steps(flow: &Flow) -> Vec<u32> {
    flow.steps.iter().map(|step| step.span.start).collect()
}

fn meet_of(
    facts: &LayoutFacts<'_>,
    procedure: ProcedureId,
    at: OpIndex,
    p: PointerId,
) -> [Flow; 2] {
    match facts.conflict_at(procedure, at, p) {
        Some(Conflict::Meet(first, second)) => [first, second],
        other => panic!("expected two flows, found {other:?}"),
    }
}

/// `for (…) { step<<<>>>(a, b); swap(a, b); }`, the double buffer of every solver.
fn double_buffer(same_layout: bool) -> (PointerProgram, Seeds, [PointerId; 2], OpIndex) {
    let mut builder = Builder::new();
    let main = builder.program.add_procedure("main");
    let kernel = builder.program.add_procedure("step");
    let [from, to] = ["from", "to"].map(|name| builder.program.add_formal(kernel, name));
    let [a, b, t] = ["a", "b", "t"].map(|name| builder.local(main, name));
    builder.push(main, ENTRY, PointerOp::Allocate { pointer: a, site: SiteId(0) });
    builder.push(main, ENTRY, PointerOp::Allocate { pointer: b, site: SiteId(1) });
    let body = builder.program.add_block(main);
    let end = builder.program.add_block(main);
    for (at, next) in [(ENTRY, body), (body, body), (body, end)] {
        builder.program.add_edge(main, at, next);
    }
    let bindings = vec![(from, a), (to, b)];
    builder.push(main, body, PointerOp::Call { callee: kernel, bindings, results: vec![] });
    builder.push(main, body, PointerOp::Copy { target: t, source: a });
    builder.push(main, body, PointerOp::Copy { target: a, source: b });
    builder.push(main, body, PointerOp::Copy { target: b, source: t });
    let access = builder.push(kernel, ENTRY, PointerOp::Use { pointer: from });
    let second = if same_layout { 1 } else { 2 };
    let seeds = Seeds::from_iter([(SiteId(0), LayoutTypeId(1)), (SiteId(1), LayoutTypeId(second))]);
    (builder.program, seeds, [from, to], access)
}

#[test]
fn swapped_buffers_of_one_layout_keep_it() {
    let (program, seeds, [from, to], access) = double_buffer(true);
    let facts = propagate_layout_types(&program, &seeds);
    assert_eq!(facts.fact_at(ProcedureId(1), access, from), Some(L1));
    assert_eq!(facts.fact_at(ProcedureId(1), access, to), Some(L1));
    let mut origins = facts.origins_at(ProcedureId(1), access, from);
    origins.sort_unstable();
    assert_eq!(origins, [Origin::Site(SiteId(0)), Origin::Site(SiteId(1))]);
    assert_eq!(facts.incompatible_uses(), []);
}

#[test]
fn swapped_buffers_of_two_layouts_meet_in_the_kernel() {
    let (program, seeds, [from, _], access) = double_buffer(false);
    let facts = propagate_layout_types(&program, &seeds);
    assert_eq!(facts.fact_at(ProcedureId(1), access, from), Some(BOTTOM));
    assert_eq!(facts.incompatible_uses(), [(ProcedureId(1), access, from)]);
    let [first, second] = meet_of(&facts, ProcedureId(1), access, from);
    assert_eq!((first.layout, steps(&first)), (L1, vec![0, 2]), "allocation, launch");
    assert_eq!((second.layout, steps(&second)), (L2, vec![1, 4, 2]), "allocation, a = b, launch");
    assert_eq!(second.steps[1].pointer, PointerId(2), "`a` gets it");
}

#[test]
fn branches_meet_and_the_flows_are_named() {
    let mut builder = Builder::new();
    let main = builder.program.add_procedure("main");
    let [a, p] = ["a", "p"].map(|name| builder.local(main, name));
    builder.push(main, ENTRY, PointerOp::Declare { pointer: p });
    builder.push(main, ENTRY, PointerOp::Allocate { pointer: a, site: SiteId(0) });
    let [then, join] = [(); 2].map(|()| builder.program.add_block(main));
    for (at, next) in [(ENTRY, then), (ENTRY, join), (then, join)] {
        builder.program.add_edge(main, at, next);
    }
    builder.push(main, then, PointerOp::Copy { target: p, source: a });
    let access = builder.push(main, join, PointerOp::Use { pointer: p });
    let seeds = Seeds::from_iter([(SiteId(0), LayoutTypeId(1))]);
    let facts = propagate_layout_types(&builder.program, &seeds);
    let [first, second] = meet_of(&facts, main, access, p);
    assert_eq!((first.layout, first.origin), (UT, Origin::Declaration(p)));
    assert_eq!(steps(&first), [0]);
    assert_eq!((second.layout, second.origin), (L1, Origin::Site(SiteId(0))));
    assert_eq!(steps(&second), [1, 2]);

    builder.program.procedures[0].blocks[0].ops[0].op = PointerOp::Null { pointer: p };
    let facts = propagate_layout_types(&builder.program, &seeds);
    assert_eq!(facts.fact_at(main, access, p), Some(L1), "a null pointer agrees with every layout");
    assert_eq!(facts.conflict_at(main, access, p), None);
}

#[test]
fn an_offset_pointer_loses_a_new_layout_and_an_element_keeps_it() {
    let mut builder = Builder::new();
    let main = builder.program.add_procedure("main");
    let [a, p, q, r] = ["a", "p", "q", "r"].map(|name| builder.local(main, name));
    builder.push(main, ENTRY, PointerOp::Allocate { pointer: a, site: SiteId(0) });
    builder.push(main, ENTRY, PointerOp::Offset { target: p, source: a });
    builder.push(main, ENTRY, PointerOp::ElementOf { target: q, source: a });
    builder.push(main, ENTRY, PointerOp::Copy { target: r, source: p });
    let access = builder.push(main, ENTRY, PointerOp::Use { pointer: r });
    let seeds = Seeds::from_iter([(SiteId(0), LayoutTypeId(1))]);
    let facts = propagate_layout_types(&builder.program, &seeds);
    assert_eq!(facts.fact_at(main, access, q), Some(L1));
    let Some(Conflict::Refused { flow, operation, steps: behind }) =
        facts.conflict_at(main, access, r)
    else {
        panic!("the offset is the reason")
    };
    assert_eq!((flow.layout, steps(&flow), operation.start), (L1, vec![0], 1));
    assert_eq!(behind.iter().map(|step| step.span.start).collect::<Vec<_>>(), [1, 3]);
    let untouched = Seeds::new();
    let facts = propagate_layout_types(&builder.program, &untouched);
    assert_eq!(facts.fact_at(main, access, r), Some(UT), "the source's layout allows it");
}

/// `for (…) { use(q); q = q + 1; }`: in the loop the addition sees `⊥` itself.
#[test]
fn a_pointer_loop_names_the_layout_that_came_into_it() {
    let mut builder = Builder::new();
    let main = builder.program.add_procedure("main");
    let q = builder.local(main, "q");
    builder.push(main, ENTRY, PointerOp::Allocate { pointer: q, site: SiteId(0) });
    let body = builder.program.add_block(main);
    builder.program.add_edge(main, ENTRY, body);
    builder.program.add_edge(main, body, body);
    let access = builder.push(main, body, PointerOp::Use { pointer: q });
    builder.push(main, body, PointerOp::Offset { target: q, source: q });
    let seeds = Seeds::from_iter([(SiteId(0), LayoutTypeId(1))]);
    let facts = propagate_layout_types(&builder.program, &seeds);
    assert_eq!(facts.fact_at(main, access, q), Some(BOTTOM));
    let Some(Conflict::Refused { flow, operation, steps: behind }) =
        facts.conflict_at(main, access, q)
    else {
        panic!("the addition is the reason")
    };
    assert_eq!((flow.layout, steps(&flow), operation.start), (L1, vec![0], 2));
    assert_eq!(behind.len(), 1);
}

#[test]
fn locals_of_one_caller_do_not_reach_another() {
    let mut builder = Builder::new();
    let first = builder.program.add_procedure("first");
    let second = builder.program.add_procedure("second");
    let helper = builder.program.add_procedure("helper");
    let q = builder.program.add_formal(helper, "q");
    let mut accesses = Vec::new();
    for (caller, site) in [(first, SiteId(0)), (second, SiteId(1))] {
        let [p, r] = ["p", "r"].map(|name| builder.local(caller, name));
        builder.push(caller, ENTRY, PointerOp::Allocate { pointer: p, site });
        let (bindings, results) = (vec![(q, p)], vec![(r, q)]);
        builder.push(caller, ENTRY, PointerOp::Call { callee: helper, bindings, results });
        accesses.push((caller, p, r, builder.push(caller, ENTRY, PointerOp::Use { pointer: p })));
    }
    let seeds = Seeds::from_iter([(SiteId(0), LayoutTypeId(1)), (SiteId(1), LayoutTypeId(2))]);
    let facts = propagate_layout_types(&builder.program, &seeds);
    for ((caller, p, r, access), layout) in accesses.into_iter().zip([L1, L2]) {
        assert_eq!(facts.fact_at(caller, access, p), Some(layout));
        assert_eq!(facts.fact_at(caller, access, r), Some(BOTTOM), "one helper for both");
    }
}

#[test]
fn members_are_cells_and_recursion_ends() {
    let mut builder = Builder::new();
    let world = builder.program.add_pointer("World::p", PointerKind::Shared);
    let main = builder.program.add_procedure("main");
    let walk = builder.program.add_procedure("walk");
    let p = builder.program.add_formal(walk, "p");
    let a = builder.local(main, "a");
    let bindings = |actual| vec![(p, actual)];
    builder.push(main, ENTRY, PointerOp::load(a, world));
    let results = vec![(a, p)];
    builder.push(main, ENTRY, PointerOp::Call { callee: walk, bindings: bindings(a), results });
    let access = builder.push(main, ENTRY, PointerOp::Use { pointer: a });
    let results = vec![(p, p)];
    let [deep, end] = [(); 2].map(|()| builder.program.add_block(walk));
    for (at, next) in [(ENTRY, deep), (ENTRY, end), (deep, end)] {
        builder.program.add_edge(walk, at, next);
    }
    builder.push(walk, deep, PointerOp::Call { callee: walk, bindings: bindings(p), results });
    let setup = builder.program.add_procedure("setup");
    builder.push(setup, ENTRY, PointerOp::Allocate { pointer: world, site: SiteId(0) });
    let seeds = Seeds::from_iter([(SiteId(0), LayoutTypeId(1))]);
    let facts = propagate_layout_types(&builder.program, &seeds);
    assert_eq!(facts.fact_of_slot(world), Some(L1));
    assert_eq!(facts.fact_at(main, access, a), Some(L1), "stored by a procedure that comes later");
    assert_eq!(facts.fact_at_exit(walk, p), Some(L1));

    builder.push(setup, ENTRY, PointerOp::Allocate { pointer: world, site: SiteId(1) });
    let facts = propagate_layout_types(&builder.program, &seeds);
    assert_eq!(facts.fact_of_slot(world), Some(BOTTOM), "a cell only goes down");
    let Some(Conflict::Meet(first, second)) = facts.conflict_of_slot(world) else {
        panic!("two allocations meet")
    };
    assert_eq!([first.layout, second.layout], [L1, UT]);
}

#[test]
fn unseen_callers_bring_the_source_layout() {
    let mut builder = Builder::new();
    let main = builder.program.add_procedure("main");
    let kernel = builder.program.add_procedure("kernel");
    let p = builder.program.add_formal(kernel, "p");
    let access = builder.push(kernel, ENTRY, PointerOp::Use { pointer: p });
    let a = builder.local(main, "a");
    let seeds = Seeds::from_iter([(SiteId(0), LayoutTypeId(1))]);
    let fact = |program: &PointerProgram| {
        propagate_layout_types(program, &seeds).fact_at(kernel, access, p)
    };
    assert_eq!(fact(&builder.program), Some(UT), "nobody calls it");
    builder.push(main, ENTRY, PointerOp::Allocate { pointer: a, site: SiteId(0) });
    let (bindings, results) = (vec![(p, a)], vec![]);
    builder.push(main, ENTRY, PointerOp::Call { callee: kernel, bindings, results });
    assert_eq!(fact(&builder.program), Some(L1));
    builder.program.procedures[1].called_from_outside = true;
    assert_eq!(fact(&builder.program), Some(BOTTOM));
    let facts = propagate_layout_types(&builder.program, &seeds);
    let [outside, inside] = meet_of(&facts, kernel, access, p);
    assert_eq!((outside.origin, steps(&outside)), (Origin::Outside(kernel, p), vec![]));
    assert_eq!((inside.origin, steps(&inside)), (Origin::Site(SiteId(0)), vec![1, 2]));
}

#[test]
fn unreachable_code_has_no_facts() {
    let mut builder = Builder::new();
    let main = builder.program.add_procedure("main");
    let dead = builder.program.add_block(main);
    let world = builder.program.add_pointer("world", PointerKind::Shared);
    let seeds = Seeds::new();
    let at = builder.push(main, dead, PointerOp::Allocate { pointer: world, site: SiteId(0) });
    let facts = propagate_layout_types(&builder.program, &seeds);
    assert_eq!(facts.fact_of_slot(world), None);
    assert_eq!(facts.fact_at(main, at, world), None);
}

#[test]
fn equal_layouts_have_one_id() {
    let shape = particle();
    let mut table = LayoutTypeTable::new();
    let array = |text: &str, length: &str| ArrayType {
        record: shape.name.clone(),
        dimension_vector: vec![length.to_owned()],
        layout: LayoutSpec::parse(text)
            .and_then(|spec| spec.resolve(&shape))
            .unwrap_or_else(|error| panic!("{error}")),
    };
    let tiled = table.intern(array("P = tiled(32)", "n"));
    assert_eq!(table.intern(array("P = [i/32, field, i%32]", "n")), tiled);
    assert_ne!(table.intern(array("P = tiled(32)", "m")), tiled, "another dimension vector");
    assert_ne!(table.intern(array("P = soa", "n")), tiled);
    assert_eq!(table.get(tiled).layout, Layout::tiled(&shape, 32, None).expect("valid"));
}
